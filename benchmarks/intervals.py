"""The coverage of 95 % intervals in unseen data, with and without calibration.

    python -m benchmarks.intervals [--only transfer gaps …] [--seeds 3] [--first 0]

The models are small; every seed selects other training rows. "Transfer" predicts one view of new
rows from another view; for the walker, it also predicts whole films over time. "Gaps" hides
stretches of frames in new sequences, completely or partly. "Forecasts" continues training
sequences, and series from other origins. "Completion" hides half of the values of new rows. The
table has three measures before and after `calibrate` (for completion, before and after
`fit_density`): the share of values inside their 95 % intervals, the root mean square error, and the
continuous ranked probability score. The error and the score are in units of the columns' spread.
After `calibrate`, new sequences update the mapping if this was better for held-out sequences.
Columns that hardly vary in training are left out.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from benchmarks.common import table, write_row
from gplvm_core import AutoregressiveGP, BayesianGPLVM, ManifoldRelevance
from gplvm_core.datasets import load_dataset
from gplvm_core.numerics import Array
from gplvm_core.prediction.intervals import crps

NORMAL = 1.959964
LEAST_SPREAD = 0.05  # columns whose spread is a smaller fraction of the largest spread are left out
ITERATIONS = 150
TRAINING: dict[str, Any] = {"max_iter": ITERATIONS, "second_stage": "off"}
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
        """found: means and deviations. hidden: the values to judge, None for all."""
        mean, std = found
        spread = np.nanstd(known, axis=0)
        judged = np.broadcast_to(spread > LEAST_SPREAD * spread.max(), truth.shape)
        if hidden is not None:
            judged = judged & hidden
        units = np.broadcast_to(spread, truth.shape)[judged]
        error = (np.asarray(mean) - truth)[judged] / units
        return cls(error, np.asarray(std)[judged] / units)

    @classmethod
    def joined(cls, each: "Sequence[Answer]") -> dict[str, float]:
        """Return the measures of all values together."""
        error = np.concatenate([own.error for own in each])
        std = np.concatenate([own.std for own in each])
        return {
            "inside": float(np.mean(np.abs(error) < NORMAL * std)),
            "error": float(np.sqrt(np.mean(error**2))),
            "score": float(crps(error, std).mean()),
        }


# A question with its answers before and after the calibration.
Measured = Iterator[tuple[str, Answer, Answer]]
Question = tuple[str, Callable[[], Answer]]


def twice(calibrate: Callable[[], Any], questions: Sequence[Question]) -> Measured:
    """Yield every question with its answer before and after the calibration."""
    before = [ask() for _, ask in questions]
    calibrate()
    for (name, ask), first in zip(questions, before, strict=True):
        yield name, first, ask()


def views_of(name: str, rows: Any) -> dict[str, Array]:
    return {view: values[rows] for view, values in load_dataset(name).view_values.items()}


def split(
    count: int, train: int, test: int, seed: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    order = np.random.default_rng(seed).permutation(count)
    return order[:train], order[train : train + test]


def transferred(name: str, model: Any, known: Any, new: Any, given: str, to: str) -> list[Question]:
    def ask(private: str) -> Answer:
        found = model.transfer({given: new[given]}, to, private=private, return_std=True)
        return Answer.of(found, new[to], known[to])

    return [(f"{name}, {private}", partial(ask, private)) for private in ("nearest", "prior")]


def transfer(seed: int) -> Measured:
    for name, given, to, train, test, width in (
        ("digits_views", "pixels", "profiles", 300, 150, 10),
        ("toy_views", "first", "second", 70, 30, 4),
        ("lit_pairs", "left", "right", 144, 48, 8),
    ):
        count = len(load_dataset(name).view_values[to])
        some, others = split(count, train, test, seed)
        known, new = views_of(name, some), views_of(name, others)
        model = ManifoldRelevance(width, 40, **TRAINING, random_state=seed).fit(known)
        questions = transferred(name, model, known, new, given, to)
        yield from twice(partial(model.calibrate, known), questions)
    data = load_dataset("walker")
    assert data.sequences is not None and data.times is not None
    films = np.random.default_rng(seed).permutation(12)
    trained = np.isin(data.sequences, films[:6])
    known, labels = views_of("walker", trained), data.sequences[trained]
    model = ManifoldRelevance(8, 60, **TRAINING, random_state=seed).fit(known)
    new = views_of("walker", np.isin(data.sequences, films[6:8]))
    yield from twice(
        partial(model.calibrate, known, sequences=labels),
        transferred("walker, frames", model, known, new, "silhouette", "pose"),
    )
    in_time = ManifoldRelevance(8, 60, **TRAINING, random_state=seed, time_kernel="matern32").fit(
        known, times=data.times[trained], sequences=labels
    )

    def follow(film: int, times: Array) -> Answer:
        new = views_of("walker", data.sequences == film)
        given = {"silhouette": new["silhouette"]}
        found = in_time.transfer(given, "pose", times=times, return_std=True)
        return Answer.of(found, new["pose"], known["pose"])

    yield from twice(
        partial(in_time.calibrate, known),
        [
            ("walker, films over time", partial(follow, film, data.times[data.sequences == film]))
            for film in films[6:8]
        ],
    )


def bodies(seed: int) -> Iterator[tuple[str, Array, Array, Array, NDArray[np.intp], int]]:
    """Return poses, times and sequences in random order, and the number of known sequences."""
    for name, known in (("silhouettes", 5), ("walker", 6)):
        data = load_dataset(name)
        poses = np.asarray(data.view_values["pose"])
        assert data.times is not None and data.sequences is not None
        films = np.random.default_rng(seed).permutation(np.unique(data.sequences))
        yield name, poses, data.times, data.sequences, films, known


def timed_model(seed: int, poses: Array, times: Array, sequences: Array) -> Any:
    model = BayesianGPLVM(
        6, 60, **TRAINING, random_state=seed, time_kernel="matern32", scaling="global"
    )
    return model.fit(poses, times=times, sequences=sequences)


def gaps(seed: int) -> Measured:
    for name, poses, times, sequences, films, count in bodies(seed):
        some = np.isin(sequences, films[:count])
        known = poses[some]
        model = timed_model(seed, known, times[some], sequences[some])
        questions: list[Question] = []
        for film in films[count : count + 2]:
            own = sequences == film
            truth, frames = poses[own], np.arange(own.sum())
            third = np.arange(truth.shape[1]) >= 2 * truth.shape[1] // 3
            for title, hidden in (
                ("10 frames", ((frames % 30) >= 20)[:, None] & np.ones_like(third)),
                ("a third of the columns", ((frames % 60) >= 25)[:, None] & third),
            ):
                ask = partial(fill, model, truth, times[own], hidden, known)
                questions.append((f"{name}, {title}", ask))
        yield from twice(partial(model.calibrate, known), questions)


def fill(model: Any, truth: Array, times: Array, hidden: Flags, known: Array) -> Answer:
    found = model.complete(np.where(hidden, np.nan, truth), times=times, return_std=True)
    return Answer.of(found, truth, known, hidden)


def series(seed: int) -> Iterator[tuple[str, Array]]:
    """Yield simulated series of 400 values with noise."""
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


def forecasts(seed: int) -> Measured:
    for name, poses, times, sequences, films, count in bodies(seed):
        some = np.isin(sequences, films[:count])
        last = np.array([times[sequences == each].max() for each in sequences])
        step = np.min(np.diff(times[sequences == films[0]]))
        later = times > last - 9.5 * step
        train = some & ~later
        model = timed_model(seed, poses[train], times[train], sequences[train])
        yield from twice(
            partial(model.calibrate, poses[train]),
            [
                (
                    f"{name}, 10 frames ahead",
                    partial(continued, model, film, times[own], poses[own], poses[train]),
                )
                for film in films[:count]
                for own in [later & (sequences == film)]
            ],
        )
    for name, values in series(seed):
        known = values[:250]
        alone = AutoregressiveGP(8, 30, max_iter=ITERATIONS, random_state=seed).fit(known)
        yield from twice(
            partial(alone.calibrate, known),
            [
                (f"{name}, 20 steps ahead", partial(ahead, alone, values, first, known))
                for first in range(250, 380, 10)
            ],
        )


def continued(model: Any, sequence: Any, times: Array, truth: Array, known: Array) -> Answer:
    return Answer.of(model.forecast(times, sequence=sequence, return_std=True), truth, known)


def ahead(model: Any, values: Array, first: int, known: Array) -> Answer:
    mean, std = model.forecast(20, history=values[:first], return_std=True)
    truth = values[first : first + 20]
    return Answer.of((mean[:, None], std[:, None]), truth[:, None], known[:, None])


def completion(seed: int) -> Measured:
    rows = np.asarray(load_dataset("flow").values)
    some, others = split(len(rows), 450, 150, seed)
    hidden = np.random.default_rng(seed + 100).random((len(others), rows.shape[1])) < 0.5
    hidden[hidden.all(axis=1), 0] = False
    given, truth = np.where(hidden, np.nan, rows[others]), rows[others]
    for inducing in (25, 150):
        model = BayesianGPLVM(8, inducing, **TRAINING, random_state=seed).fit(rows[some])

        def ask(model: Any = model) -> Answer:
            found = model.complete(given, return_std=True)
            return Answer.of(found, truth, rows[some], hidden)

        yield from twice(
            partial(model.fit_density, rows[some]), [(f"oil flow, M = {inducing}", ask)]
        )


def measured(part: str, seeds: range) -> dict[str, tuple[dict[str, float], dict[str, float]]]:
    """Return each question's measures before and after calibration, for the values of all seeds."""
    parts = {"transfer": transfer, "gaps": gaps, "forecasts": forecasts, "completion": completion}
    found: dict[str, list[tuple[Answer, Answer]]] = {}
    for seed in seeds:
        for name, before, after in parts[part](seed):
            found.setdefault(name, []).append((before, after))
    return {
        name: (Answer.joined([one for one, _ in own]), Answer.joined([two for _, two in own]))
        for name, own in found.items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    figures: dict[str, Any] = {}
    seeds = range(options.first, options.first + options.seeds)
    for part in options.only:
        began = time.perf_counter()
        found = measured(part, seeds)
        lines = [
            (
                name,
                *(
                    f"{each['error']:.3f} · {each['inside']:.1%} · {each['score']:.3f}"
                    for each in (before, after)
                ),
            )
            for name, (before, after) in found.items()
        ]
        print(table(("", "before: error · inside · score", "after"), lines), flush=True)
        figures[part] = {"found": found, "seconds": time.perf_counter() - began}
        print(f"{part}: {figures[part]['seconds']:.0f} s", flush=True)
    write_row("intervals", figures, seed=list(seeds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
