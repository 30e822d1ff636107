"""Rows given in some views: what a fitted model of several views can be asked about them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core import prediction
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.data.views import Views, given_views
from gplvm_core.models.estimators.generative import GenerativeViews, by_name
from gplvm_core.models.estimators.timed import Timed
from gplvm_core.models.problems.edges import Settled, relevance_of
from gplvm_core.models.problems.nodes import Believed
from gplvm_core.numerics import Array
from gplvm_core.prediction import Evidence, Projection, log_density, mixed, project
from gplvm_core.statistics import Statistics


class ViewsQueries(Timed, GenerativeViews):
    """Questions to `ManifoldRelevance` about rows: all that needs only the fitted posteriors.

    Views are dicts of arrays by name, of any non-empty subset of the trained ones, NaN where
    missing, in the user's units.
    """

    statistics_: dict[str, Statistics]

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

    def transform(
        self, views: Mapping[str, ArrayLike], *, return_std: bool = False
    ) -> Float[Array, "N Q"] | tuple[Float[Array, "N Q"], Float[Array, "N Q"]]:
        """Latent mean of new rows given in some views, and with return_std the standard deviation.

        Each row on its own, x ~ N(0, I). Dimensions that none of these views uses stay at that.
        Source: Damianou (2015), §5.2.3.
        """
        belief = self._project(self._given(views)).best
        return (belief.mean, np.sqrt(belief.variance)) if return_std else belief.mean

    def complete(
        self, views: Mapping[str, ArrayLike], *, return_std: bool = False
    ) -> Views | tuple[Views, Views]:
        """The given views with their missing entries (NaN) at their predictive mean.

        What is observed in any of them counts for all. return_std adds standard deviations by
        name, 0 where observed, noise included.
        """
        given = self._given(views)
        completed = {
            name: prediction.complete(given[name].outputs, mean, variance)
            for name, (mean, variance) in self._filled_in(given).items()
        }
        return by_name(completed, return_std)

    def score_samples(self, views: Mapping[str, ArrayLike]) -> Float[Array, " N"]:
        """log p(what is observed of a row in these views | training data) in nats, approximately.

        The difference of the bounds with and without the row: it bounds nothing.
        """
        given = self._given(views)
        known = [self.statistics_[name] for name in given]
        return log_density(list(given.values()), known, self._project(given))

    def score(self, views: Mapping[str, ArrayLike], y: Any = None) -> float:
        """Mean of score_samples, in nats per row."""
        return float(np.mean(self.score_samples(views)))

    def _given(
        self, views: Mapping[str, ArrayLike], *, empty_rows: bool = False
    ) -> dict[str, Evidence]:
        self._check_fitted()
        widths = {name: posterior.n_outputs for name, posterior in self.posteriors_.items()}
        given = given_views(views, widths, empty_rows=empty_rows)
        return {name: self._evidence(name, rows) for name, rows in given.items()}

    def _evidence(self, name: str, rows: Array) -> Evidence:
        return Evidence(self.posteriors_[name], rows)

    def _filled_in(self, given: Mapping[str, Evidence]) -> dict[str, tuple[Array, Array]]:
        """Mean and variance of all entries of the given views, noise included."""
        found = self._project(given)
        return {name: mixed(each.layers, found, noise=True) for name, each in given.items()}

    def _project(self, given: Mapping[str, Evidence]) -> Projection:
        return self._each_alone(list(given.values()))

    def _each_alone(self, evidence: Sequence[Evidence]) -> Projection:
        return project(evidence, self._belief, partial=len(evidence) < len(self.views_))
