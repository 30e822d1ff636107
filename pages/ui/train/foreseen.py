"""What training on very many rows will do and take, said before it starts."""

from typing import Any

import streamlit as st

from gplvm_core import BayesianGPLVM
from gplvm_core.datasets import Dataset
from gplvm_core.models.problems.many_rows import are_many
from gplvm_core.readers.rows.table import TableDataset
from gplvm_core.training.foresee import Foreseen, foreseen
from pages.ui.shared.plain import plain
from pages.ui.shared.words import about_bytes_in_words, seconds_in_words

SOME = 2000  # rows that are tried


def say_foreseen(model: Any, dataset: Dataset) -> None:
    """Rows, time and memory, of a model and data where there is something to say."""
    stored = isinstance(dataset, TableDataset)
    n_rows = dataset.n_rows if isinstance(dataset, TableDataset) else dataset.n_points
    if type(model) is not BayesianGPLVM or (not (stored or are_many(n_rows))):
        return
    try:
        found = tried(model, dataset, n_rows, stored, f"{dataset.name}|{model.get_params()}")
    except ValueError as error:
        st.warning(
            f"How long training will take could not be measured: {plain(error)}",
            icon=":material/warning:",
        )
        return
    st.info(in_words(found), icon=":material/schedule:")


@st.cache_data(max_entries=64, show_spinner="Trying a few steps, to foresee the rest …")
def tried(_model: Any, _dataset: Dataset, n_rows: int, stored: bool, key: str) -> Foreseen:
    """key: what model and data are told apart by."""
    some = _dataset.values[:: max(1, _dataset.n_points // SOME)][:SOME]
    return foreseen(_model, some, n_rows, stored=stored)


def in_words(found: Foreseen) -> str:
    """What becomes of the rows, how long it takes, and how much memory."""
    if found.trained == found.total:
        rows = f"All {found.total:,} rows train the map."
    else:
        rows = (
            f"Of {found.total:,} rows about {found.trained:,} train the map, a few at first and "
            f"more as it goes on; {found.placed:,} more are then placed on it."
        )
    if found.passed_by:
        rows += (
            f" The other {found.passed_by:,} pass by once: what the map says is found from them, "
            "too, but they are not drawn on it."
        )
    seconds, size = seconds_in_words(found.seconds), about_bytes_in_words(found.bytes)
    return (
        f"**What this will take.** {rows} About {seconds}, and about {size} of memory: foreseen "
        "from a few steps on this machine, at the most steps that are allowed. "
        "It takes longer while others use the machine."
    )
