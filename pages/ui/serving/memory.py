"""The memory of a server with many visitors: pages reuse what earlier pages released."""

import contextlib
import ctypes
import sys

M_ARENA_MAX = -8  # a constant of malloc.h in the GNU C library
ARENAS = 2


def few_arenas() -> None:
    """Make all threads share a few memory pools; Streamlit runs every page in a separate thread.

    By default, the GNU C library creates many pools, and each retains the memory of its largest
    page. Fifty visitors then need four times as much memory. With other C libraries this function
    does nothing.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # other C libraries have no mallopt
            ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS)
