"""What a fitted deep GP-LVM can be asked: everything that needs only its layers."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.models.data.points import checked_points, checked_variance
from gplvm_core.models.estimators.deep import checked_layer
from gplvm_core.models.estimators.deep_latent import DeepLatent
from gplvm_core.models.estimators.sequences import SequenceQueries
from gplvm_core.models.problems.doctor import DeepLayer
from gplvm_core.numerics import Array
from gplvm_core.prediction import Evidence, Posterior, Projection, predict_uncertain
from gplvm_core.prediction.encoded import project_encoded
from gplvm_core.prediction.path_deep import FoundDeepPath
from gplvm_core.prediction.paths import FoundPath
from gplvm_core.prediction.project_deep import as_seen_by
from gplvm_core.priors.encoder import Encoder
from gplvm_core.statistics import Statistics


class DeepQueries(DeepLatent, SequenceQueries):
    """Questions about latent points and rows, and, of a model with a time_kernel, sequences."""

    encoder_: Encoder | None

    @property
    def statistics_(self) -> Statistics:  # type: ignore[override]
        """Of the last layer."""
        return self.layers_[-1].statistics_

    def generate(
        self,
        H: ArrayLike,
        layer: int = 0,
        *,
        H_variance: ArrayLike | None = None,
        noise: bool = False,
        return_std: bool = False,
    ) -> Float[Array, "N D"] | tuple[Float[Array, "N D"], Float[Array, "N D"]]:
        """Outputs at inputs H of a layer, counted as in `layers_`: 0 is the top.

        Mean, and with return_std the standard deviation, in the user's units; noise adds the
        observation noise. Moments are handed on from layer to layer. Of a model with
        input_connections a layer below the top has its own inputs and, last, the top's.
        """
        check_is_fitted(self)
        posteriors = self._posteriors[checked_layer(layer, self.layers_) :]
        points = checked_points(H, posteriors[0].n_latent)
        spread = checked_variance(H_variance, points)
        own = self.layers_[layer].latent_mean_.shape[1]
        inputs = None
        if points.shape[1] > own:
            told = np.zeros_like(points) if spread is None else spread
            inputs = Belief(points[:, own:], told[:, own:])
        mean, variance = prediction.through(posteriors, points, spread, inputs=inputs, noise=noise)
        return (mean, np.sqrt(variance)) if return_std else mean

    def inverse_transform(
        self,
        X: ArrayLike,
        *,
        X_variance: ArrayLike | None = None,
        noise: bool = False,
        return_std: bool = False,
    ) -> Float[Array, "N D"] | tuple[Float[Array, "N D"], Float[Array, "N D"]]:
        """Outputs at latent points X of the top (N × Q), certain or with variances of their own.

        As `generate` from the top.
        """
        return self.generate(X, H_variance=X_variance, noise=noise, return_std=return_std)

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
            return prediction.sample_prior_through(self._posteriors, count, random_state)
        points = self._points(X)
        spread = checked_variance(X_variance, points)
        return prediction.sample_through(
            self._posteriors, points, n_samples, random_state, points_variance=spread
        )

    def transform(
        self, Y: ArrayLike, *, return_std: bool = False
    ) -> Float[Array, "N Q"] | tuple[Float[Array, "N Q"], Float[Array, "N Q"]]:
        """Latent mean of new rows (NaN: missing) at the top, with return_std its deviation.

        Each row is inferred on its own, in all layers together, from what is observed of it; a
        model with an encoder answers whole rows by it.
        """
        outputs = self._outputs(Y)

        def inferred(rows: Array) -> Projection:
            return self._explained(self._evidence(rows))[0]

        if self.encoder_ is None:
            belief = inferred(outputs).best
        else:
            belief = project_encoded(self.encoder_, self.posterior_, outputs, inferred).best
        return (belief.mean, np.sqrt(belief.variance)) if return_std else belief.mean

    def alternatives(
        self, Y: ArrayLike, n_alternatives: int = 3
    ) -> tuple[Float[Array, "N K"], Float[Array, "N K Q"], Float[Array, "N K D"]]:
        """The explanations of ambiguous rows, best first: weights, latent means of the top,
        completed rows.

        Weights of a row sum to 1; a row with fewer explanations has weight 0 and NaN in their
        place.
        """
        if n_alternatives < 1:
            raise ValueError(f"n_alternatives must be at least 1; got {n_alternatives}")
        outputs = self._outputs(Y)
        found = self._explained(self._evidence(outputs))
        weights, _, rows = prediction.alternatives(
            self.posterior_, outputs, self._lowest(found), n_alternatives
        )
        top = found[0].mean[:, : weights.shape[1]]
        return weights, np.where(weights[:, :, None] > 0.0, top, np.nan), rows

    def score_samples(
        self, Y: ArrayLike, n_samples: int | None = None, random_state: int | None = 0
    ) -> Float[Array, " N"]:
        """log p(observed entries of y | training data) of each row in nats, approximately.

        The difference of the bounds with and without the row in every layer: each is a lower
        bound, their difference bounds nothing (Damianou 2015, §3.4). With n_samples by importance
        sampling over the row's points in all layers: low on average, the more draws the less.
        """
        outputs = self._outputs(Y)
        found = self._explained(self._evidence(outputs))
        if n_samples is not None:
            return prediction.log_density_sampled(
                self._posteriors, outputs, found, n_samples, random_state
            )
        return self._log_density(self._evidence(outputs), (self.statistics_,), found)

    def _project(self, outputs: Array) -> Projection:
        """Of the last layer's inputs: what it needs to fill in and to draw rows."""
        return self._lowest(self._explained(self._evidence(outputs)))

    def _lowest(self, found: Sequence[Projection]) -> Projection:
        return as_seen_by(self.posterior_, found[-1], found[0])

    def _evidence(self, outputs: Array) -> tuple[Evidence]:
        return (Evidence(self.posterior_, outputs),)

    @property
    def _hidden(self) -> tuple[DeepLayer, ...]:
        return self.layers_[:-1]

    @property
    def _beliefs(self) -> list[Belief]:
        return [Belief(each.latent_mean_, each.latent_variance_) for each in self.layers_]

    @property
    def _below(self) -> Sequence[Posterior]:
        return self._posteriors

    def _generated(self, mean: Array, variance: Array) -> tuple[Array, Array]:
        return prediction.through(self._posteriors, mean, variance, noise=True)

    def _along(self, path: FoundPath) -> tuple[Array, Array]:
        assert isinstance(path, FoundDeepPath)
        lowest = path.lowest
        if self.posterior_.n_latent > lowest.n_latent:
            lowest = lowest.beside(path.belief)
        return predict_uncertain(self.posterior_, lowest.mean, lowest.variance, noise=True)

    def _points(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        return checked_points(X, self._n_features_out)

    @property
    def _n_features_out(self) -> int:
        return self.layers_[0].posterior_.n_latent
