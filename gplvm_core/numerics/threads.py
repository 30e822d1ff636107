"""Limit BLAS to one thread while this library runs its own threads over chunks of rows.

Also here: let the process reuse freed memory instead of returning it to the system.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from threading import Lock

import numpy as np
from threadpoolctl import ThreadpoolController

# The setting is global: the first caller sets the limit, and the last caller removes it.
_lock, _users, _limits = Lock(), [0], ExitStack()


@cache
def _libraries() -> ThreadpoolController:
    # The result is cached, because the search takes milliseconds.
    return ThreadpoolController()


@contextmanager
def one_thread_a_product() -> Iterator[None]:
    """Make every BLAS library of the process use one thread.

    For a product of thin matrices, several threads mostly wait for each other; on a busy machine
    the threads make the product many times slower.
    """
    with _lock:
        _users[0] += 1
        if _users[0] == 1:
            _limits.enter_context(_libraries().limit(limits=1, user_api="blas"))
    try:
        yield
    finally:
        with _lock:
            _users[0] -= 1
            if _users[0] == 0:
                _limits.close()


# The array has just under 32 MB: glibc's threshold does not adapt to larger arrays.
THRESHOLD_SETTING = 4_000_000


def keep_freed_memory() -> None:
    """Make the C library reuse up to 64 MB of freed memory instead of returning it to the system.

    glibc returns freed memory above a threshold that adapts to the largest array freed so far.
    Training frees and allocates the same megabytes thousands of times, and the page faults cost
    more than the arithmetic (a factor of two at 1000 points). Freeing one large unused array sets
    the threshold. Without glibc this has no effect.
    """
    np.empty(THRESHOLD_SETTING)
