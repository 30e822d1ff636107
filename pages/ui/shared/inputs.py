"""Inputs that many pages have: choices side by side, and answers that outlast a page."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import streamlit as st

Option = TypeVar("Option")

# Inputs of Streamlit whose answers return when the visitor comes back to the page.
lasting_multiselect = partial(st.multiselect, persist_state="session")
lasting_number = partial(st.number_input, persist_state="session")
lasting_radio: Callable[..., Any] = partial(st.radio, persist_state="session", width="stretch")
lasting_selectbox: Callable[..., Any] = partial(st.selectbox, persist_state="session")
lasting_select_slider: Callable[..., Any] = partial(st.select_slider, persist_state="session")
lasting_text = partial(st.text_input, persist_state="session")
lasting_toggle = partial(st.toggle, persist_state="session")


def one_of(
    label: str,
    choices: Mapping[Option, str] | Sequence[Option],
    key: str,
    *,
    usual: Option | None = None,
    lasts: bool = True,
    hidden: bool = False,
    **others: Any,
) -> Option:
    """Ask for one of a few choices, which are side by side; returns the choice.

    choices: with their titles, if these differ from them. usual: the choice at first; without it,
    the session has a choice under `key` already. lasts: whether the answer outlasts the page.
    hidden: whether only screen readers have the label.
    """
    titled = choices.__getitem__ if isinstance(choices, Mapping) else str
    chosen: Any = st.segmented_control(
        label,
        list(choices),
        format_func=titled,
        default=usual,
        required=True,
        key=key,
        persist_state="session" if lasts else None,
        label_visibility="collapsed" if hidden else "visible",
        **others,
    )
    found: Option = chosen
    return found


def whole_number_of(
    label: str, key: str, usual: int, ends: tuple[int, int], *, step: int = 1, help: str = ""
) -> int:
    """Ask for a whole number between `ends`; the answer outlasts the page."""
    least, most = ends
    number = lasting_number(
        label, least, most, min(usual, most), step=step, key=key, help=help or None
    )
    return int(number)
