"""The result of evaluating a layer in a conditional family, with q of its outputs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds.collapsed import Informed
from gplvm_core.bounds.layer import Layer, LayerValue, Scales
from gplvm_core.models.problems.edges import LayerEdge, Settled
from gplvm_core.numerics import Array, Factor
from gplvm_core.statistics import Statistics

# Belief, Correlated, or None for data.
Outputs = TypeVar("Outputs")


@dataclass(frozen=True)
class Moved:
    """Gradients of the bound's terms from this layer downwards.

    source: the gradient with respect to the marginals of the layer's inputs. layer: with respect to
    kernel, inducing inputs and σ² (0 if the scales are optimal). own: with respect to the
    parameters of q of the outputs. across: with respect to R (6.6).
    """

    source: Any
    layer: Layer
    own: Any
    across: Any = None


@dataclass(frozen=True)
class LayerResult(Generic[Outputs]):
    """An evaluated layer, with the marginals of its outputs, and the pullback.

    entropy: the entropy of q(outputs | the variables on which the outputs depend). jitter: the
    absolute jitter. capped: the number of outputs whose σ_f²/σ² is at its limit (0 or 1 if all
    outputs share one ratio). pullback: a function from the adjoint of the outputs' marginals to
    gradients. The gradients include those of F_l and of the entropy.
    """

    belief: Outputs
    layer: Layer
    posterior: Informed
    statistics: Statistics
    jitter: float
    entropy: float
    pullback: Callable[[Outputs], Moved]
    capped: int = 0

    @property
    def marginals(self) -> Belief:
        """The marginals of the outputs, dimension by dimension."""
        belief: Any = self.belief
        return belief if isinstance(belief, Belief) else belief.marginals

    @property
    def settled(self) -> Settled:
        """The evaluated layer in the form that a fitted model uses."""
        return Settled(self.layer, self.statistics, self.posterior, self.jitter, self.capped)


@dataclass(frozen=True)
class AtLayer:
    """The arguments for the evaluation of a layer.

    source: q of the layer's inputs. across: R (6.6). jitter: the relative jitter.
    """

    edge: LayerEdge
    layer: Layer
    source: Any
    across: Any
    jitter: float


def informed(
    gram: Factor, value: float, mean: Float[Array, "D M"], covariance: Float[Array, "D M M"]
) -> Informed:
    """The terms of q(u) that predictions need; q(u) is separate for every output, in the basis of
    L.
    """
    gap = gram.unwhiten(np.eye(covariance.shape[1]) - covariance)
    return Informed(value, gram.solve_lower_transposed(mean.T), gap, covariance)


def summed(
    psi0: float | Array,
    psi1: Float[Array, "N M"],
    psi2: Float[Array, "M M"],
    mean: Float[Array, "N D"],
    spread: float = 0.0,
) -> Statistics:
    """Statistics with a separate group for every output.

    mean: the means of the outputs. spread: the sum of the outputs' variances.
    """
    (n_points, n_outputs), yy = mean.shape, float(np.sum(mean**2)) + spread
    whole = Statistics(
        np.reshape(psi0, 1),
        psi1.T @ mean,
        psi2[None],
        yy,
        np.array([n_points]),
        np.array([n_outputs]),
    )
    return whole.split(np.arange(n_outputs))


def at_data(at: LayerValue, source: Any) -> LayerResult[Any]:
    """The result for a layer to data; source: gradients with respect to its inputs."""
    layer = Layer(at.gradients.kernel, at.gradients.inducing, 0.0)
    capped = 0 if at.profile is None else int(np.sum(at.profile.capped))
    moved = Moved(source, layer, None)
    return LayerResult(
        None, at.layer, at.posterior, at.statistics, at.jitter, 0.0, lambda _: moved, capped
    )


def best_scales(jitter: float, ratio: float | None = None) -> Scales:
    """Settings that optimise a layer's scales, within the limit that the jitter sets."""
    return Scales(profile=True, ratio=ratio, most_ratio=1.0 / jitter)
