"""Tables: what is found out, what is asked, what is refused, and where the fault is."""

import io
import zipfile

import numpy as np
import pytest

from gplvm_core.datasets import DataError, inspect_table, read_table

NUMBERS = np.random.default_rng(2).normal(size=(8, 3))


def csv(header: str = "a,b,c", rows: np.ndarray = NUMBERS, delimiter: str = ",") -> bytes:
    lines = [delimiter.join(repr(float(value)) for value in row) for row in rows]
    return "\n".join([header, *lines] if header else lines).encode()


def npz(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " "])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_delimiters_are_found(delimiter, ending):
    text = csv(delimiter.join("abc"), delimiter=delimiter).decode().replace("\n", ending)
    report, data = inspect_table(text.encode()), read_table(text.encode())
    assert report.delimiter == delimiter and report.header and report.n_rows == 8
    assert data.column_names == ("a", "b", "c")
    np.testing.assert_array_equal(data.targets, NUMBERS)
    assert any("first line" in note for note in data.notes)


def test_a_file_by_path_and_by_bytes_is_the_same(tmp_path):
    path = tmp_path / "my_table.csv"
    path.write_bytes(csv())
    by_path = read_table(path)
    assert (by_path.name, by_path.title) == ("my_table", "my table")
    np.testing.assert_array_equal(by_path.targets, read_table(csv()).targets)


def test_numbers_alone_have_no_header_unless_told():
    assert inspect_table(csv("")).header is False
    assert read_table(csv("")).column_names == ("column 1", "column 2", "column 3")
    assert read_table(csv(""), header=True).n_points == 7


def test_a_line_that_counts_columns_is_a_header():
    report = inspect_table(csv("0,1,2"))
    assert report.header and "counts" in report.header_reason
    assert read_table(csv("0,1,2"), header=False).n_points == 9


def test_decimal_commas_and_comments_and_blank_lines():
    text = b"# made by hand\nx;y\n1,5;2,25\n\n3,5;4,75\n"
    data = read_table(text)
    np.testing.assert_array_equal(data.targets, [[1.5, 2.25], [3.5, 4.75]])
    assert any("Decimal commas" in note for note in data.notes)
    assert any("begin with #" in note for note in data.notes)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_encodings(encoding):
    data = read_table("größe,b\n1,2\n3,5\n".encode(encoding))
    assert data.column_names == ("größe", "b")


def test_quotes_repeated_names_and_empty_last_columns():
    data = read_table(b'"x, left",y,y,\n1,2,3,\n4,5,7,\n')
    assert data.column_names == ("x, left", "y", "y (2)")
    assert any("Empty columns" in note for note in data.notes)


def test_row_names_of_r_have_no_header():
    text = b'"a" "b"\n"r1" 1 2\n"r2" 3 4\n"r3" 5 6\n'
    assert inspect_table(text).id_columns == ("column 1",)
    assert read_table(text, id_columns=["column 1"]).column_names == ("a", "b")


def test_suspicions_come_with_reasons():
    lines = ["id,t,species,a,b,big,flat"]
    for n in range(8):
        a, b, _ = NUMBERS[n]
        lines.append(f"{n + 1},{n / 10},{'xy'[n % 2]},{a},{b},{1e6 * b},7")
    text = "\n".join(lines).encode()
    report = inspect_table(text)
    columns = {column.name: column for column in report.columns}
    assert report.id_columns == ("id",) and "counts the rows from 1" in columns["id"].reason
    assert report.time_column == "t" and "never falling" in columns["t"].reason
    assert report.label_column == "species"
    assert "2 different values" in columns["species"].reason and not columns["species"].numeric
    assert report.constant_columns == ("flat",) and columns["flat"].reason == "always 7"
    assert report.scaling == "columns" and "big" in report.scaling_reason
    data = read_table(
        text,
        label_column=report.label_column,
        id_columns=report.id_columns,
        time_column=report.time_column,
    )
    assert data.column_names == ("a", "b", "big", "flat")
    np.testing.assert_array_equal(data.labels, np.arange(8) % 2)
    assert data.label_names == ("x", "y")
    np.testing.assert_allclose(data.times, np.arange(8) / 10)
    assert any("id" in note for note in data.notes)


def test_ordinary_columns_raise_no_suspicion():
    report = inspect_table(csv())
    assert {column.role for column in report.columns} == {"value"}
    assert report.scaling == "global" and report.scaling_reason == ""
    assert report.columns[0].spread == pytest.approx(NUMBERS[:, 0].std())


def test_numeric_labels_keep_the_order_of_the_numbers():
    data = read_table(b"a,class\n1,10\n2,9\n3,10\n4,9\n", label_column="class")
    assert data.label_names == ("9", "10")
    np.testing.assert_array_equal(data.labels, [1, 0, 1, 0])


def test_missing_values_are_counted_in_the_report_and_refused_when_read():
    text = b"a,b\n1,2\n3,NA\n,6\n7,8\n"
    assert [column.n_missing for column in inspect_table(text).columns] == [1, 1]
    with pytest.raises(DataError, match=r"not supported yet, lines 3, 4.*line 3, column 'b'"):
        read_table(text)
    with pytest.raises(DataError, match="column 'a' is infinite"):
        read_table(b"a,b\n1,2\ninf,4\n")


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (b"", {}, "is empty"),
        (b" \n\n", {}, "is empty"),
        (b"# nothing\n", {}, "holds no rows"),
        (b"a,b\n", {"header": True}, "only a line of column names"),
        (b"a,b\n1,2\n", {}, "one sample"),
        (b"a,b\n", {}, "only a line of column names"),
        (b"1,b\n", {}, "'b' is not a number"),
        (b"a,b,c\n1,2,3\n4,5\n6,7,8\n9,9,9\n", {}, "line 3: 2 cells, but most lines have 3"),
        (b"a,b\n1,2\n3,4,5\n6,7\n", {}, "line 3: 3 cells.*correct the lines 3"),
        (b"a,b\n1,2\n3,four\n5,6\n", {}, "line 3, column 'b': 'four' is not a number"),
        (b'a,b\n1,2\n"3,4\n', {}, "quotation mark"),
        (b"\x00\x01\x02\x03", {}, "not a text file"),
        (csv(), {"label_column": "z"}, "no column 'z'.*'a', 'b', 'c'"),
        (csv(), {"label_column": "a", "time_column": "a"}, "only one of"),
        (csv(), {"id_columns": ["a", "b", "c"]}, "no column is left"),
        (csv(), {"array": "x"}, "is text and holds no array"),
    ],
)
def test_bad_text_is_refused_with_its_place(data, options, words):
    with pytest.raises(DataError, match=words):
        read_table(data, **options)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"no file .*absent\.csv"):
        read_table(tmp_path / "absent.csv")
    with pytest.raises(DataError, match="is not a file"):
        read_table(tmp_path)


def test_npz_with_labels_and_times_beside():
    data = npz(Y=NUMBERS, labels=np.array(list("abababab")), times=np.arange(8.0), other=np.ones(8))
    report = inspect_table(data)
    assert (report.array, report.label_column, report.time_column) == ("Y", "labels", "times")
    read = read_table(data, label_column="labels", time_column="times")
    np.testing.assert_array_equal(read.targets, NUMBERS)
    assert read.label_names == ("a", "b") and read.times[-1] == 7
    assert any("Arrays not used: other" in note for note in read.notes)


def test_one_of_several_arrays_is_chosen_by_name():
    data = npz(train=NUMBERS, test=2 * NUMBERS)
    report = inspect_table(data)
    assert report.array is None and report.arrays == ("train", "test") and report.columns == ()
    with pytest.raises(DataError, match=r"several tables.*'train', 'test'"):
        read_table(data)
    np.testing.assert_array_equal(read_table(data, array="test").targets, 2 * NUMBERS)


def test_arrays_of_images_are_drawn_as_images():
    frames = np.random.default_rng(3).integers(0, 256, (4, 5, 6), dtype=np.uint8)
    read = read_table(npz(frames=frames))
    assert read.targets.dtype == np.uint8 and read.drawing.shape == (5, 6)
    np.testing.assert_array_equal(read.targets.reshape(frames.shape), frames)
    assert inspect_table(npz(frames=frames)).image_shape == (5, 6)
    colour = read_table(npz(frames=np.random.default_rng(4).random((4, 5, 6, 3))))
    assert colour.drawing.shape == (5, 6, 3) and colour.targets.dtype == np.float64


def test_a_single_array_and_fortran_order():
    file = io.BytesIO()
    np.save(file, np.asfortranarray(NUMBERS.astype(np.float32)))
    np.testing.assert_array_equal(read_table(file.getvalue()).targets, NUMBERS.astype(np.float32))


def huge_header() -> bytes:
    file = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": (10**9, 10**9)}
    np.lib.format.write_array_header_1_0(file, header)
    return file.getvalue() + bytes(80)


def zipped(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (npz(Y=np.array([{}, {}], object)), {}, "Python objects.*refused"),
        (npz(Y=NUMBERS)[:200], {}, "not a zip file, or it is cut off"),
        (huge_header(), {}, "announces 8000000000000000000 bytes, and 80 follow"),
        (b"\x93NUMPY\x01\x00", {}, "damaged or cut off"),
        (npz(Y=NUMBERS), {"array": "Z"}, "no array 'Z', only 'Y' \\(8 × 3, float64\\)"),
        (npz(y=np.ones(4)), {}, "holds no table"),
        (npz(Y=NUMBERS, Z=NUMBERS + 1j), {"array": "Z"}, "Complex data are not supported"),
        (npz(Y=NUMBERS, Z=NUMBERS.astype(str)), {"array": "Z"}, "Only numbers"),
        (npz(Y=np.array([[1, np.nan], [2, 3]])), {}, "rows 0.*row 0, column 'column 2'"),
        (npz(Y=np.zeros(3, [("a", float)])), {}, "holds no table"),
        (zipped(**{"xl/workbook.xml": b"<x/>"}), {}, "no NPZ.*Save a spreadsheet as CSV"),
        (zipped(**{"Y.npy": b"rubbish"}), {}, "damaged or cut off"),
    ],
)
def test_bad_arrays_are_refused(data, options, words):
    with pytest.raises(DataError, match=words):
        read_table(data, **options)
