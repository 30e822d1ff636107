"""Tests of the function that reads named bytes of any file format into a data set."""

import builtins
import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from gplvm_core.readers import (
    DataError,
    NamedBytes,
    inspect_table,
    read_bvh,
    read_file,
    read_images,
    read_table,
    read_video,
)
from gplvm_core.readers.files import ENDINGS, READERS
from gplvm_core.readers.tables.table import rows_with_values
from tests.readers.small_bvh import bvh

TABLE = b"a,b,kind\n1,2,x\n3,4,y\n5,,x\n"


def picture(shade: int) -> Image.Image:
    return Image.fromarray(np.full((3, 4), shade, np.uint8))


def images() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for shade in (10, 200):
            member = io.BytesIO()
            picture(shade).save(member, "PNG")
            archive.writestr(f"{shade}.png", member.getvalue())
    return file.getvalue()


def gif() -> bytes:
    file = io.BytesIO()
    picture(10).save(file, "GIF", save_all=True, append_images=[picture(200)], duration=40)
    return file.getvalue()


def npz() -> bytes:
    file = io.BytesIO()
    np.savez(file, values=np.arange(6.0).reshape(3, 2))
    return file.getvalue()


FILES = {
    "my_table.csv": (TABLE, read_table, {"label_column": "kind"}),
    "MY_TABLE.CSV": (TABLE, read_table, {"id_columns": ("kind",)}),
    "arrays.npz": (npz(), read_table, {}),
    "photos.zip": (images(), read_images, {"max_side": 2}),
    "film.gif": (gif(), read_video, {"max_side": 2}),
    "walk.bvh": (bvh().encode(), read_bvh, {"every": 2}),
}


@pytest.mark.parametrize("name", FILES)
def test_bytes_with_a_name_are_read_as_the_file_is_and_no_file_is_made(name, tmp_path, monkeypatch):
    data, reader, options = FILES[name]
    path = tmp_path / name
    path.write_bytes(data)
    by_path = reader(path, **options)

    def no_file(*_: object, **__: object) -> None:
        raise AssertionError("a file was opened, although the bytes were given")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", no_file)
        patched.setattr(builtins, "open", no_file)
        found = read_file(NamedBytes(name, data), **options)
    assert (found.name, found.title, found.source) == (by_path.name, by_path.title, by_path.source)
    np.testing.assert_array_equal(found.targets, by_path.targets)
    assert found.drawing == by_path.drawing and found.notes == by_path.notes


def test_a_path_is_read_by_its_name_and_bytes_without_a_name_as_a_table(tmp_path):
    path = tmp_path / "film.gif"
    path.write_bytes(gif())
    assert read_file(path).times is not None
    assert read_file(TABLE, label_column="kind").column_names == ("a", "b")


def test_every_ending_has_a_reader_and_mistakes_name_the_file():
    assert set(ENDINGS.values()) == set(READERS)
    for ending in ENDINGS:
        with pytest.raises(DataError, match=rf"^broken\.{ending}"):
            read_file(NamedBytes(f"broken.{ending}", b"\x00 nothing of the kind"))


def test_the_inspection_of_a_table_has_the_name_of_the_file():
    assert inspect_table(NamedBytes("wide.csv", TABLE)).name == "wide.csv"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_rows_without_any_value_are_counted_in_any_encoding(encoding, delimiter):
    lines = ["été,b,id", "1,2,p", ",,", ",,q", "3,,r", "4,5,s", ",,"]
    text = "\n".join(lines).replace(",", delimiter)
    file = NamedBytes("gaps.csv", text.encode(encoding))
    rows, count = rows_with_values(file, id_columns=("id",))
    # The last line is empty, so it is not a row.
    assert (rows.tolist(), count) == ([0, 3, 4], 5)
    assert rows_with_values(file, label_column="id")[0].tolist() == [0, 3, 4]
