"""A mixture of Gaussians as a baseline: a density of rows that also fills in missing values."""

from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Float
from sklearn.base import BaseEstimator

from gplvm_core.mixtures import Coordinates, Gaussians, clustered, fitted
from gplvm_core.numerics import Array

FOLDS = 3
SIZES = (1, 2, 3, 5, 10, 20)  # candidate numbers of Gaussians
WIDTHS = (5, 10, 20, 40, 80, 160)  # candidate numbers of axes with full covariance
# Candidate strengths of the prior: weights of the common covariance, as numbers of rows.
STRENGTHS = (3.0, 30.0, 300.0)
# The smallest variance in units of the columns' variance; without it, Gaussians could collapse onto
# single rows.
LEAST_VARIANCE = 1e-4

# Covariances: "diagonal", a number of axes, or ("shrunk", strength).
Shape = str | int | tuple[str, float]


class Mixture(BaseEstimator):
    """A mixture of Gaussians that chooses its size and covariances by cross-validation.

    Covariances have one of three shapes. (1) They are diagonal. (2) They are full along the leading
    principal axes, with one variance in all other directions; this is a mixture of probabilistic
    PCAs with common axes (Tipping & Bishop 1999). (3) They are shrunk towards a common covariance,
    with a wide background; this is the fit of `fit_density` without a map. scaling: "columns"
    standardises each column; "global" divides all columns by one number, so that nearly constant
    columns count less. scikit-learn's GaussianMixture fits the first two shapes, but cannot fill
    gaps. Densities are in the units of the given rows.
    """

    def __init__(
        self, random_state: int | None = None, scaling: Literal["global", "columns"] = "columns"
    ) -> None:
        self.scaling = scaling
        self.random_state = random_state

    def fit(self, Y: Float[Array, "N D"]) -> Self:
        """Choose size and covariances by cross-validation, then train on all rows."""
        from sklearn.model_selection import KFold

        self.center_, scale = Y.mean(axis=0), Y.std(axis=0)
        if self.scaling == "global":
            scale = np.full_like(scale, np.sqrt(np.mean(scale**2)))
        self.scale_ = np.where(scale > 0.0, scale, 1.0)
        given = self._standardised(Y)
        folds = KFold(FOLDS, shuffle=True, random_state=self.random_state)
        by_fold = [self._scores(given[train], given[test]) for train, test in folds.split(given)]
        # The candidates depend on the number of rows, which may differ by one between folds.
        total = {
            choice: sum(scores[choice] for scores in by_fold)
            for choice in by_fold[0]
            if all(choice in scores for scores in by_fold)
        }
        self.shape_, self.size_ = max(total, key=total.__getitem__)
        self.gaussians_ = gaussians(given, self.shape_, self.size_, self.random_state)
        return self

    def _scores(
        self, rows: Float[Array, "N D"], others: Float[Array, "M D"]
    ) -> dict[tuple[Shape, int], float]:
        """Train on `rows`; return the mean log density of `others` for each shape and size."""
        most = min(len(rows) // 4, rows.shape[1])
        widths = dict.fromkeys(min(each, most) for each in WIDTHS)
        # A Gaussian needs at least as many rows as it has dimensions, unless it is shrunk.
        shapes: list[tuple[Shape, int]] = [("diagonal", 2), *((width, width) for width in widths)]
        shapes += [(("shrunk", strength), 2) for strength in STRENGTHS]
        return {
            (shape, size): float(
                gaussians(rows, shape, size, self.random_state).score_samples(others).mean()
            )
            for shape, needed in shapes
            for size in SIZES
            if size * needed <= len(rows)
        }

    def score_samples(self, Y: Float[Array, "N D"]) -> Float[Array, " N"]:
        """Return log p(y) of each row in nats."""
        density = self.gaussians_.score_samples(self._standardised(Y))
        return np.asarray(density - np.sum(np.log(self.scale_)))

    def complete(
        self, Y: Float[Array, "N D"], *, return_std: bool = False
    ) -> Float[Array, "N D"] | tuple[Float[Array, "N D"], Float[Array, "N D"]]:
        """Fill missing values (NaN) with their conditional means.

        return_std: also return the conditional standard deviations.
        """
        mean, variance = self.gaussians_.complete(self._standardised(Y))
        whole = np.where(np.isnan(Y), self.center_ + self.scale_ * mean, Y)
        return (whole, self.scale_ * np.sqrt(variance)) if return_std else whole

    def sample(self, n_samples: int = 1, random_state: int | None = None) -> Float[Array, "S D"]:
        """Draw rows from the mixture."""
        drawn = self.gaussians_.sample(n_samples, np.random.default_rng(random_state))
        return np.asarray(self.center_ + self.scale_ * drawn)

    def _standardised(self, Y: Float[Array, "N D"]) -> Array:
        return np.asarray((Y - self.center_) / self.scale_)


def gaussians(
    rows: Float[Array, "N D"], shape: Shape, size: int, random_state: int | None
) -> Gaussians:
    """Fit a mixture of `size` Gaussians with covariances of this shape."""
    from sklearn.mixture import GaussianMixture

    if isinstance(shape, tuple):
        return shrunk(rows, shape[1], size, random_state)
    axes, variance = axes_of(rows, shape) if isinstance(shape, int) else (None, LEAST_VARIANCE)
    mixture: Any = GaussianMixture(
        size,
        covariance_type="diag" if axes is None else "full",
        reg_covar=variance,
        random_state=random_state,
    )
    if axes is None:
        mixture.fit(rows)
        nothing = np.zeros((size, rows.shape[1], 1))
        return Gaussians(mixture.weights_, mixture.means_, nothing, mixture.covariances_)
    middle = rows.mean(axis=0)
    mixture.fit((rows - middle) @ axes)
    # The covariances from scikit-learn include the variance around the axes; `full` subtracts it.
    found = Gaussians.full(mixture.weights_, mixture.means_, mixture.covariances_, variance)
    return found.along(axes).in_units(middle, np.ones_like(middle))


def shrunk(
    rows: Float[Array, "N D"], strength: float, size: int, random_state: int | None
) -> Gaussians:
    """Fit a mixture whose covariances are shrunk towards a common covariance.

    The fit is that of `fit_density`, but the prior comes from k-means instead of a map: cluster
    means, and one covariance within clusters.
    """
    units = Coordinates(np.zeros(rows.shape[1]), np.ones(rows.shape[1])).fitted(rows)
    inner = units.of(rows)
    prior = clustered(inner, size, random_state)
    return units.density(fitted(inner, prior, strength), inner)


def axes_of(rows: Float[Array, "N D"], width: int) -> tuple[Float[Array, "D R"], float]:
    """Return the leading principal axes and the mean variance around them."""
    away = rows - rows.mean(axis=0)
    _, values, axes = np.linalg.svd(away, full_matrices=False)
    others = max(rows.shape[1] - width, 1)
    around = float(np.sum(values[width:] ** 2)) / (len(rows) * others)
    return axes[:width].T, max(around, LEAST_VARIANCE)
