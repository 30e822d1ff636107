"""Tests that new rows are matched to a data set's columns, or cause clear messages."""

import csv
import io

import numpy as np
import pytest
from PIL import Image

from gplvm_core.datasets import load_dataset
from gplvm_core.readers import DataError, Dataset, Drawing, NamedBytes, read_table
from gplvm_core.readers.misfits import (
    code_misfits,
    mended,
    unit_misfits,
    written_misfits,
)
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


def test_a_file_beyond_the_limit_names_the_way(flow):
    with pytest.raises(DataError, match=r"51 MB; up to 50 MB are uploaded.*of any size from disk"):
        read_rows(NamedBytes("a.npy", b"x" * (51 * 2**20)), flow)


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


def test_pixels_in_other_units_are_pointed_out_and_mended(pictures):
    file = io.BytesIO()
    np.save(file, np.random.default_rng(0).uniform(size=(2, 3, 4)))
    source = NamedBytes("a.npy", file.getvalue())
    rows = read_rows(source, pictures)
    (misfit,) = rows.misfits
    assert "units different" in misfit.words
    mended = read_rows(source, pictures, (misfit.mend,))
    np.testing.assert_allclose(mended.values, 255 * rows.values)
    assert not mended.misfits


def csv_of(*rows: list[str], delimiter: str = ",") -> NamedBytes:
    table = io.StringIO()
    csv.writer(table, delimiter=delimiter).writerows(rows)
    return NamedBytes("mine.csv", table.getvalue().encode())


def test_cells_without_a_number_become_gaps_that_are_named(flow):
    names = list(flow.column_names)
    row = [str(value).replace(".", ",") for value in flow.values[0]]
    broken, measured = ["broken", *row[1:]], ["7,5", *row[1:-1], "inf"]
    table = csv_of(names, broken, row, measured, delimiter=";")
    rows = read_rows(table, flow)
    assert np.isnan(rows.values[0, 0]) and not np.isnan(rows.values[0, 1:]).any()
    np.testing.assert_allclose(rows.values[1], flow.values[0], rtol=1e-6)
    assert rows.values[2, 0] == 7.5  # the cell had a decimal comma
    assert np.isnan(rows.values[2, -1])
    assert [misfit.column for misfit in rows.misfits] == [names[0], names[-1]]
    assert "“broken”, line 2" in rows.misfits[0].words


def test_a_column_of_another_spelling_is_offered_and_used_once_confirmed(flow):
    names = list(flow.column_names)
    spelt = [f"{names[0].upper()} (mm)", *names[1:]]
    table = csv_of(spelt, flow.values[0].tolist())
    rows = read_rows(table, flow)
    assert np.isnan(rows.values[0, 0])
    (misfit,) = rows.misfits
    assert misfit.mend == ("use", names[0], spelt[0])
    mended = read_rows(table, flow, (misfit.mend,))
    np.testing.assert_allclose(mended.values[0], flow.values[0], rtol=1e-6)
    # the columns are in the model's order, and no others remain
    assert not mended.misfits and not mended.columns


def test_rows_without_values_are_named_and_left_out(flow):
    row, gaps = flow.values[0].tolist(), [""] * 12
    head = ["id", *flow.column_names]
    rows = read_rows(csv_of(head, ["a", *row], ["b", *gaps], ["c", *row]), flow)
    assert rows.values.shape == (2, 12)
    assert [rows.number(0), rows.number(1)] == [1, 3]
    assert list(rows.row_names) == ["a", "c"]
    assert any("Row 2 is left out: no value is given" in note for note in rows.notes)
    assert next(each for each in rows.columns if each.name == "id").cells == ("a", "c")
    with pytest.raises(DataError, match="no row has a value"):
        read_rows(csv_of(head, ["a", *["low"] * 12], ["b", *["high"] * 12]), flow)


def test_empty_rows_of_a_sequence_stay_as_frames(flow):
    row, gaps = flow.values[0].tolist(), [""] * 12
    head = ["time", *flow.column_names]
    rows = read_rows(csv_of(head, [0, *row], [1, *gaps], [2, *gaps]), flow, empty_rows=True)
    assert rows.values.shape == (3, 12) and np.isnan(rows.values[1:]).all()
    assert next(each for each in rows.columns if each.name == "time").cells == ("0", "1", "2")
    with pytest.raises(DataError, match="no row has a value"):
        read_rows(csv_of(head, [0, *["NA"] * 12], [1, *["NA"] * 12]), flow, empty_rows=True)
    # If a file has no column of times, an empty line is a frame; otherwise every line needs a time.
    table = (flow.column_names, row, gaps, gaps, row, gaps)
    rows = read_rows(csv_of(*table), flow, empty_rows=True)
    assert np.isnan(rows.values).all(axis=1).tolist() == [False, True, True, False]
    assert "Lines without any value are empty rows: 3, 4." in rows.notes
    assert read_rows(csv_of(*table), flow).values.shape == (2, 12)
    rows = read_rows(csv_of(head, [0, *row], ["", *gaps], [2, *row]), flow, empty_rows=True)
    assert rows.values.shape == (2, 12)


def test_a_column_in_another_unit_is_found():
    known = np.random.default_rng(0).normal(13.0, 1.0, (200, 2))
    own = known[:10] * [1000.0, 1.0]
    (misfit,) = unit_misfits(own, known, ["alcohol", "hue"])
    assert misfit.button == "Divide by 1,000"
    right = mended(own, ["alcohol", "hue"], (misfit.mend,))
    np.testing.assert_allclose(right, known[:10])
    assert not unit_misfits(right, known, ["alcohol", "hue"])


def test_another_unit_beside_the_numbers_is_named():
    known = read_table(b"price;share\n1 \xe2\x82\xac;1 %\n2 \xe2\x82\xac;3 %\n4 \xe2\x82\xac;2 %\n")
    new = read_rows(b"price;share\n$ 1;1 %\n$ 2;3 %\n", known)
    (misfit,) = written_misfits(new.notes, known.notes)
    assert misfit.words.startswith("Column “price” is in $, but in € in the training rows.")


def test_a_number_for_missing_values_is_found_far_from_the_training_rows():
    known = np.random.default_rng(0).normal(13.0, 1.0, (200, 2))
    own = known[:4].copy()
    own[1:3, 1] = -999.0
    (misfit,) = code_misfits(own, known, ["wind", "rain"])
    assert misfit.words.startswith("−999 occurs 2 times, far from all training rows (in rain)")
    right = mended(own, ["wind", "rain"], (misfit.mend,))
    np.testing.assert_array_equal(right, np.where(own == -999.0, np.nan, own))
    assert not code_misfits(right, known, ["wind", "rain"])
    assert not code_misfits(own, np.vstack([known, own]), ["wind", "rain"])


def test_a_file_on_disk_is_read_like_an_upload(tmp_path, flow):
    path = tmp_path / "rows.csv"
    path.write_text(",".join(["1"] * 11 + ["NA"]) + "\n")
    by_path = read_rows(path, flow)
    by_bytes = read_rows(NamedBytes("rows.csv", path.read_bytes()), flow)
    np.testing.assert_array_equal(by_path.values, by_bytes.values)
    np.testing.assert_array_equal(by_path.values, [[1.0] * 11 + [np.nan]])
    assert by_path.mark == by_bytes.mark != read_rows(NamedBytes("a", b"1" + b",2" * 11), flow).mark


def test_a_wrong_cell_does_not_change_the_decimal_sign():
    dataset = Dataset("a", "A", np.ones((2, 2)), Drawing("bars", (2,)), column_names=("a", "c"))
    cells = ["66.880", "67.123", "67.000", "67.001", "66.999", "66.998", "66.997", "66.996"]
    lines = ["a;c", *[f"1,5;{cell}" for cell in cells]]
    for last in ("68.000", "none of them"):
        rows = read_rows(NamedBytes("a.csv", "\n".join([*lines, f"1,5;{last}"]).encode()), dataset)
        assert rows.values[:2].tolist() == [[1.5, 66880], [1.5, 67123]]
    assert np.isnan(rows.values[-1, 1]) and "“none of them”" in rows.misfits[0].words


def test_an_empty_last_column_is_in_the_table():
    dataset = Dataset("a", "A", np.ones((2, 2)), Drawing("bars", (2,)), column_names=("a", "c"))
    rows = read_rows(NamedBytes("a.csv", b"a;c\n1,5;\n2,5;\n"), dataset)
    np.testing.assert_array_equal(rows.values, [[1.5, np.nan], [2.5, np.nan]])
    assert not any("not in the table" in note for note in rows.notes)
