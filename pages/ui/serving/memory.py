"""Memory of a server with many visitors: what pages gave back is used again."""

import contextlib
import ctypes
import sys

M_ARENA_MAX = -8  # of malloc.h, in the GNU C library
ARENAS = 2


def few_arenas() -> None:
    """Let all threads share a few pools of memory; every page is drawn in a thread of its own.

    With the many that the GNU C library makes otherwise, each keeps what the largest page in it
    needed: four times as much memory for fifty visitors. Elsewhere nothing is changed.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS)
