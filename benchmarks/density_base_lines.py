"""Densities without a map, whose settings are chosen by cross-validation on the training rows.

They are base lines of `density`, beside the mixture of `gplvm_core.comparison`, which chooses its
covariances as well.
"""

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from jaxtyping import Float
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import KFold

from gplvm_core.comparison.mixture import FOLDS, STRENGTHS
from gplvm_core.comparison.mixture import SIZES as FIRST_SIZES
from gplvm_core.mixtures import Coordinates, Gaussians, clustered, fitted, joined
from gplvm_core.numerics import Array

# A density that is fitted to rows; None if there are too few rows.
Candidate = Callable[[Array], Gaussians | None]

SIZES = (*FIRST_SIZES, 40)
RIDGES = (1e-6, 1e-4, 1e-3, 1e-2, 1e-1)
SHRUNK = (0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
SMALL = (1e-4, 3e-4, 1e-3, 3e-3)
# For wider rows, full covariances need too much time.
MOST_FULL = 256
ROWS_A_GAUSSIAN = 5
LEAST_VARIANCE = 1e-4
LEAST_RIDGE = 1e-6
# The final fit without a map is the mean of as many starts as the derived density has.
STARTS = 4


class Validated:
    """The candidate with the highest mean log density in held-out folds.

    shared: whether all columns are divided by one number. final: other fits to all rows, for the
    same names.
    """

    def __init__(
        self,
        candidates: Mapping[str, Candidate],
        seed: int,
        *,
        shared: bool,
        final: Mapping[str, Candidate] | None = None,
    ) -> None:
        self.candidates, self.seed, self.shared = candidates, seed, shared
        self.final = final or candidates

    def fit(self, rows: Float[Array, "N D"]) -> Self:
        self.center, scale = rows.mean(axis=0), rows.std(axis=0)
        if self.shared:
            scale = np.full_like(scale, np.sqrt(np.mean(scale**2)))
        self.scale = np.where(scale > 0.0, scale, 1.0)
        own = (rows - self.center) / self.scale
        folds = list(KFold(FOLDS, shuffle=True, random_state=self.seed).split(own))
        tried = {}
        for name, candidate in self.candidates.items():
            found = [candidate(own[train]) for train, _ in folds]
            scores = [
                one.score_samples(own[test]).mean()
                for one, (_, test) in zip(found, folds, strict=True)
                if one is not None
            ]
            if len(scores) == len(folds):
                tried[name] = float(np.mean(scores))
        self.chosen = max(tried, key=tried.__getitem__)
        best = self.final[self.chosen](own)
        assert best is not None
        self.gaussians = best
        return self

    def score_samples(self, rows: Float[Array, "N D"]) -> Float[Array, " N"]:
        own = self.gaussians.score_samples((rows - self.center) / self.scale)
        return np.asarray(own - np.sum(np.log(self.scale)))

    def complete(
        self, rows: Float[Array, "N D"], *, return_std: bool = True
    ) -> tuple[Array, Array]:
        mean, variance = self.gaussians.complete((rows - self.center) / self.scale)
        assert return_std
        return self.center + self.scale * mean, self.scale * np.sqrt(variance)


def without_a_map(seed: int, starts: int = 1) -> dict[str, Candidate]:
    """The fit of `fit_density` from clusters of rows in the place of a map: sizes and strengths."""

    def one(size: int, strength: float) -> Candidate:
        def fit(rows: Array) -> Gaussians | None:
            if size * ROWS_A_GAUSSIAN > len(rows):
                return None
            width = rows.shape[1]
            units = Coordinates(np.zeros(width), np.ones(width)).fitted(rows)
            inner = units.of(rows)
            parts = [
                fitted(inner, clustered(inner, size, seed + start), strength)
                for start in range(starts)
            ]
            return units.density(joined(parts, np.full(starts, 1.0 / starts)), inner)

        return fit

    return {
        f"{size}, {strength:g}": one(size, strength) for size in SIZES for strength in STRENGTHS
    }


def one_gaussian() -> dict[str, Candidate]:
    """One Gaussian whose covariances between columns are multiplied by 1 − a, and one whose whole
    covariance is: then every column has the same variance a more.
    """

    def one(share: float, ridge: bool) -> Candidate:
        def fit(rows: Array) -> Gaussians:
            away = rows - rows.mean(axis=0)
            # A thin factor of the covariance: Aᵀ A = V S² Vᵀ.
            _, values, axes = np.linalg.svd(away, full_matrices=False)
            factor = axes.T * (values * np.sqrt((1.0 - share) / len(rows)))
            spread = np.mean(away**2, axis=0)
            left = share * (np.full_like(spread, spread.mean()) if ridge else spread)
            left = np.maximum(left, LEAST_RIDGE if ridge else LEAST_VARIANCE)
            return Gaussians(np.ones(1), rows.mean(axis=0)[None], factor[None], left[None])

        return fit

    shrunk: dict[str, Candidate] = {f"{share:g}": one(share, False) for share in SHRUNK}
    return shrunk | {f"ridge {share:g}": one(share, True) for share in (*SMALL, *SHRUNK)}


def with_ridge(seed: int) -> dict[str, Candidate]:
    """Mixtures of full Gaussians with a ridge."""

    def one(size: int, ridge: float) -> Candidate:
        def fit(rows: Array) -> Gaussians | None:
            if rows.shape[1] > MOST_FULL or size * ROWS_A_GAUSSIAN > len(rows):
                return None
            found: Any = GaussianMixture(size, reg_covar=ridge, random_state=seed)
            try:
                found.fit(rows)
            except ValueError:  # the ridge is too small
                return None
            return Gaussians.full(found.weights_, found.means_, found.covariances_)

        return fit

    return {f"{size}, {ridge:g}": one(size, ridge) for size in SIZES for ridge in RIDGES}
