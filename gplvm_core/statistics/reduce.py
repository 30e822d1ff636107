"""Two passes over the data: chunks → statistics, and the bound's adjoints → gradients.

Also here: which exponentials an evaluation stores for its gradients, and which it computes again.

If there are few, all are stored. Of more, some are stored on machines that store a number faster
than they compute an exponential, for example without AVX-512. A measurement of a few milliseconds
decides.

Also here: executors: functions that compute the chunks of a sum one after the other or on threads.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache, reduce
from itertools import pairwise
from operator import add
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Gradients, Kept, Kernel
from gplvm_core.kernels.exact import products, products_pullback
from gplvm_core.numerics import Array
from gplvm_core.parameters import add as add_leaves
from gplvm_core.statistics.linear_mean import LinearMean
from gplvm_core.statistics.statistics import Statistics, Targets

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


class Executor(Protocol):
    """An executor applies a function to every item and yields the outcomes in the order of the
    items.
    """

    def __call__(
        self, function: Callable[[Item], Outcome], items: Iterable[Item]
    ) -> Iterable[Outcome]: ...


def serial(function: Callable[[Item], Outcome], items: Iterable[Item]) -> Iterator[Outcome]:
    """Process one item after the other."""
    return map(function, items)


@contextmanager
def executor_for(n_jobs: int | None = None) -> Iterator[Executor]:
    """Yield an executor with n_jobs threads (None or 1: serial; −1: all cores, −2: all but one, …).

    The chunks do not depend on the number of threads.
    """
    n_threads = 1 if n_jobs is None else n_jobs
    if n_threads < 0:
        n_threads += 1 + (os.cpu_count() or 1)
    if n_threads <= 1:
        yield serial
        return
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            yield lambda function, items: _ahead(pool, 2 * n_threads, function, items)
        finally:  # an error, or a request to pause, waits only for the items in work
            pool.shutdown(cancel_futures=True)


def _ahead(
    pool: ThreadPoolExecutor,
    most: int,
    function: Callable[[Item], Outcome],
    items: Iterable[Item],
) -> Iterator[Outcome]:
    """Compute at most `most` items ahead of the outcome in use: items may be rows of a file."""
    waiting = deque[Future[Outcome]]()
    for item in items:
        waiting.append(pool.submit(function, item))
        if len(waiting) == most:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


FEW, MANY = 6_000_000, 48_000_000  # exponentials: 48 MB and 384 MB
SHARE = 1 / 16  # the largest share of the machine's memory
# Exponentials are stored if they take more than this many times as long as storing a number.
SLOWER = 1.5
TIMED = 2_000_000  # numbers that are stored in the measurement; they exceed most caches
# Where Linux says how much memory a container may use (cgroups v2 and v1).
LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def points_kept(n_points: int, n_inducing: int) -> int:
    """The number of points whose exponentials, for all pairs of inducing inputs, are stored."""
    pairs = n_inducing * (n_inducing + 1) // 2
    if n_points * pairs <= FEW:
        return n_points
    return min(n_points, most_kept() // pairs)


@cache
def most_kept() -> int:
    """How many exponentials are stored on this machine if there are more than FEW."""
    if exponential_time() <= SLOWER * storing_time():
        return 0
    return int(min(SHARE * memory() / 8, MANY))


def exponential_time() -> float:
    """Measure the seconds of an exponential, in blocks that fit into the cache."""
    block = np.full(TIMED // 64, -1.0)
    out = np.empty_like(block)
    return _fastest(lambda: np.exp(block, out=out)) / len(block)


def storing_time() -> float:
    """Measure the seconds in which a number is written to memory and read again."""
    block = np.full(TIMED // 64, -1.0)
    kept = np.zeros((64, len(block)))

    def store() -> None:
        for each in kept:
            each[:] = block
        for each in kept:
            block[:] = each

    return _fastest(store) / kept.size


def memory() -> int:
    """Bytes of memory of this machine, or of this container; 0 if unknown."""
    sizes = []
    with suppress(AttributeError, OSError, ValueError):  # Windows has no sysconf
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for limit in LIMITS:
        with suppress(OSError, ValueError):  # "max": no limit
            sizes.append(int(Path(limit).read_text()))
    return min(sizes, default=0)


def _fastest(work: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


POINTS_PER_CHUNK = 1024


@dataclass(frozen=True)
class PulledBack:
    """Gradients with respect to the inputs and parameters, and with respect to the targets.

    targets: shaped like the distribution of the targets; None for data.
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
    executor: Executor = serial,
) -> tuple[Statistics, StatisticsPullback]:
    """Return the statistics of all points, and the map from their adjoints to gradients.

    The chunks depend only on N and are summed in a fixed order, so any number of threads gives the
    same digits. Source: Damianou (2015), §2.3.3 and §3.3.7.
    """
    # The first chunks keep their intermediates for the pullback.
    kept = points_kept(belief.n_points, len(inducing))
    chunks: list[Chunk] = [
        (rows, [] if rows.stop <= kept else None) for rows in chunks_of(belief.n_points)
    ]

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
            shape = belief.n_points, targets.n_outputs
            moved = Belief(np.empty(shape), np.empty(shape))
        d_inducing, d_kernel = np.zeros_like(inducing), None
        for (rows, _), part in zip(chunks, executor(back, chunks), strict=True):
            mean[rows], variance[rows] = part.inputs.mean, part.inputs.variance
            d_inducing += part.inputs.inducing
            own = part.inputs.kernel
            d_kernel = own if d_kernel is None else add_leaves(d_kernel, own)
            if moved is not None:
                moved.mean[rows], moved.variance[rows] = part.targets.mean, part.targets.variance
        return PulledBack(Gradients(mean, variance, d_inducing, d_kernel), moved)

    return reduce(add, executor(forward, chunks)), pullback


def chunks_of(n_points: int) -> list[slice]:
    """Return slices of at most POINTS_PER_CHUNK points, of nearly equal length."""
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
    """Return the statistics of some points; add them over all chunks for those of all points.

    keep: pass an empty list to cache intermediates for `chunk_pullback`.
    """
    values = targets.values
    mean, variance = belief.mean, belief.variance
    psi0, _ = kernel.psi0(mean, variance)
    found = psi1, _ = kernel.psi1(mean, variance, inducing)
    own: Kept | None = None
    if keep is not None:
        own = []
        keep.extend((found, own))
    linear = None
    if targets.slope is not None:
        linear = LinearMean.of(targets.slope, kernel, belief, inducing, psi1)
        values = linear.left(values)
    # This order of the factors is a quarter faster than psi1ᵀ values.
    psi1_targets = np.asarray(values.T @ psi1).T
    yy = float(np.vdot(values, values))
    if linear is not None:
        psi1_targets = psi1_targets + linear.psi1_targets
        yy += float(np.sum(linear.squares))
    patterns = targets.patterns
    if patterns is not None:
        return Statistics(
            np.asarray(patterns.rows.T @ psi0),
            psi1_targets,
            products(psi1, patterns.rows)
            if belief.known
            else kernel.grouped_psi2(mean, variance, inducing, patterns.rows, own)[0],
            yy,
            np.count_nonzero(np.asarray(patterns.rows), axis=0),
            patterns.n_outputs,
            patterns.groups,
        )
    statistics = Statistics(
        np.array([float(np.sum(psi0))]),
        psi1_targets,
        products(psi1) if belief.known else kernel.psi2(mean, variance, inducing, own)[0][None],
        yy,
        np.array([targets.n_points]),
        np.array([targets.n_outputs]),
    )
    total = _total_variance(targets)
    if total is None:
        return statistics
    spread = np.asarray((psi1 * total).T @ psi1)
    return replace(statistics, yy=yy + float(np.sum(total)), spread=spread)


def chunk_pullback(
    kernel: Kernel,
    belief: Belief,
    inducing: Float[Array, "M Q"],
    targets: Targets,
    adjoint: Statistics,
    kept: Kept | None = None,
) -> PulledBack:
    """Map the adjoints of the statistics of all points to the gradients through these points.

    The caller sums the gradients of the inducing inputs and the kernel over the chunks; the other
    gradients belong only to the chunk's points. The variances of exactly known points are fixed at
    0, so they have no gradient.
    """
    values = targets.values
    mean, variance = belief.mean, belief.variance
    _, pull_psi0 = kernel.psi0(mean, variance)
    found, own = kept or (kernel.psi1(mean, variance, inducing), None)
    psi1, pull_psi1 = found
    d_targets = adjoint.psi1_targets
    slid, moved, total = None, None, _total_variance(targets)
    if targets.slope is not None:
        linear = LinearMean.of(targets.slope, kernel, belief, inducing, psi1)
        values = linear.left(values)
        d_left = 2.0 * adjoint.yy * values + psi1 @ d_targets
        _, slid_psi1, slid = linear.pullback(d_left, adjoint.psi1_targets, adjoint.yy)
    d_psi1 = values @ d_targets.T if slid is None else values @ d_targets.T + slid_psi1
    if total is not None:
        d_values = 2.0 * adjoint.yy * values + psi1 @ d_targets
        d_total = np.full((targets.n_points, 1), adjoint.yy)
        if adjoint.spread is not None:
            carried = psi1 @ adjoint.spread
            d_psi1 = d_psi1 + 2.0 * total * carried
            d_total = d_total + np.sum(carried * psi1, axis=1, keepdims=True)
        spread = np.array(np.broadcast_to(np.asarray(d_total), values.shape))
        moved = Belief(np.asarray(d_values), spread)
    rows = None if targets.patterns is None else targets.patterns.rows
    if rows is None:
        d_psi0 = np.full(targets.n_points, float(adjoint.psi0[0]))
    else:
        d_psi0 = rows @ adjoint.psi0
    if belief.known:
        d_psi1, through = d_psi1 + products_pullback(psi1, adjoint.psi2, rows), None
    else:
        d_psi2 = adjoint.psi2 if rows is not None else adjoint.psi2[0]
        through = kernel.psi2_pullback(mean, variance, inducing, d_psi2, rows, own)
    d_mean, d_variance, d_kernel = pull_psi0(d_psi0)
    direct = Gradients(d_mean, d_variance, np.zeros_like(inducing), d_kernel)
    inputs = pull_psi1(d_psi1) + (direct if slid is None else direct + slid)
    inputs = inputs if through is None else inputs + through
    here = replace(inputs, mean=np.asarray(inputs.mean), variance=np.asarray(inputs.variance))
    return PulledBack(here, moved)


def _total_variance(targets: Targets) -> Float[Array, "N 1"] | None:
    """Return Σ_d of the targets' variances if the targets are a distribution; else None."""
    if targets.variance is None:
        return None
    return np.sum(targets.variance, axis=1, keepdims=True)
