"""Motion capture files with a wrong header."""

import struct

from tests.fuzz.samples import markers


def changed(place: int, form: str, value: float) -> bytes:
    """A C3D file with another number at a byte of its header.

    Positions of the bytes: 0 block of parameters, 2 number of markers, 8 last frame, 16 block of
    data, 20 frames per second.
    """
    data = bytearray(markers())
    struct.pack_into(form, data, place, value)
    return bytes(data)
