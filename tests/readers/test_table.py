"""Tests of tables: automatic choices, questions to the user, refusals, and positions in errors."""

import io
import zipfile

import numpy as np
import pytest

from gplvm_core.readers import DataError, EmptyRowsError, inspect_table, read_table
from gplvm_core.readers.drawing import image_shapes

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


def test_numbers_have_no_header_unless_set():
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
    assert any("decimal points" in note for note in data.notes)
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
    assert columns["flat"].reason == "always 7"
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


def test_numeric_labels_keep_the_order_of_the_numbers():
    data = read_table(b"a,class\n1,10\n2,9\n3,10\n4,9\n", label_column="class")
    assert data.label_names == ("9", "10")
    np.testing.assert_array_equal(data.labels, [1, 0, 1, 0])


def test_missing_values_are_counted_in_the_report_and_kept_when_read():
    text = b"a,b\n1,2\n3,NA\n,6\n7,8\n"
    assert [column.n_missing for column in inspect_table(text).columns] == [1, 1]
    data = read_table(text)
    np.testing.assert_array_equal(data.targets, [[1, 2], [3, np.nan], [np.nan, 6], [7, 8]])
    assert "Cells read as missing values (empty, “NA”): 2, in the columns a (1), b (1)." in (
        data.notes
    )


@pytest.mark.parametrize(
    "cell", ["", " ", "NA", "n/a", "#N/A", "<NA>", "NaN", "null", "None", "?", "-", ".", '"NA"']
)
def test_the_marks_of_other_programs_for_missing_values_are_gaps(cell):
    data = read_table(f"a,b\n1,2\n3,{cell}\n5,6\n".encode())
    np.testing.assert_array_equal(data.missing, [[0, 0], [0, 1], [0, 0]])


@pytest.mark.parametrize("cell", ["x", "#DIV/0!", "--", "1_11"])
def test_other_words_are_no_missing_values(cell):
    with pytest.raises(DataError, match=r"line 3, column 'b': .* is not a number"):
        read_table(f'a,b\n1,2\n3,"{cell}"\n5,6\n'.encode())


def test_possible_codes_for_missing_values_stay_numbers():
    data = read_table(b"a,b\n1,2\n3,-999\n5,6\n")
    assert data.missing is None and data.targets[1, 1] == -999


def test_infinity_is_an_error_and_no_gap():
    with pytest.raises(DataError, match=r"line 3, column 'a' is infinite.*leave the cell empty"):
        read_table(b"a,b\n1,2\ninf,4\n")


def test_tabs_and_decimal_commas_have_gaps_too():
    np.testing.assert_array_equal(
        read_table(b"a\tb\n1\t\n\t4\n5\t6\n").missing, [[0, 1], [1, 0], [0, 0]]
    )
    data = read_table(b"a;b\n1,5;\n-;2,5\n3,5;4\n")
    np.testing.assert_array_equal(data.targets, [[1.5, np.nan], [np.nan, 2.5], [3.5, 4]])


def test_a_spreadsheets_empty_margins_are_left_out_with_a_note():
    data = read_table(b"a,b,notes,\n1,2,,\n,4,,\n5,6,,\n,,,\n,,,\n")
    assert data.column_names == ("a", "b") and data.n_points == 3
    assert "Empty columns at the end were left out: notes." in data.notes
    assert "Lines without any value were left out: 5, 6." in data.notes


def test_a_column_without_any_value_is_suggested_to_be_left_out():
    text = b"a,empty,b\n1,,2\n3,NA,4\n5,,7\n"
    report = inspect_table(text)
    assert report.id_columns == ("empty",)
    assert report.columns[1].reason == "it has no values"
    with pytest.raises(DataError, match=r"no value is observed in column 'empty'.*Leave it out"):
        read_table(text)
    assert read_table(text, id_columns="empty").column_names == ("a", "b")


def test_rows_without_any_value_are_named_by_their_lines_and_left_out_when_wanted():
    text = b"id,a,b,kind\n1,1,2,x\n2,,NA,y\n3,5,,x\n4,-,?,x\n5,7,9,y\n"
    roles = {"id_columns": "id", "label_column": "kind"}
    with pytest.raises(EmptyRowsError, match=r"line 3, line 5\).*skip_empty_rows=True"):
        read_table(text, **roles)
    data = read_table(text, **roles, skip_empty_rows=True)
    np.testing.assert_array_equal(data.targets, [[1, 2], [5, np.nan], [7, 9]])
    np.testing.assert_array_equal(data.labels, [0, 0, 1])
    assert "Left out, without any value: lines 3, 5." in data.notes
    complete = read_table(csv(), skip_empty_rows=True)
    np.testing.assert_array_equal(complete.targets, NUMBERS)
    assert complete.notes == read_table(csv()).notes


def test_blank_labels_are_missing_and_no_class():
    data = read_table(b"a,kind\n1,x\n2,NA\n3,\n4,x\n", label_column="kind")
    assert data.label_names == ("x",) and data.classes == (0,)
    np.testing.assert_array_equal(data.labels, [0, -1, -1, 0])
    assert [data.label_word(row) for row in range(4)] == ["x", None, None, "x"]
    assert "Rows without a label: 2." in data.notes
    numbered = read_table(b"a,class\n1,10\n2,\n3,9\n4,10\n", label_column="class")
    assert numbered.label_names == ("9", "10")
    np.testing.assert_array_equal(numbered.labels, [1, -1, 0, 1])


def test_labels_with_gaps_are_still_suggested():
    text = b"a,class\n" + b"".join(b"%d,%s\n" % (n * n, [b"1", b"2", b""][n % 3]) for n in range(9))
    assert inspect_table(text).label_column == "class"


def test_gaps_in_times_are_an_error():
    text = b"t,a\n0,1\n,2\n2,3\n"
    assert inspect_table(text).time_column is None
    with pytest.raises(DataError, match=r"time is missing in line 3.*do not use 't'"):
        read_table(text, time_column="t")


def test_a_column_with_one_value_is_read_and_warned_about():
    data = read_table(b"a,b\n1,2\n3,\n5,\n")
    assert any("single observed value" in warning for warning in data.warnings)
    assert inspect_table(b"a,b\n1,2\n3,\n5,\n").columns[1].reason == "always 2"


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (b"", {}, "is empty"),
        (b" \n\n", {}, "is empty"),
        (b"# nothing\n", {}, "has no rows"),
        (b"a,b\n", {"header": True}, "only column names"),
        (b"a,b\n1,2\n", {}, "one row. A table needs at least two rows"),
        (b"a,b\n", {}, "only column names: it needs lines with values"),
        (b"a,b\n,\n,\n", {}, "only column names: its other lines have no values"),
        (b"1,b\n", {}, "at least two rows"),
        (b"a,b,c\n1,2,3\n4,5\n6,7,8\n9,9,9\n", {}, "line 3: 2 cells, but most lines have 3"),
        (b"a,b\n1,2\n3,4,5\n6,7\n", {}, "line 3: 3 cells.*correct the lines 3"),
        (b"a,b\n1,2\n3,four\n5,6\n", {}, "line 3, column 'b': 'four' is not a number"),
        (b'a,b\n1,2\n"3,4\n', {}, "quotation mark"),
        (b"\x00\x01\x02\x03", {}, "not a text file"),
        (b"FCS3.1    " + bytes(300), {}, r"flow cytometry file.*ending .fcs"),
        (b"##title= a\n##XYDATA=(X++(Y..Y))\n400 1 2\n402 3 4\n##END=\n", {}, "JCAMP-DX"),
        (csv(), {"label_column": "z"}, "no column 'z'.*'a', 'b', 'c'"),
        (csv(), {"label_column": "a", "id_columns": "a"}, "'a' has two roles that exclude"),
        (csv(), {"date_columns": "a"}, "'a' has no dates"),
        (csv(), {"date_formats": {"a": "swiss"}}, "'swiss' is not a format of dates"),
        (csv(), {"id_columns": ["a", "b", "c"]}, "no column is left"),
        (csv(), {"array": "x"}, "without an array"),
    ],
)
def test_bad_text_is_refused_with_its_place(data, options, words):
    with pytest.raises(DataError, match=words):
        read_table(data, **options)


def test_absent_files_and_folders_are_refused(tmp_path):
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


def test_nan_in_arrays_is_missing():
    holed = NUMBERS.copy()
    holed[2, 1] = np.nan
    data = read_table(npz(Y=holed))
    np.testing.assert_array_equal(data.targets, holed)
    assert "Cells read as missing values (“NaN”): 1, in the columns column 2 (1)." in data.notes
    images = np.random.default_rng(5).random((4, 3, 2))
    images[1, :2] = np.nan
    read = read_table(npz(frames=images))
    assert read.drawing.value_range == (np.nanmin(images), np.nanmax(images))
    assert read.missing.sum() == 4


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
        (huge_header(), {}, "declares 8,000,000,000,000,000,000 bytes, but 80 follow"),
        (b"\x93NUMPY\x01\x00", {}, "damaged or cut off"),
        (npz(Y=NUMBERS), {"array": "Z"}, "no array 'Z'. It has 'Y' \\(8 × 3, float64\\)"),
        (npz(y=np.ones(4)), {}, "has no table"),
        (npz(Y=NUMBERS, Z=NUMBERS + 1j), {"array": "Z"}, "Complex data are not supported"),
        (npz(Y=NUMBERS, Z=NUMBERS.astype(str)), {"array": "Z"}, "Only arrays of numbers"),
        (npz(Y=np.array([[1, np.inf], [2, 3]])), {}, "row 0, column 'column 2' is infinite"),
        (npz(Y=np.array([[np.nan, np.nan], [2, 3]])), {}, "no value is observed in row 0"),
        (npz(Y=np.array([[1, np.nan], [2, np.nan]])), {}, "no value is observed in column 'column"),
        (npz(Y=np.zeros(3, [("a", float)])), {}, "has no table"),
        (zipped(**{"table.csv": b"1,2"}), {}, "not an NPZ.*Save a table as CSV"),
        (zipped(**{"Y.npy": b"rubbish"}), {}, "damaged or cut off"),
    ],
)
def test_bad_arrays_are_refused(data, options, words):
    with pytest.raises(DataError, match=words):
        read_table(data, **options)


def test_rows_are_pictures_of_a_size_that_is_given():
    frames = np.arange(3 * 4 * 6, dtype=np.uint8).reshape(3, 24)
    dataset = read_table(npz(frames=frames), image_shape=(4, 6))
    assert dataset.drawing.kind == "image" and dataset.drawing.shape == (4, 6)
    assert dataset.drawing.value_range == (0.0, 255.0)
    np.testing.assert_array_equal(dataset.values, frames)
    text = b"kind," + b",".join(b"p%d" % i for i in range(24)) + b"\n"
    text += b"".join(b"a," + b",".join(b"%d" % v for v in row) + b"\n" for row in frames)
    dataset = read_table(text, image_shape=(2, 4, 3), label_column="kind")
    assert dataset.drawing.shape == (2, 4, 3) and dataset.column_names is None


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ((5, 5), "have 25 values, but its rows have 24"),
        ((4,), "height, width"),
        ((4, 3, 2), "height"),
    ],
)
def test_a_size_that_does_not_fit_is_refused_in_words(shape, said):
    with pytest.raises(DataError, match=said):
        read_table(npz(rows=np.random.default_rng(0).random((5, 24))), image_shape=shape)


def test_the_sizes_that_are_offered_fill_the_rows():
    assert image_shapes(64)[0] == (8, 8)
    assert image_shapes(560)[0] in ((20, 28), (28, 20))
    assert (4, 4, 3) in image_shapes(48)
    assert image_shapes(37) == ()
    for shape in image_shapes(4096 * 3):
        assert np.prod(shape) == 4096 * 3


def test_a_blank_line_of_names_does_not_make_the_first_row_the_names():
    source = b",,\n1,2.5,3\n4,5,7\n"
    for header in (True, None):
        data = read_table(source, header=header)
        np.testing.assert_array_equal(data.values, [[1, 2.5, 3], [4, 5, 7]])
    assert "The line of column names is blank: the columns were numbered." in (
        read_table(source, header=True).notes
    )


def test_the_advice_is_not_what_was_asked_for():
    source = b"a,b\n1,2\n3,x\n5,6\n7,8\n"
    with pytest.raises(DataError, match=r'kinds="auto" learns words'):
        read_table(source)
    with pytest.raises(DataError, match=r"kinds=\{'b': 'category'\} learns words"):
        read_table(source, kinds="auto")


def test_one_comment_is_one_line():
    notes = read_table(b"# made today\na,b\n1,2\n3,4\n").notes
    assert "Lines that begin with # were skipped: 1." in notes


def test_limits_of_detection_are_named_among_the_missing_cells():
    data = read_table(b"lead,zinc\n1,<0.05\n2.5,0.5\n3,NA\n4,0.6\n")
    note = "Cells read as missing values (“<0.05”, “NA”): 2, in the columns zinc (2)."
    assert note in data.notes


def test_numbers_that_seem_to_be_dates_are_not_learnt_in_silence():
    table = b"day,rain\n20240130,0\n20240131,1.5\n20240201,3\n"
    for kinds in (None, "auto"):
        notes = read_table(table, kinds=kinds).notes
        assert any("day is learnt as numbers, but seems to hold dates" in note for note in notes)
    assert not any(
        "dates" in note for note in read_table(table, date_formats={"day": "numbers"}).notes
    )
