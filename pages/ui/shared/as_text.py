"""The switch that protects cells of a CSV that look like formulas."""

from collections.abc import Iterable

import streamlit as st

from gplvm_core.readers.tables.csv_text import is_risky


def ask_as_text(words: Iterable[str], where: str) -> bool:
    """Show the switch if one of the words begins like a formula; return its value, or True.

    where: distinguishes the switches of a session.
    """
    if not any(is_risky(word) for word in words):
        return True
    return st.toggle(
        "Protect formula-like names",
        value=True,
        key=f"csv_as_text_{where}",
        help="Adds an apostrophe before names that begin with =, +, − or @, since spreadsheets "
        "would run them as formulas.",
    )
