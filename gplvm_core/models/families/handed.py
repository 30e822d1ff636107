"""What a hidden layer hands down when the belief about its outputs follows from the layer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from gplvm_core.beliefs import Belief
from gplvm_core.bounds.collapsed import Informed
from gplvm_core.bounds.layer import Layer
from gplvm_core.models.problems.edges import Settled
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
