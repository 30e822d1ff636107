"""What a hidden layer hands down when the belief about its outputs follows from the layer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gplvm_core.beliefs import Belief
from gplvm_core.bounds.collapsed import Informed
from gplvm_core.bounds.layer import Layer
from gplvm_core.statistics import Statistics


@dataclass(frozen=True)
class Moved:
    """Gradients of the whole bound below a layer: in its inputs' marginals, its own parameters
    (kernel, inducing inputs, σ²; those of scales at their optimum are 0), and the parameters of q
    of its outputs.
    """

    source: Belief
    layer: Layer
    own: Any


@dataclass(frozen=True)
class Handed:
    """A layer, as evaluated, with the marginals of its outputs, and the way back.

    entropy: of q of the outputs, given what it is conditioned on. jitter: absolute. capped: whether
    σ_f²/σ² stands at the most that is allowed. pullback: the adjoint of the marginals, from the
    layers below → gradients, those of F_l and of the entropy included.
    """

    belief: Belief
    layer: Layer
    posterior: Informed
    statistics: Statistics
    jitter: float
    entropy: float
    pullback: Callable[[Belief], Moved]
    capped: bool = False
