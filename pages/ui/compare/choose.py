"""Menus and buttons that choose data and models, and the progress of models in training."""

import streamlit as st

from gplvm_core.training import ComparisonRun
from pages.ui.compare.members import (
    MOST,
    OF_THE_ROWS,
    READY,
    Member,
    Waiting,
    comparable,
    fitting,
    partner,
    set_keys,
)
from pages.ui.compare.recipes import RECIPES, Recipe, begin, made_already
from pages.ui.shared.catalogue import Item, titles_of
from pages.ui.shared.plain import plain
from pages.ui.shared.running import LOOK, time_in_words


def choose_data(first: Item | None) -> None:
    """Show the menu of data, and open the chosen data's model in the link."""
    titles = titles_of(comparable())
    keys, control = list(titles), f"compare_data|{first.key if first else None}"

    def switch() -> None:
        key = st.session_state[control]
        set_keys((key, partner(key)), *OF_THE_ROWS)

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
    """Show the menu of data, and the buttons that add or remove a model."""
    full = len(keys) >= MOST
    titles = titles_of(comparable())
    others = [each.key for each in fitting(first) if each.key not in keys]
    with st.container(horizontal=True, vertical_alignment="center", key="compare_models"):
        choose_data(first)
        with st.popover(
            "Add a model",
            icon=":material/add:",
            disabled=full,
            help=f"At most {MOST} maps are shown." if full else None,
        ):
            for recipe in RECIPES.values():
                if recipe.key not in keys and recipe.fits(first.dataset):
                    st.button(
                        recipe.button,
                        key=f"compare_add_{recipe.key}",
                        help=recipe.help,
                        on_click=add,
                        args=(first, keys, recipe),
                        type="tertiary",
                    )
            if others:
                st.caption("Stored models of these data")
            for key in others:
                st.button(
                    plain(titles[key]),
                    key=f"compare_open_{key}",
                    on_click=set_keys,
                    args=((*keys, key),),
                    type="tertiary",
                )
        if len(members) > 1:
            with st.popover("Remove a model", icon=":material/remove:"):
                for member in members[1:]:
                    st.button(
                        f"Remove {plain(member.name)}",
                        help=plain(member.facts),
                        key=f"compare_drop_{member.key}",
                        on_click=drop,
                        args=(keys, member.key),
                        type="tertiary",
                    )


def two_ready_models() -> None:
    """Ask for a second model, and show a button that loads two ready models."""
    there = {each.key for each in comparable()}
    with st.container(horizontal=True, vertical_alignment="center", key="compare_empty"):
        st.markdown(
            "Compare needs two models of the same data. Add a model, or start with two ready "
            "models.",
            width="content",
        )
        if there.issuperset(READY):
            st.button(
                "Load two ready models",
                key="compare_ready",
                type="primary",
                icon=":material/compare:",
                on_click=set_keys,
                args=(READY, *OF_THE_ROWS),
            )


def add(first: Item, keys: tuple[str, ...], recipe: Recipe) -> None:
    """Add a model to the link and start its training."""
    found = made_already(first, recipe)
    if found is None or (isinstance(found, ComparisonRun) and found.done):
        begin(first, recipe)
    set_keys((*keys, recipe.key))


def drop(keys: tuple[str, ...], key: str) -> None:
    set_keys(tuple(each for each in keys if each != key))


def cannot_panel(keys: tuple[str, ...], key: str, why: Exception) -> None:
    """Explain that a model in the link does not exist or has other data."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.error(plain(why), icon=":material/error:")
        if len(keys) > 1:
            st.button(
                "Remove this model",
                key=f"compare_without_{key}",
                on_click=drop,
                args=(keys, key),
                icon=":material/close:",
            )


def waiting_panel(first: Item, keys: tuple[str, ...], waiting: Waiting) -> None:
    """Show a model without a result: the button that starts its training, the progress, or the
    error.
    """
    recipe, run = waiting.recipe, waiting.run
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        if run is None:
            st.markdown(f"{plain(recipe.title)} is not trained yet.", width="stretch")
            st.button(
                "Train it",
                key=f"compare_begin_{recipe.key}",
                type="primary",
                on_click=begin,
                args=(first, recipe),
            )
        elif run.problem is not None:
            st.error(f"{plain(recipe.title)}: {plain(run.problem)}", icon=":material/error:")
        else:
            st.fragment(keep_looking, run_every=LOOK)(run, recipe)
        title = plain(recipe.title)
        label = f"Cancel {title}" if run is not None and not run.done else f"Remove {title}"
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
    """Show the progress; rerun the page when the model is ready."""
    if run.done:
        st.rerun()
    share = 0.0 if run.step is None else run.step.share
    words = f"{plain(recipe.title)}: {time_in_words(run, share)}"
    if not recipe.draws:
        words += "; this step cannot be stopped"
    st.progress(min(share, 1.0), words, width="stretch")
    if recipe.draws and share > 0.0:
        st.button(
            "Use it now",
            key=f"compare_enough_{recipe.key}",
            on_click=run.end,
            disabled=run.ending,
            help="Ends the training and uses the current model.",
        )
