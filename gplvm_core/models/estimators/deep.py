"""Settings for every layer and their checks, shared by the estimators of deep models."""

from typing import Any, TypeVar

from numpy.typing import ArrayLike

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.models.data.rows import checked_belief
from gplvm_core.models.problems.deep import family_named
from gplvm_core.models.problems.deep_many_rows import together
from gplvm_core.models.problems.doctor import DeepLayer
from gplvm_core.prediction import Network, Posterior
from gplvm_core.prediction.forward import Moments
from gplvm_core.statistics import Statistics

Setting = TypeVar("Setting")


def one_noise(self: Any) -> bool:
    """Whether the family requires one noise variance for all outputs."""
    return together(self.family) is not None


def edge_of(model: Any, layer: DeepLayer) -> tuple[Posterior, Statistics | None, bool]:
    """The posterior of a hidden layer, its statistics, and whether its q(u) is independent of the
    layer's outputs.

    The statistics are None if they do not determine q(u).
    """
    family = family_named(model.family_ or model.family)
    known = layer.statistics_ if family.summarised else None
    return layer.posterior_, known, family.independent


def chain_of(model: Any) -> Network:
    """The trained graph of a chain of layers from latent points to data."""
    posteriors, known, independent = zip(
        *(edge_of(model, each) for each in model.layers_), strict=True
    )
    return Network.chain(
        posteriors,
        [Belief(each.latent_mean_, each.latent_variance_) for each in model.layers_],
        [*known[:-1], model.statistics_],
        mean_field=independent[0],
    )


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


def outputs_from(
    model: Any,
    H: ArrayLike,
    H_variance: ArrayLike | None,
    layer: int,
    n_layers: int,
    *,
    noise: bool,
) -> Moments:
    """Means and variances of the data at inputs of a layer (0 is the top).

    Raises ValueError unless there is such a layer.
    """
    if layer not in range(n_layers):
        raise ValueError(
            f"layer must be a whole number from 0, the top, to {n_layers - 1}; got {layer!r}"
        )
    network: Network = model._network
    at = checked_belief(H, H_variance, network.width(layer))
    return prediction.moments(network, {layer: at}, noise=noise)
