"""The facts of a data set's rows that a map can take out, such as batches."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.errors import DataError, listed
from gplvm_core.readers.kinds import OF_WORDS, QUANTITIES
from gplvm_core.readers.names import column_words
from gplvm_core.readers.proposals import CONSTANT

LABEL, TIME = "label", "time"


def possible_factors(dataset: Dataset) -> tuple[str, ...]:
    """Return the names of the facts and columns that a map can take out.

    These are labels, times, facts with one value for each row, and, in a table of one view, all
    columns.

    Examples
    --------
    >>> from gplvm_core import load_dataset
    >>> from gplvm_core.readers.taken_out import possible_factors
    >>> possible_factors(load_dataset("turned_digit"))
    ('angle',)
    """
    return tuple(_values(dataset))


def take_out(dataset: Dataset, names: Sequence[str]) -> Dataset:
    """Return the data set with these known factors, for a map that takes them out.

    A column that is taken out is no longer learnt. Raises DataError for unknown names, and if no
    column remains.

    Examples
    --------
    >>> from gplvm_core import load_dataset
    >>> from gplvm_core.readers.taken_out import take_out
    >>> wine = take_out(load_dataset("wine"), ["label"])
    >>> wine.known["label"][0]
    np.str_('first cultivar')
    """
    possible = _values(dataset)
    unknown = [repr(name) for name in names if name not in possible]
    if unknown:
        raise DataError(
            f"{dataset.name} has no known factor {listed(unknown)}; it has {listed([*possible])}."
        )
    known = {name: possible[name] for name in names}
    columns = column_words(dataset) if _is_table(dataset) else ()
    facts = _facts(dataset)
    kept = [at for at, name in enumerate(columns) if name not in known or name in facts]
    if len(kept) == len(columns):
        return replace(dataset, known=known)
    if not kept:
        raise DataError("All columns are taken out, so nothing is left to learn. Take out fewer.")
    return dataset.with_columns(kept, columns, known=known)


def _values(dataset: Dataset) -> dict[str, NDArray[Any]]:
    """Return the values of every fact and column that can be taken out, by name."""
    found = _facts(dataset)
    if _is_table(dataset):
        kinds = (*OF_WORDS, *QUANTITIES)
        for column, own in zip(dataset.all_columns, dataset.values.T, strict=True):
            if column.kind in kinds and column.kind != CONSTANT:
                words = _in_words(column.words, own) if column.is_words else own
                found.setdefault(column.name, words)
    return found


def _facts(dataset: Dataset) -> dict[str, NDArray[Any]]:
    found: dict[str, NDArray[Any]] = {}
    # Labels that are the words of a column are offered once, as the column.
    columns = [set(map(str, each.words)) for each in dataset.all_columns if each.is_words]
    if dataset.labels is not None and set(dataset.label_names) not in columns:
        words = [dataset.label_word(row) or "" for row in range(dataset.n_points)]
        found[LABEL] = np.array(words, dtype=np.str_)
    if dataset.times is not None:
        found[TIME] = dataset.times
    facts = {name: own for name, own in dataset.covariates.items() if own.ndim == 1}
    return found | facts


def _is_table(dataset: Dataset) -> bool:
    return dataset.drawing.kind == "bars" and not dataset.views


def _in_words(words: Sequence[Any], coded: NDArray[Any]) -> NDArray[Any]:
    """Return the words of a column; missing: an empty word."""
    cells = ["" if np.isnan(each) else str(words[int(each)]) for each in coded]
    return np.array(cells, dtype=np.str_)
