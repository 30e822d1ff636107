"""Whether text in a CSV that begins like a formula is marked as text: asked where there is some."""

from collections.abc import Iterable

import streamlit as st

from gplvm_core.readers.tables.csv_text import is_risky


def ask_as_text(words: Iterable[str], where: str) -> bool:
    """True, or what the visitor says; asked only when one of the words begins like a formula.

    where: tells the switches of a session apart.
    """
    if not any(is_risky(word) for word in words):
        return True
    return st.toggle(
        "Names that look like formulas are written as text",
        value=True,
        key=f"csv_as_text_{where}",
        help="Some names begin with =, +, − or @, and a spreadsheet would run them. In CSV files "
        "they get an apostrophe in front. Switch it off for programs other than spreadsheets.",
    )
