"""Do 95 % intervals hold in rows, sequences and futures that no training has seen?

    python -m benchmarks.intervals [--only transfer gaps …] [--seeds 3] [--first 0] [--before]

Small models, and for every seed other training rows. Transfer predicts one view of new rows from
another one; of the walker also of whole films over time. Gaps along time are stretches of frames
in new sequences, completely or partly hidden. Forecasts continue training sequences, and series
from other origins. Completion hides half of the values of new rows. The table has the share of the
values inside their 95 % intervals, the error (root mean square) and the continuous ranked
probability score, both in units of the columns' spread: before and after `calibrate`.
Columns that hardly vary in training are left out.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from scipy.special import ndtr

from benchmarks.common import table, write_row
from gplvm_core import AutoregressiveGP, BayesianGPLVM, ManifoldRelevance
from gplvm_core.datasets import load_dataset
from gplvm_core.numerics import Array

NORMAL = 1.959964
LEAST_SPREAD = 0.05  # of the largest spread of a column, for the columns that count
ITERATIONS = 150
PARTS = ("transfer", "gaps", "forecasts", "completion")

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Answer:
    """Predictions of values in units of the columns' spread."""

    error: Float[Array, " V"]
    std: Float[Array, " V"]

    @classmethod
    def of(
        cls, found: tuple[Any, Any], truth: Array, known: Array, hidden: Flags | None = None
    ) -> "Answer":
        """found: means and standard deviations. known: training rows. hidden: the values to judge,
        None: all.
        """
        mean, std = found
        spread = np.nanstd(known, axis=0)
        judged = np.broadcast_to(spread > LEAST_SPREAD * spread.max(), truth.shape)
        if hidden is not None:
            judged = judged & hidden
        units = np.broadcast_to(spread, truth.shape)[judged]
        error = (np.asarray(mean) - truth)[judged] / units
        return cls(error, np.asarray(std)[judged] / units)

    @property
    def figures(self) -> dict[str, float]:
        z, std = self.error / self.std, self.std
        density = np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi)
        score = std * (z * (2.0 * ndtr(z) - 1.0) + 2.0 * density - 1.0 / np.sqrt(np.pi))
        return {
            "inside": float(np.mean(np.abs(z) < NORMAL)),
            "error": float(np.sqrt(np.mean(self.error**2))),
            "score": float(score.mean()),
        }


Measured = Iterator[tuple[str, Answer]]


def views_of(name: str, rows: Any) -> dict[str, Array]:
    return {view: values[rows] for view, values in load_dataset(name).view_values.items()}


def split(
    count: int, train: int, test: int, seed: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    order = np.random.default_rng(seed).permutation(count)
    return order[:train], order[train : train + test]


def transferred(name: str, model: Any, known: Any, new: Any, given: str, to: str) -> Measured:
    for private in ("nearest", "prior"):
        found = model.transfer({given: new[given]}, to, private=private, return_std=True)
        yield f"{name}, {private}", Answer.of(found, new[to], known[to])


def transfer(seed: int, calibrated: bool) -> Measured:
    for name, given, to, train, test, width in (
        ("digits_views", "pixels", "profiles", 300, 150, 10),
        ("toy_views", "first", "second", 70, 30, 4),
        ("lit_pairs", "left", "right", 144, 48, 8),
    ):
        count = len(load_dataset(name).view_values[to])
        some, others = split(count, train, test, seed)
        known, new = views_of(name, some), views_of(name, others)
        model = ManifoldRelevance(width, 40, max_iter=ITERATIONS, random_state=seed).fit(known)
        if calibrated:
            model.calibrate(known)
        yield from transferred(name, model, known, new, given, to)
    data = load_dataset("walker")
    assert data.sequences is not None and data.times is not None
    films = np.random.default_rng(seed).permutation(12)
    trained = np.isin(data.sequences, films[:6])
    known = views_of("walker", trained)
    model = ManifoldRelevance(8, 60, max_iter=ITERATIONS, random_state=seed).fit(known)
    if calibrated:
        model.calibrate(known, sequences=data.sequences[trained])
    new = views_of("walker", np.isin(data.sequences, films[6:8]))
    yield from transferred("walker, frames", model, known, new, "silhouette", "pose")
    model = ManifoldRelevance(
        8, 60, max_iter=ITERATIONS, random_state=seed, time_kernel="matern32"
    ).fit(known, times=data.times[trained], sequences=data.sequences[trained])
    if calibrated:
        model.calibrate(known)
    for film in films[6:8]:
        own = data.sequences == film
        new = views_of("walker", own)
        found = model.transfer(
            {"silhouette": new["silhouette"]}, "pose", times=data.times[own], return_std=True
        )
        yield "walker, films over time", Answer.of(found, new["pose"], known["pose"])


def bodies(seed: int) -> Iterator[tuple[str, Array, Array, Array, NDArray[np.intp], int]]:
    """Poses with their times and sequences, these in random order, and how many are known."""
    for name, known in (("silhouettes", 5), ("walker", 6)):
        data = load_dataset(name)
        poses = np.asarray(data.view_values["pose"])
        assert data.times is not None and data.sequences is not None
        films = np.random.default_rng(seed).permutation(np.unique(data.sequences))
        yield name, poses, data.times, data.sequences, films, known


def timed_model(seed: int, poses: Array, times: Array, sequences: Array) -> Any:
    model = BayesianGPLVM(
        6, 60, max_iter=ITERATIONS, random_state=seed, time_kernel="matern32", scaling="global"
    )
    return model.fit(poses, times=times, sequences=sequences)


def gaps(seed: int, calibrated: bool) -> Measured:
    for name, poses, times, sequences, films, count in bodies(seed):
        some = np.isin(sequences, films[:count])
        model = timed_model(seed, poses[some], times[some], sequences[some])
        if calibrated:
            model.calibrate(poses[some])
        for film in films[count : count + 2]:
            own = sequences == film
            truth, frames = poses[own], np.arange(own.sum())
            third = np.arange(truth.shape[1]) >= 2 * truth.shape[1] // 3
            for title, hidden in (
                ("10 frames", ((frames % 30) >= 20)[:, None] & np.ones_like(third)),
                ("a third of the columns", ((frames % 60) >= 25)[:, None] & third),
            ):
                found = model.complete(
                    np.where(hidden, np.nan, truth), times=times[own], return_std=True
                )
                yield f"{name}, {title}", Answer.of(found, truth, poses[some], hidden)


def series(seed: int) -> Iterator[tuple[str, Array]]:
    """Simulated series of 400 values with noise."""
    random = np.random.default_rng(seed)
    t = np.arange(400.0)
    tones = np.sin(0.3 * t) + 0.5 * np.sin(0.71 * t + 1.0) + 0.1 * random.standard_normal(400)
    yield "two tones", tones
    chaos = np.full(400 * 6 + 100, random.uniform(0.5, 1.2))
    for step in range(17, len(chaos) - 1):
        late = chaos[step - 17]
        chaos[step + 1] = 0.9 * chaos[step] + 0.2 * late / (1.0 + late**10)
    yield "Mackey-Glass", chaos[100::6][:400] + 0.02 * random.standard_normal(400)
    walk = np.zeros(400)
    for step in range(2, 400):
        walk[step] = 1.6 * walk[step - 1] - 0.8 * walk[step - 2] + 0.3 * random.standard_normal()
    yield "second-order autoregression", walk


def forecasts(seed: int, calibrated: bool) -> Measured:
    for name, poses, times, sequences, films, count in bodies(seed):
        some = np.isin(sequences, films[:count])
        last = np.array([times[sequences == each].max() for each in sequences])
        step = np.min(np.diff(times[sequences == films[0]]))
        later = times > last - 9.5 * step
        train = some & ~later
        model = timed_model(seed, poses[train], times[train], sequences[train])
        if calibrated:
            model.calibrate(poses[train])
        for film in films[:count]:
            own = later & (sequences == film)
            found = model.forecast(times[own], sequence=film, return_std=True)
            yield f"{name}, 10 frames ahead", Answer.of(found, poses[own], poses[train])
    for name, values in series(seed):
        known = values[:250]
        model = AutoregressiveGP(8, 30, max_iter=ITERATIONS, random_state=seed).fit(known)
        if calibrated:
            model.calibrate(known)
        for first in range(250, 380, 10):
            found = model.forecast(20, history=values[:first], return_std=True)
            truth = values[first : first + 20]
            yield (
                f"{name}, 20 steps ahead",
                Answer.of((found[0][:, None], found[1][:, None]), truth[:, None], known[:, None]),
            )


def completion(seed: int, calibrated: bool) -> Measured:
    rows = np.asarray(load_dataset("flow").values)
    some, others = split(len(rows), 450, 150, seed)
    hidden = np.random.default_rng(seed + 100).random((len(others), rows.shape[1])) < 0.5
    hidden[hidden.all(axis=1), 0] = False
    for inducing in (25, 150):
        model = BayesianGPLVM(8, inducing, max_iter=ITERATIONS, random_state=seed).fit(rows[some])
        if calibrated:
            model.fit_density(rows[some])
        given, truth = np.where(hidden, np.nan, rows[others]), rows[others]
        found = model.complete(given, return_std=True)
        yield f"oil flow, M = {inducing}", Answer.of(found, truth, rows[some], hidden)


def measured(part: str, seeds: range, calibrated: bool) -> dict[str, dict[str, float]]:
    """The figures of every question, with all values of all seeds together."""
    ask = {"transfer": transfer, "gaps": gaps, "forecasts": forecasts, "completion": completion}
    found: dict[str, list[Answer]] = {}
    for seed in seeds:
        for name, answer in ask[part](seed, calibrated):
            found.setdefault(name, []).append(answer)
    return {
        name: Answer(
            np.concatenate([each.error for each in own]), np.concatenate([each.std for each in own])
        ).figures
        for name, own in found.items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--before", action="store_true", help="do not calibrate")
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    figures: dict[str, Any] = {}
    seeds = range(options.first, options.first + options.seeds)
    for part in options.only:
        began = time.perf_counter()
        before = measured(part, seeds, calibrated=False)
        after = {} if options.before else measured(part, seeds, calibrated=True)
        lines = []
        for name, own in before.items():
            then = after.get(name, {})
            values = [own, then] if then else [own]
            lines.append(
                (
                    name,
                    *(
                        f"{each['inside']:.1%} · {each['error']:.3f} · {each['score']:.3f}"
                        for each in values
                    ),
                )
            )
        head = ("", "before: inside · error · score", "after")
        print(table(head[: len(lines[0])], lines), flush=True)
        figures[part] = {"before": before, "after": after, "seconds": time.perf_counter() - began}
        print(f"{part}: {figures[part]['seconds']:.0f} s", flush=True)
    write_row("intervals", figures, seed=list(seeds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
