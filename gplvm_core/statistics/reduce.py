"""Two passes over the data: chunks → statistics, and the bound's adjoints → gradients."""

from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from operator import add

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

StatisticsPullback = Callable[[Statistics], Gradients]


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

    def pullback(adjoint: Statistics) -> Gradients:
        parts = run(lambda chunk: chunk[1](adjoint), done)
        return Gradients(
            np.concatenate([part.mean for part in parts]),
            np.concatenate([part.variance for part in parts]),
            np.sum([part.inducing for part in parts], axis=0),
            reduce(add_leaves, (part.kernel for part in parts)),
        )

    return total, pullback


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

    def pullback(adjoint: Statistics) -> Gradients:
        d_psi2 = adjoint.psi2[0] if patterns is None else adjoint.psi2
        through = pull_psi1(values @ adjoint.psi1_targets.T) + pull_psi2(d_psi2)
        d_mean, d_variance, d_kernel = pull_psi0(rows @ adjoint.psi0)
        return through + Gradients(d_mean, d_variance, np.zeros_like(inducing), d_kernel)

    return statistics, pullback
