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
from gplvm_core.kernels import Gradients, Kept, Kernel
from gplvm_core.numerics import Array
from gplvm_core.parameters import add as add_leaves
from gplvm_core.statistics.executors import Executor, serial
from gplvm_core.statistics.statistics import Statistics, Targets

POINTS_PER_CHUNK = 1024
# Pairs of inducing inputs at all points, when so few, are kept for the way back (32 MB); of more
# the memory would grow with N, and fetching them is no faster than making them again.
KEPT_NUMBERS = 4_000_000


@dataclass(frozen=True)
class PulledBack:
    """Gradients with respect to what the statistics are of: the inputs' side, and the targets.

    targets: shaped like the belief about them, None for data.
    """

    inputs: Gradients
    targets: Any


StatisticsPullback = Callable[[Statistics], PulledBack]
Chunk = tuple[slice, Kept | None]


def reduce_statistics(
    kernel: Kernel,
    belief: Belief,
    inducing: Float[Array, "M Q"],
    targets: Targets,
    run: Executor = serial,
) -> tuple[Statistics, StatisticsPullback]:
    """The statistics of all points, and the map from their adjoints to gradients.

    The chunks depend on N alone, and are summed in their order as they arrive: any number of
    threads gives the same digits, and nothing of a chunk is kept but its part of the gradients.
    Source: Damianou (2015), §2.3.3 and §3.3.7.
    """
    few = belief.n_points * len(inducing) * (len(inducing) + 1) <= 2 * KEPT_NUMBERS
    chunks: list[Chunk] = [(rows, [] if few else None) for rows in chunks_of(belief.n_points)]

    def forward(chunk: Chunk) -> Statistics:
        rows, keep = chunk
        return chunk_statistics(kernel, belief.rows(rows), inducing, targets.chunk(rows), keep)

    def pullback(adjoint: Statistics) -> PulledBack:
        def back(chunk: Chunk) -> PulledBack:
            rows, kept = chunk
            seen = targets.chunk(rows)
            return chunk_pullback(kernel, belief.rows(rows), inducing, seen, adjoint, kept)

        mean, variance = np.empty_like(belief.mean), np.empty_like(belief.variance)
        moved = None
        if targets.variance is not None:
            moved = Belief(np.empty_like(targets.values), np.empty_like(targets.values))
        d_inducing, d_kernel = np.zeros_like(inducing), None
        for (rows, _), part in zip(chunks, run(back, chunks), strict=True):
            mean[rows], variance[rows] = part.inputs.mean, part.inputs.variance
            d_inducing += part.inputs.inducing
            own = part.inputs.kernel
            d_kernel = own if d_kernel is None else add_leaves(d_kernel, own)
            if moved is not None:
                moved.mean[rows], moved.variance[rows] = part.targets.mean, part.targets.variance
        return PulledBack(Gradients(mean, variance, d_inducing, d_kernel), moved)

    return reduce(add, run(forward, chunks)), pullback


def chunks_of(n_points: int) -> list[slice]:
    """So many points at a time, as evenly as can be."""
    n_chunks = -(-n_points // POINTS_PER_CHUNK)
    edges = np.linspace(0, n_points, n_chunks + 1).astype(int).tolist()
    return [slice(a, b) for a, b in pairwise(edges)]


def chunk_statistics(
    kernel: Kernel,
    belief: Belief,
    inducing: Float[Array, "M Q"],
    targets: Targets,
    keep: Kept | None = None,
) -> Statistics:
    """The statistics of some points: those of all are the sum.

    keep: an empty list, for what spares the way back work.
    """
    mean, variance, values = belief.mean, belief.variance, targets.values
    psi0, _ = kernel.psi0(mean, variance)
    found = psi1, _ = kernel.psi1(mean, variance, inducing)
    own: Kept | None = None
    if keep is not None:
        own = []
        keep.extend((found, own))
    # This order is a quarter faster than psi1ᵀ values.
    psi1_targets = (values.T @ psi1).T
    yy = float(np.vdot(values, values))
    patterns = targets.patterns
    if patterns is not None:
        return Statistics(
            patterns.rows.T @ psi0,
            psi1_targets,
            kernel.grouped_psi2(mean, variance, inducing, patterns.rows, own)[0],
            yy,
            patterns.rows.sum(axis=0).astype(np.intp),
            patterns.n_outputs,
            patterns.groups,
        )
    psi2, _ = kernel.psi2(mean, variance, inducing, own)
    statistics = Statistics(
        psi0.sum(keepdims=True),
        psi1_targets,
        psi2[None],
        yy,
        np.array([len(values)]),
        np.array([targets.n_outputs]),
    )
    total = _total_variance(targets)
    if total is None:
        return statistics
    return replace(statistics, yy=yy + float(total.sum()), spread=(psi1 * total).T @ psi1)


def chunk_pullback(
    kernel: Kernel,
    belief: Belief,
    inducing: Float[Array, "M Q"],
    targets: Targets,
    adjoint: Statistics,
    kept: Kept | None = None,
) -> PulledBack:
    """From the adjoints of all points' statistics to the gradients through these points.

    Those of the inducing inputs and the kernel are summed over the chunks, the others are of the
    chunk's points alone.
    """
    mean, variance, values = belief.mean, belief.variance, targets.values
    _, pull_psi0 = kernel.psi0(mean, variance)
    found, own = kept or (kernel.psi1(mean, variance, inducing), None)
    psi1, pull_psi1 = found
    d_psi1, moved = values @ adjoint.psi1_targets.T, None
    total = _total_variance(targets)
    if total is not None:
        d_targets = 2.0 * adjoint.yy * values + psi1 @ adjoint.psi1_targets
        d_total = np.full_like(total, adjoint.yy)
        if adjoint.spread is not None:
            carried = psi1 @ adjoint.spread
            d_psi1 = d_psi1 + 2.0 * total * carried
            d_total = d_total + np.sum(carried * psi1, axis=1, keepdims=True)
        moved = Belief(d_targets, np.array(np.broadcast_to(d_total, values.shape)))
    if targets.patterns is None:
        d_psi0 = np.broadcast_to(adjoint.psi0, len(values))
        through = kernel.psi2_pullback(mean, variance, inducing, adjoint.psi2[0], None, own)
    else:
        rows = targets.patterns.rows
        d_psi0 = rows @ adjoint.psi0
        through = kernel.psi2_pullback(mean, variance, inducing, adjoint.psi2, rows, own)
    d_mean, d_variance, d_kernel = pull_psi0(d_psi0)
    direct = Gradients(d_mean, d_variance, np.zeros_like(inducing), d_kernel)
    return PulledBack(pull_psi1(d_psi1) + through + direct, moved)


def _total_variance(targets: Targets) -> Float[Array, "N 1"] | None:
    """Σ_d of the targets' variances, where they are a belief (which has no gaps)."""
    return None if targets.variance is None else targets.variance.sum(axis=1)[:, None]
