"""A regression as a training problem: one layer, and beliefs about inputs of which some move."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, LayerValue, evaluate_layer
from gplvm_core.kernels import Kernel, kernel_named
from gplvm_core.models.initialise import initial_inducing
from gplvm_core.models.inputs import Inputs
from gplvm_core.models.layers import (
    Parameters,
    kernel_leaves,
    of_unit_scale,
    relevance_of,
    start_kernel,
)
from gplvm_core.models.run import Evaluated, Phase
from gplvm_core.models.scaling import Scaling
from gplvm_core.models.schedule import Training
from gplvm_core.numerics import Array, NotPositiveDefiniteError
from gplvm_core.parameters import LOG, Layout, Leaf, Transform
from gplvm_core.prediction import Posterior
from gplvm_core.statistics import Executor, Targets

# Points and iterations of the exact regression that the kernel starts from.
SUBSET, SUBSET_ITERATIONS = 100, 50
# Lengthscales tried at the start, in units of √Q: the distance of standardised points.
LENGTHSCALES = (0.2, 0.5, 1.0, 2.0)
POINT_SCALE = 0.3
# A relevance that dies out must not underflow to 0, whose logarithm no phase could start from,
# nor its square overflow.
TINY, HUGE = 1e-50, 1e50
BOUNDED = Transform(
    "log within bounds",
    lambda v: np.exp(np.clip(v, np.log(TINY), np.log(HUGE))),
    lambda t: np.log(np.clip(t, TINY, HUGE)),
    LOG.slope,
)
PHASES = (Phase("all free", 100, 0.5), Phase("refining", 100))


@dataclass(frozen=True)
class RegressionProblem:
    """F_data − KL(q(X) ‖ p(X)) with the two scales of the layer at their optimum.

    layer: where kernel and inducing inputs start; else at a kernel that suits a part of the data
    and a subset of the inputs. kernel_held: the kernel stays as it is, up to its scale.
    """

    inputs: Inputs
    targets: Targets
    kernel: str | Kernel
    n_inducing: int
    jitter: float
    run: Executor
    layer: Layer | None = None
    kernel_held: bool = False
    phases: Sequence[Phase] = PHASES

    @property
    def held(self) -> bool:
        """Whether every input is an inducing input, where it is observed: these need not move.

        With inputs known exactly nothing is sparse then.
        """
        inputs = self.inputs
        return not inputs.free_mean.any() and self.n_inducing >= inputs.belief.n_points

    def start(self, seed: int) -> Parameters:
        belief = self.inputs.belief
        if self.layer is not None:
            return Parameters(belief, self.layer)
        generator = np.random.default_rng(seed)
        inducing, _ = initial_inducing(belief.mean, self.n_inducing, generator)
        kernel = self._start_kernel(seed, generator)
        return Parameters(belief, Layer(kernel, inducing, 1.0))

    def _start_kernel(self, seed: int, generator: np.random.Generator) -> Kernel:
        """One given as an object is taken as it is, up to its scale; else the one that suits an
        exact regression on a part of the data. From arbitrary lengthscales a few inducing inputs
        make all the data look like noise, and training would stay there.
        """
        mean = self.inputs.belief.mean
        if not isinstance(self.kernel, str):
            return of_unit_scale(start_kernel(self.kernel, mean), mean)
        some: Any = np.sort(generator.permutation(len(mean))[:SUBSET])
        points, width = mean[some], np.sqrt(mean.shape[1])
        part = RegressionProblem(
            Inputs.of(points, None),
            self.targets.chunk(some),
            self.kernel,
            len(some),
            self.jitter,
            self.run,
        )
        layers = [
            Layer(kernel_named(self.kernel, np.full(mean.shape[1], factor * width)), points, 1.0)
            for factor in LENGTHSCALES
        ]
        starts = [Parameters(part.inputs.belief, layer) for layer in layers]
        best = starts[int(np.argmax([part._bound_or_less(start) for start in starts]))]
        if self.held and len(some) == len(mean):
            return best.layer.kernel
        training = Training(
            replace(part, layer=best.layer), "lbfgs", SUBSET_ITERATIONS, self.jitter, 0.0
        )
        return training.run((seed,))[0].parameters.layer.kernel

    def _bound_or_less(self, parameters: Parameters) -> float:
        try:
            return self.value(parameters, None).value
        except NotPositiveDefiniteError:
            return -np.inf

    def layout(self, anchor: Parameters, phase: Phase) -> Layout:
        inputs, belief = self.inputs, anchor.belief
        free: dict[str, Leaf] = {}
        if not self.kernel_held:
            kernel = kernel_leaves(
                anchor.layer.kernel, "layer.kernel", belief.n_points, profiled=True
            )
            free = {path: replace(leaf, transform=BOUNDED) for path, leaf in kernel.items()}
        if not self.held:
            free["layer.inducing"] = Leaf(scale=POINT_SCALE)
        if inputs.free_mean.any():
            spread = np.sqrt(np.where(inputs.free_mean, belief.variance, 1.0))
            free["belief.mean"] = Leaf(scale=spread, free=inputs.free_mean)
        if inputs.free_variance.any():
            free["belief.variance"] = Leaf(LOG, 2.0, free=inputs.free_variance)
        return Layout(anchor, free)

    def value(self, parameters: Parameters, ratio: float | None) -> LayerValue:
        """The layer at its best scales, of which the noise is at least the jitter's size.

        Less noise than that drowns in the rounding of the statistics, and training stalls on it.
        """
        return evaluate_layer(
            parameters.layer,
            parameters.belief,
            self.targets,
            jitter=self.jitter,
            profile=True,
            ratio=ratio,
            most_ratio=1.0 / self.jitter,
            run=self.run,
        )

    def evaluate(self, parameters: Parameters, phase: Phase) -> Evaluated:
        at, belief = self.value(parameters, phase.ratio), parameters.belief
        kl, d_kl = self.inputs.prior.fitted(belief, self.inputs.groups).kl(belief)
        gradient = Parameters(
            Belief(at.gradients.mean - d_kl.mean, at.gradients.variance - d_kl.variance),
            Layer(at.gradients.kernel, at.gradients.inducing, 0.0),
        )
        return Evaluated(at.value - kl, gradient, at.layer.noise_variance)

    def kl_terms(self, belief: Belief) -> Float[Array, "N Q"]:
        """KL of every entry of q(X) in nats, learnt noise variances at their optimum."""
        return self.inputs.prior.fitted(belief, self.inputs.groups).kl_terms(belief)

    def describe(self, parameters: Parameters) -> tuple[Array, Array, Array]:
        belief = parameters.belief
        relevance = relevance_of(parameters.layer.kernel, belief.n_latent)
        return relevance, self.kl_terms(belief).mean(axis=0), belief.mean

    def posterior(
        self, parameters: Parameters, targets: Float[Array, "N D"], scaling: Scaling
    ) -> tuple[Posterior, float]:
        """What predictions need, and F_data, at the layer's best scales."""
        scales = self.value(parameters, None).profile
        assert scales is not None
        whole = Targets.whole(targets)
        # As in training, so that what could be evaluated there can be here.
        at = replace(self, targets=whole).value(parameters, scales.ratio)
        found = Posterior(
            at.layer.kernel,
            at.layer.inducing,
            at.posterior.weights,
            at.posterior.gap,
            at.layer.noise_variance,
            at.jitter,
            scaling.center,
            scaling.scale,
            None if whole.patterns is None else whole.patterns.groups,
        )
        return found, at.value
