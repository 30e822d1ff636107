"""Motion capture files with a wrong header."""

import struct

from tests.fuzz.samples import markers


def changed(place: int, form: str, value: float) -> bytes:
    """Return a C3D file with another number at one byte of its header.

    Bytes: 0 block of parameters, 2 number of markers, 8 last frame, 16 block of data, 20 frames per
    second.
    """
    data = bytearray(markers())
    struct.pack_into(form, data, place, value)
    return bytes(data)
