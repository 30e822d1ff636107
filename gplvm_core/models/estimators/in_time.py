"""Methods for rows in time: forecasts, completions and samples along paths or states."""

from typing import Any, get_args

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.models.answers.fitted import Fitted, Found
from gplvm_core.models.answers.over_time import NO_TIME, outside
from gplvm_core.models.data.timeline import checked_times, rows_of_sequence
from gplvm_core.models.estimators.back_test import Method
from gplvm_core.models.estimators.forecaster import choose_forecaster as chosen
from gplvm_core.models.estimators.second_stage import has_known_errors, refuse_known_errors
from gplvm_core.models.estimators.with_intervals import calibrated, decided
from gplvm_core.models.estimators.with_known import (
    apart_from_known,
    check_apart,
    check_one_map,
    of_rows,
)
from gplvm_core.numerics import Array, one_thread_a_product
from gplvm_core.prediction import DATA
from gplvm_core.prediction.candidates import Report, part_of
from gplvm_core.prediction.factors import FACTORS, shifted
from gplvm_core.prediction.held_out import HeldOut
from gplvm_core.prediction.intervals import Asked, Tries, parts_of_sequences
from gplvm_core.prediction.paths import StepCallback
from gplvm_core.prediction.sequence import FoundPath
from gplvm_core.readers import DataError


def over_time(fitted: Fitted) -> Any:
    """The training rows over time; DataError if the model has no time."""
    if fitted.over_time is None:
        raise DataError(NO_TIME)
    return fitted.over_time


def forecast_latent(
    self: Any, times: ArrayLike, *, sequence: Any = None
) -> tuple[Float[Array, "n Q"], Float[Array, "n Q"]]:
    """Predict the latent path at new times of a trained sequence.

    The states of a state-space model at later times are those of 200 sampled futures.

    Parameters
    ----------
    times : array_like of shape (n,) or (n, P)
        New times: after, between or before the times of the sequence. For a state-space model,
        times of training rows or of rows that are missing between them, or times that are whole
        steps after the last one.
    sequence : label, optional
        The trained sequence; required if there are several.

    Returns
    -------
    mean, variance : ndarray of shape (n, Q)
        The posterior means and variances of the path.
    """
    found: tuple[Array, Array] = over_time(self.fitted_).latent(times, sequence)
    return found


def can_choose_forecaster(self: Any) -> bool:
    """Whether `choose_forecaster` is possible: a table of numbers over a single time."""
    timed = self.capabilities.timed and self.times_ is not None
    timed = timed and apart_from_known(self) and not has_known_errors(self)
    # The simple rules of the test do not know fractions.
    timed = timed and not self.fitted_.fractions
    return bool(timed and np.shape(self.times_)[1] == 1 and not self.fitted_.tables)


@one_thread_a_product()
def choose_forecaster(self: Any, Y: ArrayLike, *, callback: Report | None = None) -> Any:
    """Choose by a short back-test who continues the training sequences, after training.

    `fit` does this as a step of its second stage. Up to two copies of the model are trained
    without the last frames and forecast them; the second is left out if it cannot change the
    choice. Unless the model's error is below 95 % of that of the best simple rule (the last value,
    the value one period before, trend and season, linear autoregression), `forecast` uses the rule
    after the end of a sequence. `forecaster_.reason` has the choice and the errors in words.

    Parameters
    ----------
    Y : array_like of shape (N, D)
        The training rows, in the same order; NaN marks missing values.
    callback : callable, optional
        Called as callback(fraction of the work that is done). An exception raised in it ends
        the work; the model then has the forecaster it had before.

    Returns
    -------
    self
        The estimator, with `forecaster_`.
    """
    check_apart(self, "choose_forecaster")
    refuse_known_errors(self, "a test of forecasts")
    rows = to_calibrate(self, Y)[DATA]
    self.forecaster_ = chosen(
        self, rows, self.times_[:, 0], self.sequences_, callback or (lambda share: None)
    )
    return self


def forecast(
    self: Any,
    times: ArrayLike,
    *,
    sequence: Any = None,
    method: Method = "auto",
    return_std: bool = False,
) -> Any:
    """Predict outputs at new times of a trained sequence (Damianou 2015, §3.4.2).

    The uncertainty of the latent path is propagated through the mapping. Later outputs of a
    state-space model are averages over 200 sampled futures, so several possible continuations
    widen the standard deviations.

    Parameters
    ----------
    times : array_like of shape (n,) or (n, P)
        New times, as for `forecast_latent`.
    sequence : label, optional
        The trained sequence; required if there are several.
    method : {"auto", "model"}, default "auto"
        Who predicts times after the end of the sequence: the best forecast of a back-test
        (`forecaster_`), or the model.

    Returns
    -------
    ndarray of shape (n, D), or two of them
        The means, and with return_std the standard deviations with noise, in the units of the
        outputs. After `calibrate` they are calibrated at times before and after the sequence;
        those of a simple rule come from its own model and its errors in the past.

    Raises
    ------
    DataError
        If the model has no time, if the sequence or a time is unknown, or if a time is after the
        last step of the simple rule.
    """
    check_one_map(self, "forecast")
    if method not in get_args(Method):
        raise ValueError(f'method must be "auto" or "model"; got {method!r}')
    fitted: Fitted = self.fitted_
    over = over_time(fitted)
    if fitted.tables:
        values, std, _ = fitted.at({0: Belief(*over.latent(times, sequence))})[DATA]
        shown = self._shown(None, values, std)
        return shown if return_std else shown[0]
    when, rule = checked_times(times, None), self.forecaster_ if method == "auto" else None
    label = over.sequences[rows_of_sequence(over.sequences, sequence)[0]]
    by_rule = np.zeros(len(when), dtype=bool) if rule is None else rule.continues(label, when[:, 0])
    mean, std = np.empty((2, len(when), self.posterior_.n_outputs))
    if not by_rule.all() or not len(when):
        own = when[~by_rule]
        mean[~by_rule], spread = over.moments(own, sequence)[DATA]
        new = outside(over, own, sequence)
        spread[new] = calibrated(self, Asked("forecast"), spread[new], shown=return_std)
        std[~by_rule] = np.sqrt(spread)
    if rule is not None and by_rule.any():
        mean[by_rule], std[by_rule] = rule.ahead(label, when[by_rule, 0])
    if DATA in fitted.fractions:
        mean, std = fitted.fractions[DATA].moments(mean, std)
    return (mean, std) if return_std else mean


@of_rows
def transform_sequence(
    self: Any,
    Y: ArrayLike,
    *,
    times: ArrayLike,
    sequence: Any = None,
    coupled: bool = True,
    adapt: bool | None = None,
    callback: StepCallback | None = None,
    return_std: bool = False,
) -> Float[Array, "n Q"] | tuple[Float[Array, "n Q"], Float[Array, "n Q"]]:
    """Infer the latent path of the rows of one sequence jointly.

    Parameters
    ----------
    Y : array_like of shape (n, D)
        Rows; NaN marks missing values.
    times : array_like of shape (n,) or (n, P)
        The times of the rows.
    sequence, coupled, adapt, callback
        As for `complete`.

    Returns
    -------
    ndarray of shape (n, Q), or two of them
        The posterior means, and with return_std the standard deviations.
    """
    fitted, rows = self.fitted_, self._rows(Y, all_seen=False)[DATA]
    asked = decided(fitted, Asked("values"), adapt, sequence is None and coupled)
    own, known = _at_known(fitted, rows)
    path: FoundPath = over_time(fitted).of_rows(
        own, times, sequence, callback, coupled=coupled, adapt=asked.adapted, **known
    )
    belief = path.beliefs[0]
    return (belief.mean, np.sqrt(belief.variance)) if return_std else belief.mean


def sample_sequence(
    self: Any,
    times: ArrayLike,
    *,
    n_samples: int = 1,
    random_state: int | None = None,
    return_latent: bool = False,
) -> Any:
    """Draw new sequences: paths from the prior over time, and the outputs along them.

    Parameters
    ----------
    times : array_like of shape (n,) or (n, P)
        The times of the new rows.
    n_samples : int, default 1
        The number of sequences S.
    return_latent : bool, default False
        Whether to return the latent paths, too.

    Returns
    -------
    ndarray of shape (S, n, D), or with the paths of shape (S, n, Q)
        Draws of the outputs without observation noise, and with return_latent the paths.
    """
    check_one_map(self, "sample_sequence")
    over, columns = over_time(self.fitted_), self._columns
    generator = np.random.default_rng(random_state)
    paths, drawn = over.draw(times, checked_count(n_samples), generator)
    values = drawn[DATA]
    if columns is not None:
        each = [prediction.sample(self.posterior_, at, 1, generator)[0] for at in paths]
        values = self._decoded(np.stack(each))
    elif self._fractions is not None:
        values = self._decoded(values)
    return (values, paths) if return_latent else values


def filled(
    model: Any,
    rows: Array,
    times: ArrayLike,
    sequence: Any,
    coupled: bool,
    adapt: bool | None,
    callback: StepCallback | None,
    *,
    shown: bool,
) -> tuple[Found, Belief]:
    """Fill the gaps of the rows of one sequence; also return their latent path.

    shown: whether the user sees the standard deviations.
    """
    fitted: Fitted = model.fitted_
    over = over_time(fitted)
    new = sequence is None and coupled
    frames, values = (decided(fitted, Asked(what), adapt, new) for what in ("frames", "values"))
    own, known = _at_known(fitted, rows)
    path: FoundPath = over.of_rows(
        own, times, sequence, callback, coupled=coupled, adapt=values.adapted, **known
    )
    if fitted.tables:
        expected = fitted.expected_at(DATA, {0: path.beliefs[0]}).exposed(rows)
        return expected.filled(rows), path.beliefs[0]
    mean, spread = prediction.moments(path.network, path.beliefs, noise=True)[DATA]
    if known:
        mean = shifted(fitted.network, {DATA: mean}, known["inputs"][FACTORS], 1.0)[DATA]
    if new:
        empty = np.isnan(rows).all(axis=1)
        spread[empty] = calibrated(model, frames, spread[empty], shown=shown)
        spread[~empty] = calibrated(model, values, spread[~empty], shown=shown)
    whole, variance = prediction.complete(rows, mean, spread)
    return (whole, np.sqrt(variance), None), path.beliefs[0]


def _at_known(fitted: Fitted, rows: Array) -> tuple[Array, dict[str, Any]]:
    """Rows without the linear part of their known factors, and these, as arguments of `of_rows`."""
    if fitted.factors is None:
        return rows, {}
    known = fitted.factors.in_time(len(rows))
    return shifted(fitted.network, {DATA: rows}, known[FACTORS])[DATA], {"inputs": known}


def to_calibrate(self: Any, Y: ArrayLike) -> dict[str, Array]:
    """Checked training rows of a table over time; rows may be completely missing."""
    if not self.capabilities.timed:
        raise DataError(
            "this model has no paths over time, so it has neither gaps along time nor "
            "forecasts: fit_density calibrates the intervals of complete"
        )
    rows: dict[str, Array] = self._rows(Y, all_seen=False)
    return rows


def try_in_time(self: Any, held: HeldOut, groups: None, seed: int, report: Report) -> Tries:
    """The errors of held-out rows in forecasts, and in gaps of new sequences."""
    tries, generator = Tries(), np.random.default_rng(seed)
    held.try_forecasts(tries)
    parts = parts_of_sequences(held.sequences, held.times, generator)
    for number, part in enumerate(parts, 1):
        of_part = part_of(report, number, len(parts) + 1)
        of_part(0.0)
        held.try_gaps(part, generator, tries, of_part)
    return tries


def checked_count(count: Any) -> int:
    """Return a number of draws; ValueError unless it is a whole number of at least 1."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise ValueError(f"n_samples must be a whole number of at least 1; got {count!r}")
    return int(count)
