"""Errors that a page tells in place of an answer."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from pages.ui.shared.plain import plain


@contextmanager
def errors_told(before: str = "") -> Iterator[None]:
    """Show an error of the block, such as one of data, a file or a model; then go on after it.

    before: a sentence in front of the error's words.
    """
    try:
        yield
    except (ValueError, OSError) as error:
        words = f"{before} {plain(error)}" if before else plain(error)
        st.error(words, icon=":material/error:")
