"""Latent inputs and one layer as a training problem: the Bayesian GP-LVM and its MAP cousin."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import (
    Collapsed,
    Layer,
    LayerValue,
    collapsed,
    evaluate_layer,
    gram_factor,
)
from gplvm_core.kernels import Kernel, kernel_named
from gplvm_core.models.initialise import initial_inducing, initial_latent, initial_lengthscale
from gplvm_core.models.run import Evaluated, Phase
from gplvm_core.models.scaling import Scaling
from gplvm_core.numerics import Array
from gplvm_core.parameters import LOG, Layout, Leaf, leaves
from gplvm_core.prediction import Posterior
from gplvm_core.priors import StandardNormal
from gplvm_core.statistics import Executor, Statistics, Targets, reduce_statistics

INITIAL_VARIANCE = 0.3
# Points have no variance of their own to be scaled by.
POINT_SCALE = 0.3
PHASES = (
    Phase("noise held", 50, 0.1, ratio=300.0),
    Phase("all free", 100, 0.2),
    Phase("refining", 100),
)


@dataclass(frozen=True)
class Parameters:
    """All that training moves: q(X) and the layer (its two scales are profiled)."""

    belief: Belief
    layer: Layer


@dataclass(frozen=True)
class Start:
    """How training starts: scaled targets (NaN: missing), sizes, kernel, means or their recipe."""

    targets: Float[Array, "N D"]
    n_latent: int
    n_inducing: int
    kernel: str | Kernel
    init: str | ArrayLike

    def notes(self, seed: int) -> tuple[str, ...]:
        """What had to be decided for the user."""
        return self.parameters(seed, 1.0)[1]

    def latent(self, generator: np.random.Generator) -> tuple[Array, Kernel, tuple[str, ...]]:
        """Latent means, the kernel with one ARD parameter per dimension, and notes."""
        mean, notes = initial_latent(self.targets, self.n_latent, self.init, generator)
        return mean, start_kernel(self.kernel, mean), notes

    def parameters(self, seed: int, variance: float) -> tuple[Parameters, tuple[str, ...]]:
        """Parameters to start from (the seed chooses the inducing inputs), and notes."""
        generator = np.random.default_rng(seed)
        mean, kernel, notes = self.latent(generator)
        inducing, more = initial_inducing(mean, self.n_inducing, generator)
        belief = Belief(mean, np.full_like(mean, variance))
        return Parameters(belief, Layer(kernel, inducing, 1.0)), notes + more


def start_kernel(kernel: str | Kernel, latent: Float[Array, "N Q"]) -> Kernel:
    """A kernel given by name starts with relevances from the data, an object as it is."""
    if isinstance(kernel, str):
        return kernel_named(kernel, initial_lengthscale(latent))
    kernel = kernel.with_latent(latent.shape[1])
    kernel.check()
    return kernel


def kernel_leaves(
    kernel: Kernel, prefix: str, n_points: int, *, profiled: bool = False
) -> dict[str, Leaf]:
    """The kernel's free parameters: logarithms, at the scale of their curvature, about N.

    profiled: the first variance stays as it is, since the overall scale is put at its optimum.
    """
    paths = list(leaves(kernel, prefix))
    if profiled:
        values = leaves(kernel, prefix)
        scales = [
            path for path in paths if path.endswith("variance") and np.ndim(values[path]) == 0
        ]
        paths = [path for path in paths if path not in scales[:1]]
    return {path: Leaf(LOG, 1.0 / np.sqrt(n_points)) for path in paths}


def layer_leaves(layer: Layer, spread: Float[Array, " Q"], n_points: int) -> dict[str, Leaf]:
    """The free parameters of a layer whose scales are profiled; spread: of the latent points."""
    inducing = {"layer.inducing": Leaf(scale=spread)}
    return inducing | kernel_leaves(layer.kernel, "layer.kernel", n_points, profiled=True)


@dataclass(frozen=True)
class Settled:
    """A trained layer with the statistics of its data and its optimal q(u)."""

    layer: Layer
    statistics: Statistics
    posterior: Collapsed
    jitter: float

    def as_posterior(self, scaling: Scaling) -> Posterior:
        """What predictions need, with the units of the outputs."""
        return Posterior(
            self.layer.kernel,
            self.layer.inducing,
            self.posterior.weights,
            self.posterior.gap,
            self.layer.noise_variance,
            self.jitter,
            scaling.center,
            scaling.scale,
            self.statistics.groups,
        )


@dataclass(frozen=True)
class LatentProblem:
    """F_data − KL(q(X) ‖ p(X)), or with certain points F_data + log p(X), scales profiled."""

    begin: Start
    targets: Targets
    jitter: float
    run: Executor
    certain: bool = False
    phases: Sequence[Phase] = PHASES

    def start(self, seed: int) -> Parameters:
        return self.begin.parameters(seed, 0.0 if self.certain else INITIAL_VARIANCE)[0]

    def layout(self, anchor: Parameters, phase: Phase) -> Layout:
        belief, n_points = anchor.belief, anchor.belief.n_points
        spread = self._spread(belief, refreshed=phase is self.phases[-1])
        free: dict[str, Leaf] = {"belief.mean": Leaf(scale=spread)}
        if not self.certain:
            free["belief.variance"] = Leaf(LOG, 2.0)
        spread = np.broadcast_to(spread, belief.mean.shape).mean(axis=0)
        return Layout(anchor, free | layer_leaves(anchor.layer, spread, n_points))

    def _spread(self, belief: Belief, *, refreshed: bool) -> float | Array:
        """The scale of the means: their standard deviations, shared by all points at first."""
        if self.certain:
            return POINT_SCALE
        if refreshed:
            return np.sqrt(belief.variance)
        return np.sqrt(belief.variance.mean(axis=0))

    def value(self, parameters: Parameters, ratio: float | None) -> LayerValue:
        """The layer at its best scales."""
        return evaluate_layer(
            parameters.layer,
            parameters.belief,
            self.targets,
            jitter=self.jitter,
            profile=True,
            ratio=ratio,
            run=self.run,
        )

    def settled(self, parameters: Parameters, targets: Float[Array, "N D"]) -> Settled:
        """The layer at its best scales, evaluated once more as what is stored will be."""
        best = self.value(parameters, None)
        layer, belief = best.layer, parameters.belief
        whole = Targets.whole(targets)
        statistics, _ = reduce_statistics(layer.kernel, belief, layer.inducing, whole, self.run)
        gram = gram_factor(layer.kernel, layer.inducing, best.jitter, relative=False)
        return Settled(
            layer, statistics, collapsed(statistics, gram, layer.noise_variance), best.jitter
        )

    def evaluate(self, parameters: Parameters, phase: Phase) -> Evaluated:
        at = self.value(parameters, phase.ratio)
        belief = parameters.belief
        if self.certain:
            log_prior, d_mean = StandardNormal().log_density(belief.mean)
            d_variance = np.zeros_like(belief.variance)
        else:
            kl, d_kl = StandardNormal().kl(belief)
            log_prior, d_mean, d_variance = -kl, -d_kl.mean, -d_kl.variance
        gradient = Parameters(
            Belief(at.gradients.mean + d_mean, at.gradients.variance + d_variance),
            Layer(at.gradients.kernel, at.gradients.inducing, 0.0),
        )
        return Evaluated(at.value + log_prior, gradient, at.layer.noise_variance)

    def describe(self, parameters: Parameters) -> tuple[Array, Array, Array]:
        belief = parameters.belief
        relevance = relevance_of(parameters.layer.kernel, belief.n_latent)
        if self.certain:
            return relevance, np.full(belief.n_latent, np.nan), belief.mean
        return relevance, StandardNormal().kl_terms(belief).mean(axis=0), belief.mean


def relevance_of(kernel: Kernel, n_latent: int) -> Float[Array, " Q"]:
    """ARD weights; a kernel that does not tell dimensions apart gives them all 1."""
    relevance = kernel.relevance
    return np.ones(n_latent) if relevance is None else relevance
