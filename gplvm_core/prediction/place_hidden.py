"""Hidden points of many rows whose inputs and outputs are known, at layers that are held."""

from collections.abc import Sequence

import numpy as np

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array
from gplvm_core.optimise import minimise_rows
from gplvm_core.prediction.generate import predict_at
from gplvm_core.prediction.place import Rows, Watch, in_parts
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.project import Effort
from gplvm_core.prediction.project_deep import Nodes
from gplvm_core.prediction.row_bound import RowBound
from gplvm_core.prediction.row_terms import Evidence
from gplvm_core.statistics import Executor
from gplvm_core.statistics.executors import serial


def place_hidden(
    evidence: Sequence[Evidence],
    above: Sequence[Posterior],
    top: Belief,
    training: Sequence[Belief],
    run: Executor = serial,
    watch: Watch | None = None,
) -> tuple[list[Belief], int]:
    """q(h_n) at every hidden node of rows whose inputs are known, and how many were placed.

    top: of these rows. training: what is believed at the hidden nodes about the training rows,
    whose variances are the first. Rows start where the layers above put them, and are left there
    when `watch` says no. Source: Damianou (2015), §6.2, with q(u) held.
    """
    nodes = Nodes.of(training)
    width = nodes.edges[-1]
    usual = np.concatenate([each.variance.mean(axis=0) for each in training])
    scale = np.sqrt(usual)

    def find(rows: Rows, effort: Effort) -> Belief:
        inputs, bound = top.rows(rows), RowBound.of([each.rows(rows) for each in evidence], above)

        def unpack(vector: Array) -> Belief:
            return Belief(scale * vector[:, :width], np.exp(2.0 * vector[:, width:]))

        def negative_bound(vector: Array, which: Rows) -> tuple[Array, Array]:
            # A step too long may overflow: that row's evaluation is rejected.
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                own = unpack(vector)
                hidden = [Belief(own.mean[:, at], own.variance[:, at]) for at in nodes]
                value, (_, *slopes) = bound.data([inputs.rows(which), *hidden], which)
                d_mean = np.hstack([each.mean for each in slopes])
                d_variance = np.hstack([each.variance for each in slopes])
                return -value, -np.hstack([scale * d_mean, 2.0 * own.variance * d_variance])

        mean = np.hstack(_handed_on(above, inputs)) / scale
        start = np.hstack([mean, np.tile(0.5 * np.log(usual), (len(rows), 1))])
        return unpack(minimise_rows(negative_bound, start, effort.iterations, effort.tolerance).x)

    found, placed = in_parts(find, top.n_points, width, run, watch)
    return [Belief(found.mean[:, at], found.variance[:, at]) for at in nodes], placed


def _handed_on(above: Sequence[Posterior], inputs: Belief) -> list[Array]:
    """Means of what the layers say, each of what the one before said."""
    means = [inputs.mean]
    for posterior in above:
        means.append(predict_at(posterior, means[-1], None, noise=False)[0])
    return means[1:]
