"""Tests of answers about tables in files, written block by block."""

import tracemalloc
import warnings

import numpy as np
import pandas
import pytest

import gplvm_core
from gplvm_core.new_rows.streamed import blocks_of
from gplvm_core.readers import DataError

NAMES = [f"c{d}" for d in range(6)]


@pytest.fixture(scope="module")
def model() -> gplvm_core.ProbabilisticPCA:
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(100, 2)) @ generator.normal(size=(2, 6))
    rows += 0.1 * generator.normal(size=(100, 6))
    table = pandas.DataFrame(rows, columns=NAMES)
    return gplvm_core.ProbabilisticPCA(2).fit(table).fit_density(table, folds=5)


def frame(count: int) -> pandas.DataFrame:
    generator = np.random.default_rng(1)
    rows = generator.normal(size=(count, 6))
    rows[3, 2] = np.nan
    return pandas.DataFrame(rows, columns=NAMES)


@pytest.mark.parametrize("ending", ["csv", pytest.param("parquet", marks=pytest.mark.slow)])
def test_a_file_has_the_same_answers_as_the_table(model, tmp_path, ending) -> None:
    table = frame(4500)
    source, path = tmp_path / f"new.{ending}", tmp_path / f"answers.{ending}"
    table.to_csv(source, index=False) if ending == "csv" else table.to_parquet(source)
    expected = gplvm_core.apply(model, table, reasons=False)
    done: list[int] = []
    settings = {"reasons": False, "output": path, "callback": done.append}
    assert gplvm_core.apply(model, source, **settings) == path
    assert done == [2000, 4000, 4500]
    found = pandas.read_csv(path, index_col=0) if ending == "csv" else pandas.read_parquet(path)
    assert list(found.columns) == list(expected.columns)
    numbers = [name for name in expected if name != "reasons"]
    np.testing.assert_allclose(
        found[numbers].astype(float), expected[numbers].astype(float), rtol=1e-6, atol=1e-9
    )
    assert [*found.index] == [*range(4500)]
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("above", "end", "encoding"),
    [("Stationen im März\n", "\n", "utf-8"), ("# März\n\n", ";\n", "cp1252"), ("", "\n", "utf-8")],
)
def test_a_file_is_read_as_a_reader_finds_it(model, tmp_path, above, end, encoding) -> None:
    table = frame(6).round(3)
    cells = table.map(lambda value: "n.d." if np.isnan(value) else f"{value:.3f}".replace(".", ","))
    written = cells.assign(ort="Köln")
    lines = [";".join(line) + end for line in (written.columns, *written.to_numpy().tolist())]
    (tmp_path / "new.csv").write_bytes((above + "".join(lines)).encode(encoding))
    gplvm_core.apply(model, table, output=tmp_path / "right.csv")
    with pytest.warns(UserWarning, match="ignored: ort"):
        gplvm_core.apply(model, tmp_path / "new.csv", output=tmp_path / "found.csv")
    right, found = (pandas.read_csv(tmp_path / f"{name}.csv") for name in ("right", "found"))
    pandas.testing.assert_frame_equal(found, right)


def test_words_and_dates_of_a_file_are_read_as_the_model_has_learnt_them(tmp_path) -> None:
    """CSV, Parquet and Feather have the columns of the model, as a small file has them."""
    rng = np.random.default_rng(2)
    days = np.datetime64("2021-02-01") + rng.integers(0, 1000, 40)
    table = pandas.DataFrame({"wing": rng.normal(80, 5, 40).round(2), "seen": days})
    table["kind"] = np.where(table["wing"] > 80, "gull", "tern")
    table["kind"] = table["kind"].mask(rng.random(40) < 0.1)
    table["seen"] = table["seen"].mask(rng.random(40) < 0.1)
    table.to_csv(tmp_path / "new.csv", index=False, date_format="%d/%m/%Y")
    table.to_parquet(tmp_path / "new.parquet", row_group_size=15)
    table.to_feather(tmp_path / "new.feather")
    birds = gplvm_core.read_table(tmp_path / "new.csv", kinds="auto", date_columns=["seen"])
    own = birds.in_own_values()
    fitted = gplvm_core.BayesianGPLVM(2, 8, max_iter=3, kinds=birds.kinds, random_state=0).fit(own)
    for ending in ("csv", "parquet", "feather"):
        blocks = pandas.concat(blocks_of(tmp_path / f"new.{ending}", (), birds.column_names))
        assert list(blocks.index) == list(range(40)) and "seen" not in blocks
        found = birds.coded(blocks[[*birds.column_names]])
        np.testing.assert_array_equal(found, birds.values)
    lines = (tmp_path / "new.csv").read_text().splitlines()
    ambiguous = [line for line in lines[1:] if "/" in line and int(line.split(",")[1][:2]) <= 12]
    (tmp_path / "open.csv").write_text("\n".join([lines[0], *ambiguous]))
    with pytest.raises(DataError, match="no value decides whether"):
        gplvm_core.apply(fitted, tmp_path / "open.csv", birds, output=tmp_path / "open.parquet")


def test_a_file_that_grows_is_read_to_the_line_that_it_had(tmp_path) -> None:
    path, table = tmp_path / "new.csv", frame(9000)
    lines = table.to_csv(index=False).splitlines(keepends=True)
    path.write_text("".join(lines[:-1]) + lines[-1][:20])  # the last line is being written
    with pytest.warns(UserWarning, match="grew while it was read"):
        blocks = blocks_of(path)
        parts = [next(blocks)]
        with path.open("a") as file:
            file.write(lines[-1][20:] + "".join(lines[1:3000]))
        parts += blocks
    pandas.testing.assert_frame_equal(pandas.concat(parts), table)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_rows(model, tmp_path) -> None:
    def peak(blocks: int) -> int:
        tracemalloc.start()
        parts = (frame(500) for _ in range(blocks))
        gplvm_core.apply(model, parts, reasons=False, output=tmp_path / "many.csv")
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(1)
    assert peak(16) < 1.5 * peak(2)
    assert len(pandas.read_csv(tmp_path / "many.csv")) == 1000


def test_a_failure_leaves_the_old_answers_and_notes_are_said_once(model, tmp_path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("old")
    bad = frame(2500).astype(object)
    bad.iloc[2400, 1] = "many"
    with pytest.raises(DataError, match="row 2401, column “c1”: “many” is no number"):
        gplvm_core.apply(model, bad, reasons=False, output=path)
    assert path.read_text() == "old"
    with pytest.raises(DataError, match=r"\.csv or \.parquet"):
        gplvm_core.apply(model, frame(5), output=tmp_path / "answers.txt")
    with pytest.raises(DataError, match="give output"):
        gplvm_core.apply(model, tmp_path / "new.csv")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        extra = frame(4100).assign(place="here")
        gplvm_core.apply(model, extra, reasons=False, output=path)
    assert sum("ignored: place" in str(each.message) for each in said) == 1


def test_no_cell_of_a_file_of_answers_is_a_formula(tmp_path) -> None:
    words = pandas.DataFrame({"a": range(40), "b": range(40), "=1+1": ["=cmd", "good"] * 20})
    fitted = gplvm_core.BayesianGPLVM(1, 5, max_iter=2, kinds="auto").fit(words)
    words.head(3).to_csv(tmp_path / "new.csv", index=False)
    known = gplvm_core.Dataset.of_table("words", "Words", words)
    path = tmp_path / "found.csv"
    gplvm_core.apply(fitted, tmp_path / "new.csv", known, reasons=False, output=path)
    found = pandas.read_csv(path)
    assert found["'=1+1"].tolist() == ["'=cmd", "good", "'=cmd"]
    assert not any(name.startswith("=") for name in found)
