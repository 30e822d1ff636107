"""Many rows at once: their beliefs at a posterior that is held, in parts that bound the memory."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from gplvm_core.beliefs import Belief
from gplvm_core.prediction.project import QUICK, project
from gplvm_core.prediction.row_terms import Evidence
from gplvm_core.statistics import Executor
from gplvm_core.statistics.executors import serial

ROWS_AT_ONCE = 4096
# More training points to start from cost their distances, and gain little.
STARTING_POINTS = 2500
# Rows that are left where the nearest of those is.
AS_STARTED = replace(QUICK, starts_of_partial=1, iterations=0)
# Told how many rows were placed; whether to go on is its answer.
Watch = Callable[[int], bool]


def place(
    evidence: Sequence[Evidence],
    training: Belief,
    run: Executor = serial,
    watch: Watch | None = None,
) -> tuple[Belief, int]:
    """q(x_n) of every row at the q(u) that is held: what `project` finds from one start.

    evidence: of one layer or of several views. Also how many rows were placed so: when `watch`
    says no, the others stay where training points that generate the nearest outputs are. A row's
    place may hang on its part's other rows in the last digit, not on the threads.
    """
    training, count = training.thinned(STARTING_POINTS), len(evidence[0].outputs)
    quick = replace(QUICK, tile=min(QUICK.tile, count))
    parts = [np.arange(a, min(a + ROWS_AT_ONCE, count)) for a in range(0, count, ROWS_AT_ONCE)]
    found = Belief(np.empty((count, training.n_latent)), np.empty((count, training.n_latent)))
    done, going = 0, True

    def placed(rows: np.ndarray) -> tuple[Belief, bool]:
        effort = quick if going else AS_STARTED
        seen = [each.rows(rows) for each in evidence]
        return project(seen, training, effort=effort).best, effort is quick

    for rows, (best, fully) in zip(parts, run(placed, parts), strict=True):
        found.mean[rows], found.variance[rows] = best.mean, best.variance
        done += len(rows) if fully else 0
        going = going and (watch is None or watch(done))
    return found, done
