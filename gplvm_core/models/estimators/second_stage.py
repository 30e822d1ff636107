"""The second stage of `fit`: what is learnt after the map, so that its answers are calibrated.

The density of the rows fills gaps and says how typical a row is. The widths of intervals are learnt
for predictions between views and along time. A test of forecasts decides who continues sequences.
"""

import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator, clone

from gplvm_core.likelihoods import TableColumns
from gplvm_core.models.training.watched import Watched
from gplvm_core.prediction.candidates import Report
from gplvm_core.prediction.hidden_values import with_hidden_values
from gplvm_core.readers import DataError, RowFiles
from gplvm_core.readers.kinds import in_own_values

AUTO, OFF = "auto", "off"
FOLDS = 5  # the parts of the training rows for out-of-fold scores
DENSITY, INTERVALS = "density of the rows", "widths of intervals"
HIDDEN = "test on hidden values"  # of tables with words
FORECASTER = "test of forecasts"
NOT_LEARNT = {
    DENSITY: "the density of the rows was not learnt",
    INTERVALS: "the widths of intervals were not calibrated",
    HIDDEN: "predictions were not tested on hidden values",
    FORECASTER: "forecasts were not compared with simple rules",
}
CONSEQUENCES = {
    DENSITY: "The map alone fills gaps, its intervals may be too narrow, and new rows have no "
    "p-values",
    INTERVALS: "Intervals may be too narrow",
    HIDDEN: "The map alone predicts missing values, and intervals may be too narrow",
    FORECASTER: "The model continues its sequences itself",
}
# A note of models without a time_kernel, and the note in its place if the second stage uses the
# sequences.
UNUSED = "times and sequences are not used: the model has no time_kernel"
HELD_OUT = (
    "the map does not use times and sequences: the model has no time_kernel. Whole sequences were "
    "held out to calibrate the widths of intervals"
)
OWN_WIDTHS = (
    "intervals of tables with words, counts, robust columns or known errors are not calibrated on "
    "held-out rows, and may be too narrow"
)
WIDTHS_WITHOUT = (
    "the map leaves out known factors: it has no density of rows, and its intervals are not "
    "calibrated on held-out rows, and may be too narrow"
)
AVERAGED = (
    "missing values are predicted by averages of the map and of models of each column given the "
    "others, because these averages predicted hidden values best. The share of the map is"
)
ENDED = "training was ended before"
Fit = TypeVar("Fit", bound=Callable[..., Any])


@dataclass(frozen=True)
class LaterStep:
    """A step of the second stage: its name, and a function that takes it and reports its share."""

    name: str
    learn: Callable[..., Any]

    def take(self, report: Report) -> str | None:
        """Take the step. Returns None, or a note if it fails or if report raises StopIteration."""
        try:
            self.learn(callback=report)
        except StopIteration:
            return self.not_learnt(ENDED)
        # The map is useful without this step, so that no error may lose it.
        except Exception as error:
            return self.not_learnt(str(error) or type(error).__name__)
        return None

    def not_learnt(self, reason: str) -> str:
        """A note that the step was not taken, and what follows."""
        reason = reason.rstrip(".")
        return f"{NOT_LEARNT[self.name]}: {reason}. {CONSEQUENCES[self.name]}"


def steps_of(model: Any, rows: Any, sequences: Any = None) -> tuple[LaterStep, ...]:
    """The steps of the second stage that a fitted model can have.

    rows: the training rows in the order of training, as for `fit`. sequences: their labels; a model
    without time then holds out whole sequences.
    """
    steps = []
    if getattr(model, "can_have_density", False):
        folds = min(FOLDS, len(model.latent_mean_))
        steps.append(LaterStep(DENSITY, partial(model.fit_density, rows, folds=folds)))
    if getattr(model, "can_calibrate", False):
        steps.append(LaterStep(INTERVALS, partial(_calibrate, model, rows, sequences)))
    if can_hide_values(model):
        steps.append(LaterStep(HIDDEN, partial(_hide_values, model, rows)))
    if getattr(model, "can_choose_forecaster", False):
        steps.append(LaterStep(FORECASTER, partial(model.choose_forecaster, rows)))
    return tuple(steps)


def in_two_stages(fit: Fit) -> Fit:
    """Wrap the fit of a map so that the second stage follows, unless the setting is "off".

    If a step fails, or the callback ends training, a note says so, and the map is kept.
    """
    signature = inspect.signature(fit)

    @wraps(fit)
    def fit_and_learn(*data: Any, callback: Any = None, **options: Any) -> Any:
        watched = Watched(callback) if callback else None
        model = fit(*data, callback=watched, **options)
        if model.second_stage == OFF:
            return model
        _warn_of_words(model)
        rows = signature.bind(*data, **options).args[1]
        for step in steps_of(model, _in_memory(model, rows), options.get("sequences")):
            note = None
            if watched is None:
                note = step.take(_nothing)
            elif not watched.stopped:
                note = step.take(partial(watched.stage, step.name))
            else:
                note = step.not_learnt(ENDED)
            if note is not None:
                model.notes_ += (note,)
                warnings.warn(note, UserWarning, stacklevel=2)
        return model

    return cast(Fit, fit_and_learn)


@contextmanager
def map_only(model: Any) -> Iterator[None]:
    """Switch off the second stage of a model and of the models inside it; its settings return.

    For callers that train many models, or that take the second stage later.
    """
    before = {
        name: value
        for name, value in model.get_params().items()
        if name.rpartition("__")[2] == "second_stage"
    }
    model.set_params(**dict.fromkeys(before, OFF))
    try:
        yield
    finally:
        model.set_params(**before)


def ready(model: Any) -> BaseEstimator:
    """Return an unfitted copy for training on other rows; an array `init` is replaced by "pca"."""
    settings = model.get_params()
    fresh = clone(model) if not isinstance(settings.get("init"), np.ndarray) else None
    return fresh or type(model)(**(settings | {"init": "pca"}))


def warn_uncalibrated(model: Any, step: str, further: int = 0) -> None:
    """Warn that the standard deviations of a model that could have this step are not calibrated.

    further: the calls between the question and its caller, beside this one and the one before it.
    """
    if not hasattr(model, "second_stage"):
        return
    call = "fit_density(Y, folds=5)" if step == DENSITY else "calibrate(Y)"
    warnings.warn(
        f"these standard deviations are not calibrated and may be too small, because "
        f'{NOT_LEARNT[step]}: fit with second_stage="auto", or call {call} with the training rows',
        UserWarning,
        stacklevel=4 + further,
    )


def has_known_errors(model: Any) -> bool:
    """Whether training had known errors of cells."""
    return bool(getattr(model, "known_errors_", False))


def refuse_known_errors(model: Any, what: str) -> None:
    """Raise DataError for a step that takes no known errors, after training with them."""
    if has_known_errors(model):
        raise DataError(
            f"{what} cannot be learnt after training with known errors of cells, because the "
            "errors would count as part of the rows: fit without errors, or fit all rows with "
            "their errors"
        )


def _warn_of_words(model: Any) -> None:
    """Note that no step calibrates the intervals of outputs that are not all numbers."""
    ends = model.fitted_.network.ends.values()
    known = getattr(model, "known_", None) is not None
    kinds = any(edge.posterior.links is not None for edge in ends) and not can_hide_values(model)
    if known or kinds or has_known_errors(model):
        note = WIDTHS_WITHOUT if known else OWN_WIDTHS
        model.notes_ += (note,)
        warnings.warn(note, UserWarning, stacklevel=3)


def can_hide_values(model: Any) -> bool:
    """Whether the second stage tests a table with words or counts on hidden values."""
    alone = getattr(model, "time_kernel", None) is None and getattr(model, "known_", None) is None
    table = isinstance(getattr(model, "columns_", None), TableColumns)
    return table and alone and not has_known_errors(model)


def _hide_values(model: Any, rows: Any, callback: Report) -> None:
    """Test a table with words, whose rows are given in their own values."""
    outputs, kept = model.columns_.encoded(rows), model.rows_.kept
    if kept is not None and len(outputs) > len(kept):  # the other rows were streamed
        outputs = outputs[kept]
    model.columns_ = with_hidden_values(model._network, model.columns_, outputs, callback)
    if model.columns_.beside is not None:
        model.notes_ += (f"{AVERAGED}: {model.columns_.shares_in_words()}",)


def _in_memory(model: Any, rows: Any) -> Any:
    """The training rows that have latent points; of files, these rows are read."""
    if not isinstance(rows, RowFiles):
        return rows
    kept = model.rows_.kept
    found = np.asarray(rows) if kept is None else rows.take(kept)
    return in_own_values(rows.columns, found) if rows.columns else found


def _calibrate(model: Any, rows: Any, sequences: Any, callback: Report) -> None:
    """Calibrate a model; if it is not over time, hold out whole sequences.

    A model over time already stores its sequences.
    """
    if sequences is None or model.times_ is not None or len(np.unique(sequences)) < 2:
        model.calibrate(rows, callback=callback)
        return
    model.calibrate(rows, sequences=sequences, callback=callback)
    model.notes_ = tuple(HELD_OUT if note == UNUSED else note for note in model.notes_)


def _nothing(share: float) -> None:
    """Report to nobody."""
