"""Rows of .npy files, read in parts: the same numbers, and refusals in words."""

from pathlib import Path

import numpy as np
import pytest

from gplvm_core.datasets import DataError, RowFiles


def saved(path: Path, array: np.ndarray) -> Path:
    np.save(path, array)
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
def test_any_real_numbers_will_do(tmp_path: Path, kind: object) -> None:
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
        (np.asfortranarray(np.ones((3, 2))), "column by column"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(
    tmp_path: Path, array: np.ndarray, said: str
) -> None:
    path = tmp_path / "a.npy"
    np.save(path, array)
    with pytest.raises(DataError, match=said):
        RowFiles.of(path)


def test_damaged_and_absent_files_are_refused(tmp_path: Path, table: np.ndarray) -> None:
    path = saved(tmp_path / "a.npy", table)
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(DataError, match=r"a.npy is cut short: 25 rows of 3 need 428 bytes, .* 423"):
        RowFiles.of(path)
    for content in (b"", b"words", b"\x93NUMPY\x01\x00\x10\x00no header at all"):
        path.write_bytes(content)
        with pytest.raises(DataError, match=r"a.npy is no .npy file"):
            RowFiles.of(path)
    with pytest.raises(DataError, match="No such file"):
        RowFiles.of(tmp_path / "absent.npy")
    with pytest.raises(DataError, match="no files"):
        RowFiles.of([])
    pair = [saved(tmp_path / "b.npy", table), saved(tmp_path / "c.npy", table[:, :2])]
    with pytest.raises(DataError, match=r"c.npy has 2 columns, but b.npy has 3"):
        RowFiles.of(pair)


@pytest.mark.parametrize("how", ["shorter", "longer", "other"])
def test_a_file_that_changes_is_told(tmp_path: Path, table: np.ndarray, how: str) -> None:
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
