"""Let the process reuse freed memory instead of returning it to the system."""

import numpy as np

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
