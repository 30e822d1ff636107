"""Compare: models of the same data side by side, and a recommendation."""

import streamlit as st

from pages.ui.compare.canvas import linked_maps
from pages.ui.compare.choose import (
    cannot_panel,
    choose_data,
    choose_models,
    two_ready_models,
    waiting_panel,
)
from pages.ui.compare.members import (
    LEAST,
    Member,
    Waiting,
    first_of,
    linked_keys,
    member_of,
    named,
    offer_own_labels,
)
from pages.ui.compare.numbers import numbers
from pages.ui.compare.verdict import verdict
from pages.ui.shared.lead import lead
from pages.ui.shared.link import keep_in_link
from pages.ui.shared.plain import plain
from pages.ui.shared.routes import enter_through_app

enter_through_app()
st.title("Compare", anchor=False)
lead("Models of the same rows, side by side: which one should you use?")


def compare() -> None:
    """Show the page for the models that the link names."""
    keys = linked_keys()
    if not keys:
        st.info("There is no model yet. Compare needs two models of the same data.")
        if st.button("Train a model", type="primary", icon=":material/model_training:"):
            st.switch_page("pages/train.py")
        return
    try:
        first = first_of(keys[0])
    except (ValueError, OSError) as error:
        st.error(plain(error))
        choose_data(None)
        two_ready_models()
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
    offer_own_labels(first)
    # This container always exists, so that Streamlit does not rebuild the maps below it.
    with st.container(key="compare_waiting"):
        for each in waiting:
            waiting_panel(first, keys, each)
    enough = len(members) >= LEAST
    # The browser draws the maps while Python computes the verdict above them.
    above = st.container(key="compare_verdict") if enough else st.container()
    if not enough and not waiting:
        with above:
            two_ready_models()
    try:
        linked_maps(members)
    except ValueError as error:
        st.error(plain(error))
        return
    if enough:
        with above:
            found_best = verdict(first, members)
        numbers(first, members, found_best)


compare()
