"""What a fitted model of several views can be asked: rows in some views, answers in others."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from gplvm_core.beliefs import Belief
from gplvm_core.datasets import DataError
from gplvm_core.models.estimator import checked_variance
from gplvm_core.models.segmentation import LEAST_DROP
from gplvm_core.models.timed import Timed
from gplvm_core.models.timeline import checked_times
from gplvm_core.models.views_data import Views, check_name, given_views
from gplvm_core.numerics import Array
from gplvm_core.prediction import (
    Evidence,
    Posterior,
    Projection,
    complete,
    log_density,
    mixed,
    predict,
    predict_uncertain,
    project,
    sample,
)
from gplvm_core.prediction.paths import Continued, continued, likely_path
from gplvm_core.prediction.transfer import Roles, candidates, generate_candidates, matches
from gplvm_core.statistics import Statistics

Flags = NDArray[np.bool_]
Rows = NDArray[np.intp]

# How many neighbours a row of a sequence may take its private dimensions from.
LENDERS = 10


class ViewsQueries(Timed):
    """Questions to `ManifoldRelevance`: everything that needs only the fitted posteriors.

    Views are dicts of arrays by name, of any non-empty subset of the trained ones, NaN where
    missing, in the user's units.
    """

    views_: tuple[str, ...]
    posteriors_: dict[str, Posterior]
    statistics_: dict[str, Statistics]
    latent_mean_: Float[Array, "N Q"]
    latent_variance_: Float[Array, "N Q"]
    relevance_: dict[str, Float[Array, " Q"]]
    drops_: dict[str, Float[Array, " Q"]]
    seen_: dict[str, Bool[Flags, " N"]]  # rows of which the view has anything

    def transform(
        self, views: Mapping[str, ArrayLike], *, return_std: bool = False
    ) -> Float[Array, "N Q"] | tuple[Float[Array, "N Q"], Float[Array, "N Q"]]:
        """Latent mean of new rows given in some views, and with return_std the standard deviation.

        Each row on its own, x ~ N(0, I). Dimensions that none of these views uses stay at that.
        Source: Damianou (2015), §5.2.3.
        """
        belief = self._project(self._given(views)).best
        return (belief.mean, np.sqrt(belief.variance)) if return_std else belief.mean

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
        points = self._latent(X)
        means, spreads = {}, {}
        for name, posterior in self.posteriors_.items():
            if X_variance is None:
                means[name], variance = predict(posterior, points, noise=noise)
            else:
                spread = checked_variance(X_variance, points)
                means[name], variance = predict_uncertain(posterior, points, spread, noise=noise)
            spreads[name] = np.sqrt(variance)
        return (means, spreads) if return_std else means

    def transfer(
        self,
        views: Mapping[str, ArrayLike],
        to: str,
        *,
        n_alternatives: int = 1,
        private: Literal["nearest", "prior"] = "nearest",
        return_std: bool = False,
        times: ArrayLike | None = None,
        sequence: Any = None,
    ) -> Float[Array, "..."] | tuple[Float[Array, "..."], Float[Array, "..."]]:
        """The view `to` of rows that are given in other views: N × D, in the user's units.

        private: "nearest" takes the dimensions that only `to` uses from the training points that
        are nearest in the shared ones (Damianou 2015, Algorithm 2); "prior" integrates them out,
        with all explanations of the row. n_alternatives > 1: N × K × D, the best first, NaN where
        a row has fewer. return_std adds standard deviations, noise included. times: the rows are
        one sequence and are inferred together (a model with a time_kernel), sequence as for
        DynamicalGPLVM.complete.
        """
        self._check_transfer(to, n_alternatives, private, timed=times is not None)
        if sequence is not None and times is None:
            raise ValueError("sequence says what times continue: give times, too")
        given = self._given(views, empty_rows=times is not None)
        posterior, roles = self.posteriors_[to], self._roles(given, to)
        if times is not None:
            belief = self._path_of(given, times, sequence, roles, private, to)
            mean, variance = predict_uncertain(posterior, belief.mean, belief.variance, noise=True)
            return (mean, np.sqrt(variance)) if return_std else mean
        found = self._project(given)
        # Neighbours in no shared dimension would be any.
        if private == "prior" or (n_alternatives == 1 and not roles.shared.any()):
            mean, variance = mixed(posterior, found, noise=True)
            return (mean, np.sqrt(variance)) if return_std else mean
        chosen = candidates(found, self._lenders(to), roles, n_alternatives)
        mean, variance = generate_candidates(posterior, chosen)
        if n_alternatives == 1:
            mean, variance = mean[:, 0], variance[:, 0]
        return (mean, np.sqrt(variance)) if return_std else mean

    def correspondences(
        self, views: Mapping[str, ArrayLike], to: str, n_matches: int = 5
    ) -> tuple[Int[Rows, "N K"], Float[Array, "N K"]]:
        """The training rows whose view `to` matches rows given in other views best.

        Row numbers and distances in the dimensions that both use, in lengthscales of `to`, nearest
        first; fewer where fewer rows have that view. Source: Damianou (2015), §5.3.2.
        """
        self._check_transfer(to, n_matches, "nearest")
        given = self._given(views)
        points, there = self._project(given).best.mean, np.flatnonzero(self.seen_[to])
        rows, distance = matches(
            points, self.latent_mean_[there], self._roles(given, to), n_matches
        )
        return there[rows], distance

    def complete(
        self, views: Mapping[str, ArrayLike], *, return_std: bool = False
    ) -> Views | tuple[Views, Views]:
        """The given views with their missing entries (NaN) at their predictive mean.

        What is observed in any of them counts for all. return_std adds standard deviations by
        name, 0 where observed, noise included.
        """
        given = self._given(views)
        found = self._project(given)
        wholes, spreads = {}, {}
        for name, values in given.items():
            wholes[name], variance = complete(self.posteriors_[name], values, found)
            spreads[name] = np.sqrt(variance)
        return (wholes, spreads) if return_std else wholes

    def score_samples(self, views: Mapping[str, ArrayLike]) -> Float[Array, " N"]:
        """log p(what is observed of a row in these views | training data) in nats, approximately.

        The difference of the bounds with and without the row: it bounds nothing.
        """
        given = self._given(views)
        known = [self.statistics_[name] for name in given]
        return log_density(self._evidence(given), known, self._project(given))

    def score(self, views: Mapping[str, ArrayLike], y: Any = None) -> float:
        """Mean of score_samples, in nats per row."""
        return float(np.mean(self.score_samples(views)))

    def sample(self, n_samples: int = 1, random_state: int | None = None) -> Views:
        """Draws of all views together from the prior over X: n × D by name, noise included."""
        self._check_fitted()
        generator = np.random.default_rng(random_state)
        points = generator.standard_normal((n_samples, self.latent_mean_.shape[1]))
        return {
            name: np.reshape(
                [sample(posterior, at[None], 1, generator)[0, 0] for at in points],
                (n_samples, posterior.n_outputs),
            )
            for name, posterior in self.posteriors_.items()
        }

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
        points, chosen = self._latent(X), self._dimensions(dimensions)
        n_points, n_latent = self.latent_mean_.shape
        generator = np.random.default_rng(random_state)
        lenders = generator.integers(n_points, size=(n_samples, len(points)))
        noise = generator.standard_normal((*lenders.shape, n_latent))
        drawn = self.latent_mean_[lenders] + np.sqrt(self.latent_variance_[lenders]) * noise
        found = np.repeat(points[None], n_samples, axis=0)
        found[:, :, chosen] = drawn[:, :, chosen]
        return found

    def interpolate(
        self, start: ArrayLike, end: ArrayLike, dimensions: ArrayLike, steps: int = 10
    ) -> Float[Array, "S Q"]:
        """A straight latent path from one point (Q,) toward another in some dimensions alone."""
        points = self._latent(np.stack([np.asarray(start), np.asarray(end)]))
        chosen = self._dimensions(dimensions)
        path = np.repeat(points[:1], steps, axis=0)
        share = np.linspace(0.0, 1.0, steps)[:, None]
        path[:, chosen] += share * (points[1] - points[0])[chosen]
        return path

    def _path_of(
        self, given: Views, times: ArrayLike, sequence: Any, roles: Roles, private: str, to: str
    ) -> Belief:
        """q(X*) of a sequence, inferred together; private dimensions along a likely path."""
        if self.time_kernel_ is None:
            raise DataError("the model was trained without a kernel over time: leave out times")
        n_rows = len(next(iter(given.values())))
        own = np.empty(0, dtype=np.intp) if sequence is None else self._rows_of(sequence)
        prior = continued(*self._so_far(checked_times(times, n_rows), own))
        belief = self._inferred_path(self._evidence(given), prior, self._each_alone).belief
        if private == "prior" or not roles.private.any():
            return belief
        return self._lent(belief, prior, roles, to)

    def _lent(self, belief: Belief, prior: Continued, roles: Roles, to: str) -> Belief:
        """The belief with private dimensions from neighbours, chosen to follow each other."""
        n_rows = len(belief.mean)
        alone = Projection(belief.mean[:, None], belief.variance[:, None], np.zeros((n_rows, 1)))
        near = candidates(alone, self._lenders(to), roles, LENDERS, different=False)
        every = np.arange(n_rows)
        path = likely_path(near, every, prior)
        chosen = np.argmin(np.sum((near.mean - path[:, None]) ** 2, axis=2), axis=1)
        return Belief(near.mean[every, chosen], near.variance[every, chosen])

    def _check_transfer(self, to: str, count: int, private: str, *, timed: bool = False) -> None:
        self._check_fitted()
        check_name(to, self.views_)
        if count < 1:
            raise ValueError(f"at least one alternative or match must be asked for; got {count}")
        if private not in ("nearest", "prior"):
            raise ValueError(f"private must be 'nearest' or 'prior'; got {private!r}")
        if count > 1 and (private == "prior" or timed):
            raise ValueError(
                "several alternatives come from neighbours of single rows: leave out times and "
                "private='prior', or ask for one"
            )

    def _roles(self, given: Views, to: str) -> Roles:
        """Warns when the given views share no dimension with the wanted one."""
        uses = self._uses(LEAST_DROP)
        known = np.any([uses[name] for name in given], axis=0)
        roles = Roles.of(known, uses[to], self.relevance_[to])
        if not roles.shared.any():
            warnings.warn(
                f"{', '.join(given)} and {to} share no latent dimension: what is said about {to} "
                "does not depend on what was given",
                UserWarning,
                stacklevel=3,
            )
        return roles

    def _uses(self, threshold: float) -> dict[str, Bool[Flags, " Q"]]:
        self._check_fitted()
        return {name: self.drops_[name] > threshold for name in self.views_}

    def _lenders(self, to: str) -> Belief:
        """The training points of rows that have the view: the others know nothing of its part."""
        there = self.seen_[to]
        return Belief(self.latent_mean_[there], self.latent_variance_[there])

    def _given(self, views: Mapping[str, ArrayLike], *, empty_rows: bool = False) -> Views:
        self._check_fitted()
        widths = {name: posterior.n_outputs for name, posterior in self.posteriors_.items()}
        return given_views(views, widths, empty_rows=empty_rows)

    def _evidence(self, given: Views) -> list[Evidence]:
        return [Evidence(self.posteriors_[name], values) for name, values in given.items()]

    def _project(self, given: Views) -> Projection:
        return self._each_alone(self._evidence(given))

    def _each_alone(self, evidence: Sequence[Evidence]) -> Projection:
        partial = len(evidence) < len(self.views_)
        return project(evidence, self.latent_mean_, self.latent_variance_, partial=partial)

    def _latent(self, X: ArrayLike) -> Float[Array, "N Q"]:
        self._check_fitted()
        points, n_latent = np.asarray(X, dtype=np.float64), self.latent_mean_.shape[1]
        if points.ndim != 2 or points.shape[1] != n_latent or not np.isfinite(points).all():
            raise DataError(
                f"latent points must be a finite matrix N × {n_latent}; got shape {points.shape}"
            )
        return points

    def _dimensions(self, dimensions: ArrayLike) -> Int[Rows, " K"]:
        chosen, n_latent = np.asarray(dimensions), self.latent_mean_.shape[1]
        whole = chosen.ndim == 1 and (chosen.dtype.kind in "iu" or chosen.size == 0)
        if not whole or not np.isin(chosen, np.arange(n_latent)).all():
            raise ValueError(
                f"dimensions must be a list of whole numbers among 0 … {n_latent - 1}; got "
                f"{dimensions!r}"
            )
        return chosen.astype(np.intp)

    def _check_fitted(self) -> None:
        check_is_fitted(self, "posteriors_")
