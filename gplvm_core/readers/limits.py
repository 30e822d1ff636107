"""All limits of the readers: numbers, the sizes that files may declare, and resources for reading.

A file of a few kilobytes can declare gigabytes. The declared sizes are therefore read first, and
compared with these limits before any array is created.
"""

from gplvm_core.readers.errors import DataError

MEGABYTE = 2**20

LARGEST, SMALLEST = 1e150, 1e-150
"""Squares of numbers beyond 1.3e154 overflow, and those of spreads below 1.5e-154 lose digits or
are 0. Larger numbers and smaller spreads are refused; four powers of ten are left for sums of
squares, and for variances that are a small part of the square of the spread."""

MOST_BYTES = 256 * MEGABYTE
"""Size of a file on disk."""

MOST_UNPACKED = 256 * MEGABYTE
"""Total unpacked size of all members of an archive."""

MOST_TEXT = 64 * MEGABYTE
"""Size of unpacked text, and of the unpacked parts of a workbook."""

MOST_CHUNK = 64 * MEGABYTE
"""Size of one block of an HDF5 file; a block is unpacked as a whole."""

MOST_MEMBERS = 20_000
"""Files in an archive, frames in a video, parts of an HDF5 file."""

MOST_VALUES = 20_000_000
"""Rows × columns of a table, frames × coordinates of a motion, pixels of all shrunk pictures."""

MOST_COLUMNS = 100_000
"""Columns of a table; each of them becomes an object with a name."""

MOST_PIXELS = 40_000_000
"""Pixels of one picture before it is shrunk."""

MOST_PIXELS_TOGETHER = 300_000_000
"""Pixels of all pictures of a file before they are shrunk, because a picture must be unpacked to be
shrunk.
"""

MOST_MARKERS = 1_000
"""Markers in motion capture: the distances between all pairs are computed."""

SECONDS = 60
"""Seconds of processor time, and of wall-clock time, to read one file in the subprocess."""

SECONDS_TO_START = 120
"""Wall-clock seconds until the subprocess is ready: usually two, many more on a busy machine."""

MOST_WRITTEN = 2048 * MEGABYTE
"""Size of a file that the subprocess writes: an answer, or a copy of its input."""

MOST_MEMORY = 850 * MEGABYTE
"""Memory that the subprocess may take to read one file."""

MOST_MODEL = 512 * MEGABYTE
"""Size of the arrays in an uploaded model file."""

MODEL_FREE = 64 * MEGABYTE
"""Size that the arrays of an uploaded model file may always have, however small the file is."""

MODEL_GROWTH = 200
"""In addition to `MODEL_FREE`, a model file may unpack to this many times its size.

The ready-made models at most double in size. A table of zeros and ones grows 250-fold, and a table
of zeros 1000-fold, but the model in the same file hardly grows."""

MOST_MODEL_TEXT = 4 * MEGABYTE
"""Size of the text of names, notes and settings in an uploaded model file.

In memory, text takes up to 25 times as much, and every listing of the models reads it."""


def check_at_most(count: int, most: int, what: str, name: str, advice: str) -> None:
    """Raise a DataError that names both numbers if `count` exceeds `most`."""
    if count > most:
        raise DataError(f"{name} has {in_words(count)} {what}; up to {most:,} are read. {advice}")


def in_words(count: int) -> str:
    """Return a count with its digits in groups; for an extremely large count, a power of ten."""
    # Python refuses to write integers of more than a few thousand digits.
    digits = int(count.bit_length() * 0.30103)
    return f"{count:,}" if digits < 30 else f"about 10^{digits}"
