"""Settings for every layer and their checks, shared by the estimators of deep models."""

from typing import Any, TypeVar

from gplvm_core.models.estimators.capabilities import Capabilities
from gplvm_core.models.problems.deep import Family
from gplvm_core.models.problems.deep_many_rows import together
from gplvm_core.models.problems.doctor import DeepLayer, sound
from gplvm_core.models.problems.variational import VariationalFamily, family_named
from gplvm_core.models.training.run import Trained
from gplvm_core.prediction import Posterior
from gplvm_core.statistics import Statistics

Setting = TypeVar("Setting")


class Layered:
    """A fitted chain of layers.

    Attributes
    ----------
    layers_ : tuple of DeepLayer
        The layers, the top first. Each has the posterior of its inputs (`latent_mean_`,
        `latent_variance_`, `information_`, `relevance_`) and a verdict in words (`verdict_`).
    family_ : str or None
        "marginalised" if the posterior of the marginalised family replaced the posterior of
        `family`, because the bound of `family` was lower; else None.
    """

    family: Family
    family_: Family | None = None
    layers_: tuple[DeepLayer, ...]
    random_state: Any
    n_restarts: Any

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(layers=True)

    def _known(self, layer: DeepLayer) -> Statistics | None:
        """The statistics of a hidden layer; None if the statistics do not determine its q(u)."""
        return layer.statistics_ if self._trained_family.summarised else None

    @property
    def _mean_field(self) -> bool:
        """Whether q(u) of a hidden layer is independent of the layer's outputs."""
        return self._trained_family.independent

    @property
    def _trained_family(self) -> VariationalFamily:
        return family_named(self.family_ or self.family)

    @property
    def _posteriors(self) -> tuple[Posterior, ...]:
        return tuple(layer.posterior_ for layer in self.layers_)

    @property
    def _one_noise(self) -> bool:
        """Whether the family requires one noise variance for all outputs."""
        return together(self.family) is not None

    def _worth(self, problem: Any, trained: Trained) -> Any:
        """Rank starts by their bounds. A start that fits hidden layers to single points ranks below
        all others, because it may have the highest bound and predict badly.
        """
        return sound(problem, trained.parameters), trained.restart.bound


def widths(n_components: Any) -> tuple[int, ...]:
    """Convert a number or a tuple of numbers to a tuple."""
    return n_components if isinstance(n_components, tuple) else (n_components,)


def for_layers(
    name: str, value: Setting | tuple[Setting, ...], n_layers: int
) -> tuple[Setting, ...]:
    """Convert a setting to one value per layer; raises ValueError for a tuple of another length."""
    if not isinstance(value, tuple):
        return (value,) * n_layers
    if len(value) != n_layers:
        raise ValueError(
            f"{name} has {len(value)} entries for {n_layers} layers: give one for each layer"
        )
    return value


def checked_layer(layer: Any, n_layers: int) -> int:
    """Check the number of a layer (0 is the top); raises ValueError for other values."""
    if layer not in range(n_layers):
        raise ValueError(
            f"layer must be a whole number from 0, the top, to {n_layers - 1}; got {layer!r}"
        )
    return int(layer)
