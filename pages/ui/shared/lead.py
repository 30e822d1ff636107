"""A page's purpose, shown in one or two sentences below its title."""

import streamlit as st


def lead(words: str) -> None:
    """Show the text as Markdown.

    An HTML element would change its height and move the content below.
    """
    with st.container(key="lead"):
        st.markdown(words)
