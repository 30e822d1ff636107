"""Tests of tables that are read from disk: each format gives the same rows and refusals."""

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet

from gplvm_core.readers import DataError, RowFiles, read_table
from gplvm_core.readers.isolated import WordSlip, corrected
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


def birds(count: int = 600) -> pa.Table:
    """A table of every kind, with gaps; its last rows have a word, a year and a count of their
    own.
    """
    rng = np.random.default_rng(1)
    days = np.datetime64("2021-03-01") + rng.integers(0, 900, count)
    table = {
        "ring": [f"R{n:05d}" for n in range(count)],
        "wing": rng.normal(80.0, 5.0, count).round(2),
        "kind": np.array(["gull", "tern", "skua"])[rng.integers(0, 3, count)],
        "alive": np.array(["yes", "no"])[rng.integers(0, 2, count)],
        "size": np.array(["low", "medium", "high"])[rng.integers(0, 3, count)],
        "eggs": rng.poisson(1.5, count),
        "sites": rng.integers(1, 4, count) * 5,
        "seen": days.astype(str),
    }
    table["kind"][-3:] = ["kite", "kite", "rook"]
    table["seen"][-1] = "2035-01-01"
    gaps = rng.random((count, len(table))) < 0.03
    gaps[-3:] = False
    each = zip(table.items(), gaps.T, strict=True)
    return pa.table(
        {
            name: pa.array(cells, mask=gone if name != "ring" else np.zeros(count, bool))
            for (name, cells), gone in each
        }
    )


NAMES = ["wing", "kind", "alive", "size", "eggs", "sites"]


def saved_birds(folder: Path, ending: str) -> Path:
    path, table = folder / f"birds.{ending}", birds()
    if ending != "csv":  # in their own types
        table = table.set_column(2, "kind", table["kind"].dictionary_encode())
        table = table.set_column(3, "alive", pa.compute.equal(table["alive"], "yes"))
        table = table.set_column(7, "seen", table["seen"].cast(pa.timestamp("s")))
    WRITE[f"rows.{ending}"](table, path)
    return path


def own(columns, values: np.ndarray) -> dict[str, list]:
    """The cells as words, counts and numbers."""
    rows = {}
    for column, codes in zip(columns, values.T, strict=True):
        cells = [None if np.isnan(code) else code for code in codes]
        if column.is_words:
            cells = [None if code is None else column.words[int(code)] for code in cells]
        rows[column.name] = cells
    return rows


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
def test_words_counts_and_dates_are_read_as_in_a_small_file(ending, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(columns, "GROUP", 2000)
    path = saved_birds(tmp_path, ending)
    small = read_table(path, id_columns=["ring"], date_columns=["seen"], kinds="auto")
    files = RowFiles.of(path, [*NAMES, "seen"], kinds="auto", date_columns=["seen"])
    assert [each.kind for each in files.columns[:6]] == [
        *("number", "category", "yes/no", "grade", "count", "grade")
    ]
    assert files.columns == small.columns and files.kinds == small.kinds
    assert {*files.notes} <= {*small.notes} and len(files.notes) == 3
    found = np.concatenate([rows for _, rows in files.chunks(70)])
    np.testing.assert_array_equal(found, small.values)
    assert files.taken(np.arange(3))[2] == ()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_words_that_the_sample_lacks_are_counted_and_missing(ending, tmp_path, monkeypatch) -> None:
    path = saved_birds(tmp_path, ending)
    monkeypatch.setattr(columns, "SAMPLED", 500)
    monkeypatch.setattr(columns.NamedRows, "sampled", lambda rows, count: np.arange(count))
    monkeypatch.setattr(columns.TextRows, "sampled", lambda rows, count: np.arange(count))
    monkeypatch.setenv(OWN, "1")
    table = own_table(str(path), os.environ)
    proposed = Use.of(looked_into(table))
    assert proposed.kinds == "auto" and {*proposed.values} == {*NAMES} - {proposed.label}
    use = Use(tuple(NAMES), "kind", ("ring",), "auto", ("seen",))
    dataset = TableDataset.of(table, use)
    said = dataset.notes[-1]
    assert "4 cells counted as missing" in said
    assert "“kite” in kind (2 ×), “rook” in kind (1 ×), “2035” in seen year (1 ×)" in said
    small = read_table(path, id_columns=["ring"], date_columns=["seen"], kinds="auto")
    expected = own(small.columns, small.values)
    expected["kind"][-3:] = [None] * 3
    expected["seen year"][-1] = None
    assert own(dataset.columns, np.asarray(dataset.rows())) == expected
    # A label has all words of its column.
    assert {*dataset.label_names} == {"gull", "tern", "skua", "kite", "rook"}
    # The rows that a model stores have the words of the model.
    turned = tuple(
        each if each.kind != "category" else type(each)(each.name, each.kind, each.words[::-1])
        for each in dataset.columns
    )
    stored = dataset.kept(np.array([0, 1, 599]), turned)
    some = {name: [cells[n] for n in (0, 1, 599)] for name, cells in expected.items()}
    assert own(turned, stored.values) == some
    # A word that the visitor corrects is read so in all rows.
    at = dataset.column_names.index("kind")
    rows = np.flatnonzero(dataset.values[:, at] == dataset.columns[at].words.index("skua"))
    meant = corrected(dataset, [WordSlip(at, "skua", "gull", tuple(rows.tolist()))])
    read = own(meant.columns, np.asarray(meant.rows()))["kind"]
    assert read == ["gull" if word == "skua" else word for word in expected["kind"]]


@pytest.mark.parametrize(
    ("column", "cell", "said"),
    [
        ("eggs", -1, "birds.csv: column 'eggs' holds counts, but row 600 has -1"),
        ("eggs", 2.5, "birds.csv: column 'eggs' holds counts, but row 600 has 2.5"),
        ("seen", "soon", "birds.csv, row 600, column 'seen': 'soon' is not a date"),
        ("wing", "long", "birds.csv, column 'wing': 'long', after row 0, is not a number"),
    ],
)
def test_later_cells_that_do_not_fit_are_named(column, cell, said, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(columns.TextRows, "sampled", lambda rows, count: np.arange(500))
    table = birds().to_pandas().astype(object)
    table.loc[599, column] = cell
    table.to_csv(tmp_path / "birds.csv", index=False)
    files = RowFiles.of(
        tmp_path / "birds.csv", [*NAMES, "seen"], kinds="auto", date_columns=["seen"]
    )
    with pytest.raises(DataError, match=said):
        np.asarray(files)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_words_of_all_files_of_a_table_are_known(ending, tmp_path) -> None:
    """Every file has a kind of its own; the sample is from all files."""
    paths = []
    for n, kind in enumerate(["gull", "tern", "skua"]):
        part = birds().slice(100 * n, 100)
        kinds = pa.array([kind] * 100).dictionary_encode() if ending == "parquet" else [kind] * 100
        paths.append(tmp_path / f"birds{n}.{ending}")
        WRITE[f"rows.{ending}"](part.set_column(2, "kind", pa.array(kinds)), paths[-1])
    files = RowFiles.of(paths, NAMES, kinds="auto")
    kind = files.columns[1]
    codes = np.repeat([kind.words.index(word) for word in ("gull", "tern", "skua")], 100)
    np.testing.assert_array_equal(np.asarray(files)[:, 1], codes)


def test_an_exposure_is_known_in_every_row(tmp_path, monkeypatch) -> None:
    table = birds().to_pandas()[["eggs", "sites", "kind"]].assign(hours=np.arange(600) % 7 + 0.5)
    table.loc[500, "hours"] = None
    table.to_csv(tmp_path / "birds.csv", index=False)
    kinds = {"hours": "exposure", "eggs": "count"}
    with pytest.raises(DataError, match=r"a sample of birds.csv: .* 'hours' is missing in line"):
        RowFiles.of(tmp_path / "birds.csv", kinds=kinds)
    monkeypatch.setattr(columns.TextRows, "sampled", lambda rows, count: np.arange(500))
    with pytest.raises(DataError, match="the exposure 'hours' is missing in row 501"):
        np.asarray(RowFiles.of(tmp_path / "birds.csv", kinds=kinds))


def test_an_array_without_names_has_no_kinds(tmp_path) -> None:
    np.save(tmp_path / "rows.npy", np.zeros((3, 2)))
    with pytest.raises(DataError, match=r"rows.npy has numbers without names"):
        RowFiles.of(tmp_path / "rows.npy", kinds="auto")
