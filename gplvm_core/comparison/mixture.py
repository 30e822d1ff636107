"""A mixture of Gaussians as a base line: a density of rows that also fills in what is missing."""

from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Bool, Float
from sklearn.base import BaseEstimator

from gplvm_core.numerics import Array, factorise

FOLDS = 3
SIZES = (1, 2, 3, 5, 10, 20)  # numbers of Gaussians that are tried
WIDTHS = (5, 10, 20, 40, 80, 160)  # of full covariances, among all columns
# What keeps a component from closing in on single rows, in units of the columns' variance.
LEAST_VARIANCE = 1e-4


class Mixture(BaseEstimator):
    """A mixture of Gaussians whose size and covariances are chosen on rows kept aside in training.

    Covariances are diagonal, or full in the leading principal components with one variance around
    them: a mixture of probabilistic PCAs with common axes (Tipping & Bishop 1999). scaling: inside,
    "columns" standardises each, "global" takes one unit for all, so that columns that hardly change
    do not count as much as the others. Densities are of the rows as given.
    """

    def __init__(
        self, random_state: int | None = None, scaling: Literal["global", "columns"] = "columns"
    ) -> None:
        self.scaling = scaling
        self.random_state = random_state

    def fit(self, Y: Float[Array, "N D"]) -> Self:
        """Try every size on parts of the rows in turn, then train the best on all."""
        from sklearn.model_selection import KFold

        self.center_, scale = Y.mean(axis=0), Y.std(axis=0)
        if self.scaling == "global":
            scale = np.full_like(scale, np.sqrt(np.mean(scale**2)))
        self.scale_ = np.where(scale > 0.0, scale, 1.0)
        given = self._standardised(Y)
        folds = KFold(FOLDS, shuffle=True, random_state=self.random_state)
        told = [self._scores(given[train], given[test]) for train, test in folds.split(given)]
        # Parts that differ by a row may have been tried at other widths.
        total = {
            choice: sum(scores[choice] for scores in told)
            for choice in told[0]
            if all(choice in scores for scores in told)
        }
        width, size = max(total, key=total.__getitem__)
        self.gaussians_ = Gaussians.fitted(given, *axes_of(given, width), size, self.random_state)
        return self

    def _scores(
        self, rows: Float[Array, "N D"], others: Float[Array, "M D"]
    ) -> dict[tuple[int | None, int], float]:
        """Mean log density of the others by width (None: diagonal) and size, trained on rows."""
        found = {}
        most = min(len(rows) // 4, rows.shape[1])
        for width in (None, *dict.fromkeys(min(each, most) for each in WIDTHS)):
            axes = axes_of(rows, width)
            # A component takes more rows than it has dimensions.
            for size in (size for size in SIZES if size * (width or 2) <= len(rows)):
                gaussians = Gaussians.fitted(rows, *axes, size, self.random_state)
                found[width, size] = float(gaussians.score_samples(others).mean())
        return found

    def score_samples(self, Y: Float[Array, "N D"]) -> Float[Array, " N"]:
        """log p(y) of each row in nats."""
        density = self.gaussians_.score_samples(self._standardised(Y))
        return np.asarray(density - np.sum(np.log(self.scale_)))

    def complete(
        self, Y: Float[Array, "N D"], *, return_std: bool = False
    ) -> Float[Array, "N D"] | tuple[Float[Array, "N D"], Float[Array, "N D"]]:
        """Rows with what is missing (NaN) at its mean given the rest; return_std: its spread."""
        given = self._standardised(Y)
        mean, std = given.copy(), np.zeros_like(given)
        for row in range(len(given)):
            hidden = np.isnan(given[row])
            if hidden.any():
                mean[row, hidden], std[row, hidden] = self.gaussians_.given(given[row], hidden)
        whole = np.where(np.isnan(Y), self.center_ + self.scale_ * mean, Y)
        return (whole, self.scale_ * std) if return_std else whole

    def sample(self, n_samples: int = 1, random_state: int | None = None) -> Float[Array, "S D"]:
        """Rows that the mixture draws."""
        drawn = self.gaussians_.sample(n_samples, np.random.default_rng(random_state))
        return np.asarray(self.center_ + self.scale_ * drawn)

    def _standardised(self, Y: Float[Array, "N D"]) -> Array:
        return np.asarray((Y - self.center_) / self.scale_)


class Gaussians:
    """Σ_k w_k N(y; m_k, B_k B_kᵀ + diag v_k).

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
        # What scikit-learn has added to the diagonal is the variance around the axes, too.
        values, vectors = np.linalg.eigh(mixture.covariances_)
        roots = np.sqrt(np.maximum(values - variance, 0.0))
        return cls(
            mixture.weights_,
            middle + mixture.means_ @ axes.T,
            axes @ (vectors * roots[:, None, :]),
            np.full((size, len(axes)), variance),
        )

    def score_samples(self, rows: Float[Array, "N D"]) -> Float[Array, " N"]:
        """log p of each row in nats."""
        told = [self._seen(k, rows, slice(None))[0] for k in range(len(self.weights))]
        return np.asarray(np.logaddexp.reduce(told, axis=0))

    def given(
        self, row: Float[Array, " D"], hidden: Bool[Array, " D"]
    ) -> tuple[Float[Array, " H"], Float[Array, " H"]]:
        """Mean and standard deviation of the hidden entries of a row: those of a mixture."""
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
        """Rows that the mixture draws."""
        drawn = []
        weights = self.weights / self.weights.sum()
        for k, many in enumerate(generator.multinomial(count, weights)):
            along = generator.standard_normal((many, self.factors.shape[2])) @ self.factors[k].T
            around = generator.standard_normal((many, self.means.shape[1]))
            drawn.append(self.means[k] + along + np.sqrt(self.variances[k]) * around)
        return np.asarray(generator.permutation(np.vstack(drawn)))

    def _seen(self, k: int, rows: Float[Array, "N S"], seen: Any) -> tuple[Array, Any, Array]:
        """log(w_k p_k) of what is seen of rows; L of I + Bᵀ V⁻¹ B, and L⁻¹ Bᵀ V⁻¹ (y − m)."""
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
    """Leading principal axes, and the mean variance around them; None: diagonal instead."""
    if width is None:
        return None, LEAST_VARIANCE
    away = rows - rows.mean(axis=0)
    _, values, axes = np.linalg.svd(away, full_matrices=False)
    others = max(rows.shape[1] - width, 1)
    around = float(np.sum(values[width:] ** 2)) / (len(rows) * others)
    return axes[:width].T, max(around, LEAST_VARIANCE)
