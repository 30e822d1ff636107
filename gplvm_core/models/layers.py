"""The data's side of a training problem: F_data of one layer as a function of latent inputs."""

from dataclasses import dataclass
from typing import Any, Protocol

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
from gplvm_core.models.scaling import Scaling
from gplvm_core.numerics import Array
from gplvm_core.parameters import LOG, Leaf, leaves
from gplvm_core.prediction import Posterior
from gplvm_core.statistics import Executor, Statistics, Targets, reduce_statistics


@dataclass(frozen=True)
class Parameters:
    """All that training moves: q(X) and what hangs on it, a layer or several (scales profiled)."""

    belief: Belief
    layer: Any


@dataclass(frozen=True)
class DataValue:
    """F_data at its best scales, and its gradients, shaped like q(X) and like the layers."""

    value: float
    belief: Belief
    layer: Any
    noise_variance: float


class DataTerm(Protocol):
    """What hangs on the latent inputs: one layer, or several."""

    def start(self, seed: int, variance: float) -> Parameters:
        """Parameters to start from; q(X) with this variance everywhere."""

    def value(self, parameters: Parameters, ratio: float | None) -> DataValue:
        """F_data with the scales at their best (ratio: σ_f²/σ² held)."""

    def free(self, layer: Any, spread: Float[Array, " Q"], n_points: int) -> dict[str, Leaf]:
        """The free parameters of the layers at their scales; spread: of the latent points."""

    def relevance(self, layer: Any, n_latent: int) -> Float[Array, " Q"]:
        """How much each latent dimension matters, for progress."""


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
        return Parameters(belief, Layer(of_unit_scale(kernel, mean), inducing, 1.0)), notes + more


def start_kernel(kernel: str | Kernel, latent: Float[Array, "N Q"]) -> Kernel:
    """A kernel given by name starts with relevances from the data, an object as it is."""
    if isinstance(kernel, str):
        return kernel_named(kernel, initial_lengthscale(latent))
    kernel = kernel.with_latent(latent.shape[1])
    kernel.check()
    return kernel


def of_unit_scale(kernel: Kernel, latent: Float[Array, "N Q"]) -> Kernel:
    """The kernel times what makes k(x, x) 1 on average: where its scale is put at its optimum, the
    bounds on that are relative to this.
    """
    return kernel.scaled(1.0 / float(np.mean(kernel.diag(latent))))


def kernel_leaves(
    kernel: Kernel, prefix: str, n_points: int, *, profiled: bool = False
) -> dict[str, Leaf]:
    """The kernel's free parameters: logarithms, at the scale of their curvature, about N.

    Not those that it holds. profiled: the first variance stays as it is, since the overall scale
    is put at its optimum.
    """
    paths = list(leaves(kernel, prefix))
    if profiled:
        values = leaves(kernel, prefix)
        scales = [
            path for path in paths if path.endswith("variance") and np.ndim(values[path]) == 0
        ]
        paths = [path for path in paths if path not in scales[:1]]
    held = {f"{prefix}.{path}" for path in kernel.held_paths()}
    return {path: Leaf(LOG, 1.0 / np.sqrt(n_points)) for path in paths if path not in held}


def layer_leaves(
    layer: Layer, prefix: str, spread: Float[Array, " Q"], n_points: int
) -> dict[str, Leaf]:
    """The free parameters of a layer whose scales are profiled; spread: of the latent points."""
    inducing = {f"{prefix}.inducing": Leaf(scale=spread)}
    return inducing | kernel_leaves(layer.kernel, f"{prefix}.kernel", n_points, profiled=True)


@dataclass(frozen=True)
class Settled:
    """A trained layer with the statistics of its data and its optimal q(u)."""

    layer: Layer
    statistics: Statistics
    posterior: Collapsed
    jitter: float
    capped: bool = False  # σ_f²/σ² stands at the most that is allowed

    @property
    def notes(self) -> tuple[str, ...]:
        """What is odd about the fit, in words."""
        return ("fitted without error: the noise is held at the level of the jitter",) * self.capped

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
class OneLayer:
    """F_data of outputs that hang on the latent inputs by one layer."""

    begin: Start
    targets: Targets
    jitter: float
    run: Executor

    def start(self, seed: int, variance: float) -> Parameters:
        return self.begin.parameters(seed, variance)[0]

    def value(self, parameters: Parameters, ratio: float | None) -> DataValue:
        at = self._at(parameters, ratio)
        pulled = at.gradients
        return DataValue(
            at.value,
            Belief(pulled.mean, pulled.variance),
            Layer(pulled.kernel, pulled.inducing, 0.0),
            at.layer.noise_variance,
        )

    def free(self, layer: Any, spread: Float[Array, " Q"], n_points: int) -> dict[str, Leaf]:
        return layer_leaves(layer, "layer", spread, n_points)

    def relevance(self, layer: Any, n_latent: int) -> Float[Array, " Q"]:
        return relevance_of(layer.kernel, n_latent)

    def settled(self, parameters: Parameters, targets: Float[Array, "N D"]) -> Settled:
        """The layer at its best scales, evaluated once more as what is stored will be."""
        best = self._at(parameters, None)
        layer, belief = best.layer, parameters.belief
        whole = Targets.whole(targets)
        statistics, _ = reduce_statistics(layer.kernel, belief, layer.inducing, whole, self.run)
        gram = gram_factor(layer.kernel, layer.inducing, best.jitter, relative=False)
        found = collapsed(statistics, gram, layer.noise_variance)
        capped = best.profile is not None and best.profile.capped
        return Settled(layer, statistics, found, best.jitter, capped)

    def _at(self, parameters: Parameters, ratio: float | None) -> LayerValue:
        """Less noise than the jitter adds to K drowns in the rounding of the statistics."""
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


def relevance_of(kernel: Kernel, n_latent: int) -> Float[Array, " Q"]:
    """ARD weights; a kernel that does not tell dimensions apart gives them all 1."""
    relevance = kernel.relevance
    return np.ones(n_latent) if relevance is None else relevance
