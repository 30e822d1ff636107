"""The rows and columns of a data set that are needed for a question about one column."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gplvm_core.readers.column_task import HELD, ColumnTask
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.error_columns import ERRORS
from gplvm_core.readers.errors import DataError, plural, shortened
from gplvm_core.readers.kinds import QUANTITIES
from gplvm_core.readers.names import column_words
from gplvm_core.readers.proposals import CONSTANT


def number_columns(dataset: Dataset) -> tuple[str, ...]:
    """Return the names of the columns of numbers and counts."""
    names = column_words(dataset)
    if not dataset.columns:
        return names
    return tuple(each.name for each in dataset.columns if each.kind in QUANTITIES)


def word_columns(dataset: Dataset) -> tuple[str, ...]:
    """Return the names of the columns that are neither numbers nor counts."""
    numbers = number_columns(dataset)
    return tuple(name for name in column_words(dataset) if name not in numbers)


def input_columns(dataset: Dataset) -> tuple[str, ...]:
    """Return the names of the columns that can be inputs, in the order of the data set."""
    words = {each.name for each in dataset.columns if each.is_words and each.kind != CONSTANT}
    possible = {*number_columns(dataset), *words}
    return tuple(name for name in column_words(dataset) if name in possible)


def ask_column(
    dataset: Dataset,
    target: str,
    inputs: Sequence[str],
    *,
    errors: Mapping[str, str] | None = None,
    gaps: bool = True,
    held: float = HELD,
) -> Dataset:
    """Add the question "predict `target` from `inputs`" to a data set, for a training job.

    errors: for some inputs, the column with the standard deviations of their errors. gaps: whether
    to use rows in which inputs are missing. held: the share of rows kept aside to test the model.
    Inputs may be numbers, counts and words. Rows without a value of the target are left out, and
    the notes of the result say how many.
    Raises DataError for a question that cannot be answered.

    Examples
    --------
    >>> from gplvm_core import load_dataset
    >>> from gplvm_core.readers import ask_column
    >>> asked = ask_column(load_dataset("diabetes"), "progression", ["age", "body mass index"])
    >>> asked.column_names
    ('age', 'body mass index', 'progression')
    """
    task = ColumnTask(target, tuple(inputs), dict(errors or {}), held)
    names = column_words(dataset)
    numbers, possible = number_columns(dataset), input_columns(dataset)
    words = [name for name in task.columns if name in names and name not in numbers]
    wrong = [name for name in words if name not in possible or name not in task.inputs]
    own = {column.name: column for column in dataset.columns}
    if wrong and own[wrong[0]].kind == CONSTANT:
        raise DataError(
            f"“{shortened(wrong[0])}” has one value in all rows, so that nothing follows from it: "
            "leave the column out."
        )
    if wrong:
        raise DataError(
            f"“{shortened(wrong[0])}” has words. A regression predicts numbers, and its errors are "
            "numbers: leave the column out, or learn a map of the table, which predicts words, too."
        )
    task = replace(task, words=tuple(own[name] for name in words))
    task.check(names, dataset.values)
    values = dataset.values[:, [names.index(name) for name in task.columns]]
    known = ~np.isnan(values[:, -1])
    notes = list(dataset.notes)
    if not known.all():
        notes.append(f"{_rows(known)} left out: no value of “{shortened(target)}”.")
    seen = ~np.isnan(values[:, : len(task.inputs)])
    useful = np.asarray(seen.any(axis=1) if gaps else seen.all(axis=1))
    if not useful[known].all():
        lacking = "no value of any input" if gaps else "gaps in the inputs"
        notes.append(f"{_rows(useful | ~known)} left out: {lacking}.")
    if ERRORS in dataset.covariates:
        notes.append("The known errors of the columns are not used: only a map takes them.")
    rows = known & useful
    at = np.flatnonzero(rows)
    return replace(
        dataset.taken(at),
        targets=values[at],
        drawing=Drawing.of_vector(len(task.columns)),
        column_names=task.columns,
        columns=(),
        views=(),
        labels=None,
        label_names=(),
        covariates={},
        notes=tuple(notes),
        task=task,
    )


def _rows(kept: NDArray[np.bool_]) -> str:
    count = int((~kept).sum())
    return f"{plural(count, 'row')} {'was' if count == 1 else 'were'}"
