"""Shared dimensions of views, and prediction of one view from other views."""

import warnings
from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import ArrayLike

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.models.answers.fitted import Fitted
from gplvm_core.models.data.rows import refuse_unseen
from gplvm_core.models.data.views import Views, check_transfer
from gplvm_core.models.estimators.with_intervals import calibrated, decided
from gplvm_core.models.estimators.with_known import check_one_map
from gplvm_core.models.problems.several import (
    LEAST_DROP,
    LEAST_WEIGHT,
    Segments,
    segments,
    used_by_weight,
)
from gplvm_core.numerics import Array, BoolArray, IntArray
from gplvm_core.prediction import Network, Posterior
from gplvm_core.prediction.candidates import Report, part_of
from gplvm_core.prediction.columns import Expected
from gplvm_core.prediction.held_out import HeldOut
from gplvm_core.prediction.intervals import (
    Asked,
    Part,
    Tries,
    away,
    error_in_spreads,
    parts_of_rows,
    parts_of_sequences,
    questions,
)
from gplvm_core.prediction.paths import Continued, StepCallback
from gplvm_core.prediction.sequence import FoundPath
from gplvm_core.prediction.transfer import (
    PRIVATE,
    Private,
    Roles,
    Wanted,
    transfer_functions,
    transfer_path,
)
from gplvm_core.readers import DataError
from gplvm_core.readers.spread import spread_rows

# Slopes are averaged over at most this many rows.
MOST_AVERAGED = 100


def segmentation(self: Any, threshold: float = LEAST_DROP) -> Segments:
    """Return the latent dimensions by the set of views that use them.

    A view uses a dimension if F_v falls by more than the threshold when the dimension's weight
    is set to 0.

    Parameters
    ----------
    threshold : float
        The threshold in nats per row.

    Returns
    -------
    dict of frozenset of str to tuple of int
        For each set of views, the dimensions that exactly these views use; for frozenset(), the
        unused dimensions.
    """
    return segments(uses(self, threshold))


def segmentation_by_weight(self: Any, delta: float = LEAST_WEIGHT) -> Segments:
    """Return the segmentation by the rule of the source, w/max w > δ (Damianou 2015, §5.2.1).

    Parameters
    ----------
    delta : float
        The smallest weight that counts, relative to the largest weight of the view.

    Returns
    -------
    dict of frozenset of str to tuple of int
        For each set of views, the dimensions that exactly these views use; for frozenset(), the
        unused dimensions.
    """
    self._check_fitted()
    return segments(used_by_weight(self.relevance_, delta))


def can_count_parts(self: Any) -> bool:
    """Whether `count_parts` is possible: one layer to views of numbers, without known factors."""
    apart = getattr(self, "known_", None) is None
    plain = not hasattr(self, "layers_") and not self._tables and not self._fractions
    return bool(apart and plain)


def count_parts(self: Any, threshold: float = LEAST_DROP) -> dict[frozenset[str], int]:
    """Count shared and private dimensions, whatever the axes of the latent space.

    The prior N(0, I) prefers no axes, and in a finite sample shared and private causes are a little
    correlated. A dimension may therefore mix a shared and a private part, and `segmentation` calls
    it shared. The count does not depend on the axes: a set of views uses as many dimensions as
    Σ_v ⟨Jᵀ J⟩ has eigenvalues λ with ½ log(1 + λ) above the threshold. J are the slopes of the
    outputs of view v in units of their noise, and the mean is over the rows. What all views use,
    and all others do not, is private to a view; the rest is shared.

    Parameters
    ----------
    threshold : float
        The threshold in nats per row.

    Returns
    -------
    dict of frozenset of str to int
        The number of dimensions that only one view uses, for each view, and of those that several
        use, for all views together.

    Raises
    ------
    DataError
        If the model has several layers, views of other kinds than numbers, or known factors.
    """
    self._check_fitted()
    if not can_count_parts(self):
        raise DataError(
            "parts can be counted for views of numbers with one layer and without known factors: "
            "see segmentation"
        )
    rows = self.latent_mean_[spread_rows(len(self.latent_mean_), MOST_AVERAGED)]
    metrics = {name: _metric(own, rows) for name, own in self.posteriors_.items()}

    def rank(names: Collection[str]) -> int:
        if not names:
            return 0
        found = np.linalg.eigvalsh(np.sum([metrics[name] for name in names], axis=0))
        return int(np.sum(0.5 * np.log1p(np.maximum(found, 0.0)) > threshold))

    every = rank(self.views_)
    counts = {
        frozenset({name}): every - rank([other for other in self.views_ if other != name])
        for name in self.views_
    }
    return {frozenset(self.views_): max(every - sum(counts.values()), 0)} | counts


def _metric(posterior: Posterior, rows: Float[Array, "n Q"]) -> Float[Array, "Q Q"]:
    """⟨Jᵀ J⟩ over the rows, of the slopes of all outputs in units of their noise."""
    kernel, inducing, width = posterior.kernel, posterior.inducing, rows.shape[1]
    slope = np.zeros((width, posterior.n_outputs)) if posterior.slope is None else posterior.slope
    units = np.vstack([posterior.weights, slope]) / np.sqrt(posterior.noise_variance)
    products, total = units @ units.T, np.zeros((width, width))
    for row in rows:
        repeated = np.repeat(row[None], len(inducing), axis=0)
        bent = kernel.between_pullback(repeated, inducing, np.eye(len(inducing)))[0]
        both = np.vstack([bent, np.eye(width)])
        total += both.T @ products @ both
    return np.asarray(total / len(rows))


def agreement(self: Any, threshold: float = LEAST_DROP, delta: float = LEAST_WEIGHT) -> float:
    """Return how often the two rules of segmentation agree, over all views and dimensions.

    Parameters
    ----------
    threshold, delta : float
        As for `segmentation` and `segmentation_by_weight`.

    Returns
    -------
    float
        The proportion, from 0 to 1.
    """
    by_drop, by_weight = uses(self, threshold), used_by_weight(self.relevance_, delta)
    return float(np.mean([by_drop[name] == by_weight[name] for name in self.views_]))


def uses(model: Any, threshold: float) -> dict[str, Bool[BoolArray, " Q"]]:
    """For each view, the dimensions without which its bound falls by more than the threshold."""
    model._check_fitted()
    return {name: model.drops_[name] > threshold for name in model.views_}


def transfer(
    self: Any,
    views: Mapping[str, ArrayLike],
    to: str,
    *,
    n_alternatives: int = 1,
    private: Private = "nearest",
    return_std: bool = False,
    times: ArrayLike | None = None,
    sequence: Any = None,
    adapt: bool | None = None,
    return_latent: bool = False,
    callback: StepCallback | None = None,
) -> Any:
    """Predict one view from other views of the same rows.

    For a view with columns of several kinds, the predictions are the mean of a number, the
    median of a count, and the most probable word. `class_probabilities` returns the
    probabilities of the words.

    Parameters
    ----------
    views : dict of str to array_like
        One or several of the trained views by name; NaN marks missing values.
    to : str
        The name of the view to predict.
    n_alternatives : int, default 1
        The largest number of predictions K for a row.
    private : {"nearest", "prior"}, default "nearest"
        How to set the dimensions that only `to` uses. "nearest" copies them from the training
        points that are nearest in the shared dimensions (Damianou 2015, Algorithm 2). "prior"
        integrates over them, and combines all explanations of the row.
    return_std : bool, default False
        Whether to return standard deviations with noise, too. For a single prediction, they
        include the uncertainty about which explanation or neighbour is the true one; after
        `calibrate` they are calibrated. For one of several alternatives, they assume that this
        alternative is the true one.
    times : array_like of shape (n,) or (n, P), optional
        The times of the rows, for a model with a time_kernel. With times, the rows are one
        sequence and are inferred jointly.
    adapt : bool, optional
        Whether the rows also update the mappings of the given views. By default True for a new
        sequence if `calibrate` found smaller errors, otherwise False.
    return_latent : bool, default False
        Whether to return the latent path, too: means and standard deviations (n, Q). Only with
        times.
    callback : callable, optional
        Called as callback(step, bound) after every step of the inference over time. If it
        raises StopIteration, the inference ends with the best path so far.

    Returns
    -------
    ndarray of shape (n, D), or (n, K, D) if K > 1, or several of them
        The means, and with return_std the standard deviations, in the user's units. The best
        alternatives come first; NaN stands for alternatives that a row lacks. For a view with
        columns of several kinds, the first result is a table of values. For K > 1 it is an
        array of values, with None for alternatives that a row lacks. Words have the standard
        deviation NaN.
    """
    self._check_fitted()
    check_one_map(self, "transfer")
    check_transfer(to, self.views_, n_alternatives, private, timed=times is not None)
    if times is None and (adapt or return_latent or callback or sequence is not None):
        raise ValueError(
            "sequence, adapt, return_latent and callback need rows in time: give times, too"
        )
    given = self._rows(views, all_seen=times is None)
    fitted, view = self.fitted_, _wanted(self, given, to)
    new, timed = times is not None and sequence is None, times is not None
    asked = decided(fitted, _asked(self, given, to, private, timed=timed), adapt, new)
    columns = fitted.tables.get(to)
    latent: tuple[Array, ...] = ()
    parts: Any
    if times is not None:
        found = _path_of(fitted, given, times, sequence, asked.adapted, callback)
        path = transfer_path(view, *found, private)
        parts = view.at(path, noise=columns is None)
        latent = (path.mean, np.sqrt(path.variance)) if return_latent else ()
        alone = new
    else:
        each = fitted.explained(given)[fitted.node]
        by = transfer_functions if columns else prediction.transfer
        parts = by(view, each, n_alternatives, private)
        alone = n_alternatives == 1
    if columns is None:
        values, variance = parts
        if alone:
            variance = calibrated(self, asked, variance, shown=return_std)
        std = np.sqrt(variance)
        if to in fitted.fractions:
            values, std = fitted.fractions[to].moments(values, std)
    else:
        known = columns, self.posteriors_[to]
        expected = Expected.at(*known, *parts) if timed else Expected(*known, *parts)
        values, std = expected.alternatives() if n_alternatives > 1 else expected.values()
        values = self._as_table(to, None, values)
    results = (values, *(std,) * return_std, *latent)
    return results if len(results) > 1 else values


def from_others(
    model: Any, given: Views, to: str
) -> tuple[Float[Array, "N D"], Float[Array, "N D"]]:
    """Calibrated moments of a view of numbers, from other views of independent rows."""
    check_transfer(to, model.views_, 1)
    if not given:
        raise DataError(f"give at least one view other than {to!r}")
    fitted = model.fitted_
    refuse_unseen(np.any([~np.isnan(own).all(axis=1) for own in given.values()], axis=0))
    explained = fitted.explained(given)[fitted.node]
    mean, variance = prediction.transfer(_wanted(model, given, to), explained, 1, "prior")
    asked = _asked(model, given, to, "prior", timed=False)
    return mean, calibrated(model, asked, variance, shown=True)


def correspondences(
    self: Any, views: Mapping[str, ArrayLike], to: str, n_matches: int = 5
) -> tuple[Int[IntArray, "N K"], Float[Array, "N K"]]:
    """Find the training rows whose view `to` matches rows of other views best.

    Source: Damianou (2015), §5.3.2.

    Parameters
    ----------
    views : dict of str to array_like
        One or several of the trained views by name; NaN marks missing values.
    to : str
        The name of the view to match.
    n_matches : int, default 5
        The number of matches K. It is reduced if fewer training rows have the view.

    Returns
    -------
    rows : ndarray of int, shape (n, K)
        The numbers of the training rows, nearest first.
    distances : ndarray of shape (n, K)
        The distances to these rows in the shared dimensions, in lengthscales of `to`.
    """
    self._check_fitted()
    check_one_map(self, "correspondences")
    check_transfer(to, self.views_, n_matches)
    given, fitted = self._rows(views), self.fitted_
    points = fitted.explained(given)[fitted.node].best.mean
    rows, distance = prediction.correspond(_wanted(self, given, to), points, n_matches)
    return np.flatnonzero(self.seen_[to])[rows], distance


def _path_of(
    fitted: Fitted,
    given: Views,
    times: ArrayLike,
    sequence: Any,
    adapt: bool,
    callback: StepCallback | None,
) -> tuple[Belief, Continued]:
    """Infer the shared points of the rows of one sequence jointly; returns q(X) and p(X)."""
    over: Any = fitted.over_time
    if over is None:
        raise DataError("the model was trained without a kernel over time: leave out times")
    prior = over.continued(times, len(next(iter(given.values()))), sequence)
    path = over.infer(given, prior, callback, adapt=adapt)
    return _shared_path(fitted.node, path, prior)


def _shared_path(node: int, path: FoundPath, prior: Continued) -> tuple[Belief, Continued]:
    """q(X) and the prior of the shared points of a path."""
    found = path.beliefs[node]
    if node == 0:
        return found, prior
    # The path is at the top. Below the top, rows depend on each other only through the top.
    spread = np.stack([np.diag(column) for column in found.variance.T])
    return found, Continued(found.mean, spread, order=prior.order)


def _wanted(model: Any, given: Views, to: str) -> Wanted:
    """The view to predict; warns if this view shares no dimension with the given views."""
    wanted = _wanted_of(model, model._network, given, to)
    if not wanted.roles.shared.any():
        warnings.warn(
            f"{', '.join(given)} and {to} share no latent dimension: the prediction of {to} "
            "does not depend on the given views",
            UserWarning,
            stacklevel=3,
        )
    return wanted


def _wanted_of(
    model: Any,
    network: Network,
    given: Collection[str],
    to: str,
    rows: Int[IntArray, " T"] | slice = slice(None),
) -> Wanted:
    """The view to predict with a graph; rows: the training rows of the graph."""
    used = uses(model, LEAST_DROP)
    known = np.any([used[name] for name in given], axis=0)
    roles = Roles.of(known, used[to], model.relevance_[to])
    there = np.flatnonzero(model.seen_[to][rows])
    lenders = network.beliefs[model._shared_node].rows(there)
    return Wanted(network, to, model._shared_node, lenders, roles)


def _asked(model: Any, given: Collection[str], to: str, private: Private, *, timed: bool) -> Asked:
    known = tuple(name for name in model.views_ if name in given)
    return Asked("transfer", to, known, private, timed)


def try_transfers(self: Any, held: HeldOut, groups: Any, seed: int, report: Report) -> Tries:
    """The errors of held-out rows in all predictions of a view from others."""
    tries, generator = Tries(), np.random.default_rng(seed)
    if held.over_time:
        parts = parts_of_sequences(held.sequences, held.times, generator)
    else:
        parts = parts_of_rows(len(self.latent_mean_), groups, generator)
    every = questions(self.views_)
    for number, part in enumerate(parts):
        network, others = held.without(part.aside)
        for at, (given, views) in enumerate(every):
            of_question = part_of(report, number * len(every) + at, len(parts) * len(every))
            of_question(0.0)
            wanted = [
                _wanted_of(self, network, given, to, others)
                for to in views
                if to not in self._tables
            ]
            _try_transfers(self, held, network, given, wanted, part, tries, of_question)
    return tries


def _try_transfers(
    model: Any,
    held: HeldOut,
    network: Network,
    given: tuple[str, ...],
    wanted: list[Wanted],
    part: Part,
    tries: Tries,
    report: Report,
) -> None:
    """Predict the wanted views of held-out rows, over time and as independent rows."""
    truth, spread = held.of(part.asked), held.spread
    some = {name: truth[name] for name in given}
    seen = np.any([~np.isnan(own).all(axis=1) for own in some.values()], axis=0)
    if not seen.any() or not wanted:
        return
    errors: dict[Asked, list[float]] = {}
    separately = None
    paths = held.paths(network, some, part, report) if held.over_time else ()
    for adapted, found, prior in paths:
        separately = separately or found.separately
        path = _shared_path(model._shared_node, found, prior)
        for own, private in product(wanted, PRIVATE):
            mean, variance = own.at(transfer_path(own, *path, private))
            rows, unit = truth[own.view], spread[own.view]
            asked = _asked(model, given, own.view, private, timed=True)
            error = away(mean, variance, rows, unit)
            tries.add(replace(asked, adapted=adapted), error, part.groups)
            each = error_in_spreads(mean, rows, unit)
            errors.setdefault(asked, []).append(each)
    tries.compare(tuple(errors), list(errors.values()))
    if separately is None:
        alone = {name: own[seen] for name, own in some.items()}
        separately = prediction.explain(network, alone)
    explained = separately[model._shared_node]
    for own, private in product(wanted, PRIVATE):
        answer = prediction.transfer(own, explained, 1, private)
        error = away(*answer, truth[own.view][seen], spread[own.view])
        asked = _asked(model, given, own.view, private, timed=False)
        tries.add(asked, error, part.groups[seen])
