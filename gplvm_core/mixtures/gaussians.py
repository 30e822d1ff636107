"""Mixtures of Gaussians as densities of rows, with gaps, conditional distributions and draws.

Also here: how much of each row belongs to each Gaussian of a mixture.

Also here: a mixture of Gaussians as the density of the training rows' latent points.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.mixtures.conditioned import Basis, Conditioned, Noise, Seen
from gplvm_core.numerics import Array, IntArray, factorise

LARGEST = np.finfo(float).max


def shares_of(
    each: Float[Array, "..."], axis: int
) -> tuple[Float[Array, "..."], Float[Array, "..."]]:
    """Return exp(each) / Σ exp(each), and log Σ exp(each), with the sums along an axis.

    The fit of a mixture calls this at every update. SciPy's logsumexp and softmax evaluate
    the exponentials twice, and take several times as long for small tables.
    """
    most = np.maximum(each.max(axis=axis, keepdims=True), -LARGEST)
    shares = np.exp(each - most)
    total = shares.sum(axis=axis, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return shares / total, np.squeeze(most + np.log(total), axis)


Rows = Int[IntArray, " n"]
# Given a row's observed values, Gaussians below this probability do not affect the missing values.
LEAST_SHARE = 1e-16


@dataclass(frozen=True)
class Gaussians:
    """The density Σ_k w_k N(y; m_k, B_k B_kᵀ + N_k), with B_k = U F_k and noise N_k.

    weights: (K,), their sum is 1; means, variances: (K, D); factors: F_k (K, E, R). The noise is
    N_k = diag v_k. Missing values of rows (NaN) are integrated out.

    axes: U (D, E), which all Gaussians of wide rows share to save memory and time; None means the
    identity. With axes, N_k = r_k (diag v_1 + G Gᵀ): the variances of two Gaussians have the same
    ratio in all columns. common: G (D, T); None means 0.
    """

    weights: Float[Array, " K"]
    means: Float[Array, "K D"]
    factors: Float[Array, "K E R"]
    variances: Float[Array, "K D"]
    axes: Float[Array, "D E"] | None = None
    common: Float[Array, "D T"] | None = None

    @classmethod
    def full(
        cls,
        weights: Float[Array, " K"],
        means: Float[Array, "K D"],
        covariances: Float[Array, "K D D"],
        around: float | None = None,
    ) -> Self:
        """Make a mixture from full covariances. around: v, a lower limit of the eigenvalues; None
        means half of the smallest eigenvalue of each covariance.
        """
        values, vectors = np.linalg.eigh(covariances)
        least = 0.5 * values[:, :1] if around is None else np.full((len(values), 1), around)
        factors = vectors * np.sqrt(np.maximum(values - least, 0.0))[:, None, :]
        return cls(weights, means, factors, np.repeat(least, means.shape[1], axis=1))

    @classmethod
    def mixed(cls, parts: Sequence[Self], weights: Float[Array, " P"]) -> Self:
        """Combine several mixtures with the same axes and the same G to one mixture."""
        return cls(
            np.concatenate([w * part.weights for w, part in zip(weights, parts, strict=True)]),
            np.concatenate([part.means for part in parts]),
            np.concatenate([part.factors for part in parts]),
            np.concatenate([part.variances for part in parts]),
            parts[0].axes,
            parts[0].common,
        )

    def only(self, k: int) -> Self:
        """Return a mixture that contains only Gaussian k."""
        one = slice(k, k + 1)
        common = None if self.common is None else np.sqrt(self._ratio(k)) * self.common
        return replace(
            self,
            common=common,
            weights=np.ones(1),
            means=self.means[one],
            factors=self.factors[one],
            variances=self.variances[one],
        )

    def in_units(self, center: Float[Array, " D"], scale: Float[Array, " D"]) -> Self:
        """Return the density of center + scale · y."""
        means, variances = center + scale * self.means, scale**2 * self.variances
        if self.axes is not None:
            axes = scale[:, None] * self.axes
            common = None if self.common is None else scale[:, None] * self.common
            return replace(self, means=means, variances=variances, axes=axes, common=common)
        return replace(
            self, means=means, variances=variances, factors=scale[:, None] * self.factors
        )

    def along(self, axes: Float[Array, "E D"], common: Float[Array, "E T"] | None = None) -> Self:
        """Return the density of rows with these coordinates along orthonormal axes. In all other
        directions the rows have the same variance v, which must be one number, and the covariance
        r_k G Gᵀ (common: G).
        """
        around = np.repeat(self.variances[:, :1], len(axes), axis=1)
        return replace(self, means=self.means @ axes.T, variances=around, axes=axes, common=common)

    def covariance(self, k: int) -> Float[Array, "D D"]:
        """Return the covariance of Gaussian k."""
        factor = self._factor(k)
        found = factor @ factor.T + np.diag(self.variances[k])
        if self.common is not None:
            found += self._ratio(k) * (self.common @ self.common.T)
        return np.asarray(found)

    def log_each(self, rows: Float[Array, "N D"]) -> Float[Array, "N K"]:
        """Return log(w_k p_k) of the observed values of each row, in nats."""
        found = np.empty((len(rows), len(self.weights)))
        for alike, seen in patterns(rows):
            for k, part in enumerate(self.given(rows[alike][:, seen], seen)):
                found[alike, k] = part.log
        return found

    def score_samples(self, rows: Float[Array, "N D"]) -> Float[Array, " N"]:
        """Return log p of the observed values of each row, in nats."""
        return shares_of(self.log_each(rows), axis=1)[1]

    def complete(
        self, rows: Float[Array, "N D"]
    ) -> tuple[Float[Array, "N D"], Float[Array, "N D"]]:
        """Fill missing values with conditional means; also return variances, 0 if observed."""
        whole, variance = rows.copy(), np.zeros_like(rows)
        for alike, hidden, parts, shares in self._with_gaps(rows):
            (used,) = np.nonzero(shares.max(axis=1) >= LEAST_SHARE)
            shape = (len(used), len(alike), int(hidden.sum()))
            means, spreads = np.empty(shape), np.empty((shape[0], 1, shape[2]))
            for place, k in enumerate(used.tolist()):
                means[place], spreads[place] = parts[k].means(), parts[k].variances()
            weights = shares[used][:, :, None]
            mean = np.sum(weights * means, axis=0)
            whole[np.ix_(alike, hidden)] = mean
            variance[np.ix_(alike, hidden)] = np.sum(
                weights * (spreads + (means - mean) ** 2), axis=0
            )
        return whole, variance

    def sample_completions(
        self, rows: Float[Array, "N D"], count: int, generator: np.random.Generator
    ) -> Float[Array, "S N D"]:
        """Return rows with their missing values drawn from the conditional density."""
        found = np.repeat(rows[None], count, axis=0)
        for alike, hidden, parts, shares in self._with_gaps(rows):
            below = np.cumsum(shares, axis=0)[:-1]
            chosen = np.sum(generator.random((count, len(alike))) > below[:, None], axis=0)
            for k, part in enumerate(parts):
                drawn, own = np.nonzero(chosen == k)
                values = part.sample(own, generator)
                found[drawn[:, None], alike[own][:, None], np.flatnonzero(hidden)] = values
        return found

    def sample(self, count: int, generator: np.random.Generator) -> Float[Array, "S D"]:
        """Draw rows."""
        drawn = []
        for k, many in enumerate(generator.multinomial(count, self.weights)):
            unit = generator.standard_normal((many, self.factors.shape[2]))
            along = unit @ self._factor(k).T
            around = generator.standard_normal((many, self.means.shape[1]))
            own = self.means[k] + along + np.sqrt(self.variances[k]) * around
            if self.common is not None:
                unit = generator.standard_normal((many, self.common.shape[1]))
                own += np.sqrt(self._ratio(k)) * (unit @ self.common.T)
            drawn.append(own)
        return np.asarray(generator.permutation(np.vstack(drawn)))

    def _with_gaps(
        self, rows: Float[Array, "N D"]
    ) -> Iterator[tuple[Rows, Seen, list[Conditioned], Float[Array, "K n"]]]:
        """Yield the rows with the same gaps, which columns these are, and the Gaussians given the
        other columns, with their shares in each row.
        """
        for alike, seen in patterns(rows):
            if not seen.all():
                parts = self.given(rows[alike][:, seen], seen)
                shares, _ = shares_of(np.array([part.log for part in parts]), axis=0)
                yield alike, ~seen, parts, shares

    def given(self, rows: Float[Array, "N S"], seen: Seen) -> list[Conditioned]:
        """Condition every Gaussian on the observed values of rows."""
        found = []
        if self.axes is not None:
            shared = Basis(self.axes, Noise(self.variances[0], self.common, seen))
            # Linear in the rows: once for the rows, and once for the means.
            origin, means = self.means[0, seen], self.means[:, seen]
            own, others = shared.of(rows - origin), shared.of(means - origin)
        for k, (weight, mean, factor) in enumerate(
            zip(self.weights, self.means, self.factors, strict=True)
        ):
            away = rows - mean[seen]
            if self.axes is None:
                basis, inner = Basis(factor, Noise(self.variances[k], None, seen)), None
                projected = basis.of(away)
            else:
                basis, inner = shared, factor
                projected = (own[0] - others[0][:, [k]], own[1] - others[1][:, [k]])
            found.append(
                Conditioned.of(float(weight), mean, basis, inner, self._ratio(k), away, projected)
            )
        return found

    def _factor(self, k: int) -> Float[Array, "D R"]:
        """Return B_k."""
        return self.factors[k] if self.axes is None else self.axes @ self.factors[k]

    def _ratio(self, k: int) -> float:
        """Return r_k."""
        if self.axes is None:
            return 1.0
        return float(self.variances[k, 0] / self.variances[0, 0])


def patterns(rows: Float[Array, "N D"]) -> list[tuple[Rows, Seen]]:
    """Return the rows with the same observed columns, and these columns."""
    seen = ~np.isnan(rows)
    found: dict[bytes, list[int]] = {}
    # np.unique takes long for wide rows.
    for at, pattern in enumerate(np.packbits(seen, axis=1)):
        found.setdefault(pattern.tobytes(), []).append(at)
    return [(np.array(found[own]), seen[found[own][0]]) for own in sorted(found)]


DRAWS = 5  # draws for every training row
MOST_POINTS = 20_000
LEAST_VARIANCE = 1e-6
# A precise optimum is not needed: the mixture is only a starting point.
MOST_UPDATES, MOST_FURTHER = 20, 5


def latent_density(
    mean: Float[Array, "N Q"],
    variance: Float[Array, "N Q"],
    size: int,
    random_state: int,
    start: Gaussians | None = None,
) -> Gaussians:
    """Fit a mixture of full Gaussians to draws from the posteriors of the rows' points.

    start: the mixture of more rows, from which a few updates suffice.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    generator = np.random.default_rng(random_state)
    few = generator.permutation(len(mean))[: MOST_POINTS // DRAWS]
    unit = generator.standard_normal((DRAWS, len(few), mean.shape[1]))
    points = (mean[few] + np.sqrt(variance[few]) * unit).reshape(-1, mean.shape[1])
    known = {}
    if start is not None:
        covariances = [start.covariance(k) for k in range(size)]
        known = {
            "weights_init": start.weights,
            "means_init": start.means,
            "precisions_init": np.array([factorise(each).inverse() for each in covariances]),
        }
    mixture = GaussianMixture(
        size,
        reg_covar=LEAST_VARIANCE,
        max_iter=MOST_UPDATES if start is None else MOST_FURTHER,
        random_state=random_state,
        **known,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        mixture.fit(points)
    return Gaussians.full(mixture.weights_, mixture.means_, mixture.covariances_)
