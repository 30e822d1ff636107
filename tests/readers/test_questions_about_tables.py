"""Tests of what a table may mean: codes for missing values, sequences, encodings, row numbers."""

import numpy as np
import pytest

from gplvm_core.readers import DataError, NamedBytes, inspect_table, read_table

CLIMATE = b"day,FX,FM\n1,9.1,3.2\n2,12.4,4.4\n3,-999,-999\n4,7.7,2.9\n5,8.0,3.1\n6,8.4,-999\n"
PANEL = "subject,day,a\n" + "".join(
    f"{s},{d},{np.sin(s + d):.3f}\n" for s in (3, 1, 2) for d in (0, 1, 4, 6)
)


def test_repeated_far_numbers_are_asked_about():
    read = read_table(CLIMATE)
    (note,) = [note for note in read.notes if "occurs" in note]
    assert note.startswith("−999 occurs 3 times, far from all other values (in FX, FM)")
    (code,) = inspect_table(CLIMATE).codes
    assert (code.value, code.count, code.columns, code.usual) == (-999.0, 3, ("FX", "FM"), True)
    told = read_table(CLIMATE, missing=[-999])
    np.testing.assert_array_equal(np.isnan(told.values).sum(axis=0), [0, 1, 2])
    assert "Read as missing values: -999, in 3 cells." in told.notes
    assert not any("occurs" in note for note in told.notes)


@pytest.mark.parametrize("code", [-200, 9999, 99.99, -32768, 1e35])
def test_further_codes_and_a_column_in_which_the_code_is_less_far(code):
    generator = np.random.default_rng(0)
    gas, sensor = generator.gamma(2.0, 1.0, 60), generator.uniform(20.0, 80.0, 60)
    gas[:7] = sensor[5:8] = code
    rows = "\n".join(f"{a},{b}" for a, b in zip(gas, sensor, strict=True))
    (found,) = inspect_table(f"gas,sensor\n{rows}".encode()).codes
    assert found.value == code
    assert found.count == 10


def test_two_codes_at_one_end_are_both_found():
    rows = [*range(20, 32), -99999, -99999, -9999, -9999]
    found = inspect_table("\n".join(["a,b", *(f"{each},1" for each in rows)]).encode()).codes
    assert [(code.value, code.count) for code in found] == [(-99999.0, 2), (-9999.0, 2)]


def test_tails_years_and_counts_are_no_codes():
    generator = np.random.default_rng(0)
    columns = [generator.lognormal(0.0, 2.0, 200), generator.poisson(3.0, 200)]
    columns += [generator.integers(0, 100, 200), generator.integers(1990, 2000, 200)]
    rows = "\n".join(",".join(map(str, row)) for row in zip(*columns, strict=True))
    assert inspect_table(f"a,b,c,d\n{rows}".encode()).codes == ()


def test_a_column_may_name_sequences():
    report = inspect_table(PANEL.encode())
    assert (report.sequence_column, report.time_column) == ("subject", "day")
    assert any("sequence_column='subject'" in note for note in read_table(PANEL.encode()).notes)
    read = read_table(PANEL.encode(), sequence_column="subject", time_column="day")
    assert read.column_names == ("a",)
    np.testing.assert_array_equal(read.sequences, np.repeat([0, 1, 2], 4))
    assert "3 sequences, named by subject: 3, 1, 2." in read.notes
    assert read.sequence_names == ("subject 3", "subject 1", "subject 2")
    words = PANEL.replace("\n3,", "\neast,").replace("\n1,", "\nwest,")
    words = words.replace("\n2,", "\nnorth,")
    read = read_table(words.encode(), sequence_column="subject", time_column="day")
    assert read.sequence_names == ("east", "west", "north")
    by_day = sorted(PANEL.splitlines()[1:], key=lambda line: line.split(",")[1])
    together = inspect_table("\n".join(["subject,day,a", *by_day]).encode())
    assert (together.sequence_column, together.time_column) == ("subject", "day")
    dated = PANEL.replace(",0,", ",2024-01-01,").replace(",1,", ",2024-01-02,")
    dated = dated.replace(",4,", ",2024-02-01,").replace(",6,", ",2024-03-01,")
    assert inspect_table(dated.encode()).sequence_column == "subject"
    gap = PANEL.replace("1,4,", ",4,")
    with pytest.raises(DataError, match="names the sequences, but is empty in line 8"):
        read_table(gap.encode(), sequence_column="subject", time_column="day")


@pytest.mark.parametrize(
    ("encoding", "word"),
    [("cp1251", "высота"), ("shift-jis", "高さ"), ("cp850", "Größe"), ("utf-16-le", "Größe")],
)
def test_other_encodings_are_read_as_given(encoding, word):
    data = f"{word},b\n1,2\n3,5\n".encode(encoding)
    assert read_table(data, encoding=encoding).column_names == (word, "b")
    with pytest.raises(DataError, match="is no encoding"):
        read_table(data, encoding="klingon")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_noticed_with_and_without_its_mark(encoding):
    read = read_table("Größe,b\n1,2\n3,5\n".encode(encoding))
    assert read.column_names == ("Größe", "b")
    assert "The text is not UTF-8 but UTF-16." in read.notes


def test_wrong_letters_are_noticed():
    twice = "Größe,b\n1,2\n3,5\n".encode().decode("cp1252").encode()
    assert inspect_table(twice).letters == "GrÃ¶ÃŸe"
    assert read_table(twice, encoding="utf-8 twice").column_names == ("Größe", "b")
    assert inspect_table("Größe,b\n1,2\n3,5\n".encode()).letters == ""
    assert inspect_table("Gr\ufffde,b\n1,2\n3,5\n".encode()).letters == "Gr\ufffde"
    with pytest.raises(DataError, match=r"is not Japanese \(Shift JIS\)"):
        read_table("Größe,b\n1,2\n".encode("cp1252"), encoding="shift-jis")


@pytest.mark.parametrize("first", ["", "Unnamed: 0", "__index_level_0__"])
def test_row_numbers_that_pandas_writes_are_not_learnt(first):
    table = f"{first},a,b\n0,2.5,7\n1,3.5,1\n2,1.5,4\n".encode()
    read = read_table(NamedBytes("t.csv", table))
    assert read.column_names == ("a", "b")
    assert any("counts the rows" in note for note in read.notes)
    shuffled = read_table(f"{first},a,b\n2,2.5,7\n0,3.5,1\n1,1.5,4\n".encode())
    assert shuffled.column_names == ("a", "b")
    assert shuffled.row_names.tolist() == ["2", "0", "1"]
    own = read_table(b"0,2.5,7\n1,3.5,1\n2,1.5,4\n", header=False)
    assert own.values.shape == (3, 3)


def test_codes_with_leading_zeros_are_left_out():
    report = inspect_table(b"plz,a\n01067,1\n80331,2\n01069,5\n")
    assert report.id_columns == ("plz",)
    assert "leading zeros, such as 01067" in report.columns[0].reason
    assert inspect_table(b"hour,a\n01,1\n02,2\n23,5\n").id_columns == ()
