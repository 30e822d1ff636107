"""Methods of fitted models of several views, for latent points and for rows of some views."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.likelihoods import TableColumns
from gplvm_core.models.data.kinds import Tables, encoded_tables
from gplvm_core.models.data.points import checked_dimensions, checked_points, checked_variance
from gplvm_core.models.data.rows import as_floats
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.data.views import Views, check_mapping, given_views
from gplvm_core.models.estimators.fitted import LatentRows
from gplvm_core.models.estimators.frames import framed, names_of
from gplvm_core.models.estimators.with_density import Method, WithDensity
from gplvm_core.models.estimators.with_handles import WithHandles
from gplvm_core.models.estimators.with_intervals import WithIntervals
from gplvm_core.models.problems.edges import Settled, relevance_of
from gplvm_core.models.problems.nodes import Believed
from gplvm_core.numerics import Array
from gplvm_core.prediction import Explained, Network, Posterior, Projection
from gplvm_core.prediction.columns import expected_at, expected_of
from gplvm_core.prediction.fills import FillMethod
from gplvm_core.prediction.forward import Moments
from gplvm_core.prediction.vary import interpolate, vary
from gplvm_core.statistics import Statistics


class ViewsQueries(
    WithDensity,
    WithHandles,
    WithIntervals,
    LatentRows,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
):
    """Methods of `ManifoldRelevance` that need only the fitted posteriors.

    Arguments with views are dicts of arrays in the user's units, with one or several of the trained
    views by name and NaN for missing values. `_shared_node` is the node of the shared points.

    Attributes
    ----------
    views_ : tuple of str
        The names of the views.
    columns_ : dict of str to tuple of str
        The column names of each view of numbers that was passed as a data frame.
    kinds_ : dict of str to TableColumns
        The columns, kinds and words of the views with columns of several kinds.
    posteriors_ : dict of str to Posterior
        The layer of each view: kernel, inducing inputs, q(u), noise and units.
    statistics_ : dict of str to Statistics
        The sums over the rows that determine q(u) of each view of numbers.
    view_weights_ : dict of str to float
        How much each view counts when latent points are inferred. None in deep models, where all
        views count 1.
    relevance_ : dict of str to ndarray of shape (Q,)
        The ARD weights of the latent dimensions for each view, inverse squared lengthscales.
    latent_scale_ : ndarray of shape (Q,)
        The square roots of the sums of the relevances over the views. Latent points times these
        factors are in units of the lengthscales, so that distances between them have a meaning.
    """

    views_: tuple[str, ...]
    # Column names of the views that were data frames; None in files of earlier versions.
    columns_: dict[str, tuple[str, ...]] | None = None
    kinds_: dict[str, TableColumns] | None = None
    # None also in files of earlier versions.
    view_weights_: dict[str, float] | None = None
    posteriors_: dict[str, Posterior]
    statistics_: dict[str, Statistics]
    _shared_node: int

    @property
    def _tables(self) -> Tables:
        """The columns of the views with columns of several kinds."""
        return self.kinds_ or {}

    @property
    def _network(self) -> Network:
        return Network.star(self.posteriors_, self._belief, self.statistics_, self.view_weights_)

    def _set_fitted(
        self,
        top: Believed,
        layers: Mapping[str, Settled],
        leading: Mapping[str, Settled],
        drops: Mapping[str, Float[Array, " Q"]],
        scalings: Mapping[str, Scaling],
    ) -> None:
        """Set the fitted attributes.

        layers: the last layer of each view. leading: the first layer of each view below the shared
        space.
        """
        self.latent_mean_, self.latent_variance_ = top.belief.mean, top.belief.variance
        self.information_, self.drops_ = top.information, dict(drops)
        self.posteriors_ = {name: own.as_posterior(scalings[name]) for name, own in layers.items()}
        # The statistics of views of several kinds contain weights of entries, so new rows cannot be
        # added to them.
        self.statistics_ = {
            name: own.statistics for name, own in layers.items() if name not in self._tables
        }
        self.relevance_ = {
            name: relevance_of(own.layer.kernel, top.belief.n_latent)
            for name, own in leading.items()
        }

    def inverse_transform(
        self,
        X: ArrayLike,
        *,
        X_variance: ArrayLike | None = None,
        noise: bool = False,
        return_std: bool = False,
    ) -> Any:
        """Predict all views at latent points.

        Parameters
        ----------
        X : array_like of shape (n, Q)
            Latent points.
        X_variance : array_like of shape (n, Q), optional
            Variances of the latent points; None for exact points.

        Returns
        -------
        dict of str to ndarray or DataFrame of shape (n, D_v), or two of them
            The means by view, and with return_std the standard deviations. Data frames if X is a
            data frame, or if pandas output is set.
        """
        points = self._points(X)
        spread = checked_variance(X_variance, points)
        at = Belief.certain(points) if spread is None else Belief(points, spread)
        means, deviations = dict[str, Any](), dict[str, Any]()
        numbers = [name for name in self.views_ if name not in self._tables]
        given = {self._shared_node: at}
        found = prediction.moments(self._network, given, noise=noise, ends=numbers)
        for name in self.views_:
            if name in self._tables:
                expected = expected_at(self._network, self._tables[name], name, given)
                whole, deviations[name] = expected.values()
                means[name] = self._as_table(name, X, whole)
                continue
            mean, variance = found[name]
            columns = self._columns_of(name, mean.shape[1])
            means[name] = framed(self, X, mean, columns)
            deviations[name] = framed(self, X, np.sqrt(variance), columns)
        return (means, deviations) if return_std else means

    def sample(self, n_samples: int = 1, random_state: int | None = None) -> dict[str, Any]:
        """Draw rows of all views jointly from the prior.

        Parameters
        ----------
        n_samples : int, default 1
            The number of rows.

        Returns
        -------
        dict of str to ndarray of shape (n_samples, D_v)
            The draws by view, with noise.
        """
        self._check_fitted()
        generator = np.random.default_rng(random_state)
        drawn = prediction.draw_prior(self._network, n_samples, generator)
        return {
            name: self._as_table(name, None, self._tables[name].decoded(rows))
            if name in self._tables
            else rows
            for name, rows in drawn.items()
        }

    def vary(
        self,
        X: ArrayLike,
        dimensions: ArrayLike,
        n_samples: int = 1,
        random_state: int | None = None,
    ) -> Float[Array, "S N Q"]:
        """Redraw some dimensions of latent points.

        The dimensions are drawn jointly from the average of the training points' posteriors, so
        that dependent dimensions remain consistent. Redrawing the private dimensions of a view
        changes only that view.

        Parameters
        ----------
        X : array_like of shape (N, Q)
            Latent points.
        dimensions : array_like of int
            The dimensions to redraw.
        n_samples : int, default 1
            The number of draws S.

        Returns
        -------
        ndarray of shape (S, N, Q)
            Latent points with all other dimensions unchanged.
        """
        points = self._points(X)
        chosen = checked_dimensions(dimensions, points.shape[1])
        return vary(points, chosen, self._belief, n_samples, random_state)

    def interpolate(
        self, start: ArrayLike, end: ArrayLike, dimensions: ArrayLike, steps: int = 10
    ) -> Float[Array, "S Q"]:
        """Return a straight latent path between two points that changes only some dimensions.

        Parameters
        ----------
        start, end : array_like of shape (Q,)
            Latent points.
        dimensions : array_like of int
            The dimensions that move from `start` to `end`; all others have the values of `start`.
        steps : int, default 10
            The number of points S.

        Returns
        -------
        ndarray of shape (S, Q)
            The path.
        """
        points = self._points(np.stack([as_floats(each, "start and end") for each in (start, end)]))
        chosen = checked_dimensions(dimensions, points.shape[1])
        return interpolate(points[0], points[1], chosen, steps)

    def transform(
        self,
        views: Mapping[str, ArrayLike],
        *,
        return_std: bool = False,
        scaled: bool = False,
    ) -> Any:
        """Infer the latent points of new rows from one or several views (Damianou 2015, §5.2.4).

        Each row is inferred separately, with the prior x ~ N(0, I). In dimensions that none of the
        given views uses, the posterior is this prior.

        Parameters
        ----------
        views : dict of str to array_like
            One or several of the trained views by name; NaN marks missing values.
        scaled : bool, default False
            Whether to multiply points by `latent_scale_`, so that distances have a meaning.

        Returns
        -------
        ndarray of shape (n, Q), or two of them
            The posterior means, and with return_std the standard deviations.
        """
        belief = self._explained(self._given(views))[self._shared_node].best
        return self._placed(belief, scaled, return_std)

    def complete(
        self,
        views: Mapping[str, ArrayLike],
        *,
        return_std: bool = False,
        return_probability: bool = False,
        method: FillMethod | None = None,
    ) -> Any:
        """Fill in the missing values of the given views: numbers with their predictive means,
        counts with their medians, words with the most probable word.

        The observed values of all given views are used for every view.

        Parameters
        ----------
        views : dict of str to array_like
            One or several of the trained views by name; NaN marks missing values.
        return_std : bool, default False
            Whether to return standard deviations, too; words have the standard deviation NaN.
        return_probability : bool, default False
            Whether to return the probability of each filled word and count, too. It is 1 for an
            observed word or count, and NaN for a number. Only for the views with columns of several
            kinds.

        Returns
        -------
        dict of str to ndarray or DataFrame of shape (n, D_v), or a tuple of them
            The filled views; observed values do not change. The other results that were requested
            follow: standard deviations with noise (0 for observed values), then probabilities. A
            view is a data frame if the given view is a data frame, or if pandas output is set.
        """
        if return_probability and not self._tables:
            raise ValueError(
                "all columns are numbers, which have no probability: use return_std instead"
            )
        given = self._given(views)
        numbers = {name: rows for name, rows in given.items() if name not in self._tables}
        if method == "density" and len(numbers) < len(given):
            raise ValueError("columns of several kinds are filled by the map: leave out method")
        if return_std:
            self._warn_by_map(numbers, method)
        explained = self._explained(given) if self.density_ is None or self._tables else None

        def by_map(some: Mapping[str, Array]) -> Moments:
            own, ends = (explained, numbers) if explained else (self._explained(dict(some)), None)
            return prediction.reconstructed(self._network, own, noise=True, ends=ends)

        found = self._completed(numbers, by_map, method)
        tables = self._filled_tables(given, explained) if explained else {}
        means, deviations, sure = dict[str, Any](), dict[str, Any](), dict[str, Any]()
        for name, rows in given.items():
            if name in tables:
                whole, deviations[name], sure[name] = tables[name]
                means[name] = self._as_table(name, views[name], whole)
                continue
            whole, variance = found[name]
            columns = None if names_of(views[name]) else self._columns_of(name, rows.shape[1])
            means[name] = framed(self, views[name], whole, columns)
            deviations[name] = framed(self, views[name], np.sqrt(variance), columns)
        results = (means, *(deviations,) * return_std, *(sure,) * return_probability)
        return results if len(results) > 1 else means

    def score_samples(
        self,
        views: Mapping[str, ArrayLike],
        n_samples: int | None = None,
        random_state: int | None = 0,
        *,
        method: Method | None = None,
    ) -> Float[Array, " N"]:
        """Return log p(observed values of a row in these views | training data), approximately.

        By default this is the exact density that the second stage of `fit` derived from the map,
        or without it, the difference between the bounds with and without the row; the difference
        is not a bound. For views with columns of several kinds, the method always draws
        importance samples (by default 200). The value is then the log density of the numbers plus
        the log probability of the other entries.

        Parameters
        ----------
        views : dict of str to array_like
            One or several of the trained views by name; NaN marks missing values.
        n_samples : int or None, default None
            None, or the number of importance samples. The sampled estimate is too low on average;
            the bias shrinks as the number grows.
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
        given = self._given(views)
        return self._scored(given, lambda: self._explained(given), method, n_samples, random_state)

    def score(self, views: Mapping[str, ArrayLike], y: Any = None) -> float:
        """Return the mean log density of rows, in nats per row.

        Parameters
        ----------
        views : dict of str to array_like
            One or several of the trained views by name; NaN marks missing values.
        y : ignored
            Not used; scikit-learn expects this argument.

        Returns
        -------
        float
            The mean of `score_samples`.
        """
        return float(np.mean(self.score_samples(views)))

    def _given(self, views: Mapping[str, ArrayLike], *, empty_rows: bool = False) -> Views:
        self._check_fitted()
        widths = {name: posterior.n_outputs for name, posterior in self.posteriors_.items()}
        check_mapping(views)
        return given_views(encoded_tables(views, self._tables), widths, empty_rows=empty_rows)

    def _all_data(self, Y: Any) -> Views:
        return self._given(Y)

    def _explained(self, given: Views) -> Explained:
        return prediction.explain(self._network, given)

    def _inferred(self, Y: Any) -> tuple[Projection, Moments]:
        """The explanations of each row at its shared point, and mean and variance of all views."""
        found = self._explained(self._given(Y))
        whole = prediction.reconstructed(self._network, found, noise=True)
        return found[self._shared_node], whole

    def _filled_tables(
        self, given: Views, explained: Explained
    ) -> dict[str, tuple[Any, Array, Array]]:
        """Fill the gaps of the given views with columns of several kinds (`Expected.filled`)."""
        network = self._network
        return {
            name: expected_of(network, self._tables[name], name, explained, rows).filled(rows)
            for name, rows in given.items()
            if name in self._tables
        }

    def _as_table(self, name: str, given: Any, values: Any) -> Any:
        """Values of a view of several kinds as a data frame like `given`, or like its training."""
        columns = self._tables[name]
        return framed(self, given, values, columns.names, trained=columns.frame)

    def _points(self, X: ArrayLike) -> Array:
        self._check_fitted()
        return checked_points(X, self.latent_mean_.shape[1])

    def _columns_of(self, name: str, width: int) -> Sequence[str]:
        """The column names of the view in training; without names, "x0", "x1", …."""
        known = (self.columns_ or {}).get(name)
        return known or [f"x{number}" for number in range(width)]

    @property
    def _n_features_out(self) -> int:
        return self.latent_mean_.shape[1]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.dict = True
        tags.input_tags.two_d_array = False
        return tags

    def _check_fitted(self) -> None:
        check_is_fitted(self, "posteriors_")
