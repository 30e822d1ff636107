"""What a file may declare, and what may be made of it: every limit of the readers in one place.

A file of a few kilobytes can announce gigabytes. What it announces is therefore read first, and
held against these numbers before anything is made of it.
"""

from gplvm_core.readers.errors import DataError

MEGABYTE = 2**20

MOST_BYTES = 256 * MEGABYTE
"""Of a file as it lies on the disk."""

MOST_UNPACKED = 256 * MEGABYTE
"""Of all members of an archive together, once unpacked."""

MOST_TEXT = 64 * MEGABYTE
"""Of text that was packed, and of what is unpacked of a workbook."""

MOST_CHUNK = 64 * MEGABYTE
"""Of one block of an HDF5 file, which is unpacked as a whole."""

MOST_MEMBERS = 20_000
"""Files in an archive, frames in a video, parts of an HDF5 file."""

MOST_VALUES = 20_000_000
"""Rows × columns of a table, frames × coordinates of a motion, pixels that are kept of pictures."""

MOST_COLUMNS = 100_000
"""Of a table; each is a thing with a name."""

MOST_PIXELS = 40_000_000
"""Of one picture, as it is given."""

MOST_PIXELS_TOGETHER = 300_000_000
"""Of all pictures of a file, as they are given: each must be unpacked to be shrunk."""

MOST_MARKERS = 1_000
"""In motion capture: the distance of each to each is looked at."""

SECONDS = 60
"""Of processor time and on the clock, for one file in the process that reads it."""

SECONDS_TO_START = 120
"""On the clock, until this process is ready. A busy machine needs many times the usual two."""

MOST_WRITTEN = 2048 * MEGABYTE
"""In one file that this process writes: its answer, or a copy for a package that wants a path."""

MOST_MEMORY = 850 * MEGABYTE
"""That this process may take for it."""

MOST_MODEL = 512 * MEGABYTE
"""Of arrays in a model's file that is brought along."""

MODEL_FREE = 64 * MEGABYTE
"""The arrays of a model's file that is brought along may take this much, however small it is."""

MODEL_GROWTH = 200
"""A model's file may unpack to this many times its own size, beyond `MODEL_FREE`.

The ready models grow twofold at most. A table of zeros and ones grows 250-fold; its model, which
the same file holds, hardly grows. Zeros alone grow 1000-fold."""

MOST_MODEL_TEXT = 4 * MEGABYTE
"""The names, notes and settings in a model's file that is brought along may take this much text.

Text takes up to 25 times as much memory once it is read, and the list of models reads it each
time."""


def check_at_most(count: int, most: int, what: str, name: str, advice: str) -> None:
    """Raises DataError with the number that a file has and the number that is allowed."""
    if count > most:
        raise DataError(f"{name} has {in_words(count)} {what}; up to {most:,} are read. {advice}")


def in_words(count: int) -> str:
    """A count with its digits in groups; of absurd ones, how many digits there are."""
    # Python refuses to write integers of more than a few thousand digits.
    digits = int(count.bit_length() * 0.30103)
    return f"{count:,}" if digits < 30 else f"about 10^{digits}"
