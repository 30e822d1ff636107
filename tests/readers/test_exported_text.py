"""Tests of tables as other programs write them: signs, marks, units, rows of sums, codes."""

import numpy as np
import pandas as pd
import pytest

from gplvm_core.readers import DataError, NamedBytes, inspect_table, read_table
from gplvm_core.readers.new_rows import read_rows
from gplvm_core.readers.tables import large as tables_large
from gplvm_core.readers.tables import text as tables_text
from gplvm_core.readers.tables.table import parse_table


def read(text: str, name: str = "t.csv"):
    table = parse_table(NamedBytes(name, text.encode()))
    return {c.name: c.words() if c.numbers is None else c.numbers.tolist() for c in table.columns}


def notes(text: str) -> str:
    return " ".join(parse_table(NamedBytes("t.csv", text.encode())).notes)


@pytest.mark.parametrize(
    ("text", "values", "words"),
    [
        ("p;n\n€ 1.100;3\n€ 1.250;4\n", [1100, 1250], "separators of thousands, because prices"),
        ("p;n\n1.100 EUR;3\n900 EUR;4\n", [1100, 900], "separators of thousands"),
        ("p;n\n1.100;3\n950;4\n", [1100, 950], "because “950” beside “1.100” has no decimals"),
        ("p;n\n€ 1.100;3,5\n€ 1.250;4,25\n", [1100, 1250], "Commas were read as decimal points"),
        ("p;n\n1.100;3\n1.250;4\n", [1.1, 1.25], "but may separate thousands: p (“1.100”)"),
        ("p;n\n1.100 km;3\n1.250 km;4\n", [1.1, 1.25], "thousands: p (“1.100 km”). If they do"),
        ("p\tn\n1.100\t3\n950\t4\n", [1.1, 950], "but may separate thousands"),
        ("p;n\n1'100;1\n1'250;2\n", [1100, 1250], "“1'100” is 1100"),
        ("p;n\n1\u2009100;1\n1\u202f250;2\n", [1100, 1250], "is 1100"),
        ("p;n\n1 100;1\n1 250;2\n", [1100, 1250], "“1 100” is 1100"),
    ],
)
def test_a_dot_before_three_digits_is_decided_by_the_file_or_said(text, values, words):
    assert read(text)["p"] == values
    assert words in notes(text)


@pytest.mark.parametrize(
    "text", ["p,n\n1.100,3\n950,4\n", "p;n\n1.100;3.5\n1.250;4\n", "p;n\n0.100;3\n1.250;4\n"]
)
def test_a_dot_that_is_a_decimal_point_needs_no_word(text):
    assert read(text)["p"][0] in (1.1, 0.1)
    assert "thousands" not in notes(text)


LARGE = 2**17


@pytest.fixture
def large(monkeypatch):
    """Read texts of 128 KiB in the way of large texts."""
    for module in (tables_large, tables_text):
        monkeypatch.setattr(module, "LARGE", LARGE)


@pytest.mark.usefixtures("large")
def test_dots_in_large_texts_and_typed_files_are_read_alike():
    cells = [f"{1 + n % 9}.{n % 1000:03d}" for n in range(LARGE // 8)]
    lines = [f"{cell};{900 + n % 90}" for n, cell in enumerate(cells)]
    lines[1] = "950;900"
    values = read("\n".join(["p;n", *lines]))["p"]
    expected = [float(cell.replace(".", "")) for cell in cells]
    expected[1] = 950.0
    assert values == expected


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["12.5-", "3.25", "0.5-"], [-12.5, 3.25, -0.5]),
        (["1.234,50-", "7,25", "2,5-"], [-1234.5, 7.25, -2.5]),
        (["12.50- EUR", "3.25 EUR", "1.75- EUR"], [-12.5, 3.25, -1.75]),
        (["€ 12.50-", "€ 3.25", "€ 0.10"], [-12.5, 3.25, 0.1]),
    ],
)
def test_a_minus_at_the_end_is_below_zero(cells, values):
    text = "\n".join(["a;n", *(f"{cell};{n}" for n, cell in enumerate(cells))])
    assert read(text)["a"] == values
    assert "with a minus at their end are below 0" in notes(text)


def test_codes_and_dates_with_a_minus_stay_what_they_are():
    found = read("a;b;n\n12-A;2020-01;1\n13-A;2020-02;2\n14-B;2020-03;3\n")
    assert found["a"] == ["12-A", "13-A", "14-B"]
    assert found["b"] == ["2020-01", "2020-02", "2020-03"]


@pytest.mark.parametrize("word", ["Total", "Sum", "Summe:", "Gesamt", "TOTALE", "Insgesamt"])
def test_a_last_row_of_sums_is_a_question(word):
    text = f"name,a,b\nx,1,2.5\ny,3,\nz,5,6\n{word},9,8.5\n"
    assert f"Line 5 (“{word}”) has the sums of the rows above." in notes(text)
    assert read(text)["a"] == [1, 3, 5, 9]  # neither left out nor silent
    data = read_table(text.encode(), id_columns=["name"])
    assert any("Is it a row like the others?" in note for note in data.notes)


def test_a_row_of_means_below_one_of_sums_is_a_question_too():
    text = "year;a\n2019;5\n2020;6\n2021;7\nSumme;18\nMittelwert;6\n"
    assert "Line 5 (“Summe”) has the sums" in notes(text)
    assert "Line 6 (“Mittelwert”) has the means" in notes(text)


def test_a_row_that_is_only_called_total_is_a_row():
    assert "rows above" not in notes("name,a,b\nx,1,2\ny,3,4\nz,5,6\nTotal,4,1\n")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("%a,b\n1,2\n3,4\n5,7\n", ["a", "b"]),
        ("%a b\n1 2\n3 4\n5 7\n", ["a", "b"]),
        ("% a b\n1 2\n3 4\n5 7\n", ["a", "b"]),
        ("!a;b\n1;2\n3;4\n5;7\n", ["a", "b"]),
    ],
)
def test_a_mark_before_the_names_is_no_part_of_them(text, names):
    found = read(text)
    assert list(found) == names and found["a"] == [1, 3, 5]
    assert f"begins with {text[0]}." in notes(text)


@pytest.mark.parametrize("text", ["%a,%b\n1,2\n3,4\n", "% growth,x\n1,2\n3,4\n"])
def test_names_of_percentages_keep_their_sign(text):
    assert next(iter(read(text))).startswith("%")


@pytest.mark.parametrize(
    "comment", ["# recalibrated", "# recalibrated, see log", "% pause", "// moved, twice", "#"]
)
@pytest.mark.parametrize("names", [True, False])
def test_a_comment_between_the_rows_is_left_out_with_its_line(comment, names):
    head, mark = ("name,b\nx,2\n", "y") if names else ("a,b\n1,2\n", "3")
    text = f"{head}{comment}\n{mark},4\n{mark},6\n"
    assert read(text)["b"] == [2, 4, 6]
    assert "between the rows were skipped: 3." in notes(text)


def test_values_that_begin_with_a_mark_stay():
    assert read("id,b\n#x,2\n#y,4\n")["id"] == ["#x", "#y"]
    assert read("a,b\n#N/A,#N/A\n1,2\n3,4\n")["b"][1:] == [2, 4]
    with pytest.raises(DataError, match="#DIV/0!"):
        read_table(b"a,b\n1,2\n#DIV/0!,#DIV/0!\n3,4\n")


@pytest.mark.usefixtures("large")
def test_a_comment_in_a_large_text_is_left_out():
    rows = [f"{n},{n % 7}" for n in range(LARGE // 6)]
    text = "\n".join(["a,b", *rows[:15_000], "# a break, of an hour", *rows[15_000:]])
    assert len(text) > LARGE
    assert read(text)["a"] == list(range(len(rows)))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b\n[m],[s]\n1,2\n3,4\n", ["a [m]", "b [s]"]),
        ("t,a,b\n,[m],[s]\n1,2,3\n3,4,5\n", ["t", "a [m]", "b [s]"]),
        ("name,a,b\n,(m),(s)\nx,2,3\ny,4,5\n", ["name", "a (m)", "b (s)"]),
        ("time,a,kind\n[s],[m/s²],[-]\n1,2,u\n2,4,v\n", ["time [s]", "a [m/s²]", "kind [-]"]),
        ("a;b\nm;%\n1;2\n3;4\n", ["a (m)", "b (%)"]),
    ],
)
def test_a_line_of_units_belongs_to_the_names(text, names):
    found = read(text)
    assert list(found) == names
    assert [len(column) for column in found.values()] == [2] * len(names)
    assert "two lines were read as column names" in notes(text)


def codes(frame: pd.DataFrame):
    return {c.value: c for c in inspect_table(frame.to_csv(index=False).encode()).codes}


def test_negative_codes_beside_numbers_from_zero_are_asked_about():
    generator = np.random.default_rng(0)
    frame = pd.DataFrame({"a": generator.integers(1, 6, 60), "b": generator.integers(0, 500, 60)})
    frame.loc[[3, 9, 20], "a"], frame.loc[[5, 7], "b"], frame.loc[[30, 31], "b"] = -9, -99, -8
    found = codes(frame)
    assert sorted(found) == [-99, -9, -8]
    assert found[-9].columns == ("a",) and found[-99].columns == ("b",)
    assert found[-9].words == "−9 occurs 3 times, and other values are not below 0 (in a)."
    read_ = read_table(frame.to_csv(index=False).encode())
    assert any("read the table with missing=[-9]" in note for note in read_.notes)
    data = read_table(frame.to_csv(index=False).encode(), missing=[-9, -99, -8])
    np.testing.assert_array_equal(np.isnan(data.values).sum(axis=0), [3, 4])


def test_negative_numbers_among_others_and_single_ones_are_no_codes():
    generator = np.random.default_rng(1)
    cold = pd.DataFrame({"t": generator.integers(-12, 9, 200), "x": np.arange(200) % 7})
    assert codes(cold) == {}
    once = pd.DataFrame({"t": np.arange(50) % 30, "x": np.arange(50) % 7})
    once.loc[4, "t"] = -9
    assert codes(once) == {}


def test_a_count_above_ten_thousand_is_said():
    generator = np.random.default_rng(0)
    table = pd.DataFrame(generator.negative_binomial(0.3, 0.01, (60, 4)), columns=list("abcd"))
    table.loc[3, "b"] = 12_345
    data = read_table(table.to_csv(index=False).encode(), kinds="auto")
    assert dict(zip(data.column_names, data.kinds, strict=True)) == {
        "a": "count", "b": "number", "c": "count", "d": "count"
    }  # fmt: skip
    words = "b is read as numbers, not counts: 12,345 is above 10,000, the largest count."
    assert words in data.notes
    found = {each.name: each for each in inspect_table(table.to_csv().encode()).columns}
    assert found["b"].kind_reason == "12,345 is above 10,000, the largest count"


def test_a_late_number_that_needs_a_decimal_point_decides_about_all() -> None:
    rows = [f"1.{100 + n};{48 + n % 5}.{100 + n};{n}" for n in range(150)]
    rows[2], rows[-1] = "2;48.123;3", "2.55;48.777;7"
    found = read("\n".join(["a;lat;n", *rows]))
    assert found["lat"][:4] == [48.1, 49.101, 48.123, 51.103]
    assert found["a"][0] == 1.1 and found["a"][-1] == 2.55


def test_small_whole_numbers_do_not_make_thousands_of_decimals() -> None:
    text = "dose;y\n1.125;10\n1;12\n1.375;14\n1.625;15\n"
    assert read(text)["dose"] == [1.125, 1.0, 1.375, 1.625]
    assert "may separate thousands: dose (“1.125”)" in notes(text)


def test_signs_of_both_kinds_decide_nothing() -> None:
    found = read("a;b;c\n0,5;2.55;1.234\n1,5;3.55;5\n2,5;4.5;2.500\n")
    assert found["c"] == [1.234, 5.0, 2.5]


@pytest.mark.parametrize("thousands", [False, True])
def test_dots_of_new_rows_are_read_like_the_training_rows(thousands: bool) -> None:
    training = [f"{n}.{100 + n};{n}" if thousands else f"{n / 7:.3f};{n}" for n in range(1, 40)]
    training += ["700;40"] if thousands else []
    data = read_table(NamedBytes("t.csv", "\n".join(["a;b", *training]).encode()))
    rows = read_rows(NamedBytes("n.csv", b"a;b\n1.234;3\n2.345;4\n"), data)
    scale = 1000.0 if thousands else 1.0
    np.testing.assert_allclose(rows.values[:, 0], [1.234 * scale, 2.345 * scale])
    lone = read_rows(NamedBytes("n.csv", b"a;b\n1.234;3\n2;4\n"), data)
    assert lone.values[0, 0] == pytest.approx(1.234 * scale)


@pytest.mark.parametrize(
    "text",
    [
        "group,x,y\n[A],,\n[B],2,1\n[A],3,5\n[B],3,6\n",
        "profit,cost\n(5),(7)\n(3),2\n4,1\n",
    ],
)
def test_a_first_row_in_brackets_is_no_unit_line(text: str) -> None:
    assert all(len(values) == text.count("\n") - 1 for values in read(text).values())


def test_a_sum_below_a_subtotal_is_asked_about() -> None:
    text = "n,a,b\na,1,2\nb,3,4\nc,5,6\nd,1,1\nSubtotal,10,13\ne,5,6\nTotal,15,19\n"
    assert "“Subtotal”" in notes(text) and "“Total”" in notes(text)


def test_a_heading_that_begins_like_a_spectrum_is_a_table() -> None:
    assert read("## Title = my table\na,b\n1,2\n3,4\n")["a"] == [1.0, 3.0]
    with pytest.raises(DataError, match="a spectrum in JCAMP-DX"):
        read("##TITLE= x\n##JCAMP-DX= 4.24\n##XYDATA= (X++(Y..Y))\n1 2 3\n##END=\n", "a.csv")
