"""How typical a row is, compared with training rows that were not used for the density.

The score of a row is −log p̂ of its observed values. The cell score is −log of the smallest
two-sided probability of one of its values, given the row's other values. Both scores are compared
with out-of-fold scores of training rows: q(u) and the density are computed without the fold that
they score.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray

from gplvm_core.mixtures import Conditionals, Gaussians
from gplvm_core.numerics import Array, BoolArray, IntArray
from gplvm_core.prediction.candidates import Report
from gplvm_core.prediction.fills import Fold
from gplvm_core.prediction.intervals import NORMAL

# The most training rows whose scores are stored.
MOST_KNOWN = 500
# Training rows also get random gaps, in these shares of their columns.
SHARES = (0.0, 0.1, 0.25, 0.5, 0.75)
AT_ONCE = 20_000  # values that are scored between two reports


@dataclass(frozen=True, eq=False)
class Scores:
    """Rows scored by a density: `conditionals`, and both scores in nats (higher: less typical).

    On average, missing values do not change the score of the whole row. strange: whether a value is
    new in a column that had only one value in training.
    """

    conditionals: Conditionals
    whole: Float[Array, " n"]
    cell: Float[Array, " n"]
    strange: NDArray[np.bool_]

    @classmethod
    def of(cls, density: Gaussians, rows: Float[Array, "n D"], only: Float[Array, " D"]) -> Self:
        """Score rows. only: the value of columns with a single value in training, else NaN."""
        fixed = ~np.isnan(only)
        found = Conditionals.of(density, np.where(fixed, np.nan, rows))
        strange = fixed & ~np.isnan(rows) & ~np.isclose(rows, only, rtol=1e-9, atol=0.0)
        new = strange.any(axis=1)
        whole = np.where(new, np.inf, found.lost - found.log_density)
        cell = np.where(new, np.inf, -found.log_tail.min(axis=1))
        return cls(found, whole, cell, strange)

    @property
    def most_surprising(self) -> Int[IntArray, " n"]:
        """The column of each row's most surprising value, given its other values; −1 if all values
        are in the 95 % intervals around their expectations.
        """
        found = self.conditionals
        away = np.abs(found.filled - found.expected) > NORMAL * found.std
        tail = np.where(self.strange, -np.inf, np.where(away, found.log_tail, 0.0))
        return np.where((self.strange | away).any(axis=1), np.argmin(tail, axis=1), -1)

    def rows(self, chosen: NDArray[np.intp]) -> Self:
        """Return the scores of some of the rows."""
        return type(self)(
            self.conditionals.rows(chosen),
            self.whole[chosen],
            self.cell[chosen],
            self.strange[chosen],
        )


@dataclass(frozen=True, eq=False)
class Typicality:
    """The out-of-fold scores of training rows, with their own gaps and with additional random gaps.

    rows: the numbers of the training rows. only: the value of columns with a single value in
    training, NaN for all others. shares: the mean share of missing values in each set of gaps.
    whole, cell: both scores of each row with these gaps. folds: the number of folds.
    """

    rows: Int[IntArray, " n"]
    only: Float[Array, " D"]
    shares: Float[Array, " G"]
    whole: Float[Array, "G n"]
    cell: Float[Array, "G n"]
    folds: int

    @classmethod
    def of(
        cls,
        folds: Sequence[Fold],
        rows: Float[Array, "N D"],
        numbers: Int[IntArray, " N"],
        generator: np.random.Generator,
        report: Report,
    ) -> Self:
        """Compute the scores from folds. numbers: the numbers of all rows."""
        apart = np.concatenate([fold.aside for fold in folds])
        chosen = np.sort(generator.permutation(apart)[:MOST_KNOWN])
        only = only_values(rows)
        width = int(np.isnan(only).sum())
        hidden = sorted({round(share * width) for share in SHARES} - {width})
        given = []
        for count in hidden:
            gapped = rows[chosen].copy()
            order = np.argsort(generator.random(gapped.shape) + ~np.isnan(only), axis=1)
            np.put_along_axis(gapped, order[:, :count], np.nan, axis=1)
            given.append(gapped)
        shares = [_shares_missing(own, only).mean() for own in given]
        whole, cell = np.empty((2, len(hidden), len(chosen)))
        for done, fold in enumerate(folds):
            own = np.flatnonzero(np.isin(chosen, fold.aside))
            others = only_values(np.delete(rows, fold.aside, axis=0))
            ends = range(AT_ONCE // rows.shape[1] + 1, len(own), AT_ONCE // rows.shape[1] + 1)
            for at, gapped in enumerate(given):
                for some in np.split(own, ends):
                    report((done + at / len(given)) / len(folds))
                    found = Scores.of(fold.density, gapped[some], others)
                    whole[at, some], cell[at, some] = found.whole, found.cell
        return cls(numbers[chosen], only, np.array(shares), whole, cell, len(folds))

    @property
    def known(self) -> int:
        """The number of out-of-fold scores."""
        return len(self.rows)

    def held_out(
        self, scores: Scores, numbers: Int[IntArray, " n"]
    ) -> tuple[Scores, Bool[BoolArray, " n"]]:
        """Return scores of rows, held out where they are known, and which rows are known.

        numbers: the numbers of the rows, −1 for a row that is no training row. Training rows that
        are not known have the scores of a density that has seen them, so they look more typical
        than they are.
        """
        same = numbers[:, None] == self.rows
        own, at = same.any(axis=1), same.argmax(axis=1)
        whole = np.where(own, self.whole[0, at], scores.whole)
        cell = np.where(own, self.cell[0, at], scores.cell)
        return replace(scores, whole=whole, cell=cell), own

    def p_values(
        self,
        scores: Scores,
        rows: Float[Array, "n D"],
        among: Bool[BoolArray, " n"] | None = None,
    ) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
        """Return (1 + number of training rows that score at least as high) / (1 + number of rows).

        Returns this fraction, a p-value, for the score and for the cell score. Each row is compared
        with training rows that have about the same share of gaps. among: which rows are themselves
        among those that they are compared with (`held_out`); they do not count.
        """
        itself = np.zeros(len(rows)) if among is None else among.astype(float)
        alike = self._alike(rows)
        found = np.empty((2, len(rows)))
        for at in np.unique(alike):
            own = alike == at
            for p, known, score in (
                (found[0], self.whole[at], scores.whole),
                (found[1], self.cell[at], scores.cell),
            ):
                above = self.known - np.searchsorted(np.sort(known), score[own], side="left")
                p[own] = np.maximum(1.0 + above - itself[own], 1.0) / (
                    1.0 + self.known - itself[own]
                )
        return found[0], found[1]

    def unlike(self, scores: Scores, rows: Float[Array, "n D"]) -> NDArray[np.bool_]:
        """Whether a row's score is above the scores of all training rows."""
        return np.asarray(scores.whole > self.whole.max(axis=1)[self._alike(rows)])

    def oddness(self, scores: Scores, rows: Float[Array, "n D"]) -> Float[Array, " n"]:
        """Return a number by which rows can be ranked: the larger of both standardised scores.

        A standardised score is (score − median) / (97 % quantile − median), with the median and
        quantile of the training rows.
        """
        alike, found = self._alike(rows), []
        for known, score in ((self.whole, scores.whole), (self.cell, scores.cell)):
            finite = np.minimum(known, known[np.isfinite(known)].max(initial=0.0))
            middle, high = np.quantile(finite, (0.5, 0.97), axis=1)
            unit = np.maximum(high - middle, np.finfo(float).tiny)
            found.append((score - middle[alike]) / unit[alike])
        return np.maximum(*found)

    def _alike(self, rows: Float[Array, "n D"]) -> Int[IntArray, " n"]:
        """Return, for every row, the index of the share of gaps nearest to the row's own share."""
        away = np.abs(_shares_missing(rows, self.only)[:, None] - self.shares)
        return np.asarray(np.argmin(away, axis=1))


def only_values(rows: Float[Array, "N D"]) -> Float[Array, " D"]:
    """Return the value of columns with a single value, NaN for all others."""
    lowest, highest = np.nanmin(rows, axis=0), np.nanmax(rows, axis=0)
    return np.where(lowest == highest, lowest, np.nan)


def _shares_missing(rows: Float[Array, "n D"], only: Float[Array, " D"]) -> Float[Array, " n"]:
    return np.asarray(np.isnan(rows[:, np.isnan(only)]).mean(axis=1))
