"""One column of a table over time, below the player."""

import numpy as np
import streamlit as st

from gplvm_core.figures.series import series_figure
from gplvm_core.readers.names import names_of
from gplvm_core.wire.sequence import Reel
from pages.ui.explore.time.model import DATA, SEEN
from pages.ui.explore.time.tables import deviates
from pages.ui.shared.catalogue import Item
from pages.ui.shared.plain import plain


def series(item: Item, name: str, reel: Reel) -> None:
    """Show a chosen column of the first panel with its band, for tables with deviations."""
    dataset, shown = item.dataset, reel.panels[0]
    known = next((panel for panel in reel.panels if panel.title in (DATA, SEEN)), None)
    if dataset.drawing.kind not in ("bars", "curve") or shown.std is None or known is None:
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
    count = len(reel.times)
    st.plotly_chart(
        series_figure(
            reel.times,
            shown.values[:, column],
            shown.std[:, column],
            known.values[:, column],
            reel.forecast if len(reel.forecast) else np.zeros(count, dtype=bool),
            name=names[column],
            time=f"time ({dataset.time_unit})" if dataset.time_unit else "time",
        ),
        key=f"time_series_figure|{name}",
        config={"displayModeBar": False},
        alt=plain(f"{names[column]} over time, with the band of 95 %"),
    )
