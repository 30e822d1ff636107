"""Poisson factor analysis as a baseline for tables of counts: linear factors of the log rates."""

from typing import Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, logsumexp
from sklearn.base import BaseEstimator

from gplvm_core.models.data.rows import as_floats
from gplvm_core.numerics import Array
from gplvm_core.optimise import LBFGS, minimise_rows
from gplvm_core.readers import DataError

COMPONENTS = (1, 2, 3, 5, 8)  # candidate numbers of factors
HELD_OUT = 0.1  # the fraction of entries that is held out to choose the number of factors
NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(20)
LOG_WEIGHTS = np.log(_WEIGHTS) - 0.5 * np.log(2.0 * np.pi)
MOST_LOG_RATE = 50.0


class PoissonFactors(BaseEstimator):
    """Counts y ~ Poisson(exp(b + x·w)) with factors x ~ N(0, I) and loadings w ~ N(0, I).

    The approximate posterior of a row's factors is a Gaussian with independent entries. Training
    maximises the variational bound plus the log prior of the loadings. The variables are the means
    and variances of these Gaussians, the loadings and b. Missing counts (NaN) are left out.
    Chadwick, Ching & Wood (2021) review such models.

    n_components: the number of factors. None uses the candidate that predicts hidden counts best.
    """

    def __init__(
        self, n_components: int | None = None, max_iter: int = 500, random_state: int | None = None
    ) -> None:
        self.n_components = n_components
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, Y: ArrayLike) -> Self:
        """Train on a table of counts, N × D. Raises DataError for values that are not counts."""
        counts = _checked(Y)
        generator = np.random.default_rng(self.random_state)
        if self.n_components is not None:
            self.n_components_ = self.n_components
        else:
            hidden = generator.random(counts.shape) < HELD_OUT
            hidden &= ~np.isnan(counts)
            shown = np.where(hidden, np.nan, counts)

            def score(number: int) -> float:
                self._fit(shown, number)
                return float(self.log_probabilities(counts, shown)[hidden].mean())

            numbers = [number for number in COMPONENTS if number < min(counts.shape)]
            self.n_components_ = max(numbers, key=score)
        self._fit(counts, self.n_components_)
        return self

    def _fit(self, counts: Float[Array, "N D"], n_factors: int) -> None:
        seen, (n, d) = ~np.isnan(counts), counts.shape
        level = np.log((np.nansum(counts, axis=0) + 0.5) / np.maximum(seen.sum(axis=0), 1))
        # Start at the principal components of the log counts.
        rough = np.where(seen, np.log(np.nan_to_num(counts) + 0.5) - level, 0.0)
        rough -= rough.mean(axis=0)
        left, values, right = np.linalg.svd(rough, full_matrices=False)
        mean = left[:, :n_factors] * np.sqrt(n)
        loadings = 0.5 * values[:n_factors, None] * right[:n_factors] / np.sqrt(n)
        ends = np.cumsum([n_factors * d, d, n * n_factors])

        def parts(x: Array) -> tuple[Array, Array, Array, Array]:
            w, b, m, logs = np.split(x, ends)
            shape = (n, n_factors)
            return w.reshape(n_factors, d), b, m.reshape(shape), logs.reshape(shape)

        def objective(x: Array) -> tuple[float, Array]:
            w, b, m, logs = parts(x)
            value, of_m, of_logs, rate, excess = _bound(counts, w, b, m, logs)
            of_w = m.T @ excess + w * (np.exp(logs).T @ rate) + w
            gradient = [of_w, excess.sum(axis=0), of_m, of_logs]
            return float(value.sum() + 0.5 * np.sum(w**2)), np.hstack([g.ravel() for g in gradient])

        optimiser = LBFGS()
        start = [loadings, level, mean, np.full((n, n_factors), -2.0)]
        state = optimiser.start(np.hstack([part.ravel() for part in start]), objective)
        while state.status == "running" and state.iteration < self.max_iter:
            state = optimiser.step(state, objective)
        self.loadings_, self.level_, *_ = parts(state.x)

    def log_rates(self, Y: ArrayLike) -> tuple[Float[Array, "N D"], Float[Array, "N D"]]:
        """Return mean and variance of every entry's log rate, given the observed entries."""
        counts, w = _checked(Y), self.loadings_
        size = len(w)

        def objective(x: Array, rows: NDArray[np.intp]) -> tuple[Array, Array]:
            some = counts[rows]
            value, of_m, of_logs, *_ = _bound(some, w, self.level_, x[:, :size], x[:, size:])
            return value, np.hstack([of_m, of_logs])

        start = np.hstack([np.zeros((len(counts), size)), np.full((len(counts), size), -1.0)])
        found = minimise_rows(objective, start).x
        return self.level_ + found[:, :size] @ w, np.exp(found[:, size:]) @ w**2

    def log_probabilities(self, counts: ArrayLike, Y: ArrayLike) -> Float[Array, "N D"]:
        """Return log p(count) of every entry, given the observed entries of the same rows of Y."""
        asked = _checked(counts)
        mean, variance = self.log_rates(Y)
        f = mean + NODES[:, None, None] * np.sqrt(variance)
        each = asked * f - np.exp(np.minimum(f, MOST_LOG_RATE)) - gammaln(asked + 1.0)
        return np.asarray(logsumexp(each + LOG_WEIGHTS[:, None, None], axis=0))

    def expected(self, Y: ArrayLike) -> Float[Array, "N D"]:
        """Return the mean of every count, given the observed entries of the same row."""
        mean, variance = self.log_rates(Y)
        return np.asarray(np.exp(np.minimum(mean + 0.5 * variance, MOST_LOG_RATE)))


@np.errstate(over="ignore", invalid="ignore")  # the optimiser rejects values that are not finite
def _bound(
    counts: Float[Array, "N D"],
    w: Float[Array, "Q D"],
    b: Float[Array, " D"],
    m: Float[Array, "N Q"],
    logs: Float[Array, "N Q"],
) -> tuple[Array, Array, Array, Array, Array]:
    """Evaluate the negative bound of each row.

    Returns this value, its gradients with respect to the mean and the log variance, the rates, and
    rates − counts. ⟨exp f⟩ = exp(⟨f⟩ + ½ Var f) for f = b + x·w. Missing entries have rate and
    count 0.
    """
    seen, variance = ~np.isnan(counts), np.exp(logs)
    own, f = np.where(seen, counts, 0.0), b + m @ w
    rate = np.where(seen, np.exp(f + 0.5 * variance @ w**2), 0.0)
    excess = rate - own
    value = np.sum(rate - own * f, axis=1)
    value += 0.5 * np.sum(m**2 + variance - logs - 1.0, axis=1)
    of_logs = 0.5 * variance * (rate @ (w**2).T + 1.0) - 0.5
    return value, excess @ w.T + m, of_logs, rate, excess


def _checked(Y: ArrayLike) -> Float[Array, "N D"]:
    counts = as_floats(Y, "counts")
    seen = counts[~np.isnan(counts)]
    if counts.ndim != 2 or np.any(seen < 0) or np.any(seen != np.floor(seen)):
        raise DataError(
            "counts must be a table of whole numbers of at least 0; NaN marks missing counts"
        )
    return counts
