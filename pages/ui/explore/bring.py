"""The rows that a visitor brings to a model: from a file, a spreadsheet, or the library."""

from dataclasses import dataclass, replace
from pathlib import PurePath

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core import load_dataset
from gplvm_core.datasets import Dataset, View
from gplvm_core.models.estimators.with_known import can_hold_out
from gplvm_core.new_rows.places import only_answerable, training_rows
from gplvm_core.prediction.typicality import MOST_KNOWN
from gplvm_core.readers.calendar_steps import time_column
from gplvm_core.readers.error_columns import ERRORS
from gplvm_core.readers.errors import DataError, plural
from gplvm_core.readers.isolated import LEFT_OUT
from gplvm_core.readers.misfits import (
    Mends,
    Misfit,
    code_misfits,
    mended,
    name_misfits,
    unit_misfits,
    written_misfits,
)
from gplvm_core.readers.names import names_of
from gplvm_core.readers.new_rows import MOST_ROWS, FileColumn, NewRows, without_empty
from gplvm_core.readers.spread import spread_rows
from gplvm_core.readers.tables.table import NOT_LEARNT, UNNAMED
from gplvm_core.store import StoreError
from pages.ui.shared.catalogue import Item, one_view, open_item
from pages.ui.shared.density import can_learn
from pages.ui.shared.reading import read_sandboxed
from pages.ui.shared.words import file_stem

# Maps a data set's name to the name of another data set with further rows of the same kind.
UNSEEN = {"walker": "walker_unseen"}
CHOSEN = "new_row_for_fill"  # session key: model and number of the row to open in Fill in


@dataclass(frozen=True)
class Brought:
    """New rows and their source: files, another model's key, or the name of a shipped data set."""

    title: str
    files: tuple[tuple[str, bytes], ...] = ()
    model: str = ""
    dataset: str = ""
    mends: Mends = ()


def answers_file(item: Item, ending: str) -> str:
    """Return the name of the file with the answers: that of the visitor's rows, or of the model."""
    kept = brought(item)
    title = item.title if kept is None else kept.title
    return f"{file_stem(title.removesuffix(PurePath(title).suffix))}-answers.{ending}"


def place_of(item: Item) -> str:
    """Return the session key of the visitor's rows for a model, or for one of its views."""
    return f"brought|{item.key}|{item.view or ''}"


def brought(item: Item) -> Brought | None:
    """Return the rows that the visitor gave to this model in this session."""
    kept = st.session_state.get(place_of(item))
    return kept if isinstance(kept, Brought) else None


def bring(item: Item, rows: Brought | None) -> None:
    """Store rows for all tabs; None removes them."""
    if rows is None:
        st.session_state.pop(place_of(item), None)
    else:
        st.session_state[place_of(item)] = rows


def bring_training(item: Item) -> None:
    """Store the model's own training rows as rows to ask about."""
    bring(item, Brought(f"Rows of {item.title}", model=item.key))


def mend(item: Item, misfit: Misfit) -> None:
    """Apply the remedy for a part of the file that did not fit."""
    known = brought(item)
    if known is not None and misfit.mend is not None:
        bring(item, replace(known, mends=(*known.mends, misfit.mend)))


def rows_brought(item: Item, *, empty_rows: bool = False, whole: bool = False) -> NewRows | None:
    """Return the visitor's rows in the model's columns, None if there are none. Raises ValueError.

    empty_rows: whether to keep rows without any value, as frames of a sequence. whole: whether to
    return all rows of a large table, and not only the first.
    """
    rows = _all_brought(item, empty_rows)
    if rows is not None and not empty_rows:
        rows = only_answerable(item.model, item.dataset, rows)
    if rows is None or whole or len(rows.values) <= MOST_ROWS:
        return rows
    note = (
        f"The first {MOST_ROWS:,} of {len(rows.values):,} rows are used here; the tab New rows "
        "answers all of them."
    )
    some = rows.some(np.arange(MOST_ROWS))
    return replace(some, notes=(note, *some.notes))


def _all_brought(item: Item, empty_rows: bool) -> NewRows | None:
    asked = brought(item)
    if asked is None:
        return None
    if asked.model:
        return _from_library(item, asked, empty_rows)
    if asked.dataset:
        unseen = load_dataset(asked.dataset)
        values = (unseen.view(item.view) if item.view else unseen).values
        return NewRows(values, (), asked.dataset, columns=beside_training(unseen))
    read = [_read(item, name, data, asked.mends, empty_rows) for name, data in asked.files]
    rows = read[0] if len(read) == 1 else _together(read, asked)
    if item.dataset.drawing.kind in ("bars", "curve"):
        asked_of = (rows.values, item.dataset.values, names_of(item.dataset))
        odd = code_misfits(*asked_of) + written_misfits(rows.notes, item.dataset.notes)
        if item.dataset.drawing.kind == "bars" and not item.dataset.columns:
            odd += unit_misfits(*asked_of)
        rows = replace(rows, misfits=(*rows.misfits, *odd))
    return _recognised(item, rows)


def _recognised(item: Item, rows: NewRows) -> NewRows:
    """Mark the training rows in a file of which at least every second row is a training row."""
    if item.dataset.n_points > MOST_ROWS:
        return rows
    trained = training_rows(item.dataset, rows.values)
    if trained is None:
        return rows
    count = int(np.sum(trained >= 0))
    note = f"{plural(count, 'row')} of {len(trained):,} are rows that the model was trained on. "
    return replace(rows, trained=trained, notes=(note + _of_training(item), *rows.notes))


def _of_training(item: Item) -> str:
    """Say what answers about training rows mean."""
    seen = "It has seen them, so odd ones may look more typical than they are."
    ranks = (
        "judged by a model that has not seen it, and compared with the others, so a few are "
        "always the oddest: sort by p, and read their reasons."
    )
    if not can_learn(item.model):
        return f"Each is {ranks}" if can_hold_out(item.model, item.dataset) else seen
    if item.dataset.n_points <= MOST_KNOWN:
        return f"Each is {ranks}"
    return f"{seen} Only each of {MOST_KNOWN} is {ranks}"


def _read(item: Item, name: str, data: bytes, mends: Mends, empty_rows: bool) -> NewRows:
    dataset = item.dataset
    like: View | Dataset = View("rows", dataset.drawing, dataset.column_names)
    if dataset.columns or ERRORS in dataset.covariates:
        # The reader needs only the data's columns, so the rows are not sent to its process.
        nothing = np.zeros((2, dataset.n_outputs))
        like = Dataset(
            "rows",
            "Rows",
            nothing,
            like.drawing,
            column_names=dataset.column_names,
            columns=dataset.columns,
            covariates={ERRORS: nothing} if ERRORS in dataset.covariates else {},
        )
    rows: NewRows = read_sandboxed(
        "new rows", name, data, dataset=like, mends=mends, empty_rows=empty_rows
    )
    return rows


def _together(read: list[NewRows], asked: Brought) -> NewRows:
    """Join several pictures into rows that have the names of their files."""
    values = np.vstack([each.values for each in read])
    names = [name for (name, _), each in zip(asked.files, read, strict=True) for _ in each.values]
    notes = tuple(dict.fromkeys(note for each in read for note in each.notes))
    misfits = tuple(dict.fromkeys(misfit for each in read for misfit in each.misfits))
    mark = "".join(each.mark[:4] for each in read[:8]) + str(len(read))
    return NewRows(values, notes, mark, np.array(names), misfits=misfits)


def _from_library(item: Item, asked: Brought, empty_rows: bool) -> NewRows:
    """The training rows of a model, in this model's columns."""
    try:
        other = one_view(open_item(asked.model), item.view, partly=True)
    except (OSError, StoreError) as error:
        raise DataError(str(error)) from error
    source, wanted = other.dataset, item.dataset
    own = asked.model == item.key
    names, there = names_of(wanted), names_of(source)
    chosen = spread_rows(source.n_points, MOST_ROWS)
    known = source.targets[chosen].astype(np.float64)
    notes = []
    if len(chosen) < source.n_points:
        notes.append(f"{len(chosen):,} of {source.n_points:,} rows, spread evenly.")
    if own:
        notes.append(f"The model was trained on these rows. {_of_training(item)}")
    notes += [note for note in source.notes if own and note.startswith(LEFT_OUT)]
    by_name = wanted.column_names is not None and source.column_names is not None
    words = bool(wanted.columns or source.columns)
    if not own and words and wanted.columns != source.columns:
        raise DataError(
            f"The words or columns of “{other.title}” differ from this model's. Export its table, "
            "and bring the file."
        )
    misfits: list[Misfit] = []
    if own or (source.drawing.shape == wanted.drawing.shape and not by_name):
        values = known
    elif by_name:
        same = {near: name for kind, name, near in asked.mends if kind == "use"}
        at = {same.get(name, name): d for d, name in enumerate(there)}
        values = np.full((len(known), len(names)), np.nan)
        for d, name in enumerate(names):
            if name in at:
                values[:, d] = known[:, at[name]]
        misfits += name_misfits(names, [*at])
        absent = [name for name in names if name not in at]
        if len(absent) == len(names) and not misfits:
            raise DataError(
                f"“{other.title}” has none of this model's columns. Choose data with columns such "
                f"as “{names[0]}”."
            )
        if absent:
            are = "is" if len(absent) == 1 else "are"
            notes.append(f"{plural(len(absent), 'column')} {are} missing in every row.")
    else:
        raise DataError(
            f"A row of “{other.title}” has {source.n_outputs:,} values, but this model needs "
            f"{wanted.n_outputs:,}. Choose data of the same form."
        )
    values = mended(values, names, asked.mends)
    called = None if source.row_names is None else source.row_names[chosen]
    columns = beside_training(source) if len(chosen) == source.n_points else ()
    mark = f"{asked.model}|{len(asked.mends)}"
    rows = NewRows(
        values,
        tuple(notes),
        mark,
        called,
        columns,
        misfits=tuple(misfits),
        trained=chosen if own and not asked.mends else None,
    )
    return without_empty(other.title, rows, wanted.columns, keep=empty_rows)


def beside_training(dataset: Dataset) -> tuple[FileColumn, ...]:
    """Return facts that are stored with the rows but were not learnt, such as names and times."""
    facts: dict[str, Array] = {}
    called = [note for note in dataset.notes if note.startswith(NOT_LEARNT)]
    called = [note for note in called if not note.endswith(UNNAMED)]
    if dataset.row_names is not None and called:
        facts[called[-1].removeprefix(NOT_LEARNT).removesuffix(".")] = dataset.row_names
    known = [set(map(str, column.words)) for column in dataset.columns]
    if dataset.labels is not None and set(dataset.label_names) not in known:
        words = [dataset.label_word(row) or "NA" for row in range(dataset.n_points)]
        facts["label"] = np.array(words)
    if dataset.times is not None:
        title, own = time_column(dataset.times, dataset.time_unit)
        facts[title] = own
    if dataset.sequences is not None and np.ptp(dataset.sequences) > 0:
        facts["sequence"] = dataset.sequences
    facts |= {name: fact for name, fact in dataset.covariates.items() if fact.ndim == 1}
    return tuple(
        FileColumn(name, cells=tuple(f"{v:.15g}" if v.dtype.kind == "f" else str(v) for v in fact))
        for name, fact in facts.items()
    )


def unseen_of(item: Item) -> str:
    """Return the name of the data set with further rows of the same kind; "" if there is none."""
    return UNSEEN.get(item.dataset.name.removesuffix(f"_{item.view}"), "")


def pasted(text: str) -> bytes:
    """Return pasted cells as a file. Raises DataError for text without cells."""
    lines = [line for line in text.replace("\r\n", "\n").split("\n") if line.strip()]
    if not lines:
        raise DataError("Nothing was pasted. Copy cells of a spreadsheet, with their headings.")
    return ("\n".join(lines) + "\n").encode()
