"""What a page is for, in a sentence or two below its title."""

import streamlit as st


def lead(words: str) -> None:
    """As Markdown: what Streamlit draws as HTML is of another height at first; all below moves."""
    with st.container(key="lead"):
        st.markdown(words)
