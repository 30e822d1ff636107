"""A view that is predicted for all new rows of another view, as a table and a file."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.prediction.intervals import NORMAL
from gplvm_core.readers.names import names_of
from gplvm_core.readers.new_rows import NewRows
from gplvm_core.readers.tables.csv_text import csv_text
from gplvm_core.wire.views import ViewRows
from pages.ui.shared.as_text import ask_as_text
from pages.ui.shared.catalogue import Item
from pages.ui.shared.density import named
from pages.ui.shared.download import download
from pages.ui.shared.intervals import ENDS
from pages.ui.shared.outputs import as_given
from pages.ui.shared.plain import plain
from pages.ui.shared.words import file_stem, significant

LEVELS = (0.025, 0.975)  # quantiles at the ends of the interval
SHOWN, MOST_VALUES = 200, 500_000


def predicted_view(
    item: Item, name: str, own: NewRows, given: str, to: str, rows: dict[str, ViewRows]
) -> None:
    """Show the predicted columns of all rows with their intervals, and offer them as a file.

    given, to: the given view and the wanted one. Pictures and figures have no such table.
    """
    if rows[to].drawing.kind not in ("bars", "curve"):
        return
    if own.values.size > MOST_VALUES:
        st.caption(
            f"A table of all rows is made for up to {MOST_VALUES:,} values; these are "
            f"{own.values.size:,}. Bring fewer rows, or use `transfer` in a script."
        )
        return
    found = predicted(item.model, named(item.model, name), own.values, given, to, rows)
    numbers = [own.number(n) for n in range(len(own.values))]
    called = numbers if own.row_names is None else own.row_names
    sure = (
        "95 of 100 true values are expected between both ends."
        if item.model.intervals_ is not None
        else "The intervals are not calibrated, and may be too narrow."
    )
    worded = [column.is_words for column in rows[to].columns] or [False]
    said = ["A word is the most probable one."] if any(worded) else []
    if not all(worded):
        said += ["A number is the mean over all alternatives, whichever are shown above.", sure]
    st.markdown(f"**“{plain(to)}” of all rows.** {' '.join(said)}")
    shown = found.head(SHOWN).map(lambda value: value if _text(value) else significant(value))
    st.dataframe(
        shown.set_axis(pd.Index(called[:SHOWN], name="row")), height=min(38 + 35 * len(shown), 320)
    )
    if len(found) > SHOWN:
        st.caption(f"These are the first {SHOWN} rows; the file contains all {len(found):,} rows.")
    words = [*found.columns, *map(str, called), *(v for v in found.to_numpy().flat if _text(v))]
    marked = ask_as_text(words, f"predicted|{given}|{to}")

    stem = file_stem(f"{item.title} {to}")
    text = partial(predicted_csv, own, found, marked)
    download(f"Predicted “{plain(to)}” (CSV)", text, f"{stem}.csv", key=f"predicted|{name}|{to}")


def predicted_csv(own: NewRows, found: pd.DataFrame, as_text: bool = True) -> bytes:
    """Write the predictions, a line for every row with its number and name."""
    front = ["row"] if own.row_names is None else ["row", "id"]
    lines: list[list[object]] = [[*front, *found.columns]]
    for n, row in enumerate(found.itertuples(index=False)):
        start = [own.number(n), *([] if own.row_names is None else [str(own.row_names[n])])]
        lines.append([*start, *(value if _text(value) else f"{value:.8g}" for value in row)])
    return csv_text(lines, as_text=as_text).encode()


def _text(value: Any) -> bool:
    return isinstance(value, str)


@st.cache_data(max_entries=8, show_spinner="Predicting all rows …")
def predicted(
    _model: Any,
    name: str,
    values: Array,
    given: str,
    to: str,
    _rows: dict[str, ViewRows],
) -> pd.DataFrame:
    """Return every column of a view with the ends of its intervals, or a word's probability.

    They average over the dimensions that the given view leaves open: a single alternative is
    further from the truth than this mean.
    """
    views, kinds = as_given(_rows, {given: values}), _rows[to].columns
    mean, std = map(np.asarray, _model.transfer(views, to, private="prior", return_std=True))
    titles, found = list[str](), list[Any]()
    for at, name in enumerate(names_of(_rows[to])):
        if kinds and kinds[at].is_words:
            chances, words = _model.class_probabilities(views, to, at), _model.class_words(to, at)
            titles += [name, f"{name} probability"]
            found += [[str(words[k]) for k in chances.argmax(axis=1)], chances.max(axis=1)]
            continue
        middle = mean[:, at].astype(float)
        if kinds:
            low, high = _model.column_quantiles(views, to, at, LEVELS)
        else:
            low, high = middle - NORMAL * std[:, at], middle + NORMAL * std[:, at]
        titles += [name, *(f"{name} {end}" for end in ENDS)]
        found += [middle, low, high]
    return pd.DataFrame(dict(enumerate(found))).set_axis(_different(titles), axis=1)


def _different(titles: Sequence[str]) -> list[str]:
    """Return the titles with a number after each that occurred before."""
    found = list[str]()
    for title in titles:
        own, number = title, 2
        while own in found:
            own, number = f"{title} ({number})", number + 1
        found.append(own)
    return found
