"""Many rows at once: their beliefs at a posterior that is held, in parts that bound the memory."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.project import QUICK, project
from gplvm_core.prediction.row_terms import Evidence
from gplvm_core.statistics import Executor
from gplvm_core.statistics.executors import serial

ROWS_AT_ONCE = 4096
# More training points to start from cost their distances, and gain little.
STARTING_POINTS = 2500


def place(
    posterior: Posterior, outputs: Float[Array, "N D"], training: Belief, run: Executor = serial
) -> Belief:
    """q(x_n) of every row at the q(u) that is held: what `project` finds from one start.

    outputs: user's units, NaN where missing; a row's place may hang on its part's other rows in
    the last digit, not on the threads.
    """
    training, effort = training.thinned(STARTING_POINTS), QUICK
    if len(outputs) < QUICK.tile:
        effort = replace(QUICK, tile=len(outputs))
    parts = [slice(a, a + ROWS_AT_ONCE) for a in range(0, len(outputs), ROWS_AT_ONCE)]

    def placed(rows: slice) -> Belief:
        return project((Evidence(posterior, outputs[rows]),), training, effort=effort).best

    shape = len(outputs), training.n_latent
    found = Belief(np.empty(shape), np.empty(shape))
    for rows, best in zip(parts, run(placed, parts), strict=True):
        found.mean[rows], found.variance[rows] = best.mean, best.variance
    return found
