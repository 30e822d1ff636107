"""Convert a table of any kinds to the outputs of a layer (numbers, yes/no, counts) and back.

Also here: encode a column of K classes as K − 1 yes/no columns ("sticks"): class k, or a later one?

Stick k is yes in rows of class k, no in rows of a later class, and missing in rows of an earlier
class. The likelihood of a class is the product of the likelihoods of its yes/no entries.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from gplvm_core.likelihoods.column_models import Beside, is_asked
from gplvm_core.likelihoods.likelihood import Likelihood
from gplvm_core.likelihoods.links import Links
from gplvm_core.likelihoods.robust import USUAL
from gplvm_core.numerics import Array, BoolArray
from gplvm_core.readers import DataError
from gplvm_core.readers.cells import Cells, cells_of
from gplvm_core.readers.errors import listed, plural
from gplvm_core.readers.frames import library_of
from gplvm_core.readers.kinds import FRACTION, KINDS, TableColumn, coded_column, columns_of
from gplvm_core.readers.proposals import CONSTANT


def n_sticks(n_classes: int) -> int:
    """Return how many yes/no columns encode a number of classes."""
    return n_classes - 1


def sticks(codes: Float[Array, " N"], n_classes: int) -> Float[Array, "N K"]:
    """Encode class numbers (from 0; NaN if missing) as yes/no columns (1, 0; NaN if missing)."""
    own, number = codes[:, None], np.arange(n_sticks(n_classes))
    return np.where(own >= number, (own == number).astype(np.float64), np.nan)


def class_probabilities(yes: Float[Array, "*S K"]) -> Float[Array, "*S C"]:
    """Return the probabilities of K + 1 classes, from those of K independent yes/no columns."""
    ones = np.ones((*yes.shape[:-1], 1))
    later = np.concatenate([ones, np.cumprod(1.0 - yes, axis=-1)], axis=-1)
    return np.asarray(later * np.concatenate([yes, ones], axis=-1))


def classes(yes: Float[Array, "*S K"]) -> Float[Array, "*S"]:
    """Return the class numbers of complete yes/no columns: the first column that is yes."""
    last = np.ones((*yes.shape[:-1], 1))
    return np.argmax(np.concatenate([yes, last], axis=-1), axis=-1).astype(np.float64)


def _named(path: str) -> Likelihood:
    """Return the likelihood of a module and class of this room, at the start of training."""
    module, name = path.split(".")
    found: Likelihood = getattr(import_module(f"gplvm_core.likelihoods.{module}"), name)()
    return found


# The likelihood of a column's outputs at the start of training, by the column's kind.
LIKELIHOODS: Mapping[str, Likelihood] = {kind: _named(path) for kind, path in KINDS.items()}
SPARSE = 0.5  # counts with a mean below this value are mostly 0


@dataclass(frozen=True)
class TableColumns:
    """The columns of a table, in the table's order.

    A layer's outputs have the same order: a column of numbers, yes/no or counts is one output, and
    a category or grade of W words is W − 1 outputs. An exposure is one output, its logarithm in
    units of the usual exposure.

    widths: the factors of the standard deviations of each column's predictions, with which 95 %
    intervals hold (1 for words and counts), for rows with few and with many gaps; empty if they are
    not known. beside: chained models that
    predict missing values beside the map; None if they are not known, or if they are no better.
    """

    columns: tuple[TableColumn, ...]
    # The library of the table's data frame, "" for an array. Older files have True for pandas.
    frame: str | bool = ""
    widths: tuple[tuple[float, ...], ...] = ()
    beside: Beside | None = None

    @classmethod
    def learnt(
        cls, table: Any, kinds: Any
    ) -> tuple["TableColumns", Float[Array, "N D"], tuple[str, ...]]:
        """Return the columns of training data, their outputs, and notes on the chosen kinds."""
        cells = cells_of(table)
        columns, notes = columns_of(cells, kinds, fractions=True)
        found = cls(columns, library_of(table))
        return found, found._outputs(cells), notes

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def column(self, name: str | int) -> int:
        """Return the index of a column, given by name or index. Raises DataError if unknown."""
        if name in self.names:
            return self.names.index(str(name))
        if isinstance(name, int) and -len(self.columns) <= name < len(self.columns):
            return name % len(self.columns)
        raise DataError(f"there is no column {name!r}; the columns are {', '.join(self.names)}")

    @cached_property
    def places(self) -> tuple[slice, ...]:
        """The slice of outputs that belongs to each column."""
        widths = [n_sticks(len(each.words)) if each.is_words else 1 for each in self.columns]
        ends = np.cumsum([0, *widths]).tolist()
        return tuple(slice(a, b) for a, b in pairwise(ends))

    @property
    def n_outputs(self) -> int:
        return self.places[-1].stop

    @property
    def only_numbers(self) -> bool:
        """Whether all columns are numbers, apart from constant columns whose value is a number."""
        return all(
            column.kind in ("number", FRACTION)
            or (column.kind == CONSTANT and isinstance(column.words[0], int | float))
            for column in self.columns
        )

    @property
    def fractions(self) -> tuple[int, ...]:
        """The numbers of the columns that are fractions of one whole.

        Raises DataError if words, counts or robust numbers are beside them.
        """
        found = tuple(at for at, each in enumerate(self.columns) if each.kind == FRACTION)
        others = [each.name for each in self.columns if each.kind not in ("number", FRACTION)]
        if found and others:
            raise DataError(
                f"the columns {listed(others)} are not numbers, and fractions can only be beside "
                "numbers: make the fractions a view of their own (ManifoldRelevance)"
            )
        return found

    def missing(self, outputs: Float[Array, "N D"]) -> Bool[BoolArray, "N C"]:
        """Return which values are missing; a constant column has no output, so none is missing."""
        # The first output of a column is NaN where the column is missing.
        first = [outputs[:, at][:, :1] for at in self.places]
        return np.stack([np.isnan(each).any(axis=1) for each in first], axis=1)

    @cached_property
    def links(self) -> Links:
        """The likelihoods of the outputs at the start of training.

        Raises DataError for a column of an unknown kind.
        """
        found = list[Likelihood]()
        for column, place in zip(self.columns, self.places, strict=True):
            if column.kind not in LIKELIHOODS:
                raise DataError(
                    f"column {column.name!r} has the unknown kind {column.kind!r}; the kinds are "
                    f"{', '.join(LIKELIHOODS)}"
                )
            found += [LIKELIHOODS[column.kind]] * (place.stop - place.start)
        return Links(tuple(found))

    def shares_in_words(self) -> str:
        """Describe the share of the map in the predictions of each column.

        For almost whole rows, unless only rows with many gaps have averages.
        """
        if self.beside is None:
            return ""
        few, many = self.beside.shares[..., 0]
        only_many = bool((few == 1.0).all())
        shares = zip(self.columns, many if only_many else few, strict=True)
        found = ", ".join(f"{column.name} {own:.0%}" for column, own in shares if is_asked(column))
        return f"{found}, in rows with many missing values only" if only_many else found

    def encoded(self, table: Any) -> Float[Array, "N D"]:
        """Return the outputs of new rows. Raises DataError if the rows do not fit the columns."""
        cells = cells_of(table)
        if len(cells) != len(self.columns):
            raise DataError(
                f"the rows have {plural(len(cells), 'column')}, but the model was trained on "
                f"{len(self.columns)}: {', '.join(self.names)}"
            )
        return self._outputs(cells)

    def recoded(
        self, known: Sequence[TableColumn], values: Float[Array, "N C"]
    ) -> Float[Array, "N D"]:
        """Return the outputs of rows in which a word is its number among the words of `known`.

        A word that training has not seen is missing.
        """
        every = []
        for column, before, own in zip(self.columns, known, values.T, strict=True):
            if column.is_words:
                number = {word: at for at, word in enumerate(column.words)}
                new = np.array([*(number.get(word, np.nan) for word in before.words), np.nan])
                own = new[np.where(np.isnan(own), -1, own).astype(int)]
            every.append(own)
        return self._of_coded(every)

    def _outputs(self, table: Sequence[Cells]) -> Float[Array, "N D"]:
        return self._of_coded([*map(coded_column, self.columns, table)])

    def _of_coded(self, table: Sequence[Float[Array, " N"]]) -> Float[Array, "N D"]:
        found = np.empty((len(table[0]), self.n_outputs))
        for coded, column, place in zip(table, self.columns, self.places, strict=True):
            words = len(column.words)
            if column.kind == "exposure":
                coded = np.log(coded / column.unit)
            found[:, place] = sticks(coded, words) if column.is_words else coded[:, None]
        return found

    def are_sparse(self, outputs: Float[Array, "N E"]) -> bool:
        """Whether all columns except exposures are counts with a mean below a half."""
        kinds = {column.kind for column in self.columns}
        if not {"count"} <= kinds <= {"count", "exposure", CONSTANT}:
            return False
        counts = self.links.others & ~self.links.exposures
        return bool(np.nanmean(outputs[:, counts]) < SPARSE)

    def starting(self, outputs: Float[Array, "N D"]) -> Float[Array, "N E"]:
        """Return the data as columns of about unit variance, for the initial principal components.

        Each word of a category becomes a column. A grade is replaced by its index, and a count by
        the square root of the count at a usual exposure.
        """
        parts = []
        known = self.links.known(outputs)
        for column, place in zip(self.columns, self.places, strict=True):
            own = outputs[:, place]
            if column.kind in ("exposure", CONSTANT):
                continue
            if column.kind == "count":
                parts.append(np.sqrt(own * np.exp(-known[:, place])))
            elif not column.is_words:
                parts.append(own if column.kind == "number" else own.clip(-USUAL, USUAL))
            else:
                codes = _codes(own)
                if column.kind == "category":
                    same = codes[:, None] == np.arange(len(column.words))
                    # Together, the columns for the words of a category have the variance of one
                    # column.
                    each = np.where(np.isnan(codes)[:, None], np.nan, same)
                    parts.append(each / np.sqrt(len(column.words)))
                    continue
                parts.append(codes[:, None])
        done = []
        for part in parts:
            part = part - np.nanmean(part, axis=0)
            level = np.sqrt(np.nansum(part**2) / len(part))
            done.append(part / level if level > 0.0 else part)
        return np.hstack(done)

    def codes(self, outputs: Float[Array, "N D"], at: int) -> Float[Array, " N"]:
        """Return the index of each row's word in column `at`; NaN where missing."""
        return _codes(outputs[:, self.places[at]])

    def coded(self, outputs: Float[Array, "N D"]) -> Float[Array, "N C"]:
        """Convert outputs to values of the columns, where a word is its index; NaN if missing."""
        found = np.zeros((len(outputs), len(self.columns)))
        for at, (column, place) in enumerate(zip(self.columns, self.places, strict=True)):
            own = outputs[:, place]
            if column.kind == CONSTANT:
                continue
            if column.is_words:
                found[:, at] = _codes(own)
            else:
                found[:, at] = own[:, 0]
            if column.kind == "exposure":
                found[:, at] = column.unit * np.exp(own[:, 0])
        return found

    def decoded(self, outputs: Float[Array, "N D"]) -> NDArray[Any]:
        """Convert complete outputs to the values of the columns, N × C.

        The values are floats if all columns are numbers, otherwise objects.
        """
        if all(column.is_number for column in self.columns):
            return outputs.copy()
        found = np.empty((len(outputs), len(self.columns)), dtype=object)
        for at, (column, place) in enumerate(zip(self.columns, self.places, strict=True)):
            own = outputs[:, place]
            if column.is_words:
                found[:, at] = [column.words[int(code)] for code in classes(own)]
            elif column.kind == "count":
                found[:, at] = [int(value) for value in own[:, 0]]
            elif column.kind == "exposure":
                found[:, at] = (column.unit * np.exp(own[:, 0])).tolist()
            else:
                found[:, at] = own[:, 0].tolist()
        return found


def _codes(own: Float[Array, "N K"]) -> Float[Array, " N"]:
    """Return the class numbers of yes/no columns; NaN if missing."""
    missing = np.isnan(own[:, :1]).any(axis=1)
    return np.where(missing, np.nan, classes(np.nan_to_num(own)))
