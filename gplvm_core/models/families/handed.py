"""What a hidden layer hands down when the belief about its outputs follows from the layer."""

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

# A Belief, or a Correlated one.
Handing = TypeVar("Handing")


@dataclass(frozen=True)
class Moved:
    """Gradients of the whole bound below a layer: in its inputs' marginals, its own parameters
    (kernel, inducing inputs, σ²; those of scales at their optimum are 0), and the parameters of q
    of its outputs; across: in R (6.6).
    """

    source: Any
    layer: Layer
    own: Any
    across: Any = None


@dataclass(frozen=True)
class Handed(Generic[Handing]):
    """A layer, as evaluated, with the marginals of its outputs, and the way back.

    entropy: of q of the outputs, given what it is conditioned on. jitter: absolute. capped: of how
    many outputs, or of all, σ_f²/σ² stands at the most that is allowed. pullback: the adjoint of
    the marginals, from the layers below → gradients, those of F_l and of the entropy included.
    """

    belief: Handing
    layer: Layer
    posterior: Informed
    statistics: Statistics
    jitter: float
    entropy: float
    pullback: Callable[[Handing], Moved]
    capped: int = 0

    @property
    def marginals(self) -> Belief:
        """What is handed down, every dimension on its own."""
        belief: Any = self.belief
        return belief if isinstance(belief, Belief) else belief.marginals

    @property
    def settled(self) -> Settled:
        """The layer as it was evaluated, as what is kept."""
        return Settled(self.layer, self.statistics, self.posterior, self.jitter, self.capped)


@dataclass(frozen=True)
class AtLayer:
    """A layer on its way down: what it is evaluated at.

    source: the belief about its inputs. across: R (6.6). jitter: relative.
    """

    edge: LayerEdge
    layer: Layer
    source: Any
    across: Any
    jitter: float


def informed(
    gram: Factor, value: float, mean: Float[Array, "D M"], covariance: Float[Array, "D M M"]
) -> Informed:
    """What predictions take, of q(u) of every output on its own, in the basis of L."""
    gap = gram.unwhiten(np.eye(covariance.shape[1]) - covariance)
    return Informed(value, gram.solve_lower_transposed(mean.T), gap, covariance)


def summed(
    psi0: float | Array,
    psi1: Float[Array, "N M"],
    psi2: Float[Array, "M M"],
    mean: Float[Array, "N D"],
    spread: float = 0.0,
) -> Statistics:
    """Statistics of every output on its own; spread: the sum of the outputs' variances."""
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


def at_data(at: LayerValue, source: Any) -> Handed[Any]:
    """A layer to data with nothing below it; source: gradients in its inputs."""
    layer = Layer(at.gradients.kernel, at.gradients.inducing, 0.0)
    capped = 0 if at.profile is None else int(np.sum(at.profile.capped))
    moved = Moved(source, layer, None)
    return Handed(
        None, at.layer, at.posterior, at.statistics, at.jitter, 0.0, lambda _: moved, capped
    )


def best_scales(jitter: float, ratio: float | None = None) -> Scales:
    """A layer's scales at their optimum, within what the jitter allows."""
    return Scales(profile=True, ratio=ratio, most_ratio=1.0 / jitter)
