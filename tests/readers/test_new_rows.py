"""New rows are matched to a data set's columns; unusable ones have a clear message."""

import csv
import io

import numpy as np
import pytest
from PIL import Image

from gplvm_core.datasets import load_dataset
from gplvm_core.readers import DataError, Dataset, Drawing, NamedBytes
from gplvm_core.readers.new_rows import formats, read_rows


@pytest.fixture(scope="module")
def flow() -> Dataset:
    return load_dataset("flow")


def test_columns_are_found_by_name_in_any_order_and_absent_ones_are_gaps(flow):
    names = list(flow.column_names)
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(["note", *names[::-1][:-1]])
    writer.writerow(["a", *flow.values[3, ::-1][:-1]])
    writer.writerow(["b", *[""] * 5, *flow.values[4, ::-1][5:-1]])
    rows = read_rows(NamedBytes("mine.csv", table.getvalue().encode()), flow)
    np.testing.assert_allclose(rows.values[0, 1:], flow.values[3, 1:])
    assert np.isnan(rows.values[:, 0]).all()
    assert np.isnan(rows.values[1, -5:]).all()
    assert any(names[0] in note and "missing in every row" in note for note in rows.notes)
    assert any("note" in note for note in rows.notes)


def test_arrays_are_read_and_the_one_that_fits_is_taken(flow):
    file = io.BytesIO()
    np.savez(file, other=np.zeros((2, 3)), rows=flow.values[:2])
    np.testing.assert_allclose(
        read_rows(NamedBytes("a.npz", file.getvalue()), flow).values, flow.values[:2]
    )
    file = io.BytesIO()
    np.savez(file, one=flow.values[:2], two=flow.values[:2])
    with pytest.raises(DataError, match="several arrays"):
        read_rows(NamedBytes("a.npz", file.getvalue()), flow)


def test_too_many_rows_are_refused(flow):
    file = io.BytesIO()
    np.save(file, np.zeros((5001, 12), dtype=np.float32))
    with pytest.raises(DataError, match="5,001 rows"):
        read_rows(NamedBytes("a.npy", file.getvalue()), flow)
    with pytest.raises(DataError, match="MB"):
        read_rows(NamedBytes("a.npy", b"x" * (11 * 2**20)), flow)


@pytest.fixture
def pictures() -> Dataset:
    values = np.random.default_rng(0).uniform(0, 255, (5, 12)).astype(np.float32)
    return Dataset("p", "P", values, Drawing("image", (3, 4), (0.0, 255.0)))


def png(pixels: np.ndarray) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, format="PNG")
    return file.getvalue()


def test_a_picture_is_read_in_the_models_size_and_transparency_is_a_gap(pictures):
    pixels = np.zeros((6, 8, 4), np.uint8)
    pixels[..., :3] = 200
    pixels[:, 4:, 3] = 255
    rows = read_rows(NamedBytes("me.png", png(pixels)), pictures)
    image = rows.values.reshape(3, 4)
    assert np.isnan(image[:, :2]).all()
    np.testing.assert_allclose(image[:, 2:], 200)
    assert any("Resized from 8 × 6" in note for note in rows.notes)
    assert "png" in formats(pictures.drawing)
    with pytest.raises(DataError, match="not a picture"):
        read_rows(NamedBytes("me.png", b"\x89PNG cut off"), pictures)


def test_pixels_in_other_units_are_pointed_out(pictures):
    file = io.BytesIO()
    np.save(file, np.random.default_rng(0).uniform(size=(2, 3, 4)))
    rows = read_rows(NamedBytes("a.npy", file.getvalue()), pictures)
    assert any("units different" in note for note in rows.notes)


def test_a_file_on_disk_is_read_like_an_upload(tmp_path, flow):
    path = tmp_path / "rows.csv"
    path.write_text(",".join(["1"] * 11 + ["NA"]) + "\n")
    by_path = read_rows(path, flow)
    by_bytes = read_rows(NamedBytes("rows.csv", path.read_bytes()), flow)
    np.testing.assert_array_equal(by_path.values, by_bytes.values)
    np.testing.assert_array_equal(by_path.values, [[1.0] * 11 + [np.nan]])
    assert by_path.mark == by_bytes.mark != read_rows(NamedBytes("a", b"1" + b",2" * 11), flow).mark
