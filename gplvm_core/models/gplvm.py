"""The GP-LVM with latent points: maximum a posteriori, all data or inducing inputs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.bounds import Exact, exact
from gplvm_core.kernels import Kernel
from gplvm_core.models.latent import (
    POINT_SCALE,
    LatentProblem,
    Start,
    kernel_leaves,
    relevance_of,
)
from gplvm_core.models.run import Evaluated, Phase
from gplvm_core.models.scaling import Scaling
from gplvm_core.models.trained import TrainedModel
from gplvm_core.numerics import Array, Factor, factorise
from gplvm_core.parameters import LOG, Layout, Leaf
from gplvm_core.prediction import Posterior, predict, project_certain
from gplvm_core.priors import StandardNormal
from gplvm_core.statistics import Executor, Targets

INITIAL_RATIO = 100.0


@dataclass(frozen=True)
class Points:
    """Latent points, kernel and noise of the full GP-LVM."""

    latent: Float[Array, "N Q"]
    kernel: Kernel
    noise_variance: float


@dataclass(frozen=True)
class FullProblem:
    """log p(Y | X) + log p(X) of the full GP-LVM (Lawrence 2005), kernel scale and noise free."""

    begin: Start
    targets: Targets
    jitter: float
    phases: Sequence[Phase] = (Phase("all free", 250, 0.5), Phase("refining", 250))

    def start(self, seed: int) -> Points:
        mean, kernel, _ = self.begin.latent(np.random.default_rng(seed))
        return Points(mean, kernel, float(np.mean(kernel.diag(mean))) / INITIAL_RATIO)

    def layout(self, anchor: Points, phase: Phase) -> Layout:
        n_points = len(anchor.latent)
        scale = 1.0 / np.sqrt(n_points)
        free = {"latent": Leaf(scale=POINT_SCALE), "noise_variance": Leaf(LOG, scale)}
        return Layout(anchor, free | kernel_leaves(anchor.kernel, "kernel", n_points))

    def covariance(self, at: Points) -> Factor:
        """Cholesky factor of K + σ²I, jitter relative to K's mean diagonal included."""
        level = float(np.mean(at.kernel.diag(at.latent)))
        return factorise(at.kernel.K(at.latent), at.noise_variance + self.jitter * level)

    def evaluate(self, parameters: Points, phase: Phase) -> Evaluated:
        at = exact(self.targets, self.covariance(parameters))
        n_points = len(parameters.latent)
        d_noise = float(np.trace(at.covariance))
        d_gram = at.covariance + (self.jitter * d_noise / n_points) * np.eye(n_points)
        d_latent, d_kernel = parameters.kernel.K_pullback(parameters.latent, d_gram)
        log_prior, d_prior = StandardNormal().log_density(parameters.latent)
        gradient = Points(d_latent + d_prior, d_kernel, d_noise)
        return Evaluated(at.value + log_prior, gradient, parameters.noise_variance)

    def at(self, points: Points, targets: Float[Array, "N D"]) -> Exact:
        """log p(Y | X) with the weights of all outputs."""
        return exact(Targets(targets, targets.shape[1]), self.covariance(points))

    def posterior(self, points: Points, found: Exact, scaling: Scaling) -> Posterior:
        """Predictions from all points: the inducing inputs are the points themselves."""
        return Posterior(
            points.kernel,
            points.latent,
            found.weights,
            found.inverse,
            points.noise_variance,
            self.covariance(points).jitter - points.noise_variance,
            scaling.center,
            scaling.scale,
        )

    def describe(self, parameters: Points) -> tuple[Array, Array, Array]:
        latent = parameters.latent
        relevance = relevance_of(parameters.kernel, latent.shape[1])
        return relevance, np.full(latent.shape[1], np.nan), latent


class GPLVM(TrainedModel):
    """Gaussian-process latent variable model with MAP latent points (Lawrence 2005).

    n_inducing None: the full model, exact and cubic in N; else the sparse variational one
    (Titsias 2009). `bound_` is log p(Y, X) or its lower bound: a joint density of points that
    were fitted, not an evidence, so it does not compare with BayesianGPLVM's and over-fitting
    does not lower it. There is no KL: `information_` is nan and `n_effective_` the rank of the
    fitted map.
    """

    def __init__(
        self,
        n_components: int = 10,
        n_inducing: int | None = None,
        kernel: str | Kernel = "rbf",
        init: str | ArrayLike = "pca",
        scaling: Literal["global", "columns", "none"] = "global",
        max_iter: int = 500,
        n_restarts: int = 1,
        jitter: float = 1e-6,
        optimiser: Literal["lbfgs", "scg"] = "lbfgs",
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_inducing = n_inducing
        self.kernel = kernel
        self.init = init
        self.scaling = scaling
        self.max_iter = max_iter
        self.n_restarts = n_restarts
        self.jitter = jitter
        self.optimiser = optimiser
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _problem(self, begin: Start, run: Executor) -> LatentProblem | FullProblem:
        compressed = Targets.of(begin.targets)
        if self.n_inducing is None:
            return FullProblem(begin, compressed, self.jitter)
        return LatentProblem(begin, compressed, self.jitter, run, certain=True)

    def _settle(
        self,
        problem: LatentProblem | FullProblem,
        parameters: Any,
        targets: Array,
        scaling: Scaling,
    ) -> None:
        if isinstance(problem, FullProblem):
            points, found = parameters.latent, problem.at(parameters, targets)
            self.posterior_ = problem.posterior(parameters, found, scaling)
            value = found.value
        else:
            settled = problem.settled(parameters, targets)
            points, value = parameters.belief.mean, settled.posterior.value
            self.posterior_ = settled.as_posterior(scaling)
        self.latent_mean_, self.latent_variance_ = points, np.zeros_like(points)
        self.relevance_ = relevance_of(self.kernel_, self.n_components)
        self.information_ = np.full(self.n_components, np.nan)
        offset = scaling.log_jacobian(len(targets))
        self.bound_ = value + StandardNormal().log_density(points)[0] + offset

    @property
    def n_effective_(self) -> int:
        """Rank of the fitted map: directions of the latent points that move the output."""
        spread = self.latent_mean_ * np.sqrt(self.relevance_)
        values = np.linalg.svd(spread - spread.mean(axis=0), compute_uv=False)
        return int(np.sum(values > 1e-3 * values[0]))

    def transform(self, Y: ArrayLike) -> Float[Array, "N Q"]:
        """Most probable latent point of new complete rows, each on its own."""
        return project_certain(self.posterior_, self._outputs(Y), self.latent_mean_)

    def score_samples(self, Y: ArrayLike) -> Float[Array, " N"]:
        """log p(y | x*, training data) + log p(x*) of each row at its most probable x*, in nats.

        A joint density at a point, not an integral over x*.
        """
        outputs = self._outputs(Y)
        points = project_certain(self.posterior_, outputs, self.latent_mean_)
        mean, variance = predict(self.posterior_, points, noise=True)
        terms = np.log(2.0 * np.pi * variance) + (outputs - mean) ** 2 / variance
        prior = np.sum(points**2 + np.log(2.0 * np.pi), axis=1)
        return -0.5 * (terms.sum(axis=1) + prior)
