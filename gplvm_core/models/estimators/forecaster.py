"""Who continues the sequences of a model over time: the model, or a simple rule that was better."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from jaxtyping import Bool, Float, Shaped

from gplvm_core.models.estimators.back_test import (
    MODEL,
    BackTest,
    Ends,
    even_step,
    in_percent,
    judge_ends,
    rules_after,
)
from gplvm_core.models.training.watched import Step
from gplvm_core.numerics import AnyNDArray, Array, BoolArray
from gplvm_core.prediction.intervals import in_order
from gplvm_core.prediction.simple_forecasts import SimpleForecast
from gplvm_core.readers import DataError
from gplvm_core.readers.errors import plural

ORIGINS = 2  # how often a copy of the model is trained without the last frames
CLEAR = 0.95  # the model continues if its error is below this share of the best rule's
MOST_STEPS, LEAST_STEPS, MOST_VALUES = 200, 20, 2_000_000  # of a stored continuation
NEAR = 0.1  # of a step
UNEVEN = "its rows are not equally spaced in time, and simple rules need equal steps"


@dataclass(frozen=True, eq=False)
class Forecaster:
    """The forecast that a back-test chose, and its values if a simple rule was chosen.

    name: the forecast, `MODEL` for the model's own. reason: the choice and the errors, in words.
    sequences, last: the labels of the S continued sequences and the times of their last rows. step:
    the time between two rows. mean, std: the next H rows of each sequence.
    """

    name: str
    reason: str
    sequences: Shaped[AnyNDArray, " S"]
    last: Float[Array, " S"]
    step: float
    mean: Float[Array, "S H D"]
    std: Float[Array, "S H D"]

    @classmethod
    def of_model(cls, reason: str) -> Self:
        """The model continues its sequences itself."""
        none = np.zeros((0, 0, 0))
        words = f"Continued by the model: {reason}."
        return cls(MODEL, words, np.zeros(0, dtype=int), np.zeros(0), 1.0, none, none)

    def reach(self, sequence: Any) -> int:
        """For how many steps a rule continues a sequence; 0 if the model continues it."""
        return self.mean.shape[1] if np.any(self.sequences == sequence) else 0

    def continues(self, sequence: Any, times: Float[Array, " n"]) -> Bool[BoolArray, " n"]:
        """Whether each of the times is after the last row of a sequence that a rule continues."""
        own = np.flatnonzero(self.sequences == sequence)
        if not len(own):
            return np.zeros(len(times), dtype=bool)
        return np.asarray(times > self.last[own[0]] + 1e-9 * self.step)

    def ahead(
        self, sequence: Any, times: Float[Array, " n"]
    ) -> tuple[Float[Array, "n D"], Float[Array, "n D"]]:
        """Means and standard deviations after the last row; between steps, interpolated linearly.

        Times within a tenth of a step are those of the step, as months differ by less. Raises
        DataError for times after the last stored step.
        """
        own = int(np.flatnonzero(self.sequences == sequence)[0])
        steps, (count, width) = (times - self.last[own]) / self.step, self.mean.shape[1:]
        whole = np.round(steps)
        beside = np.abs(steps - whole) - NEAR
        steps = whole + np.sign(steps - whole) * np.maximum(beside, 0.0) * 0.5 / (0.5 - NEAR)
        if steps.max() > count + 1e-6:
            raise DataError(
                f"{self.name.lower()} continues the sequence for {plural(count, 'step')}, until "
                f"the time {self.last[own] + count * self.step:g}: ask for earlier times",
                script='In a script: method="model" asks the model for any time.',
            )
        grid = np.arange(1, count + 1)
        found = [
            np.column_stack([np.interp(steps, grid, values[:, d]) for d in range(width)])
            for values in (self.mean[own], self.std[own])
        ]
        return found[0], found[1]


def choose_forecaster(
    model: Any,
    rows: Float[Array, "N D"],
    times: Float[Array, " N"],
    sequences: Shaped[AnyNDArray, " N"],
    callback: Callable[[float], None],
) -> Forecaster:
    """Compare the model's forecasts of its last rows with simple rules, and return the best.

    The comparison ends when no further forecast can change the choice.
    callback(share of the work that is done) may raise StopIteration, which ends the choice.
    """
    step, ended = even_step(times, sequences), False
    if step is None:
        return Forecaster.of_model(UNEVEN)

    def report(progress: Step) -> None:
        nonlocal ended
        try:
            callback(progress.share)
        except StopIteration:
            ended = True
            raise

    try:
        held = Ends.of(rows, times, sequences, None, horizon=None, n_origins=ORIGINS)
        tested = judge_ends(model, held, calibrate=False, callback=report, clear=CLEAR)
    except DataError as error:
        return Forecaster.of_model(f"simple rules were not tried. {str(error).rstrip('.')}")
    except ValueError:
        if not ended:
            raise
    if ended:
        raise StopIteration
    best = tested.best_rule
    if tested.error(MODEL) < CLEAR * tested.error(best):
        own, other = (in_percent(tested.error(name)) for name in (MODEL, best))
        return Forecaster.of_model(
            f"{_where(tested)} its error was {own} of the data's spread, that of the best simple "
            f"rule, {best.lower()}, {other}"
        )
    return _by_rule(best, tested, rows, times, sequences, step)


def _where(tested: BackTest) -> str:
    """The steps of the test, in words."""
    steps = plural(tested.horizon * len(tested.errors[MODEL]), "step")
    return f"on the last {steps}" + (" of every sequence" if tested.n_series > 1 else "")


def _by_rule(
    name: str,
    tested: BackTest,
    rows: Float[Array, "N D"],
    times: Float[Array, " N"],
    sequences: Shaped[AnyNDArray, " N"],
    step: float,
) -> Forecaster:
    """The continuation of every sequence that is long enough for a rule."""
    labels = np.unique(sequences)
    ordered = in_order(sequences, times[:, None])
    longest = max(map(len, ordered.values()))
    fits = MOST_VALUES // (len(labels) * rows.shape[1])
    count = int(min(max(longest, LEAST_STEPS), MOST_STEPS, max(fits, LEAST_STEPS)))
    found: dict[Any, SimpleForecast] = {}
    for label, own in ordered.items():
        rules, _ = rules_after(rows[own], times[own], step, count)
        if name in (by_name := {rule.name: rule for rule in rules}):
            found[label] = by_name[name]
    error, model_error = (in_percent(tested.error(each)) for each in (name, MODEL))
    words = (
        f"Continued by {name[0].lower()}{name[1:]}: {_where(tested)} its error was {error} of the "
        f"data's spread, the model's {model_error}"
    )
    if np.isnan(tested.errors[MODEL]).any():
        words += (
            f" on the first {plural(tested.horizon, 'step')} of them, after which no further "
            "forecast could change the choice"
        )
    words += "."
    if len(found) < len(labels):
        short = plural(len(labels) - len(found), "sequence is", "sequences are")
        words += f" {short} too short for this rule, so the model continues them."
    continued = labels[[label in found for label in labels.tolist()]]
    return Forecaster(
        name,
        words,
        continued,
        np.array([times[ordered[label][-1]] for label in continued.tolist()]),
        step,
        np.array([found[label].mean for label in continued.tolist()]),
        np.array([found[label].std for label in continued.tolist()]),
    )
