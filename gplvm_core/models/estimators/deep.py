"""What the estimators of several layers share: settings for every layer, starts, the doctor."""

from typing import Any, TypeVar

from gplvm_core.models.estimators.capabilities import Capabilities
from gplvm_core.models.problems.deep import Family
from gplvm_core.models.problems.doctor import DeepLayer, sound
from gplvm_core.models.problems.variational import VariationalFamily, family_named
from gplvm_core.models.training.run import Trained
from gplvm_core.prediction import Posterior
from gplvm_core.statistics import Statistics

Setting = TypeVar("Setting")


class Layered:
    """A fitted chain of layers; `layers_` holds them, the top first.

    family_: None, or what was kept in the place of `family`, whose bound was lower.
    """

    family: Family
    family_: Family | None = None
    layers_: tuple[DeepLayer, ...]
    random_state: Any
    n_restarts: int

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(layers=True)

    def _known(self, layer: DeepLayer) -> Statistics | None:
        """The statistics of a hidden layer; None where its q(u) is no function of them."""
        return layer.statistics_ if self._trained_family.summarised else None

    @property
    def _mean_field(self) -> bool:
        """Whether q(u) of a hidden layer is independent of q of its outputs."""
        return self._trained_family.independent

    @property
    def _trained_family(self) -> VariationalFamily:
        return family_named(self.family_ or self.family)

    @property
    def _posteriors(self) -> tuple[Posterior, ...]:
        return tuple(layer.posterior_ for layer in self.layers_)

    def _worth(self, problem: Any, trained: Trained) -> Any:
        """Starts compare by their bound, but one that fits its hidden layers to single points
        comes after all others: it may have the highest bound and predict badly.
        """
        return sound(problem, trained.parameters), trained.restart.bound


def widths(n_components: Any) -> tuple[int, ...]:
    """One number, or a tuple of them, as a tuple."""
    return n_components if isinstance(n_components, tuple) else (n_components,)


def for_layers(
    name: str, value: Setting | tuple[Setting, ...], n_layers: int
) -> tuple[Setting, ...]:
    """A setting of every layer; ValueError when a tuple does not have one for each."""
    if not isinstance(value, tuple):
        return (value,) * n_layers
    if len(value) != n_layers:
        raise ValueError(f"{name} has {len(value)} entries for {n_layers} layers: give one a layer")
    return value


def checked_layer(layer: Any, n_layers: int) -> int:
    """The number of a layer, the top being 0; ValueError for others."""
    if layer not in range(n_layers):
        raise ValueError(
            f"layer must be a whole number from 0, the top, to {n_layers - 1}; got {layer!r}"
        )
    return int(layer)
