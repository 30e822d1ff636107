"""Attacks with single-cell files.

The files refer to other files, declare more than they contain, or have invalid indices. Each
function changes a valid file.
"""

import io
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from tests.fuzz.samples import cells

SECRET = "/etc/passwd"
ROWS, COLUMNS = 6, 4


def changed(change: Callable[[Any], object]) -> bytes:
    """Return a small file of cells, changed by h5py."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cells.h5ad"
        path.write_bytes(cells())
        with h5py.File(path, "r+") as file:
            change(file)
        return path.read_bytes()


def put(path: str, values: Any, **options: Any) -> Callable[[Any], None]:
    """Return a function that replaces a data set by another one."""

    def change(file: Any) -> None:
        if path in file:
            del file[path]
        file.create_dataset(path, data=values, **options)

    return change


def linked(link: Any) -> Callable[[Any], None]:
    """Return a function that replaces the values by a link."""

    def change(file: Any) -> None:
        del file["X"]
        file["X"] = link

    return change


def external(file: Any) -> None:
    """Use the bytes of another file as the values."""
    del file["X"]
    shape = (ROWS, COLUMNS)
    file.create_dataset("X", shape, np.uint8, external=[(SECRET, 0, ROWS * COLUMNS)])


def virtual(file: Any) -> None:
    """Use the values of a data set in another file."""
    del file["X"]
    layout = h5py.VirtualLayout((ROWS, COLUMNS), float)
    layout[:] = h5py.VirtualSource(SECRET, "X", (ROWS, COLUMNS))
    file.create_virtual_dataset("X", layout)


def huge(file: Any) -> None:
    """Declare a terabyte, without any data."""
    del file["X"]
    file.create_dataset("X", (10**6, 10**6), np.uint8, chunks=(1000, 1000))


def huge_block(file: Any) -> None:
    """Store few numbers in a block of two gigabytes."""
    file["uns"].create_dataset("x", (4,), np.uint8, chunks=(2**31,), maxshape=(None,))


def long_words(file: Any) -> None:
    """Use one long word in 1500 rows; the file stores the word once, and reading copies it for each
    row.
    """
    words = np.full(1500, "x" * 60_000, dtype=object)
    file["uns"].create_dataset("x", data=words, dtype=h5py.string_dtype())


def packed_zeros(file: Any) -> None:
    """Pack three hundred megabytes of zeros into few bytes."""
    file["uns"].create_dataset(
        "x", shape=(300, 2**20), dtype=np.uint8, chunks=(1, 2**20), compression="gzip", fillvalue=0
    )[...] = 0


def many_links(file: Any) -> None:
    """Give one data set very many names."""
    data = file["uns"].create_dataset("x", (2**20,), np.uint8)
    for number in range(300):
        file["uns"][f"x{number}"] = data


def itself(file: Any) -> None:
    """Add a group that contains itself."""
    file["uns"]["again"] = file["uns"]


def deep(file: Any) -> None:
    """Add groups in groups in groups."""
    group = file["uns"]
    for _ in range(500):
        group = group.create_group("x")


def reference(file: Any) -> None:
    """Refer to another part of the file, in an attribute of a column."""
    file["obs"]["kind"].attrs["categories"] = file["var"].ref


def region(file: Any) -> None:
    """Add references to regions."""
    data = file["X/data"]
    file["uns"].create_dataset("x", data=[data.regionref[:2]], dtype=h5py.regionref_dtype)


def lists(file: Any) -> None:
    """Add lists of varying lengths."""
    file["uns"].create_dataset("x", (2,), dtype=h5py.vlen_dtype(np.int32))


def odd_filter(file: Any) -> None:
    """Add a filter that only a plug-in could unpack."""
    created = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    created.set_chunk((4,))
    created.set_filter(h5py.h5z.FILTER_SCALEOFFSET, h5py.h5z.FLAG_MANDATORY, (2, 0))
    space = h5py.h5s.create_simple((4,))
    h5py.h5d.create(file["uns"].id, b"x", h5py.h5t.NATIVE_INT32, space, created)


def index(value: int) -> Callable[[Any], None]:
    """Return a function that replaces the first index by another number."""

    def change(file: Any) -> None:
        file["X/indices"][0] = value

    return change


def falling(file: Any) -> None:
    """Make the row pointers decrease."""
    file["X/indptr"][1] = 10**6


def two_forms(file: Any) -> None:
    """Store a sparse matrix by row under the new name, and by column under the old name, which has
    priority.
    """
    file["X"].attrs["h5sparse_format"] = "csc"


def two_shapes(file: Any) -> None:
    """Declare two different shapes, under the new and the old attribute name."""
    file["X"].attrs["h5sparse_shape"] = (10**6, 10**6)


def long_words_within(file: Any) -> None:
    """Store one long word for each row, in an array inside a field of a field."""
    text = h5py.string_dtype()
    kind = np.dtype([("outer", [("inner", text, (2,))])])
    words = file["uns"].create_dataset("x", (750,), dtype=kind)
    values = np.zeros(750, dtype=kind)
    values["outer"]["inner"] = "x" * 60_000
    words[...] = values


def plain(values: bytes = b"") -> bytes:
    """Return an HDF5 file that is not an AnnData file."""
    file = io.BytesIO()
    with h5py.File(file, "w") as made:
        made["x"] = np.arange(3)
    return file.getvalue() + values
