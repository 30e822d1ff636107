"""Tests that Arrow and Feather files are read as Parquet files are."""

import datetime
import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, ipc

from gplvm_core.datasets import read_file
from gplvm_core.readers import DataError, NamedBytes, inspect_table
from gplvm_core.readers.new_rows import read_rows
from gplvm_core.readers.tables.table import parse_table
from tests.readers.test_parquet import written

COLUMNS = {
    "kind": ["oak", None, "elm", "oak"],
    "height": [2.5, None, 4.0, 3.0],
    "count": [1, 3, None, 2],
    "fine": [True, None, False, True],
    "day": [datetime.date(2024, 1, n) for n in range(1, 5)],
}


def in_form(columns: dict, form: str) -> bytes:
    file, table = io.BytesIO(), pa.table(columns)
    if form == "feather":
        feather.write_feather(table, file, compression="lz4")
        return file.getvalue()
    with (ipc.new_stream if form == "stream" else ipc.new_file)(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return file.getvalue()


@pytest.mark.parametrize("form", ["feather", "file", "stream"])
def test_the_same_table_comes_from_arrow_as_from_parquet(form):
    table, same = (
        parse_table(NamedBytes("trees", data))
        for data in (in_form(COLUMNS, form), written(COLUMNS))
    )
    assert table.notes == same.notes and table.places.tolist() == same.places.tolist()
    for column, other in zip(table.columns, same.columns, strict=True):
        assert column.name == other.name and column.words() == other.words()
        assert (column.numbers is None) == (other.numbers is None)
        if column.numbers is not None:
            np.testing.assert_array_equal(column.numbers, other.numbers)
        assert (column.moments is None) == (other.moments is None)


def test_files_of_pandas_and_polars_are_read_and_inspected(tmp_path):
    frame = pd.DataFrame(
        {"place": pd.Categorical(["a", "b", "a"]), "x": [1.5, np.nan, 3.0], "y": [1, 2, 4]}
    )
    frame.to_feather(tmp_path / "p.feather")
    pl.DataFrame(frame).write_ipc(tmp_path / "p.arrow", compression="zstd")
    pl.DataFrame(frame).write_ipc_stream(tmp_path / "p.ipc")
    for path in tmp_path.iterdir():
        assert [column.role for column in inspect_table(path).columns] == [
            "label",
            "value",
            "value",
        ]
        data = read_file(path, label_column="place")
        np.testing.assert_array_equal(data.values, [[1.5, 1], [np.nan, 2], [3, 4]])
        assert data.label_names == ("a", "b")


def test_new_rows_come_from_feather():
    given = in_form({"b": [1.0, 2.0], "a": [3.0, 4.0]}, "feather")
    data = read_file(NamedBytes("t.csv", b"a,b\n1,2\n3,4\n5,7\n"))
    rows = read_rows(NamedBytes("new.feather", given), data)
    np.testing.assert_array_equal(rows.values, [[3, 1], [4, 2]])


def test_the_first_version_of_feather_is_named():
    with pytest.raises(DataError, match=r"old\.feather is a Feather file of version 1"):
        read_file(NamedBytes("old.feather", b"FEA1" + bytes(30)))


def test_a_stream_without_its_end_is_said_to_be_cut() -> None:
    table, file = pa.table({"a": np.arange(15.0), "b": np.arange(15.0) ** 2}), io.BytesIO()
    with ipc.new_stream(file, table.schema) as stream:
        stream.write_table(table, max_chunksize=5)
    whole = file.getvalue()
    assert not parse_table(NamedBytes("a.arrow", whole)).notes
    cut = whole[:-8]  # the end mark alone
    assert "a.arrow ends without its end mark" in parse_table(NamedBytes("a.arrow", cut)).notes[-1]
