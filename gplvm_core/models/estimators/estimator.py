"""What all latent variable models of one table answer about rows, in scikit-learn's style."""

from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.models.data.points import checked_points, checked_variance
from gplvm_core.models.data.rows import checked_rows, refuse_unseen
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.estimators.fitted import FittedLayer, LatentRows, Optimised, Saved
from gplvm_core.models.estimators.frames import framed
from gplvm_core.numerics import Array
from gplvm_core.prediction import DATA, Explained, Network, Projection
from gplvm_core.prediction.encoded import project_encoded


class LatentVariableModel(
    FittedLayer,
    LatentRows,
    Optimised,
    Saved,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
):
    """Base of the estimators of one table: everything that needs only what was fitted.

    Questions go to `_network`, the trained graph, whose first node has the latent points.
    """

    @property
    def _network(self) -> Network:
        """The trained graph."""
        known = getattr(self, "statistics_", None)
        return Network.chain([self.posterior_], [self._belief], [known])

    def score(self, Y: ArrayLike, y: Any = None) -> float:
        """Mean of score_samples, in nats per row."""
        return float(np.mean(self.score_samples(Y)))

    def score_samples(
        self, Y: ArrayLike, n_samples: int | None = None, random_state: int | None = 0
    ) -> Float[Array, " N"]:
        """log p(observed entries of y | training data) of each row in nats, approximately.

        The difference of the bounds with and without the row: each is a lower bound, their
        difference bounds nothing (Damianou 2015, §3.4). With n_samples by importance sampling over
        the row's latent points in all layers: low on average; the bias shrinks as the number of
        draws grows.
        """
        rows = {DATA: self._outputs(Y)}
        found, network = self._explained(rows[DATA]), self._network
        return prediction.log_density(network, rows, found, n_samples, random_state)

    def transform(self, Y: ArrayLike, *, return_std: bool = False, scaled: bool = False) -> Any:
        """Latent mean of new rows (NaN: missing), with return_std the standard deviation, N × Q.

        Each row is inferred on its own, in all layers together, as a new point, from what is
        observed of it: for the training rows' own beliefs see `latent_mean_` and
        `latent_variance_`. A model with an encoder answers whole rows by it.

        scaled: every dimension in units of its lengthscale. Distances between latent points have a
        meaning in these units alone (nearest neighbours, clusters, classifiers); for the training
        rows they are `latent_mean_ * latent_scale_`. `inverse_transform` takes points that are not
        scaled. Source: Titsias & Lawrence (2010), §4.
        """
        return self._placed(self._project(self._outputs(Y)).best, scaled, return_std)

    def inverse_transform(
        self,
        X: ArrayLike,
        *,
        X_variance: ArrayLike | None = None,
        noise: bool = False,
        return_std: bool = False,
    ) -> Any:
        """Outputs at latent points X (N × Q), certain or with variances of their own.

        Mean, and with return_std the standard deviation, N × D, in the user's units; noise adds
        the observation noise. Data frames where X is one, or where pandas output is set. Moments
        are passed from layer to layer. Source: Titsias & Lawrence (2010), §4.
        """
        mean, variance = prediction.moments(
            self._network, {0: self._points(X, X_variance)}, noise=noise
        )[DATA]
        names = getattr(self, "feature_names_in_", ())
        columns = names if len(names) else [f"x{number}" for number in range(mean.shape[1])]
        whole = framed(self, X, mean, columns)
        return (whole, framed(self, X, np.sqrt(variance), columns)) if return_std else whole

    def sample(
        self,
        X: ArrayLike | int | None = None,
        n_samples: int = 1,
        random_state: int | None = None,
        *,
        X_variance: ArrayLike | None = None,
    ) -> Float[Array, "..."]:
        """Draws of outputs y in the user's units, through draws of every layer.

        sample(n_samples): n × D, latent points drawn from the prior. sample(X, n_samples):
        n × N × D joint draws at the latent points X, certain or with variances of their own.
        """
        check_is_fitted(self)
        if X is None or np.ndim(X) == 0:
            count = n_samples if X is None else int(np.asarray(X))
            generator = np.random.default_rng(random_state)
            return prediction.draw_prior(self._network, count, generator)[DATA]
        points = self._points(X, X_variance)
        return prediction.draw_jointly(self._network, {0: points}, n_samples, random_state)[DATA]

    def complete(self, Y: ArrayLike, *, return_std: bool = False, return_cov: bool = False) -> Any:
        """Whole rows: observed entries as given, missing ones (NaN) at their predictive mean.

        With return_std also the standard deviation of the missing entries (N × D, 0 where
        observed), with return_cov their covariance (N × D × D); noise included, in the user's
        units. A row with several explanations gets their mixture. Data frames where Y is one, or
        where pandas output is set. Source: Titsias & Lawrence (2010), §4; Damianou (2015), §3.4.1.
        """
        if return_std and return_cov:
            raise ValueError("ask for return_std or return_cov, not both: std² is cov's diagonal")
        outputs = self._outputs(Y)
        if return_cov:
            whole, covariance = prediction.complete(outputs, *self._reconstruct_jointly(outputs))
            return framed(self, Y, whole), covariance
        whole, variance = prediction.complete(outputs, *self._reconstruct(outputs, noise=True))
        return self._as_given(Y, whole, np.sqrt(variance) if return_std else None)

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
        rows = {DATA: self._outputs(Y)}
        weights, nodes, whole = prediction.alternatives(
            self._network, rows, self._answered(rows[DATA]), n_alternatives
        )
        return weights, nodes[0], whole[DATA]

    def denoise(self, Y: ArrayLike, *, return_std: bool = False) -> Any:
        """Every entry of the rows as the model reconstructs it, without noise; NaN: missing.

        Data frames where Y is one, or where pandas output is set.
        """
        mean, variance = self._reconstruct(self._outputs(Y), noise=False)
        return self._as_given(Y, mean, np.sqrt(variance) if return_std else None)

    def _as_given(self, Y: Any, mean: Array, std: Array | None) -> Any:
        """Means, and standard deviations if there are any, as arrays or data frames as Y is."""
        names = getattr(self, "feature_names_in_", None)
        whole = framed(self, Y, mean, names)
        return whole if std is None else (whole, framed(self, Y, std, names))

    def _explained(self, outputs: Array) -> Explained:
        """The explanations of rows whose missing entries are NaN, at every node."""
        return prediction.explain(self._network, {DATA: outputs})

    def _project(self, outputs: Array) -> Projection:
        """The same at the latent points; whole rows by the encoder where there is one."""

        def inferred(rows: Array) -> Projection:
            return self._explained(rows)[0]

        encoder = getattr(self, "encoder_", None)
        if encoder is None:
            return inferred(outputs)
        return project_encoded(encoder, self.posterior_, outputs, inferred)

    def _answered(self, outputs: Array) -> Explained:
        """The explanations that rows are filled in and drawn by; an encoder answers for one layer,
        below which nothing else is inferred.
        """
        if len(self._network.nodes) > 1:
            return self._explained(outputs)
        return Explained.at(0, self._project(outputs))

    def _reconstruct(self, outputs: Array, *, noise: bool) -> tuple[Array, Array]:
        """Mean and variance of every output of rows, given what is observed of them."""
        found = self._answered(outputs)
        return prediction.reconstructed(self._network, found, noise=noise)[DATA]

    def _reconstruct_jointly(self, outputs: Array) -> tuple[Array, Array]:
        """The same with each row's covariance, noise included."""
        return prediction.reconstructed_jointly(self._network, self._answered(outputs), DATA)

    def _draw(self, outputs: Array, n_samples: int, generator: np.random.Generator) -> Array:
        """Draws of every output of rows, given what is observed of them."""
        found = self._answered(outputs)
        return prediction.draw_rows(self._network, found, n_samples, generator)[DATA]

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

    def _points(self, X: ArrayLike, X_variance: ArrayLike | None = None) -> Belief:
        """Checked latent points, certain or with variances."""
        check_is_fitted(self)
        points = checked_points(X, self._n_features_out)
        spread = checked_variance(X_variance, points)
        return Belief.certain(points) if spread is None else Belief(points, spread)

    @property
    def _n_features_out(self) -> int:
        return self.latent_mean_.shape[1]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
