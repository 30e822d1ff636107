"""The task of missing legs or body of a walk, and the base lines of `benchmarks.motion_capture`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import nan_euclidean_distances

from benchmarks.half_pixels import mixture, ppca
from gplvm_core.numerics import Array

HELD_OUT = (3, 10, 14, 26, 27)  # walks, some of them slow

Columns = NDArray[Any]  # numbers of the missing columns
Method = Callable[[Array], Array]  # function that fills one sequence with gaps at its end


@dataclass(frozen=True)
class Hidden:
    """A sequence, and the frame from which some of its columns are missing."""

    truth: Float[Array, "n D"]
    first: int

    def with_gaps(self, columns: Columns) -> Float[Array, "n D"]:
        gaps = self.truth.copy()
        gaps[self.first :, columns] = np.nan
        return gaps


@dataclass(frozen=True)
class Task:
    """Training frames with their sequences, and sequences to be completed."""

    train: Float[Array, "N D"]
    sequences: NDArray[np.int64]
    hidden: tuple[Hidden, ...]

    @property
    def held_out(self) -> "Task":
        """Return the same task for held-out training walks; only the other walks train."""
        kept = ~np.isin(self.sequences, HELD_OUT)
        walks = [self.train[self.sequences == number] for number in HELD_OUT]
        hidden = tuple(Hidden(walk, len(walk) // 2) for walk in walks)
        return Task(self.train[kept], self.sequences[kept], hidden)


def first_gap(gaps: Array) -> int:
    return int(np.argmax(np.isnan(gaps).any(axis=1)))


def nearest(task: Task, scaled: bool) -> Method:
    """Return the missing columns of the nearest training frame, in angles or in scaled space."""
    scale = task.train.std(axis=0) if scaled else np.ones(task.train.shape[1])

    def fill(gaps: Array) -> Array:
        distance = nan_euclidean_distances(gaps / scale, task.train / scale)
        found = task.train[np.argmin(distance, axis=1)]
        return np.where(np.isnan(gaps), found, gaps)

    return fill


def in_standard_units(fill: Callable[[Array, Array], Array]) -> Callable[[Task], Method]:
    """Scale columns for a method that fills rows independently.

    The method is a function of (training rows, gaps), which returns rows.
    """

    def make(task: Task) -> Method:
        center, scale = task.train.mean(axis=0), task.train.std(axis=0)

        def filled(gaps: Array) -> Array:
            first = first_gap(gaps)
            rows = fill((task.train - center) / scale, (gaps[first:] - center) / scale)
            return np.vstack([gaps[:first], center + scale * rows])

        return filled

    return make


def with_beginning(make: Callable[[Task], Method]) -> Callable[[Task], Method]:
    """Return a baseline that also learns from complete frames at the beginning of a sequence."""

    def made(task: Task) -> Method:
        def fill(gaps: Array) -> Array:
            first = first_gap(gaps)
            sequences = np.concatenate([task.sequences, np.full(first, -1)])
            return make(Task(np.vstack([task.train, gaps[:first]]), sequences, ()))(gaps)

        return fill

    return made


def ridge(weight: float, penalty: float) -> Callable[[Task], Method]:
    """Predict missing columns by linear regression on the others, in seven neighbouring frames.

    The inputs are the other columns of the frame, and of three frames before and after it. The
    complete frames at the beginning have several times the weight.
    """

    def make(task: Task) -> Method:
        scale = task.train.std(axis=0)

        def around(rows: Array, seen: NDArray[np.bool_]) -> Array:
            at = np.arange(len(rows))
            near = [np.clip(at + step, 0, len(rows) - 1) for step in (0, -3, 3)]
            return np.hstack([(rows / scale)[i][:, seen] for i in near])

        def fill(gaps: Array) -> Array:
            seen, first = np.asarray(~np.isnan(gaps).any(axis=0)), first_gap(gaps)
            each = [task.train[task.sequences == s] for s in np.unique(task.sequences)]
            inputs = around(gaps, seen)
            x = np.vstack([*(around(rows, seen) for rows in each), inputs[:first]])
            y = np.vstack([*(rows[:, ~seen] for rows in each), gaps[:first, ~seen]])
            counts = np.concatenate([np.ones(len(x) - first), np.full(first, weight)])
            found = Ridge(penalty).fit(x, y, sample_weight=counts).predict(inputs)
            whole = gaps.copy()
            whole[first:, ~seen] = found[first:]
            return whole

        return fill

    return make


NEAREST = {
    "nearest neighbour": lambda task: nearest(task, scaled=False),
    "nearest neighbour, scaled": lambda task: nearest(task, scaled=True),
}
MIXTURES = {f"{k} components": in_standard_units(mixture(k, 1e-2)) for k in (1, 2, 4, 8, 16)}
# These are the candidate settings of each baseline.
BASE_LINES: dict[str, dict[str, Callable[[Task], Method]]] = {
    **{name: {"1": make} for name, make in NEAREST.items()},
    "PPCA": {f"{q} dimensions": in_standard_units(ppca(q)) for q in (3, 5, 9, 15, 25, 40)},
    "Gaussian mixture": MIXTURES,
    **{f"{name}, and its beginning": {"1": with_beginning(make)} for name, make in NEAREST.items()},
    "Gaussian mixture, and its beginning": {
        name: with_beginning(make) for name, make in MIXTURES.items()
    },
    "linear regression, and its beginning": {
        f"weight {weight}, penalty {penalty}": ridge(weight, penalty)
        for weight in (1.0, 3.0, 10.0)
        for penalty in (1.0, 10.0, 100.0)
    },
}
