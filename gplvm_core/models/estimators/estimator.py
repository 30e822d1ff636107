"""What all latent variable models of one layer answer about rows, in scikit-learn's style."""

from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gplvm_core import prediction
from gplvm_core.models.data.rows import checked_rows, refuse_unseen
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.estimators.generative import Generative
from gplvm_core.numerics import Array
from gplvm_core.prediction import Projection


class LatentVariableModel(
    Generative, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """Base of the estimators with one layer: everything that needs only what was fitted."""

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
        if return_cov:
            return prediction.complete(outputs, *self._reconstruct_jointly(outputs))
        whole, variance = prediction.complete(outputs, *self._reconstruct(outputs, noise=True))
        return (whole, np.sqrt(variance)) if return_std else whole

    def sample_completions(
        self, Y: ArrayLike, n_samples: int = 1, random_state: int | None = None
    ) -> Float[Array, "S N D"]:
        """Whole rows whose missing entries (NaN) are drawn, observed ones as given: S × N × D."""
        outputs = self._outputs(Y)
        drawn = self._draw(outputs, n_samples, np.random.default_rng(random_state))
        return np.where(np.isnan(outputs), drawn, outputs)

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
        return prediction.alternatives(
            self.posterior_, outputs, self._project(outputs), n_alternatives
        )

    def denoise(
        self, Y: ArrayLike, *, return_std: bool = False
    ) -> Float[Array, "N D"] | tuple[Float[Array, "N D"], Float[Array, "N D"]]:
        """Every entry of the rows as the model reconstructs it, without noise; NaN: missing."""
        mean, variance = self._reconstruct(self._outputs(Y), noise=False)
        return (mean, np.sqrt(variance)) if return_std else mean

    def _project(self, outputs: Array) -> Projection:
        """The explanations of rows whose missing entries are NaN."""
        raise NotImplementedError

    def _reconstruct(self, outputs: Array, *, noise: bool) -> tuple[Array, Array]:
        """Mean and variance of every output of rows, given what is observed of them."""
        return prediction.mixed((self.posterior_,), self._project(outputs), noise=noise)

    def _reconstruct_jointly(self, outputs: Array) -> tuple[Array, Array]:
        """The same with each row's covariance, noise included."""
        return prediction.mixed_covariance(self.posterior_, self._project(outputs))

    def _draw(self, outputs: Array, n_samples: int, generator: np.random.Generator) -> Array:
        """Draws of every output of rows, given what is observed of them."""
        return prediction.sample_mixed(
            self.posterior_, self._project(outputs), n_samples, generator
        )

    def _training_data(self, Y: ArrayLike, how: str) -> tuple[Array, Scaling]:
        """Checked outputs in internal units, and the scaling that takes them back."""
        outputs = checked_rows(self, Y, reset=True)
        scaling = Scaling.of(outputs, how)
        return scaling.apply(outputs), scaling

    def _outputs(self, Y: ArrayLike) -> Array:
        """Checked rows to ask about; every one must have something observed."""
        check_is_fitted(self)
        outputs = checked_rows(self, Y, reset=False)
        refuse_unseen(np.asarray(~np.isnan(outputs).all(axis=1)))
        return outputs

    @property
    def _n_features_out(self) -> int:
        return self.posterior_.n_latent

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
