"""A table of new rows, for which a regression predicts values with intervals."""

from pathlib import PurePath

import numpy as np
import pandas as pd
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.comparison.one_column import answers
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.prediction.intervals import NORMAL
from gplvm_core.readers.column_task import ColumnTask
from gplvm_core.readers.errors import plural
from gplvm_core.readers.kinds import TableColumn
from gplvm_core.readers.new_rows import MOST_MEGABYTES, NewRows, formats
from gplvm_core.readers.tables.csv_text import csv_text
from pages.ui.shared.catalogue import Item
from pages.ui.shared.download import download
from pages.ui.shared.plain import plain
from pages.ui.shared.reading import read_sandboxed, readers
from pages.ui.shared.telling import errors_told
from pages.ui.shared.words import file_stem, significant

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
    known = task.input_columns
    like = _inputs(item.dataset)
    found: tuple[NewRows, Array, Array] | None = None
    with errors_told():
        rows: NewRows = read_sandboxed("new rows", title, data, dataset=like)
        found = rows, *answers(item.model, known.expanded(rows.values))
    if found is None:
        return
    for misfit in found[0].misfits:
        st.markdown(f":material/rule: {plain(misfit.words)}")
    for note in found[0].notes:
        st.caption(plain(note))
    _answered(item, *found)


def _inputs(dataset: Dataset) -> Dataset:
    """Return the inputs as a data set, so that doubtful numbers are read like the training rows."""
    task = dataset.task
    assert task is not None
    names = list(dataset.column_names or ())
    values = dataset.values[:, [names.index(name) for name in task.inputs]]
    return Dataset(
        "inputs",
        "Inputs",
        values[~np.isnan(values).all(axis=1)],
        Drawing.of_vector(len(task.inputs)),
        column_names=task.inputs,
        columns=task.input_columns.columns,
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
    found = {task.target: mean, "from": low, "to": high}
    numbers = [rows.number(n) for n in range(len(mean))]
    names = numbers if rows.row_names is None else rows.row_names
    table = pd.DataFrame(
        {key: [significant(value) for value in column[:SHOWN]] for key, column in found.items()}
        | {
            f"{each.name} ": [
                "–" if np.isnan(v) else written(each, v) if each.is_words else significant(v)
                for v in column[:SHOWN]
            ]
            for each, column in zip(task.input_columns.columns, rows.values.T, strict=True)
        },
        index=pd.Index(names[:SHOWN], name="row"),
    )
    gaps = int(np.isnan(rows.values).any(axis=1).sum())
    unknown = f" {plural(gaps, 'row')} lack an input: their intervals are wider." if gaps else ""
    st.markdown(
        f"**{plural(len(mean), 'row')} answered.** 95 of 100 true values are expected between "
        f"“from” and “to”.{unknown}".replace("1 row lack", "1 row lacks").replace(
            "lacks an input: their intervals are", "lacks an input: its interval is"
        )
    )
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


def answers_csv(task: ColumnTask, rows: NewRows, mean: Array, std: Array) -> bytes:
    """Return a CSV of the new rows with the prediction, its deviation and its interval."""
    named, columns = rows.row_names is not None, task.input_columns.columns
    head = [*(["row"] if named else []), *task.inputs]
    lines: list[list[object]] = [
        [*head, f"{task.target} predicted", "deviation", "95 % from", "95 % to"]
    ]
    for n, values in enumerate(rows.values):
        front = [] if rows.row_names is None else [str(rows.row_names[n])]
        ends = (mean[n], std[n], mean[n] - NORMAL * std[n], mean[n] + NORMAL * std[n])
        lines.append([*front, *map(written, columns, values), *map(numeral, ends)])
    return csv_text(lines).encode()


def written(column: TableColumn, value: float) -> str:
    """Return a value of an input as text for a file: a word, a number, or NA."""
    if np.isnan(value):
        return "NA"
    return str(column.words[int(value)]) if column.is_words else numeral(value)


def numeral(value: float) -> str:
    """Return a number as text for a file."""
    return f"{value:.8g}"
