"""Simple forecasts: the last value, the value one period before, and linear autoregression."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.numerics import Array, IntArray

LAST, SEASONAL, LINEAR = "As last time", "As one period before", "Linear autoregression"
LAGS = 5  # frames from which the linear autoregression predicts the next one
COMPONENTS = 30  # wider series are predicted through this many principal components
ALPHAS = 10.0 ** np.arange(-4, 5)  # penalties of ridge regression, on standardised columns
LEAST_CORRELATION = 0.3  # least correlation of a series with itself one period before
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
    """Forecasts of the next `horizon` frames by simple rules.

    period: the period of the seasonal rule; None leaves this rule out. The standard deviation at
    each step and column is the root mean square of the rule's errors at this step in past
    forecasts, made when at least a tenth of the series was known.
    """
    known = without_gaps(series)
    rules: list[tuple[str, Forecast]] = [(LAST, _as_last(known))]
    if period is not None:
        rules.append((SEASONAL, _as_before(known, period)))
    if len(known) > LAGS + 2:
        rules.append((LINEAR, autoregression(known)))
    first = max(LAGS if period is None else max(period, LAGS), len(known) // 10, 1)
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


def autoregression(series: Float[Array, "T D"], lags: int = LAGS) -> Forecast:
    """Ridge regression of a frame on the `lags` frames before it, all columns together.

    The penalty is chosen by leave-one-out errors. Predictions are fed back. A series with more than
    30 columns is predicted through its principal components.
    """
    from sklearn.decomposition import PCA
    from sklearn.linear_model import RidgeCV

    centre, spread = series.mean(axis=0), series.std(axis=0)
    spread = np.where(spread > 0.0, spread, 1.0)
    units = (series - centre) / spread
    wide = (
        PCA(min(COMPONENTS, len(units) - 1), random_state=0)
        if units.shape[1] > COMPONENTS
        else None
    )
    states = units if wide is None else wide.fit_transform(units)
    width = states.shape[1]
    windows = np.hstack([states[lag : len(states) - lags + lag] for lag in range(lags)])
    model = RidgeCV(alphas=ALPHAS).fit(windows, states[lags:])

    def rule(ends: Int[IntArray, " E"], horizon: int) -> Float[Array, "E H D"]:
        window = np.hstack([states[ends - lags + lag] for lag in range(lags)])
        found = np.empty((len(ends), horizon, width))
        for step in range(horizon):
            found[:, step] = np.asarray(model.predict(window)).reshape(len(ends), width)
            window = np.hstack([window[:, width:], found[:, step]])
        flat = found.reshape(-1, width)
        back = flat if wide is None else wide.inverse_transform(flat)
        return np.asarray(centre + spread * back.reshape(len(ends), horizon, -1))

    return rule


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
