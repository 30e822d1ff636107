"""Test a guard that rejects starts of a deep regression that over-fit single points.

    python -m benchmarks.deep_guard [--seeds 5] [--first 0] [--points 25 50] [--only doppler …]

DeepGP keeps the trained start with the best bound. The guard ranks a start last if a hidden layer
has more effective degrees of freedom than half the number of points. This rule was designed on
steps; here it is tested on other functions of one, two and four inputs (outputs of unit variance
with noise of 0.1), and on draws of a GP of a GP (25 points, ten outputs, three layers; see
benchmarks.deep_reproduced). The seed draws the points, the noise and the inducing inputs. If the
guard changes the choice, the model is fitted again without the guard. The table compares the
log-likelihood of a test point (500 points, 200 draws, in nats) and the root mean square error of
both fits.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import make_friedman2, make_friedman3

from benchmarks.common import table, write_row
from benchmarks.deep_reproduced import warped_draw
from gplvm_core import DeepGP
from gplvm_core.models.training.run import Trained
from gplvm_core.numerics import Array

N_TEST, NOISE, N_INDUCING = 500, 0.1, 20


def doppler(x: Array) -> Array:
    t = 0.5 * (x[:, 0] + 1.0)
    return np.sqrt(t * (1.0 - t)) * np.sin(2.0 * np.pi * 1.05 / (t + 0.15))


def bumps(x: Array) -> Array:
    places, widths = np.array([-0.7, -0.2, 0.1, 0.6]), np.array([0.03, 0.1, 0.05, 0.2])
    return np.sum((1.0 + np.abs((x - places) / widths)) ** -4.0, axis=1)


# For each name: the number of inputs, in [−1, 1], and the function.
FUNCTIONS: dict[str, tuple[int, Callable[[Array], Array]]] = {
    "sinusoid with a jump": (1, lambda x: np.sin(3.0 * x[:, 0]) + 2.0 * (x[:, 0] > 0.2)),
    "doppler": (1, doppler),
    "bumps": (1, bumps),
    "kink": (1, lambda x: np.abs(x[:, 0] - 0.3) - 0.5 * np.abs(x[:, 0] + 0.4)),
    "disc": (2, lambda x: np.tanh(10.0 * (0.6 - np.linalg.norm(x, axis=1)))),
    "ridge": (2, lambda x: np.sin(8.0 * x[:, 0]) * (x[:, 1] > 0.0)),
    "friedman 2": (4, lambda x: x[:, 0]),
    "friedman 3": (4, lambda x: x[:, 0]),
}
FRIEDMAN = {"friedman 2": make_friedman2, "friedman 3": make_friedman3}


# This data set has ten outputs, drawn from a GP whose input is drawn from another GP
# (benchmarks.deep_reproduced). Its models have three layers.
WARPED = "GP of a GP"


def sample(name: str, seed: int, n_points: int) -> tuple[Array, Array, Array, Array]:
    """Return inputs and outputs for training, and held-out inputs and outputs."""
    if name == WARPED:
        return warped_draw(seed)
    n_inputs, function = FUNCTIONS[name]
    generator, count = np.random.default_rng(seed), n_points + N_TEST
    if name in FRIEDMAN:
        x, y = FRIEDMAN[name](n_samples=count, random_state=seed)
    else:
        x = generator.uniform(-1.0, 1.0, (count, n_inputs))
        y = function(x)
    y = (y - y.mean()) / y.std() + NOISE * generator.normal(size=count)
    return x[:n_points], y[:n_points], x[n_points:], y[n_points:]


class Guarded(DeepGP):
    """Record the bounds and scores of the starts."""

    def _worth(self, problem: Any, trained: Trained) -> Any:
        worth = super()._worth(problem, trained)
        self.worths = [*getattr(self, "worths", []), worth]
        return worth


class Unguarded(DeepGP):
    """Select the start with the best bound."""

    def _worth(self, problem: Any, trained: Trained) -> Any:
        return trained.restart.bound


def one(name: str, seed: int, n_points: int) -> dict[str, Any]:
    """Return whether the guard changed the choice, and the scores of both choices."""
    x, y, new, wanted = sample(name, seed, n_points)

    def measured(kind: type[DeepGP]) -> tuple[DeepGP, float, float]:
        few = (min(x.shape[1], 2),), N_INDUCING
        widths, n_inducing = ((1, 1), len(x)) if name == WARPED else few
        model = kind(widths, n_inducing, random_state=seed).fit(x, y)
        error = np.sqrt(np.mean((model.predict(new) - wanted) ** 2))
        return model, float(model.score_samples(new, wanted).mean()), float(error)

    model, score, error = measured(Guarded)
    assert isinstance(model, Guarded)
    sounds, bounds = zip(*model.worths, strict=True)
    found = {"unsound": len(sounds) - sum(sounds), "starts": len(sounds)}
    found |= {"score": score, "rmse": error, "changed": not sounds[int(np.argmax(bounds))]}
    found["changed"] = bool(found["changed"] and any(sounds))
    if found["changed"]:
        _, without, error_without = measured(Unguarded)
        found |= {"score without": without, "rmse without": error_without}
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--points", type=int, nargs="+", default=[25, 50])
    every_name = (*FUNCTIONS, WARPED)
    parser.add_argument("--only", nargs="+", choices=every_name, default=every_name)
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    rows: list[tuple[Any, ...]] = []
    changes: list[dict[str, Any]] = []
    seeds = range(options.first, options.first + options.seeds)
    begin, every = time.process_time(), []
    for n_points in options.points:
        for name in options.only:
            if name == WARPED and n_points != options.points[0]:
                continue
            found = [one(name, seed, n_points) for seed in seeds]
            every.append({"data": name, "points": n_points, "each": found})
            changed = [each for each in found if each["changed"]]
            changes += changed
            gains = [each["score"] - each["score without"] for each in changed]
            told = ", ".join(f"{gain:+.2f}" for gain in gains)
            unsound = sum(each["unsound"] for each in found)
            starts = sum(each["starts"] for each in found)
            score = float(np.mean([each["score"] for each in found]))
            rows.append((name, n_points, f"{unsound} of {starts}", len(changed), told, score))
            print(rows[-1], flush=True)
    print(table(("data", "N", "unsound starts", "changed", "gains", "log-likelihood"), rows))
    if changes:
        for key in ("score", "rmse"):
            gain = np.array([each[key] - each[f"{key} without"] for each in changes])
            error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else np.nan
            better = int(np.sum(gain > 0.0 if key == "score" else gain < 0.0))
            print(f"{key}: {gain.mean():+.3g} ± {error:.2g}, better in {better} of {len(gain)}")
    print(f"{time.process_time() - begin:.0f} CPU seconds")
    settings = {"n_inducing": N_INDUCING, "noise": NOISE, "n_test": N_TEST}
    write_row("deep_guard", {"each": every}, seed=list(seeds), settings=settings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
