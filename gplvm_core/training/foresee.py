"""Estimate rows, time and memory of a training from a short trial on this machine.

The trial trains the model on at most TRIED rows, for SECONDS. It then takes every step of the
second stage (density, widths of intervals, test of forecasts) for SECONDS. Each reports the share
of its work that is done, and so the time that all of it takes. Times are those of a processor, so
other work on the machine does not count. The number of iterations is unknown, so the maximum is
assumed unless the trial ends before.
"""

import math
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from gplvm_core.models import (
    BayesianGPLVM,
    DeepGP,
    DeepGPLVM,
    DeepManifoldRelevance,
    ManifoldRelevance,
)
from gplvm_core.models.estimators.second_stage import DENSITY, HIDDEN
from gplvm_core.models.problems.deep_many_rows import together
from gplvm_core.models.problems.many_rows import MANY, SAMPLES, are_many, growing
from gplvm_core.models.training.run import PLACING, Work
from gplvm_core.optimise import Progress
from gplvm_core.prediction.derivation import MOST_COMPARED
from gplvm_core.prediction.hidden_values import MOST_TRAINED
from gplvm_core.readers import Dataset
from gplvm_core.readers.error_columns import ERRORS
from gplvm_core.readers.rows.table import TableDataset
from gplvm_core.statistics.reduce import FEW, points_kept
from gplvm_core.training.fitting import fitted_map, later_steps
from gplvm_core.training.progress import Pace

TRIED = 1500  # the most rows of the trial; more than FEW_ROWS, which have several starts
SECONDS = 1.5  # of the processor, for the map and for every later step
# The search for a density usually ends before its last candidates, at this share of the time;
# measured (benchmarks/before_start.py).
EARLIER = 0.75
MAP = "map"
SAMPLING = BayesianGPLVM, ManifoldRelevance, DeepGPLVM, DeepManifoldRelevance, DeepGP
COPIES = 6  # additional arrays of the size of q(X): gradient, steps of L-BFGS, parts
# Bytes of blocks and up to FEW stored exponentials, and of placing and streaming; measured.
WORKING, PASSING = 45_000_000, 65_000_000


@dataclass(frozen=True)
class Foreseen:
    """The numbers of trained, mapped and all rows, and the estimated seconds and bytes.

    parts: the seconds of the map, with placed and streamed rows, and of every later step, by name.
    """

    trained: int
    kept: int
    total: int
    parts: Mapping[str, float]
    bytes: int

    @property
    def seconds(self) -> float:
        return sum(self.parts.values())

    @property
    def placed(self) -> int:
        """The number of rows that are on the map, but were not used for training."""
        return self.kept - self.trained

    @property
    def passed_by(self) -> int:
        """The number of rows that are streamed: only their summed statistics are stored."""
        return self.total - self.kept


def foreseen(
    model: Any, dataset: Dataset, ask: Callable[[None], object] = lambda _: None
) -> Foreseen:
    """Try the training of a model on a data set. Raises ValueError if it cannot be tried.

    ask: called at every report of the trial; raises StopIteration if nobody waits for the estimate.
    """
    some = _some(dataset)
    trained, kept, total = _rows(model, dataset)
    tried = len(some.task.rows(some.n_points)[0]) if some.task else some.n_points
    with warnings.catch_warnings(action="ignore"):  # too few steps to converge
        trial = _Trial(ask)
        fitted = fitted_map(clone(model), some, trial)
        parts = {MAP: trial.seconds() * _work(model, trained, kept, total) / tried}
        for step in later_steps(fitted, some):
            trial = _Trial(ask)
            step.take(trial.report)
            most = {DENSITY: MOST_COMPARED, HIDDEN: MOST_TRAINED}.get(step.name, kept)
            usual = EARLIER if step.name == DENSITY else 1.0
            parts[step.name] = usual * trial.seconds() * max(1.0, min(kept, most) / tried)
    return Foreseen(trained, kept, total, parts, _bytes(model, dataset, trained, kept, total))


class _Trial:
    """A callback that ends a training or a step after SECONDS, and estimates the time of all of
    it.
    """

    def __init__(self, ask: Callable[[None], object]) -> None:
        self._ask, self._begin, self._pace = ask, time.thread_time(), Pace()
        self._first: tuple[float, float] | None = None  # seconds and share of the first report
        self._left = 0.0

    def __call__(self, progress: Progress) -> None:
        spent = time.thread_time() - self._begin
        left = self._pace.seconds_left(replace(progress, seconds=spent))
        self._told(spent, progress.share, left)

    def report(self, share: float) -> None:
        """Take the report of a later step: the fraction of its work that is done."""
        self._told(time.thread_time() - self._begin, share, None)

    def _told(self, spent: float, share: float, left: float | None) -> None:
        self._ask(None)
        if self._first is None and share > 0.0:  # what was done before is not repeated
            self._first = spent, share
        elif self._first is not None and spent > SECONDS and share > self._first[1]:
            begun, done = self._first
            pace = (1.0 - share) * (spent - begun) / (share - done)
            self._left = pace if left is None else left
            raise StopIteration

    def seconds(self) -> float:
        """The estimated seconds of the whole, at the end of the trial."""
        return time.thread_time() - self._begin + self._left


def _some(dataset: Dataset) -> Dataset:
    """Return at most TRIED rows, in memory: the first ones of a series, else evenly spread."""
    own = {each.name: getattr(dataset, each.name) for each in fields(Dataset)}
    whole, count = Dataset(**own), min(dataset.n_points, TRIED)
    if count == dataset.n_points:
        return whole
    follow = dataset.times is not None or dataset.sequences is not None
    last = count if follow else dataset.n_points
    return whole.taken(np.linspace(0, last - 1, count).astype(int))


def _rows(model: Any, dataset: Dataset) -> tuple[int, int, int]:
    """Return the numbers of trained, mapped and all rows."""
    task, in_files = dataset.task, isinstance(dataset, TableDataset)
    total = dataset.n_rows if isinstance(dataset, TableDataset) else dataset.n_points
    total = len(task.rows(total)[0]) if task else total
    if not are_many(total) or not _samples(model, dataset):
        return total, total, total
    trained = SAMPLES[-1]
    streamed = in_files or bool(dataset.columns)
    return trained, (trained if dataset.columns else min(total, MANY)) if streamed else total, total


def _samples(model: Any, dataset: Dataset) -> bool:
    """Whether training uses a sample of many rows."""
    settings = model.get_params(deep=False)
    coupled = any(settings.get(name) is not None for name in ("time_kernel", "encoder"))
    coupled = coupled or together(settings.get("family", "marginalised")) is not None
    known = dataset.known or ERRORS in dataset.covariates
    worded = dataset.views and dataset.kinds is not None
    return isinstance(model, SAMPLING) and not (coupled or known or worded)


def _work(model: Any, trained: int, kept: int, total: int) -> float:
    """Return the number of rows whose training takes as long as the whole training."""
    settings = model.get_params(deep=False)
    if settings.get("n_inducing", 0) is None:  # all rows are inducing inputs
        return total * max(1.0, total / TRIED) ** 2
    if trained == total:
        return float(total)
    most = int(model.max_iter)
    deep = "family" in settings or kept == trained
    work = growing(most, kept, total) if not deep else Work(((math.inf, trained),), total - trained)
    return (work.steps(most) + PLACING * work.after) / most


def _bytes(model: Any, dataset: Dataset, trained: int, kept: int, total: int) -> int:
    settings = model.get_params(deep=False)
    width, latent = dataset.n_outputs, np.sum(settings.get("n_components", 1))
    given = settings.get("n_inducing")
    exponentials = sum(
        max(0, points_kept(trained, each) * each * (each + 1) // 2 - FEW)
        for each in (given if isinstance(given, tuple) else (given,))
        if isinstance(each, int)  # "auto" has few
    )
    working = WORKING + (PASSING if total > trained else 0)
    size = working + 8 * (exponentials + kept * (2 * width + COPIES * latent))
    return int(size + (0 if isinstance(dataset, TableDataset) else dataset.targets.nbytes))
