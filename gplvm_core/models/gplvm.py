"""The GP-LVM with latent points: maximum a posteriori, all data or inducing inputs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike, NDArray

from gplvm_core.bounds import Exact, exact
from gplvm_core.datasets import DataError
from gplvm_core.kernels import Kernel
from gplvm_core.models.latent import POINT_SCALE, LatentProblem
from gplvm_core.models.layers import OneLayer, Start, kernel_leaves, relevance_of
from gplvm_core.models.run import Evaluated, Phase
from gplvm_core.models.scaling import Scaling, observed_counts
from gplvm_core.models.trained import TrainedModel
from gplvm_core.numerics import Array, factorise
from gplvm_core.parameters import LOG, Layout, Leaf
from gplvm_core.prediction import Posterior, Projection, predict, project_certain
from gplvm_core.priors import StandardNormal
from gplvm_core.statistics import Executor, Targets

INITIAL_RATIO = 100.0
# Numbers in the inverse matrices of all patterns of gaps together (400 MB).
MOST_NUMBERS = 50_000_000

Rows = NDArray[np.intp]


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

    def level(self, at: Points) -> float:
        """Mean of K's diagonal, to which the jitter is relative."""
        return float(np.mean(at.kernel.diag(at.latent)))

    def exact(self, at: Points, targets: Targets) -> list[tuple[Any, Rows, Exact]]:
        """log p of each group's columns in the rows where they are observed.

        Per group: its columns, its rows, and the value with its adjoint.
        """
        gram = at.kernel.K(at.latent)
        diagonal = at.noise_variance + self.jitter * self.level(at)
        patterns, found = targets.patterns, []
        if patterns is None:
            rows = np.arange(len(gram))
            return [(slice(None), rows, exact(targets, factorise(gram, diagonal)))]
        for g, row in enumerate(patterns.rows.T):
            rows, columns = np.flatnonzero(row), np.flatnonzero(patterns.groups == g)
            values = targets.values[np.ix_(rows, columns)]
            covariance = factorise(gram[np.ix_(rows, rows)], diagonal)
            found.append((columns, rows, exact(Targets(values, len(columns)), covariance)))
        return found

    def evaluate(self, parameters: Points, phase: Phase) -> Evaluated:
        n_points = len(parameters.latent)
        value, d_gram = 0.0, np.zeros((n_points, n_points))
        for _, rows, at in self.exact(parameters, self.targets):
            value += at.value
            d_gram[np.ix_(rows, rows)] += at.covariance
        d_noise = float(np.trace(d_gram))
        d_gram = d_gram + (self.jitter * d_noise / n_points) * np.eye(n_points)
        d_latent, d_kernel = parameters.kernel.K_pullback(parameters.latent, d_gram)
        log_prior, d_prior = StandardNormal().log_density(parameters.latent)
        gradient = Points(d_latent + d_prior, d_kernel, d_noise)
        return Evaluated(value + log_prior, gradient, parameters.noise_variance)

    def settled(
        self, points: Points, targets: Float[Array, "N D"], scaling: Scaling
    ) -> tuple[float, Posterior]:
        """log p(Y | X), and predictions from all points: the inducing inputs are the points."""
        whole = Targets.whole(targets)
        found = self.exact(points, whole)
        n_points = len(targets)
        # A row where an output is missing does not speak for it: weight and gap are 0 there.
        weights = np.zeros(targets.shape)
        gap = np.zeros((len(found), n_points, n_points))
        for g, (columns, rows, at) in enumerate(found):
            weights[rows[:, None], np.arange(targets.shape[1])[columns]] = at.weights
            gap[g][np.ix_(rows, rows)] = at.inverse
        posterior = Posterior(
            points.kernel,
            points.latent,
            weights,
            gap,
            points.noise_variance,
            self.jitter * self.level(points),
            scaling.center,
            scaling.scale,
            None if whole.patterns is None else whole.patterns.groups,
        )
        return sum(at.value for _, _, at in found), posterior

    def describe(self, parameters: Points) -> tuple[Array, Array, Array]:
        latent = parameters.latent
        relevance = relevance_of(parameters.kernel, latent.shape[1])
        return relevance, np.full(latent.shape[1], np.nan), latent


def _check_room(targets: Targets) -> None:
    """Raise DataError when the full model's matrices, one a pattern of gaps, would not fit."""
    if targets.patterns is None:
        return
    n_points, n_groups = targets.patterns.rows.shape
    if n_groups * n_points**2 > MOST_NUMBERS:
        raise DataError(
            f"the gaps form {n_groups} patterns, and the full GP-LVM inverts a matrix of up to "
            f"{n_points} × {n_points} for each: give n_inducing, whose cost is linear in the rows"
        )


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

    def _problem(self, begin: Start, run: Executor) -> LatentProblem[OneLayer] | FullProblem:
        compressed = Targets.of(begin.targets)
        if self.n_inducing is None:
            _check_room(compressed)
            return FullProblem(begin, compressed, self.jitter)
        return LatentProblem(OneLayer(begin, compressed, self.jitter, run), certain=True)

    def _settle(
        self,
        problem: LatentProblem[OneLayer] | FullProblem,
        parameters: Any,
        targets: Array,
        scaling: Scaling,
    ) -> tuple[str, ...]:
        notes: tuple[str, ...] = ()
        if isinstance(problem, FullProblem):
            points = parameters.latent
            value, self.posterior_ = problem.settled(parameters, targets, scaling)
        else:
            settled = problem.data.settled(parameters, targets)
            points, value, notes = parameters.belief.mean, settled.posterior.value, settled.notes
            self.posterior_ = settled.as_posterior(scaling)
        self.latent_mean_, self.latent_variance_ = points, np.zeros_like(points)
        self.relevance_ = relevance_of(self.kernel_, self.n_components)
        self.information_ = np.full(self.n_components, np.nan)
        offset = scaling.log_jacobian(observed_counts(targets))
        self.bound_ = value + StandardNormal().log_density(points)[0] + offset
        return notes

    @property
    def n_effective_(self) -> int:
        """Rank of the fitted map: directions of the latent points that move the output."""
        spread = self.latent_mean_ * np.sqrt(self.relevance_)
        values = np.linalg.svd(spread - spread.mean(axis=0), compute_uv=False)
        return int(np.sum(values > 1e-3 * values[0]))

    def score_samples(self, Y: ArrayLike) -> Float[Array, " N"]:
        """log p(observed y | x*, training data) + log p(x*) of each row at its best x*, in nats.

        A joint density at a point, not an integral over x*.
        """
        outputs = self._outputs(Y)
        points = self._project(outputs).best.mean
        mean, variance = predict(self.posterior_, points, noise=True)
        terms = np.log(2.0 * np.pi * variance) + (outputs - mean) ** 2 / variance
        prior = np.sum(points**2 + np.log(2.0 * np.pi), axis=1)
        return np.asarray(-0.5 * (np.nansum(terms, axis=1) + prior))

    def _project(self, outputs: Array) -> Projection:
        return project_certain(self.posterior_, outputs, self.latent_mean_)
