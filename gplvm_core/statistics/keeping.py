"""Which exponentials an evaluation stores for its gradients, and which it computes again.

If there are few, all are stored. Of more, some are stored on machines that store a number faster
than they compute an exponential, for example without AVX-512. A measurement of a few milliseconds
decides.
"""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

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
