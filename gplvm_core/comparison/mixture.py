"""A mixture of Gaussians as a baseline: a density of rows that also fills in missing values."""

from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Bool, Float
from sklearn.base import BaseEstimator

from gplvm_core.numerics import Array, factorise

FOLDS = 3
SIZES = (1, 2, 3, 5, 10, 20)  # candidate numbers of Gaussians
WIDTHS = (5, 10, 20, 40, 80, 160)  # candidate numbers of axes with full covariance
# Smallest variance in units of the columns' variance; it prevents collapse onto single rows.
LEAST_VARIANCE = 1e-4


class Mixture(BaseEstimator):
    """A mixture of Gaussians that chooses its size and covariances by cross-validation.

    Covariances are diagonal, or full along the leading principal axes with one variance around
    them: a mixture of probabilistic PCAs with common axes (Tipping & Bishop 1999). scaling:
    "columns" standardises each column, "global" divides all by one number, so that nearly constant
    columns count less. Densities are in the units of the given rows.
    """

    def __init__(
        self, random_state: int | None = None, scaling: Literal["global", "columns"] = "columns"
    ) -> None:
        self.scaling = scaling
        self.random_state = random_state

    def fit(self, Y: Float[Array, "N D"]) -> Self:
        """Choose size and width by cross-validation, then train on all rows."""
        from sklearn.model_selection import KFold

        self.center_, scale = Y.mean(axis=0), Y.std(axis=0)
        if self.scaling == "global":
            scale = np.full_like(scale, np.sqrt(np.mean(scale**2)))
        self.scale_ = np.where(scale > 0.0, scale, 1.0)
        given = self._standardised(Y)
        folds = KFold(FOLDS, shuffle=True, random_state=self.random_state)
        by_fold = [self._scores(given[train], given[test]) for train, test in folds.split(given)]
        # Folds whose sizes differ by a row may have different candidate widths.
        total = {
            choice: sum(scores[choice] for scores in by_fold)
            for choice in by_fold[0]
            if all(choice in scores for scores in by_fold)
        }
        width, size = max(total, key=total.__getitem__)
        self.gaussians_ = Gaussians.fitted(given, *axes_of(given, width), size, self.random_state)
        return self

    def _scores(
        self, rows: Float[Array, "N D"], others: Float[Array, "M D"]
    ) -> dict[tuple[int | None, int], float]:
        """Train on rows; return the mean log density of others by (width or None, size).

        Width None: diagonal covariances.
        """
        found = {}
        most = min(len(rows) // 4, rows.shape[1])
        for width in (None, *dict.fromkeys(min(each, most) for each in WIDTHS)):
            axes = axes_of(rows, width)
            # A component needs at least as many rows as it has dimensions.
            for size in (size for size in SIZES if size * (width or 2) <= len(rows)):
                gaussians = Gaussians.fitted(rows, *axes, size, self.random_state)
                found[width, size] = float(gaussians.score_samples(others).mean())
        return found

    def score_samples(self, Y: Float[Array, "N D"]) -> Float[Array, " N"]:
        """Return log p(y) of each row in nats."""
        density = self.gaussians_.score_samples(self._standardised(Y))
        return np.asarray(density - np.sum(np.log(self.scale_)))

    def complete(
        self, Y: Float[Array, "N D"], *, return_std: bool = False
    ) -> Float[Array, "N D"] | tuple[Float[Array, "N D"], Float[Array, "N D"]]:
        """Fill missing values (NaN) with their conditional means; return_std: also return std."""
        given = self._standardised(Y)
        mean, std = given.copy(), np.zeros_like(given)
        for row in range(len(given)):
            hidden = np.isnan(given[row])
            if hidden.any():
                mean[row, hidden], std[row, hidden] = self.gaussians_.given(given[row], hidden)
        whole = np.where(np.isnan(Y), self.center_ + self.scale_ * mean, Y)
        return (whole, self.scale_ * std) if return_std else whole

    def sample(self, n_samples: int = 1, random_state: int | None = None) -> Float[Array, "S D"]:
        """Draw rows from the mixture."""
        drawn = self.gaussians_.sample(n_samples, np.random.default_rng(random_state))
        return np.asarray(self.center_ + self.scale_ * drawn)

    def _standardised(self, Y: Float[Array, "N D"]) -> Array:
        return np.asarray((Y - self.center_) / self.scale_)


class Gaussians:
    """The density Σ_k w_k N(y; m_k, B_k B_kᵀ + diag v_k).

    weights: (K,); means, variances: (K, D); factors: (K, D, R), zeros where diagonal.
    """

    def __init__(self, weights: Array, means: Array, factors: Array, variances: Array) -> None:
        self.weights, self.means = weights, means
        self.factors, self.variances = factors, variances

    @classmethod
    def fitted(
        cls,
        rows: Float[Array, "N D"],
        axes: Float[Array, "D R"] | None,
        variance: float,
        size: int,
        random_state: int | None,
    ) -> Self:
        """axes: see `axes_of`."""
        from sklearn.mixture import GaussianMixture

        mixture: Any = GaussianMixture(
            size,
            covariance_type="diag" if axes is None else "full",
            reg_covar=variance,
            random_state=random_state,
        )
        if axes is None:
            mixture.fit(rows)
            nothing = np.zeros((size, rows.shape[1], 1))
            return cls(mixture.weights_, mixture.means_, nothing, mixture.covariances_)
        middle = rows.mean(axis=0)
        mixture.fit((rows - middle) @ axes)
        # scikit-learn added the variance around the axes to the diagonal: subtract it.
        values, vectors = np.linalg.eigh(mixture.covariances_)
        roots = np.sqrt(np.maximum(values - variance, 0.0))
        return cls(
            mixture.weights_,
            middle + mixture.means_ @ axes.T,
            axes @ (vectors * roots[:, None, :]),
            np.full((size, len(axes)), variance),
        )

    def score_samples(self, rows: Float[Array, "N D"]) -> Float[Array, " N"]:
        """Return log p of each row in nats."""
        terms = [self._seen(k, rows, slice(None))[0] for k in range(len(self.weights))]
        return np.asarray(np.logaddexp.reduce(terms, axis=0))

    def given(
        self, row: Float[Array, " D"], hidden: Bool[Array, " D"]
    ) -> tuple[Float[Array, " H"], Float[Array, " H"]]:
        """Return mean and standard deviation of a row's hidden entries given the others."""
        seen, size = np.logical_not(hidden), len(self.weights)
        logs = np.empty(size)
        means, variances = np.empty((2, size, int(hidden.sum())))
        for k in range(size):
            log, factor, white = self._seen(k, row[None, seen], seen)
            across = factor.solve_lower(self.factors[k, hidden].T)
            logs[k] = log[0]
            means[k] = self.means[k, hidden] + white[:, 0] @ across
            variances[k] = self.variances[k, hidden] + np.sum(across**2, axis=0)
        shares = np.exp(logs - logs.max())
        shares /= shares.sum()
        mean = shares @ means
        spread = shares @ (variances + (means - mean) ** 2)
        return mean, np.sqrt(spread)

    def sample(self, count: int, generator: np.random.Generator) -> Float[Array, "S D"]:
        """Draw rows from the mixture."""
        drawn = []
        weights = self.weights / self.weights.sum()
        for k, many in enumerate(generator.multinomial(count, weights)):
            along = generator.standard_normal((many, self.factors.shape[2])) @ self.factors[k].T
            around = generator.standard_normal((many, self.means.shape[1]))
            drawn.append(self.means[k] + along + np.sqrt(self.variances[k]) * around)
        return np.asarray(generator.permutation(np.vstack(drawn)))

    def _seen(self, k: int, rows: Float[Array, "N S"], seen: Any) -> tuple[Array, Any, Array]:
        """Return log(w_k p_k) of the seen entries, L of I + Bᵀ V⁻¹ B, and L⁻¹ Bᵀ V⁻¹ (y − m)."""
        factors, variance = self.factors[k, seen], self.variances[k, seen]
        away = rows - self.means[k, seen]
        scaled = factors / variance[:, None]
        factor = factorise(np.eye(factors.shape[1]) + factors.T @ scaled)
        white = factor.solve_lower(scaled.T @ away.T)
        squares = np.sum(away**2 / variance, axis=1) - np.sum(white**2, axis=0)
        constant = np.sum(np.log(2.0 * np.pi * variance)) + factor.log_determinant
        return np.log(self.weights[k]) - 0.5 * (squares + constant), factor, white


def axes_of(
    rows: Float[Array, "N D"], width: int | None
) -> tuple[Float[Array, "D R"] | None, float]:
    """Return the leading principal axes (None for width None) and the mean variance around them."""
    if width is None:
        return None, LEAST_VARIANCE
    away = rows - rows.mean(axis=0)
    _, values, axes = np.linalg.svd(away, full_matrices=False)
    others = max(rows.shape[1] - width, 1)
    around = float(np.sum(values[width:] ** 2)) / (len(rows) * others)
    return axes[:width].T, max(around, LEAST_VARIANCE)
