"""Many rows at once: their beliefs at a posterior that is held, in parts that bound the memory."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Int
from numpy.typing import NDArray

from gplvm_core.beliefs import Belief
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.project import QUICK, Effort, project
from gplvm_core.prediction.project_deep import Nodes, project_nodes
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
Rows = Int[NDArray[np.intp], " n"]
# What is believed about rows with these numbers.
Find = Callable[[Rows, Effort], Belief]


def place(
    evidence: Sequence[Evidence],
    training: Belief,
    run: Executor = serial,
    watch: Watch | None = None,
) -> tuple[Belief, int]:
    """q(x_n) of every row at the q(u) that is held: what `project` finds from one start.

    evidence: of one layer or of several views. Also how many rows were placed so: when `watch`,
    asked before every part, says no, the others stay where training points that generate the
    nearest outputs are. A row's place may hang on its part's other rows in the last digit, not on
    the threads.
    """
    training = training.thinned(STARTING_POINTS)

    def find(rows: Rows, effort: Effort) -> Belief:
        return project([each.rows(rows) for each in evidence], training, effort=effort).best

    return in_parts(find, len(evidence[0].outputs), training.n_latent, run, watch)


def place_nodes(
    evidence: Sequence[Evidence],
    above: Sequence[Posterior],
    training: Sequence[Belief],
    run: Executor = serial,
    watch: Watch | None = None,
) -> tuple[list[Belief], int]:
    """The same at every node of a deep model, the top first (see `project_nodes`)."""
    training = [each.thinned(STARTING_POINTS) for each in training]
    nodes = Nodes.of(training)

    def find(rows: Rows, effort: Effort) -> Belief:
        seen = [each.rows(rows) for each in evidence]
        return project_nodes(seen, above, training, effort=effort).best

    found, placed = in_parts(find, len(evidence[0].outputs), nodes.edges[-1], run, watch)
    return [Belief(found.mean[:, at], found.variance[:, at]) for at in nodes], placed


def in_parts(
    find: Find, count: int, width: int, run: Executor, watch: Watch | None
) -> tuple[Belief, int]:
    """What is found of so many rows, a part at a time, and how many were placed."""
    done, going = 0, watch is None or watch(0)
    parts = [np.arange(a, min(a + ROWS_AT_ONCE, count)) for a in range(0, count, ROWS_AT_ONCE)]
    found = Belief(np.empty((count, width)), np.empty((count, width)))
    quick = replace(QUICK, tile=min(QUICK.tile, count))

    def placed(rows: Rows) -> tuple[Belief, bool]:
        effort = quick if going else AS_STARTED
        return find(rows, effort), effort is quick

    for rows, (best, fully) in zip(parts, run(placed, parts), strict=True):
        found.mean[rows], found.variance[rows] = best.mean, best.variance
        done += len(rows) if fully else 0
        going = going and (watch is None or watch(done))
    return found, done
