"""The sample of rows that a page gets from a large data set.

A browser gets the sample's rows with all dimensions, and single columns of all rows on request.
Rows are sorted so that every prefix is spread evenly over the table. The n-th row of the order is
row (n · stride) mod N, with a stride near N divided by the golden ratio.
"""

import numpy as np
from jaxtyping import Int
from numpy import ndarray as Array

from gplvm_core.readers.spread import row_order

MOST_WHOLE = 5000  # up to this many rows, a page gets all rows; else it gets a sample
LEAST_WHOLE = 1000
SAMPLE_BYTES = 6_000_000  # largest size of the sample's values


def sample_of(n_rows: int, n_outputs: int) -> Int[Array, " n"] | None:
    """Return the rows in a page's sample; None: the page gets all rows."""
    if n_rows <= MOST_WHOLE:
        return None
    count = int(np.clip(SAMPLE_BYTES // (4 * n_outputs), LEAST_WHOLE, MOST_WHOLE))
    return row_order(n_rows)[:count]
