"""Fitted attributes that follow from others; the faces of estimators have them as properties."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.models.problems.edges import relevance_of
from gplvm_core.numerics import Array
from gplvm_core.prediction import Posterior
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
    model.relevance_ = relevance_of(posterior.kernel, belief.n_latent)
    model.statistics_, model.posterior_ = statistics, posterior
