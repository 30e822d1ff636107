"""Tables as arrays: NPZ and NPY files, read without pickle."""

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from gplvm_core.readers.errors import DataError, listed, parsing
from gplvm_core.readers.limits import MOST_COLUMNS, MOST_VALUES, check_at_most, in_words
from gplvm_core.readers.sources import Archive, open_archive
from gplvm_core.readers.tables.columns import Column, Table

HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
ZIP_MAGIC, NPY_MAGIC = b"PK", b"\x93NUMPY"
LONGEST_HEADER = 10_100  # bytes; NumPy also refuses longer headers


@dataclass(frozen=True)
class Declared:
    """Shape, type and order of an array according to its header, and the byte at which its values
    begin.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fortran_order: bool
    start: int


def npy_version(file: IO[bytes]) -> tuple[tuple[int, int], Callable[..., Any] | None]:
    """Return the version of an .npy file, and the function for the rest of its header (shape,
    order, type); None for the versions of records. Raises ValueError for other files.
    """
    version = npy.read_magic(file)
    return version, HEADERS.get(version)


def parse_arrays(data: bytes, name: str, array: str | None) -> Table:
    """Read the arrays of an NPZ or NPY file; `array` chooses one if several could be the table.

    N × D numbers are rows; N × height × width, or N × height × width × 3, are images. Arrays with N
    entries are further columns (`beside`). If no array can be chosen, the table has no columns and
    `arrays` lists the candidates. Raises DataError for pickled objects, damaged files and arrays of
    the wrong kind.
    """
    archive = None if data.startswith(NPY_MAGIC) else _open(data, name)
    arrays = _declared(data, archive, name)
    candidates = tuple(key for key, values in arrays.items() if _is_rows(values))
    if array is not None and array not in arrays:
        raise DataError(f"{name} has no array {array!r}. It has {_described(arrays)}.")
    chosen = array or (candidates[0] if len(candidates) == 1 else None)
    if chosen is None:
        if not candidates:
            raise DataError(
                f"{name} has no table: an array of numbers with at least 2 rows, N × D, or "
                f"images N × height × width. It has {_described(arrays)}."
            )
        empty = np.zeros(0, dtype=np.int64)
        return Table(name, (), empty, "row", (), arrays=candidates)
    declared = arrays[chosen]
    if not _is_rows(declared):
        raise DataError(
            f"{name}: the array {_described({chosen: declared})} cannot be used. "
            f"{_why_not(declared)}"
        )
    n_rows, width = declared.shape[0], prod(declared.shape[1:])
    check_at_most(width, MOST_COLUMNS, "columns", name, "Leave out columns.")
    check_at_most(n_rows * width, MOST_VALUES, "values", name, "Use fewer rows.")
    values = _values(data, archive, chosen, declared, name)
    flat = np.require(values.reshape(n_rows, -1), np.float64, ["C", "A"])
    columns = tuple(Column(f"column {d + 1}", column) for d, column in enumerate(flat.T))
    beside = tuple(
        _beside(key, _values(data, archive, key, other, name), name)
        for key, other in arrays.items()
        if key != chosen and _is_beside(other, n_rows)
    )
    return Table(
        name=name,
        columns=columns,
        places=np.arange(len(values)),
        unit="row",
        notes=() if len(arrays) == 1 else (f"The array {chosen!r} was read.",),
        array=chosen,
        arrays=candidates,
        beside=beside,
        image_shape=values.shape[1:] if values.ndim > 2 else None,
        is_bytes=values.dtype == np.uint8,
    )


def _open(data: bytes, name: str) -> Archive:
    archive = open_archive(data, name)
    wrong = [member for member in archive.members if not member.endswith(".npy")]
    if wrong:
        raise DataError(
            f"{name} is a zip file, but not an NPZ file: it contains {listed(wrong)}. Save a table "
            "as CSV; load a zip of images as images."
        )
    return archive


def _declared(data: bytes, archive: Archive | None, name: str) -> dict[str, Declared]:
    """Return the headers of all arrays; the values are not read."""
    if archive is None:
        return {"array": _header(data, len(data), name)}
    return {
        member.removesuffix(".npy"): _header(
            archive.read(member, LONGEST_HEADER), archive.size(member), f"{name}: {member}"
        )
        for member in archive.members
    }


def _header(head: bytes, size: int, name: str) -> Declared:
    """Read the header of an array and check it against the number of bytes that follow."""
    file = io.BytesIO(head)
    with parsing(name):
        _, read = npy_version(file)
        if read is None:
            raise DataError(f"{name} has records with named fields. Save plain arrays of numbers.")
        shape, fortran_order, dtype = read(file)
    if dtype.hasobject:
        raise DataError(
            f"{name} holds Python objects, which could run code when read, and was refused. "
            "Save it as numbers, or as text with array.astype(str)."
        )
    if any(length < 0 for length in shape):
        raise DataError(f"{name} is damaged: its header declares an axis below 0. Save it again.")
    expected, available = prod(shape) * dtype.itemsize, size - file.tell()
    if expected != available:
        raise DataError(
            f"{name} is damaged or cut off: its header declares {in_words(expected)} bytes, but "
            f"{available} follow. Save it again."
        )
    return Declared(tuple(map(int, shape)), dtype, fortran_order, file.tell())


def _values(
    data: bytes, archive: Archive | None, key: str, declared: Declared, name: str
) -> NDArray[Any]:
    """Read an array whose header has been checked."""
    whole = data if archive is None else archive.read(f"{key}.npy")
    if len(whole) - declared.start != prod(declared.shape) * declared.dtype.itemsize:
        raise DataError(f"{name}: {key} is damaged or cut off. Save it again.")
    flat = np.frombuffer(whole, dtype=np.uint8, offset=declared.start).view(declared.dtype)
    return flat.reshape(declared.shape, order="F" if declared.fortran_order else "C")


def _is_rows(values: Declared) -> bool:
    axes = len(values.shape)
    is_image = axes == 3 or (axes == 4 and values.shape[3] == 3)
    return values.dtype.kind in "fiub" and (axes == 2 or is_image) and min(values.shape) > 0


def _is_beside(values: Declared, n_rows: int) -> bool:
    readable = values.dtype.kind in "fiubU" and values.dtype.itemsize > 0
    return readable and values.shape == (n_rows,)


def _why_not(values: Declared) -> str:
    if values.dtype.kind == "c":
        return "Complex data are not supported; save real and imaginary parts as columns."
    if values.dtype.kind not in "fiub":
        return "Only arrays of numbers can be learnt."
    return "Choose one with rows and columns (N × D), or images (N × height × width, or with × 3)."


def _described(arrays: Mapping[str, Declared]) -> str:
    return listed(
        [
            f"{key!r} ({' × '.join(map(str, values.shape)) or 'a single value'}, {values.dtype})"
            for key, values in arrays.items()
        ]
    )


def _beside(key: str, values: NDArray[Any], name: str) -> Column:
    if values.dtype.kind != "U":
        return Column(key, values.astype(np.float64))
    try:
        # Replace lone surrogates, because they cannot be displayed or encoded.
        texts = [str(text).encode("utf-8", "replace").decode() for text in values]
    except (ValueError, SystemError) as error:  # values that are not Unicode characters
        raise DataError(f"{name}: the text in {key!r} is damaged. Save it again.") from error
    return Column(key, None, tuple(texts), 0)
