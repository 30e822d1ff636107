"""Inputs with correlated dimensions, and the collapsed bound of a layer with such inputs.

The functions are for small models: the expectations are N × M × M × Q numbers. Autograd computes
the gradients of the expectations (`reverse`); the layer computes the gradients of the bound.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds.layer import Layer, LayerValue, Scales, evaluate_statistics
from gplvm_core.kernels import RBF, Gradients
from gplvm_core.kernels.tilted import as_rbf
from gplvm_core.models.families.reverse import numpy_of, pulled
from gplvm_core.models.families.tilted import tilted, tilted_pairs
from gplvm_core.numerics import Array
from gplvm_core.statistics import PulledBack, Statistics, StatisticsPullback, Targets


@dataclass(frozen=True)
class Above:
    """The layer above: its stacked q(v), with u = Lv, and T of its outputs.

    The outputs of the layer above are the inputs of this layer.
    """

    mean: Float[Array, " O"]
    covariance: Float[Array, "O O"]
    transfer: Float[Array, "N Q O"]


@dataclass(frozen=True)
class Correlated:
    """q(x_n) = N(mean_n, covariance_n); its gradients have this type, too.

    above: the layer above, only if the layer below needs more than these marginals (6.6).
    """

    mean: Float[Array, "N Q"]
    covariance: Float[Array, "N Q Q"]
    above: Above | None = None

    @classmethod
    def of(cls, belief: Belief) -> "Correlated":
        return cls(belief.mean, belief.variance[:, :, None] * np.eye(belief.n_latent))

    @property
    def marginals(self) -> Belief:
        """The marginals of each dimension; of a gradient, its part for a diagonal covariance."""
        return Belief(self.mean, np.array(np.diagonal(self.covariance, axis1=1, axis2=2)))


def of_inputs(layer: Layer, source: Correlated) -> tuple[Array, ...]:
    """The arguments of `tilted` and `tilted_pairs` for a layer and its inputs."""
    kernel = as_rbf(layer.kernel)
    scales = np.asarray(kernel.variance), np.asarray(kernel.lengthscale)
    return (*scales, layer.inducing, source.mean, source.covariance)


def to_inputs(
    layer: Layer, pulled_back: tuple[Array, ...], noise_variance: float = 0.0
) -> tuple[Correlated, Layer]:
    """Convert gradients of the arguments (`of_inputs`) to gradients of the inputs and the layer."""
    variance, lengthscale, inducing, mean, covariance = pulled_back
    length = float(lengthscale) if np.ndim(lengthscale) == 0 else lengthscale
    kernel = RBF(float(variance), length, held=as_rbf(layer.kernel).held)
    return Correlated(mean, covariance), Layer(kernel, inducing, noise_variance)


def to_data(
    layer: Layer, source: Correlated, targets: Targets, scales: Scales, *, jitter: float
) -> LayerValue:
    """F_data of a layer with correlated inputs; scales: which scales of the layer are optimised.

    The first entry of the result's `targets` is the gradient of the inputs; the gradient of the
    inputs in `gradients` is 0.
    """
    no_outputs = np.zeros((*targets.values.shape, source.mean.shape[1]))
    reduced = correlated_statistics(layer, source, targets, no_outputs, 0.0)
    return evaluate_statistics(layer, *reduced, scales, jitter=jitter, mean_field=True)


def correlated_statistics(
    layer: Layer,
    source: Correlated,
    targets: Targets,
    follows: Float[Array, "N D Q"],
    spread: float,
) -> tuple[Statistics, StatisticsPullback]:
    """Statistics of outputs that depend on the inputs through T.

    targets: the means of the outputs. follows: T. spread: the sum of the outputs' variances. The
    pullback's targets are the gradients of the inputs, the outputs' means, T and yy.
    """
    values, patterns = targets.values, targets.patterns
    rows = np.ones((len(values), 1)) if patterns is None else patterns.rows
    counts = rows.sum(axis=0)

    def reduced(
        variance: Any, lengthscale: Any, inducing: Any, mean: Any, covariance: Any, y: Any, t: Any
    ) -> tuple[Any, ...]:
        xp = numpy_of(variance)
        inputs = variance, lengthscale, mean, covariance, inducing
        kappa, (phi,) = tilted(*inputs, 1), tilted_pairs(*inputs, 0)
        carried = xp.matmul(kappa[0].T, y) + xp.einsum("nmq,ndq->md", kappa[1], t)
        flat = xp.matmul(rows.T, xp.reshape(phi, (len(rows), -1)))
        size = len(inducing)
        return variance * counts, carried, xp.reshape(flat, (rows.shape[1], size, size))

    (psi0, carried, psi2), pull = pulled(reduced, (*of_inputs(layer, source), values, follows))
    statistics = Statistics(
        psi0,
        carried,
        psi2,
        float(np.sum(values**2)) + spread,
        counts.astype(np.intp),
        np.array([targets.n_outputs]) if patterns is None else patterns.n_outputs,
        None if patterns is None else patterns.groups,
    )

    def pullback(adjoint: Statistics) -> PulledBack:
        *inputs, d_values, d_follows = pull((adjoint.psi0, adjoint.psi1_targets, adjoint.psi2))
        d_source, d_layer = to_inputs(layer, tuple(inputs))
        none = np.zeros_like(source.mean)
        gradients = Gradients(none, none, d_layer.inducing, d_layer.kernel)
        return PulledBack(
            gradients, (d_source, d_values + 2.0 * adjoint.yy * values, d_follows, adjoint.yy)
        )

    return statistics, pullback
