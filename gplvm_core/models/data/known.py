"""Known factors that a map leaves out, such as batches: their values as inputs beside the map.

Words, and whole numbers with few values, become one column for each value (1 or 0); other numbers
are centred and scaled. The layer's inputs are then the latent point and these columns.
"""

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from typing import Any
from zlib import crc32

import narwhals as nw
import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from gplvm_core.numerics import Array, BoolArray
from gplvm_core.readers import DataError
from gplvm_core.readers.cells import Cells, cells_in, cells_of
from gplvm_core.readers.errors import listed, numbered, plural
from gplvm_core.readers.frames import Frame, one_table, without_dates
from gplvm_core.readers.kinds import plain
from gplvm_core.readers.proposals import in_order

# Whole numbers with at most this many values, each in at least this many rows on average, are
# values of their own, not points on a scale.
MOST_CODES, LEAST_ROWS = 12, 5
MOST_VALUES = 50
# A factor of numbers is averaged over at most this many of its values.
MOST_LEVELS = 12
# A factor that leaves less of the variance than this leaves nothing to map.
LEAST_LEFT = 1e-4
UNKNOWN = "{}: the known factor has no value. The answers average over its values in training ({})"
UNSEEN = (
    "{}: the known factor has a value that is not in the training rows. Answers are those of "
    "`unseen()`: the average over the values in training, with the scatter between them as noise"
)


@dataclass(frozen=True)
class KnownFactor:
    """One known column: its values if they are words or codes, or the units of its numbers."""

    name: str
    values: tuple[Any, ...] = ()
    center: float = 0.0
    scale: float = 1.0

    @classmethod
    def learnt(cls, cells: Cells) -> "KnownFactor":
        """Learn a factor from the training rows; DataError for one that cannot be left out."""
        seen, count = [plain(value) for value in cells.seen], len(cells.values)
        if not seen:
            raise DataError(f"the known factor {cells.name!r} has no values")
        if len(seen) < count:
            row = int(np.flatnonzero(~cells.observed)[0])
            raise DataError(
                f"the known factor {cells.name!r} is missing in {cells.place(row)}: training needs "
                "it in every row. Fill it in, or leave the row out"
            )
        found = Counter(seen)
        if len(found) < 2:
            raise DataError(
                f"the known factor {cells.name!r} has the value {seen[0]!r} in all rows: there is "
                "nothing to take out, so leave it out"
            )
        numbers = all(isinstance(value, int | float) and type(value) is not bool for value in seen)
        codes = len(found) <= MOST_CODES and count >= LEAST_ROWS * len(found)
        if numbers and not (codes and all(isinstance(value, int) for value in seen)):
            return cls._number(cells.name, np.array(seen, dtype=float))
        if len(found) > min(MOST_VALUES, count // 2):
            raise DataError(
                f"the known factor {cells.name!r} has {len(found):,} values in {count:,} rows: it "
                "names rows, and a map without it would have nothing left. Choose a factor that "
                f"many rows share (at most {MOST_VALUES} values). Give many days as numbers, such "
                "as days since the first"
            )
        return cls(cells.name, tuple(in_order(found)))

    @classmethod
    def _number(cls, name: str, seen: Float[Array, " N"]) -> "KnownFactor":
        if not np.isfinite(seen).all():
            raise DataError(f"the known factor {name!r} has an infinite value: leave the row out")
        steps = np.diff(seen)
        if len(seen) > 2 and steps[0] != 0.0 and np.allclose(steps, steps[0], rtol=1e-9):
            raise DataError(
                f"the known factor {name!r} rises by the same step from row to row: it is the row "
                "number, which every row has to itself.",
                script="For rows in time, give times and a time_kernel instead.",
            )
        return cls(name, (), float(seen.mean()), float(seen.std()))

    @property
    def width(self) -> int:
        return len(self.values) or 1

    def encoded(self, cells: Cells) -> Float[Array, "n K"]:
        """The inputs of rows: NaN for a missing value, infinite for one that training lacked."""
        found = np.full((len(cells.values), self.width), np.nan)
        for row, value in enumerate(cells.values):
            known = None if value is None else plain(value)
            if isinstance(known, str):
                known = self._from_text(known)
            if self.values:
                if known is not None and known not in self.values:
                    found[row] = np.inf
                elif known is not None:
                    found[row] = np.arange(self.width) == self.values.index(known)
            elif isinstance(known, int | float):
                found[row] = (known - self.center) / self.scale
            elif known is not None:
                raise DataError(
                    f"the known factor {self.name!r} holds numbers, but {cells.place(row)} has "
                    f"{value!r}: correct it, or leave the value out"
                )
        return found

    def _from_text(self, text: str) -> Any:
        """The value that a text means: files hold numbers as text, also with a decimal comma."""
        if self.values:
            same = {str(value): value for value in self.values}
            return text if text in self.values else same.get(text.strip(), text)
        try:
            return float(text if "." in text else text.replace(",", "."))
        except ValueError:
            return text

    def value(self, point: Float[Array, " K"]) -> Any:
        """The value at these inputs."""
        if self.values:
            return self.values[int(np.argmax(point))]
        return float(f"{self.center + self.scale * point[0]:.12g}")


@dataclass(frozen=True)
class TakenOut:
    """The known factors of a trained model.

    chosen: the columns of the table that hold them; empty if they were given beside the table.
    points: the training rows' inputs. levels, weights: the values over which rows of an unknown
    factor are averaged, and their shares of the training rows.
    """

    factors: tuple[KnownFactor, ...]
    chosen: tuple[str | int, ...]
    points: Float[Array, "N C"]
    levels: Float[Array, "L C"]
    weights: Float[Array, " L"]

    @classmethod
    def learnt(cls, table: Any, chosen: Sequence[str | int] = ()) -> "TakenOut":
        """Learn the factors from a table of their columns, one row for each training row."""
        columns = _cells(table)
        factors = tuple(KnownFactor.learnt(each) for each in columns)
        pairs = zip(factors, columns, strict=True)
        points = np.hstack([own.encoded(each) for own, each in pairs])
        if chosen and isinstance(one_table(table), Frame):
            chosen = [each.name for each in columns]  # other tables may have another order
        words = np.hstack([np.full(each.width, bool(each.values)) for each in factors])
        return cls(factors, tuple(chosen), points, *_levels(points, words))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.factors)

    def encoded(self, given: Any) -> Float[Array, "n C"]:
        """The inputs of rows; NaN for a missing value, infinite in a row with an unseen one.

        given: a table of the factors' columns, one column if there is one factor; or one value,
        or a dict of them by name.
        """
        columns = _by_name(_cells(_one_row(given, self.names)), self.names)
        if len(columns) != len(self.factors):
            raise DataError(
                f"expected {plural(len(self.factors), 'known factor')} "
                f"({listed(list(self.names))}); got {plural(len(columns), 'column')}"
            )
        pairs = zip(self.factors, columns, strict=True)
        points = np.hstack([own.encoded(each) for own, each in pairs])
        points[np.isinf(points).any(axis=1)] = np.inf
        return points

    def warn_unknown(self, points: Float[Array, "n C"]) -> None:
        """Warn of rows whose factors are missing or were not in training."""
        for note, odd in ((UNKNOWN, np.isnan(points)), (UNSEEN, np.isinf(points))):
            rows = np.flatnonzero(odd.any(axis=1))
            if not len(rows):
                continue
            where = "all rows"
            if len(rows) < len(points):
                where = f"{numbered('row', rows)} (counted from 0)"
            warnings.warn(note.format(where, listed(self.in_words)), UserWarning, stacklevel=5)

    @property
    def fewest(self) -> int:
        """The smallest number of values of a factor of words; 0 without such factors."""
        return min((each.width for each in self.factors if each.values), default=0)

    @property
    def mark(self) -> str:
        """The names of the factors and a checksum of the rows' values, to compare two trainings."""
        return f"{', '.join(self.names)} ({crc32(self.points.tobytes()):08x})"

    def as_code(self) -> str:
        """The argument of `given` for the first level, as Python code."""
        found = self.values(self.levels[0])
        return repr(found[0] if len(found) == 1 else dict(zip(self.names, found, strict=True)))

    def values(self, point: Float[Array, " C"]) -> tuple[Any, ...]:
        """The values of the factors at these inputs."""
        ends = np.cumsum([0, *(each.width for each in self.factors)])
        places = [slice(a, b) for a, b in pairwise(ends)]
        return tuple(own.value(point[at]) for own, at in zip(self.factors, places, strict=True))

    def words(self, point: Float[Array, " C"]) -> str:
        """The values of the factors at these inputs in words."""
        found = self.values(point)
        return ", ".join(f"{each:.4g}" if isinstance(each, float) else str(each) for each in found)

    @property
    def usual(self) -> str:
        """The description of the first level, which is the most frequent one."""
        words = all(each.values for each in self.factors)
        return "the most frequent value" if words else "in the most frequent range"

    @property
    def in_words(self) -> list[str]:
        """The levels in words."""
        return [self.words(level) for level in self.levels]

    @property
    def choices(self) -> Float[Array, "V C"]:
        """The inputs of the values to choose from: every word of a single factor, else the levels.

        Words and numbers are in their order.
        """
        if len(self.factors) == 1 and self.factors[0].values:
            return np.eye(self.factors[0].width)

        def rank(level: Float[Array, " C"]) -> list[Any]:
            pairs = zip(self.factors, self.values(level), strict=True)
            return [own.values.index(each) if own.values else each for own, each in pairs]

        return np.array(sorted(self.levels, key=rank))


def apart(table: Any, chosen: Sequence[str | int]) -> tuple[Any, Any]:
    """Split a table into the outputs and the columns of known factors.

    Raises DataError for columns that the table lacks.
    """
    given = one_table(table)
    framed = isinstance(given, Frame)
    if not framed and np.ndim(given) != 2:
        raise DataError(f"a table has rows and columns; got {np.ndim(given)} dimension(s)")
    values: Any = given if framed else np.asarray(given)
    names, count = (list(given.columns) if framed else []), values.shape[1]
    taken = []
    for own in chosen:
        if own in names:
            taken.append(names.index(own))
        elif isinstance(own, int) and 0 <= own < count:
            taken.append(own)
        else:
            has = listed(list(map(str, names))) if framed else f"the numbers 0 to {count - 1}"
            raise DataError(
                f"the table has no column {own!r}, which should be taken out; its columns are {has}"
            )
    rest = [at for at in range(count) if at not in taken]
    if len(set(taken)) < len(taken) or not rest:
        what = "a column twice" if rest else "all columns"
        raise DataError(f"without={list(chosen)!r} takes out {what}: leave some of them in")
    outputs, factors = values[:, rest], values[:, taken]
    return (outputs.to_native(), factors.to_native()) if framed else (outputs, factors)


def linear_part(
    outputs: Float[Array, "N D"], points: Float[Array, "N C"]
) -> tuple[Float[Array, " D"], Float[Array, "C D"]]:
    """Level and slopes of the outputs' linear part in the factors, by least squares.

    Raises DataError if nothing is left but this part.
    """
    basis = np.hstack([np.ones((len(points), 1)), points])
    parts = _fitted(outputs, basis)
    left = np.nansum((outputs - basis @ parts) ** 2, axis=0)
    total = np.nansum((outputs - np.nanmean(outputs, axis=0)) ** 2, axis=0)
    if (left <= LEAST_LEFT * total).all():
        raise DataError(
            "the known factors explain the table completely, so that nothing is left to map: take "
            "fewer columns out"
        )
    return parts[0], parts[1:]


def residual(outputs: Float[Array, "N D"], points: Float[Array, "N C"]) -> Float[Array, "N D"]:
    """The outputs without their quadratic part in the factors; training starts from it."""
    basis = np.hstack([np.ones((len(points), 1)), points, points**2])
    return outputs - basis @ _fitted(outputs, basis)


def _fitted(outputs: Float[Array, "N D"], basis: Float[Array, "N B"]) -> Float[Array, "B D"]:
    """The least-squares weights of the basis for every output (NaN: missing)."""
    found, seen = np.zeros((basis.shape[1], outputs.shape[1])), ~np.isnan(outputs)
    patterns, which = np.unique(seen, axis=1, return_inverse=True)
    for number, rows in enumerate(patterns.T):
        own = which.ravel() == number
        found[:, own] = np.linalg.lstsq(basis[rows], outputs[np.ix_(rows, own)], rcond=None)[0]
    return found


def _cells(table: Any) -> list[Cells]:
    """The columns of known factors; a list or an array of one dimension is one column."""
    given = one_table(table)
    if hasattr(given, "to_frame"):  # a series
        given = one_table(given.to_frame())
    if isinstance(given, Frame):
        return [cells_in(str(column.name), _days(column)) for column in given.iter_columns()]
    values: NDArray[Any] = np.asarray(given, dtype=None if hasattr(given, "dtype") else object)
    if values.dtype.kind == "M":
        values = values.astype("datetime64[D]").astype(object)
    if values.dtype == object:
        values = np.vectorize(_day, otypes=[object])(values) if values.size else values
    without_dates(values, "the known factors")
    if values.ndim == 1:
        values = values[:, None]
    found = cells_of(values if values.dtype.kind in "ifb" else values.astype(object))
    return [replace(own, name=f"factor {at}") for at, own in enumerate(found, 1)]


def _days(column: Any) -> Any:
    """A column of dates as words: a calendar day is a batch."""
    if not isinstance(column.dtype, nw.Date | nw.Datetime):
        return column
    words = [_day(value) for value in column.to_list()]
    return nw.new_series(column.name, words, nw.String, backend=column.implementation)


def _day(value: Any) -> Any:
    """The day of a date as a word; None for a missing one; other values as they are."""
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[D]").item()
    return value.isoformat()[:10] if isinstance(value, date) and value == value else value


def _by_name(columns: list[Cells], names: Sequence[str]) -> list[Cells]:
    """The columns in the order of the names, if they have these names.

    Raises DataError if only some have.
    """
    own = [each.name for each in columns]
    if set(own) == set(names):
        return [columns[own.index(name)] for name in names]
    if len(names) > 1 and set(own) & set(names):
        raise DataError(f"the known factors are {listed(list(names))}; got {listed(own)}")
    return columns


def _one_row(given: Any, names: Sequence[str]) -> Any:
    """A table of one row from one value, or from a dict of values by name."""
    if isinstance(given, Mapping):
        if set(given) != set(names):
            raise DataError(
                f"give the known factors {listed(list(names))}; got {listed(list(map(str, given)))}"
            )
        given = np.array([given[name] for name in names], dtype=object).T
        return given if given.ndim == 2 else given[None]
    if given is None or isinstance(given, str) or np.ndim(given) == 0:
        given = [[given]]
    return given if not isinstance(given, list) else np.array(given, dtype=object)


def _levels(
    points: Float[Array, "N C"], words: Bool[BoolArray, " C"]
) -> tuple[Float[Array, "L C"], Float[Array, " L"]]:
    """Points that represent all rows, frequent ones first, and their shares.

    words: the inputs that are values of words. These are all kept, up to the `MOST_VALUES` most
    frequent combinations; the numbers of each are represented by clusters of rows.
    """
    _, which, counts = np.unique(points * words, axis=0, return_inverse=True, return_counts=True)
    kept = np.argsort(-counts, kind="stable")[:MOST_VALUES]
    found, shares, most = [], [], max(MOST_LEVELS // len(kept), 1)
    for kind in kept.tolist():
        own = points[which.ravel() == kind]
        several, weights = np.unique(own, axis=0, return_counts=True)
        if len(several) > most:
            from sklearn.cluster import KMeans  # takes long to import

            clusters = KMeans(most, n_init=1, random_state=0).fit(own)
            several = own[np.argmin(clusters.transform(own), axis=0)]
            weights = np.bincount(clusters.labels_)
        found.append(several)
        shares.append(weights)
    whole, weight = np.vstack(found), np.concatenate(shares)
    order = np.argsort(-weight, kind="stable")
    return whole[order], weight[order] / weight.sum()
