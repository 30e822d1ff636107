"""Infer the points of many rows with q(u) fixed, in parts that limit the memory."""

from collections.abc import Callable
from dataclasses import replace
from functools import reduce

import numpy as np
from jaxtyping import Int

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import IntArray
from gplvm_core.prediction.network import Network, Outputs
from gplvm_core.prediction.project import QUICK, Effort, Inputs, explain
from gplvm_core.statistics import Executor
from gplvm_core.statistics.reduce import serial

ROWS_AT_ONCE = 1024
# More starting points would need more distances and improve little.
STARTING_POINTS = 2500
# The search effort for rows that keep their starting points: no iterations.
AS_STARTED = replace(QUICK, starts_of_partial=1, iterations=0)
# Called with the number of placed rows; returns False to stop.
Watch = Callable[[int], bool]
Rows = Int[IntArray, " n"]
# A function that returns the posteriors of rows with these numbers.
Find = Callable[[Rows, Effort], Belief]


def place_rows(
    network: Network,
    outputs: Outputs,
    inputs: Inputs | None = None,
    executor: Executor = serial,
    watch: Watch | None = None,
    effort: Effort = QUICK,
) -> tuple[dict[int, Belief], int]:
    """Infer q of every row at every node with q(u) fixed, by `explain` with this effort.

    Also returns the number of rows that `explain` placed. `watch` is called before every part. When
    `watch` returns False, each remaining row takes the position of the training point whose
    generated outputs are nearest to the row. With known inputs, these rows take the position that
    the inputs predict. The last digit of a position may depend on the other rows of the part, but
    not on the threads.
    """
    inputs = {} if inputs is None else inputs
    network = replace(
        network, beliefs=tuple(each.thinned(STARTING_POINTS) for each in network.beliefs)
    )
    widths = [network.width(at) for at in network.free]

    def find(rows: Rows, effort: Effort) -> Belief:
        some = {name: values[rows] for name, values in outputs.items()}
        known = {at: values[rows] for at, values in inputs.items()}
        best = explain(network, some, known, effort=effort).best(network)
        return reduce(Belief.beside, (best[at] for at in network.free))

    count = len(next(iter(outputs.values())))
    found, placed = _in_parts(find, count, sum(widths), executor, watch, effort)
    beliefs = {at: Belief.certain(values) for at, values in inputs.items()}
    return beliefs | dict(zip(network.free, found.split(widths), strict=True)), placed


def _in_parts(
    find: Find, count: int, width: int, executor: Executor, watch: Watch | None, effort: Effort
) -> tuple[Belief, int]:
    """Place `count` rows part by part; also return how many were placed completely."""
    done, going = 0, watch is None or watch(0)
    parts = [np.arange(a, min(a + ROWS_AT_ONCE, count)) for a in range(0, count, ROWS_AT_ONCE)]
    found = Belief(np.empty((count, width)), np.empty((count, width)))
    effort = replace(effort, tile=min(effort.tile, count))

    def placed(rows: Rows) -> tuple[Belief, bool]:
        fully = going
        return find(rows, effort if fully else AS_STARTED), fully

    for rows, (best, fully) in zip(parts, executor(placed, parts), strict=True):
        found.mean[rows], found.variance[rows] = best.mean, best.variance
        done += len(rows) if fully else 0
        going = going and (watch is None or watch(done))
    return found, done
