"""Test a model's forecasts on held-out ends of its series, beside simple forecasts."""

import inspect
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from jaxtyping import Bool, Float, Shaped
from numpy.typing import ArrayLike, NDArray

from gplvm_core.models.data.rows import as_floats
from gplvm_core.models.data.timeline import checked_even_times, steps_after
from gplvm_core.models.estimators.second_stage import map_only, ready
from gplvm_core.models.training.watched import Step, Watch
from gplvm_core.numerics import AnyNDArray, Array, BoolArray, IntArray
from gplvm_core.prediction.intervals import NORMAL
from gplvm_core.prediction.simple_forecasts import (
    LAST,
    LINEAR,
    SEASONAL,
    TREND,
    period_of,
    simple_forecasts,
    without_gaps,
)
from gplvm_core.readers import DataError
from gplvm_core.readers.errors import listed, plural
from gplvm_core.readers.frames import taken

MODEL = "This model"
# Who continues a series: the best in a back-test, or the model.
Method = Literal["auto", "model"]
ORIGINS = 3
MOST_HORIZON = 20
FEWEST = 12  # frames before the first origin
SOON = 0.25  # share of the horizon that counts as the first steps

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
        """The error over all origins."""
        return float(np.sqrt(_mean_square(self.errors[name])))

    def sentence(self) -> str:
        """Whether the model forecasts better than the best simple rule."""
        best, count = self.best_rule, len(self.errors[MODEL])
        own, other = self.errors[MODEL], self.errors[best]
        wins = int(np.sum(own < other))
        words = (
            f"Over the next {plural(self.horizon, 'frame')} the model's error is "
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
    rows, judged = _checked(values, view)
    count = len(judged)
    which = np.zeros(count, dtype=int) if sequences is None else np.asarray(sequences)
    when = _times(times, which, count)
    series = {label: in_order(which, when, label) for label in np.unique(which).tolist()}
    horizon, tested = _horizon(series, horizon, n_origins)
    spread = np.nanstd(judged, axis=0)
    varies = spread > 1e-12 * np.nanmax(np.abs(judged), axis=0, initial=1e-300)
    step = even_step(when, which)
    watch = Watch(callback, n_origins, 1)
    found: list[dict[str, _Errors]] = []
    periods: set[int] = set()
    for origin in range(n_origins):
        watch.enter(f"forecast {origin + 1} of {n_origins}", origin, 0)
        ends = {label: len(series[label]) - horizon * (n_origins - origin) for label in tested}
        kept = np.ones(count, dtype=bool)
        for label, end in ends.items():
            kept[series[label][end:]] = False
        trained = (
            None if watch.stopped else _trained(model, rows, when, which, kept, watch, calibrate)
        )
        if watch.stopped or trained is None:
            break
        parts = []
        for label, end in ends.items():
            past, next_rows = series[label][:end], series[label][end : end + horizon]
            own = trained if view is None else trained.of_view(view)
            # Copies that are not calibrated would warn; the given model does so when it is asked.
            with warnings.catch_warnings(action="ignore"):
                mean, std = own_forecast(own)(when[next_rows], sequence=label, return_std=True)
            truth = judged[next_rows]
            errors = {MODEL: _Errors.of(truth, np.asarray(mean), np.asarray(std), spread, varies)}
            known = judged[past] if step is None else on_grid(judged[past], when[past], step)
            ahead = np.arange(horizon)
            if step is not None:
                ahead = steps_after(when[next_rows], when[past[-1]], step)[0] - 1
            period = period_of(without_gaps(known))
            periods |= set() if period is None else {period}
            for rule in simple_forecasts(known, int(ahead[-1]) + 1, period):
                errors[rule.name] = _Errors.of(
                    truth, rule.mean[ahead], rule.std[ahead], spread, varies
                )
            parts.append(errors)
        found.append(_joined(parts))
    if not found:
        raise ValueError("The test was ended before the first forecast was finished.")
    return _result(
        found,
        horizon,
        tuple(sorted(periods)),
        len(tested),
        _notes(series, tested, step is not None, periods, n_origins, len(found), varies),
    )


@dataclass(frozen=True)
class _Errors:
    """Squared errors (in spreads) at each step (H, D), NaN where unknown, and hits of the bands."""

    squares: Float[Array, "H D"]
    hits: Float[Array, "H D"]

    @classmethod
    def of(
        cls, truth: Array, mean: Array, std: Array, spread: Array, varies: Bool[AnyNDArray, " D"]
    ) -> "_Errors":
        wrong = (mean - truth)[:, varies]
        known = ~np.isnan(wrong)
        inside = np.abs(wrong) <= NORMAL * std[:, varies]
        return cls((wrong / spread[varies]) ** 2, np.where(known, inside, np.nan))


def _joined(parts: list[dict[str, _Errors]]) -> dict[str, _Errors]:
    """The errors of all series, only for forecasts that every series has."""
    names = [name for name in parts[0] if all(name in part for part in parts)]
    return {
        name: _Errors(
            np.hstack([part[name].squares for part in parts]),
            np.hstack([part[name].hits for part in parts]),
        )
        for name in names
    }


def _result(
    found: list[dict[str, _Errors]],
    horizon: int,
    periods: tuple[int, ...],
    n_series: int,
    notes: tuple[str, ...],
) -> BackTest:
    names = [n for n in (MODEL, LAST, SEASONAL, TREND, LINEAR) if all(n in each for each in found)]
    soon = max(1, round(SOON * horizon))

    def over(measure: Callable[[_Errors], float]) -> dict[str, Float[Array, " O"]]:
        return {name: np.array([measure(each[name]) for each in found]) for name in names}

    return BackTest(
        horizon,
        over(lambda each: float(np.sqrt(np.nanmean(each.squares)))),
        over(lambda each: float(np.sqrt(np.nanmean(each.squares[:soon])))),
        over(lambda each: float(np.nanmean(each.hits))),
        periods,
        n_series,
        notes,
    )


def _trained(
    model: Any,
    rows: Rows,
    times: Float[Array, " N"],
    sequences: Shaped[AnyNDArray, " N"],
    kept: Bool[BoolArray, " N"],
    watch: Watch,
    calibrate: bool,
) -> Any:
    fresh: Any = ready(model)
    some = {k: v[kept] for k, v in rows.items()} if isinstance(rows, Mapping) else rows[kept]
    with warnings.catch_warnings(action="ignore"):  # the given model has already warned
        with map_only(fresh):
            fresh.fit(some, times=times[kept], sequences=sequences[kept], callback=watch)
        calibrated = calibrate and getattr(model, "intervals_", None) is not None
        if calibrated and not isinstance(rows, Mapping) and not watch.stopped:
            _calibrate(fresh, some, watch)
    return fresh


def _calibrate(model: Any, rows: Any, watch: Watch) -> None:
    """Calibrate the bands like those of the given model, unless the test is ended.

    The bands of a single view are not calibrated.
    """

    def report(_: float) -> None:
        watch.report(1.0)
        if watch.stopped:
            raise StopIteration

    with suppress(StopIteration):
        model.calibrate(rows, callback=report)


def _checked(
    values: ArrayLike | Mapping[str, ArrayLike], view: str | None
) -> tuple[Rows, Float[Array, "N D"]]:
    """The rows for training, and the rows of the judged view."""
    values = taken(values)
    if not isinstance(values, Mapping):
        rows = as_floats(values, "values")
        if rows.ndim != 2:
            raise DataError(f"values must be rows, shape (N, D); got shape {rows.shape}")
        return rows, rows
    views = {name: as_floats(each, f"view {name!r}") for name, each in values.items()}
    if view not in views:
        raise DataError(f"view must be one of {listed(list(views), 10)}; got {view!r}")
    return views, views[view]


def _times(times: ArrayLike | None, sequences: Array, count: int) -> Float[Array, " N"]:
    if times is None:
        found = np.empty(count)
        for label in np.unique(sequences):
            found[sequences == label] = np.arange(int(np.sum(sequences == label)))
        return found
    found = as_floats(times, "times").reshape(-1)
    if len(found) != count or not np.isfinite(found).all():
        raise DataError(f"times must be {count} finite numbers, one for each row.")
    return found


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


def in_order(sequences: Array, times: Array, label: Any) -> NDArray[np.intp]:
    rows = np.flatnonzero(sequences == label)
    return rows[np.argsort(times[rows], kind="stable")]


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
            f"The longest series has {plural(longest, 'frame')}. {plural(n_origins, 'forecast')} "
            f"of {plural(max(ahead, 1), 'frame')} need at least {FEWEST} frames before the first "
            "one: use a longer series, or a shorter horizon.",
            script="In a script: horizon=… and n_origins=….",
        )
    return ahead, tested


def _notes(
    series: Mapping[Any, NDArray[np.intp]],
    tested: list[Any],
    even: bool,
    periods: set[int],
    n_origins: int,
    finished: int,
    varies: Bool[BoolArray, " D"],
) -> tuple[str, ...]:
    notes = []
    if finished < n_origins:
        notes.append(f"Ended after {finished} of {plural(n_origins, 'forecast')}.")
    if len(tested) < len(series):
        short = plural(len(series) - len(tested), "sequence")
        notes.append(f"{short} too short to be continued; used for training only.")
    if not periods:
        notes.append("No period was found, so there is no forecast as one period before.")
    elif len(periods) < 4:
        notes.append(f"Period found: {listed([str(each) for each in sorted(periods)])} frames.")
    if not even:
        notes.append("The frames are not evenly spaced; the simple rules count frames, not time.")
    if not varies.all():
        notes.append(f"{plural(int(np.sum(~varies)), 'constant column')} left out.")
    return tuple(notes)


def _mean_square(errors: Float[Array, " O"]) -> float:
    return float(np.mean(errors**2))


def in_percent(error: float) -> str:
    """An error as a share of the spread, in words; two digits if it is small."""
    return f"{100 * error:.0f}\u00a0%" if error >= 0.01 else f"{100 * error:.2g}\u00a0%"
