"""The head of Explore: the open model's title and facts, and the menus of models and views."""

from collections.abc import Callable

import streamlit as st

from gplvm_core.models import Capabilities
from gplvm_core.readers.errors import listed, plural
from gplvm_core.store import StoreError
from pages.ui.shared.catalogue import (
    Item,
    capabilities_of,
    items,
    one_view,
    open_item,
    titles_of,
    whole_views,
)
from pages.ui.shared.doors import FIRST_TAB, tabs_for
from pages.ui.shared.last import SEEN, remember
from pages.ui.shared.link import go_to, keep_in_link
from pages.ui.shared.place import PARAMETERS
from pages.ui.shared.plain import plain
from pages.ui.shared.words import rows_in_words, to_fill_in_words, whole

LINKS = "explore_links"  # session key: the link's parameters for each model and tab
LETTER, ARROW = 17, 90  # pixels of a letter of the title, and of the menu's arrow and margins
OF_ALL_TABS = ("model", "view", "level", "tab")  # parameters of the link


def chosen_key(tab: str) -> str | None:
    """Return the model in the link, else the last open model, else a model that the tab can show.

    Return None if no model exists.
    """
    key = st.query_params.get("model")
    if key is None:
        seen = st.session_state.get(SEEN)
        known = [*([seen] if seen else []), *(each.key for each in items())]
        tabs = {each: tabs_for(capabilities_of(each)) for each in known}
        fitting = (each for each in known if tab in tabs[each])
        key = next(fitting, None) or next((each for each in known if tabs[each]), None)
        if key is not None:
            keep_in_link(model=key)
    elif ":" not in key:
        # Visitors may type a link such as model=people; if a model has this name, its shelf is
        # added.
        full = next((each.key for each in items() if each.key.partition(":")[2] == key), key)
        if full != key:
            keep_in_link(model=full)
        return full
    return key


def opened(key: str, *, whole: bool) -> Item | None:
    """Open a model; on failure show the error and a button to the Gallery, and return None.

    If the model has several views, open the view in the link, or the last view; whole: open all
    views. If every view lacks some rows, all views are opened, too.
    """
    try:
        with st.spinner("Opening the model …"):
            item = open_item(key)
        alone = not whole and (whole_views(item) or not item.views)
        return one_view(item, chosen_view(key)) if alone else item
    except (ValueError, OSError, StoreError) as error:
        st.title("Explore", anchor=False)
        st.error(plain(error))
        st.session_state.pop(SEEN, None)
        if st.button("Choose another model", type="primary", icon=":material/grid_view:"):
            st.switch_page("pages/gallery.py")
        return None


def chosen_view(key: str) -> str | None:
    """Return the view in the link, else this session's last view of the model."""
    memory = f"chosen_view|{key}"
    view = st.query_params.get("view") or st.session_state.get(memory)
    if view is not None:
        keep_in_link(view=view)
        st.session_state[memory] = view
    return view


def turn_to(key: str, tab: str) -> None:
    """Open another model or tab in its last state; the browser's Back returns."""
    known = st.query_params.to_dict()
    links = st.session_state.setdefault(LINKS, {})
    before = known.get("model"), known.get("tab", FIRST_TAB)
    links[before] = {name: text for name, text in known.items() if name not in OF_ALL_TABS}
    wanted = {"model": key}
    if known.get("model") == key:
        wanted |= {name: known[name] for name in ("view", "level") if name in known}
    if tab != FIRST_TAB:
        wanted["tab"] = tab
    st.query_params.from_dict(wanted | links.get((key, tab), {}))


def offers(key: str, tab: str, fits: Callable[[Capabilities], bool], train: str) -> None:
    """Show buttons that open up to three other models that fit, and a button that opens Train."""
    known = [each for each in items() if fits(each.entry.capabilities) and each.key != key]
    with st.container(horizontal=True):
        for model in known[:3]:
            st.button(
                f"Open “{plain(model.entry.title)}”",
                key=f"{tab}_open|{model.key}",
                type="primary" if model is known[0] else "secondary",
                on_click=turn_to,
                args=(model.key, tab),
            )
        if st.button(
            train,
            type="secondary" if known else "primary",
            icon=":material/model_training:",
            key=f"{tab}_train",
        ):
            st.switch_page("pages/train.py")


def model_menu(key: str, tab: str) -> None:
    """Show a menu of all models that opens the chosen model in the same tab."""
    titles = titles_of(items())
    keys = list(titles)
    menu = f"explore_menu|{key}"

    def switch() -> None:
        turn_to(st.session_state[menu], tab)

    st.selectbox(
        "Model",
        keys,
        index=keys.index(key) if key in keys else None,
        placeholder="Choose a model",
        format_func=lambda option: titles[option],
        label_visibility="collapsed",
        key=menu,
        on_change=switch,
        width=ARROW + LETTER * len(titles.get(key, "")),
    )


def view_menu(item: Item) -> None:
    """Show the menu that chooses one of the model's views; the tab Views shows all views."""
    menu = f"explore_view|{item.key}|{item.view}"

    def switch() -> None:
        go_to(*PARAMETERS, "layer", view=st.session_state[menu])

    st.selectbox(
        "View",
        item.alone,
        index=item.alone.index(item.view or ""),
        format_func=lambda view: f"View: {view}",
        label_visibility="collapsed",
        key=menu,
        on_change=switch,
    )
    wanted = st.query_params.get("view")
    if wanted is not None and wanted not in item.views:
        st.caption(f"This model has no view “{plain(wanted)}”.")
    partly = [f"“{view}”" for view in item.views if view not in item.alone]
    if partly:
        st.caption(
            "Some rows lack these views, so only the tab Views shows them: "
            f"{plain(listed(partly))}."
        )


def _in_use(item: Item) -> str:
    """Describe how many dimensions are in use, how many layers there are, or what is predicted."""
    model, task = item.model, item.dataset.task
    if task is not None:
        return f"predicts {plain(task.target)} from {plural(len(task.inputs), 'input')}"
    if model.capabilities.layers:
        # The views' own layers are side by side, so only the longest chain counts.
        own = (
            max(map(len, model.own_layers_.values()), default=0) if model.capabilities.views else 0
        )
        return plural(len(model.layers_) + model.capabilities.views + own, "layer")
    return f"{int(model.n_effective_)} of {plural(model.latent_mean_.shape[1], 'dimension')} in use"


def model_head(item: Item, tab: str) -> None:
    """Show the menu of models as the title, the menu of views, and facts."""
    dataset, model = item.dataset, item.model
    bound = whole(float(model.bound_))
    facts = to_fill_in_words(model, dataset), rows_in_words(model)
    to_fill, rows = (f" · {each}" if each else "" for each in facts)
    with st.container(gap=None, key="model_head"):
        # The menu is the visible title; the heading is for screen readers.
        st.title(plain(item.title), anchor=False)
        with st.container(horizontal=True, vertical_alignment="center", key="model_menu"):
            model_menu(item.key, tab)
            if item.view is not None:
                view_menu(item)
        # st.html is not used, because it would change its width after the first drawing.
        st.markdown(
            f'<span class="mf-facts" title="bound {bound} nats">'
            f"{dataset.n_points:,} × {dataset.n_outputs:,} values{to_fill} · {_in_use(item)}"
            f'<span class="mf-more">{rows}</span></span>',
            unsafe_allow_html=True,
        )
        remember(item.key)
