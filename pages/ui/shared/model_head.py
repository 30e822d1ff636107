"""What pages about one model share: which one it is, its title and facts, the menu of models."""

from collections.abc import Callable

import streamlit as st

from gplvm_core.models import Capabilities
from gplvm_core.readers.errors import listed, plural
from gplvm_core.store import StoreError
from pages.ui.shared.catalogue import Item, capabilities_of, items, one_view, open_item
from pages.ui.shared.doors import doors
from pages.ui.shared.link import go_to, keep_in_link
from pages.ui.shared.plain import plain
from pages.ui.shared.words import rows_in_words

SEEN = "model_seen"  # session key: the model that was opened last, on whichever page


def chosen_key(page: str, memory: str) -> str | None:
    """The model in the link, else the one seen last if this page can open it, else the page's own.

    page: its key; memory: the session key of the model that was last seen here.
    """
    seen = st.session_state.get(SEEN)
    if seen is not None and page not in {door.key for door in doors(capabilities_of(seen))}:
        seen = None
    key = st.query_params.get("model") or seen or st.session_state.get(memory)
    if key is not None:
        keep_in_link(model=key)
        st.session_state[memory] = key
    return key


def opened(key: str, page: str, memory: str, *, whole: bool = False) -> Item | None:
    """The model of a page; None when it cannot be opened, which is then said, with a way on.

    Of a model of several views, the one in the link or seen before; whole: all of them.
    """
    try:
        with st.spinner("Opening the model …"):
            item = open_item(key)
        return item if whole else one_view(item, chosen_view(key))
    except (ValueError, OSError, StoreError) as error:
        st.title(page, anchor=False)
        st.error(plain(error))
        st.session_state.pop(memory, None)
        if st.button("Choose another model", type="primary", icon=":material/grid_view:"):
            st.switch_page("pages/gallery.py")
        return None


def chosen_view(key: str) -> str | None:
    """The view in the link, else the one seen before in this session."""
    memory = f"chosen_view|{key}"
    view = st.query_params.get("view") or st.session_state.get(memory)
    if view is not None:
        keep_in_link(view=view)
        st.session_state[memory] = view
    return view


def view_menu(item: Item, page: str, place: tuple[str, ...]) -> None:
    """The views of the model, of which one is looked at; all together are in Views."""
    menu = f"{page}_view|{item.key}|{item.view}"

    def switch() -> None:
        go_to(*place, view=st.session_state[menu])

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
        st.caption(f"Only in Views, as some rows are without: {plain(listed(partly))}.")


def offers(
    page: str, key: str | None, fits: Callable[[Capabilities], bool], train: str, icon: str
) -> None:
    """Buttons that open up to three models other than `key` that can do it; and one to train."""
    known = [each for each in items() if fits(each.entry.capabilities) and each.key != key]
    for model in known[:3]:
        if st.button(
            f"Open “{plain(model.entry.title)}”",
            key=f"{page}_open|{model.key}",
            type="primary" if model is known[0] else "secondary",
            icon=icon,
        ):
            go_to(model=model.key)
            st.rerun()
    if st.button(
        train,
        type="secondary" if known else "primary",
        icon=":material/model_training:",
        key=f"{page}_train",
    ):
        st.switch_page("pages/train.py")


def model_menu(key: str | None, page: str, place: tuple[str, ...] = ()) -> None:
    """All models, without leaving the page; place: what the link says of this one alone."""
    titles = {each.key: each.entry.title for each in items()}
    keys = list(titles)
    menu = f"{page}_menu|{key}"

    def switch() -> None:
        go_to("view", *place, model=st.session_state[menu])

    st.selectbox(
        "Model",
        keys,
        index=keys.index(key) if key in keys else None,
        placeholder="Choose a model",
        format_func=lambda option: titles[option],
        label_visibility="collapsed",
        key=menu,
        on_change=switch,
    )


def other_doors(item: Item, page: str) -> None:
    """The same model on the other pages that can open it."""
    for door in doors(capabilities_of(item.key)):
        if door.key != page and st.button(
            door.page, key=f"{page}_to_{door.key}", type="tertiary", icon=door.icon
        ):
            door.open(item.key)


def _in_use(item: Item) -> str:
    """Dimensions, or layers."""
    model = item.model
    if model.capabilities.layers:
        # Those of several views stand side by side: together they are one, or as many as the most.
        own = (
            max(map(len, model.own_layers_.values()), default=0) if model.capabilities.views else 0
        )
        return plural(len(model.layers_) + model.capabilities.views + own, "layer")
    return f"{int(model.n_effective_)} of {plural(model.latent_mean_.shape[1], 'dimension')} in use"


def model_head(item: Item, page: str, place: tuple[str, ...] = ()) -> None:
    """Title and facts on the left, the menu of models on the right."""
    st.session_state[SEEN] = item.key
    dataset, model = item.dataset, item.model
    bound = f"{float(model.bound_):,.0f}".replace("-", "−")
    rows = f" · {said}" if (said := rows_in_words(model)) is not None else ""
    title, menu = st.columns([3, 1], vertical_alignment="bottom")
    with title:
        st.title(plain(item.title), anchor=False)
        with st.container(horizontal=True, vertical_alignment="center", key="facts_and_doors"):
            # No st.html: it would be of another width at first, and the doors would move.
            st.markdown(
                f'<span class="mf-facts">{dataset.n_points:,} × {dataset.n_outputs:,} '
                f"numbers · {_in_use(item)}"
                f'<span class="mf-more"> · bound {bound} nats{rows}</span></span>',
                unsafe_allow_html=True,
                width="content",
            )
            other_doors(item, page)
    with menu:
        model_menu(item.key, page, place)
        if item.view is not None:
            view_menu(item, page, place)
