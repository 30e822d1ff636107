"""BLAS on one thread while the library multiplies thin blocks: its own threads are over chunks."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController

# The setting is the process': the first who asks makes it, the last who is done takes it back.
_lock, _asked, _limits = Lock(), [0], ExitStack()


@cache
def _libraries() -> ThreadpoolController:
    # Looked for once: it takes milliseconds.
    return ThreadpoolController()


@contextmanager
def one_thread_a_product() -> Iterator[None]:
    """Every BLAS of the process works on one thread.

    Several threads to a thin product wait for each other more than they work; on a busy machine
    they make it many times slower.
    """
    with _lock:
        _asked[0] += 1
        if _asked[0] == 1:
            _limits.enter_context(_libraries().limit(limits=1, user_api="blas"))
    try:
        yield
    finally:
        with _lock:
            _asked[0] -= 1
            if _asked[0] == 0:
                _limits.close()
