"""Tests that small files need little memory: wrong declarations are refused before allocation."""

import gzip
import io
import re
import time
import tracemalloc
import zipfile
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from gplvm_core.readers import (
    DataError,
    inspect_table,
    read_bvh,
    read_images,
    read_table,
    read_video,
)
from gplvm_core.readers.pictures.images import natural
from tests.readers.small_bvh import bvh

SECONDS, MEGABYTES = 20.0, 200  # in earlier versions, such files took minutes and gigabytes


def npz_of_zeros() -> bytes:
    """Return a few bytes that unpack to 200 million zeros."""
    file = io.BytesIO()
    np.savez_compressed(file, x=np.zeros((20_000, 10_000), dtype=np.uint8))
    return file.getvalue()


def still_gif(side: int, count: int) -> bytes:
    """Return frames of one pixel on a canvas of this declared size."""
    file = io.BytesIO()
    first, second = (Image.new("L", (1, 1), shade) for shade in (0, 1))
    first.save(file, "GIF", save_all=True, append_images=[second, first] * (count // 2))
    data = bytearray(file.getvalue())
    data[6:10] = 2 * side.to_bytes(2, "little")
    return bytes(data)


def pngs(side: int, count: int) -> bytes:
    picture, file = io.BytesIO(), io.BytesIO()
    Image.new("1", (side, side)).save(picture, "PNG")
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(count):
            archive.writestr(f"{number}.png", picture.getvalue())
    return file.getvalue()


def long_motion() -> bytes:
    """Return a gzip of a motion that declares more frames than the reader accepts."""
    text = bvh(announced=10**9)
    return gzip.compress(text.encode() + b"0 0 0 0 0 0\n" * 1_000_000)


def big_head_npy(shape: str) -> bytes:
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    head = text.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode()


BOMBS: dict[str, tuple[Callable[[], bytes], Callable[[bytes], object], str]] = {
    "zeros": (npz_of_zeros, read_table, "values; up to 20,000,000"),
    "gif": (lambda: still_gif(6000, 20), read_video, "frames of 6000 × 6000"),
    "pngs": (lambda: pngs(6000, 20), read_images, "million together"),
    "kept": (
        lambda: still_gif(400, 140),
        lambda data: read_video(data, max_side=400),
        "22,560,000 pixels; up to 20,000,000 are read",
    ),
    "motion": (long_motion, read_bvh, "Frames|numbers; up to 20,000,000"),
    "npy": (lambda: big_head_npy("(10000000, 10000000)"), read_table, "declares"),
    "below": (lambda: big_head_npy("(-1, -2)") + bytes(16), read_table, "below 0"),
    "digits": (lambda: big_head_npy(f"({'9' * 60},)"), read_table, "damaged"),
    "wide": (lambda: b"1," * 100_001 + b"1\n" + b"2," * 100_001 + b"2\n", read_table, "columns"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_file_that_announces_too_much_is_refused_at_once(name):
    make, read, words = BOMBS[name]
    data = make()
    tracemalloc.start()
    start = time.process_time()
    with pytest.raises(DataError, match=words) as told:
        read(data)
    seconds, (_, peak) = time.process_time() - start, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert seconds < SECONDS
    assert peak < MEGABYTES * 2**20
    assert len(str(told.value)) < 1000


@pytest.mark.parametrize(
    ("same", "count"),
    [
        (False, 10_000),
        pytest.param(False, 30_000, marks=pytest.mark.slow),
        pytest.param(True, 30_000, marks=pytest.mark.slow),
    ],
)
def test_many_named_columns_take_a_moment(same, count):
    names = ["x" if same else f"name {n}" for n in range(count)]
    text = "\n".join([",".join(names), ",".join(["1"] * count), ",".join(["2"] * count)])
    start = time.process_time()
    report = inspect_table(text.encode())
    assert len({column.name for column in report.columns}) == count
    assert time.process_time() - start < SECONDS * count / 30_000


def test_many_small_pictures_take_a_moment():
    start = time.process_time()
    assert read_images(pngs(2, 2000)).n_points == 2000
    assert time.process_time() - start < SECONDS


def test_an_archive_with_a_nameless_member_is_refused():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("x", b"1")
    # Set the length of the name to 0 in the zip's central directory.
    nameless = bytearray(file.getvalue())
    at = nameless.index(b"PK\x01\x02")
    nameless[at + 28 : at + 30] = b"\0\0"
    del nameless[at + 46]
    end = nameless.index(b"PK\x05\x06")
    size = int.from_bytes(nameless[end + 12 : end + 16], "little") - 1
    nameless[end + 12 : end + 16] = size.to_bytes(4, "little")
    with pytest.raises(DataError, match="no name"):
        read_images(bytes(nameless))


def test_text_from_a_file_is_shortened_in_messages():
    with pytest.raises(DataError) as told:
        read_table(b"a,b\n1,2\n3," + b"z" * 100_000 + b"\n")
    assert len(str(told.value)) < 1000
    assert "is not a number" in str(told.value)


def test_numbers_of_thousands_of_digits_are_no_surprise():
    digits = "9" * 5000
    for text in (f"0,1,{digits}\n1,2,3\n3,4,5\n", f"a,b\n1,{digits}\n2,3\n"):
        with pytest.raises(DataError, match="infinite"):
            read_table(text.encode(), header=text[0] == "a")
    with pytest.raises(DataError, match=r"Frames|numbers"):
        read_bvh(re.sub(r"Frames: \d+", f"Frames: {digits}", bvh()).encode())
    names = [f"{digits}.png", "9.png", "10.png", "010.png"]
    assert sorted(names, key=natural) == ["9.png", "010.png", "10.png", f"{digits}.png"]
