"""The expander at the end of a page, with terms, limits, and the source of the data."""

import streamlit as st

from pages.ui.shared.plain import plain


def about(*paragraphs: str, title: str = "About this page") -> None:
    """Show paragraphs in an expander."""
    with st.expander(title, icon=":material/info:"):
        for paragraph in paragraphs:
            st.markdown(paragraph)


def bullets(notes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the notes as items of a Markdown list."""
    return tuple(f"- {plain(note)}" for note in notes)
