"""The tabs of Explore; each tab shows one thing that the open model can do."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from pages.ui.explore.fill.tab import fill
from pages.ui.explore.head import chosen_key, model_head, offers, opened, turn_to
from pages.ui.explore.known import chosen_level
from pages.ui.explore.layers.tab import layers
from pages.ui.explore.map.tab import latent_map
from pages.ui.explore.predict.tab import predict
from pages.ui.explore.rows.tab import new_rows
from pages.ui.explore.time.tab import time
from pages.ui.explore.views.tab import views
from pages.ui.shared.catalogue import Item, capabilities_of
from pages.ui.shared.dimension_names import read_names
from pages.ui.shared.doors import FILL, FIRST_TAB, LAYERS, MAP, PREDICT, ROWS, TIME, VIEWS, tabs_for
from pages.ui.shared.inputs import one_of
from pages.ui.shared.last import SEEN
from pages.ui.shared.lead import lead
from pages.ui.shared.link import keep_in_link
from pages.ui.shared.plain import plain
from pages.ui.shared.second_stage import show_following

CONTROL = "explore_tab"  # session key of the bar
NO_MAP = "This model predicts a column from known inputs, so it has no map. Its answers are below."
LAST = "explore_last_tab"  # session key: the tab before the visitor left Explore


@dataclass(frozen=True)
class Tab:
    """A tab: key in links, title, content, why a model lacks the tab, and a label for Train.

    whole: whether the tab shows all views of a multi-view model; else it shows one.
    """

    key: str
    title: str
    show: Callable[[Item, str], None]
    lacks: str = ""
    train: str = ""
    whole: bool = False


TABS = {
    each.key: each
    for each in (
        Tab(MAP.tab, "Map", latent_map),
        Tab(FILL.tab, "Fill in", fill),
        Tab(
            TIME.tab,
            "Time",
            time,
            "This model does not use time: the order of its rows has no meaning. The tab Time "
            "needs a model that was trained on sequences, such as a movement or a film.",
            "Train a model with time",
        ),
        Tab(
            VIEWS.tab,
            "Views",
            views,
            "This model has one view: every row of its data is a single description. The tab "
            "Views needs a model of several views, such as pairs of images.",
            "Train a model of several views",
            whole=True,
        ),
        Tab(
            LAYERS.tab,
            "Layers",
            layers,
            "This model has one layer. The tab Layers needs a model with two or more.",
            "Train a deep model",
        ),
        Tab(ROWS.tab, "New rows", new_rows),
        Tab(
            PREDICT.tab,
            "Predict",
            predict,
            "This model is a map: it does not predict one column. The tab Predict needs a model "
            "that was trained to predict a column.",
            "Train a model for a column",
            whole=True,
        ),
    )
}


def explore() -> None:
    """Show the model and the tab that the link names."""
    named = _named_tab()
    key = chosen_key(named)
    if key is None:
        st.title("Explore", anchor=False)
        lead(
            "Here a model becomes a map: move over the map to see what the model generates. "
            "There is no model yet; a training takes about a minute."
        )
        if st.button("Train a model", type="primary", icon=":material/model_training:"):
            st.switch_page("pages/train.py")
        return
    allowed = _allowed(key)
    tab = TABS[named if named in allowed else next(iter(allowed), FIRST_TAB)]
    item = opened(key, whole=tab.whole)
    if item is None:
        return
    st.session_state[LAST] = tab.key
    model_head(item, tab.key)
    show_following(item)
    read_names(item, tab.key)
    _bar(item.key, tab.key, allowed)
    if named != tab.key and ("tab" in st.query_params or named != FIRST_TAB):
        _say_lacking(item.key, named)
    if item.views and item.view is None and not tab.whole:
        st.info(
            "Every view lacks some rows, so this tab can show none of them alone. The tab Views "
            "shows them together, and predicts one view of new rows from another.",
            icon=":material/info:",
        )
        st.button("Open Views", type="primary", on_click=turn_to, args=(item.key, VIEWS.tab))
        return
    item = chosen_level(item, on_map=tab.key == MAP.tab)
    tab.show(item, f"{key}|{item.version}")


def _named_tab() -> str:
    """Return the tab in the link; without one, return the last tab of this visit."""
    if "model" in st.query_params or "tab" in st.query_params:
        return st.query_params.get("tab", FIRST_TAB)
    last = st.session_state.get(LAST, FIRST_TAB)
    if last != FIRST_TAB and SEEN in st.session_state and last in _allowed(st.session_state[SEEN]):
        keep_in_link(tab=last)
        return str(last)
    return FIRST_TAB


def _allowed(key: str) -> tuple[str, ...]:
    """Return the tabs that a model has; () for an unknown key, which `opened` reports."""
    try:
        return tabs_for(capabilities_of(key))
    except ValueError:
        return ()


def _bar(key: str, tab: str, allowed: tuple[str, ...]) -> None:
    """Show the bar with the names of the tabs."""
    # The link takes precedence, also after Back. A value that every run sets would undo a click
    # that arrives during a run.
    if st.session_state.get(CONTROL) != tab:
        st.session_state[CONTROL] = tab

    def switch() -> None:
        turn_to(key, st.session_state[CONTROL])

    with st.container(key="tabs"):
        titles = {each: TABS[each].title for each in allowed}
        one_of("Tab", titles, CONTROL, lasts=False, hidden=True, on_change=switch)


def _say_lacking(key: str, named: str) -> None:
    """Explain why the tab in the link is not shown, and offer models that have it."""
    if named not in TABS:
        st.info(f"There is no tab “{plain(named[:20])}”. The page shows the map instead.")
        return
    st.info(TABS[named].lacks or NO_MAP, icon=":material/info:")
    offers(key, named, lambda can: named in tabs_for(can), TABS[named].train)
