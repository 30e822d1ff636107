"""A form with the values of one row of a table with words; the model fills missing values."""

from typing import Any

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset
from gplvm_core.readers.kinds import FRACTION, LACKS, TableColumn, usable
from gplvm_core.readers.new_rows import NewRows
from gplvm_core.wire.completion import RowItem
from pages.ui.explore.fill.model import completed, possibilities, rows_asked, word_chances
from pages.ui.explore.fill.panels import panels
from pages.ui.shared.catalogue import Item
from pages.ui.shared.density import how_filled
from pages.ui.shared.plain import plain
from pages.ui.shared.words import percent, words_of_row

ACROSS = 3  # the number of fields side by side
SHOWN = 3  # number of probable words shown for a missing value
MOST_IN_MENU = 5000  # rows; above this, the visitor types a row's number
LEAST = 0.01  # lowest probability of a shown word
ENDS = (0.025, 0.975)  # quantiles at the ends of the interval of a number or count


@st.fragment
def row_form(item: Item, name: str, own: NewRows | None) -> None:
    """Show a field for every value, and the most probable values below each empty field.

    own: the visitor's rows, or None for rows of the data.
    """
    values = item.dataset.values if own is None else own.values
    mark = "data" if own is None else f"own {own.mark}"
    gaps = np.flatnonzero(np.isnan(values).any(axis=1))
    st.markdown("**One row.** Choose values, or clear a field: the model fills it.")
    names = item.dataset.row_names if own is None else own.row_names
    with st.columns(ACROSS, gap="small")[0]:
        at = chosen_row(f"fill_row|{name}|{mark}", len(values), names, gaps)
    if own is None:
        current = RowItem(f"row {at}", words_of_row(item.dataset, at), values[at])
    else:
        current = RowItem(f"own {at} {own.mark}", f"your row {at + 1}", values[at])
    started = opening(item.dataset, values[at]) if own is None else values[at]
    columns, row, below = item.dataset.columns, np.full(len(started), np.nan), []
    for first in range(0, len(columns), ACROSS):
        places = st.columns(ACROSS, gap="small")
        for place, c in zip(places, range(first, min(first + ACROSS, len(columns))), strict=False):
            with place:
                key = f"fill_value|{name}|{mark}|{at}|{c}"
                row[c] = field(columns[c], item.dataset.values[:, c], started[c], key)
                below.append(st.empty())
    if np.isnan(usable(row[None], columns)).all():
        empty = "Every field is empty" if np.isnan(row).all() else LACKS.capitalize()
        st.info(f"{empty}, but the model needs at least one usable value. Choose a value.")
        return
    for c in np.flatnonzero(np.isnan(row)).tolist():
        below[c].markdown(expected_words(item, name, row, c, values[at, c]))
    others(item, name, row)
    answer = completed(item.model, name, row, item.dataset)
    shown = RowItem(current.id, current.title, row if own is not None else current.values)
    st.caption(how_filled(item, name, row))
    panels(item, name, shown, row, answer)


def chosen_row(key: str, count: int, names: Array | None, gaps: Array) -> int:
    """Ask for a row by its name or number; at first, it is the first row with a gap."""
    st.session_state.setdefault(key, int(gaps[0]) if len(gaps) else 0)
    if count > MOST_IN_MENU:
        number = st.number_input("Row number", 1, count, st.session_state[key] + 1, step=1)
        return int(number) - 1

    def title(n: int) -> str:
        return f"Row {n + 1}" if names is None else str(names[n])

    return int(st.selectbox("Row", range(count), format_func=title, key=key))


def others(item: Item, name: str, row: Array) -> None:
    """Show a table of alternative rows and random draws for the missing values."""
    missing = np.flatnonzero(np.isnan(row))
    if len(missing) == 0:
        return
    found = possibilities(item.model, name, row, item.dataset)
    titles = [f"Explanation {k + 1}" for k in range(len(found.rows))]
    shares = [percent(weight) for weight in found.weights]
    if len(titles) == 1:
        titles, shares = ["Most probable"], [""]
    titles += [f"Draw {s + 1}" for s in range(len(found.samples))]
    shares += [""] * len(found.samples)
    values = item.dataset.in_own_values(np.vstack([found.rows, found.samples]))
    table = values.iloc[:, missing]
    table.insert(0, "Row", titles, allow_duplicates=True)
    if any(shares):
        table.insert(1, "Probability", shares, allow_duplicates=True)
    with st.expander("Other possibilities", icon=":material/casino:"):
        st.dataframe(table, hide_index=True, width="stretch")
        st.caption(
            "An explanation is a place on the map that fits the visible values. A draw is a "
            "random row that the model considers possible, with random variation."
        )


def opening(dataset: Dataset, values: Array) -> Array:
    """Return the form's initial values; in a complete row, the first word is removed."""
    words = [c for c, column in enumerate(dataset.columns) if column.is_words]
    started = values.copy()
    if words and not np.isnan(values).any():
        started[words[0]] = np.nan
    return started


def field(column: TableColumn, rows: Array, value: float, key: str) -> float:
    """Ask for a column's value; return NaN for an empty field. rows: the column's values."""
    title = plain(column.name)
    empty: dict[str, Any] = {"placeholder": "Missing", "key": key}
    if key not in st.session_state and not np.isnan(value):
        # Visitors can clear a field only if its initial value is in the session state.
        st.session_state[key] = (
            float(value) if column.is_number or column.kind == "exposure" else int(value)
        )
    found: float | None
    if column.is_words:
        words = [str(word) for word in column.words]
        options = range(len(words))
        found = st.selectbox(title, options, index=None, format_func=words.__getitem__, **empty)
    elif column.kind == "count":
        found = st.number_input(title, min_value=0, step=1, value=None, **empty)
    else:
        spread = float(np.nanmax(rows) - np.nanmin(rows)) or 1.0
        step = 10.0 ** np.floor(np.log10(spread / 20.0))
        digits = max(int(-np.log10(step)) + 1, 0)
        found = st.number_input(title, value=None, step=step, format=f"%.{digits}f", **empty)
    return np.nan if found is None else float(found)


def expected_words(item: Item, name: str, row: Array, c: int, truth: float) -> str:
    """Describe the probable values of a missing cell, and the cell's value in the data if known."""
    column = item.dataset.columns[c]
    if column.is_words:
        chances = word_chances(item.model, name, row, c, item.dataset)
        best = [k for k in np.argsort(-chances, kind="stable")[:SHOWN] if chances[k] >= LEAST]
        parts = [f"{plain(str(column.words[k]))} {percent(chances[k])}" for k in best]
        words = ", ".join([f"**{parts[0]}**", *parts[1:]])
        known = "" if np.isnan(truth) else plain(str(column.words[int(truth)]))
    elif column.kind == "exposure":
        words, known = "a usual value", "" if np.isnan(truth) else f"{truth:,.4g}"
    elif column.kind == FRACTION and one_is_missing(item.dataset, row):
        rest = completed(item.model, name, row, item.dataset).mean[c]
        words, known = f"**{rest:,.4g}**, the rest", "" if np.isnan(truth) else f"{truth:,.4g}"
    else:
        low, middle, high = (
            f"{value:,.4g}" for value in interval(item.model, name, row, c, item.dataset)
        )
        words = f"**{middle}** (95 %: {low} to {high})"
        known = "" if np.isnan(truth) else f"{truth:,.4g}"
    return f":material/auto_fix_high: {words}" + (f" · in the data: {known}" if known else "")


def one_is_missing(dataset: Dataset, row: Array) -> bool:
    """Whether a single fraction of a row is missing, which the others determine."""
    own = [np.isnan(row[c]) for c, each in enumerate(dataset.columns) if each.kind == FRACTION]
    return sum(own) == 1


@st.cache_data(max_entries=256, show_spinner=False)
def interval(_model: Any, name: str, row: Array, c: int, _dataset: Dataset) -> Array:
    """Return the median and the 95 % interval of a missing number or count."""
    rows, (low, high) = rows_asked(_dataset, row[None]), ENDS
    return np.asarray(_model.column_quantiles(rows, c, (low, 0.5, high)))[:, 0]
