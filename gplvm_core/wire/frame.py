"""A byte format for arrays with a JSON header; a browser can read it without a library.

uint32 header length (little-endian), JSON header, zeros up to a multiple of 8, then the arrays,
each on a multiple of 8. `header["arrays"]` contains the name, dtype, shape and offset of every
array, and the rows' steps of every rounded array.
"""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from jaxtyping import Float, Int16
from numpy import ndarray as Array

DTYPES = ("float64", "float32", "int32", "int16", "uint8")
MOST_STEPS = 32767  # largest count, positive or negative, in 16 bits


@dataclass(frozen=True, eq=False)
class Rounded:
    """Numbers in 16 bits: every row has a step, and its numbers are multiples of this step."""

    counts: Int16[Array, "R D"]
    steps: Float[Array, " R"]

    @classmethod
    def of(cls, numbers: Float[Array, "R D"]) -> Self:
        """Round to the nearest step; the largest number of a row is 32767 steps."""
        steps = np.abs(numbers).max(axis=1, initial=0.0) / MOST_STEPS
        counts = np.rint(numbers / np.where(steps > 0, steps, 1.0)[:, None])
        return cls(counts.astype(np.int16), steps)

    @property
    def numbers(self) -> Float[Array, "R D"]:
        """The numbers as the browser restores them, in single precision."""
        return (self.counts * self.steps[:, None]).astype(np.float32)


def frame(header: dict[str, Any], arrays: Mapping[str, Array | Rounded]) -> bytes:
    """Pack header and arrays into bytes; arrays keep their dtype (one of `DTYPES`)."""
    body = bytearray()
    entries = {}
    for name, given in arrays.items():
        array = given.counts if isinstance(given, Rounded) else given
        if array.dtype.name not in DTYPES:
            raise TypeError(f"{name} has dtype {array.dtype}; the canvas reads {DTYPES}.")
        body += bytes(-len(body) % 8)
        entries[name] = {
            "dtype": array.dtype.name,
            "shape": list(array.shape),
            "offset": len(body),
        }
        if isinstance(given, Rounded):
            entries[name]["steps"] = given.steps.tolist()
        body += np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"))).tobytes()
    text = json.dumps({**header, "arrays": entries}, allow_nan=False).encode()
    head = struct.pack("<I", len(text)) + text
    return head + bytes(-len(head) % 8) + bytes(body)


def unframe(data: bytes) -> tuple[dict[str, Any], dict[str, Array]]:
    """Unpack the bytes of `frame`; rounded arrays become the numbers that the browser restores."""
    (length,) = struct.unpack_from("<I", data)
    header = json.loads(data[4 : 4 + length])
    start = 4 + length + (-(4 + length) % 8)
    arrays = {}
    for name, entry in header["arrays"].items():
        dtype = np.dtype(entry["dtype"]).newbyteorder("<")
        size = int(np.prod(entry["shape"]))
        values = np.frombuffer(data, dtype, size, start + entry["offset"]).reshape(entry["shape"])
        if "steps" in entry:
            values = Rounded(values, np.array(entry["steps"])).numbers
        arrays[name] = values
    return header, arrays
