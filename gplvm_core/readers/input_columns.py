"""Words as inputs of a regression: every word becomes a column of zeros and ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.cells import cells_of
from gplvm_core.readers.kinds import TableColumn, coded_table, columns_of


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
