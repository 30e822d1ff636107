"""Two passes over the data: chunks → statistics, and the bound's adjoints → gradients."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Gradients, Kernel
from gplvm_core.numerics import Array
from gplvm_core.parameters import add as add_leaves
from gplvm_core.statistics.executors import Executor, serial
from gplvm_core.statistics.statistics import Statistics, Targets

POINTS_PER_CHUNK = 1024
# Numbers kept for the way back, all chunks together (32 MB): memory does not grow with N.
KEPT_NUMBERS = 4_000_000


@dataclass(frozen=True)
class PulledBack:
    """Gradients with respect to what the statistics are of: the inputs' side, and the targets.

    targets: shaped like the belief about them, None for data.
    """

    inputs: Gradients
    targets: Any


StatisticsPullback = Callable[[Statistics], PulledBack]


def reduce_statistics(
    kernel: Kernel,
    belief: Belief,
    inducing: Float[Array, "M Q"],
    targets: Targets,
    run: Executor = serial,
) -> tuple[Statistics, StatisticsPullback]:
    """The statistics of all points, and the map from their adjoints to gradients.

    The chunks depend on N alone, so any number of threads gives the same digits.
    Source: Damianou (2015), §2.3.3 and §3.3.7.
    """
    n_chunks = -(-belief.n_points // POINTS_PER_CHUNK)
    edges = np.linspace(0, belief.n_points, n_chunks + 1).astype(int)
    chunks = [slice(a, b) for a, b in pairwise(edges)]
    keep = KEPT_NUMBERS // n_chunks

    def forward(rows: slice) -> tuple[Statistics, StatisticsPullback]:
        return _chunk(kernel, belief.rows(rows), inducing, targets.chunk(rows), keep)

    done = run(forward, chunks)
    total = reduce(add, (statistics for statistics, _ in done))

    def pullback(adjoint: Statistics) -> PulledBack:
        done_back = run(lambda chunk: chunk[1](adjoint), done)
        parts = [part.inputs for part in done_back]
        moved = [part.targets for part in done_back if part.targets is not None]
        return PulledBack(
            Gradients(
                np.concatenate([part.mean for part in parts]),
                np.concatenate([part.variance for part in parts]),
                np.sum([part.inducing for part in parts], axis=0),
                reduce(add_leaves, (part.kernel for part in parts)),
            ),
            _joined(moved) if moved else None,
        )

    return total, pullback


def _joined(parts: list[Belief]) -> Belief:
    return Belief(
        np.concatenate([part.mean for part in parts]),
        np.concatenate([part.variance for part in parts]),
    )


def _chunk(
    kernel: Kernel, belief: Belief, inducing: Array, targets: Targets, keep: int
) -> tuple[Statistics, StatisticsPullback]:
    mean, variance, values = belief.mean, belief.variance, targets.values
    psi0, pull_psi0 = kernel.psi0(mean, variance)
    psi1, pull_psi1 = kernel.psi1(mean, variance, inducing)
    # This order is a quarter faster than psi1ᵀ values.
    psi1_targets = (values.T @ psi1).T
    yy = float(np.vdot(values, values))
    patterns = targets.patterns
    # Σ_d of the targets' variances, where they are a belief (which has no gaps).
    total = None if targets.variance is None else targets.variance.sum(axis=1)[:, None]
    if patterns is None:
        psi2, pull_psi2 = kernel.psi2(mean, variance, inducing, keep)
        rows = np.ones((len(values), 1))
        statistics = Statistics(
            psi0.sum(keepdims=True),
            psi1_targets,
            psi2[None],
            yy,
            np.array([len(values)]),
            np.array([targets.n_outputs]),
        )
        if total is not None:
            statistics = replace(
                statistics, yy=yy + float(total.sum()), spread=(psi1 * total).T @ psi1
            )
    else:
        rows = patterns.rows
        psi2, pull_psi2 = kernel.grouped_psi2(mean, variance, inducing, rows, keep)
        statistics = Statistics(
            rows.T @ psi0,
            psi1_targets,
            psi2,
            yy,
            rows.sum(axis=0).astype(np.intp),
            patterns.n_outputs,
            patterns.groups,
        )

    def pullback(adjoint: Statistics) -> PulledBack:
        d_psi2 = adjoint.psi2[0] if patterns is None else adjoint.psi2
        d_psi1, moved = values @ adjoint.psi1_targets.T, None
        if total is not None:
            d_targets = 2.0 * adjoint.yy * values + psi1 @ adjoint.psi1_targets
            d_total = np.full_like(total, adjoint.yy)
            if adjoint.spread is not None:
                carried = psi1 @ adjoint.spread
                d_psi1 = d_psi1 + 2.0 * total * carried
                d_total = d_total + np.sum(carried * psi1, axis=1, keepdims=True)
            moved = Belief(d_targets, np.array(np.broadcast_to(d_total, values.shape)))
        through = pull_psi1(d_psi1) + pull_psi2(d_psi2)
        d_mean, d_variance, d_kernel = pull_psi0(rows @ adjoint.psi0)
        direct = Gradients(d_mean, d_variance, np.zeros_like(inducing), d_kernel)
        return PulledBack(through + direct, moved)

    return statistics, pullback
