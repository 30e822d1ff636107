"""The questions about values far from all others of their column, and about misspelt words."""

import streamlit as st

from gplvm_core.datasets import Dataset
from gplvm_core.readers.errors import by_count, numbered
from gplvm_core.readers.isolated import (
    RARE,
    IsolatedValue,
    corrected,
    isolated_values,
    without,
    word_slips,
)
from gplvm_core.readers.names import column_words
from gplvm_core.readers.spelling import SHORTEST
from gplvm_core.readers.tables.codes import missing_codes
from gplvm_core.readers.tables.columns import Column
from pages.ui.shared.inputs import lasting_toggle
from pages.ui.shared.memory import fingerprint
from pages.ui.shared.plain import plain

MOST_ASKED = 10  # values with a switch


def isolated_question(dataset: Dataset) -> Dataset:
    """Show every isolated value with a switch; return the data set without the values left out."""
    isolated = isolated_values(dataset)
    if not isolated:
        return dataset
    columns = (Column(str(d), values) for d, values in enumerate(dataset.values.T))
    asked = {code.value for code in missing_codes(list(columns))}  # by another question
    found = [each for each in isolated if each.value not in asked]
    mark = fingerprint((dataset.name, str(dataset.targets.shape)))
    left_out = []
    for each in found[:MOST_ASKED]:
        st.warning(plain(in_words(dataset, each)), icon=":material/straighten:")
        if lasting_toggle(
            "Leave this value out",
            value=True,
            key=f"isolated_{mark}_{each.row}_{each.column}",
            help="The cell then counts as missing. Otherwise the value sets the scale of its "
            "column, and the map may show nothing else.",
        ):
            left_out.append((each.row, each.column))
    if len(found) > MOST_ASKED:
        st.caption(f"{len(found) - MOST_ASKED} more such values in the table are used unchanged.")
    return without(dataset, left_out)


def slips_question(dataset: Dataset) -> Dataset:
    """Show every word that may be a slip with a switch; return the corrected data set."""
    found = word_slips(dataset)
    mark = fingerprint((dataset.name, str(dataset.targets.shape)))
    chosen = []
    for each in found[:MOST_ASKED]:
        names = dataset.row_names
        rows = numbered("row", [row + 1 if names is None else names[row] for row in each.rows])
        have = by_count(len(each.rows), "has", "have")
        column = dataset.columns[each.column].name
        st.warning(
            plain(f"{column}: {rows} {have} “{each.word}”. Is “{each.meant}” meant?"),
            icon=":material/spellcheck:",
        )
        if lasting_toggle(
            f"Read it as “{plain(each.meant)}”",
            # In short codes, such as genotypes, upper and lower case may differ in meaning.
            value=len(each.word) >= SHORTEST or len(each.rows) <= RARE,
            key=f"slip_{mark}_{each.column}_{each.word}",
            help="Otherwise the model learns it as a word of its own.",
        ):
            chosen.append(each)
    if len(found) > MOST_ASKED:
        st.caption(f"{len(found) - MOST_ASKED} more such words in the table are used unchanged.")
    return corrected(dataset, chosen)


def in_words(dataset: Dataset, each: IsolatedValue) -> str:
    """Describe the value, its place, the other values' range, and a correction that would fit."""
    names = dataset.row_names
    row = f"row {each.row + 1}" + (f" ({names[each.row]})" if names is not None else "")
    column = column_words(dataset)[each.column]
    words = (
        f"{column}: {row} has {each.value:,.6g}, and all others are between {each.low:,.6g} and "
        f"{each.high:,.6g}."
    )
    if each.corrected is not None:
        words += f" A slip? {each.corrected:,.6g} would fit."
    return words
