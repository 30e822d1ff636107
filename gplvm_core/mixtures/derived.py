"""A mixture of Gaussians derived from a map: local Gaussians, residuals, and a fit to the rows.

1. Every Gaussian of a latent density becomes one Gaussian of rows, with the mean and covariance of
   the map's values there (`LocalGaussians`).
2. The map's residuals are correlated between outputs: they have a common covariance R (`residual`).
3. The local Gaussians are the prior of a mixture that is fitted to the rows (`fitted`).

The result is the exact density of this mixture. It is not a bound on the model's log p(Y).

Also here: gaussians of clusters of rows: the prior of a mixture that is fitted without a map.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from jaxtyping import Float

from gplvm_core.mixtures.gaussians import shares_of
from gplvm_core.numerics import Array, Factor, factorise, symmetrise

# Every update multiplies R's covariances between outputs by this factor, which shrinks them.
SHRUNK = 0.9
RESIDUAL_UPDATES = 6
# Lower limit of R's variances as a share of the noise: the residuals of a constant column are 0.
LEAST_SHARE = 1e-3
# The number of rows that a local Gaussian's mean counts as.
MEAN_ROWS = 1.0
MOST_UPDATES = 100
# The share of a row in a Gaussian that is too small to change it. In many dimensions, nearly every
# row belongs to a single Gaussian.
NEGLIGIBLE = 1e-12
ENOUGH = 1e-4  # nats a row
# The most numbers of the arrays of all rows and Gaussians; more rows are computed in parts.
MOST_NUMBERS = 250_000


@dataclass(frozen=True)
class LocalGaussians:
    """Gaussians with full covariances: weights w_k, means c_k and covariances C_k."""

    weights: Float[Array, " K"]
    means: Float[Array, "K D"]
    covariances: Float[Array, "K D D"]

    @cached_property
    def lower(self) -> Float[Array, "K D D"]:
        """The Cholesky factors L_k of the covariances."""
        return np.array([factorise(each).lower for each in self.covariances])

    @cached_property
    def inverse(self) -> Float[Array, "K D D"]:
        """L_k⁻¹."""
        diagonal = np.eye(self.means.shape[1])
        return np.array([Factor(each, 0.0).solve_lower(diagonal) for each in self.lower])

    @cached_property
    def log_determinants(self) -> Float[Array, " K"]:
        """log |C_k|."""
        return 2.0 * np.sum(np.log(np.diagonal(self.lower, axis1=1, axis2=2)), axis=1)

    def log_each(self, rows: Float[Array, "N D"]) -> Float[Array, "N K"]:
        """Return log(w_k p_k) of each row, in nats."""
        squares, (size, width) = np.empty((len(rows), len(self.means))), self.means.shape
        many = max(1, MOST_NUMBERS // (size * width))
        for start in range(0, len(rows), many):
            away = rows[start : start + many] - self.means[:, None]
            white = np.matmul(away, self.inverse.transpose(0, 2, 1))
            squares[start : start + many] = np.einsum("knd,knd->nk", white, white)
        with np.errstate(divide="ignore"):
            log = np.log(self.weights)
        return log - 0.5 * (squares + width * np.log(2.0 * np.pi) + self.log_determinants)

    def with_residual(self, residual: Float[Array, "D D"]) -> Self:
        """Return the same Gaussians with a common covariance added."""
        return replace(self, covariances=self.covariances + residual)


def joined(parts: Sequence[LocalGaussians], weights: Float[Array, " P"]) -> LocalGaussians:
    """Return the mixture of several mixtures."""
    return LocalGaussians(
        np.concatenate([w * part.weights for w, part in zip(weights, parts, strict=True)]),
        np.concatenate([part.means for part in parts]),
        np.concatenate([part.covariances for part in parts]),
    )


def residual(
    rows: Float[Array, "N D"],
    local: LocalGaussians,
    noise: Float[Array, "D D"],
    *,
    updates: int = RESIDUAL_UPDATES,
    shrunk: float = SHRUNK,
) -> Float[Array, "D D"]:
    """Estimate the covariance R of the map's residuals by expectation maximisation from the noise.

    A row is the map's value N(c_k, A_k) plus a residual N(0, R). local: c_k and A_k, which are
    fixed.
    """
    found, diagonal = noise, np.eye(len(noise), dtype=bool)
    least = LEAST_SHARE * noise.diagonal()
    for _ in range(updates):
        whole = local.with_residual(found)
        shares, _ = shares_of(whole.log_each(rows), axis=1)
        total = np.zeros_like(found)
        for k, inverse in enumerate(whole.inverse):
            # B = R C⁻¹: the mean of the residual is B δ, its covariance R − B R.
            half = inverse @ found
            belong = shares[:, k] > NEGLIGIBLE
            means = (rows[belong] - local.means[k]) @ inverse.T @ half
            means *= np.sqrt(shares[belong, k, None])
            total += means.T @ means
            total += shares[:, k].sum() * (found - half.T @ half)
        found = symmetrise(total / len(rows))
        found = np.where(diagonal, found, shrunk * found)
        found += np.diag(np.maximum(least - found.diagonal(), 0.0))
    return found


def fitted(
    rows: Float[Array, "N D"],
    prior: LocalGaussians,
    strength: float,
    watch: Callable[[], None] = lambda: None,
) -> LocalGaussians:
    """Return the most probable mixture of the rows; the local Gaussians are the prior.

    strength: ν, the number of rows that a prior covariance counts as; ∞ fixes the covariances.
    watch: called before every update; an exception that it raises ends the fit.
    """
    if np.isinf(strength):
        return prior
    found, before = prior, -np.inf
    for _ in range(MOST_UPDATES):
        watch()
        shares, log = shares_of(found.log_each(rows), axis=1)
        value = objective(log, found, prior, strength) / len(rows)
        if value - before < ENOUGH:
            break
        found, before = _updated(rows, shares, prior, strength), value
    return found


def objective(
    log: Float[Array, " N"], found: LocalGaussians, prior: LocalGaussians, strength: float
) -> float:
    """Return log p(rows) + the log prior of means and covariances, in nats, up to a constant.

    log: log p of each row.
    The prior of a Gaussian is exp(−½ ν [log |C| + tr C⁰ C⁻¹] − ½ κ oᵀ C⁻¹ o), with o = c − c⁰.
    """
    value = float(np.sum(log))
    inner = float(np.sum(np.matmul(found.inverse, prior.lower) ** 2))  # Σ_k tr C⁰ C⁻¹
    away = np.matmul(found.inverse, (found.means - prior.means)[:, :, None])
    value -= 0.5 * strength * (float(found.log_determinants.sum()) + inner)
    return value - 0.5 * MEAN_ROWS * float(np.sum(away**2))


def _updated(
    rows: Float[Array, "N D"], shares: Float[Array, "N K"], prior: LocalGaussians, strength: float
) -> LocalGaussians:
    counts, covariances = shares.sum(axis=0), np.empty_like(prior.covariances)
    means = (shares.T @ rows + MEAN_ROWS * prior.means) / (counts + MEAN_ROWS)[:, None]
    for k, count in enumerate(counts):
        belong = shares[:, k] > NEGLIGIBLE
        away, moved = rows[belong] - means[k], means[k] - prior.means[k]
        half = np.sqrt(shares[belong, k, None]) * away
        scatter = half.T @ half + MEAN_ROWS * np.outer(moved, moved)
        covariances[k] = (scatter + strength * prior.covariances[k]) / (count + strength)
    return LocalGaussians(counts / len(rows), means, symmetrise(covariances))


# The common covariance is this fraction of the covariance within clusters, plus the rest of the
# diagonal.
CORRELATED = 0.5
# The smallest variance within clusters, in the rows' units.
LEAST_VARIANCE = 1e-4


def clustered(rows: Float[Array, "N D"], size: int, random_state: int | None) -> LocalGaussians:
    """Return one Gaussian for each cluster of k-means, all with the covariance within clusters."""
    from sklearn.cluster import KMeans

    clusters = KMeans(size, n_init=1, random_state=random_state).fit(rows)
    within = np.atleast_2d(
        np.cov((rows - clusters.cluster_centers_[clusters.labels_]).T, bias=True)
    )
    spread = np.diag(within.diagonal() + LEAST_VARIANCE)
    common = CORRELATED * within + (1.0 - CORRELATED) * spread
    return LocalGaussians(
        np.bincount(clusters.labels_, minlength=size) / len(rows),
        clusters.cluster_centers_,
        np.repeat(common[None], size, axis=0),
    )
