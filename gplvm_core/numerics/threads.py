"""Limit BLAS to one thread while this library runs its own threads over chunks of rows."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from threading import Lock

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
