"""What all latent variable models share: scikit-learn's conventions around a Posterior."""

from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from gplvm_core.datasets import DataError
from gplvm_core.models.fitted import FittedLayer
from gplvm_core.models.scaling import Scaling
from gplvm_core.numerics import Array
from gplvm_core.prediction import (
    Projection,
    complete,
    complete_covariance,
    mixed,
    predict,
    predict_uncertain,
    sample,
    sample_completions,
)

# A latent dimension is on when it carries more than this much information about a point.
ON = 0.05


class LatentVariableModel(
    FittedLayer, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """Base of the estimators: everything that needs only the fitted posterior."""

    latent_mean_: Float[Array, "N Q"]
    latent_variance_: Float[Array, "N Q"]
    information_: Float[Array, " Q"]
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
        points = self._latent(X)
        if X_variance is None:
            mean, variance = predict(self.posterior_, points, noise=noise)
        else:
            spread = checked_variance(X_variance, points)
            mean, variance = predict_uncertain(self.posterior_, points, spread, noise=noise)
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
        generator = np.random.default_rng(random_state)
        if X is None or np.ndim(X) == 0:
            count = n_samples if X is None else int(np.asarray(X))
            points = generator.standard_normal((count, self.posterior_.n_latent))
            draws = [sample(self.posterior_, point[None], 1, generator)[0, 0] for point in points]
            return np.reshape(draws, (count, self.posterior_.n_outputs))
        points = self._latent(X)
        spread = None if X_variance is None else checked_variance(X_variance, points)
        return sample(self.posterior_, points, n_samples, generator, points_variance=spread)

    def score(self, Y: ArrayLike, y: Any = None) -> float:
        """Mean of score_samples, in nats per row."""
        return float(np.mean(self.score_samples(Y)))

    def score_samples(self, Y: ArrayLike) -> Float[Array, " N"]:
        """log p(observed entries of y | training data) per row, in nats."""
        raise NotImplementedError

    def transform(
        self, Y: ArrayLike, *, return_std: bool = False
    ) -> Float[Array, "N Q"] | tuple[Float[Array, "N Q"], Float[Array, "N Q"]]:
        """Latent mean of new rows (NaN: missing), and with return_std the standard deviation.

        Each row is inferred on its own, as a new point, from what is observed of it: for the
        training rows' own beliefs see `latent_mean_` and `latent_variance_`. A model with an
        encoder answers whole rows by it. Source: Titsias & Lawrence (2010), §4.
        """
        belief = self._project(self._outputs(Y)).best
        return (belief.mean, np.sqrt(belief.variance)) if return_std else belief.mean

    def complete(
        self, Y: ArrayLike, *, return_std: bool = False, return_cov: bool = False
    ) -> Float[Array, "N D"] | tuple[Float[Array, "N D"], Float[Array, "..."]]:
        """Whole rows: observed entries as given, missing ones (NaN) at their predictive mean.

        With return_std also the standard deviation of the missing entries (N × D, 0 where
        observed), with return_cov their covariance (N × D × D); noise included, in the user's
        units. A row with several explanations gets their mixture. Source: Titsias & Lawrence
        (2010), §4; Damianou (2015), §3.4.1.
        """
        if return_std and return_cov:
            raise ValueError("ask for return_std or return_cov, not both: std² is cov's diagonal")
        outputs = self._outputs(Y)
        found = self._project(outputs)
        if return_cov:
            return complete_covariance(self.posterior_, outputs, found)
        whole, variance = complete(self.posterior_, outputs, found)
        return (whole, np.sqrt(variance)) if return_std else whole

    def sample_completions(
        self, Y: ArrayLike, n_samples: int = 1, random_state: int | None = None
    ) -> Float[Array, "S N D"]:
        """Whole rows whose missing entries (NaN) are drawn, observed ones as given: S × N × D."""
        outputs = self._outputs(Y)
        found = self._project(outputs)
        return sample_completions(self.posterior_, outputs, found, n_samples, random_state)

    def alternatives(
        self, Y: ArrayLike, n_alternatives: int = 3
    ) -> tuple[Float[Array, "N K"], Float[Array, "N K Q"], Float[Array, "N K D"]]:
        """The explanations of ambiguous rows, best first: weights, latent means, completed rows.

        Weights of a row sum to 1; a row with fewer explanations has weight 0 and NaN in their
        place.
        """
        if n_alternatives < 1:
            raise ValueError(f"n_alternatives must be at least 1; got {n_alternatives}")
        outputs = self._outputs(Y)
        found = self._project(outputs)
        weights = found.weights[:, :n_alternatives]
        weights = weights / weights.sum(axis=1, keepdims=True)
        latent = np.where(weights[:, :, None] > 0.0, found.mean[:, :n_alternatives], np.nan)
        rows = np.full((*weights.shape, self.posterior_.n_outputs), np.nan)
        for n, k in zip(*np.nonzero(weights), strict=True):
            at = slice(k, k + 1)
            mean, _ = predict_uncertain(self.posterior_, found.mean[n, at], found.variance[n, at])
            rows[n, k] = np.where(np.isnan(outputs[n]), mean[0], outputs[n])
        return weights, latent, rows

    def denoise(
        self, Y: ArrayLike, *, return_std: bool = False
    ) -> Float[Array, "N D"] | tuple[Float[Array, "N D"], Float[Array, "N D"]]:
        """Every entry of the rows as the model reconstructs it, without noise; NaN: missing."""
        mean, variance = mixed(self.posterior_, self._project(self._outputs(Y)), noise=False)
        return (mean, np.sqrt(variance)) if return_std else mean

    @property
    def n_effective_(self) -> int:
        """How many latent dimensions are on: information above 0.05 nats a point."""
        return int(np.sum(self.information_ > ON))

    @property
    def _n_features_out(self) -> int:
        return self.posterior_.n_latent

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _project(self, outputs: Array) -> Projection:
        """The explanations of rows whose missing entries are NaN."""
        raise NotImplementedError

    def _training_data(self, Y: ArrayLike, how: str) -> tuple[Array, Scaling]:
        """Checked outputs in internal units, and the scaling that takes them back."""
        outputs = self._checked(Y, reset=True)
        scaling = Scaling.of(outputs, how)
        return scaling.apply(outputs), scaling

    def _outputs(self, Y: ArrayLike) -> Array:
        """Checked rows to ask about; every one must have something observed."""
        check_is_fitted(self)
        outputs = self._checked(Y, reset=False)
        empty = np.flatnonzero(np.isnan(outputs).all(axis=1))
        if len(empty):
            raise DataError(
                f"nothing is observed in row {empty[0]} (counted from 0), and in {len(empty)} of "
                f"{len(outputs)} rows: leave them out; sample() draws rows from the prior"
            )
        return outputs

    def _checked(self, Y: ArrayLike, *, reset: bool) -> Array:
        return validate_data(
            self,
            Y,
            reset=reset,
            dtype=np.float64,
            ensure_min_samples=2 if reset else 1,
            ensure_all_finite="allow-nan",
        )

    def _latent(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        points = np.asarray(X, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != self.posterior_.n_latent:
            raise ValueError(
                f"latent points must be N × {self.posterior_.n_latent}; got shape {points.shape}"
            )
        if not np.isfinite(points).all():
            raise ValueError("latent points must be finite; got NaN or infinity")
        return points


def checked_variance(variance: ArrayLike, points: Array) -> Array:
    """Variances of latent points, as many as those; ValueError for any that is none."""
    spread = np.broadcast_to(np.asarray(variance, dtype=np.float64), points.shape)
    if not (spread >= 0).all():
        raise ValueError("X_variance holds variances: none may be negative or NaN")
    return spread


def seeds_for(random_state: Any, n_restarts: int) -> tuple[int, ...]:
    """One seed a start, drawn from scikit-learn's random_state."""
    if n_restarts < 1:
        raise ValueError(f"n_restarts must be at least 1; got {n_restarts}")
    drawn = check_random_state(random_state).randint(2**31 - 1, size=n_restarts)
    return tuple(int(seed) for seed in drawn)
