"""What all latent variable models share: scikit-learn's conventions around a Posterior."""

import warnings
from os import PathLike
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from gplvm_core.datasets import DataError
from gplvm_core.models.scaling import Scaling
from gplvm_core.numerics import Array
from gplvm_core.optimise import Result
from gplvm_core.prediction import Posterior, predict, predict_uncertain, sample

# A latent dimension is on when it carries more than this much information about a point.
ON = 0.05


class LatentVariableModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base of the estimators: everything that needs only the fitted posterior."""

    posterior_: Posterior
    latent_mean_: Float[Array, "N Q"]
    latent_variance_: Float[Array, "N Q"]
    information_: Float[Array, " Q"]
    relevance_: Float[Array, " Q"]
    result_: Result

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
            spread = self._variance(X_variance, points)
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
        spread = None if X_variance is None else self._variance(X_variance, points)
        return sample(self.posterior_, points, n_samples, generator, points_variance=spread)

    def score(self, Y: ArrayLike, y: Any = None) -> float:
        """Mean of score_samples, in nats per row."""
        return float(np.mean(self.score_samples(Y)))

    def score_samples(self, Y: ArrayLike) -> Float[Array, " N"]:
        """log p(y | training data) per row, in nats."""
        raise NotImplementedError

    def complete(self, Y: ArrayLike, *, return_std: bool = False) -> Any:
        """Rows with every gap filled; for now rows must have none, and come back as they are."""
        outputs = self._outputs(Y)
        return (outputs, np.zeros_like(outputs)) if return_std else outputs

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to one file; gplvm_core.load reads it back."""
        # The one upward import of the house: the public interface promises this method.
        from gplvm_core.store import save

        check_is_fitted(self)
        save(self, path)

    @property
    def n_iter_(self) -> int:
        """Accepted iterations of the start that was kept."""
        return max(self.result_.iterations, 1)

    @property
    def n_effective_(self) -> int:
        """How many latent dimensions are on: information above 0.05 nats a point."""
        return int(np.sum(self.information_ > ON))

    @property
    def inducing_(self) -> Float[Array, "M Q"]:
        return self.posterior_.inducing

    @property
    def kernel_(self) -> Any:
        return self.posterior_.kernel

    @property
    def noise_variance_(self) -> float:
        return self.posterior_.noise_variance

    @property
    def noise_std_(self) -> Float[Array, " D"]:
        """Standard deviation of the observation noise in the user's units."""
        return np.sqrt(self.posterior_.noise_variance) * self.posterior_.scale

    @property
    def center_(self) -> Float[Array, " D"]:
        return self.posterior_.center

    @property
    def scale_(self) -> Float[Array, " D"]:
        return self.posterior_.scale

    @property
    def _n_features_out(self) -> int:
        return self.posterior_.n_latent

    def _training_data(self, Y: ArrayLike, how: str) -> tuple[Array, Scaling]:
        """Checked outputs in internal units, and the scaling that takes them back."""
        outputs = self._checked(Y, reset=True)
        scaling = Scaling.of(outputs, how)
        return scaling.apply(outputs), scaling

    def _outputs(self, Y: ArrayLike) -> Array:
        check_is_fitted(self)
        return self._checked(Y, reset=False)

    def _checked(self, Y: ArrayLike, *, reset: bool) -> Array:
        try:
            return validate_data(
                self, Y, reset=reset, dtype=np.float64, ensure_min_samples=2 if reset else 1
            )
        except ValueError as error:
            if "NaN" in str(error) or "infinity" in str(error):
                raise DataError(
                    f"{error}\nMissing values are not supported yet: remove or fill in those rows."
                ) from error
            raise

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

    @staticmethod
    def _variance(variance: ArrayLike, points: Array) -> Array:
        spread = np.broadcast_to(np.asarray(variance, dtype=np.float64), points.shape)
        if not (spread >= 0).all():
            raise ValueError("X_variance holds variances: none may be negative or NaN")
        return spread

    def _note(self, notes: tuple[str, ...]) -> None:
        """Keep what was decided for the user, and say it."""
        self.notes_ = notes
        for note in notes:
            warnings.warn(note, UserWarning, stacklevel=3)


def seeds_for(random_state: Any, n_restarts: int) -> tuple[int, ...]:
    """One seed a start, drawn from scikit-learn's random_state."""
    if n_restarts < 1:
        raise ValueError(f"n_restarts must be at least 1; got {n_restarts}")
    drawn = check_random_state(random_state).randint(2**31 - 1, size=n_restarts)
    return tuple(int(seed) for seed in drawn)
