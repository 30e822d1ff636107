"""One Gaussian-process layer: a distribution of inputs, the layer's parameters, and outputs."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds.collapsed import Collapsed, Spectra, collapsed, marginalised, with_spread
from gplvm_core.bounds.per_output import collapsed_per_output, in_units
from gplvm_core.bounds.profiled import Profile, profile_scales
from gplvm_core.bounds.profiled_per_output import OutputProfile, profile_outputs
from gplvm_core.kernels import Gradients, Kernel
from gplvm_core.likelihoods import Links
from gplvm_core.numerics import Array, Factor, factorise, one_thread_a_product
from gplvm_core.parameters import add, scale_leaves
from gplvm_core.statistics import (
    Executor,
    Statistics,
    StatisticsPullback,
    Targets,
    reduce_statistics,
)
from gplvm_core.statistics.reduce import serial


@dataclass(frozen=True)
class Local:
    """The points at which the Gaussian factors of entries equal their likelihoods.

    xi: ξ of every entry. links: the present likelihoods of the outputs that are not numbers.
    """

    xi: Float[Array, "N K"]
    links: Links


@dataclass(frozen=True)
class Layer:
    """The parameters of a layer; their gradients are stored in the same type.

    ratio: σ_f²/σ² of every output, if every output has its own noise variance; None if all outputs
    share signal and noise variance. slope: the weights of a linear mean, outputs = inputs slope +
    f(inputs) + noise; None for a zero mean. With uncertain inputs, a slope needs an RBF kernel. For
    outputs that are not numbers (`evaluate_mixed`), bias contains the constants added to their
    functions, and local contains their Gaussian factors. Both are None if all outputs are numbers.
    """

    kernel: Kernel
    inducing: Float[Array, "M Q"]
    noise_variance: float | Float[Array, " D"]
    ratio: Float[Array, " D"] | None = None
    slope: Float[Array, "Q D"] | None = None
    bias: Float[Array, " D"] | None = None
    local: Local | None = None

    def linear_mean(self, source: Belief) -> Float[Array, "N D"] | float:
        """Return the linear mean at inputs that are known exactly. Raises ValueError otherwise."""
        if self.slope is None:
            return 0.0
        if source.variance.any():
            raise ValueError("this layer's slope needs inputs that are known exactly")
        return source.mean @ self.slope


@dataclass(frozen=True)
class LayerValue:
    """F_data of a layer with its gradients, and the layer at which it was evaluated.

    `layer` differs from the given layer if the two scales were profiled. With noise per output, the
    posterior and the statistics are in units of each output's noise. targets: gradients with
    respect to the outputs, if these are a distribution.
    """

    value: float
    gradients: Gradients  # mean, variance, inducing, kernel
    noise_variance: float  # ∂σ²; nan with noise per output
    layer: Layer
    posterior: Collapsed
    jitter: float  # absolute, as added to K
    statistics: Statistics  # for the kernel of `layer`
    profile: Profile | OutputProfile | None = None
    targets: Any = None

    def weighted(self, weight: float) -> "LayerValue":
        """The value and its gradients, multiplied by a weight."""
        return replace(
            self,
            value=weight * self.value,
            gradients=scale_leaves(self.gradients, weight),
            noise_variance=weight * self.noise_variance,
            targets=None if self.targets is None else scale_leaves(self.targets, weight),
        )


def gram_factor(
    kernel: Kernel, inducing: Float[Array, "M Q"], jitter: float, *, relative: bool
) -> Factor:
    """Return the Cholesky factor of K; the jitter is absolute or relative to K's mean diagonal."""
    gram = kernel.K(inducing)
    return factorise(gram, jitter * float(np.mean(np.diagonal(gram))) if relative else jitter)


@one_thread_a_product()
def evaluate_layer(
    layer: Layer,
    belief: Belief,
    targets: Targets,
    *,
    jitter: float,
    relative: bool = True,
    profile: bool = False,
    ratio: float | None = None,
    most_ratio: float = np.inf,
    noise_held: bool = False,
    mean_field: bool = False,
    per_output: bool = False,
    executor: Executor = serial,
) -> LayerValue:
    """Return F_data and all its gradients in constrained units, in two passes over the data.

    profile: first set the kernel's overall scale and the noise variance to their optimum. By the
    envelope theorem, the other gradients are then the gradients of the profiled bound. A given
    `ratio` fixes σ_f²/σ², so that only the noise is optimised. noise_held fixes the noise, so that
    only the scale is optimised. A free ratio is at most `most_ratio`, relative to the mean diagonal
    of K as the jitter is. mean_field: if the outputs are a distribution, q(u) is independent of
    them. Without mean_field, u is integrated out first (`marginalised`); the F_data with u
    integrated out is never lower. per_output: every data column gets its own signal and noise
    variance; existing per-output values of the layer are used. Raises NotPositiveDefiniteError.
    """
    scales = Scales(profile, ratio, most_ratio)
    if per_output or layer.ratio is not None:
        return _evaluate_per_output(layer, belief, targets, scales, jitter, relative, executor)
    if noise_held:
        scales = replace(scales, noise_variance=float(layer.noise_variance))
    left = targets if layer.slope is None else replace(targets, slope=layer.slope)
    reduced = reduce_statistics(layer.kernel, belief, layer.inducing, left, executor)
    return evaluate_statistics(
        layer, *reduced, scales, jitter=jitter, relative=relative, mean_field=mean_field
    )


@dataclass(frozen=True)
class Scales:
    """Which of a layer's two scales are optimised; the arguments of `evaluate_layer`."""

    profile: bool = False
    ratio: float | None = None
    most_ratio: float = np.inf
    noise_variance: float | None = None


def evaluate_statistics(
    layer: Layer,
    statistics: Statistics,
    pullback: StatisticsPullback,
    scales: Scales,
    *,
    jitter: float,
    relative: bool = True,
    mean_field: bool = False,
) -> LayerValue:
    """Compute `evaluate_layer` from the statistics of the layer's data and their pullback."""
    gram = gram_factor(layer.kernel, layer.inducing, jitter, relative=relative)
    seen = statistics if mean_field else with_spread(statistics)
    spectra = Spectra.of(seen, gram)
    scale, found, given = 1.0, None, layer.kernel
    level = gram.jitter / jitter if relative else 1.0
    if scales.profile:
        most = scales.most_ratio / level
        found = profile_scales(seen, spectra, scales.ratio, most, scales.noise_variance)
        scale = found.scale
        layer = replace(layer, kernel=given.scaled(scale), noise_variance=found.noise_variance)
        gram = Factor(np.sqrt(scale) * gram.lower, scale * gram.jitter)
    bound = collapsed if mean_field else marginalised
    own = statistics.of_scaled_kernel(scale)
    at = bound(own, gram, float(layer.noise_variance), spectra.scaled(scale))
    # The pullback belongs to the unscaled kernel, so it needs the adjoints for the unscaled kernel.
    pulled = pullback(at.statistics.of_scaled_kernel(scale))
    d_level = 0.0 if found is None else -found.slope / level
    added = jitter, relative, d_level
    gradients = with_gram(pulled.inputs, given, layer.inducing, scale * at.gram, *added)
    return LayerValue(
        at.value,
        gradients,
        at.noise_variance,
        layer,
        at,
        gram.jitter,
        own,
        found,
        pulled.targets,
    )


def layer_term(
    layer: Layer,
    statistics: Statistics,
    gram: Factor,
    targets: Targets,
    *,
    mean_field: bool = False,
) -> float:
    """Return only the value F_data of a layer; statistics and K may be those of another kernel."""
    if layer.ratio is None:
        bound = collapsed if mean_field else marginalised
        return bound(statistics, gram, float(layer.noise_variance)).value
    noise = np.asarray(layer.noise_variance)
    own = in_units(statistics, noise, targets.squares)
    return collapsed_per_output(own, gram, layer.ratio).value - _jacobian(statistics, noise)


def _jacobian(statistics: Statistics, noise: Float[Array, " D"]) -> float:
    """Return log p(outputs in units of their noise) − log p(outputs as given)."""
    counts = statistics.n_points[np.asarray(statistics.groups)]
    return 0.5 * float(counts @ np.log(noise))


def _evaluate_per_output(
    layer: Layer,
    belief: Belief,
    targets: Targets,
    scales: Scales,
    jitter: float,
    relative: bool,
    executor: Executor,
) -> LayerValue:
    """Compute `evaluate_layer` for data with a separate signal and noise variance per output.

    The kernel's scale does not change; the ratios are relative to it.
    """
    if targets.variance is not None or targets.values.shape[1] != targets.n_outputs:
        raise ValueError("noise per output needs data with all columns: use Targets.whole")
    statistics, pullback = reduce_statistics(
        layer.kernel, belief, layer.inducing, targets, executor
    )
    gram = gram_factor(layer.kernel, layer.inducing, jitter, relative=relative)
    spectra, found = Spectra.of(statistics, gram), None
    level, d_level = gram.jitter / jitter if relative else 1.0, 0.0
    if scales.profile:
        most = scales.most_ratio / level
        found = profile_outputs(statistics, spectra, targets.squares, scales.ratio, most)
        d_level = -found.slope / level
        layer = Layer(layer.kernel, layer.inducing, found.noise_variance, found.ratio)
    noise = np.asarray(layer.noise_variance)
    own = in_units(statistics, noise, targets.squares)
    spectra = replace(spectra, carried=spectra.carried / np.sqrt(noise))
    at = collapsed_per_output(own, gram, np.asarray(layer.ratio), spectra)
    adjoints = replace(at.statistics, psi1_targets=at.statistics.psi1_targets / np.sqrt(noise))
    pulled = pullback(adjoints).inputs
    added = jitter, relative, d_level
    gradients = with_gram(pulled, layer.kernel, layer.inducing, at.gram, *added)
    at = replace(at, value=at.value - _jacobian(statistics, noise))
    return LayerValue(at.value, gradients, np.nan, layer, at, gram.jitter, own, found)


def with_gram(
    pulled: Gradients,
    kernel: Kernel,
    inducing: Array,
    d_gram: Array,
    jitter: float,
    relative: bool,
    d_level: float = 0.0,
) -> Gradients:
    """Add the gradients through K to the gradients through the statistics.

    d_level: the gradient with respect to mean(diag K), on which the largest ratio depends.
    """
    if relative:
        # The jitter is a multiple of mean(diag K), so K's diagonal has a second gradient.
        each = (jitter * np.trace(d_gram) + d_level) / len(d_gram)
        d_gram = d_gram + each * np.eye(len(d_gram))
    d_inducing, d_kernel = kernel.K_pullback(inducing, d_gram)
    return replace(
        pulled, inducing=pulled.inducing + d_inducing, kernel=add(pulled.kernel, d_kernel)
    )
