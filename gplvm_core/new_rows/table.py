"""Answer questions about the rows of a table, in new columns."""

import copy
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gplvm_core.likelihoods import TableColumns
from gplvm_core.models.data.errors import checked_errors
from gplvm_core.models.data.fractions import table_columns
from gplvm_core.models.data.rows import as_floats
from gplvm_core.models.estimators.second_stage import has_known_errors
from gplvm_core.models.estimators.with_known import (
    TOGETHER,
    apart_from_known,
    can_ask_training,
    groups_of,
    taken_apart,
)
from gplvm_core.new_rows.answers import Answers
from gplvm_core.new_rows.asked import answers_of, prepare
from gplvm_core.new_rows.places import training_rows, unanswerable
from gplvm_core.new_rows.reasons import sentence_of
from gplvm_core.new_rows.streamed import blocks_of, decimal_of, written
from gplvm_core.new_rows.written_numbers import WrittenNumbers
from gplvm_core.prediction import Recipe
from gplvm_core.readers import DataError, Dataset, Drawing
from gplvm_core.readers.cells import Cells, cells_in, cells_of
from gplvm_core.readers.errors import listed, numbered, plural
from gplvm_core.readers.frames import Frame, from_columns, library_of, one_table
from gplvm_core.readers.kinds import coded_column, in_own_values
from gplvm_core.readers.names import column_words

NO_P_AFTER_ERRORS = (
    "no row has a p-value, because the model was trained with known errors of cells, which new "
    "rows do not share"
)
NO_P_ELSEWHERE = (
    "no p-value, because the training rows are at other values of the known factors than this map"
)
NO_P_WITH_ERRORS = (
    "no row has a p-value, because its known errors are not those of the training rows"
)


def apply(
    model: Any,
    table: Any,
    dataset: Dataset | None = None,
    *,
    errors: Any = None,
    reasons: bool = True,
    output: str | Path | None = None,
    callback: Callable[[int], None] | None = None,
) -> Any:
    """Place a table's rows on the map, fill their gaps, and find odd rows and columns.

    Columns are matched by name, in any order. Columns that the model does not have are ignored, and
    columns that the table lacks count as missing. Warnings report both. Text is read as numbers by
    the rule of `read_table`, with decimal commas and separated thousands; a warning reports numbers
    that may be a thousand times as large or small.

    Parameters
    ----------
    model : estimator
        A fitted model with latent points, of one table or several views. It does not change.
    table : DataFrame, array_like of shape (n, D), path, or iterable of them
        New rows, in a frame of pandas, polars, Arrow or xarray, or an array; NaN and empty cells
        mark missing values. An array has the model's columns. A path names a CSV,
        Parquet or Feather file, which is read in blocks; give `output` with it. Its dates become
        the columns that the model has learnt from them.
    dataset : Dataset, optional
        The training rows. They are needed for `p` and the reasons only if the model has no
        out-of-fold scores (`fit` with second_stage="off"), and for column names that the model does
        not know. If at least half of the rows of a table in memory are training rows, these are
        judged by scores that have not seen them. For words, counts and robust columns, and for maps
        without known factors, `p` compares a row with at most 200 of these rows, and counts are no
        reasons.
    errors : DataFrame or array_like of shape (n, D), optional
        The known standard deviation of each value of a table in memory; NaN where it is unknown. A
        data frame is matched by its names. The map then places and fills the rows, and no row has a
        p-value, because the training rows have other errors.
    reasons : bool, default True
        Whether to find the columns that make rows odd, which takes longer.
    output : path, optional
        A CSV or Parquet file for the answers. They are written block by block, so that memory does
        not grow with the number of rows. The file appears when all rows are answered.
    callback : callable, optional
        Called with the number of answered rows after each block. An exception that it raises ends
        the work; no file is then written.

    Returns
    -------
    DataFrame, or Path if output is given
        One row for each given row, with the index of the table; a frame of polars or Arrow, or a
        Dataset of xarray, for such a table, otherwise of pandas. `x1`, … and `x1 std`, … are the
        position on the map and its standard deviations. `x weight` is the weight of this position:
        below 1, other positions explain the row, too. Every column of the model follows with its
        gaps filled; its name with ` std` is its standard deviation, 0 where observed. `p` and `p of
        one value` are the p-values of the whole row and of its most surprising value. `unlike`
        marks rows that are less typical than all training rows; their filled values mean little.
        `reasons` contains sentences; if no row has a p-value, it says why. A row without values,
        one that lacks two or more of its fractions and all else, and one whose fractions are
        negative or have another sum have NaN as answers; a warning names them.

    Raises
    ------
    DataError
        If the table has none of the model's columns, or a cell that is no number.

    Examples
    --------
    >>> import gplvm_core
    >>> wine = gplvm_core.load_dataset("wine")
    >>> model = gplvm_core.ProbabilisticPCA(3, scaling="columns").fit(wine.values)
    >>> rows = wine.values[:3].copy()
    >>> rows[0, 0] *= 10
    >>> rows[1, 3] = float("nan")
    >>> found = gplvm_core.apply(model, rows, wine)
    >>> found["p"].lt(0.05).tolist()
    [True, False, False]
    >>> found["reasons"][0].split(".")[0]
    'Given its other columns, “alcohol” would be 13'
    """
    if dataset is not None and not isinstance(dataset, Dataset):
        raise DataError(
            f"dataset must be a Dataset, as from read_table or Dataset.of_table(name, title, "
            f"frame); got {type(dataset).__name__}"
        )
    kinds = table_columns(model)
    if dataset is not None and isinstance(kinds, TableColumns):
        dataset = dataset.with_kinds(kinds.columns)
    names, drawn = _columns(model, dataset)
    worded = drawn.kinds is not None
    by_bound = are_ranked_by_bound(model, drawn, trained=dataset is not None)
    if not drawn.columns or model.fitted_.fractions:  # these get arrays
        model = without_names(model)
    if errors is not None and getattr(model, "known_", None) is not None:
        raise DataError(TOGETHER)
    if errors is not None:
        errors = _errors(model, errors, table, names, output)
    if errors is None:
        model, no_p = with_scores(model, dataset, by_bound=by_bound)
    else:
        no_p = NO_P_WITH_ERRORS
    said, done = set[str](), 0
    numbers = WrittenNumbers(known=None if dataset is None else dataset.values)

    def say(note: str) -> None:
        if note not in said:
            warnings.warn(note, UserWarning, stacklevel=3)
        said.add(note)

    def answered(block: Any) -> dict[str, Any]:
        nonlocal done
        block, points = taken_apart(model, block)
        values, own = _values(block, names, drawn, done, numbers)
        if not len(values):
            raise DataError("the table has no rows: pass at least one")
        for lost, why in unanswerable(model, drawn, values):
            own.append(f"no answer about {numbered('row', done + lost + 1, 10)}, because {why}")
        for note in (*[no_p] * bool(no_p), *own, *numbers.notes.values()):
            say(note)
        done += len(values)
        groups = [(model, slice(None))] if points is None else groups_of(model, points)
        parts, order = list[Answers](), np.arange(len(values))
        same = training_rows(drawn, values) if dataset is not None and output is None else None
        for own, rows in groups:
            parts += answers_of(
                own,
                drawn,
                values[rows],
                reasons=reasons,
                ranked=by_bound and not no_p,
                errors=None if errors is None else errors[rows],
                trained=None if same is None else same[rows],
            )
        if len(groups) > 1:
            order = np.argsort(np.concatenate([rows for _, rows in groups]))
        answers = Answers.joined(parts).rows(order)
        found = columns_of(answers, names)
        if no_p:
            found["reasons"] = [no_p] * len(values)
        elif not all(can_ask_training(own) for own, _ in groups):
            for row in np.arange(len(values))[groups[-1][1]]:  # at a value that training lacked
                found["reasons"][row] = NO_P_ELSEWHERE
        if worded:
            words = in_own_values(drawn.all_columns, answers.filled)
            found |= {name: words.iloc[:, at].to_numpy() for at, name in enumerate(names)}
        if callback is not None:
            callback(done)
        return found

    if output is not None:
        if getattr(model, "known_", None) is not None and model.given_ is not None:
            raise DataError(
                "this model is bound to the known factors of some rows: give them as a column of "
                "the file, with a model that was fitted with without="
            )
        numbers.decimal = decimal_of(table)
        as_text = [
            name
            for name, column in zip(names, drawn.all_columns, strict=True)
            if not column.is_words
        ]
        as_text += getattr(getattr(model, "known_", None), "names", ())
        blocks = blocks_of(table, as_text, names)
        in_pandas = (from_columns(answered(each), "", each) for each in blocks)
        return written(in_pandas, Path(output))
    if isinstance(table, str | Path):
        raise DataError("give output, the file for the answers, when table is a file")
    return from_columns(answered(table), library_of(table), table)


def _errors(model: Any, errors: Any, table: Any, names: list[str], output: Any) -> Any:
    """Return errors in the order of the model's columns; None if all are 0 or unknown.

    Raises DataError unless the table is in memory and the errors fit it.
    """
    if output is not None or isinstance(table, str | Path):
        raise DataError("known errors need a table in memory: leave out output, or errors")
    if model.capabilities.views or not hasattr(model, "_asked"):
        raise DataError(
            f"{type(model).__name__} takes no known errors of cells: use a map of one table, or "
            "leave errors out"
        )
    given = one_table(table)
    theirs = list(given.columns) if isinstance(given, Frame) else names
    known = checked_errors(errors, np.zeros((len(given), len(theirs))), theirs)
    if known is None:
        return None
    found = np.zeros((len(known), len(names)))
    for at, name in enumerate(names):
        if name in theirs:
            found[:, at] = known[:, theirs.index(name)]
    return found


def are_ranked_by_bound(model: Any, drawn: Dataset, *, trained: bool = True) -> bool:
    """Whether p-values come from the model's bound: words and counts, and maps without known
    factors, have no density. trained: whether the training rows are known.
    """
    worded = drawn.kinds is not None
    return (worded or (not apart_from_known(model) and trained)) and can_ask_training(model)


def with_scores(
    model: Any,
    dataset: Dataset | None,
    *,
    by_bound: bool,
    recipe: Recipe | None = None,
    callback: Callable[[float], None] | None = None,
) -> tuple[Any, str]:
    """Return the model with out-of-fold scores, and why rows have no p-value ("" if they have).

    by_bound: whether the model's bound replaces the scores. recipe, callback: see `prepare`.
    """
    if has_known_errors(model):
        return model, NO_P_AFTER_ERRORS
    if not getattr(model, "can_have_density", False):
        no_p = "no row has a p-value, because the model has no density"
        if isinstance(getattr(model, "columns_", None), TableColumns) or getattr(
            model, "kinds_", None
        ):
            no_p += ": read the training rows of dataset with the kinds of the model"
        elif not can_ask_training(model):
            no_p = NO_P_ELSEWHERE
        elif not apart_from_known(model):
            no_p += " of rows with known factors: pass the training rows as dataset"
        return model, "" if by_bound else no_p
    if dataset is not None:
        return prepare(model, dataset, callback, recipe), ""
    if model.density_ is None or model.density_.typicality is None:
        return model, (
            "no row has a p-value, because the model has no out-of-fold scores: pass the training "
            'rows as dataset, fit with second_stage="auto", or call fit_density(Y, folds=5)'
        )
    return model, ""


def without_names(model: Any) -> Any:
    """Return the model without the names of its columns, if it has any: `apply` matches the names
    itself, and scikit-learn would warn about arrays without names.
    """
    if not hasattr(model, "feature_names_in_"):
        return model
    model = copy.copy(model)
    del model.feature_names_in_
    return model


def columns_of(answers: Answers, names: Sequence[str]) -> dict[str, Any]:
    """Return the columns of `apply`, by name. names: the names of the model's columns."""
    found: dict[str, Any] = {}
    for at in range(answers.places.shape[1]):
        found[f"x{at + 1}"] = answers.places[:, at]
        found[f"x{at + 1} std"] = answers.place_std[:, at]
    found["x weight"] = answers.weights[:, 0]
    for at, name in enumerate(names):
        found[name] = answers.filled[:, at]
        found[f"{name} std"] = answers.std[:, at]
    sentences = [
        " ".join(sentence_of(each, names[each.column]) for each in own) for own in answers.reasons
    ]
    return found | {
        "p": answers.p,
        "p of one value": answers.p_cell,
        "unlike": answers.unlike,
        "reasons": sentences,
    }


def _columns(model: Any, dataset: Dataset | None) -> tuple[list[str], Dataset]:
    """Return the names of the model's columns, and a data set with these columns."""
    if dataset is not None:
        return list(column_words(dataset)), dataset
    if table_columns(model) is not None or model.capabilities.views:
        raise DataError(
            "this model has views, or columns of words, counts, robust numbers or fractions: pass "
            "the training rows as dataset"
        )
    width = model.n_features_in_
    names = list(map(str, getattr(model, "feature_names_in_", ())))
    names = names or [f"column {at + 1}" for at in range(width)]
    drawing = Drawing.of_vector(width)
    nothing = np.arange(2.0)[:, None] * np.ones(width)
    return names, Dataset("rows", "Rows", nothing, drawing, column_names=tuple(names))


def _values(
    table: Any, names: list[str], dataset: Dataset, before: int, numbers: WrittenNumbers
) -> tuple[Any, list[str]]:
    """Return the model's columns of a table as numbers, and notes.

    before: the number of rows before this block, for messages; numbers: reads numbers in text.
    """
    frame = one_table(table)
    if not isinstance(frame, Frame):
        if dataset.kinds is not None:
            return _coded(cells_of(table), dataset, before, numbers), []
        values = as_floats(table, "the rows")
        if values.ndim != 2 or values.shape[1] != len(names):
            raise DataError(
                f"the rows have the shape {values.shape}, but the model has "
                f"{plural(len(names), 'column')}: "
                "pass one value for each column, NaN where it is missing"
            )
        return values, []
    given = {str(column.name): column for column in frame.iter_columns()}
    absent = [name for name in names if name not in given]
    extra = [name for name in given if name not in names]
    if len(absent) == len(names):
        raise DataError(
            f"the table has none of the model's columns ({listed(names)}); it has "
            f"{listed(list(given))}. Rename its columns."
        )
    notes = []
    if extra:
        notes.append(f"columns that the model does not have were ignored: {listed(extra)}")
    if absent:
        notes.append(f"columns that are not in the table count as missing: {listed(absent)}")
    nothing = np.full(len(frame), None)
    cells = [
        cells_in(name, given[name]) if name in given else Cells(name, nothing, "words")
        for name in names
    ]
    for own, column in zip(cells, dataset.all_columns, strict=True):
        notes += column.slips_in(own.seen) if column.slips else ()
    return _coded(cells, dataset, before, numbers), notes


def _coded(cells: Sequence[Cells], dataset: Dataset, before: int, numbers: WrittenNumbers) -> Any:
    """Return rows of words, counts and numbers as numbers (`Dataset.coded`).

    Messages name the rows of the whole table, from 1.
    """
    columns = dataset.all_columns
    if len(cells) != len(columns):
        raise DataError(
            f"the rows have {plural(len(cells), 'column')}, but the model has {len(columns)}: pass "
            "one value for each column, None where it is missing"
        )
    places = range(before + 1, before + 1 + len(cells[0].values))
    both = list(zip(cells, columns, strict=True))
    numbers.look_at([each for each, column in both if not column.is_words])
    own = [
        replace(each if column.is_words else numbers.read(each, at, before), places=places)
        for at, (each, column) in enumerate(both)
    ]
    return np.column_stack([*map(coded_column, columns, own)])
