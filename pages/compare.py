"""Compare: models of the same data side by side, and which one to use."""

import streamlit as st

from pages.ui.compare.canvas import linked_maps
from pages.ui.compare.choose import cannot_panel, choose_data, choose_models, waiting_panel
from pages.ui.compare.members import Member, Waiting, first_of, linked_keys, member_of, named
from pages.ui.compare.verdict import verdict
from pages.ui.shared.lead import lead
from pages.ui.shared.link import keep_in_link
from pages.ui.shared.plain import plain
from pages.ui.shared.routes import enter_through_app

enter_through_app()
st.title("Compare", anchor=False)
lead(
    "Maps of the same rows, drawn by different models. Point at a row in one and see where the "
    "others have it; point at a place, and every model that can draws what belongs there."
)


def compare() -> None:
    """The page for the models in the link."""
    keys = linked_keys()
    if not keys:
        st.info("There is no model yet whose data others could be compared on.")
        if st.button("Train a model", type="primary", icon=":material/model_training:"):
            st.switch_page("pages/train.py")
        return
    try:
        first = first_of(keys[0])
    except (ValueError, OSError) as error:
        st.error(plain(error))
        choose_data(None)
        if st.button("Choose a model", type="primary", icon=":material/grid_view:"):
            st.switch_page("pages/gallery.py")
        return
    keep_in_link(models=",".join(keys))
    members: list[Member] = []
    waiting: list[Waiting] = []
    for key in keys:
        try:
            found = member_of(key, first)
        except (ValueError, OSError) as error:
            cannot_panel(keys, key, error)
            continue
        if isinstance(found, Member):
            members.append(found)
        else:
            waiting.append(found)
    members = named(members)
    choose_models(first, keys, members)
    # A place that is always there: the maps below stay what they are.
    with st.container(key="compare_waiting"):
        for each in waiting:
            waiting_panel(first, keys, each)
    try:
        linked_maps(members)
    except ValueError as error:
        st.error(plain(error))
        return
    verdict(first, members)


compare()
