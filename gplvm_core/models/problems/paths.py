"""The node whose points form paths over time: a Gaussian-process prior on every dimension."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Kernel, Sum, time_kernel_of_scale
from gplvm_core.models.problems.edges import kernel_leaves
from gplvm_core.models.problems.nodes import INITIAL_VARIANCE, Believed
from gplvm_core.numerics import Array, NotPositiveDefiniteError, factorise
from gplvm_core.parameters import LOG, Leaf
from gplvm_core.priors import kalman, natural, temporal
from gplvm_core.priors.natural import DataTerm
from gplvm_core.priors.temporal import Marginals, Path, Pulled, Sites, Timeline

# time_kernel="auto": the kernels to choose from. The last one has no Kalman filter, so it is tried
# only if no sequence has more than this number of rows.
AUTO, CHOICES, MOST_DENSE = "auto", ("matern32", "matern52", "rbf"), 300
# The cost of a training step with each of them, measured on 150 frames of the poses
# (`benchmarks/README.md`).
COSTS = {"matern32": 1.0, "matern52": 1.05, "rbf": 1.2}
# Lengthscales (or periods) tried at the start, in median time steps.
TRIED = 2.0 ** np.arange(0, 10)
# The trial uses at most this many rows of each sequence, and at most this many sequences.
MOST_TRIED = 200
# The most natural-gradient steps at the beginning of a phase of training, and the least precision
# of a site: training needs pseudo-targets ν/λ, so λ must not be 0. The prior's variance is about 1.
NATURAL_STEPS = 20
LEAST_PRECISION = 1e-3
SMALL = 0.05  # the steps end after a gain of less than this fraction of all earlier gains


@dataclass(frozen=True)
class TimedPath:
    """The trained parameters: the sites' targets ν/λ and precisions λ, and the time kernel.

    An optimiser can change each target independently of the others, and of the precisions. λ must
    be positive. The targets are in the field `dual`, because stored jobs have them there.
    """

    sites: Path
    kernel: Kernel

    @property
    def natural(self) -> Sites:
        return Sites(self.sites.precision * self.sites.dual, self.sites.precision)

    def chain(self, pulled: Pulled) -> "TimedPath":
        """Return the gradients by the trained parameters from those by the natural ones."""
        d_linear, d_precision = pulled.sites.linear, pulled.sites.precision
        by_targets = self.sites.precision * d_linear
        by_precision = d_precision + self.sites.dual * d_linear
        return TimedPath(Path(by_targets, by_precision), pulled.kernel)


@dataclass(frozen=True)
class PathNode:
    """Every latent dimension is a Gaussian process over time, independent between sequences.

    Marginals and their pullback use Kalman smoothing if the kernel supports it, and otherwise the
    matrix of all pairs of times. Source: Damianou (2015), eq. 3.29–3.31.
    """

    timeline: Timeline
    kernel: str | Kernel

    @property
    def choices(self) -> tuple[str, ...]:
        """The names of the kernels from which training chooses; () if the kernel is given."""
        if not is_auto(self.kernel):
            return ()
        return CHOICES if max(map(len, self.timeline.rows)) <= MOST_DENSE else CHOICES[:-1]

    def start(self, belief: Belief, seed: int) -> TimedPath:
        kernel = start_time_kernel(self.kernel, self.timeline, belief.mean)
        return TimedPath(Path(belief.mean, 1.0 / belief.variance), kernel)

    def notes(self, belief: Belief, seed: int) -> tuple[str, ...]:
        return ()

    def believed(self, own: TimedPath) -> Believed:
        found = self._smooth(own, own.natural)
        n_points = found.belief.n_points

        def pullback(adjoint: Belief) -> TimedPath:
            return own.chain(found.pullback(adjoint.mean, adjoint.variance))

        return Believed(found.belief, -float(found.kl.sum()), found.kl / n_points, pullback)

    def improved(self, own: TimedPath, data_term: DataTerm) -> TimedPath:
        """Return the paths after natural-gradient steps, which cannot lower the bound.

        Returns the same object if no step raises the bound. The marginals are computed as in the
        training's bound, so that rounding errors of sites with very different precisions cannot
        make a difference. Source: Khan & Lin (2017), eq. 18.
        """
        smoother = partial(self._smooth, own)
        try:
            state = first = natural.begin(own.natural, smoother, data_term)
            for _ in range(NATURAL_STEPS):
                before = state.bound
                state = natural.step(state, smoother, data_term, least=LEAST_PRECISION)
                if state.accepted and state.bound - before <= SMALL * (before - first.bound):
                    break
        except NotPositiveDefiniteError:
            return own
        if not state.bound > first.bound:
            return own
        found = state.sites
        return TimedPath(Path(found.linear / found.precision, found.precision), own.kernel)

    def path(self, own: TimedPath) -> Path:
        """The pair (μ̄, λ) that predictions need."""
        return Path(self._smooth(own, own.natural).dual, own.sites.precision)

    def free(
        self, prefix: str, own: TimedPath, belief: Belief, *, refreshed: bool
    ) -> dict[str, Leaf]:
        scale = np.sqrt(belief.variance) if refreshed else self.spread(belief, refreshed=False)
        free = {
            f"{prefix}.sites.dual": Leaf(scale=scale),
            f"{prefix}.sites.precision": Leaf(LOG, 2.0),
        }
        n_points = belief.n_points
        return free | kernel_leaves(own.kernel, f"{prefix}.kernel", n_points, profiled=True)

    def spread(self, belief: Belief, *, refreshed: bool) -> Float[Array, " Q"]:
        return np.asarray(np.sqrt(belief.variance.mean(axis=0)))

    def _smooth(self, own: TimedPath, sites: Sites) -> Marginals:
        """Return the posterior of sites: by Kalman smoothing, linear in the rows, for Matérn
        kernels over times, and otherwise by dense algebra.
        """
        algebra = kalman if kalman.supports(own.kernel, self.timeline) else temporal
        return algebra.smooth(own.kernel, self.timeline, sites)


def is_auto(kernel: Any) -> bool:
    """Whether training chooses the kernel over time."""
    return isinstance(kernel, str) and kernel == AUTO


def name_of(kernel: Kernel) -> str:
    """The name of a kernel over time that was given by name, or chosen."""
    assert isinstance(kernel, Sum)  # of the named kernel and white noise
    return type(kernel.parts[0]).__name__.lower()


def start_time_kernel(
    kernel: str | Kernel, timeline: Timeline, latent: Float[Array, "N Q"]
) -> Kernel:
    """The starting time kernel; a kernel object is returned unchanged.

    A kernel that is given by name has unit variance and a little white noise. Its lengthscale is
    the candidate under which the starting means are most probable. Raises KernelError for an
    unknown name.
    """
    if not isinstance(kernel, str):
        kernel.check_parameters()
        return kernel
    scales = _median_step(timeline) * (TRIED[2:] if kernel == "periodic" else TRIED)
    tried = [time_kernel_of_scale(kernel, float(scale)) for scale in scales]
    return max(tried, key=lambda each: _log_density(each, timeline, latent))


def _median_step(timeline: Timeline) -> float:
    steps = [
        np.linalg.norm(np.diff(np.sort(timeline.times[rows], axis=0), axis=0), axis=1)
        for rows in timeline.rows
    ]
    steps_all = np.concatenate(steps)
    positive = steps_all[steps_all > 0]
    return float(np.median(positive)) if len(positive) else 1.0


def _log_density(kernel: Kernel, timeline: Timeline, latent: Float[Array, "N Q"]) -> float:
    """log p of standardised latent means with covariance K + the initial variance of q(X)."""
    standard = (latent - latent.mean(axis=0)) / np.maximum(latent.std(axis=0), 1e-12)
    total = 0.0
    for rows in timeline.rows[:MOST_TRIED]:
        some = rows[:MOST_TRIED]
        factor = factorise(kernel.K(timeline.times[some]), INITIAL_VARIANCE)
        half = factor.solve_lower(standard[some])
        total -= 0.5 * (float(np.vdot(half, half)) + latent.shape[1] * factor.log_determinant)
    return total
