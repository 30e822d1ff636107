"""Freed memory stays with the process, so that the next evaluation finds it warm."""

import numpy as np

# Just under 32 MB, the most that glibc takes as its lesson.
LESSON = 4_000_000


def keep_freed_memory() -> None:
    """Make the C library reuse memory up to 64 MB instead of handing it back to the system.

    glibc returns freed memory above a threshold that adapts to the largest array freed so far.
    An evaluation of the bound frees and asks for the same megabytes thousands of times, and the
    page faults cost more than the arithmetic (a factor of two at 1000 points). Freeing one large,
    never touched array first sets the threshold; elsewhere than under glibc this does nothing.
    """
    np.empty(LESSON)
