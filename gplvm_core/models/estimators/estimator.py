"""Methods of all latent variable models of one table, in scikit-learn's style."""

from collections.abc import Mapping
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
from gplvm_core.models.estimators.with_density import Method, WithDensity
from gplvm_core.models.estimators.with_handles import WithHandles
from gplvm_core.numerics import Array
from gplvm_core.prediction import DATA, Explained, Network, Projection
from gplvm_core.prediction.encoded import project_encoded
from gplvm_core.prediction.fills import FillMethod
from gplvm_core.prediction.forward import Moments


class LatentVariableModel(
    WithDensity,
    WithHandles,
    FittedLayer,
    LatentRows,
    Optimised,
    Saved,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
):
    """Base class of the estimators of one table, with all methods that need only fitted attributes.

    The methods use `_network`, the trained graph. The first node of this graph has the latent
    points.

    Attributes
    ----------
    n_features_in_ : int
        The number of columns of the training data.
    feature_names_in_ : ndarray of str, shape (D,)
        The column names of the training data; only defined for a data frame with text names.
    data_weight_ : float
        How much a row counts when its latent point is inferred.
    """

    # Also for models in files of earlier versions.
    data_weight_: float = 1.0

    @property
    def _network(self) -> Network:
        """The trained graph."""
        known = getattr(self, "statistics_", None)
        weight = self.data_weight_
        return Network.chain([self.posterior_], [self._belief], [known], weight=weight)

    def score(self, Y: ArrayLike, y: Any = None) -> float:
        """Return the mean log density of rows, in nats per row.

        Parameters
        ----------
        Y : array_like of shape (n, D)
            Rows; NaN marks missing values.
        y : ignored
            Not used; scikit-learn expects this argument.

        Returns
        -------
        float
            The mean of `score_samples`.
        """
        return float(np.mean(self.score_samples(Y)))

    def score_samples(
        self,
        Y: ArrayLike,
        n_samples: int | None = None,
        random_state: int | None = 0,
        *,
        method: Method | None = None,
    ) -> Float[Array, " N"]:
        """Return log p(observed entries | training data) of each row, approximately.

        By default this is the exact density that the second stage of `fit` derived from the map,
        or without it, the difference between the bounds with and without the row. Both are lower
        bounds; their difference is not a bound (Damianou 2015, §3.4). For a table of several
        kinds, the method always draws importance samples (by default 200) and integrates over the
        functions by quadrature. The value is then the log density of the numbers plus the log
        probability of the other entries. Unlike a density, this probability does not depend on the
        units of the data.

        Parameters
        ----------
        Y : array_like of shape (n, D)
            Rows; NaN marks missing values.
        n_samples : int or None, default None
            None, or the number of importance samples of the row's latent points in all layers.
            The sampled estimate is too low on average; the bias shrinks as the number grows.
        random_state : int or None, default 0
            The seed of the samples.
        method : {"bound", "sampling", "density"}, optional
            "bound": the difference of bounds. "sampling": importance samples, by default 1000.
            With a density, "sampling" replaces the prior N(0, I) of the latent points by the
            density of the training points. "density": the exact density. The methods estimate
            different quantities: do not compare their values. Default: "density" if the model has
            one, otherwise "bound"; with n_samples, samples with the prior N(0, I).

        Returns
        -------
        ndarray of shape (n,)
            Log densities in nats.
        """
        rows = self._all_data(Y)
        return self._scored(
            rows, lambda: self._explained(rows[DATA]), method, n_samples, random_state
        )

    def transform(self, Y: ArrayLike, *, return_std: bool = False, scaled: bool = False) -> Any:
        """Infer the latent points of new rows (Titsias & Lawrence 2010, §4).

        Each row is inferred separately from its observed values, jointly in all layers. The
        posterior of the training rows is in `latent_mean_` and `latent_variance_`. A model with an
        encoder encodes rows without gaps.

        Parameters
        ----------
        Y : array_like of shape (n, D)
            Rows; NaN marks missing values.
        scaled : bool, default False
            Whether to express every dimension in units of its lengthscale. Distances between latent
            points (nearest neighbours, clusters, classifiers) have a meaning only in these units.
            The training rows have the scaled points `latent_mean_ * latent_scale_`.
            `inverse_transform` needs unscaled points.

        Returns
        -------
        ndarray of shape (n, Q), or two of them
            The posterior means, and with return_std the standard deviations.
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
        """Predict the outputs at latent points (Titsias & Lawrence 2010, §4).

        Means and variances are propagated from layer to layer.

        Parameters
        ----------
        X : array_like of shape (n, Q)
            Latent points.
        X_variance : array_like, optional
            Variances of the latent points; None for exact points.

        Returns
        -------
        ndarray or DataFrame of shape (n, D), or two of them
            The means, and with return_std the standard deviations, in the units of the outputs.
            Data frames if X is a data frame, or if pandas output is set.
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
        """Draw outputs; every layer's function is drawn from its posterior.

        Parameters
        ----------
        X : array_like of shape (N, Q), int or None, default None
            Latent points. If X is None or a number of rows, latent points are drawn from the prior.
        n_samples : int, default 1
            Without X, the number of rows; with X, the number of joint draws at X.
        X_variance : array_like, optional
            Variances of the latent points; None for exact points.

        Returns
        -------
        ndarray of shape (n_samples, D), or with X (n_samples, N, D)
            Draws in the units of the outputs.
        """
        check_is_fitted(self)
        if X is None or np.ndim(X) == 0:
            count = n_samples if X is None else int(np.asarray(X))
            generator = np.random.default_rng(random_state)
            return prediction.draw_prior(self._network, count, generator)[DATA]
        points = self._points(X, X_variance)
        return prediction.draw_jointly(self._network, {0: points}, n_samples, random_state)[DATA]

    def complete(
        self,
        Y: ArrayLike,
        *,
        return_std: bool = False,
        return_cov: bool = False,
        method: FillMethod | None = None,
    ) -> Any:
        """Fill in missing values with their predictive means.

        If several latent points explain a row, the prediction is a mixture of their predictions.
        Sources: Titsias & Lawrence (2010), §4; Damianou (2015), §3.4.1.

        Parameters
        ----------
        Y : array_like of shape (n, D)
            Rows; NaN marks missing values.
        return_cov : bool, default False
            Whether to return covariances, too; not together with return_std. Covariances always
            come from the map.

        Returns
        -------
        ndarray or DataFrame of shape (n, D), or a tuple
            The filled rows; observed values do not change. With return_std also the standard
            deviations (n, D), which are 0 for observed values; with return_cov also the covariances
            (n, D, D). Both include the noise. The rows are data frames if Y is a data frame, or if
            pandas output is set.
        """
        if return_std and return_cov:
            raise ValueError(
                "return_std and return_cov cannot be combined: use return_cov; the variances are "
                "its diagonal"
            )
        if return_cov and method == "density":
            raise ValueError(
                "covariances always come from the map: leave out method='density' or return_cov"
            )
        outputs = self._outputs(Y)
        if return_cov:
            whole, covariance = prediction.complete(outputs, *self._reconstruct_jointly(outputs))
            return framed(self, Y, whole), covariance

        def by_map(some: Mapping[str, Array]) -> Moments:
            return {DATA: self._reconstruct(some[DATA], noise=True)}

        if return_std:
            self._warn_by_map({DATA: outputs}, method)
        whole, variance = self._completed({DATA: outputs}, by_map, method)[DATA]
        return self._as_given(Y, whole, np.sqrt(variance) if return_std else None)

    def sample_completions(
        self, Y: ArrayLike, n_samples: int = 1, random_state: int | None = None
    ) -> Float[Array, "S N D"]:
        """Fill in missing values with random draws.

        Each row is drawn by the method that `complete` uses for it.

        Parameters
        ----------
        Y : array_like of shape (n, D)
            Rows; NaN marks missing values.
        n_samples : int, default 1
            The number of draws S of each row.

        Returns
        -------
        ndarray of shape (S, n, D)
            The rows with observed values unchanged.
        """
        outputs, generator = self._outputs(Y), np.random.default_rng(random_state)

        def by_map(some: Mapping[str, Array]) -> Mapping[str, Array]:
            return {DATA: self._draw(some[DATA], n_samples, generator)}

        return self._drawn({DATA: outputs}, by_map, n_samples, generator)[DATA]

    def alternatives(
        self, Y: ArrayLike, n_alternatives: int = 3
    ) -> tuple[Float[Array, "N K"], Float[Array, "N K Q"], Float[Array, "N K D"]]:
        """Return several explanations of ambiguous rows, the best first.

        Parameters
        ----------
        Y : array_like of shape (n, D)
            Rows; NaN marks missing values.
        n_alternatives : int, default 3
            The largest number of explanations K.

        Returns
        -------
        weights : ndarray of shape (n, K)
            The weights of the explanations. The weights of a row sum to 1; a weight of 0 means that
            the row has fewer explanations.
        points : ndarray of shape (n, K, Q)
            The latent means; NaN where a row has fewer explanations.
        rows : ndarray of shape (n, K, D)
            The completed rows; NaN where a row has fewer explanations.
        """
        if n_alternatives < 1:
            raise ValueError(f"n_alternatives must be at least 1; got {n_alternatives}")
        rows = {DATA: self._outputs(Y)}
        weights, nodes, whole = prediction.alternatives(
            self._network, rows, self._row_explanations(rows[DATA]), n_alternatives
        )
        return weights, nodes[0], whole[DATA]

    def denoise(self, Y: ArrayLike, *, return_std: bool = False) -> Any:
        """Reconstruct all values of rows, observed and missing, without noise.

        Parameters
        ----------
        Y : array_like of shape (n, D)
            Rows; NaN marks missing values.

        Returns
        -------
        ndarray or DataFrame of shape (n, D), or two of them
            The means, and with return_std the standard deviations. Data frames if Y is a data
            frame, or if pandas output is set.
        """
        mean, variance = self._reconstruct(self._outputs(Y), noise=False)
        return self._as_given(Y, mean, np.sqrt(variance) if return_std else None)

    def _as_given(self, Y: Any, mean: Array, std: Array | None) -> Any:
        """Means and optional standard deviations, as data frames if Y is a data frame."""
        names = getattr(self, "feature_names_in_", None)
        whole = framed(self, Y, mean, names)
        return whole if std is None else (whole, framed(self, Y, std, names))

    def _explained(self, outputs: Array) -> Explained:
        """The posteriors of rows (NaN: missing) at every node; a row may have several."""
        return prediction.explain(self._network, {DATA: outputs})

    def _project(self, outputs: Array) -> Projection:
        """The posteriors of rows at the latent points; an encoder infers rows without gaps."""

        def inferred(rows: Array) -> Projection:
            return self._explained(rows)[0]

        encoder = getattr(self, "encoder_", None)
        if encoder is None:
            return inferred(outputs)
        return project_encoded(encoder, self.posterior_, outputs, inferred)

    def _row_explanations(self, outputs: Array) -> Explained:
        """The posteriors of rows, as completions and draws use them.

        In a model of one layer with an encoder, the encoder infers rows without gaps.
        """
        if len(self._network.nodes) > 1:
            return self._explained(outputs)
        return Explained.at(0, self._project(outputs))

    def _reconstruct(self, outputs: Array, *, noise: bool) -> tuple[Array, Array]:
        """Mean and variance of every output, given the observed values of each row."""
        found = self._row_explanations(outputs)
        return prediction.reconstructed(self._network, found, noise=noise)[DATA]

    def _inferred(self, Y: Any) -> tuple[Projection, Moments]:
        """The explanations of each row at its latent point, and mean and variance of its outputs by
        the map.
        """
        found = self._row_explanations(self._outputs(Y))
        return found[0], prediction.reconstructed(self._network, found, noise=True)

    def _reconstruct_jointly(self, outputs: Array) -> tuple[Array, Array]:
        """Mean and covariance of the outputs of each row, given its observed values, with noise."""
        return prediction.reconstructed_jointly(
            self._network, self._row_explanations(outputs), DATA
        )

    def _draw(self, outputs: Array, n_samples: int, generator: np.random.Generator) -> Array:
        """Draw every output, given the observed values of each row."""
        found = self._row_explanations(outputs)
        return prediction.draw_rows(self._network, found, n_samples, generator, {DATA: outputs})[
            DATA
        ]

    def _training_data(self, Y: ArrayLike, how: str) -> tuple[Array, Scaling]:
        """Checked outputs in internal units, and the scaling."""
        outputs = checked_rows(self, Y, reset=True)
        scaling = Scaling.of(outputs, how)
        return scaling.apply(outputs), scaling

    def _all_data(self, Y: Any) -> dict[str, Array]:
        return {DATA: self._outputs(Y)}

    def _outputs(self, Y: ArrayLike) -> Array:
        """Check new rows; raises DataError if a row has no observed value."""
        check_is_fitted(self)
        outputs = checked_rows(self, Y, reset=False)
        refuse_unseen(np.asarray(~np.isnan(outputs).all(axis=1)))
        return outputs

    def _points(self, X: ArrayLike, X_variance: ArrayLike | None = None) -> Belief:
        """Check latent points and their variances; without variances, the points are exact."""
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
