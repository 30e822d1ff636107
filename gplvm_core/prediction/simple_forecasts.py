"""Simple forecasts: the last value, the value one period before, trend and season, and linear
autoregression.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.numerics import Array, IntArray

LAST, SEASONAL = "As last time", "As one period before"
TREND, LINEAR = "Trend and season", "Linear autoregression"
# The fewest and most frames from which the linear autoregression predicts the next one; with a
# period, a frame more than the period.
LAGS, MOST_LAGS = 5, 25
COMPONENTS = 30  # wider series are predicted through this many principal components
ALPHAS = 10.0 ** np.arange(-4, 5)  # penalties of ridge regression, on standardised columns
LEAST_CORRELATION = 0.3  # least correlation of a series with itself one period before
# How much an error changes the level, the trend as a share of the level's change, and the season as
# a share of the rest; and the share of the trend that remains after a frame.
SMOOTHING = ((0.1, 0.3, 0.6, 1.0), (0.0, 0.03, 0.1, 0.3, 1.0), (0.0, 0.1, 0.4), (0.9, 0.97, 1.0))
ORIGINS = 50  # frames of the past from which forecasts are tried, to find their errors

# Forecasts (E, H, D) of the H frames after the first `end` frames, for every end (E,).
Forecast = Callable[[Int[IntArray, " E"], int], Float[Array, "E H D"]]


@dataclass(frozen=True)
class SimpleForecast:
    """A forecast of the next H frames (H, D), and standard deviations from errors in the past."""

    name: str
    mean: Float[Array, "H D"]
    std: Float[Array, "H D"]


def without_gaps(series: Float[Array, "T D"]) -> Float[Array, "T D"]:
    """The series with gaps interpolated linearly; a column without values is 0."""
    filled, frames = series.copy(), np.arange(len(series))
    for d in range(series.shape[1]):
        known = ~np.isnan(series[:, d])
        column = np.interp(frames, frames[known], series[known, d]) if known.any() else 0.0
        filled[:, d] = np.where(known, series[:, d], column)
    return filled


def period_of(series: Float[Array, "T D"]) -> int | None:
    """The period in frames; None if the series does not repeat.

    The autocorrelation is the mean over the standardised columns, each with a linear trend removed.
    The period is the lag of the highest peak of the autocorrelation, after the first lag at which
    it is negative. This peak must be at least 0.3, and the series must contain two periods.
    """
    count = len(series)
    trend = np.column_stack([np.ones(count), np.linspace(-1.0, 1.0, count)])
    rest = series - trend @ np.linalg.lstsq(trend, series, rcond=None)[0]
    spread = rest.std(axis=0)
    rest = rest[:, spread > 1e-9 * (np.abs(series).max(axis=0) + 1e-300)]
    if rest.shape[1] == 0 or count < 8:
        return None
    rest = rest / rest.std(axis=0)
    most = count // 2
    # Means over the overlap are used, because with the usual sums long lags would lose to short
    # ones.
    found = np.array([float(np.mean(rest[lag:] * rest[: count - lag])) for lag in range(most + 1)])
    negative = np.flatnonzero(found < 0.0)
    if not len(negative):
        return None
    inner = np.arange(max(int(negative[0]), 1), most)
    peaks = inner[(found[inner] >= found[inner - 1]) & (found[inner] > found[inner + 1])]
    strong = peaks[found[peaks] >= LEAST_CORRELATION]
    # A multiple of the period correlates equally well, so the shortest lag near the best one is
    # chosen.
    return int(strong[found[strong] >= 0.9 * found[strong].max()][0]) if len(strong) else None


def simple_forecasts(
    series: Float[Array, "T D"], horizon: int, period: int | None = None
) -> tuple[SimpleForecast, ...]:
    """Forecasts of the next `horizon` frames by simple rules; NaN marks missing values.

    period: the period of the seasonal rule; None leaves this rule out. The standard deviation at
    each step and column is the root mean square of the rule's errors at this step in past
    forecasts, made when at least a tenth of the series was known.
    """
    known = without_gaps(series)
    rules: list[tuple[str, Forecast]] = [(LAST, _as_last(known))]
    if period is not None:
        rules.append((SEASONAL, _as_before(known, period)))
    if len(known) > LAGS + 2:
        rules.append((TREND, smoothing(series, period)))
        lags = LAGS if period is None else min(max(period + 1, LAGS), MOST_LAGS)
        rules.append((LINEAR, autoregression(series, min(lags, max(LAGS, len(known) // 4)))))
    first = max(LAGS if period is None else max(period, LAGS, MOST_LAGS), len(known) // 10, 1)
    found = []
    for name, rule in rules:
        mean = rule(np.array([len(known)]), horizon)[0]
        found.append(SimpleForecast(name, mean, _past_errors(series, rule, first, horizon)))
    return tuple(found)


def _as_last(series: Float[Array, "T D"]) -> Forecast:
    def rule(ends: Int[IntArray, " E"], horizon: int) -> Float[Array, "E H D"]:
        return np.repeat(series[ends - 1][:, None], horizon, axis=1)

    return rule


def _as_before(series: Float[Array, "T D"], period: int) -> Forecast:
    def rule(ends: Int[IntArray, " E"], horizon: int) -> Float[Array, "E H D"]:
        return series[ends[:, None] - period + np.arange(horizon) % period]

    return rule


@dataclass(frozen=True)
class _Components:
    """Standardised columns, or the principal components of more than 30 columns."""

    states: Float[Array, "T K"]
    back: Callable[[Float[Array, "E H K"]], Float[Array, "E H D"]]

    @classmethod
    def of(cls, series: Float[Array, "T D"]) -> "_Components":
        from sklearn.decomposition import PCA

        centre, spread = series.mean(axis=0), series.std(axis=0)
        spread = np.where(spread > 0.0, spread, 1.0)
        units = (series - centre) / spread
        if units.shape[1] <= COMPONENTS:
            return cls(units, lambda states: np.asarray(centre + spread * states))
        wide = PCA(min(COMPONENTS, len(units) - 1), random_state=0)

        def back(states: Float[Array, "E H K"]) -> Float[Array, "E H D"]:
            flat = wide.inverse_transform(states.reshape(-1, states.shape[2]))
            return np.asarray(centre + spread * flat.reshape(*states.shape[:2], -1))

        return cls(wide.fit_transform(units), back)


def smoothing(series: Float[Array, "T D"], period: int | None = None) -> Forecast:
    """Exponential smoothing of every column with a damped trend and, with a period, a season.

    The smoothing weights have the least squared errors of one frame ahead among `SMOOTHING`; a
    missing value changes nothing. Source: Hyndman et al. (2008), table 2.1, additive (A_d, A).
    """
    parts = _Components.of(without_gaps(series))
    states, length = parts.states, 1 if period is None else period
    missing = np.asarray(np.isnan(series).all(axis=1))
    season = np.zeros((length, states.shape[1]))
    level, slope = states[0], np.zeros(states.shape[1])
    if period is not None:
        slope = (states[period : 2 * period].mean(axis=0) - states[:period].mean(axis=0)) / period
        middle = slope * (np.arange(period) - (period - 1) / 2)[:, None]
        season = states[:period] - states[:period].mean(axis=0) - middle
        level = states[:period].mean(axis=0) - slope * (period + 1) / 2
    weights = np.array(
        [
            (a, a * b, (1.0 - a) * c, kept)
            for a, b, c, kept in product(*SMOOTHING)
            if period is not None or c == 0.0
        ]
    ).T[:, :, None]

    def run(w: Float[Array, "4 G _K"], ends: IntArray | None) -> Any:
        """The squared errors, or the levels, trends and seasons at the ends."""
        at, trend = np.broadcast_to(level, w[0].shape[:1] + level.shape), slope
        seasons = np.repeat(season[:, None], w.shape[1], axis=1)
        squares, passed = 0.0, {}
        for t, now in enumerate(states):
            trend = w[3] * trend
            error = 0.0 if missing[t] else now - at - trend - seasons[t % length]
            at, trend = at + trend + w[0] * error, trend + w[1] * error
            seasons[t % length] += w[2] * error
            squares = squares + error**2
            if ends is not None and t + 1 in ends:
                passed[t + 1] = at[0], trend[0], np.roll(seasons[:, 0], -(t + 1) % length, axis=0)
        return squares if ends is None else passed

    best = np.argmin(run(weights, None), axis=0)
    chosen = np.take_along_axis(
        np.broadcast_to(weights, (4, weights.shape[1], states.shape[1])), best[None, None], axis=1
    )

    def rule(ends: Int[IntArray, " E"], horizon: int) -> Float[Array, "E H D"]:
        passed, kept = run(chosen, ends), chosen[3, 0]
        steps = np.cumsum(kept ** np.arange(1, horizon + 1)[:, None], axis=0)
        found = []
        for end in ends.tolist():
            at, trend, seasons = passed[end]
            found.append(at + steps * trend + seasons[np.arange(horizon) % length])
        return parts.back(np.array(found))

    return rule


def autoregression(series: Float[Array, "T D"], lags: int = LAGS) -> Forecast:
    """Ridge regression of a frame on the `lags` frames before it, all columns together.

    The penalty is chosen by leave-one-out errors, and frames with missing values do not train the
    regression if enough others remain. Predictions are fed back; the regression is damped if they
    would grow without limit. A series with more than 30 columns is predicted through its principal
    components.
    """
    from sklearn.linear_model import RidgeCV

    parts = _Components.of(without_gaps(series))
    states = parts.states
    width = states.shape[1]
    windows = np.hstack([states[lag : len(states) - lags + lag] for lag in range(lags)])
    whole = np.asarray(~np.isnan(series).any(axis=1))
    pieces = [whole[lag : len(whole) - lags + lag] for lag in range(lags + 1)]
    known = np.asarray(np.all(pieces, axis=0))
    known = known if known.sum() > len(known) // 2 else np.ones_like(known)
    model = RidgeCV(alphas=ALPHAS).fit(windows[known], states[lags:][known])
    weights, offset = _damped(np.asarray(model.coef_).reshape(width, lags, width)), model.intercept_

    def rule(ends: Int[IntArray, " E"], horizon: int) -> Float[Array, "E H D"]:
        window = np.stack([states[ends - lags + lag] for lag in range(lags)], axis=1)
        found = np.empty((len(ends), horizon, width))
        for step in range(horizon):
            found[:, step] = np.einsum("elk,jlk->ej", window, weights) + offset
            window = np.concatenate([window[:, 1:], found[:, step : step + 1]], axis=1)
        return parts.back(found)

    return rule


def _damped(weights: Float[Array, "K L K"]) -> Float[Array, "K L K"]:
    """Weights whose recursion does not grow: its eigenvalues are divided by the largest, r, if
    r > 1. Dividing the weights of lag l by r^l does this.
    """
    width, lags, _ = weights.shape
    companion = np.eye(lags * width, k=width)
    companion[-width:] = weights.reshape(width, -1)
    largest = max(1.0, float(np.abs(np.linalg.eigvals(companion)).max()))
    return np.asarray(weights / largest ** np.arange(lags, 0, -1)[:, None])


def _past_errors(
    series: Float[Array, "T D"], rule: Forecast, first: int, horizon: int
) -> Float[Array, "H D"]:
    """The root mean square error at each step ahead.

    Steps that cannot be tried get the error of the last step that can. first: the fewest known
    frames.
    """
    count = len(series)
    ends = np.unique(np.linspace(min(first, count - 1), count - 1, ORIGINS).astype(int))
    squares = np.full((len(ends), horizon, series.shape[1]), np.nan)
    forecasts = rule(ends, horizon)
    for n, end in enumerate(ends):
        there = min(horizon, count - int(end))
        squares[n, :there] = (forecasts[n, :there] - series[end : end + there]) ** 2
    known = ~np.isnan(squares)
    sums = np.where(known, squares, 0.0).sum(axis=0)
    errors = np.sqrt(sums / np.maximum(known.sum(axis=0), 1))
    for step in range(1, horizon):
        errors[step] = np.where(known[:, step].any(axis=0), errors[step], errors[step - 1])
    return np.asarray(errors)
