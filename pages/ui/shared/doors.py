"""Buttons that open a model: in a tab of Explore that fits its capabilities, or in Compare."""

from dataclasses import dataclass

import streamlit as st

from gplvm_core.models import Capabilities

FIRST_TAB = "map"


@dataclass(frozen=True)
class Door:
    """A button that opens a model: key, page, label, icon, and the tab of Explore."""

    key: str
    page: str
    verb: str
    icon: str
    tab: str = FIRST_TAB

    def open(self, model: str) -> None:
        """Open the page with the model of this key."""
        tab = {} if self.tab == FIRST_TAB else {"tab": self.tab}
        st.switch_page(f"pages/{self.page}.py", query_params={"model": model, **tab})


MAP = Door("map", "explore", "Explore", ":material/explore:")
FILL = Door("fill", "explore", "Fill in", ":material/brush:", "fill")
TIME = Door("time", "explore", "Play", ":material/play_arrow:", "time")
VIEWS = Door("views", "explore", "See the views", ":material/join_inner:", "views")
LAYERS = Door("layers", "explore", "See the layers", ":material/layers:", "layers")
PREDICT = Door("predict", "explore", "Predict", ":material/ads_click:", "predict")
ROWS = Door("rows", "explore", "Ask about new rows", ":material/table_rows:", "rows")
COMPARE = Door("compare", "compare", "Compare", ":material/compare:")


UPLOAD = "train_upload"  # session key: (file name, bytes), kept while other pages are open


def open_own_file() -> None:
    """Open Train where it asks for a file."""
    st.session_state["train_source"] = "upload"
    st.switch_page("pages/train.py")


def tabs_for(capabilities: Capabilities | None) -> tuple[str, ...]:
    """Return the tabs of Explore for these capabilities, in order; none for a missing model."""
    if capabilities is None:
        return ()
    if capabilities.predicts:  # regressions have no latent map
        return (PREDICT.tab,)
    allowed = {
        MAP: True,
        FILL: True,
        TIME: capabilities.timed,
        VIEWS: capabilities.views,
        LAYERS: capabilities.layers,
        ROWS: True,
    }
    return tuple(door.tab for door, allows in allowed.items() if allows)


def main_door(capabilities: Capabilities) -> Door:
    """Return the button of the most specific tab for this kind of model."""
    tabs = tabs_for(capabilities)
    return next((door for door in (PREDICT, VIEWS, TIME, LAYERS) if door.tab in tabs), MAP)


def can_compare(capabilities: Capabilities) -> bool:
    """Return whether Compare can show a model with these capabilities; it needs a latent map."""
    return not capabilities.predicts
