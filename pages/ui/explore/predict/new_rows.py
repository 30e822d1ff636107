"""A table of new rows, for which a regression predicts values with intervals."""

from pathlib import PurePath

import numpy as np
import pandas as pd
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.comparison.one_column import Predicted, answers
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.prediction.intervals import NORMAL
from gplvm_core.readers.column_task import ColumnTask
from gplvm_core.readers.errors import in_digits, plural
from gplvm_core.readers.kinds import TableColumn
from gplvm_core.readers.new_rows import MOST_MEGABYTES, NewRows, formats
from gplvm_core.readers.tables.csv_text import csv_text
from pages.ui.shared.catalogue import Item
from pages.ui.shared.download import download
from pages.ui.shared.plain import plain
from pages.ui.shared.reading import read_sandboxed, readers
from pages.ui.shared.telling import errors_told
from pages.ui.shared.words import file_stem, significant

GIVEN = 6  # digits of given values in the table on the page
SHOWN = 200  # rows in the table on the page; the file has all of them


def new_rows(item: Item, name: str) -> None:
    """Ask for a table, and show the answers as a table and as a file."""
    task = item.dataset.task
    assert task is not None
    st.header("New rows", anchor=False)
    readers().warm()
    kept, turn_key = f"predict_file|{item.key}", f"predict_turn|{item.key}"
    turn = st.session_state.get(turn_key, 0)
    widget = f"{kept}|{turn}"

    def keep() -> None:
        file = st.session_state.get(widget)
        if file is None:
            st.session_state.pop(kept, None)
        else:
            st.session_state[kept] = (PurePath(file.name).name, file.getvalue())

    file = st.file_uploader(
        f"A table with the inputs of the model, to predict “{plain(task.target)}” in every row",
        type=formats(Drawing.of_vector(len(task.inputs))),
        max_upload_size=MOST_MEGABYTES,
        key=widget,
        help="Columns are found by their names, and empty cells are unknown inputs. The file "
        "stays on this machine.",
        on_change=keep,
    )
    if kept not in st.session_state:
        _example(item)
        return
    title, data = st.session_state[kept]
    if file is None:  # the uploader forgets its file when the visitor leaves the page
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/draft: **{plain(title)}**", width="content")
            if st.button("Remove", type="tertiary", icon=":material/close:", key=f"{kept}|remove"):
                del st.session_state[kept]
                st.session_state[turn_key] = turn + 1
                st.rerun()
    like = columns_of(item.dataset, task.inputs)
    found: tuple[NewRows, Array, Array] | None = None
    with errors_told():
        rows: NewRows = read_sandboxed("new rows", title, data, dataset=like)
        if task.target in [column.name for column in rows.columns]:
            wanted = columns_of(item.dataset, (*task.inputs, task.target))
            rows = read_sandboxed("new rows", title, data, dataset=wanted)
        inputs = rows.values[:, : len(task.inputs)]
        found = rows, *answers(item.model, task.input_columns.expanded(inputs))
    if found is None:
        return
    for misfit in found[0].misfits:
        st.markdown(f":material/rule: {plain(misfit.words)}")
    for words in far_inputs(task.input_columns.columns, like.values, found[0]):
        st.markdown(f":material/rule: {plain(words)}")
    for note in found[0].notes:
        st.caption(plain(note))
    _answered(item, *found)


def columns_of(dataset: Dataset, wanted: tuple[str, ...]) -> Dataset:
    """Return inputs, and the target if it is wanted, as a data set.

    So doubtful numbers are read like the training rows.
    """
    task, names = dataset.task, list(dataset.column_names or ())
    assert task is not None
    values = dataset.values[:, [names.index(name) for name in wanted]]
    coded = task.input_columns.columns
    if len(wanted) > len(coded):
        coded = (*coded, TableColumn(task.target, "number"))
    return Dataset(
        "inputs",
        "Inputs",
        values[~np.isnan(values).all(axis=1)],
        Drawing.of_vector(len(wanted)),
        column_names=wanted,
        columns=coded,
    )


def far_inputs(columns: tuple[TableColumn, ...], trained: Array, rows: NewRows) -> list[str]:
    """Say which inputs are far from those of the training rows.

    A number is far if it is outside their range by more than half of the range's width.
    """
    said = []
    for column, known, own in zip(columns, trained.T, rows.values.T, strict=False):
        low, high = np.nanmin(known), np.nanmax(known)
        away = np.maximum(low - own, own - high)
        far = np.flatnonzero(away > (high - low) / 2.0)
        if column.is_words or not len(far):
            continue
        worst = far[np.argmax(away[far])]
        row = str(rows.number(worst) if rows.row_names is None else rows.row_names[worst])
        said.append(
            f"Column “{column.name}”: {plural(len(far), 'row')} far outside the training rows, "
            f"which have {shown(low)} to {shown(high)}; for example {row}, with "
            f"{shown(own[worst])}. The unit may differ."
        )
    return said


def judged(task: ColumnTask, truth: Array, mean: Array, std: Array) -> str:
    """Compare predictions with the column that the file itself has, in words; "" without values."""
    known = ~np.isnan(truth)
    if not known.any():
        return ""
    own = Predicted("", mean[known], std[known], truth[known])
    return (
        f"The file has “{task.target}” itself; the answers do not use it. In "
        f"{plural(len(own.truth), 'row')} with a value, the typical error is "
        f"{significant(own.error)}; {own.inside.sum()} of {len(own.truth)} values are between "
        "“from” and “to”."
    )


def _example(item: Item) -> None:
    """Offer an example file with the inputs of some rows of the data."""
    task = item.dataset.task
    assert task is not None
    names = list(item.dataset.column_names or ())
    rows = item.dataset.values[:3, [names.index(name) for name in task.inputs]]
    columns = task.input_columns.columns
    lines = [task.inputs, *(list(map(written, columns, row)) for row in rows)]
    text = csv_text(lines).encode()
    download("Example file", text, "example.csv", key="predict_example", type="tertiary")


def _answered(item: Item, rows: NewRows, mean: Array, std: Array) -> None:
    """Show the answers, and the button that downloads them as a file."""
    task = item.dataset.task
    assert task is not None
    low, high = mean - NORMAL * std, mean + NORMAL * std
    inputs = rows.values[:, : len(task.inputs)]
    digits, truth = digits_for(mean, std), truth_in(task, rows)
    own = {} if truth is None else {f"{task.target} in the file": truth[:SHOWN]}
    found = {task.target: mean, "from": low, "to": high}
    numbers = [rows.number(n) for n in range(len(mean))]
    names = numbers if rows.row_names is None else rows.row_names
    table = pd.DataFrame(
        {key: [shown(v, digits) for v in column[:SHOWN]] for key, column in found.items()}
        | {key: [shown(v) for v in column] for key, column in own.items()}
        | {
            f"{each.name} ": [
                written(each, v) if each.is_words and not np.isnan(v) else shown(v)
                for v in column[:SHOWN]
            ]
            for each, column in zip(task.input_columns.columns, inputs.T, strict=True)
        },
        index=pd.Index(names[:SHOWN], name="row"),
    )
    gaps = int(np.isnan(inputs).any(axis=1).sum())
    unknown = f" {plural(gaps, 'row')} lack an input: their intervals are wider." if gaps else ""
    st.markdown(
        f"**{plural(len(mean), 'row')} answered.** 95 of 100 true values are expected between "
        f"“from” and “to”.{unknown}".replace("1 row lack", "1 row lacks").replace(
            "lacks an input: their intervals are", "lacks an input: its interval is"
        )
    )
    if truth is not None:
        st.markdown(plain(judged(task, truth, mean, std)))
    st.dataframe(table, height=min(38 + 35 * len(table), 320))
    if len(mean) > SHOWN:
        st.caption(f"These are the first {SHOWN} rows; the file contains all {len(mean):,} rows.")
    download(
        "Download the answers",
        lambda: answers_csv(task, rows, mean, std),
        f"{file_stem(item.title)}-answers.csv",
        key="predict_download",
        type="primary",
    )


def truth_in(task: ColumnTask, rows: NewRows) -> Array | None:
    """The column of the answers, if the file has it."""
    return rows.values[:, -1] if rows.values.shape[1] > len(task.inputs) else None


def answers_csv(task: ColumnTask, rows: NewRows, mean: Array, std: Array) -> bytes:
    """Return a CSV of the new rows with the prediction, its deviation and its interval.

    A file that has the predicted column itself keeps it, last.
    """
    named, columns = rows.row_names is not None, task.input_columns.columns
    head, truth = [*(["row"] if named else []), *task.inputs], truth_in(task, rows)
    last = [] if truth is None else [f"{task.target} in the file"]
    lines: list[list[object]] = [
        [*head, f"{task.target} predicted", "deviation", "95 % from", "95 % to", *last]
    ]
    for n, values in enumerate(rows.values):
        front = [] if rows.row_names is None else [str(rows.row_names[n])]
        ends = (mean[n], std[n], mean[n] - NORMAL * std[n], mean[n] + NORMAL * std[n])
        own = [] if truth is None else [numeral(truth[n])]
        inputs = map(written, columns, values[: len(columns)])
        lines.append([*front, *inputs, *map(numeral, ends), *own])
    return csv_text(lines).encode()


def shown(value: float, digits: int = GIVEN) -> str:
    """Return a value of the page's table; given values keep their digits, such as years."""
    return "–" if np.isnan(value) else in_digits(value, digits).replace("-", "−")


def digits_for(mean: Array, std: Array) -> int:
    """Return how many digits show two digits of the standard deviations."""
    ratio = np.max(np.abs(mean), initial=1.0) / max(float(np.median(std)), 1e-300)
    return int(np.clip(2 + np.ceil(np.log10(ratio)), 3, GIVEN))


def written(column: TableColumn, value: float) -> str:
    """Return a value of an input as text for a file: a word, a number, or NA."""
    if np.isnan(value):
        return "NA"
    return str(column.words[int(value)]) if column.is_words else numeral(value)


def numeral(value: float) -> str:
    """Return a number as text for a file."""
    return f"{value:.8g}"
