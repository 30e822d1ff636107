"""Test a model's forecasts on held-out ends of its series, beside simple forecasts."""

import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Bool, Float, Shaped
from numpy.typing import ArrayLike, NDArray

from gplvm_core.models.data.timeline import checked_even_times, checked_timeline, steps_after
from gplvm_core.models.data.views import table_or_views
from gplvm_core.models.estimators.second_stage import map_only, ready
from gplvm_core.models.problems.paths import is_auto, name_of
from gplvm_core.models.training.watched import Step, Watch, trainings
from gplvm_core.numerics import AnyNDArray, Array, BoolArray, IntArray
from gplvm_core.prediction.intervals import Errors, in_order
from gplvm_core.prediction.simple_forecasts import (
    LAST,
    LINEAR,
    SEASONAL,
    TREND,
    SimpleForecast,
    period_of,
    simple_forecasts,
    without_gaps,
)
from gplvm_core.readers import DataError
from gplvm_core.readers.errors import listed, plural

MODEL = "This model"
# Who continues a series: the best in a back-test, or the model.
Method = Literal["auto", "model"]
ORIGINS = 3
MOST_HORIZON = 20
FEWEST = 12  # frames before the first origin
SOON = 0.25  # share of the horizon that counts as the first steps

RULES = (LAST, SEASONAL, TREND, LINEAR)

# The errors in all frames, and those in the first quarter of the frames.
_Judged = tuple[Errors, Errors]
Rows = Float[Array, "N D"] | Mapping[str, Float[Array, "N _D"]]


@dataclass(frozen=True)
class BackTest:
    """Errors of forecasts at the held-out ends of series, by the name of the forecast.

    horizon: frames ahead. errors: the root mean square error for each origin, as a share of the
    columns' standard deviations; soon: the same for the first quarter of the frames. inside: for
    each origin, the share of true values in the bands of 95 %. A forecast that an origin lacks is
    NaN. periods: the periods, in frames, of the series that repeat. n_series: how many series were
    continued.
    """

    horizon: int
    errors: dict[str, Float[Array, " O"]]
    soon: dict[str, Float[Array, " O"]]
    inside: dict[str, Float[Array, " O"]]
    periods: tuple[int, ...]
    n_series: int
    notes: tuple[str, ...] = ()

    @property
    def best_rule(self) -> str:
        """The best simple forecast among those that every origin has."""
        rules = [name for name in self.errors if name != MODEL]
        return min(rules, key=lambda name: _mean_square(self.errors[name]))

    def error(self, name: str) -> float:
        """The error over the origins that have this forecast."""
        return float(np.sqrt(_mean_square(self.errors[name])))

    def sentence(self) -> str:
        """Whether the model forecasts better than the best simple rule."""
        best, count = self.best_rule, len(self.errors[MODEL])
        own, other = self.errors[MODEL], self.errors[best]
        wins = int(np.sum(own < other))
        words = (
            f"Over the next {plural(self.horizon, 'step')} the model's error is "
            f"{in_percent(self.error(MODEL))} of the data's spread; the best simple rule, "
            f"“{best.lower()}”: {in_percent(self.error(best))}."
        )
        forecasts = "the only forecast" if count == 1 else f"all {count} forecasts"
        if wins == count:
            return f"{words} The model was better in {forecasts}."
        if wins == 0:
            return f"{words} The rule was better in {forecasts}, so prefer it."
        return f"{words} The model was better in {wins} of {count}: no clear winner."


def back_test(
    model: Any,
    values: ArrayLike | Mapping[str, ArrayLike],
    times: ArrayLike | None = None,
    sequences: ArrayLike | None = None,
    *,
    view: str | None = None,
    horizon: int | None = None,
    n_origins: int = ORIGINS,
    calibrate: bool = True,
    callback: Callable[[Step], None] | None = None,
) -> BackTest:
    """Hold out the ends of series, forecast them, and compare with simple forecasts.

    At each of `n_origins` origins, a copy of the model is trained on the frames before the origin,
    and forecasts the next `horizon` frames. The origins are `horizon` frames apart, the last one
    `horizon` frames before the end. Simple forecasts are the last values, the values one period
    before (if the series repeats), trend and season by exponential smoothing, and a linear
    autoregression by ridge regression.

    Parameters
    ----------
    model : estimator
        A model over time, fitted or not; its settings are used.
    values : array_like of shape (N, D), or dict of them
        Rows; NaN marks missing values. For a model of several views, a dictionary of views; give
        `view`, too.
    times : array_like of shape (N,), optional
        By default the number of the row in its sequence.
    sequences : array_like of shape (N,), optional
        Labels of sequences. All sequences that are long enough are continued.
    view : str, optional
        The view to judge.
    horizon : int, optional
        Frames ahead; by default 20, fewer if the series are short.
    calibrate : bool, default True
        Whether copies of a calibrated model are calibrated, which changes only `inside`.
    callback : callable, optional
        Called with a Step. StopIteration raised in it ends the test with the finished origins.

    Raises
    ------
    ValueError
        If no series is long enough, or if the test was ended before the first origin.
    """
    held = Ends.of(values, times, sequences, view, horizon=horizon, n_origins=n_origins)
    return judge_ends(model, held, calibrate=calibrate, callback=callback)


def judge_ends(
    model: Any,
    held: "Ends",
    *,
    calibrate: bool,
    callback: Callable[[Step], None] | None,
    clear: float | None = None,
) -> BackTest:
    """Forecast the hidden ends, and compare with simple forecasts.

    clear: a share of the best rule's error over all origins; the test ends as soon as no further
    forecast can bring the model's error below it, and the origins left are NaN for the model.
    """
    n_origins = held.n_origins
    rules = [held.by_rules(origin) for origin in range(n_origins)]
    names = [(f"forecast {origin + 1} of {n_origins}",) for origin in range(n_origins)]
    common = [name for name in RULES if all(name in each for each, _ in rules)]
    own: list[_Judged] = []

    def train(origin: int, _: int, watch: Watch) -> Any:
        return _trained(model, held, held.shown(origin), watch, calibrate=calibrate)

    def squares(each: Iterable[_Judged]) -> float:
        return sum(judged[0].size ** 2 for judged in each)

    for origin, _, trained in trainings(names, train, callback):
        own.append(held.by_model(trained, origin))
        if clear is not None:
            best = min(squares(each[name] for each, _ in rules) for name in common)
            if len(own) < n_origins and squares(own) >= clear**2 * best:
                break
    else:
        rules = rules[: len(own)]
    if not own:
        raise ValueError("The test was ended before the first forecast was finished.")
    finished = len(own)
    common = [name for name in RULES if all(name in each for each, _ in rules)]

    def over(part: int, measure: Callable[[Errors], float]) -> dict[str, Float[Array, " O"]]:
        left = [np.nan] * (len(rules) - finished)
        found = {MODEL: np.array([*(measure(each[part]) for each in own), *left])}
        return found | {
            name: np.array([measure(each[name][part]) for each, _ in rules]) for name in common
        }

    periods = {period for _, each in rules for period in each}
    return BackTest(
        horizon=held.horizon,
        errors=over(0, lambda each: each.size),
        soon=over(1, lambda each: each.size),
        inside=over(0, lambda each: each.inside()),
        periods=tuple(sorted(periods)),
        n_series=len(held.tested),
        notes=held.notes(periods, finished),
    )


@dataclass(frozen=True, eq=False)
class Ends:
    """Series whose ends are hidden, for each of the origins.

    rows: for training. own: the rows of the judged view. series: the rows of each sequence, in the
    order of time. tested: the sequences that are long enough. step: between the rows of all
    sequences; None if steps vary.
    """

    rows: Rows
    own: Float[Array, "N D"]
    view: str | None
    times: Float[Array, " N"]
    sequences: Shaped[AnyNDArray, " N"]
    series: dict[Any, NDArray[np.intp]]
    tested: list[Any]
    step: float | None
    horizon: int
    n_origins: int

    @classmethod
    def of(
        cls,
        values: ArrayLike | Mapping[str, ArrayLike],
        times: ArrayLike | None,
        sequences: ArrayLike | None,
        view: str | None,
        *,
        horizon: int | None,
        n_origins: int,
    ) -> Self:
        """Check the arguments of `back_test`."""
        rows = own = table_or_views(values, "values")
        if isinstance(rows, Mapping):
            if view not in rows:
                raise DataError(f"view must be one of {listed(list(rows), 10)}; got {view!r}")
            own = rows[view]
        when, which = checked_timeline(times, sequences, len(own))
        series = in_order(which, when)
        if when.shape[1] > 1:
            raise DataError(
                f"times must be one number for each row; got {when.shape[1]} columns of times"
            )
        when = when[:, 0]
        horizon, tested = _horizon(series, horizon, n_origins)
        return cls(
            rows=rows,
            own=own,
            view=view,
            times=when,
            sequences=which,
            series=series,
            tested=tested,
            step=even_step(when, which),
            horizon=horizon,
            n_origins=n_origins,
        )

    @property
    def spread(self) -> Float[Array, " D"]:
        """The standard deviation of each column; 0 for columns that do not vary."""
        spread = np.nanstd(self.own, axis=0)
        varies = spread > 1e-12 * np.nanmax(np.abs(self.own), axis=0, initial=1e-300)
        return np.where(varies, spread, 0.0)

    def split(self, label: Any, origin: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The rows of a series before an origin, and the hidden rows to forecast."""
        rows = self.series[label]
        end = len(rows) - self.horizon * (self.n_origins - origin)
        return rows[:end], rows[end : end + self.horizon]

    def shown(self, origin: int) -> Bool[BoolArray, " N"]:
        """Which rows are before the origin, or in a series that is not continued."""
        shown = ~np.isin(self.sequences, self.tested)
        for label in self.tested:
            shown[self.split(label, origin)[0]] = True
        return np.asarray(shown)

    def by_model(self, trained: Any, origin: int) -> _Judged:
        """Errors of the model's forecasts of every series, after training before the origin."""
        model = trained if self.view is None else trained.of_view(self.view)
        parts = []
        for label in self.tested:
            ahead = self.split(label, origin)[1]
            # Copies that are not calibrated would warn; the given model does so when it is asked.
            with warnings.catch_warnings(action="ignore"):
                own = own_forecast(model)(self.times[ahead], sequence=label, return_std=True)
            parts.append(self._judged(own, ahead))
        return _joined(parts)

    def by_rules(self, origin: int) -> tuple[dict[str, _Judged], set[int]]:
        """Errors of the simple forecasts that every series has, and the periods of the series."""
        parts: list[dict[str, _Judged]] = []
        periods = set[int]()
        for label in self.tested:
            past, ahead = self.split(label, origin)
            steps = np.arange(self.horizon)
            if self.step is not None:
                steps = steps_after(self.times[ahead], self.times[past[-1]], self.step)[0] - 1
            rules, period = rules_after(
                self.own[past], self.times[past], self.step, int(steps[-1]) + 1
            )
            periods |= set() if period is None else {period}
            parts.append(
                {
                    rule.name: self._judged((rule.mean[steps], rule.std[steps]), ahead)
                    for rule in rules
                }
            )
        every = [name for name in parts[0] if all(name in part for part in parts)]
        return {name: _joined([part[name] for part in parts]) for name in every}, periods

    def _judged(self, forecast: tuple[Array, Array], ahead: NDArray[np.intp]) -> _Judged:
        (mean, std), truth = forecast, self.own[ahead]
        known, soon = ~np.isnan(mean - truth), max(1, round(SOON * self.horizon))
        of_all = Errors.of(mean, std, truth, self.spread, judged=known)
        first = Errors.of(mean[:soon], std[:soon], truth[:soon], self.spread, judged=known[:soon])
        return of_all, first

    def notes(self, periods: set[int], finished: int) -> tuple[str, ...]:
        notes, left_out = [], int(np.sum(self.spread == 0.0))
        if finished < self.n_origins:
            notes.append(f"Ended after {finished} of {plural(self.n_origins, 'forecast')}.")
        if len(self.tested) < len(self.series):
            short = plural(len(self.series) - len(self.tested), "sequence")
            notes.append(f"{short} too short to be continued; used for training only.")
        if not periods:
            notes.append("No period was found, so there is no forecast as one period before.")
        elif len(periods) < 4:
            notes.append(f"Period found: {listed([str(each) for each in sorted(periods)])} steps.")
        if self.step is None:
            notes.append("The rows are not evenly spaced; the simple rules count rows, not time.")
        if left_out:
            notes.append(f"{plural(left_out, 'constant column')} left out.")
        return tuple(notes)


def _joined(parts: Sequence[_Judged]) -> _Judged:
    """The errors of all series together."""
    of_all, first = zip(*parts, strict=True)
    return Errors.joined(of_all), Errors.joined(first)


def rules_after(
    rows: Float[Array, "n D"], times: Float[Array, " n"], step: float | None, horizon: int
) -> tuple[tuple[SimpleForecast, ...], int | None]:
    """Forecasts of a series by simple rules, and its period; step: see `even_step`."""
    known = rows if step is None else on_grid(rows, times, step)
    period = period_of(without_gaps(known))
    return simple_forecasts(known, horizon, period), period


def _trained(
    model: Any, held: Ends, kept: Bool[BoolArray, " N"], watch: Watch, *, calibrate: bool
) -> Any:
    """Train a copy of the model on the kept rows, and calibrate it like the given model."""
    fresh: Any = ready(model)
    if is_auto(getattr(model, "time_kernel", None)) and model.time_kernel_ is not None:
        fresh.set_params(time_kernel=name_of(model.time_kernel_))  # not chosen again
    rows = held.rows
    some: Any = {k: v[kept] for k, v in rows.items()} if isinstance(rows, Mapping) else rows[kept]
    with warnings.catch_warnings(action="ignore"):  # the given model has already warned
        with map_only(fresh):
            times, sequences = held.times[kept], held.sequences[kept]
            fresh.fit(some, times=times, sequences=sequences, callback=watch)
        # The bands of a single view are not calibrated.
        calibrated = calibrate and getattr(model, "intervals_", None) is not None
        if calibrated and not isinstance(rows, Mapping) and not watch.stopped:
            with suppress(StopIteration):
                fresh.calibrate(some, callback=watch.after)
    return fresh


def even_step(times: Float[Array, " N"], sequences: Shaped[AnyNDArray, " N"]) -> float | None:
    """The step between the rows of all sequences, which may lack rows; None if steps vary.

    Months and quarters count as equal: their step is the mean one.
    """
    with suppress(DataError):
        return checked_even_times(times[:, None], sequences)
    return None


def on_grid(
    rows: Float[Array, "n D"], times: Float[Array, " n"], step: float
) -> Float[Array, "T D"]:
    """The rows of a sequence with a row of NaN at every step that has none."""
    at: IntArray = steps_after(times, times[0], step)[0]
    found = np.full((int(at[-1]) + 1, rows.shape[1]), np.nan)
    found[at] = rows
    return found


def own_forecast(model: Any) -> Callable[..., Any]:
    """The model's own `forecast`, also if a simple rule continues its series by default."""
    known = "method" in inspect.signature(model.forecast).parameters
    return partial(model.forecast, method="model") if known else model.forecast


def _horizon(
    series: Mapping[Any, NDArray[np.intp]], horizon: int | None, n_origins: int
) -> tuple[int, list[Any]]:
    """The frames ahead, and the series that are long enough."""
    if n_origins < 1 or (horizon is not None and horizon < 1):
        raise ValueError(f"n_origins and horizon must be at least 1; got {n_origins}, {horizon}")
    longest = max(len(rows) for rows in series.values())
    # By default, at least half of the longest series remains before the first origin.
    ahead = min(MOST_HORIZON, longest // (2 * n_origins)) if horizon is None else horizon
    tested = [label for label, rows in series.items() if len(rows) - n_origins * ahead >= FEWEST]
    if ahead < 1 or not tested:
        raise DataError(
            f"The longest series has {plural(longest, 'row')}. {plural(n_origins, 'forecast')} "
            f"of {plural(max(ahead, 1), 'step')} need at least {FEWEST} rows before the first "
            "one: use a longer series, or a shorter horizon.",
            script="In a script: horizon=… and n_origins=….",
        )
    return ahead, tested


def _mean_square(errors: Float[Array, " O"]) -> float:
    return float(np.nanmean(errors**2))


def in_percent(error: float) -> str:
    """An error as a share of the spread, in words; two digits if it is small."""
    return f"{100 * error:.0f}\u00a0%" if error >= 0.01 else f"{100 * error:.2g}\u00a0%"
