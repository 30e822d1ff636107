"""The offer to show coordinates that a table already has as a map, without training."""

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core import GPLVM
from gplvm_core.datasets import Dataset
from gplvm_core.kernels import RBF
from gplvm_core.readers.coordinates import at_coordinates, coordinate_columns
from gplvm_core.readers.kinds import QUANTITIES
from gplvm_core.readers.names import column_words
from gplvm_core.readers.rows.table import TableDataset
from pages.ui.shared.catalogue import user_library
from pages.ui.shared.doors import MAP
from pages.ui.shared.own_jobs import unused_name
from pages.ui.shared.plain import plain
from pages.ui.shared.telling import errors_told

MOST_ROWS = 20_000
WIDTHS = (0.1, 0.2, 0.4, 0.8)  # lengthscales that are tried, relative to the spread of the map
MOST_INDUCING = 100


def coordinates_offer(dataset: Dataset) -> None:
    """Offer a map of the coordinates in the table, if there seem to be any."""
    if dataset.views or dataset.drawing.kind not in ("bars", "curve") or dataset.n_outputs < 2:
        return
    names = column_words(dataset)
    found = coordinate_columns(names)
    if found is None:
        return
    if isinstance(dataset, TableDataset) or dataset.n_points > MOST_ROWS:
        st.caption(
            f"{plain(found[0])} and {plain(found[1])} seem to be coordinates. They are shown as a "
            f"map, without training, for up to {MOST_ROWS:,} rows."
        )
        return
    kinds = [column.kind for column in dataset.columns] or ["number"] * len(names)
    numbers = [name for name, kind in zip(names, kinds, strict=True) if kind in QUANTITIES]
    if not set(found) <= set(numbers):
        return
    with st.container(border=True):
        st.markdown("**These rows have coordinates already.** See them as a map now.")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            across, up = (
                st.selectbox(
                    title,
                    numbers,
                    index=numbers.index(name),
                    key=f"coordinates_{title}_{dataset.name}",
                    width=200,
                )
                for title, name in zip(("Across", "Up"), found, strict=True)
            )
            pressed = st.button(
                "Show the map", type="primary", icon=MAP.icon, disabled=across == up
            )
        st.caption(
            "To train a map of the columns instead, name the coordinates under *Columns to leave "
            "out*, and continue below."
        )
    if pressed:
        _show(dataset, str(across), str(up))


def _show(dataset: Dataset, across: str, up: str) -> None:
    """Store a map of the coordinates, and open it."""
    with errors_told():
        with st.spinner("Drawing the map …"):
            data, places = at_coordinates(dataset, across, up)
            title = unused_name(f"{dataset.title}, {across} and {up}")
            library = user_library()
            key = library.add(drawn_at(data.values, places), data, title)
            library.name_dimensions(key, (across, up))
        MAP.open(f"library:{key}")


def drawn_at(values: Array, places: Array) -> GPLVM:
    """Return the model at given positions whose width fits the rows best."""
    tried = [
        GPLVM(
            2,
            min(MOST_INDUCING, len(places)),
            kernel=RBF(1.0, np.full(2, width)),
            init=places,
            latent="given",
            scaling="columns",
            max_iter=1,
            random_state=0,
            second_stage="off",
        ).fit(values)
        for width in WIDTHS
    ]
    return max(tried, key=lambda model: model.bound_)
