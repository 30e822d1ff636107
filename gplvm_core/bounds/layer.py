"""One Gaussian-process layer: belief about inputs → kernel, inducing inputs, noise → outputs."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds.collapsed import Collapsed, collapsed
from gplvm_core.bounds.marginalised import marginalised, with_spread
from gplvm_core.bounds.profiled import Profile, profile_scales
from gplvm_core.kernels import Gradients, Kernel
from gplvm_core.numerics import Array, Factor, factorise
from gplvm_core.parameters import add
from gplvm_core.statistics import Executor, Statistics, Targets, reduce_statistics
from gplvm_core.statistics.executors import serial


@dataclass(frozen=True)
class Layer:
    """The parameters of a layer; also the shape of their gradients."""

    kernel: Kernel
    inducing: Float[Array, "M Q"]
    noise_variance: float


@dataclass(frozen=True)
class LayerValue:
    """F_data of a layer with its gradients, and the layer it was evaluated at.

    `layer` differs from the one asked for when its two scales were profiled. targets: gradients
    in the outputs, where those are a belief.
    """

    value: float
    gradients: Gradients  # mean, variance, inducing, kernel
    noise_variance: float  # ∂σ²
    layer: Layer
    posterior: Collapsed
    jitter: float  # absolute, as added to K
    statistics: Statistics  # of the layer's own kernel
    profile: Profile | None = None
    targets: Belief | None = None


def gram_factor(
    kernel: Kernel, inducing: Float[Array, "M Q"], jitter: float, *, relative: bool
) -> Factor:
    """Cholesky factor of K with a jitter that is absolute, or relative to K's mean diagonal."""
    gram = kernel.K(inducing)
    return factorise(gram, jitter * float(np.mean(np.diagonal(gram))) if relative else jitter)


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
    mean_field: bool = False,
    run: Executor = serial,
) -> LayerValue:
    """F_data and all its gradients in constrained units, in two passes over the data.

    profile: the kernel's overall scale and the noise variance are put at their optimum first
    (with `ratio` = σ_f²/σ² held: the noise alone; else it is at most `most_ratio`), so by the
    envelope theorem the other gradients are those of the profiled bound. mean_field: of outputs
    that are a belief, q(u) is one for all of it; else u is integrated out first (`marginalised`,
    never lower). Raises NotPositiveDefiniteError.
    """
    statistics, pullback = reduce_statistics(layer.kernel, belief, layer.inducing, targets, run)
    gram = gram_factor(layer.kernel, layer.inducing, jitter, relative=relative)
    scale, found, given = 1.0, None, layer.kernel
    if profile:
        seen = statistics if mean_field else with_spread(statistics)
        found = profile_scales(seen, gram, ratio, most_ratio)
        scale = found.scale
        layer = Layer(given.scaled(scale), layer.inducing, found.noise_variance)
        gram = Factor(np.sqrt(scale) * gram.lower, scale * gram.jitter)
    bound = collapsed if mean_field else marginalised
    own = statistics.of_scaled_kernel(scale)
    at = bound(own, gram, layer.noise_variance)
    # The statistics are those of the given kernel, before scaling: so must be their adjoints.
    pulled = pullback(at.statistics.of_scaled_kernel(scale))
    d_gram = scale * at.gram
    if relative:
        # The jitter is a multiple of mean(diag K), so K's diagonal is met twice.
        d_gram = d_gram + (jitter * np.trace(d_gram) / len(d_gram)) * np.eye(len(d_gram))
    d_inducing, d_kernel = given.K_pullback(layer.inducing, d_gram)
    gradients = replace(
        pulled.inputs,
        inducing=pulled.inputs.inducing + d_inducing,
        kernel=add(pulled.inputs.kernel, d_kernel),
    )
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
