"""What the pages about one model share: how they begin, open a model and end."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from pages.ui.shared.catalogue import Item
from pages.ui.shared.lead import lead
from pages.ui.shared.model_head import chosen_key, model_head, opened
from pages.ui.shared.place import OF_A_MODEL
from pages.ui.shared.plain import plain
from pages.ui.shared.routes import enter_through_app


@dataclass(frozen=True)
class ModelPage:
    """A page about one model.

    key: of the page, as in its address; lead: what it is for; begin: what there is to press while
    no model is chosen; whole: of a model of several views all are shown, else one of them; maps:
    whether the link tells a place on the map, which the next model must not inherit.
    """

    key: str
    title: str
    lead: str
    begin: Callable[[], None]
    whole: bool = False
    maps: bool = False

    def say_lead(self) -> None:
        lead(self.lead)

    def run(self, show: Callable[[Item, str], None]) -> None:
        """The page, with show(item, name) for the chosen model; name: its key and version."""
        enter_through_app()
        memory = f"{self.key}_model"
        key = chosen_key(self.key, memory)
        if key is None:
            st.title(self.title, anchor=False)
            self.say_lead()
            self.begin()
            return
        item = opened(key, self.title, memory, whole=self.whole)
        if item is None:
            return
        model_head(item, self.key, OF_A_MODEL if self.maps else ())
        show(item, f"{key}|{item.version}")


def ready_models(label: str) -> None:
    """The way to the Gallery."""
    if st.button(label, type="primary", icon=":material/grid_view:"):
        st.switch_page("pages/gallery.py")


def about(*paragraphs: str, title: str = "About this page") -> None:
    """What the words mean, what the page cannot claim, where the data come from."""
    with st.expander(title, icon=":material/info:"):
        for paragraph in paragraphs:
            st.markdown(paragraph)


def bullets(notes: tuple[str, ...]) -> tuple[str, ...]:
    """Notes as items of a list."""
    return tuple(f"- {plain(note)}" for note in notes)
