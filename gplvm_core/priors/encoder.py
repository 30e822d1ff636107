"""Encoders: q(X) as a function of the outputs; an encoder infers new rows without a search.

An encoder is a back-constraint (Lawrence & Quiñonero-Candela 2006) on the mean and the variance of
q(x_n). Both kinds of encoder add nonlinear units h(y) to a linear map of the rows. The units are
kernel functions ("bumps") around centres, or a hidden layer of tanh. The variational
back-constraint of Damianou (2015), §4.2.1 and §6.2.5, has no parameters: its q(x_n) is centred on
y_n itself, and its variance is fixed (`Reading.of_outputs`, `Head.outputs`).
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float, Int
from scipy.spatial.distance import pdist

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import RBF
from gplvm_core.numerics import Array, IntArray

MOST_CENTERS = 200
HIDDEN_UNITS = 50
# Initial weights of hidden units: small, so that no unit is saturated.
HIDDEN_GAIN = 0.3
# Directions whose variance is below this fraction of the largest are dropped.
LEAST_SHARE = 1e-8
# Variance of q(x_n) that is centred on the outputs, which have unit variance.
AT_OUTPUTS = 0.01


@dataclass(frozen=True)
class Seen:
    """The features of some rows: principal scores, and bumps for an encoder with centres."""

    scores: Float[Array, "N K"]
    bumps: Float[Array, "N H"] | None = None

    def rows(self, chosen: Int[IntArray, " n"]) -> "Seen":
        """Return the features of some of the rows."""
        return Seen(self.scores[chosen], None if self.bumps is None else self.bumps[chosen])


@dataclass(frozen=True)
class Bumps:
    """The values k(y, centers) in a basis in which the bumps at the centres are independent."""

    kernel: RBF
    centers: Float[Array, "C D"]
    basis: Float[Array, "C H"]

    @classmethod
    def of(cls, rows: Float[Array, "N D"]) -> Self | None:
        """Place bumps at all distinct rows, or at 200 k-means centres if there are more rows.

        The lengthscale is the median distance of two centres over √2: k = exp(−(d / median)²).
        Returns None if all rows are equal.
        """
        centers = np.unique(rows, axis=0)
        if len(centers) > MOST_CENTERS:
            from sklearn.cluster import KMeans

            found = KMeans(MOST_CENTERS, n_init=1, random_state=0).fit(rows)
            centers = np.asarray(found.cluster_centers_)
        if len(centers) < 2:
            return None
        kernel = RBF(1.0, float(np.median(pdist(centers))) / np.sqrt(2.0))
        values, vectors = np.linalg.eigh(kernel.K(centers))
        kept = values > LEAST_SHARE * values[-1]
        basis = vectors[:, kept] / np.sqrt(values[kept])
        level = np.sqrt(np.mean((kernel.K(rows, centers) @ basis) ** 2, axis=0).max())
        return cls(kernel, centers, basis / level)

    def __call__(self, rows: Float[Array, "N D"]) -> Float[Array, "N H"]:
        return self.kernel.K(rows, self.centers) @ self.basis


@dataclass(frozen=True)
class Reading:
    """The map from rows to an encoder's features, computed once from the training rows."""

    basis: Float[Array, "D K"]
    bumps: Bumps | None = None

    @classmethod
    def of(cls, rows: Float[Array, "N D"], n_scores: int, *, bumps: bool) -> Self:
        """Use at most n_scores principal scores of centred rows, each of unit variance."""
        _, values, directions = np.linalg.svd(rows, full_matrices=False)
        kept = (values > np.sqrt(LEAST_SHARE) * values[0]) & (np.arange(len(values)) < n_scores)
        basis = np.sqrt(len(rows)) * directions[kept].T / values[kept]
        return cls(basis, Bumps.of(rows) if bumps else None)

    @classmethod
    def of_outputs(cls, rows: Float[Array, "N D"]) -> Self:
        """Use the centred rows themselves, each column with unit variance."""
        spread = rows.std(axis=0)
        return cls(np.diag(np.where(spread > 0.0, 1.0 / np.where(spread > 0.0, spread, 1.0), 0.0)))

    def __call__(self, rows: Float[Array, "N D"]) -> Seen:
        return Seen(rows @ self.basis, None if self.bumps is None else self.bumps(rows))


@dataclass(frozen=True)
class Head:
    """Parameters of q(x) = N(mean, diag variance) given the features; also their gradients.

    mean = [1 s h] · mean and log variance = [1 h] · log_variance. s are the scores; h are the
    bumps, or with `hidden` a layer tanh([1 s] · hidden). The encoder also predicts the variance, so
    that ambiguous rows have a larger variance. The variance depends on h alone. Since h is bounded,
    the variance stays bounded far from all data.
    """

    mean: Float[Array, "A Q"]  # A = 1 + K + H
    log_variance: Float[Array, "B Q"]  # B = 1 + H
    hidden: Float[Array, "C H"] | None = None  # C = 1 + K

    @classmethod
    def network(cls, seen: Seen, wanted: Belief, generator: np.random.Generator) -> Self:
        """Start with a random hidden layer, and a mean fitted to given values."""
        n_scores = seen.scores.shape[1]
        drawn = generator.standard_normal((1 + n_scores, HIDDEN_UNITS))
        drawn[1:] /= np.sqrt(n_scores)
        return cls._near(seen, wanted, HIDDEN_GAIN * drawn)

    @classmethod
    def kernel(cls, seen: Seen, wanted: Belief) -> Self:
        """Start with bumps, and a mean fitted to given values."""
        return cls._near(seen, wanted, None)

    @classmethod
    def outputs(cls, seen: Seen) -> Self:
        """Return q(x) centred on the scores, with a fixed variance (Damianou 2015, §6.2.5: M3)."""
        n_scores = seen.scores.shape[1]
        mean = np.vstack([np.zeros(n_scores), np.eye(n_scores)])
        return cls(mean, np.full((1, n_scores), np.log(AT_OUTPUTS)))

    @classmethod
    def _near(cls, seen: Seen, wanted: Belief, hidden: Array | None) -> Self:
        # Fit the linear part first, because it extrapolates; then fit the units to the residual.
        units = _units(seen, hidden)
        linear = _with_one(seen.scores)
        both = np.hstack([linear, units])
        straight, *_ = np.linalg.lstsq(linear, wanted.mean, rcond=None)
        rest, *_ = np.linalg.lstsq(both, wanted.mean - linear @ straight, rcond=LEAST_SHARE)
        mean = np.array(rest, dtype=np.float64)
        mean[: len(straight)] += straight
        log_variance = np.zeros((1 + units.shape[1], wanted.n_latent))
        log_variance[0] = np.log(wanted.variance).mean(axis=0)
        return cls(mean, log_variance, hidden)

    def belief(self, seen: Seen) -> Belief:
        """Return q(x_n) of the rows with these features."""
        units = _units(seen, self.hidden)
        mean = np.hstack([_with_one(seen.scores), units]) @ self.mean
        # In a line search, an overflow becomes inf and the evaluation is rejected.
        with np.errstate(over="ignore"):
            return Belief(mean, np.exp(_with_one(units) @ self.log_variance))

    def pullback(self, seen: Seen, at: Belief, gradient: Belief) -> "Head":
        """Return ∂/∂parameters from ∂/∂(mean, variance) at the belief `at` of the same rows."""
        units, scores = _units(seen, self.hidden), _with_one(seen.scores)
        d_log = gradient.variance * at.variance
        d_mean = np.hstack([scores, units]).T @ gradient.mean
        d_hidden = None
        if self.hidden is not None:
            outgoing = self.mean[scores.shape[1] :], self.log_variance[1:]
            d_units = gradient.mean @ outgoing[0].T + d_log @ outgoing[1].T
            d_hidden = scores.T @ (d_units * (1.0 - units**2))
        return Head(d_mean, _with_one(units).T @ d_log, d_hidden)


@dataclass(frozen=True)
class Encoder:
    """An encoder: it computes q(x) of rows that are in the layer's internal units."""

    reading: Reading
    head: Head

    def belief(self, rows: Float[Array, "N D"]) -> Belief:
        """Return q(x_n) of rows without gaps."""
        return self.head.belief(self.reading(rows))


def _units(seen: Seen, hidden: Array | None) -> Float[Array, "N H"]:
    if hidden is not None:
        return np.tanh(_with_one(seen.scores) @ hidden)
    return np.empty((len(seen.scores), 0)) if seen.bumps is None else seen.bumps


def _with_one(features: Array) -> Array:
    return np.hstack([np.ones((len(features), 1)), features])
