"""Mixtures of Gaussians as densities of rows, with gaps, conditional distributions and draws."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from scipy.special import logsumexp

from gplvm_core.numerics import Array, Factor, factorise

Rows = Int[NDArray[np.intp], " n"]
Seen = Bool[NDArray[np.bool_], " D"]
# Given a row's observed values, Gaussians below this probability do not affect the missing values.
LEAST_SHARE = 1e-16


@dataclass(frozen=True)
class Gaussians:
    """The density Σ_k w_k N(y; m_k, B_k B_kᵀ + diag v_k), with B_k = U F_k.

    weights: (K,), their sum is 1; means, variances: (K, D); factors: F_k (K, E, R). axes: U (D, E),
    which all Gaussians of wide rows share to save memory and time; then the variances of two
    Gaussians have the same ratio in all columns. None means the identity. Missing values of rows
    (NaN) are integrated out.
    """

    weights: Float[Array, " K"]
    means: Float[Array, "K D"]
    factors: Float[Array, "K E R"]
    variances: Float[Array, "K D"]
    axes: Float[Array, "D E"] | None = None

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
        """Combine several mixtures with the same axes to one mixture."""
        return cls(
            np.concatenate([w * part.weights for w, part in zip(weights, parts, strict=True)]),
            np.concatenate([part.means for part in parts]),
            np.concatenate([part.factors for part in parts]),
            np.concatenate([part.variances for part in parts]),
            parts[0].axes,
        )

    def only(self, k: int) -> Self:
        """Return a mixture that contains only Gaussian k."""
        one = slice(k, k + 1)
        return replace(
            self,
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
            return replace(self, means=means, variances=variances, axes=axes)
        return replace(
            self, means=means, variances=variances, factors=scale[:, None] * self.factors
        )

    def along(self, axes: Float[Array, "E D"]) -> Self:
        """Return the density of rows with these coordinates along orthonormal axes. In all other
        directions the rows have the same variance v, which must be one number.
        """
        around = np.repeat(self.variances[:, :1], len(axes), axis=1)
        return replace(self, means=self.means @ axes.T, variances=around, axes=axes)

    def spread(self, k: int, columns: Seen) -> Float[Array, "S R"]:
        """Return the rows of B_k that belong to some columns."""
        if self.axes is None:
            return self.factors[k, columns]
        return self.axes[columns] @ self.factors[k]

    def log_each(self, rows: Float[Array, "N D"]) -> Float[Array, "N K"]:
        """Return log(w_k p_k) of the observed values of each row, in nats."""
        found = np.empty((len(rows), len(self.weights)))
        for alike, seen in patterns(rows):
            for k, (log, _, _) in enumerate(self.given(rows[alike][:, seen], seen)):
                found[alike, k] = log
        return found

    def score_samples(self, rows: Float[Array, "N D"]) -> Float[Array, " N"]:
        """Return log p of the observed values of each row, in nats."""
        return np.asarray(logsumexp(self.log_each(rows), axis=1))

    def complete(
        self, rows: Float[Array, "N D"]
    ) -> tuple[Float[Array, "N D"], Float[Array, "N D"]]:
        """Fill missing values with conditional means; also return variances, 0 if observed."""
        whole, variance = rows.copy(), np.zeros_like(rows)
        for alike, seen in patterns(rows):
            hidden = ~seen
            if not hidden.any():
                continue
            parts = self.given(rows[alike][:, seen], seen)
            logs = np.array([log for log, _, _ in parts])
            shares = np.exp(logs - logsumexp(logs, axis=0))
            (used,) = np.nonzero(shares.max(axis=1) >= LEAST_SHARE)
            shape = (len(used), len(alike), int(hidden.sum()))
            means, spreads = np.empty(shape), np.empty((shape[0], 1, shape[2]))
            for place, k in enumerate(used.tolist()):
                _, factor, white = parts[k]
                across = factor.solve_lower(self.spread(k, hidden).T)
                means[place] = self.means[k, hidden] + white.T @ across
                spreads[place] = self.variances[k, hidden] + np.sum(across**2, axis=0)
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
        found, width = np.repeat(rows[None], count, axis=0), self.factors.shape[2]
        for alike, seen in patterns(rows):
            hidden = ~seen
            if not hidden.any():
                continue
            parts = self.given(rows[alike][:, seen], seen)
            logs = np.array([log for log, _, _ in parts])
            below = np.cumsum(np.exp(logs - logsumexp(logs, axis=0)), axis=0)[:-1]
            chosen = np.sum(generator.random((count, len(alike))) > below[:, None], axis=0)
            for k, (_, factor, white) in enumerate(parts):
                drawn, own = np.nonzero(chosen == k)
                unit = generator.standard_normal((width, len(own)))
                along = factor.solve_lower_transposed(white[:, own] + unit)
                noise = generator.standard_normal((len(own), int(hidden.sum())))
                values = self.means[k, hidden] + along.T @ self.spread(k, hidden).T
                values += np.sqrt(self.variances[k, hidden]) * noise
                found[drawn[:, None], alike[own][:, None], np.flatnonzero(hidden)] = values
        return found

    def sample(self, count: int, generator: np.random.Generator) -> Float[Array, "S D"]:
        """Draw rows."""
        drawn = []
        whole = np.ones(self.means.shape[1], dtype=bool)
        for k, many in enumerate(generator.multinomial(count, self.weights)):
            unit = generator.standard_normal((many, self.factors.shape[2]))
            along = unit @ self.spread(k, whole).T
            around = generator.standard_normal((many, self.means.shape[1]))
            drawn.append(self.means[k] + along + np.sqrt(self.variances[k]) * around)
        return np.asarray(generator.permutation(np.vstack(drawn)))

    def given(
        self, rows: Float[Array, "N S"], seen: Seen
    ) -> list[tuple[Float[Array, " N"], Factor, Float[Array, "R N"]]]:
        """Return, for each Gaussian, log(w_k p_k) of observed values, L of I + Bᵀ V⁻¹ B, and
        L⁻¹ Bᵀ V⁻¹ (y − m).
        """
        found, variances = [], self.variances[:, seen]
        if self.axes is not None:
            axes = self.axes[seen]
            shared = axes.T @ (axes / variances[0][:, None])
        for k, (variance, factors) in enumerate(zip(variances, self.factors, strict=True)):
            away = rows - self.means[k, seen]
            if self.axes is None:
                scaled = factors[seen] / variance[:, None]
                gram, along = factors[seen].T @ scaled, scaled.T @ away.T
            else:
                ratio = self.variances[0, 0] / self.variances[k, 0]
                gram = ratio * (factors.T @ shared @ factors)
                along = factors.T @ (axes.T @ (away / variance).T)
            factor = factorise(np.eye(len(gram)) + gram)
            white = factor.solve_lower(along)
            squares = np.sum(away**2 / variance, axis=1) - np.sum(white**2, axis=0)
            constant = np.sum(np.log(2.0 * np.pi * variance)) + factor.log_determinant
            with np.errstate(divide="ignore"):
                log = np.log(self.weights[k]) - 0.5 * (squares + constant)
            found.append((log, factor, white))
        return found


def patterns(rows: Float[Array, "N D"]) -> list[tuple[Rows, Seen]]:
    """Return the rows with the same observed columns, and these columns."""
    seen, which = np.unique(~np.isnan(rows), axis=0, return_inverse=True)
    return [(np.flatnonzero(which.ravel() == at), own) for at, own in enumerate(seen)]
