"""Forecasts of the state-space model, of paths over time, and of simple rules.

    python -m benchmarks.state_space [--only NAME ...] [--weights | --gaps]

Every model has the defaults of its constructor except for the seed, eight latent dimensions and 300
iterations. `back_test` trains on the frames before an origin and forecasts the next 20 (three
origins). "lorenz" (chaotic) and "van der pol" (an oscillation with process noise) are simulated and
seen through noisy nonlinear channels; the other sequences are part of the project. Errors are in
shares of the columns' standard deviations. --weights compares the default weight of wide rows with
the weight 1, on the recorded sequences and with two other seeds. --gaps leaves out training rows,
and forecasts the last 20 rows of every sequence; rows are linked across gaps, or not.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.common import table, write_row
from gplvm_core import AutoregressiveGP, DynamicalGPLVM, StateSpaceGPLVM, load_dataset
from gplvm_core.comparison.back_test import MODEL, BackTest, back_test
from gplvm_core.models.problems import state_space
from gplvm_core.numerics import Array

SETTINGS: dict[str, Any] = {"n_components": 8, "max_iter": 300, "random_state": 0}
MODELS: dict[str, Callable[[], Any]] = {
    "state space": lambda: StateSpaceGPLVM(**SETTINGS),
    "paths": lambda: DynamicalGPLVM(**SETTINGS),
}
OTHER_SEEDS = (1, 2)  # the rule for the weights was chosen with seed 0
WEIGHED: dict[str, Callable[[], Any]] = {
    f"weight {weight}, seed {seed}": partial(
        StateSpaceGPLVM, **(SETTINGS | {"random_state": seed, "data_weight": weight})
    )
    for seed in OTHER_SEEDS
    for weight in ("auto", 1.0)
}
WINDOW, MOST_COLUMNS = 3, 100  # of the autoregression
AHEAD, SHARE_GONE, GAP_SEEDS = 20, 0.2, (0, 1, 2)
GAPS = (1, 5)  # the lengths of gaps, in rows
WITH_GAPS = ("lorenz", "van der pol", "pendulum", "walker")
RECORDED = ("poses", "silhouettes", "walker", "talking_head")
SEQUENCES = ("lorenz", "van der pol", "pendulum", *RECORDED)


def lorenz(length: int) -> Array:
    """Return states of Lorenz' equations, 0.04 units of time apart."""

    def slope(s: Array) -> Array:
        x, y, z = s
        return np.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])

    step, state, found = 0.01, np.array([1.0, 1.0, 20.0]), []
    for t in range(4 * (length + 200)):
        first = slope(state)
        second = slope(state + 0.5 * step * first)
        third = slope(state + 0.5 * step * second)
        last = slope(state + step * third)
        state = state + step / 6.0 * (first + 2.0 * second + 2.0 * third + last)
        if t % 4 == 3:
            found.append(state)
    return np.array(found[200:])


def van_der_pol(length: int) -> Array:
    """Return states of van der Pol's oscillator with process noise, 0.15 units of time apart."""
    draw, state, found = np.random.default_rng(0), np.array([1.0, 0.0]), []
    for t in range(10 * (length + 100)):
        x, v = state
        drift = np.array([v, 2.0 * (1.0 - x**2) * v - x])
        state = state + 0.015 * drift + 0.08 * np.sqrt(0.015) * draw.standard_normal(2)
        if t % 10 == 9:
            found.append(state)
    return np.array(found[100:])


def seen(states: Array, n_channels: int) -> Array:
    """Return noisy nonlinear functions of the states."""
    draw = np.random.default_rng(1)
    states = (states - states.mean(axis=0)) / states.std(axis=0)
    bent, bias, plain = (
        draw.standard_normal(shape)
        for shape in ((states.shape[1], n_channels), n_channels, (states.shape[1], n_channels))
    )
    values = np.tanh(0.7 * states @ bent + 0.5 * bias) + 0.3 * states @ plain
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    return values + 0.1 * draw.standard_normal(values.shape)


def series(name: str) -> tuple[Array, Array | None, Any]:
    """Return the rows, times and sequences of one data set."""
    if name == "lorenz":
        return seen(lorenz(460), 12), None, None
    if name == "van der pol":
        return seen(van_der_pol(360), 8), None, None
    dataset = load_dataset(name)
    values = dataset.view_values["pose"] if dataset.views else dataset.values
    return np.asarray(values), dataset.times, dataset.sequences


class Autoregression(AutoregressiveGP):
    """AutoregressiveGP with the interface that `back_test` uses; the sequences are separate."""

    def fit(self, Y: Any, y: Any = None, *, times: Any, sequences: Any, **options: Any) -> Any:  # type: ignore[override]
        options.pop("callback", None)
        self.known = {}
        for label in np.unique(sequences).tolist():
            rows = np.flatnonzero(sequences == label)
            self.known[label] = np.asarray(Y)[rows[np.argsort(np.ravel(times)[rows])]]
        return super().fit(list(self.known.values()), **options)

    def forecast(self, times: Any, *, sequence: Any = None, return_std: bool = False) -> Any:  # type: ignore[override]
        history = self.known[sequence]
        return super().forecast(len(times), history=history, return_std=return_std)


def judged(test: BackTest, name: str) -> dict[str, Any]:
    """Return the error, the error of the first steps, and the share inside the bands."""
    return {
        "error": test.error(name),
        "first steps": float(np.sqrt(np.mean(test.soon[name] ** 2))),
        "inside": float(np.mean(test.inside[name])),
        "by origin": test.errors[name].tolist(),
    }


def kept_rows(sequences: Array, length: int, draw: np.random.Generator) -> Array:
    """Whether each row is kept if gaps of this many rows take SHARE_GONE of every sequence.

    The rows are in the order of their times. Gaps do not touch each other or the ends.
    """
    kept = np.ones(len(sequences), dtype=bool)
    every = round(length / SHARE_GONE)
    for label in np.unique(sequences):
        rows = np.flatnonzero(sequences == label)
        for first in range(1, len(rows) - every, every):
            at = first + draw.integers(every - length)
            kept[rows[at : at + length]] = False
    return kept


def with_gaps(name: str, length: int, seed: int, most_apart: int) -> dict[str, float]:
    """Forecast the last rows of all sequences of a data set, from rows with gaps."""
    values, times, sequences = series(name)
    labels = np.zeros(len(values), dtype=int) if sequences is None else np.asarray(sequences)
    times = np.arange(len(values), dtype=float) if times is None else np.ravel(times)
    order = np.lexsort([times, np.unique(labels, return_inverse=True)[1]])
    values, times, labels = values[order], times[order], labels[order]
    last = [np.flatnonzero(labels == label)[-AHEAD:] for label in np.unique(labels)]
    train = np.setdiff1d(np.arange(len(values)), np.concatenate(last))
    train = train[kept_rows(labels[train], length, np.random.default_rng(seed))]
    begin = time.process_time()
    model = StateSpaceGPLVM(**(SETTINGS | {"random_state": seed}))
    with patch.object(state_space, "MOST_APART", most_apart):
        model.fit(values[train], times=times[train], sequences=labels[train])
    seconds, spread = time.process_time() - begin, values[train].std(axis=0)
    squares, inside = [], []
    for rows in last:
        mean, std = model.forecast(times[rows], sequence=labels[rows[0]], return_std=True)
        wrong = (mean - values[rows])[:, spread > 0.0]
        squares.append(np.mean((wrong / spread[spread > 0.0]) ** 2))
        inside.append(np.mean(np.abs(wrong) < 1.96 * std[:, spread > 0.0]))
    found = float(np.sqrt(np.mean(squares))), float(np.mean(inside)), seconds, model.bound_
    return dict(zip(("error", "inside", "cpu_seconds", "bound"), found, strict=True))


def compare_gaps(names: tuple[str, ...]) -> int:
    """Print and store the errors with rows that are linked across gaps, and with separate rows."""
    rows, found = [], dict[str, Any]()
    for name in names:
        for length in GAPS:
            for title, most in (("linked", state_space.MOST_APART), ("separate", 1)):
                each = [with_gaps(name, length, seed, most) for seed in GAP_SEEDS]
                found[f"{name}, gaps of {length}, {title}"] = each
                columns = (
                    " · ".join(f"{one[key]:.3g}" for one in each)
                    for key in ("error", "inside", "cpu_seconds")
                )
                rows.append((name, length, title, *columns))
                print(rows[-1], flush=True)
    print(table(("sequence", "gaps", "rows", "error", "inside", "CPU s"), rows))
    write_row("state_space_gaps", found, seed=0, settings=SETTINGS | {"share": SHARE_GONE})
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=SEQUENCES)
    parser.add_argument("--weights", action="store_true", help="compare weights of wide rows")
    parser.add_argument("--gaps", action="store_true", help="leave out rows of the training")
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    if options.gaps:
        return compare_gaps(tuple(options.only or WITH_GAPS))
    rows, found = [], dict[str, Any]()
    for name in options.only or (RECORDED if options.weights else SEQUENCES):
        values, times, sequences = series(name)
        models = dict(WEIGHED if options.weights else MODELS)
        if values.shape[1] <= MOST_COLUMNS and not options.weights:
            models["autoregression"] = lambda: Autoregression(WINDOW, max_iter=100, random_state=0)
        for title, make in models.items():
            begin = time.process_time()
            test = back_test(make(), values, times, sequences)
            own = judged(test, MODEL) | {"cpu_seconds": time.process_time() - begin}
            found[f"{name}, {title}"] = own
            rows.append(
                (
                    name,
                    title,
                    *(own[key] for key in ("error", "first steps", "inside", "cpu_seconds")),
                )
            )
            print(rows[-1], flush=True)
        rule = test.best_rule
        found[f"{name}, best rule"] = judged(test, rule) | {"rule": rule}
        rows.append((name, f"{rule} (rule)", test.error(rule), "", "", ""))
        print(rows[-1], flush=True)
    print(table(("sequence", "forecast", "error", "first steps", "inside", "CPU s"), rows))
    write_row("state_space", found, seed=0, settings=SETTINGS | {"window": WINDOW})
    return 0


if __name__ == "__main__":
    sys.exit(main())
