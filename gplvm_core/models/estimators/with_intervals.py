"""Calibrate the intervals of a fitted model for rows and sequences that training has not seen."""

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.models.answers.fitted import Fitted
from gplvm_core.models.data.timeline import checked_timeline
from gplvm_core.models.estimators.second_stage import (
    INTERVALS,
    has_known_errors,
    refuse_known_errors,
    warn_uncalibrated,
)
from gplvm_core.models.estimators.with_density import check_training_rows
from gplvm_core.models.estimators.with_known import apart_from_known, check_apart
from gplvm_core.numerics import Array, one_thread_a_product
from gplvm_core.prediction.candidates import Report
from gplvm_core.prediction.held_out import EndedError, HeldOut
from gplvm_core.prediction.intervals import Asked, Intervals
from gplvm_core.readers import DataError

M = TypeVar("M")


def can_calibrate(self: Any) -> bool:
    """Whether `calibrate` is possible: the data have several views or times, and numbers.

    Some views may have words, counts or robust columns; the other views are calibrated. Paths that
    follow the rows' own values (`path_over`) have neither gaps along time nor forecasts.
    """
    ends = self.fitted_.network.ends.values()
    numbers = any(edge.posterior.links is None for edge in ends)
    several = self.capabilities.timed or len(ends) > 1
    return numbers and several and apart_from_known(self) and not has_known_errors(self)


@one_thread_a_product()
def calibrate(
    self: M,
    Y: Any,
    *,
    sequences: ArrayLike | None = None,
    random_state: int = 0,
    callback: Report | None = None,
) -> M:
    """Learn on held-out training rows how wide intervals must be, after training.

    `fit` does this as its second stage.

    The model's own intervals are often too narrow, mostly because the place of a new row on the
    map is less certain than inference says. Up to five parts of the training rows are held out
    from the mapping q(u) in turn and predicted: one view from others, gaps along time in new
    sequences, and forecasts. The standard deviations of each question are multiplied by a
    factor for each output, shrunk to a common one, so that 95 % of the held-out values are
    inside their 95 % intervals. `transfer`, `complete` with times and `forecast` then use the
    factors. New sequences are also predicted with a mapping that they update, as by adapt=True.
    If the errors of held-out sequences are then clearly smaller (one-sided t test of their
    logarithms, 10 %), `transfer` and `complete` also do so by default; otherwise, means do not
    change. `intervals_` has the share of values inside, before and after, and the
    questions that are answered with an updated mapping.
    Kernel, noise and inducing inputs were trained on all rows. Views with words or counts have
    no factors, and their mapping q(u) keeps all rows.

    Parameters
    ----------
    Y : array_like of shape (N, D), or dict of them
        The training rows, in the same order; NaN marks missing values.
    sequences : array_like of shape (N,), optional
        Labels. Rows with the same label depend on each other, and are held out together. A
        model with a time_kernel uses the sequences of training.
    random_state : int, default 0
        The seed that chooses the held-out rows.
    callback : callable, optional
        Called as callback(fraction of the work that is done). An exception raised in it ends
        the work; the model then has the factors it had before.

    Returns
    -------
    self
        The estimator, with `intervals_`.

    Raises
    ------
    DataError
        If Y has another number of rows than training had, if sequences do not match the rows,
        or if the model has no question to calibrate.
    """
    model: Any = self
    check_apart(model, "calibrate")
    refuse_known_errors(model, "the widths of intervals")
    outputs, fitted = model._to_calibrate(Y), model.fitted_
    network, over = fitted.network, fitted.over_time
    if not any(edge.posterior.links is None for edge in network.ends.values()):
        raise DataError("only columns of numbers have intervals that can be calibrated")
    count = check_training_rows(network, outputs)
    groups = None
    if sequences is not None:
        if over is not None:
            raise ValueError(
                "the model knows the sequences of its training rows: leave out sequences"
            )
        groups = checked_timeline(None, sequences, count)[1]
    if len(np.unique(groups)) < 2 if groups is not None else count < 2:
        raise DataError("to hold rows out, at least two rows or groups of rows are needed")
    if over is None:
        held = HeldOut(network, outputs, {}, np.zeros((count, 1)), np.zeros(count))
    else:
        held = over.held(outputs)
    try:
        tries = model._try(held, groups, random_state, callback or _nothing)
    except EndedError as ended:
        raise StopIteration from ended
    model.intervals_ = tries.intervals()
    return self


def decided(fitted: Fitted, asked: Asked, adapt: bool | None, new: bool) -> Asked:
    """The question with its way of answering: as the user wants, or as `calibrate` found.

    new: whether the rows are a new sequence; other rows update no mapping by default.
    """
    if adapt is not None:
        return replace(asked, adapted=adapt)
    return asked if fitted.widths is None or not new else fitted.widths.decided(asked)


def calibrated(
    model: Any, asked: Asked, variance: Float[Array, "*N D"], *, shown: bool
) -> Float[Array, "*N D"]:
    """Variances that are calibrated, if the model was calibrated for this question.

    shown: whether the user sees them; a warning says if they are not calibrated.
    """
    if model.intervals_ is not None:
        widths: Intervals = model.intervals_
        return widths.widen(asked, variance)
    if shown and len(variance):
        warn_uncalibrated(model, INTERVALS)
    return variance


def _nothing(done: float) -> None:
    """Report to nobody."""
