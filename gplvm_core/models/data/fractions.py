"""Columns that are fractions of one whole: never negative, with the same sum in every row.

D fractions are D − 1 numbers: their coordinates in an orthonormal basis of the plane of rows with
this sum. Models see these numbers. Predictions are moved back to the nearest point whose fractions
are not negative (MATHEMATICS.md, *Fractions*).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from jaxtyping import Float
from scipy.special import ndtri
from scipy.stats.qmc import Sobol

from gplvm_core.bounds import OutputGaps
from gplvm_core.likelihoods import TableColumns
from gplvm_core.numerics import Array, IntArray
from gplvm_core.prediction import Posterior
from gplvm_core.readers import DataError
from gplvm_core.readers.errors import in_digits, listed, numbered
from gplvm_core.readers.fractions import MOST, TOLERANCE, WHOLES, whole_of
from gplvm_core.readers.kinds import FRACTION, TableColumn

DRAWS = 256  # pairs of draws of a prediction
MOST_NUMBERS = 4_000_000  # in memory at a time
ROUNDING = 1e-9  # how far below 0 a fraction of 1 may be


@dataclass(frozen=True)
class Fractions:
    """The fractions of a table.

    names: all columns of the table. places: the numbers of the fractions, by decreasing mean, so
    that the coordinates do not depend on the order of the columns. whole: the sum of a row, 1 or
    100.
    """

    names: tuple[str, ...]
    places: tuple[int, ...]
    whole: float

    @classmethod
    def learnt(
        cls, names: Sequence[str], places: Sequence[int], rows: Float[Array, "N D"]
    ) -> tuple[Self, tuple[str, ...]]:
        """Return the fractions of training rows (NaN: missing), and notes on them.

        Raises DataError for a single column, for a fraction that is always missing, and for rows
        that are no fractions.
        """
        own = rows[:, list(places)]
        if len(places) < 2:
            raise DataError(
                f"the column {names[places[0]]!r} is a fraction without another one: at least two "
                "columns must be fractions of the same whole"
            )
        if len(places) > MOST:
            raise DataError(
                f"{len(places)} columns are fractions, but at most {MOST} can be: join rare ones, "
                "or make these columns numbers"
            )
        sums = own.sum(axis=1)
        seen = sums[~np.isnan(sums)]
        if not len(seen):
            raise DataError("no row has all its fractions: give at least some complete rows")
        usual = float(np.median(seen))
        whole = min(WHOLES, key=lambda each: abs(np.log(max(usual, 1e-9) / each)))
        means = np.nanmean(own, axis=0)
        ordered = tuple(int(places[at]) for at in np.argsort(-means, kind="stable"))
        found = cls(tuple(names), ordered, whole)
        found.encoded(rows)
        return found, found._notes(own)

    def _notes(self, own: Float[Array, "N D"]) -> tuple[str, ...]:
        percent = " (percentages)" if self.whole > 1.0 else ""
        columns = listed([repr(self.names[at]) for at in sorted(self.places)])
        notes = [f"the columns {columns} are fractions with the sum {self.whole:g}{percent}"]
        zeros = int((own == 0.0).sum())
        if zeros:
            notes.append(
                f"{zeros / own.size:.1%} of the fractions are 0: the model takes 0 as it takes "
                "other values, without a replacement"
            )
        missing = np.isnan(own).sum(axis=1)
        partly = int(((missing > 1) & (missing < own.shape[1])).sum())
        if partly:
            notes.append(
                f"{partly} of {len(own)} rows lack two or more, but not all, of their fractions: "
                "training leaves out the fractions of these rows"
            )
        return tuple(notes)

    def hidden_with(self, column: int) -> slice:
        """The outputs that determine a column: its own, or the coordinates of all fractions."""
        if column in self.places:
            return slice(len(self.others), None)
        at = self.others.index(column)
        return slice(at, at + 1)

    @cached_property
    def others(self) -> list[int]:
        """The numbers of the columns that are not fractions."""
        return [at for at in range(len(self.names)) if at not in self.places]

    @cached_property
    def basis(self) -> Float[Array, "D K"]:
        """The orthonormal directions whose entries sum to 0: Helmert's contrasts."""
        count = len(self.places)
        found = np.zeros((count, count - 1))
        for k in range(count - 1):
            found[: k + 1, k] = 1.0 / (k + 1)
            found[k + 1, k] = -1.0
            found[:, k] *= np.sqrt((k + 1) / (k + 2))
        return found

    @cached_property
    def _draws(self) -> Float[Array, "S K"]:
        """Points that stand for N(0, I), in pairs ±; their second moments are exactly I."""
        size = len(self.places) - 1
        power = int(np.ceil(np.log2(max(DRAWS, 2 * size))))
        # Sobol's points are spread evenly, so that few are enough for quantiles.
        even = Sobol(size, scramble=False).random_base2(power) + 0.5 / 2**power
        half = np.linalg.qr(ndtri(even))[0] * np.sqrt(len(even))
        return np.vstack([half, -half])

    def encoded(self, rows: Float[Array, "N D"]) -> Float[Array, "N K"]:
        """Return the other columns and the coordinates of the fractions, one column fewer.

        A single missing fraction follows from the others. If more are missing, all coordinates of
        the row are. Raises DataError for another width, negative fractions and other sums.
        """
        if rows.shape[1] != len(self.names):
            raise DataError(
                f"the rows have {rows.shape[1]} columns, but the model was trained on "
                f"{len(self.names)}: {listed(self.names)}"
            )
        self._check(rows)
        own = rows[:, list(self.places)]
        own = np.where(own < 0.0, 0.0, own)
        missing = np.isnan(own)
        one = missing.sum(axis=1, keepdims=True) == 1
        rest = np.maximum(self.whole - np.nansum(own, axis=1, keepdims=True), 0.0)
        own = np.where(missing & one, rest, own)
        with np.errstate(invalid="ignore"):
            own = own / own.sum(axis=1, keepdims=True) * self.whole
        return np.hstack([rows[:, self.others], own @ self.basis])

    def misfits(self, rows: Float[Array, "N D"]) -> list[tuple[IntArray, str]]:
        """Return the numbers, from 0, of rows that are no fractions of the whole, and reasons."""
        own = rows[:, list(self.places)]
        below = own < -ROUNDING * self.whole
        names = listed([repr(self.names[self.places[at]]) for at in np.flatnonzero(below.any(0))])
        sums, slack = np.nansum(own, axis=1), TOLERANCE * self.whole
        # The sum of a row with missing fractions may be lower.
        off = np.where(np.isnan(own).any(axis=1), sums - self.whole, np.abs(sums - self.whole))
        negative = below.any(axis=1)
        wrong = (off > slack) & ~negative
        found = [
            (negative, f"a fraction is not negative, but {names} has {_some(own[below])}"),
            (
                wrong,
                f"the fractions sum to {_some(sums[wrong])}, but the sum must be {self.whole:g} ± "
                f"{slack:g}",
            ),
        ]
        return [(np.flatnonzero(which), why) for which, why in found if which.any()]

    def _check(self, rows: Float[Array, "N D"]) -> None:
        for wrong, why in self.misfits(rows):
            raise DataError(
                f"{numbered('row', wrong + 1, 10)}: {why}. Correct the values, add the column of "
                "the rest, divide rows in other units by their sum, or make these columns numbers",
                script=f"(Counted from 0, it is row {wrong[0]}.)" if len(wrong) == 1 else "",
            )

    @cached_property
    def columns(self) -> TableColumns:
        """All columns of the table with their kinds; the unit of a fraction is the whole."""
        kinds = [
            TableColumn(name, FRACTION, unit=self.whole)
            if at in self.places
            else TableColumn(name, "number")
            for at, name in enumerate(self.names)
        ]
        return TableColumns(tuple(kinds))

    @cached_property
    def blend(self) -> tuple[Float[Array, "K D"], Float[Array, " D"]]:
        """A matrix and a shift: outputs @ matrix + shift are the columns, before any is moved to
        its nearest fractions.
        """
        split = len(self.others)
        matrix, shift = np.zeros((len(self.names) - 1, len(self.names))), np.zeros(len(self.names))
        matrix[np.arange(split), self.others] = 1.0
        matrix[split:, list(self.places)] = self.basis.T
        shift[list(self.places)] = self.whole / len(self.places)
        return matrix, shift

    def of_columns(self, posterior: Posterior) -> Posterior:
        """Return the posterior of all columns from that of the outputs.

        Every column has its exact mean and variance, before any is moved to its nearest fractions:
        the fractions are linear in their coordinates, which are seen or missing together. The
        columns are no longer independent, so only questions about one column may be asked.
        """
        matrix, shift = self.blend
        parts = matrix * np.broadcast_to(posterior.scale, len(matrix))[:, None]
        scale = np.sqrt(np.sum(parts**2, axis=0))
        share, each = (parts / scale) ** 2, posterior.each
        first = np.argmax(matrix != 0.0, axis=0)
        return replace(
            posterior,
            weights=posterior.weights @ parts / scale,
            slope=None if posterior.slope is None else posterior.slope @ parts / scale,
            center=np.broadcast_to(posterior.center, len(matrix)) @ matrix + shift,
            scale=scale,
            groups=np.asarray(posterior.groups)[first],
            each=each and OutputGaps(each.ratio @ share, each.basis, share.T @ each.shares),
            links=self.columns.links,
        )

    def check_wanted(self, row: Float[Array, " D"]) -> None:
        """Raise DataError for wanted fractions that no row has (NaN: not wanted)."""
        at = list(self.places)
        for d in at:
            if row[d] < 0.0 or row[d] > self.whole:
                raise DataError(
                    f"{self.names[d]!r} is a fraction from 0 to {self.whole:g}; {row[d]:g} is none"
                )
        total = np.nansum(row[at])
        if total > (1.0 + TOLERANCE) * self.whole:
            raise DataError(
                f"the wanted fractions have the sum {in_digits(total)}, above {self.whole:g}: "
                "lower some of them"
            )

    def decoded(self, outputs: Float[Array, "*S K"]) -> Float[Array, "*S D"]:
        """Return the columns of drawn or filled outputs, with the nearest fractions from 0."""
        matrix, shift = self.blend
        found, at = outputs @ matrix + shift, list(self.places)
        found[..., at] = onto_simplex(found[..., at], self.whole)
        return found

    def moments(
        self, mean: Float[Array, "*S K"], std: Float[Array, "*S K"]
    ) -> tuple[Float[Array, "*S D"], Float[Array, "*S D"]]:
        """Return means and standard deviations of the columns, from those of the outputs."""
        found, spread = np.empty((2, *mean.shape[:-1], len(self.names)))
        split, at = len(self.others), list(self.places)
        found[..., self.others], spread[..., self.others] = mean[..., :split], std[..., :split]
        each = [(own.mean(axis=0), own.std(axis=0)) for own in self._drawn(mean, std)]
        shape = (*mean.shape[:-1], len(at))
        found[..., at] = np.concatenate([own for own, _ in each]).reshape(shape)
        spread[..., at] = np.concatenate([own for _, own in each]).reshape(shape)
        return found, spread

    def quantiles(
        self,
        levels: Float[Array, " L"],
        mean: Float[Array, "N K"],
        std: Float[Array, "N K"],
        column: int,
    ) -> Float[Array, "L N"]:
        """Return quantiles of one column, from the moments of the outputs."""
        if column in self.others:
            at = self.others.index(column)
            return mean[:, at] + std[:, at] * ndtri(levels)[:, None]
        at = self.places.index(column)
        each = [np.quantile(own[..., at], levels, axis=0) for own in self._drawn(mean, std)]
        return np.concatenate(each, axis=1)

    def kept(
        self,
        given: Float[Array, "N D"],
        values: Float[Array, "*S N D"],
        std: Float[Array, "*S N D"],
    ) -> tuple[Float[Array, "*S N D"], Float[Array, "*S N D"]]:
        """Return predictions with the observed values; missing fractions share what is left."""
        at = list(self.places)
        own, found, seen = given[:, at], values[..., at], ~np.isnan(given)
        missing, there = np.isnan(own), ~np.isnan(values)
        rest = np.maximum(self.whole - np.nansum(own, axis=1, keepdims=True), 0.0)
        sums = np.where(missing, found, 0.0).sum(axis=-1, keepdims=True)
        even = 1.0 / np.maximum(missing.sum(axis=1, keepdims=True), 1)
        shares = np.broadcast_to(even, found.shape).copy()
        np.divide(found, sums, out=shares, where=sums > 0.0)
        whole = np.where(seen, given, values)
        whole[..., at] = np.where(missing, rest * shares, own)
        whole = np.where(there, whole, np.nan)
        spread = np.where(seen, 0.0, std)
        part = spread[..., at] * np.divide(rest, sums, out=np.zeros_like(sums), where=sums > 0.0)
        alone = missing.sum(axis=1, keepdims=True) == 1
        spread[..., at] = np.where(missing & ~alone, np.minimum(part, rest), 0.0)
        return whole, spread

    def _drawn(
        self, mean: Float[Array, "*S K"], std: Float[Array, "*S K"]
    ) -> Iterator[Float[Array, "T N D"]]:
        """Yield draws of the fractions, block by block of rows; NaN where the mean is."""
        split, size = len(self.others), len(self.places)
        center = mean[..., split:].reshape(-1, size - 1)
        spread = std[..., split:].reshape(-1, size - 1)
        step = max(1, MOST_NUMBERS // (len(self._draws) * size))
        for start in range(0, max(len(center), 1), step):
            rows = slice(start, start + step)
            each = center[rows] + spread[rows] * self._draws[:, None]
            yield onto_simplex(each @ self.basis.T + self.whole / size, self.whole)


def _some(values: Float[Array, " n"]) -> str:
    return listed(list(dict.fromkeys(map(in_digits, values))))


def table_columns(model: Any) -> TableColumns | None:
    """Return the columns of a model of one table; None if all are numbers."""
    parts, columns = getattr(model, "fractions_", None), getattr(model, "columns_", None)
    return parts.columns if isinstance(parts, Fractions) else columns


def proposed(rows: Float[Array, "N D"]) -> tuple[str, ...]:
    """Return a note if the columns of a table look like fractions."""
    whole = whole_of(rows)
    if whole is None:
        return ()
    return (
        f"the columns are not negative and have the sum {whole:g} in every row: "
        'kinds="fraction" makes predictions so, too',
    )


def onto_simplex(points: Float[Array, "*S D"], whole: float) -> Float[Array, "*S D"]:
    """Return the nearest points with no negative entry and this sum; NaN where a point is NaN.

    All entries are lowered by one number, and negative ones are set to 0 (Held, Wolfe & Crowder
    1974).
    """
    ordered = -np.sort(-points, axis=-1)
    level = (np.cumsum(ordered, axis=-1) - whole) / np.arange(1, points.shape[-1] + 1)
    last = np.maximum((ordered > level).sum(axis=-1, keepdims=True) - 1, 0)
    return np.maximum(points - np.take_along_axis(level, last, axis=-1), 0.0)
