"""Latent points and rows given in some views: what a fitted model of several views answers."""

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
from gplvm_core.models.data.points import checked_dimensions, checked_points, checked_variance
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.data.views import Views, given_views
from gplvm_core.models.estimators.fitted import LatentRows
from gplvm_core.models.estimators.frames import framed, names_of
from gplvm_core.models.estimators.timed import Timed
from gplvm_core.models.problems.edges import Settled, relevance_of
from gplvm_core.models.problems.nodes import Believed
from gplvm_core.numerics import Array
from gplvm_core.prediction import Explained, Network, Posterior
from gplvm_core.prediction.vary import interpolate, vary
from gplvm_core.statistics import Statistics


class ViewsQueries(Timed, LatentRows, ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Questions to `ManifoldRelevance`: all that needs only the fitted posteriors.

    Views are dicts of arrays by name, of any non-empty subset of the trained ones, NaN where
    missing, in the user's units. `_shared_node` of `_network` has the points that views share.
    """

    views_: tuple[str, ...]
    # The names of the columns of views that were data frames; None in files of before.
    columns_: dict[str, tuple[str, ...]] | None = None
    posteriors_: dict[str, Posterior]
    statistics_: dict[str, Statistics]
    _shared_node: int

    @property
    def _network(self) -> Network:
        return Network.star(self.posteriors_, self._belief, self.statistics_)

    def _keep(
        self,
        top: Believed,
        layers: Mapping[str, Settled],
        leading: Mapping[str, Settled],
        drops: Mapping[str, Float[Array, " Q"]],
        scalings: Mapping[str, Scaling],
    ) -> None:
        """What fitting leaves behind: the shared belief, each view's layer, and the one that leads
        there from the shared space.
        """
        self.latent_mean_, self.latent_variance_ = top.belief.mean, top.belief.variance
        self.information_, self.drops_ = top.information, dict(drops)
        self.posteriors_ = {name: own.as_posterior(scalings[name]) for name, own in layers.items()}
        self.statistics_ = {name: own.statistics for name, own in layers.items()}
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
        """Every view at latent points X (N × Q), certain or with variances of their own.

        Means by name, and with return_std standard deviations by name; noise adds each view's
        observation noise. Data frames where X is one, or where pandas output is set.
        """
        points = self._points(X)
        spread = checked_variance(X_variance, points)
        at = Belief.certain(points) if spread is None else Belief(points, spread)
        found = self._generated(self._shared_node, at, noise, return_std)

        def as_given(views: Views) -> dict[str, Any]:
            return {
                name: framed(self, X, rows, self._columns_of(name, rows.shape[1]))
                for name, rows in views.items()
            }

        return tuple(map(as_given, found)) if isinstance(found, tuple) else as_given(found)

    def sample(self, n_samples: int = 1, random_state: int | None = None) -> Views:
        """Draws of all views together from the prior of the top: n × D by name, with noise."""
        self._check_fitted()
        generator = np.random.default_rng(random_state)
        return prediction.draw_prior(self._network, n_samples, generator)

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

    def transform(
        self,
        views: Mapping[str, ArrayLike],
        *,
        return_std: bool = False,
        scaled: bool = False,
    ) -> Any:
        """Latent mean (N × Q) of new rows given in some views, and with return_std the deviation.

        Each row on its own, x ~ N(0, I). Dimensions that none of these views uses stay at that.
        scaled: times `latent_scale_`, so that distances between points have a meaning, in all
        views together. Source: Damianou (2015), §5.2.4.
        """
        belief = self._explained(self._given(views))[self._shared_node].best
        return self._placed(belief, scaled, return_std)

    def complete(self, views: Mapping[str, ArrayLike], *, return_std: bool = False) -> Any:
        """The given views with their missing entries (NaN) at their predictive mean.

        What is observed in any of them counts for all. return_std adds standard deviations by
        name, 0 where observed, noise included. A view that is given as a data frame comes back as
        one, and so do all where pandas output is set.
        """
        given = self._given(views)
        found = prediction.reconstructed(
            self._network, self._explained(given), noise=True, ends=given
        )
        means, deviations = {}, {}
        for name, rows in given.items():
            whole, variance = prediction.complete(rows, *found[name])
            columns = None if names_of(views[name]) else self._columns_of(name, rows.shape[1])
            means[name] = framed(self, views[name], whole, columns)
            deviations[name] = framed(self, views[name], np.sqrt(variance), columns)
        return (means, deviations) if return_std else means

    def score_samples(
        self,
        views: Mapping[str, ArrayLike],
        n_samples: int | None = None,
        random_state: int | None = 0,
    ) -> Float[Array, " N"]:
        """log p(what is observed of a row in these views | training data) in nats, approximately.

        The difference of the bounds with and without the row in every layer: it bounds nothing.
        With n_samples by importance sampling: low on average, less so with more draws.
        """
        given = self._given(views)
        found = self._explained(given)
        return prediction.log_density(self._network, given, found, n_samples, random_state)

    def score(self, views: Mapping[str, ArrayLike], y: Any = None) -> float:
        """Mean of score_samples, in nats per row."""
        return float(np.mean(self.score_samples(views)))

    def _given(self, views: Mapping[str, ArrayLike], *, empty_rows: bool = False) -> Views:
        self._check_fitted()
        widths = {name: posterior.n_outputs for name, posterior in self.posteriors_.items()}
        return given_views(views, widths, empty_rows=empty_rows)

    def _explained(self, given: Views) -> Explained:
        return prediction.explain(self._network, given)

    def _generated(
        self, node: int, at: Belief, noise: bool, return_std: bool
    ) -> Views | tuple[Views, Views]:
        """Every view at points of a node."""
        found = prediction.moments(self._network, {node: at}, noise=noise)
        return by_name(found, return_std)

    def _points(self, X: ArrayLike) -> Array:
        self._check_fitted()
        return checked_points(X, self.latent_mean_.shape[1])

    def _columns_of(self, name: str, width: int) -> Sequence[str]:
        """The names of a view's columns at training, or numbers."""
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


def by_name(
    found: Mapping[str, tuple[Array, Array]], return_std: bool
) -> Views | tuple[Views, Views]:
    """Means by name, and with return_std standard deviations, from means and variances."""
    means = {name: mean for name, (mean, _) in found.items()}
    if not return_std:
        return means
    return means, {name: np.sqrt(variance) for name, (_, variance) in found.items()}
