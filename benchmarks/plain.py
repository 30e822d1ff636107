"""The usual schedule, for comparison: hold the noise and the signal variance, then free all.

SciPy's L-BFGS-B optimises all parameters together; positive parameters are softplus values, as in
other packages. Data, initial means, lengthscales and inducing inputs are those of `BayesianGPLVM`.
"""

import time
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import minimize

from gplvm_core import RBF
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, LayerValue, evaluate_layer
from gplvm_core.models.problems.initialise import (
    initial_inducing,
    initial_latent,
    initial_lengthscale,
)
from gplvm_core.numerics import Array, NotPositiveDefiniteError
from gplvm_core.prediction import Posterior
from gplvm_core.priors import StandardNormal
from gplvm_core.statistics import Statistics, Targets, reduce_statistics

HELD = 100  # number of iterations with both variances held
INITIAL_NOISE = 0.01  # for data with variance 1


@dataclass(frozen=True)
class Plain:
    """A trained model in the units of standardised data.

    `best` is the best bound after each evaluation.
    """

    bound: float
    best: Array
    seconds: float
    posterior: Posterior
    statistics: Statistics
    belief: Belief
    relevance: Array


@dataclass(frozen=True)
class _Parameters:
    belief: Belief
    layer: Layer


class _Problem:
    """Convert between a vector and parameters; return the negative bound and remember the best
    bound.
    """

    def __init__(self, targets: Array, n_latent: int, n_inducing: int, jitter: float, seed: int):
        generator = np.random.default_rng(seed)
        mean, _ = initial_latent((targets,), n_latent, "pca", generator)
        inducing, _ = initial_inducing(mean, n_inducing, generator)
        self.targets, self.jitter = Targets.of(targets), jitter
        self.shape, self.n_inducing = mean.shape, len(inducing)
        self.best: list[float] = []
        positive = np.concatenate(
            [np.full(mean.size, 0.5), initial_lengthscale(mean), [1.0, INITIAL_NOISE]]
        )
        self.start = np.concatenate([mean.ravel(), inducing.ravel(), _inverse_softplus(positive)])

    def unpack(self, x: Array) -> _Parameters:
        n_points, n_latent = self.shape
        edges = np.cumsum([n_points * n_latent, self.n_inducing * n_latent])
        mean, inducing, raw = np.split(x, edges)
        positive = np.logaddexp(0.0, raw)
        variance, lengthscale, (scale, noise) = np.split(positive, np.cumsum([mean.size, n_latent]))
        kernel = RBF(variance=float(scale), lengthscale=lengthscale)
        return _Parameters(
            Belief(mean.reshape(self.shape), variance.reshape(self.shape)),
            Layer(kernel, inducing.reshape(-1, n_latent), float(noise)),
        )

    def evaluate(self, at: _Parameters, targets: Targets) -> LayerValue:
        return evaluate_layer(at.layer, at.belief, targets, jitter=self.jitter)

    def __call__(self, x: Array, held: bool) -> tuple[float, Array]:
        at = self.unpack(x)
        try:
            value = self.evaluate(at, self.targets)
        except NotPositiveDefiniteError:
            self.best.append(self.best[-1] if self.best else -np.inf)
            return np.inf, np.zeros_like(x)
        kl, d_kl = StandardNormal().kl(at.belief)
        bound = value.value - kl
        self.best.append(max(bound, self.best[-1]) if self.best else bound)
        gradient = value.gradients
        positive = np.concatenate(
            [
                (gradient.variance - d_kl.variance).ravel(),
                gradient.kernel.lengthscale,
                [0.0, 0.0] if held else [gradient.kernel.variance, value.noise_variance],
            ]
        )
        raw = x[-len(positive) :]
        chained = positive / (1.0 + np.exp(-raw))
        whole = [(gradient.mean - d_kl.mean).ravel(), gradient.inducing.ravel(), chained]
        return -bound, -np.concatenate(whole)


def plain_schedule(
    targets: Array,
    n_latent: int,
    n_inducing: int,
    *,
    evaluations: int,
    jitter: float = 1e-6,
    seed: int = 0,
) -> Plain:
    """Train on standardised targets (N × D) with about this many evaluations of the bound."""
    problem = _Problem(targets, n_latent, n_inducing, jitter, seed)
    begin = time.perf_counter()
    x = problem.start
    with np.errstate(over="ignore"):
        for held, limit in ((True, HELD), (False, evaluations)):
            options: Any = {"maxiter": limit, "maxfun": max(evaluations - len(problem.best), 1)}
            options |= {"maxcor": 20, "ftol": 0.0, "gtol": 0.0}
            objective: Any = partial(problem, held=held)
            x = minimize(objective, x, jac=True, method="L-BFGS-B", options=options).x
    seconds = time.perf_counter() - begin

    at, whole = problem.unpack(x), Targets.whole(targets)
    value = problem.evaluate(at, whole)
    kernel, inducing = at.layer.kernel, at.layer.inducing
    ones = np.ones(targets.shape[1])
    posterior = Posterior(
        kernel,
        inducing,
        value.posterior.weights,
        value.posterior.gap,
        float(at.layer.noise_variance),
        value.jitter,
        0.0 * ones,
        ones,
    )
    return Plain(
        value.value - StandardNormal().kl(at.belief)[0],
        np.array(problem.best),
        seconds,
        posterior,
        reduce_statistics(kernel, at.belief, inducing, whole)[0],
        at.belief,
        np.asarray(kernel.relevance),
    )


def _inverse_softplus(value: Array) -> Array:
    return value + np.log(-np.expm1(-value))
