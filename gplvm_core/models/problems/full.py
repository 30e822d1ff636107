"""The full GP-LVM as a training problem: latent points, kernel and noise."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from gplvm_core.bounds import Exact, exact
from gplvm_core.kernels import Kernel
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.problems.edges import kernel_leaves, relevance_of
from gplvm_core.models.problems.nodes import POINT_SCALE
from gplvm_core.models.problems.starts import Start, start_kernel
from gplvm_core.models.training.run import Evaluated, Phase
from gplvm_core.numerics import Array, factorise
from gplvm_core.parameters import LOG, Layout, Leaf
from gplvm_core.prediction import Posterior
from gplvm_core.priors import StandardNormal
from gplvm_core.readers import DataError
from gplvm_core.statistics import Targets

INITIAL_RATIO = 100.0
# The largest total size, in numbers, of the inverse matrices of all gap patterns (400 MB).
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
    """log p(Y | X) + log p(X) of the full GP-LVM (Lawrence 2005); scale and noise are free."""

    begin: Start
    targets: Targets
    jitter: float
    recipes = ("",)
    phases: Sequence[Phase] = (Phase("all free", 250, 0.5), Phase("refining", 250))

    @property
    def n_rows(self) -> int:
        """The number of rows of the targets."""
        return len(self.targets.values)

    def start(self, seed: int, recipe: str = "") -> Points:
        mean, _ = self.begin.latent(np.random.default_rng(seed))
        kernel = start_kernel(self.begin.kernels[0], mean, exact=True)
        return Points(mean, kernel, float(np.mean(kernel.diag(mean))) / INITIAL_RATIO)

    def notes(self, seed: int) -> tuple[str, ...]:
        """Notes on automatic choices."""
        return self.begin.latent(np.random.default_rng(seed))[1]

    def entering(
        self, parameters: Points, phase: Phase, ask: Callable[[], None] | None = None
    ) -> Points:
        return parameters

    def layout(self, anchor: Points, phase: Phase) -> Layout:
        n_points = len(anchor.latent)
        scale = 1.0 / np.sqrt(n_points)
        free = {"latent": Leaf(scale=POINT_SCALE), "noise_variance": Leaf(LOG, scale)}
        return Layout(anchor, free | kernel_leaves(anchor.kernel, "kernel", n_points))

    def level(self, at: Points) -> float:
        """The mean of K's diagonal; the jitter is relative to this mean."""
        return float(np.mean(at.kernel.diag(at.latent)))

    def exact(self, at: Points, targets: Targets) -> list[tuple[Any, Rows, Exact]]:
        """log p of the columns of each group, in the rows where these columns are observed.

        Returns for each group its columns, its rows, and the value with its adjoint.
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
        """log p(Y | X), and the posterior, whose inducing inputs are all points."""
        whole = Targets.whole(targets)
        found = self.exact(points, whole)
        n_points = len(targets)
        # A row does not influence predictions of an output that it lacks, so the row's weight and
        # gap for this output are 0.
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

    def describe(self, parameters: Points, at: Evaluated) -> tuple[Array, Array, Array]:
        latent = parameters.latent
        relevance = relevance_of(parameters.kernel, latent.shape[1])
        return relevance, np.full(latent.shape[1], np.nan), latent

    def verdicts(self, parameters: Points) -> tuple[str, ...]:
        return ()


def check_room(targets: Targets) -> None:
    """Raise DataError if the matrices, one for each gap pattern, would need too much memory."""
    if targets.patterns is None:
        return
    n_points, n_groups = targets.patterns.rows.shape
    if n_groups * n_points**2 > MOST_NUMBERS:
        raise DataError(
            f"the gaps form {n_groups} patterns, and the full GP-LVM inverts a matrix of up to "
            f"{n_points} × {n_points} for each pattern: set n_inducing, which makes the cost "
            "linear in the number of rows"
        )
