"""Who continues a series best: the default forecast, the model alone, and other forecasters.

    python -m benchmarks.forecasters [--only co2 walk …] [--origins 3]

Needs statsmodels, pandas and the series that statsmodels contains. Every series is cut at several
origins, 20 frames apart. `fit` and `forecast` with their defaults continue it for 20 frames
(`DynamicalGPLVM`, of series with several columns also `StateSpaceGPLVM`). The other forecasts are
the last value, the value one known period before, statsmodels' exponential smoothing (a damped
trend, and a season if the period is known) and AutoReg (lags by AIC). Errors are in standard
deviations of the columns. CRPS is that of a Gaussian; the deviations of the base lines are the
ones of this package, and those of statsmodels its own.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from jaxtyping import Float

from benchmarks.common import table, write_row
from gplvm_core import DynamicalGPLVM, StateSpaceGPLVM, load_dataset
from gplvm_core.numerics import Array
from gplvm_core.prediction.intervals import NORMAL, crps
from gplvm_core.prediction.simple_forecasts import LAST, SEASONAL, simple_forecasts

AHEAD = 20
DEFAULT, ALONE, RULE, RULE_ALONE = "default", "path alone", "default, rule", "rule alone"
ETS, AUTOREG = "exponential smoothing", "AutoReg"


def series() -> Iterator[tuple[str, Array, int | None]]:
    """The name, the rows and the known period of every series."""
    from statsmodels import datasets

    co2 = datasets.co2.load_pandas().data["co2"].resample("MS").mean().interpolate()
    yield "co2", co2.to_numpy()[-240:, None], 12
    spots = datasets.sunspots.load_pandas().data["SUNACTIVITY"]
    yield "sunspots", spots.to_numpy()[:, None], 11
    yield "nile", datasets.nile.load_pandas().data["volume"].to_numpy()[:, None], None
    warm = datasets.elnino.load_pandas().data.iloc[:, 1:].to_numpy().reshape(-1)
    yield "elnino", warm[-300:, None], 12
    macro = datasets.macrodata.load_pandas().data
    names = ["realgdp", "realcons", "realinv", "unemp", "infl", "tbilrate"]
    values = macro[names].to_numpy()
    yield "macro", np.hstack([np.log(values[:, :3]), values[:, 3:]]), None
    generator = np.random.default_rng(0)
    yield "random walk", np.cumsum(generator.standard_normal((200, 3)), axis=0), None
    times = np.arange(0.0, 20.0, 0.1)
    swing = np.cos(2.0 * np.pi * (times[:, None] / 2.0 - [0.0, 0.25]))
    swing = np.exp(-0.02 * times)[:, None] * swing
    noise = 0.02 * generator.standard_normal((200, 8))
    yield "pendulum", np.tanh(swing @ generator.standard_normal((2, 8))) + noise, 20
    poses = load_dataset("poses")
    assert poses.sequences is not None
    yield "poses", poses.values[poses.sequences == poses.sequences[0]][:200], None
    state, path = np.ones(3), []
    for _ in range(2500):
        x, y, z = state
        state = state + 0.01 * np.array([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])
        path.append(state)
    yield "lorenz", np.array(path)[500::5] + 0.1 * generator.standard_normal((400, 3)), None
    days = np.arange(300)
    sales = 100.0 * np.exp(0.002 * days) * (1.0 + 0.3 * np.isin(days % 7, [5, 6]))
    yield "weekly sales", (sales + 4.0 * generator.standard_normal(300))[:, None], 7


def by_statsmodels(past: Array, period: int | None) -> dict[str, tuple[Array, Array]]:
    """Forecasts of every column by exponential smoothing and by an autoregression."""
    import pandas as pd
    from statsmodels.tsa.ar_model import ar_select_order
    from statsmodels.tsa.exponential_smoothing.ets import ETSModel

    found: dict[str, list[tuple[Array, Array]]] = {ETS: [], AUTOREG: []}
    end, last = len(past), len(past) + AHEAD - 1
    season = {} if period is None else {"seasonal": "add", "seasonal_periods": period}
    for column in past.T:
        column = pd.Series(column)
        smooth = ETSModel(column, trend="add", damped_trend=True, **season).fit(disp=False)
        lags = ar_select_order(column, min(25, end // 5), ic="aic")
        for name, fitted in ((ETS, smooth), (AUTOREG, lags.model.fit())):
            ahead = fitted.get_prediction(start=end, end=last)
            spread = np.sqrt(ahead.forecast_variance if name == ETS else ahead.var_pred_mean)
            found[name].append((np.asarray(ahead.predicted_mean), np.asarray(spread)))
    return {
        name: (np.array([m for m, _ in own]).T, np.array([s for _, s in own]).T)
        for name, own in found.items()
    }


def forecasts(past: Array, period: int | None) -> tuple[dict[str, tuple[Array, Array]], str]:
    """All forecasts of the next frames, and the name of the forecast that the default took."""
    times = np.arange(len(past) + AHEAD, dtype=float)
    found, chosen = {}, []
    kinds: list[tuple[Any, str, str]] = [(DynamicalGPLVM, DEFAULT, ALONE)]
    if past.shape[1] > 1:
        kinds.append((StateSpaceGPLVM, RULE, RULE_ALONE))
    for kind, default, alone in kinds:
        model = kind(random_state=0).fit(past, times=times[: len(past)])
        for name, method in ((default, "auto"), (alone, "model")):
            found[name] = model.forecast(times[len(past) :], method=method, return_std=True)
        chosen.append(model.forecaster_.name)
    rules = {rule.name: rule for rule in simple_forecasts(past, AHEAD, period)}
    for name in (LAST, SEASONAL):
        if name in rules:
            found[name] = rules[name].mean, rules[name].std
    return found | by_statsmodels(past, period), ", ".join(chosen)


def judged(
    answer: tuple[Array, Array], truth: Float[Array, "H D"], spread: Float[Array, " D"]
) -> tuple[float, float, float]:
    """The mean square error, the CRPS and the share inside 95 %, in spreads."""
    varies = spread > 1e-9
    wrong = ((answer[0] - truth) / spread)[:, varies]
    std = np.maximum((answer[1] / spread)[:, varies], 1e-9)
    inside = np.mean(np.abs(wrong) <= NORMAL * std)
    return float(np.mean(wrong**2)), float(crps(wrong, std).mean()), float(inside)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--origins", type=int, default=3)
    asked = parser.parse_args()
    for name, whole, period in series():
        if asked.only and name not in asked.only:
            continue
        spread, chosen = whole.std(axis=0), []
        measured: dict[str, list[tuple[float, float, float]]] = {}
        begin = time.process_time()
        with (
            warnings.catch_warnings(action="ignore"),
            np.errstate(divide="ignore", invalid="ignore"),
        ):
            for origin in range(asked.origins, 0, -1):
                end = len(whole) - AHEAD * origin
                found, took = forecasts(whole[:end], period)
                chosen.append(took)
                for each, answer in found.items():
                    score = judged(answer, whole[end : end + AHEAD], spread)
                    measured.setdefault(each, []).append(score)
        rows: dict[str, dict[str, float]] = {}
        seconds = time.process_time() - begin
        for each, scores in measured.items():
            square, mean_score, inside = (float(value) for value in np.mean(scores, axis=0))
            rows[each] = {"rmse": square**0.5, "crps": mean_score, "inside": inside}
        print(f"\n{name}, {seconds:.0f} s; the default took: {' / '.join(chosen)}\n")
        lines = [[each, *own.values()] for each, own in rows.items()]
        print(table(["forecast", "RMSE", "CRPS", "inside 95 %"], lines), flush=True)
        settings = {"series": name, "origins": asked.origins, "ahead": AHEAD}
        write_row("forecasters", rows | {"chosen": chosen}, seed=0, settings=settings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
