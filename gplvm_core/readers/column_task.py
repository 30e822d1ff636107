"""A question to a table: predict one of its columns from others.

Words among the inputs become columns of zeros and ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.numerics import Array, IntArray
from gplvm_core.readers.cells import cells_of
from gplvm_core.readers.errors import DataError, listed, plural, shortened
from gplvm_core.readers.kinds import TableColumn, check_coded, coded_table, columns_of
from gplvm_core.readers.missing import varies

LEAST_ROWS = 10
HELD = 0.2  # share of the rows that are kept aside to test the model
MOST_HELD = 2000


@dataclass(frozen=True)
class InputColumns:
    """The columns of a regression's inputs.

    A category or a yes/no column becomes one column of zeros and ones for each of its words. A
    grade is the number of its word, from 0. All other columns are numbers.
    """

    columns: tuple[TableColumn, ...]

    @classmethod
    def learnt(cls, table: Any, kinds: Any) -> tuple["InputColumns", tuple[str, ...]]:
        """Return the columns of training inputs, and notes on their kinds; see `columns_of`."""
        columns, notes = columns_of(cells_of(table), kinds)
        return cls(columns), notes

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each column of `expanded`."""
        return tuple(
            f"{column.name} = {word}" if count > 1 else column.name
            for column, count in zip(self.columns, self.widths, strict=True)
            for word in (column.words if count > 1 else ("",))
        )

    @property
    def widths(self) -> tuple[int, ...]:
        """The number of columns that each column becomes."""
        return tuple(len(each.words) if is_one_hot(each) else 1 for each in self.columns)

    def coded(self, table: Any) -> Float[Array, "n C"]:
        """Convert a data frame or rows of own values to numbers, a word to its place in `words`.

        Raises DataError for unknown words.
        """
        return coded_table(self.columns, table)

    def expanded(self, coded: Float[Array, "n C"]) -> Float[Array, "n Q"]:
        """Return the inputs of the model; all columns of a missing word are NaN."""
        return np.column_stack(
            [
                np.where(np.isnan(own)[:, None], np.nan, own[:, None] == np.arange(count))
                if count > 1
                else own
                for own, count in zip(coded.T, self.widths, strict=True)
            ]
        )

    def spread(self, variance: Float[Array, "n C"]) -> Float[Array, "n Q"]:
        """Return the variances of the inputs of the model; words are exact."""
        return np.repeat(
            np.where([each.is_words for each in self.columns], 0.0, variance), self.widths, axis=1
        )


def is_one_hot(column: TableColumn) -> bool:
    """Whether each word of a column becomes a column."""
    return column.kind in ("category", "yes/no")


def of_inputs(names: Sequence[str], words: Sequence[TableColumn]) -> InputColumns:
    """Return the columns of inputs with these names; words: those that are not numbers."""
    known = {column.name: column for column in words}
    return InputColumns(tuple(known.get(name, TableColumn(name, "number")) for name in names))


@dataclass(frozen=True, eq=False)
class ColumnRows:
    """Rows of a question: inputs (NaN: missing), the variances of their errors, and the target.

    A word is a column of zeros and ones.
    """

    inputs: Float[Array, "N Q"]
    variance: Float[Array, "N Q"] | None  # None: the inputs are exact
    target: Float[Array, " N"]


@dataclass(frozen=True)
class ColumnTask:
    """Predict the column `target` of a data set from the columns `inputs`.

    errors: for inputs that were measured with errors, the column with their standard deviations.
    words: the inputs with words, whose values in the data set are the numbers of their words.
    held: the share of rows kept aside to test the model; training never uses these rows. The choice
    of these rows depends only on the number of rows.
    """

    target: str
    inputs: tuple[str, ...]
    errors: Mapping[str, str] = field(default_factory=dict)
    held: float = HELD
    words: tuple[TableColumn, ...] = ()

    @property
    def input_columns(self) -> InputColumns:
        """The inputs with their kinds and words."""
        return of_inputs(self.inputs, self.words)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the question needs, each once, the target last."""
        return tuple(dict.fromkeys((*self.inputs, *self.errors.values(), self.target)))

    def rows(self, n_rows: int) -> tuple[Int[IntArray, " t"], Int[IntArray, " h"]]:
        """Return the numbers of the rows for training and of the rows kept aside."""
        count = min(round(self.held * n_rows), MOST_HELD)
        order = np.random.default_rng(0).permutation(n_rows)
        return np.sort(order[count:]), np.sort(order[:count])

    def of(
        self, names: Sequence[str], values: Float[Array, "N D"], rows: Int[IntArray, " n"]
    ) -> ColumnRows:
        """Return inputs, errors and target of some rows of a table with these columns."""
        places = {name: place for place, name in enumerate(names)}
        some = values[rows]
        inputs = some[:, [places[name] for name in self.inputs]]
        variance = None
        if self.errors:
            variance = np.zeros_like(inputs)
            for q, name in enumerate(self.inputs):
                if name in self.errors:
                    variance[:, q] = some[:, places[self.errors[name]]] ** 2
            variance = self.input_columns.spread(variance)
        expanded = self.input_columns.expanded(inputs)
        return ColumnRows(expanded, variance, some[:, places[self.target]])

    def check(self, names: Sequence[str], values: Float[Array, "N D"]) -> None:
        """Raise a DataError unless the question can be answered from this table."""
        self._check_names(names)
        everything = np.arange(len(values))
        for each in self.words:
            check_coded((each,), values[:, list(names).index(each.name)][:, None], "The table")
        given = self.of(names, values, everything)
        _check_target(self.target, given.target)
        if not varies(given.inputs).any():
            raise DataError(
                "Nothing varies in the inputs, so nothing can be predicted from them. Choose other "
                "inputs."
            )
        for name, column in self.errors.items():
            spread = values[:, list(names).index(column)]
            known = ~np.isnan(values[:, list(names).index(name)])
            wrong = np.flatnonzero(known & ~(spread >= 0.0))
            if len(wrong):
                raise DataError(
                    f"“{shortened(column)}” has the errors of “{shortened(name)}”, so every row "
                    f"needs a number that is 0 or larger. Row {wrong[0] + 1} has "
                    f"{'none' if np.isnan(spread[wrong[0]]) else f'{spread[wrong[0]]:g}'}."
                )

    def _check_names(self, names: Sequence[str]) -> None:
        unknown = [name for name in self.columns if name not in names]
        unknown += [each.name for each in self.words if each.name not in self.inputs]
        if unknown:
            raise DataError(
                f"The table has no column {listed([f'“{shortened(name)}”' for name in unknown])}. "
                f"Its columns are {listed(list(names))}."
            )
        if not self.inputs:
            raise DataError("Choose at least one input: a column from which to predict.")
        if self.target in self.inputs:
            raise DataError(
                f"“{shortened(self.target)}” is the column to predict, so it cannot be an input, "
                "too. Remove it from the inputs."
            )
        if self.target in self.errors.values() or set(self.inputs) & set(self.errors.values()):
            raise DataError(
                "A column of errors cannot be an input or the column to predict, too. Choose "
                "another column of errors, or remove it from the inputs."
            )


def _check_target(name: str, column: Float[Array, " N"]) -> None:
    missing = int(np.isnan(column).sum())
    if len(column) - missing < LEAST_ROWS:
        raise DataError(
            f"Only {plural(len(column) - missing, 'row')} with a value of “{shortened(name)}”; "
            f"prediction needs at least {LEAST_ROWS}."
        )
    if not varies(column):
        raise DataError(
            f"“{shortened(name)}” has the same value in every row, so there is nothing to predict. "
            "Choose another column."
        )
