"""Simple forecasts: the last value, the value one period before, trend and season, and linear
autoregression.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.numerics import Array, IntArray
from gplvm_core.prediction.forecast_bands import Rule, bands

LAST, SEASONAL = "As last time", "As one period before"
TREND, LINEAR = "Trend and season", "Linear autoregression"
# The fewest and most frames from which the linear autoregression predicts the next one; with a
# period, a frame more than the period.
LAGS, MOST_LAGS = 5, 25
COMPONENTS = 30  # wider series are predicted through this many principal components
ALPHAS = 10.0 ** np.arange(-4, 5)  # penalties of ridge regression, on standardised columns
# Differences over up to FAR frames show the power with which squared differences grow. The power is
# uncertain, because such differences overlap: it is raised by SAFER times √(FAR / all frames).
FAR, SAFER = 60, 0.5
LEAST_CORRELATION = 0.3  # least correlation of a series with itself one period before
# How much an error changes the level, the trend as a share of the level's change, and the season as
# a share of the rest; and the share of the trend that remains after a frame.
SMOOTHING = ((0.1, 0.3, 0.6, 1.0), (0.0, 0.03, 0.1, 0.3, 1.0), (0.0, 0.1, 0.4), (0.9, 0.97, 1.0))


@dataclass(frozen=True)
class SimpleForecast:
    """A forecast of the next H frames (H, D), and its standard deviations."""

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
    Missing values (NaN) are left out.
    """
    missing, series, count = np.isnan(series), without_gaps(series), len(series)
    trend = np.column_stack([np.ones(count), np.linspace(-1.0, 1.0, count)])
    rest = series - trend @ np.linalg.lstsq(trend, series, rcond=None)[0]
    rest = np.where(missing, np.nan, rest)[:, ~missing.all(axis=0)]
    series = series[:, ~missing.all(axis=0)]
    spread = np.nanstd(rest, axis=0)
    rest = rest[:, spread > 1e-9 * (np.abs(series).max(axis=0) + 1e-300)]
    if rest.shape[1] == 0 or count < 8:
        return None
    rest = rest / np.nanstd(rest, axis=0)
    most = count // 2
    # Means over the overlap are used, because with the usual sums long lags would lose to short
    # ones.
    products = [rest[lag:] * rest[: count - lag] for lag in range(most + 1)]
    found = np.array([np.nanmean(own) if not np.isnan(own).all() else 0.0 for own in products])
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

    period: the period of the seasonal rule; None leaves this rule out. Each column is continued
    from its own last value. The standard deviations are those of the rule's model, or its errors
    in the past if they were larger; they never decrease with the horizon.
    """
    given, known, tails = series, without_gaps(series), _tails(series)
    rules: list[tuple[str, Rule]] = [(LAST, _as_last(series))]
    if period is not None:
        rules.append((SEASONAL, _as_before(series, period)))
    if len(known) > LAGS + 2:
        series = _without_tails(series, tails, period)
        rules.append((TREND, smoothing(series, period)))
        lags = LAGS if period is None else min(max(period + 1, LAGS), MOST_LAGS)
        rules.append((LINEAR, autoregression(series, min(lags, max(LAGS, len(known) // 4)))))
    first = max(LAGS if period is None else max(period, LAGS, MOST_LAGS), len(known) // 10, 1)
    found = []
    for name, rule in rules:
        mean = rule(np.array([len(known)]), horizon)[0]
        found.append(SimpleForecast(name, mean, bands(given, tails, rule, first, horizon)))
    return tuple(found)


def _tails(series: Float[Array, "T D"]) -> Int[IntArray, " D"]:
    """How many values each column lacks at its end; 0 for a column without values."""
    known = ~np.isnan(series)
    return np.where(known.any(axis=0), np.argmax(known[::-1], axis=0), 0)


def _without_tails(
    series: Float[Array, "T D"], tails: Int[IntArray, " D"], period: int | None
) -> Float[Array, "T D"]:
    """The series with trend and season in the values that columns lack at their ends."""
    whole = series.copy()
    for tail in np.unique(tails[tails > 0]).tolist():
        own, end = np.flatnonzero(tails == tail), len(series) - tail
        if end > LAGS + 2:
            seen = period if period is not None and end >= 2 * period else None
            ahead = smoothing(series[:end, own], seen)(np.array([end]), tail)[0]
            whole[end:, own] = ahead
    return whole


def _as_last(series: Float[Array, "T D"]) -> Rule:
    known = without_gaps(series)

    def rule(ends: Int[IntArray, " E"], horizon: int) -> Float[Array, "E H D"]:
        return np.repeat(known[ends - 1][:, None], horizon, axis=1)

    # With a trend, squared differences over h frames grow as h²; the rest grows as h in a random
    # walk, and not at all in noise.
    far = min(max(2, len(series) // 6), len(series) - 1, FAR)
    drift = np.diff(known, axis=0).mean(axis=0) if far > 0 else np.zeros(series.shape[1])
    one, many = (np.maximum(_jumps(series, h) - (h * drift) ** 2, 0.0) for h in (1, max(far, 1)))
    both = (one > 0.0) & (many > 0.0)
    growth = np.log(np.where(both, many, 1.0) / np.where(both, one, 1.0))
    unsure = np.sqrt(max(far, 1) / len(series))
    power = np.clip(growth / np.log(max(far, 2)) + SAFER * unsure, 0.0, 1.0)

    def spread(horizon: int) -> Float[Array, "H D"]:
        frames = np.arange(1.0, horizon + 1.0)[:, None]
        return np.asarray(np.sqrt(one * frames**power + (frames * drift) ** 2))

    return Rule(rule, spread)


def _as_before(series: Float[Array, "T D"], period: int) -> Rule:
    known, frames = without_gaps(series), np.arange(len(series))[:, None]
    for t in range(max(len(series) - int(_tails(series).max()), period), len(series)):
        known[t] = np.where(frames[t] >= len(series) - _tails(series), known[t - period], known[t])

    def rule(ends: Int[IntArray, " E"], horizon: int) -> Float[Array, "E H D"]:
        return known[ends[:, None] - period + np.arange(horizon) % period]

    return Rule(
        rule,
        lambda horizon: np.sqrt(
            _jumps(series, period) * (1 + np.arange(horizon) // period)[:, None]
        ),
    )


def _jumps(series: Float[Array, "T D"], lag: int) -> Float[Array, " D"]:
    """The mean square difference of each column over `lag` frames."""
    squares = (series[lag:] - series[:-lag]) ** 2
    filled = without_gaps(series)
    known = ~np.isnan(squares)
    few = known.sum(axis=0) < 2  # then differences of interpolated values must do
    squares = np.where(few, (filled[lag:] - filled[:-lag]) ** 2, np.where(known, squares, 0.0))
    return np.asarray(squares.sum(axis=0) / np.where(few, max(len(squares), 1), known.sum(axis=0)))


@dataclass(frozen=True)
class _Components:
    """Standardised columns, or the principal components of more than 30 columns."""

    states: Float[Array, "T K"]
    centre: Float[Array, " D"]
    loadings: Float[Array, "K D"]
    rest: Float[Array, " D"]

    @classmethod
    def of(cls, series: Float[Array, "T D"]) -> "_Components":
        from sklearn.decomposition import PCA

        centre, spread = series.mean(axis=0), series.std(axis=0)
        spread = np.where(spread > 0.0, spread, 1.0)
        units = (series - centre) / spread
        if units.shape[1] <= COMPONENTS:
            return cls(units, centre, np.diag(spread), np.zeros(len(spread)))
        wide = PCA(min(COMPONENTS, len(units) - 1), random_state=0)
        states = wide.fit_transform(units)
        lost = ((units - wide.inverse_transform(states)) ** 2).mean(axis=0)
        return cls(states, centre, wide.components_ * spread, lost * spread**2)

    def back(self, states: Float[Array, "E H K"]) -> Float[Array, "E H D"]:
        return np.asarray(self.centre + states @ self.loadings)

    def std(self, covariances: Float[Array, "H K K"]) -> Float[Array, "H D"]:
        """Standard deviations of the columns, with the variance that the components lose."""
        own = np.sum((covariances @ self.loadings) * self.loadings, axis=1)
        return np.sqrt(np.maximum(own, 0.0) + self.rest)


def smoothing(series: Float[Array, "T D"], period: int | None = None) -> Rule:
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
        squares, passed = np.zeros((w.shape[1], states.shape[1])), {}
        for t, now in enumerate(states):
            trend = w[3] * trend
            error = 0.0 if missing[t] else now - at - trend - seasons[t % length]
            at, trend = at + trend + w[0] * error, trend + w[1] * error
            seasons[t % length] += w[2] * error
            squares = squares + error**2
            if ends is not None and t + 1 in ends:
                passed[t + 1] = at[0], trend[0], np.roll(seasons[:, 0], -(t + 1) % length, axis=0)
        return squares if ends is None else passed

    squares = run(weights, None)
    best = np.argmin(squares, axis=0)
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

    def spread(horizon: int) -> Float[Array, "H D"]:
        # Source: Hyndman et al. (2008), table 6.2; the responses to an error j frames before.
        free = max(len(states) - int(missing.sum()) - 4 - (period or 0), 2)
        kept, j = chosen[3, 0], np.arange(horizon)[:, None]
        slopes = np.cumsum(np.where(j > 0, kept**j, 0.0), axis=0)
        response = chosen[0, 0] + chosen[1, 0] * slopes + chosen[2, 0] * (j % length == 0)
        response[0] = 1.0
        own = np.cumsum(response**2, axis=0) * squares.min(axis=0) / free
        return parts.std(own[:, :, None] * np.eye(own.shape[1]))

    return Rule(rule, spread)


def autoregression(series: Float[Array, "T D"], lags: int = LAGS) -> Rule:
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

    def run(window: Float[Array, "E L K"], horizon: int, offset: Any) -> Float[Array, "E H K"]:
        found = np.empty((len(window), horizon, width))
        for step in range(horizon):
            found[:, step] = np.einsum("elk,jlk->ej", window, weights) + offset
            window = np.concatenate([window[:, 1:], found[:, step : step + 1]], axis=1)
        return found

    def rule(ends: Int[IntArray, " E"], horizon: int) -> Float[Array, "E H D"]:
        window = np.stack([states[ends - lags + lag] for lag in range(lags)], axis=1)
        return parts.back(run(window, horizon, offset))

    def spread(horizon: int) -> Float[Array, "H D"]:
        """The responses to the errors of all frames ahead, squared and summed."""
        wrong = (states[lags:] - windows @ weights.reshape(width, -1).T - offset)[known]
        x = windows[known] - windows[known].mean(axis=0)
        power = np.maximum(np.linalg.eigvalsh(x.T @ x), 0.0)
        used = 1.0 + float(np.sum(power / (power + model.alpha_)))
        noise = wrong.T @ wrong / max(len(wrong) - used, 2.0) * (1.0 + used / len(wrong))
        values, vectors = np.linalg.eigh(noise)
        root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
        window = np.zeros((width, lags, width))
        window[:, -1] = root
        response = np.concatenate([root[:, None], run(window, horizon - 1, 0.0)], axis=1)
        return parts.std(np.cumsum(np.einsum("ehk,ehl->hkl", response, response), axis=0))

    return Rule(rule, spread, lambda end: autoregression(series[:end], lags))


def _damped(weights: Float[Array, "K L K"]) -> Float[Array, "K L K"]:
    """Weights whose recursion does not grow: its eigenvalues are divided by the largest, r, if
    r > 1. Dividing the weights of lag l by r^l does this.
    """
    width, lags, _ = weights.shape
    companion = np.eye(lags * width, k=width)
    companion[-width:] = weights.reshape(width, -1)
    largest = max(1.0, float(np.abs(np.linalg.eigvals(companion)).max()))
    return np.asarray(weights / largest ** np.arange(lags, 0, -1)[:, None])
