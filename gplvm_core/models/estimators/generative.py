"""Latent → data: what fitted layers on a latent space generate, one or several."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from gplvm_core.models.data.points import checked_dimensions, checked_points, checked_variance
from gplvm_core.models.data.views import Views
from gplvm_core.models.estimators.fitted import FittedLayer, LatentRows
from gplvm_core.numerics import Array
from gplvm_core.prediction import Posterior, predict_at, sample, sample_prior, through
from gplvm_core.prediction.vary import interpolate, vary


class Generative(FittedLayer, LatentRows):
    """An estimator whose layer's inputs are latent points."""

    relevance_: Float[Array, " Q"]

    def inverse_transform(
        self,
        X: ArrayLike,
        *,
        X_variance: ArrayLike | None = None,
        noise: bool = False,
        return_std: bool = False,
    ) -> Float[Array, "N D"] | tuple[Float[Array, "N D"], Float[Array, "N D"]]:
        """Outputs at latent points X (N × Q), certain or with variances of their own.

        Mean, and with return_std the standard deviation, in the user's units; noise adds the
        observation noise. Source: Titsias & Lawrence (2010), §4.
        """
        points = self._points(X)
        spread = checked_variance(X_variance, points)
        mean, variance = predict_at(self.posterior_, points, spread, noise=noise)
        return (mean, np.sqrt(variance)) if return_std else mean

    def sample(
        self,
        X: ArrayLike | int | None = None,
        n_samples: int = 1,
        random_state: int | None = None,
        *,
        X_variance: ArrayLike | None = None,
    ) -> Float[Array, "..."]:
        """Draws of outputs y in the user's units.

        sample(n_samples): n × D, latent points drawn from the prior. sample(X, n_samples):
        n × N × D joint draws at the latent points X, certain or with variances of their own.
        """
        check_is_fitted(self)
        if X is None or np.ndim(X) == 0:
            count = n_samples if X is None else int(np.asarray(X))
            return sample_prior([self.posterior_], count, random_state)[0]
        points = self._points(X)
        spread = checked_variance(X_variance, points)
        return sample(self.posterior_, points, n_samples, random_state, points_variance=spread)

    def _points(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        return checked_points(X, self.posterior_.n_latent)


class GenerativeViews(LatentRows):
    """An estimator of several layers, by the names of their views, on one latent space."""

    views_: tuple[str, ...]
    posteriors_: dict[str, Posterior]

    def inverse_transform(
        self,
        X: ArrayLike,
        *,
        X_variance: ArrayLike | None = None,
        noise: bool = False,
        return_std: bool = False,
    ) -> Views | tuple[Views, Views]:
        """Every view at latent points X (N × Q), certain or with variances of their own.

        Means by name, and with return_std standard deviations by name; noise adds each view's
        observation noise.
        """
        points = self._points(X)
        spread = checked_variance(X_variance, points)
        found = {
            name: through(self._way_to(name), points, spread, noise=noise)
            for name in self.posteriors_
        }
        return by_name(found, return_std)

    def sample(self, n_samples: int = 1, random_state: int | None = None) -> Views:
        """Draws of all views together from the prior over X: n × D by name, noise included."""
        self._check_fitted()
        drawn = sample_prior(list(self.posteriors_.values()), n_samples, random_state)
        return dict(zip(self.posteriors_, drawn, strict=True))

    def vary(
        self,
        X: ArrayLike,
        dimensions: ArrayLike,
        n_samples: int = 1,
        random_state: int | None = None,
    ) -> Float[Array, "S N Q"]:
        """Latent points X with some dimensions drawn anew, all others kept.

        Drawn together from the aggregate of the training points' beliefs, so that what goes
        together stays together. With dimensions private to a view, that view varies alone.
        """
        points = self._points(X)
        chosen = checked_dimensions(dimensions, points.shape[1])
        return vary(points, chosen, self._belief, n_samples, random_state)

    def interpolate(
        self, start: ArrayLike, end: ArrayLike, dimensions: ArrayLike, steps: int = 10
    ) -> Float[Array, "S Q"]:
        """A straight latent path from one point (Q,) toward another in some dimensions alone."""
        points = self._points(np.stack([np.asarray(start), np.asarray(end)]))
        chosen = checked_dimensions(dimensions, points.shape[1])
        return interpolate(points[0], points[1], chosen, steps)

    def _way_to(self, name: str) -> tuple[Posterior, ...]:
        """The layers from the latent space down to a view."""
        return (self.posteriors_[name],)

    def _points(self, X: ArrayLike) -> Array:
        self._check_fitted()
        return checked_points(X, self.latent_mean_.shape[1])

    def _check_fitted(self) -> None:
        check_is_fitted(self, "posteriors_")


def by_name(
    found: Mapping[str, tuple[Array, Array]], return_std: bool
) -> Views | tuple[Views, Views]:
    """Means by name, and with return_std standard deviations, from means and variances."""
    means = {name: mean for name, (mean, _) in found.items()}
    if not return_std:
        return means
    return means, {name: np.sqrt(variance) for name, (_, variance) in found.items()}
