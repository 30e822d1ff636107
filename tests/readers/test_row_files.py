"""Tests of rows of .npy and Parquet files, read in parts: the same numbers, and clear refusals."""

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from gplvm_core.readers import DataError, RowFiles


def saved(path: Path, array: np.ndarray) -> Path:
    np.save(path, array)
    return path


def packed(path: Path, array: np.ndarray, group: int = 7, names: str = "abc") -> Path:
    columns = {name: pa.array(column) for name, column in zip(names, array.T, strict=True)}
    parquet.write_table(pa.table(columns), path, row_group_size=group)
    return path


@pytest.fixture
def table() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(25, 3)).astype(np.float32)


def test_parts_are_the_rows_of_all_files(tmp_path: Path, table: np.ndarray) -> None:
    files = RowFiles.of(
        [saved(tmp_path / "a.npy", table[:15]), saved(tmp_path / "b.npy", table[15:])]
    )
    assert len(files) == 25 and files.shape == (25, 3)
    for size in (1, 4, 15, 100):
        parts = list(files.chunks(size))
        np.testing.assert_array_equal(np.concatenate([rows for _, rows in parts]), table)
        assert all(rows.dtype == np.float64 and len(rows) <= size for _, rows in parts)
        for first, rows in parts:
            np.testing.assert_array_equal(rows, table[first : first + len(rows)])
    chosen = np.array([0, 3, 14, 15, 24])
    np.testing.assert_array_equal(files.take(chosen), table[chosen])
    np.testing.assert_array_equal(np.asarray(files), table)


@pytest.mark.parametrize("kind", [np.int16, np.uint8, np.float64, ">f4"])
def test_all_real_types_are_read(tmp_path: Path, kind: object) -> None:
    numbers = np.arange(12).reshape(4, 3).astype(kind)
    files = RowFiles.of(str(saved(tmp_path / "a.npy", numbers)))
    np.testing.assert_array_equal(np.asarray(files), numbers)


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.ones((3, 2), dtype=complex), "a.npy holds complex128, not real numbers"),
        (np.ones((3, 2), dtype=bool), "a.npy holds bool"),
        (np.array([["x", "y"]]), "a.npy holds <U1"),
        (np.array([[None, 1]], dtype=object), "a.npy holds object"),
        (np.ones(3), r"shape \(3,\); a table of N rows and D columns"),
        (np.ones((0, 3)), r"shape \(0, 3\)"),
    ],
)
def test_files_without_a_table_of_numbers_are_refused(
    tmp_path: Path, array: np.ndarray, said: str
) -> None:
    path = tmp_path / "a.npy"
    np.save(path, array)
    with pytest.raises(DataError, match=said):
        RowFiles.of(path)


def test_an_array_stored_by_column_is_read(tmp_path: Path, table: np.ndarray) -> None:
    files = RowFiles.of(saved(tmp_path / "a.npy", np.asfortranarray(table)))
    for size in (4, 25):
        found = [rows for _, rows in files.chunks(size, 3, 20)]
        np.testing.assert_array_equal(np.concatenate(found), table[3:20])
    np.testing.assert_array_equal(np.asarray(files), table)


def test_damaged_and_absent_files_are_refused(tmp_path: Path, table: np.ndarray) -> None:
    path = saved(tmp_path / "a.npy", table)
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(DataError, match=r"a.npy is cut short: 25 rows of 3 need 428 bytes, .* 423"):
        RowFiles.of(path)
    for content in (b"", b"words", b"\x93NUMPY\x01\x00\x10\x00no header at all"):
        path.write_bytes(content)
        with pytest.raises(DataError, match=r"a.npy is not an .npy file"):
            RowFiles.of(path)
    with pytest.raises(DataError, match="No such file"):
        RowFiles.of(tmp_path / "absent.npy")
    with pytest.raises(DataError, match="no files"):
        RowFiles.of([])
    pair = [saved(tmp_path / "b.npy", table), saved(tmp_path / "c.npy", table[:, :2])]
    with pytest.raises(DataError, match=r"c.npy has 2 columns, but b.npy has 3"):
        RowFiles.of(pair)


@pytest.mark.parametrize("how", ["shorter", "longer", "other"])
def test_a_file_that_changes_is_reported(tmp_path: Path, table: np.ndarray, how: str) -> None:
    path = saved(tmp_path / "a.npy", table)
    files = RowFiles.of(path)
    parts = files.chunks(10)
    next(parts)
    content = path.read_bytes()
    changed = {"shorter": content[:200], "longer": content + b"more", "other": content[::-1]}[how]
    path.write_bytes(changed)
    with pytest.raises(DataError, match=r"a.npy changed while it was read"):
        list(parts)
    path.unlink()
    with pytest.raises(DataError, match="can no longer be read"):
        list(files.chunks())


def test_parquet_is_read_by_row_groups(tmp_path: Path, table: np.ndarray) -> None:
    packed(tmp_path / "a.parquet", table)
    saved(tmp_path / "b.npy", table)
    (tmp_path / "notes.txt").write_text("no table")
    files = RowFiles.of(tmp_path)
    whole = np.concatenate([table, table])
    assert files.shape == (50, 3)
    np.testing.assert_array_equal(np.asarray(files), whole)
    # Parquet files are divided at their groups of seven rows, and .npy files at any row.
    halves = [(25, 33), (33, 41), (41, 49), (49, 50)]
    assert files.parts(8) == [(0, 7), (7, 14), (14, 21), (21, 25), *halves]
    assert files.parts(30) == [(0, 25), (25, 50)] and files.parts() == [(0, 50)]
    for part in [*files.parts(8), (3, 30), (12, 13)]:
        chunks = list(files.chunks(4, *part))
        np.testing.assert_array_equal(
            np.concatenate([rows for _, rows in chunks]), whole[slice(*part)]
        )
        assert chunks[0][0] == part[0]
        assert all(len(rows) <= 4 for _, rows in chunks)
    np.testing.assert_array_equal(files.take(np.array([0, 24, 25])), whole[[0, 24, 25]])


def test_null_is_missing_and_whole_numbers_are_read(tmp_path: Path) -> None:
    columns = {"n": pa.array([1, None, 3]), "x": pa.array([0.5, 1.5, None], pa.float32())}
    parquet.write_table(pa.table(columns), tmp_path / "a.parquet")
    expected = [[1.0, 0.5], [np.nan, 1.5], [3.0, np.nan]]
    np.testing.assert_array_equal(np.asarray(RowFiles.of(tmp_path / "a.parquet")), expected)


def test_parquet_that_cannot_be_read_is_refused(
    tmp_path: Path, table: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = packed(tmp_path / "a.parquet", table)
    content = path.read_bytes()
    for damaged in (content[:-9], content[:100], b""):
        path.write_bytes(damaged)
        with pytest.raises(DataError, match=r"a.parquet is cut short, or is not a Parquet file"):
            RowFiles.of(path)
    # The footer is valid, but the data that it describes are not.
    path.write_bytes(bytes(len(content) // 2) + content[len(content) // 2 :])
    with pytest.raises(DataError, match=r"a.parquet is (damaged|cut short)"):
        np.asarray(RowFiles.of(path))
    words = pa.table({"a": [1.0], "place": ["Berlin"]})
    parquet.write_table(words, path)
    with pytest.raises(DataError, match=r"are not real numbers: place \((large_)?string"):
        RowFiles.of(path)
    parquet.write_table(words.select(["a"]).slice(1), path)
    with pytest.raises(DataError, match="has no rows"):
        RowFiles.of(path)
    pair = [packed(tmp_path / f"{names}.parquet", table, 7, names) for names in ("abc", "acb")]
    with pytest.raises(DataError, match=r"acb.parquet and abc.parquet have different column names"):
        RowFiles.of(pair)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"empty has no .npy and no .parquet files"):
        RowFiles.of(tmp_path / "empty")
    monkeypatch.setattr("gplvm_core.readers.packages.not_installed", lambda names: tuple(names))
    with pytest.raises(DataError, match="pip install pyarrow"):
        RowFiles.of(pair[0])


@pytest.mark.parametrize("how", ["rewritten", "same size and time", "half", "gone"])
def test_parquet_that_changes_is_reported(tmp_path: Path, table: np.ndarray, how: str) -> None:
    path = packed(tmp_path / "a.parquet", table)
    files, state = RowFiles.of(path), path.stat()
    if how == "gone":
        path.unlink()
    elif how == "half":
        path.write_bytes(path.read_bytes()[:400])
    else:
        packed(path, table[::-1])
    if how == "same size and time":
        assert path.stat().st_size == state.st_size
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    with pytest.raises(
        DataError, match=r"changed while it was read|can no longer be read: No such"
    ):
        np.asarray(files)


def test_the_row_of_an_infinite_value_is_named(tmp_path: Path, table: np.ndarray) -> None:
    table[20, 1] = -np.inf
    files = RowFiles.of([saved(tmp_path / f"{name}.npy", table) for name in "ab"])
    for part, row, name in (((0, 25), 20, "a"), ((30, 50), 45, "b")):
        with pytest.raises(
            DataError, match=rf"row {row} \(counted from 0, in {name}.npy\) .* column 1"
        ):
            list(files.chunks(4, *part))
