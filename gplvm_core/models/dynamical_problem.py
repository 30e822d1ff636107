"""The bound of the dynamical GP-LVM as a training problem: paths, their kernel, and the layer."""

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Kernel, time_kernel_of_scale
from gplvm_core.models.latent import INITIAL_VARIANCE, PHASES
from gplvm_core.models.layers import DataTerm, Parameters, kernel_leaves
from gplvm_core.models.run import Evaluated, Phase
from gplvm_core.numerics import Array, factorise
from gplvm_core.parameters import LOG, Layout, Leaf
from gplvm_core.priors import kalman, temporal
from gplvm_core.priors.temporal import Marginals, Path, Timeline

# Lengthscales (or periods) tried at the start, in median steps of time.
TRIED = 2.0 ** np.arange(0, 10)
# Rows of a sequence that the trial looks at.
MOST_TRIED = 200


@dataclass(frozen=True)
class Dynamical:
    """All that training moves: the paths' targets and precisions, their kernel, the layers."""

    sites: Path
    time_kernel: Kernel
    layer: Any


@dataclass(frozen=True)
class DynamicalProblem:
    """F_data − Σ_j KL(q(x_j) ‖ GP over time), scales of the layer profiled.

    Values and gradients of the data term are those of the problem with a free q(X), pulled back
    through the prior. Source: Damianou (2015), eq. 3.32.
    """

    data: DataTerm
    timeline: Timeline
    time_kernel: str | Kernel
    phases: Sequence[Phase] = PHASES

    def start(self, seed: int) -> Dynamical:
        begin = self.data.start(seed, INITIAL_VARIANCE)
        mean = begin.belief.mean
        kernel = start_time_kernel(self.time_kernel, self.timeline, mean)
        precision = np.full_like(mean, 1.0 / INITIAL_VARIANCE)
        return Dynamical(Path(mean, precision), kernel, begin.layer)

    def marginals(self, parameters: Dynamical) -> Marginals:
        """q(X) with its KL."""
        algebra = algebra_for(parameters.time_kernel, self.timeline)
        return algebra.smoothed(parameters.time_kernel, self.timeline, parameters.sites)

    def path(self, parameters: Dynamical) -> Path:
        """(μ̄, λ), which predictions need."""
        algebra = algebra_for(parameters.time_kernel, self.timeline)
        return algebra.dual_of(parameters.time_kernel, self.timeline, parameters.sites)

    def with_belief(self, parameters: Dynamical, belief: Belief) -> Parameters:
        """The same as parameters of the problem with a free q(X)."""
        return Parameters(belief, parameters.layer)

    def layout(self, anchor: Dynamical, phase: Phase) -> Layout:
        variance, n_points = self.marginals(anchor).belief.variance, len(anchor.sites.dual)
        shared = np.sqrt(variance.mean(axis=0))
        spread = np.sqrt(variance) if phase is self.phases[-1] else shared
        free = {"sites.dual": Leaf(scale=spread), "sites.precision": Leaf(LOG, 2.0)}
        free |= kernel_leaves(anchor.time_kernel, "time_kernel", n_points, profiled=True)
        return Layout(anchor, free | self.data.free(anchor.layer, shared, n_points))

    def evaluate(self, parameters: Dynamical, phase: Phase) -> Evaluated:
        found = self.marginals(parameters)
        at = self.data.value(self.with_belief(parameters, found.belief), phase.ratio)
        pulled = found.pullback(at.belief.mean, at.belief.variance)
        gradient = Dynamical(pulled.path, pulled.kernel, at.layer)
        return Evaluated(at.value - float(found.kl.sum()), gradient, at.noise_variance)

    def describe(self, parameters: Dynamical) -> tuple[Array, Array, Array]:
        found = self.marginals(parameters)
        relevance = self.data.relevance(parameters.layer, found.belief.n_latent)
        return relevance, found.kl / found.belief.n_points, found.belief.mean


def algebra_for(kernel: Kernel, timeline: Timeline) -> ModuleType:
    """Kalman smoothing, linear in the rows, for Matérn kernels over times; else dense algebra."""
    return kalman if kalman.supports(kernel, timeline) else temporal


def start_time_kernel(
    kernel: str | Kernel, timeline: Timeline, latent: Float[Array, "N Q"]
) -> Kernel:
    """A kernel given as an object is taken as it is; one by name gets the lengthscale, of a few,
    under which the starting means are most probable, unit variance and a little white noise.

    Raises KernelError for an unknown name.
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
    """log p of standardised latent means under the prior with the noise that training starts at."""
    standard = (latent - latent.mean(axis=0)) / np.maximum(latent.std(axis=0), 1e-12)
    total = 0.0
    for rows in timeline.rows[:MOST_TRIED]:
        some = rows[:MOST_TRIED]
        factor = factorise(kernel.K(timeline.times[some]), INITIAL_VARIANCE)
        half = factor.solve_lower(standard[some])
        total -= 0.5 * (float(np.vdot(half, half)) + latent.shape[1] * factor.log_determinant)
    return total
