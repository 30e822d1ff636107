"""Arrays with a JSON header as one piece of bytes that a browser can read without a library.

uint32 header length (little-endian), JSON header, zeros up to a multiple of 8, then the arrays,
each on a multiple of 8; `header["arrays"]` says name, dtype, shape and offset.
"""

import json
import struct
from typing import Any

import numpy as np
from numpy import ndarray as Array

DTYPES = ("float64", "float32", "int32", "uint8")


def frame(header: dict[str, Any], arrays: dict[str, Array]) -> bytes:
    """Header and arrays as framed bytes; arrays keep their dtype (one of `DTYPES`)."""
    body = bytearray()
    entries = {}
    for name, array in arrays.items():
        if array.dtype.name not in DTYPES:
            raise TypeError(f"{name} has dtype {array.dtype}; the canvas reads {DTYPES}.")
        body += bytes(-len(body) % 8)
        entries[name] = {
            "dtype": array.dtype.name,
            "shape": list(array.shape),
            "offset": len(body),
        }
        body += np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"))).tobytes()
    text = json.dumps({**header, "arrays": entries}, allow_nan=False).encode()
    head = struct.pack("<I", len(text)) + text
    return head + bytes(-len(head) % 8) + bytes(body)


def unframe(data: bytes) -> tuple[dict[str, Any], dict[str, Array]]:
    """The inverse of `frame`."""
    (length,) = struct.unpack_from("<I", data)
    header = json.loads(data[4 : 4 + length])
    start = 4 + length + (-(4 + length) % 8)
    arrays = {}
    for name, entry in header["arrays"].items():
        dtype = np.dtype(entry["dtype"]).newbyteorder("<")
        size = int(np.prod(entry["shape"]))
        values = np.frombuffer(data, dtype, size, start + entry["offset"])
        arrays[name] = values.reshape(entry["shape"])
    return header, arrays
