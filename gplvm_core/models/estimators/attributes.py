"""Fitted attributes that follow from others; the faces of estimators have them as properties.

Also here: convert results to data frames if the given rows are a data frame.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float
from sklearn import get_config

from gplvm_core.beliefs import Belief
from gplvm_core.models.problems.edges import relevance_of
from gplvm_core.numerics import Array
from gplvm_core.prediction import Posterior
from gplvm_core.readers.frames import built, frame_of, library_of
from gplvm_core.statistics import Statistics

# A latent dimension is on if its information about a point is larger than this, in nats.
ON = 0.05


def n_iter(self: Any) -> int:
    """The number of accepted iterations of the start that was used."""
    return max(self.result_.iterations, 1)


def latent_scale(self: Any) -> Float[Array, " Q"]:
    """√relevance, the factors that express latent points in lengthscales.

    With several views the relevances of all views are added, just as the squared distances are.
    """
    relevance = self.relevance_
    if isinstance(relevance, Mapping):
        relevance = sum(relevance.values())
    return np.sqrt(np.asarray(relevance, dtype=np.float64))


def n_effective(self: Any) -> int:
    """The number of latent dimensions that are on: information above 0.05 nats per row."""
    return int(np.sum(self.information_ > ON))


def inducing(self: Any) -> Float[Array, "M Q"]:
    """The inducing inputs."""
    return self.posterior_.inducing


def kernel(self: Any) -> Any:
    """The trained kernel, in internal units."""
    return self.posterior_.kernel


def noise_variance(self: Any) -> float:
    """The noise variance σ² in internal units; 1 with noise="per_output"."""
    return self.posterior_.noise_variance


def noise_std(self: Any) -> Float[Array, " D"]:
    """Standard deviations of the observation noise, in the user's units."""
    posterior = self.posterior_
    std = np.sqrt(posterior.noise_variance) * posterior.scale
    if posterior.links is None:
        return std
    return np.where(posterior.links.measured, np.sqrt(posterior.noise), std)


def center(self: Any) -> Float[Array, " D"]:
    """The values, in the user's units, that are 0 in internal units."""
    return self.posterior_.center


def scale(self: Any) -> Float[Array, " D"]:
    """Factors from internal units to the user's units."""
    return self.posterior_.scale


def belief(self: Any) -> Belief:
    """q(X) of the training rows."""
    return Belief(self.latent_mean_, self.latent_variance_)


def n_features_out(self: Any) -> int:
    """The number of latent dimensions, as scikit-learn asks for it."""
    return self.latent_mean_.shape[1]


def placed(model: Any, found: Belief, scaled: bool, return_std: bool) -> Any:
    """Latent means, and with return_std standard deviations; scaled: in lengthscale units."""
    scale = model.latent_scale_ if scaled else 1.0
    mean = found.mean * scale
    return (mean, np.sqrt(found.variance) * scale) if return_std else mean


def set_fitted(
    model: Any,
    belief: Belief,
    information: Float[Array, " Q"],
    bound: float,
    statistics: Statistics | None,
    posterior: Posterior,
) -> None:
    """Set the fitted attributes of a model of one layer."""
    model.latent_mean_, model.latent_variance_ = belief.mean, belief.variance
    model.information_, model.bound_ = information, bound
    # The last inputs may be known factors.
    model.relevance_ = relevance_of(posterior.kernel, belief.n_latent)[: belief.n_latent]
    model.statistics_, model.posterior_ = statistics, posterior


def framed(
    model: Any,
    given: Any,
    values: Any,
    columns: Sequence[Any] | None = None,
    *,
    trained: str | bool = "",
) -> Any:
    """Convert values to a data frame like `given`, or of the library of `set_output`.

    Otherwise the values are returned unchanged. A pandas frame has the index of the given rows.
    columns: the names of the trained outputs; None: the column names of the given rows, or "x0",
    "x1", …. trained: the library of the training rows, for values that belong to no rows; True is
    pandas, in files of older versions.
    """
    if np.ndim(values) != 2:
        return values
    frame = frame_of(given)
    library = library_of(given) or _wanted(model) or ("pandas" if trained is True else trained)
    if not library:
        return values
    if columns is None and frame is not None and frame.shape[1] == values.shape[1]:
        columns = frame.columns
    if columns is None:
        columns = [f"x{number}" for number in range(values.shape[1])]
    return built(values, columns, library, given)


def names_of(given: Any) -> tuple[str, ...] | None:
    """The column names of a data frame; None for other data, or if a name is not text."""
    frame = frame_of(given)
    names = () if frame is None else tuple(frame.columns)
    return names if names and all(isinstance(name, str) for name in names) else None


def _wanted(model: Any) -> str:
    """The library that `set_output` chose; "" for arrays."""
    own = getattr(model, "_sklearn_output_config", {}).get("transform")
    chosen = own or get_config()["transform_output"]
    return chosen if chosen in ("pandas", "polars") else ""
