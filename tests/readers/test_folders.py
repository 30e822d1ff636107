"""Tests of tables in opened folders: the list, hidden files, and reading."""

import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM
from gplvm_core.models.problems import many_rows
from gplvm_core.readers import DataError, RowFiles
from gplvm_core.readers.rows import folders as module
from gplvm_core.readers.rows.folders import (
    MOST_TABLES,
    SETTING,
    Folder,
    opened_folders,
    table_named,
    tables_in,
)
from gplvm_core.readers.rows.table import TableDataset
from gplvm_core.store import Library
from gplvm_core.training import Queue


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return an opened folder with a table, a folder of parts, and files that visitors must not
    see.
    """
    data = tmp_path / "data"
    (data / "parts").mkdir(parents=True)
    rows = np.random.default_rng(0).standard_normal((300, 3)) @ np.ones((3, 4))
    rows += 0.1 * np.random.default_rng(1).standard_normal(rows.shape)
    np.save(data / "whole.npy", rows)
    for number, part in enumerate(np.split(rows, 3)):
        np.save(data / "parts" / f"part{number}.npy", part.astype(np.float32))
    np.save(tmp_path / "secret.npy", rows)
    (data / "link.npy").symlink_to(tmp_path / "secret.npy")
    (data / "way").symlink_to(tmp_path)
    np.save(data / ".hidden.npy", rows)
    (data / "notes.txt").write_text("not a table")
    monkeypatch.setenv(SETTING, str(data))
    return data


def test_files_and_folders_of_them_are_tables_and_links_are_not(folder):
    tables = tables_in(opened_folders(os.environ))
    names = [table.name for table in tables]
    assert names == [
        "data/parts/*.npy",
        *(f"data/parts/part{number}.npy" for number in range(3)),
        "data/whole.npy",
    ]
    assert [file.name for file in tables[0].files] == ["part0.npy", "part1.npy", "part2.npy"]
    assert tables[-1].size == (folder / "whole.npy").stat().st_size


@pytest.mark.skipif(os.name == "nt", reason="on this system all names are text")
def test_a_name_that_no_page_can_show_is_not_listed(folder):
    before = tables_in(opened_folders(os.environ))
    try:
        os.rename(folder / "notes.txt", os.fsencode(folder) + b"/\xff.npy")
    except OSError:
        pytest.skip("this file system allows no such name")
    assert tables_in(opened_folders(os.environ)) == before


@pytest.mark.parametrize(
    "name",
    [
        "data/link.npy",
        "data/way/secret.npy",
        "data/../secret.npy",
        "../secret.npy",
        "/etc/passwd",
        "data/.hidden.npy",
        "data/notes.txt",
        "",
        "data/./whole.npy",
    ],
)
def test_no_name_leads_out_of_the_folders(folder, name):
    with pytest.raises(DataError, match="no table"):
        table_named(name, opened_folders(os.environ))


def test_an_impossible_setting_is_reported(folder, tmp_path):
    link = tmp_path / "linked"
    link.symlink_to(folder)
    (tmp_path / "other" / "data").mkdir(parents=True)
    for said, told in (
        ("data", "absolute path"),
        (f"{folder}/../data", "without"),
        (str(link), "a link"),
        (str(tmp_path / "gone"), "not a folder"),
        (os.pathsep.join([str(folder), str(tmp_path / "other" / "data")]), "two folders"),
    ):
        with pytest.raises(ValueError, match=told):
            opened_folders({SETTING: said})
    assert opened_folders({}) == opened_folders({SETTING: " "}) == {}


def test_very_many_files_are_not_all_listed(tmp_path):
    for number in range(MOST_TABLES + 5):
        (tmp_path / f"{number}.npy").touch()
    assert len(tables_in({"data": tmp_path})) == MOST_TABLES


def test_a_table_that_was_closed_or_broken_meanwhile_is_reported(folder, monkeypatch):
    dataset = TableDataset.of(table_named("data/whole.npy", opened_folders(os.environ)))
    assert dataset.rows().shape == (300, 4) and dataset.n_rows == 300
    (folder / "whole.npy").write_bytes((folder / "whole.npy").read_bytes()[:500])
    with pytest.raises(DataError, match="cut short"):
        dataset.rows()
    monkeypatch.delenv(SETTING)
    with pytest.raises(DataError, match="no table"):
        dataset.rows()


def test_a_parquet_table_keeps_the_names_of_its_columns(folder):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {"height": [1.0, 2.0, 4.0], "weight": [3.0, 1.0, 2.0]}
    parquet.write_table(pyarrow.table(columns), folder / "named.parquet")
    dataset = TableDataset.of(table_named("data/named.parquet", opened_folders(os.environ)))
    assert dataset.column_names == ("height", "weight") == dataset.kept(None).column_names
    chosen = dataset.kept(np.array([0, 2]))
    assert chosen.column_names == ("height", "weight") and chosen.n_points == 2
    table = TableDataset.of(table_named("data/whole.npy", opened_folders(os.environ)))
    assert table.column_names is None


def test_a_training_reads_the_table_and_the_library_keeps_the_model_s_rows(
    folder, tmp_path, monkeypatch
):
    monkeypatch.setattr(many_rows, "MANY", 120)
    dataset = TableDataset.of(table_named("data/parts/*.npy", opened_folders(os.environ)))
    queue = Queue(tmp_path / "home")
    try:
        job = queue.submit(BayesianGPLVM(2, n_inducing=8, max_iter=4, random_state=0), dataset, "t")
        done = queue.wait(job, timeout=300)
        assert done.status == "finished", done.error
        library = Library(tmp_path / "home" / "library")
        model, kept = library.model(done.entry), library.dataset(done.entry)
        assert model.rows_.count == 300 and len(model.rows_.kept) == 120
        rows = np.asarray(dataset.rows())
        np.testing.assert_array_equal(kept.values, rows[model.rows_.kept])
        assert "120 of the table's 300 rows" in kept.notes[0]
        (folder / "parts" / "part1.npy").unlink()
        np.save(folder / "parts" / "part1.npy", np.zeros((5, 9)))
        again = queue.wait(queue.rerun(job), timeout=300)
        assert again.status == "failed" and "columns" in again.error
    finally:
        queue.close()


def to_a_link(path: Path, outside: Path) -> None:
    """Move a file or folder out of the opened folder, and replace it by a link to its new path."""
    path.symlink_to(path.rename(outside / f"moved {path.name}"))


def table_to_a_link(folder: Path) -> None:
    to_a_link(folder / "parts" / "part1.npy", folder.parent)


def way_to_a_link(folder: Path) -> None:
    to_a_link(folder / "parts", folder.parent)


def root_to_a_link(folder: Path) -> None:
    to_a_link(folder, folder.parent)


def table_to_a_twin(folder: Path) -> None:
    """Replace a table by a file with the same size, time and bytes at both ends.

    Only the inode of the file differs.
    """
    path = folder / "parts" / "part1.npy"
    state, content = path.stat(), path.read_bytes()
    path.rename(folder / "before.bin")
    path.write_bytes(content)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


def table_to_a_pipe(folder: Path) -> None:
    (folder / "parts" / "part1.npy").unlink()
    os.mkfifo(folder / "parts" / "part1.npy")


def table_to_a_device(folder: Path) -> None:
    (folder / "parts" / "part1.npy").unlink()
    try:
        os.mknod(folder / "parts" / "part1.npy", stat.S_IFCHR | 0o600, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only the system's administrator can create devices")


def table_to_a_folder(folder: Path) -> None:
    (folder / "parts" / "part1.npy").unlink()
    (folder / "parts" / "part1.npy").mkdir()


def within(seconds: float, act: Callable[[], object]) -> Exception | None:
    """Return the error that ends a call, or None; fail if the call does not end in time."""
    found: list[Exception | None] = []

    def run() -> None:
        try:
            act()
            found.append(None)
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    assert found, "it never ended"
    return found[0]


SWAPS = [
    (table_to_a_link, "part1.npy is a link"),
    (way_to_a_link, "part1.npy is a link, or is in a linked folder"),
    (root_to_a_link, "part1.npy is a link, or is in a linked folder"),
    (table_to_a_twin, "part1.npy was replaced"),
    (table_to_a_pipe, "part1.npy is no longer a regular file"),
    (table_to_a_device, "part1.npy is no longer a regular file"),
    (table_to_a_folder, "part1.npy is no longer a regular file"),
]


@pytest.fixture(params=[True, False], ids=["descriptors", "paths"])
def either_way(request, monkeypatch):
    """Run the test as on POSIX, and without folder descriptors, as on Windows."""
    monkeypatch.setattr(module, "DESCRIPTORS", request.param)


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize(("swap", "said"), SWAPS)
def test_a_file_swapped_after_the_listing_is_not_opened(folder, swap, said):
    table = table_named("data/parts/part1.npy", opened_folders(os.environ))
    np.testing.assert_array_equal(np.asarray(RowFiles.of(table.files)).shape, (100, 4))
    swap(folder)
    error = within(20, lambda: RowFiles.of(table.files))
    assert isinstance(error, DataError) and said in str(error), error
    assert str(folder.parent) not in str(error)  # visitors must not see the paths of folders


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize(("swap", "said"), SWAPS)
def test_a_file_swapped_during_reading_is_not_opened_again(folder, swap, said):
    files = RowFiles.of(table_named("data/parts/*.npy", opened_folders(os.environ)).files)
    chunks = files.chunks(40)
    for _ in range(4):  # now the second of three files is open
        next(chunks)
    swap(folder)
    error = within(20, lambda: list(chunks))
    assert isinstance(error, DataError) and said in str(error), error


@pytest.mark.parametrize(
    ("swap", "seen"),
    [
        (table_to_a_link, "part1.npy"),
        (table_to_a_twin, "part1.npy"),
        (table_to_a_pipe, "part1.npy"),
        (way_to_a_link, "parts"),
        (root_to_a_link, "data"),
    ],
)
def test_a_table_swapped_between_check_and_use_is_not_opened(folder, monkeypatch, swap, seen):
    """The file is replaced at the worst moment: right after the program's check."""
    table = table_named("data/parts/part1.npy", opened_folders(os.environ))
    look, done = Folder.state, []

    def look_then_swap(self, name):
        state = look(self, name)
        if Path(name).name == seen and not done:
            done.append(swap(folder))
        return state

    monkeypatch.setattr(Folder, "state", look_then_swap)
    error = within(20, lambda: RowFiles.of(table.files))
    assert done and isinstance(error, DataError) and "part1.npy" in str(error), error


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("swap", [table_to_a_link, way_to_a_link, root_to_a_link])
def test_a_table_that_became_a_link_is_no_longer_listed(folder, swap):
    folders = opened_folders(os.environ)
    swap(folder)
    assert "data/parts/part1.npy" not in [table.name for table in tables_in(folders)]
    with pytest.raises(DataError, match="no table"):
        table_named("data/parts/part1.npy", folders)


def test_a_parquet_file_that_is_swapped_is_not_opened(folder):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = folder / "parts" / "rows.parquet"
    parquet.write_table(pyarrow.table({"x": [1.0, 2.0], "y": [3.0, 1.0]}), path)
    table = table_named("data/parts/rows.parquet", opened_folders(os.environ))
    files = RowFiles.of(table.files)
    to_a_link(path, folder.parent)
    for act in (lambda: RowFiles.of(table.files), lambda: np.asarray(files)):
        with pytest.raises(DataError, match=r"rows.parquet is a link"):
            act()


def test_links_of_a_library_user_are_followed(folder):
    """A path that a program passes may be a link."""
    (folder / "linked").symlink_to(folder / "parts")
    assert RowFiles.of(folder / "link.npy").shape == (300, 4)
    assert RowFiles.of(folder / "linked").shape == (300, 4)
    assert RowFiles.of(str(folder / "linked" / "part0.npy")).shape == (100, 4)
