"""Tests of the lines above a table's rows: comments, names that are numbers, several lines."""

import numpy as np
import pytest

from gplvm_core.readers import DataError, inspect_table, read_table
from gplvm_core.readers.new_rows import read_rows
from gplvm_core.readers.sources import NamedBytes


def test_rows_that_begin_with_a_hash_are_kept():
    data = read_table(b"height,width\n1,2\n#N/A,4\n6,7\n#n/a,8\n")
    np.testing.assert_array_equal(data.values[:, 0], [1, np.nan, 6, np.nan])
    assert read_table(b"#N/A,2,3\n4,5,6\n7,8,9\n").n_points == 3
    tags = read_table(b"tag,n,m\n#red,1,2\n#blue,3,5\n", id_columns=["tag"])
    assert tags.row_names is not None and list(tags.row_names) == ["#red", "#blue"]
    bare = read_table(b"#red,1,2\n#blue,3,5\n#green,4,4\n", id_columns=["column 1"])
    assert bare.row_names is not None and list(bare.row_names) == ["#red", "#blue", "#green"]
    with pytest.raises(DataError, match=r"line 4.*'#7'"):
        read_table(b"a,b\n1,2\n3,4\n#7,8\n")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("#,HP,Speed\n1,45,49\n2,60,62\n", ("#", "HP", "Speed")),
        ("#,1990,1991,1992\na,45,49,4\nb,60,62,2\n", ("#", "1990", "1991", "1992")),
        ("# made by hand\n# a;b\n1;2\n3;4\n", ("a", "b")),
        ("# a b c\n1 2 3\n4 5 7\n", ("a", "b", "c")),  # as numpy.savetxt writes it
        ("##source=x\n#CHROM\tPOS\n1\t20\n2\t30\n", ("CHROM", "POS")),
        ("# one remark, and another\na,b,c\n1,2,3\n4,5,7\n", ("a", "b", "c")),
        ("% 2024\n% a b\n1 2\n3 4\n", ("a", "b")),
        ("// made by hand\na,b\n1,2\n3,4\n", ("a", "b")),
        ("! gauge\n! the station\na b\n1 2\n3 4\n", ("a", "b")),
        ("% fat,sugar\n1,2\n3,4\n", ("% fat", "sugar")),
    ],
)
def test_the_last_comment_names_the_columns_if_it_is_as_wide(text, names):
    report = inspect_table(text.encode())
    assert tuple(column.name for column in report.columns) == names
    assert report.n_rows == 2


def test_a_comment_between_the_rows_is_left_out_with_a_note():
    data = read_table(b"a,b\n1,2\n# the probe was moved\n3,4\n")
    assert data.n_points == 2
    assert "Lines that begin with # between the rows were skipped: 3." in data.notes


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (",0,1,2\n0,0.8,0.1,0.7\n1,0.3,0.5,0.3\n2,0.1,0.9,0.2\n", ("column 1", "0", "1", "2")),
        (",7,3,9\n0,0.8,0.1,0.7\n1,0.3,0.5,0.3\n2,0.1,0.9,0.2\n", ("column 1", "7", "3", "9")),
        ("400,402,404,406\n.1,.2,.3,.2\n.2,.2,.3,.1\n", ("400", "402", "404", "406")),
        ("4000,3990.5,3980,3968,3961\n.1,.2,.3,.2,.1\n.2,.2,.3,.1,.1\n", ("4000", "3990.5")),
        ("1990,1995,2000,2003\n17,22,21,30\n12,11,18,16\n", ("1990", "1995", "2000", "2003")),
        ("sample,400,402,404\nleaf,.1,.2,.2\nbark,.2,.2,.1\n", ("sample", "400", "402", "404")),
        ("400,5;401,0;401,5;402,0\n,1;,2;,3;,2\n,2;,2;,3;,1\n", ("400,5", "401,0", "401,5")),
        ("400nm,410nm\n.1,.2\n.2,.2\n", ("400nm", "410nm")),
        ("country,2000,2003,2004\nIT,5,2,8\nFR,3,7,1\n", ("country", "2000", "2003", "2004")),
    ],
)
def test_numbers_can_be_names_of_columns(text, names):
    report = inspect_table(text.encode())
    assert tuple(column.name for column in report.columns)[: len(names)] == names
    assert report.n_rows == text.count("\n") - 1


@pytest.mark.parametrize(
    "text",
    [
        "1,2,3\n10,20,30\n100,200,300\n",
        "0,1,2,3\n4,5,6,7\n8,9,10,11\n",
        ",2.5,3\n1,4.2,5\n2,3.1,4\n3,2,8\n",
        "1.2,3.4,5.6\n9.1,8.2,7.1\n0.2,0.4,0.1\n",
        "leaf,.1,.2,.4\nleaf,.2,.2,.1\nbark,.3,.1,.2\n",
    ],
)
def test_a_first_row_of_values_is_no_line_of_names(text):
    assert inspect_table(text.encode()).n_rows == text.count("\n")


def test_three_lines_of_names_are_joined():
    text = b"scorer,net,net\nbodyparts,nose,ear\ncoords,x,y\n0,1.5,2.5\n1,1.6,2.4\n2,1.7,2.1\n"
    data = read_table(text)
    assert data.column_names == ("scorer bodyparts coords", "net nose x", "net ear y")
    assert [note for note in data.notes if "column names" in note] == [
        note for note in data.notes if "first three lines" in note
    ]
    assert any("first three lines" in note for note in data.notes)


def test_the_row_numbers_of_pandas_are_no_column_to_learn():
    text = b",0,1,2\n0,0.8,0.1,0.7\n1,0.3,0.5,0.3\n2,0.1,0.9,0.2\n"
    assert inspect_table(text).id_columns == ("column 1",)


def test_new_rows_use_the_names_of_the_model_first():
    names = "sample,400,402,404,406\nleaf,.1,.2,.3,.25\nbark,.2,.25,.3,.1\nroot,.15,.2,.1,.3\n"
    model = read_table(names.encode(), id_columns=["sample"])
    new = NamedBytes("new.csv", b"sample,404,400,406,402\nseed,0.3,0.1,0.4,0.2\nfern,3,1,4,2\n")
    np.testing.assert_array_equal(
        read_rows(new, model).values, [[0.1, 0.2, 0.3, 0.4], [1, 2, 3, 4]]
    )


@pytest.mark.parametrize(
    ("text", "delimiter", "names"),
    [
        ("n,place,a\n0,30;0,0.9\n1,31;2,0.7\n2,32;4,0.4\n", ",", ("n", "place", "a")),
        ("n,place\n0,30;0\n1,31;2\n2,32;4\n", ",", ("n", "place")),
        ("n;place\n0,5;30,0\n1,5;31,2\n", ";", ("n", "place")),
        ('name,x\n"a;b",1\n"c;d",2\n', ",", ("name", "x")),
        ("id,x,y\nsp|P1|A,1,2\nsp|P2|B,3,5\n", ",", ("id", "x", "y")),
        ("town;x;y\nRome, Italy;1;2\nBern, Suisse;2;5\n", ";", ("town", "x", "y")),
        ("town name,x,y\nNew York,1,2\nLos Angeles,3,4\n", ",", ("town name", "x", "y")),
        ("x y\n1,5 2,5\n2,5 3,5\n", " ", ("x", "y")),
        ('note,x\n"two\nlines",1\n"a,b",2\n', ",", ("note", "x")),
    ],
)
def test_the_delimiter_is_that_of_the_best_table(text, delimiter, names):
    report = inspect_table(text.encode())
    assert report.delimiter == delimiter
    assert tuple(column.name for column in report.columns) == names


def test_words_below_a_blank_line_of_names_are_data():
    read = inspect_table(b",\noak,tall\nelm,short\nyew,short\nfir,low\n")
    assert read.header is False and read.n_rows == 4
    assert read.first_rows[0] == ("oak", "elm", "yew", "fir")
    assert "The line of column names is blank: the columns were numbered." in read.notes
    named = inspect_table(b",\ntree,height\nelm,2\noak,3\nfir,4\n")
    assert [column.name for column in named.columns] == ["tree", "height"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (",A,A,B\n,x,y,x\n0,.1,.2,.3\n1,.4,.1,.2\n", ["column 1", "A x", "A y", "B x"]),
        (",A,,B\n,x,y,x\n,m,m,s\n0,.1,.2,.3\n1,.4,.1,.2\n",
         ["column 1", "A x m", "A y m", "B x s"]),
        ("who,D,D\nmouse,a,a\npart,leg,leg\nat,x,y\n0,.1,.2\n1,.4,.1\n",
         ["who mouse part at", "D a leg x", "D a leg y"]),
        ("Blood,,Urine\nNa,K,Na\nmmol,mmol,mol\n.1,.2,.3\n.4,.1,.2\n",
         ["Blood Na mmol", "Blood K mmol", "Urine Na mol"]),
    ],
)  # fmt: skip
def test_several_lines_of_names_are_joined(text, names):
    report = inspect_table(text.encode())
    assert [column.name for column in report.columns] == names
    assert report.n_rows == 2
    assert any("lines were read as column names" in note for note in report.notes)
