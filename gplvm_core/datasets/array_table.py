"""Tables as arrays: NPZ and NPY files, read without pickle."""

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gplvm_core.datasets.columns import Column, Table
from gplvm_core.datasets.errors import DataError, listed
from gplvm_core.datasets.sources import open_archive

ZIP_MAGIC, NPY_MAGIC = b"PK", b"\x93NUMPY"


def is_array_file(data: bytes) -> bool:
    return data.startswith((ZIP_MAGIC, NPY_MAGIC))


def parse_arrays(data: bytes, name: str, array: str | None) -> Table:
    """The arrays of an NPZ or NPY file; `array` chooses one when several could be the table.

    N × D numbers are rows; N × height × width, or with 3 colours behind, are images. Arrays of N
    entries stand beside it. Without a choice, the table has no columns and `arrays` lists them.
    Raises DataError for pickled objects, damaged files and arrays of the wrong kind.
    """
    arrays = _read_all(data, name)
    candidates = tuple(key for key, values in arrays.items() if _is_rows(values))
    if array is not None and array not in arrays:
        raise DataError(f"{name} holds no array {array!r}, only {_described(arrays)}.")
    chosen = array or (candidates[0] if len(candidates) == 1 else None)
    if chosen is None:
        if not candidates:
            raise DataError(
                f"{name} holds no table: an array of numbers with at least 2 rows, N × D, or "
                f"images N × height × width. It holds {_described(arrays)}."
            )
        empty = np.zeros(0, dtype=np.int64)
        return Table(name, (), empty, "row", (), arrays=candidates)
    values = arrays[chosen]
    if not _is_rows(values):
        raise DataError(
            f"{name}: the array {_described({chosen: values})} cannot be used. {_why_not(values)}"
        )
    flat = values.reshape(len(values), -1)
    columns = tuple(
        Column(f"column {d + 1}", column.astype(np.float64)) for d, column in enumerate(flat.T)
    )
    beside = tuple(
        _beside(key, other)
        for key, other in arrays.items()
        if key != chosen and other.shape == (len(values),) and other.dtype.kind in "fiubU"
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


def _read_all(data: bytes, name: str) -> dict[str, NDArray[Any]]:
    if data.startswith(NPY_MAGIC):
        return {"array": _read_npy(data, name)}
    archive = open_archive(data, name)
    wrong = [member for member in archive.members if not member.endswith(".npy")]
    if wrong:
        raise DataError(
            f"{name} is a zip file, but no NPZ: it holds {listed(wrong)}. Save a table as "
            "CSV; load a zip of images as images."
        )
    return {
        member.removesuffix(".npy"): _read_npy(archive.read(member), f"{name}: {member}")
        for member in archive.members
    }


def _read_npy(data: bytes, name: str) -> NDArray[Any]:
    """One array, once its header agrees with the number of bytes that follow it."""
    file = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(file)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }.get(version)
        if read is None:
            raise DataError(f"{name} has records with named fields. Save plain arrays of numbers.")
        shape, fortran_order, dtype = read(file)
    except DataError:
        raise
    except Exception as error:  # a damaged header raises whatever its text leads to
        raise DataError(f"{name} is damaged or cut off: {error}. Save it again.") from error
    if dtype.hasobject:
        raise DataError(
            f"{name} holds Python objects, which could run code when read, and was refused. "
            "Save it as numbers, or as text with array.astype(str)."
        )
    expected = int(np.prod(shape, dtype=object)) * dtype.itemsize
    available = len(data) - file.tell()
    if expected != available:
        raise DataError(
            f"{name} is damaged or cut off: its header announces {expected} bytes, and "
            f"{available} follow. Save it again."
        )
    flat = np.frombuffer(data, dtype=np.uint8, offset=file.tell()).view(dtype)
    return flat.reshape(shape, order="F" if fortran_order else "C")


def _is_rows(values: NDArray[Any]) -> bool:
    is_image = values.ndim == 3 or (values.ndim == 4 and values.shape[3] == 3)
    return values.dtype.kind in "fiub" and (values.ndim == 2 or is_image) and min(values.shape) > 0


def _why_not(values: NDArray[Any]) -> str:
    if values.dtype.kind == "c":
        return "Complex data are not supported; save real and imaginary parts as columns."
    if values.dtype.kind not in "fiub":
        return "Only numbers can be learnt."
    return "Choose one with rows and columns (N × D), or images (N × height × width, or with × 3)."


def _described(arrays: Mapping[str, NDArray[Any]]) -> str:
    return listed(
        [
            f"{key!r} ({' × '.join(map(str, values.shape)) or 'a single value'}, {values.dtype})"
            for key, values in arrays.items()
        ]
    )


def _beside(name: str, values: NDArray[Any]) -> Column:
    if values.dtype.kind == "U":
        return Column(name, None, tuple(str(text) for text in values), 0)
    return Column(name, values.astype(np.float64))
