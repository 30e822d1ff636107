"""Which data, which models: menus and buttons; models that are being made."""

import streamlit as st

from gplvm_core.training import ComparisonRun
from pages.ui.compare.members import (
    LEAST,
    MOST,
    OF_THE_ROWS,
    Member,
    Waiting,
    fitting,
    set_keys,
)
from pages.ui.compare.recipes import RECIPES, Recipe, begin, made_already
from pages.ui.shared.catalogue import Item, items
from pages.ui.shared.plain import plain
from pages.ui.shared.running import LOOK, time_in_words


def choose_data(first: Item | None) -> None:
    """The model whose data are compared on."""
    titles = {each.key: each.entry.title for each in items()}
    keys, control = list(titles), f"compare_data|{first.key if first else None}"

    def switch() -> None:
        set_keys((st.session_state[control], "pca"), *OF_THE_ROWS)

    st.selectbox(
        "Data of",
        keys,
        index=keys.index(first.key) if first is not None and first.key in keys else None,
        placeholder="Choose a model",
        format_func=lambda key: f"Data of: {titles[key]}",
        key=control,
        on_change=switch,
        label_visibility="collapsed",
        width=300,
    )


def choose_models(first: Item, keys: tuple[str, ...], members: list[Member]) -> None:
    """Which data; buttons that add a model, and that take one away."""
    full = len(keys) >= MOST
    others = {each.key: each.entry.title for each in fitting(first) if each.key not in keys}
    with st.container(horizontal=True, vertical_alignment="center", key="compare_models"):
        choose_data(first)
        for recipe in RECIPES.values():
            if recipe.key not in keys:
                st.button(
                    recipe.button,
                    key=f"compare_add_{recipe.key}",
                    icon=":material/add:",
                    help=recipe.help if not full else f"{MOST} maps are the most.",
                    disabled=full,
                    on_click=add,
                    args=(first, keys, recipe),
                )
        if others:
            with st.popover("Another of these data", icon=":material/add:", disabled=full):
                for key, title in others.items():
                    st.button(
                        plain(title),
                        key=f"compare_open_{key}",
                        on_click=set_keys,
                        args=((*keys, key),),
                        type="tertiary",
                    )
        if len(keys) > LEAST and len(members) > LEAST:
            with st.popover("Take away", icon=":material/remove:"):
                for member in members[1:]:
                    st.button(
                        plain(member.name),
                        key=f"compare_drop_{member.key}",
                        on_click=drop,
                        args=(keys, member.key),
                        type="tertiary",
                    )


def add(first: Item, keys: tuple[str, ...], recipe: Recipe) -> None:
    """Into the link, and begin to make it."""
    found = made_already(first, recipe)
    if found is None or (isinstance(found, ComparisonRun) and found.done):
        begin(first, recipe)
    set_keys((*keys, recipe.key))


def drop(keys: tuple[str, ...], key: str) -> None:
    set_keys(tuple(each for each in keys if each != key))


def cannot_panel(keys: tuple[str, ...], key: str, why: Exception) -> None:
    """A model of the link that is not there, or of other data."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.error(plain(why), icon=":material/error:")
        if len(keys) > LEAST:
            st.button(
                "Take away",
                key=f"compare_without_{key}",
                on_click=drop,
                args=(keys, key),
                icon=":material/close:",
            )


def waiting_panel(first: Item, keys: tuple[str, ...], waiting: Waiting) -> None:
    """A model that is not there yet: begin it, watch it, or hear why it failed."""
    recipe, run = waiting.recipe, waiting.run
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        if run is None:
            st.markdown(f"{plain(recipe.title)} is not made yet.", width="stretch")
            st.button(
                "Make it",
                key=f"compare_begin_{recipe.key}",
                type="primary",
                on_click=begin,
                args=(first, recipe),
            )
        elif run.problem is not None:
            st.error(f"{plain(recipe.title)}: {plain(run.problem)}", icon=":material/error:")
        else:
            st.fragment(keep_looking, run_every=LOOK)(run, recipe)
        label = "Cancel" if run is not None and not run.done else "Take away"
        st.button(
            label,
            key=f"compare_cancel_{recipe.key}",
            on_click=cancel,
            args=(keys, recipe.key, run),
            icon=":material/close:",
        )


def cancel(keys: tuple[str, ...], key: str, run: ComparisonRun | None) -> None:
    if run is not None and not run.done:
        run.end()
    drop(keys, key)


def keep_looking(run: ComparisonRun, recipe: Recipe) -> None:
    """How far it is; the page is drawn anew when it is there."""
    if run.done:
        st.rerun()
    share = 0.0 if run.step is None else run.step.share
    words = f"{plain(recipe.title)}: {time_in_words(run, share)}"
    if not recipe.draws:
        words += "; it is looking at all pairs of rows and cannot be stopped in between"
    st.progress(min(share, 1.0), words, width="stretch")
    if recipe.draws and share > 0.0:
        st.button(
            "Take it as it is",
            key=f"compare_enough_{recipe.key}",
            on_click=run.end,
            disabled=run.ending,
            help="Ends the training and keeps the model as far as it has come.",
        )
