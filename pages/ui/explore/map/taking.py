"""The export of a whole map: one file that any browser opens."""

from dataclasses import replace

import streamlit as st

from gplvm_core.offline.explorer import OfflineExplorer
from gplvm_core.wire.model import Chart
from pages.ui.explore.map.opening import opening_elsewhere
from pages.ui.shared.catalogue import Item
from pages.ui.shared.dimension_names import space_of, stored_names

MEGABYTE = 1e6


@st.fragment
def export_map(item: Item, chart: Chart, name: str) -> None:
    """An expander with the file, which is made on request."""
    expander = st.expander(
        "Export the whole map", icon=":material/download:", on_change="rerun", key="explore_taking"
    )
    if not expander.open:
        return
    names = stored_names(item, space_of(item)) or ()
    chart = replace(chart, names=names)
    words = (item.title, item.dataset.source, opening_elsewhere(item))
    size, precision = _described(chart, words, names, name)
    with expander:
        st.markdown(
            "One file with this map, its data points and everything needed to move over it. It "
            "opens in any browser, without a network and without this program."
        )
        st.download_button(
            "This map as one HTML file",
            data=lambda: OfflineExplorer(chart, *words).html,
            file_name=f"{item.key.partition(':')[2]}.html",
            mime="text/html",
            icon=":material/download:",
            on_click="ignore",
        )
        st.caption(f"{size / MEGABYTE:.1f} MB. {precision}")


@st.cache_data(max_entries=32, show_spinner="Making the file …")
def _described(
    _chart: Chart, words: tuple[str, str, str], names: tuple[str, ...], name: str
) -> tuple[int, str]:
    """The file's size in bytes, and the precision of its numbers."""
    file = OfflineExplorer(_chart, *words)
    return len(file.html.encode()), file.precision.in_words()
