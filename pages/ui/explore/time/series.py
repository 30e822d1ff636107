"""One column of a table over time, below the player."""

import numpy as np
import streamlit as st
from plotly.graph_objects import Figure

from gplvm_core.datasets import Dataset
from gplvm_core.figures.series import series_figure
from gplvm_core.readers.calendar_steps import in_brackets
from gplvm_core.readers.names import names_of
from gplvm_core.wire.sequence import Reel
from pages.ui.explore.time.model import DATA, SEEN
from pages.ui.explore.time.tables import deviates
from pages.ui.shared.catalogue import Item
from pages.ui.shared.plain import plain


def series(item: Item, name: str, reel: Reel) -> None:
    """Show a chosen column of the first panel with its band, for tables with deviations."""
    dataset, shown = item.dataset, reel.panels[0]
    known = any(panel.title in (DATA, SEEN) for panel in reel.panels)
    if dataset.drawing.kind not in ("bars", "curve") or shown.std is None or not known:
        return
    columns = [d for d in range(dataset.n_outputs) if deviates(dataset, d)]
    if not columns:
        return
    names = names_of(dataset)
    kept = f"time_series_kept|{name}"
    first = st.session_state.get(kept, columns[0])
    column = st.selectbox(
        "Column over time",
        columns,
        index=columns.index(first) if first in columns else 0,
        format_func=lambda d: names[d],
        key=f"time_series|{name}",
        width=260,
    )
    st.session_state[kept] = column
    st.plotly_chart(
        chart(dataset, reel, column),
        key=f"time_series_figure|{name}",
        config={"displayModeBar": False},
        alt=plain(f"{names[column]} over time, with the band of 95 %"),
    )


def chart(dataset: Dataset, reel: Reel, column: int) -> Figure:
    """Draw one column of the first panel beside the values of the data."""
    shown, count = reel.panels[0], len(reel.times)
    known = next(panel for panel in reel.panels if panel.title in (DATA, SEEN))
    assert shown.std is not None
    return series_figure(
        reel.times,
        shown.values[:, column],
        shown.std[:, column],
        known.values[:, column],
        reel.forecast if len(reel.forecast) else np.zeros(count, dtype=bool),
        name=names_of(dataset)[column],
        time="time" if reel.dates else f"time{in_brackets(dataset.time_unit)}",
        dates=reel.dates,
    )
