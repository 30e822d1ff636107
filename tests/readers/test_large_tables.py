"""Tests of tables that are read from disk: each format gives the same rows and refusals."""

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet

from gplvm_core.readers import DataError, RowFiles
from gplvm_core.readers.rows import columns
from gplvm_core.readers.rows.folders import OWN, own_table
from gplvm_core.readers.rows.table import TableDataset, Use, is_large, looked_into, use_in_words

N = 500
WRITE = {
    "rows.csv": csv.write_csv,
    "rows.parquet": parquet.write_table,
    "rows.feather": feather.write_feather,
}


def trees() -> tuple[pa.Table, np.ndarray]:
    """A table with an id, two columns of numbers with gaps, a label, and prose."""
    rng = np.random.default_rng(0)
    values = np.round(rng.normal(size=(N, 2)), 4)
    values[rng.random(values.shape) < 0.03] = np.nan
    values[[7, 400]] = np.nan
    table = {
        "id": [f"tree-{n}" for n in range(N)],
        "height": pa.array(values[:, 0], from_pandas=True),
        "width": pa.array(values[:, 1], from_pandas=True),
        "kind": np.array(["oak", "elm", "ash"])[np.arange(N) % 3],
        "seen": [f"a note about tree {n} that somebody wrote by hand" for n in range(N)],
    }
    return pa.table(table), values


@pytest.fixture(params=WRITE)
def path(request, tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv(OWN, "1")
    monkeypatch.setattr(columns, "GROUP", 2000)  # several groups of lines
    WRITE[request.param](trees()[0], tmp_path / request.param)
    return tmp_path / request.param


def test_columns_are_proposed_and_all_rows_are_read(path) -> None:
    values, table = trees()[1], own_table(str(path), os.environ)
    report = looked_into(table)
    use = Use.of(report)
    assert use == Use(("height", "width"), "kind", ("id", "seen"))
    assert "labels from 'kind'" in use_in_words(use, [each.name for each in report.columns])
    files = RowFiles.of(table.files, use.values)
    for size in (7, 1000):
        parts = [rows for _, rows in files.chunks(size, 3, 444)]
        np.testing.assert_array_equal(np.concatenate(parts), values[3:444])
    dataset = TableDataset.of(table, use)
    assert dataset.n_rows == N and dataset.column_names == ("height", "width")
    assert "Left out, because 2 rows have no value: 8, 401." in dataset.notes
    chosen = np.array([0, 5, 6, 499])
    stored = dataset.kept(chosen)
    np.testing.assert_array_equal(stored.targets, values[chosen])
    assert [stored.label_names[label] for label in stored.labels] == ["oak", "ash", "oak", "elm"]
    assert list(stored.row_names) == ["tree-0", "tree-5", "tree-6", "tree-499"]


def test_a_file_of_this_machine_is_refused_on_a_server_and_in_other_forms(
    path, tmp_path, monkeypatch
) -> None:
    for given, said in (
        ("rows.csv", "Write the whole path"),
        (str(tmp_path / "absent.csv"), "cannot be opened: No such file"),
        (str(tmp_path / "rows.xlsx"), "is not read from disk"),
    ):
        with pytest.raises(DataError, match=said):
            own_table(given, os.environ)
    dataset = TableDataset.of(own_table(str(path), os.environ), Use(("height",)))
    monkeypatch.setenv(OWN, "0")
    with pytest.raises(DataError, match="only while the app runs on one's own machine"):
        dataset.rows()


def test_a_replaced_file_is_an_error(path, tmp_path) -> None:
    files = RowFiles.of(own_table(str(path), os.environ).files, ["height"])
    path.rename(tmp_path / "moved")
    (tmp_path / "moved").write_bytes((tmp_path / "moved").read_bytes())
    path.symlink_to(tmp_path / "moved")
    with pytest.raises(DataError, match="is a link"):
        np.asarray(files)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: [*lines, "tree,unknown,1,oak,x"], "column 'height': 'unknown', after row"),
        (lambda lines: [*lines, "tree,1,2"], "cannot be read: .*Expected 5 columns, got 3"),
        (lambda lines: [*lines, 'tree,1,2,oak,"two\nlines"'], "line breaks inside quoted cells"),
        (lambda lines: [*lines[:5], "", *lines[5:]], "empty lines between its rows"),
    ],
)
def test_lines_that_cannot_be_read_are_named(change, said, tmp_path) -> None:
    csv.write_csv(trees()[0], tmp_path / "rows.csv")
    lines = (tmp_path / "rows.csv").read_text().splitlines()
    (tmp_path / "rows.csv").write_text("\n".join(change(lines)))
    with pytest.raises(DataError, match=said):
        np.asarray(RowFiles.of(tmp_path / "rows.csv", ["height", "width"]))


def test_missing_cells_delimiters_and_decimal_commas(tmp_path) -> None:
    lines = ["a;b", *(f"{n},5;{'NA' if n % 2 else n}" for n in range(300)), "", ""]
    (tmp_path / "rows.csv").write_text("\r\n".join(lines))
    found = np.asarray(RowFiles.of(tmp_path / "rows.csv"))
    count = np.arange(300.0)
    np.testing.assert_array_equal(found[:, 0], count + 0.5)
    np.testing.assert_array_equal(found[:, 1], np.where(count % 2, np.nan, count))
    with pytest.raises(DataError, match="has no column c; it has a, b"):
        RowFiles.of(tmp_path / "rows.csv", ["c"])


def test_only_large_tables_are_read_in_parts(tmp_path) -> None:
    np.save(tmp_path / "small.npy", np.zeros((1000, 3)))
    np.save(tmp_path / "large.npy", np.zeros((600_000, 10), np.float32))
    packed = pa.table({"a": np.random.default_rng(0).random(6_000_000, np.float32).round(1)})
    parquet.write_table(packed, tmp_path / "packed.parquet")
    found = {each.name: is_large(each) for each in tmp_path.iterdir()}
    assert found == {"small.npy": False, "large.npy": True, "packed.parquet": True}
