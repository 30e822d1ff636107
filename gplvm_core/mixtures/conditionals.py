"""The distribution of each value of a row given its other values, under a mixture of Gaussians.

The precision matrix P of a Gaussian gives the conditionals of all columns together: with δ = y − c
and q = P δ, column d given the other columns is N(y_d − q_d / P_dd, 1 / P_dd). Rows with gaps use
the precision of their observed columns, P_oo − P_om P_mm⁻¹ P_mo.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray
from scipy.special import log_ndtr, logsumexp

from gplvm_core.mixtures.gaussians import Gaussians, patterns
from gplvm_core.numerics import Array, IntArray, factorise

# Wider rows are computed by low-rank algebra, one pattern of gaps after the other.
MOST_DENSE = 256
# The most numbers in one array; more rows are computed in parts.
MOST_NUMBERS = 4_000_000


@dataclass(frozen=True, eq=False)
class Conditionals:
    """Rows given a mixture.

    log_density: log density of the observed values, in nats. lost: how much lower −log p is on
    average because columns are missing, in nats. filled, variance: the rows with their gaps filled,
    and the variances of the fills (0 if observed). expected, std: mean and standard deviation of
    every observed value given the row's other values; NaN if missing. log_tail: log of the
    two-sided probability of a value at least as far out; 0 if missing.
    """

    log_density: Float[Array, " n"]
    lost: Float[Array, " n"]
    filled: Float[Array, "n D"]
    variance: Float[Array, "n D"]
    expected: Float[Array, "n D"]
    std: Float[Array, "n D"]
    log_tail: Float[Array, "n D"]

    @classmethod
    def of(cls, mixture: Gaussians, rows: Float[Array, "n D"]) -> Self:
        """Compute the conditionals of all rows; NaN marks missing values."""
        dense = rows.shape[1] <= MOST_DENSE
        each = [_Dense.of(mixture, k) for k in range(len(mixture.weights))] if dense else []
        found = [np.empty(len(rows))] * 2 + [np.empty(rows.shape)] * 5
        found = [own.copy() for own in found]
        # The weights are added in `_mixed`. log |C| of every Gaussian does not depend on the rows.
        alone = replace(mixture, weights=np.ones_like(mixture.weights))
        every = [] if dense else alone.given(rows[:0], np.ones(rows.shape[1], dtype=bool))
        determinants = [one.log_determinant for one in every]
        for some in _alike(rows, len(mixture.weights), dense=dense):
            own = rows[some]
            gaps = _gaps(own) if dense else np.isnan(own[0])
            parts = (
                [one.given(own, gaps) for one in each]
                if dense
                else _low_rank(alone, own, determinants)
            )
            for whole, part in zip(found, _mixed(mixture.weights, own, parts), strict=True):
                whole[some] = part
        return cls(*found)

    def rows(self, chosen: NDArray[np.intp]) -> Self:
        """Return the conditionals of some of the rows."""
        return type(self)(*(getattr(self, each.name)[chosen] for each in fields(self)))


@dataclass(frozen=True, eq=False)
class _Given:
    """Rows given one Gaussian.

    log: log p of the observed values. lost: the entropy of the missing values given the observed
    values. filled, variance: fills and their variances. away, std: distances to the conditional
    means and conditional standard deviations.
    """

    log: Float[Array, " n"]
    lost: Float[Array, " n"]
    filled: Float[Array, "n D"]
    variance: Float[Array, "n D"]
    away: Float[Array, "n D"]
    std: Float[Array, "n D"]


@dataclass(frozen=True, eq=False)
class _Dense:
    """A Gaussian by its scaled precision N = S P S with unit diagonal, where S = diag P_dd^(−½).

    log_determinant: log |P|.
    """

    mean: Float[Array, " D"]
    scale: Float[Array, " D"]
    precision: Float[Array, "D D"]
    log_determinant: float

    @classmethod
    def of(cls, mixture: Gaussians, k: int) -> "_Dense":
        found = factorise(mixture.covariance(k))
        precision = found.inverse()
        scale = 1.0 / np.sqrt(precision.diagonal())
        normal = scale[:, None] * precision * scale
        return cls(mixture.means[k], scale, normal, -found.log_determinant)

    def given(self, rows: Float[Array, "n D"], gaps: Int[IntArray, "n m"]) -> _Given:
        """Condition rows with the same number of gaps, whose columns are `gaps`."""
        count, width = gaps.shape
        away = np.nan_to_num((rows - self.mean) / self.scale)
        slope = away @ self.precision
        squares = np.sum(away * slope, axis=1)
        left = np.ones_like(away)
        filled, variance = rows.copy(), np.zeros_like(rows)
        logs = np.zeros(count)
        if width:
            own = np.arange(count)[:, None]
            across = self.precision[gaps]  # N_m:, (n, m, D)
            inverse = np.linalg.inv(np.take_along_axis(across, gaps[:, None], axis=2))
            logs = -np.linalg.slogdet(inverse)[1]
            best = -np.einsum("nij,nj->ni", inverse, slope[own, gaps])
            squares += np.sum(slope[own, gaps] * best, axis=1)
            slope += np.einsum("nmd,nm->nd", across, best)
            left -= np.einsum("nmd,nmd->nd", across, inverse @ across)
            filled[own, gaps] = self.mean[gaps] + self.scale[gaps] * best
            variance[own, gaps] = self.scale[gaps] ** 2 * np.diagonal(inverse, axis1=1, axis2=2)
            slope[own, gaps], left[own, gaps] = 0.0, 1.0
        # log |P_mm|; the determinant of the observed columns is log |C_oo| = log |C| + log |P_mm|.
        logs = logs - 2.0 * np.sum(np.log(self.scale[gaps]), axis=1)
        constant = (rows.shape[1] - width) * np.log(2.0 * np.pi) - self.log_determinant + logs
        lost = 0.5 * (width * (1.0 + np.log(2.0 * np.pi)) - logs)
        left = np.maximum(left, np.finfo(float).eps)
        std = self.scale / np.sqrt(left)
        return _Given(
            -0.5 * (squares + constant), lost, filled, variance, slope / np.sqrt(left), std
        )


def _low_rank(
    mixture: Gaussians, rows: Float[Array, "n D"], determinants: list[float]
) -> list[_Given]:
    """Condition rows with the same gaps on every Gaussian, by the algebra of factors and noise.

    mixture: with weights 1. determinants: log |C| of every Gaussian.
    """
    seen = ~np.isnan(rows[0])
    hidden, shape, found = ~seen, rows.shape, []
    for part, determinant in zip(mixture.given(rows[:, seen], seen), determinants, strict=True):
        slope, precisions = part.precisions()
        away, std = np.zeros(shape), np.ones(shape)
        away[:, seen], std[:, seen] = slope / np.sqrt(precisions), 1.0 / np.sqrt(precisions)
        filled, variance = rows.copy(), np.zeros(shape)
        filled[:, hidden], variance[:, hidden] = part.means(), part.variances()
        logs = determinant - part.log_determinant
        lost = 0.5 * (hidden.sum() * (1.0 + np.log(2.0 * np.pi)) + logs)
        found.append(_Given(part.log, np.full(len(rows), lost), filled, variance, away, std))
    return found


def _mixed(
    weights: Float[Array, " K"], rows: Float[Array, "n D"], parts: list[_Given]
) -> tuple[Array, ...]:
    """Combine the conditionals of all Gaussians to the fields of `Conditionals`."""
    with np.errstate(divide="ignore"):
        logs = np.log(weights)[:, None] + np.array([part.log for part in parts])
    whole = logsumexp(logs, axis=0)
    shares = np.exp(logs - whole)[:, :, None]
    filled = np.array([part.filled for part in parts])
    mean = np.sum(shares * filled, axis=0)
    variance = np.array([part.variance for part in parts])
    variance = np.sum(shares * (variance + (filled - mean) ** 2), axis=0)
    away, std = np.array([part.away for part in parts]), np.array([part.std for part in parts])
    # Each Gaussian's probability given the other columns: w_k N_k(y) / N_k(y_d | other columns).
    others = logs[:, :, None] + 0.5 * away**2 + np.log(std)
    others -= logsumexp(others, axis=0)
    log_tail = np.log(2.0) + np.minimum(
        logsumexp(others + log_ndtr(away), axis=0), logsumexp(others + log_ndtr(-away), axis=0)
    )
    others = np.exp(others)
    moved = np.sum(others * away * std, axis=0)
    spread = np.sum(others * (std**2 + (away * std - moved) ** 2), axis=0)
    missing = np.isnan(rows)
    return (
        whole,
        weights @ np.array([part.lost for part in parts]),
        np.where(missing, mean, rows),
        np.where(missing, variance, 0.0),
        rows - moved,
        np.where(missing, np.nan, np.sqrt(spread)),
        np.where(missing, 0.0, np.minimum(log_tail, 0.0)),
    )


def _gaps(rows: Float[Array, "n D"]) -> Int[IntArray, "n m"]:
    """Return the columns of the gaps, for rows with the same number of gaps."""
    return np.nonzero(np.isnan(rows))[1].reshape(len(rows), -1)


def _alike(rows: Float[Array, "n D"], size: int, *, dense: bool) -> Iterator[NDArray[np.intp]]:
    """Yield rows with the same number of gaps, or with the same gaps, a few at a time."""
    if dense:
        counts = np.isnan(rows).sum(axis=1)
        groups = [np.flatnonzero(counts == count) for count in np.unique(counts)]
    else:
        groups = [own for own, _ in patterns(rows)]
    for own in groups:
        many = max(1, MOST_NUMBERS // max(1, rows.shape[1] * size))
        for start in range(0, len(own), many):
            yield own[start : start + many]
