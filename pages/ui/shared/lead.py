"""A page's purpose, in one or two sentences below its title."""

import streamlit as st


def lead(words: str) -> None:
    """Show it as Markdown: HTML would have another height at first, and move the content below."""
    with st.container(key="lead"):
        st.markdown(words)
