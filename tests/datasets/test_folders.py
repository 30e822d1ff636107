"""Tables in folders that were opened: what is listed, what never is, and what is read of it."""

import os

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM
from gplvm_core.datasets import DataError
from gplvm_core.datasets.folders import MOST_TABLES, SETTING, opened_folders, table_named, tables_in
from gplvm_core.datasets.table_dataset import TableDataset
from gplvm_core.models.estimators import bayesian
from gplvm_core.store import Library
from gplvm_core.training import Queue


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An opened folder with a table, a folder of parts, and things that are not for visitors."""
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
    assert [path.name for path in tables[0].paths] == ["part0.npy", "part1.npy", "part2.npy"]
    assert tables[-1].size == (folder / "whole.npy").stat().st_size


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


def test_a_setting_that_cannot_be_meant_is_told(folder, tmp_path):
    link = tmp_path / "linked"
    link.symlink_to(folder)
    (tmp_path / "other" / "data").mkdir(parents=True)
    for said, told in (
        ("data", "whole path"),
        (f"{folder}/../data", "without"),
        (str(link), "a link"),
        (str(tmp_path / "gone"), "no folder"),
        (os.pathsep.join([str(folder), str(tmp_path / "other" / "data")]), "two folders"),
    ):
        with pytest.raises(ValueError, match=told):
            opened_folders({SETTING: said})
    assert opened_folders({}) == opened_folders({SETTING: " "}) == {}


def test_very_many_files_are_not_all_listed(tmp_path):
    for number in range(MOST_TABLES + 5):
        (tmp_path / f"{number}.npy").touch()
    assert len(tables_in({"data": tmp_path})) == MOST_TABLES


def test_a_table_that_was_closed_or_broken_meanwhile_is_told(folder, monkeypatch):
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
    monkeypatch.setattr(bayesian, "MANY", 120)
    dataset = TableDataset.of(table_named("data/parts/*.npy", opened_folders(os.environ)))
    queue = Queue(tmp_path / "home")
    try:
        job = queue.submit(BayesianGPLVM(2, n_inducing=8, max_iter=4, random_state=0), dataset, "t")
        done = queue.wait(job, timeout=60)
        assert done.status == "finished", done.error
        library = Library(tmp_path / "home" / "library")
        model, kept = library.model(done.entry), library.dataset(done.entry)
        assert model.n_rows_ == 300 and len(model.kept_rows_) == 120
        rows = np.asarray(dataset.rows())
        np.testing.assert_array_equal(kept.values, rows[model.kept_rows_])
        assert "120 of the table's 300 rows" in kept.notes[0]
        (folder / "parts" / "part1.npy").unlink()
        np.save(folder / "parts" / "part1.npy", np.zeros((5, 9)))
        again = queue.wait(queue.rerun(job), timeout=60)
        assert again.status == "failed" and "columns" in again.error
    finally:
        queue.close()
