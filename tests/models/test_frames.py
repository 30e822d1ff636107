"""Tests of data frames: those of polars and Arrow give what those of pandas give."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from gplvm_core import (
    BayesianGPLVM,
    DataError,
    Dataset,
    GenerativeClassifier,
    ManifoldRelevance,
    ProbabilisticPCA,
    SemiSupervisedClassifier,
    SparseGPRegression,
    apply,
)

QUICK = {"max_iter": 3, "random_state": 0}
SIZES = ["small", "large"]


def arrow(table: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(table, preserve_index=False)


def polars(table: pd.DataFrame) -> pl.DataFrame:
    found = pl.from_pandas(table)
    # polars' ordered categories are an Enum.
    return found.cast({"size": pl.Enum(SIZES)}) if "size" in table else found


FRAMES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "polars": polars,
    "arrow": arrow,
    "batch": lambda table: pa.RecordBatch.from_pandas(table, preserve_index=False),
}
SORTS = {"polars": pl.DataFrame, "arrow": pa.Table, "batch": pa.Table}


def numbers() -> pd.DataFrame:
    generator = np.random.default_rng(0)
    values = np.outer(generator.normal(size=30), [1.0, -2.0, 0.5])
    return pd.DataFrame(values + 0.1 * generator.normal(size=(30, 3)), columns=["a", "b", "c"])


def kinds() -> pd.DataFrame:
    table = numbers()
    found = pd.DataFrame({
        "a": table["a"],
        "whole": pd.array(np.round(10 * table["b"]).astype(int), dtype="Int64"),
        "word": np.where(table["b"] > 0.3, "yes", np.where(table["c"] > 0, "no", "perhaps")),
        "n": np.random.default_rng(1).poisson(np.exp(table["a"])),
        "flag": table["c"] > 0.1,
        "size": pd.Categorical(np.where(table["a"] > 0, *SIZES), categories=SIZES, ordered=True),
    })  # fmt: skip
    return with_gaps(found)


def with_gaps(table: pd.DataFrame) -> pd.DataFrame:
    table = table.copy()
    table.loc[3, table.columns[0]] = np.nan
    if "word" in table:
        table.loc[4, ["whole", "word", "size"]] = None
    return table


def as_pandas(found: Any) -> Any:
    """Frames as pandas frames, everything else as it is."""
    if isinstance(found, dict):
        return {name: as_pandas(each) for name, each in found.items()}
    return found.to_pandas() if hasattr(found, "to_pandas") else found


def check_same(found: Any, expected: Any) -> None:
    found = as_pandas(found)
    if isinstance(expected, dict):
        for name, each in expected.items():
            check_same(found[name], each)
    elif isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(
            found, expected.reset_index(drop=True), check_dtype=False, check_column_type=False
        )
    else:
        np.testing.assert_allclose(found, expected)


METHODS = ("transform", "score_samples", "complete", "denoise")
FACES: dict[str, tuple[Any, pd.DataFrame, tuple[str, ...]]] = {
    "numbers": (BayesianGPLVM(2, 6, **QUICK), numbers(), METHODS),
    "kinds": (BayesianGPLVM(2, 6, **QUICK, kinds="auto"), kinds(), METHODS),
    "regression": (SparseGPRegression(6, **QUICK), numbers(), ("predict",)),
    "classifier": (GenerativeClassifier(ProbabilisticPCA(1)), numbers(), ("predict_proba",)),
    "labels": (
        SemiSupervisedClassifier(BayesianGPLVM(2, 6, **QUICK, kinds="auto"), random_state=0),
        kinds(),
        ("predict_proba",),
    ),
}


@pytest.fixture(scope="module")
def by_pandas() -> dict[str, Any]:
    return {name: fitted(model, table) for name, (model, table, _) in FACES.items()}


def fitted(model: Any, table: Any) -> Any:
    if isinstance(model, BayesianGPLVM):
        return clone(model).fit(table)
    target = np.arange(30) % 2 if hasattr(model, "predict_proba") else np.sin(np.arange(30))
    if not isinstance(table, pd.DataFrame):  # the targets in the same library
        kind = pl.Series if isinstance(table, pl.DataFrame) else pa.array
        target = kind(target)
    return clone(model).fit(table, target)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("face", FACES)
def test_every_frame_gives_what_pandas_gives(
    face: str, frame: str, by_pandas: dict[str, Any]
) -> None:
    model, table, methods = FACES[face]
    expected = by_pandas[face]
    given = FRAMES[frame](table)
    found = fitted(model, given)
    assert found.feature_names_in_.tolist() == list(table.columns)
    new = with_gaps(table)[:8] if "complete" in methods else table[:8]
    for name in methods:
        answer = getattr(found, name)(FRAMES[frame](new))
        check_same(answer, getattr(expected, name)(new))
        if name in ("complete", "denoise"):
            assert isinstance(answer, SORTS[frame])
        # A model of one library takes rows of another.
        check_same(getattr(expected, name)(FRAMES[frame](new)), getattr(expected, name)(new))
    if face == "kinds":
        assert found.columns_.columns == expected.columns_.columns
        assert isinstance(found.inverse_transform(np.zeros((2, 2))), SORTS[frame])
        dataset = Dataset.of_table("rows", "Rows", given)
        answers = apply(found, FRAMES[frame](new), dataset, reasons=False)
        assert isinstance(answers, SORTS[frame])
        check_same(answers, apply(expected, new, dataset, reasons=False))


@pytest.mark.parametrize("frame", FRAMES)
def test_views_may_be_frames_of_every_library(frame: str) -> None:
    both = {"left": numbers(), "right": kinds()[["word", "n"]]}
    model = ManifoldRelevance(2, 6, **QUICK, kinds={"right": "auto"})
    expected, make = clone(model).fit(both), FRAMES[frame]
    found = clone(model).fit({name: make(each) for name, each in both.items()})
    some = {name: with_gaps(each[:6].copy()) for name, each in both.items() if name == "left"}
    new = some | {"right": both["right"][:6]}
    given = {name: make(each) for name, each in new.items()}
    check_same(found.score_samples(given), expected.score_samples(new))
    whole = found.complete(given)
    check_same(whole, expected.complete(new))
    assert all(isinstance(each, SORTS[frame]) for each in whole.values())


def test_labels_may_be_a_series_of_every_library() -> None:
    words = kinds()["word"].tolist()
    model = ManifoldRelevance(2, 6, **QUICK, kinds={"label": "auto"})
    bounds = {
        clone(model).fit({"y": numbers(), "label": label}).bound_
        for label in (
            words,
            pd.Series(words),
            pl.Series(words),
            pa.array(words).dictionary_encode(),
        )
    }
    assert len(bounds) == 1


def test_a_missing_arrow_category_is_missing() -> None:
    words = pa.array(["a", None, "b"] * 10).dictionary_encode()
    table = pa.table({"x": numbers()["a"].to_numpy(), "word": words})
    model = BayesianGPLVM(2, 6, **QUICK, kinds="auto").fit(table)
    assert any("16.7% of the values are missing" in note for note in model.notes_)


def test_set_output_may_choose_polars() -> None:
    model = BayesianGPLVM(2, 6, **QUICK).set_output(transform="polars").fit(numbers().to_numpy())
    points = model.transform(numbers().to_numpy())
    assert isinstance(points, pl.DataFrame)
    assert isinstance(model.inverse_transform(points), pl.DataFrame)


DUPLICATES = {
    "pandas": pd.DataFrame(numbers().to_numpy(), columns=["a", "b", "a"]),
    "arrow": pa.table(numbers().to_numpy().T.tolist(), names=["a", "b", "a"]),
}


@pytest.mark.parametrize("table", DUPLICATES.values(), ids=DUPLICATES)
@pytest.mark.parametrize("face", FACES)
def test_duplicate_names_are_refused(face: str, table: Any, by_pandas: dict[str, Any]) -> None:
    model, _, methods = FACES[face]
    said = "more than one column of the name 'a'"
    with pytest.raises(DataError, match=said):
        clone(model).fit(table, np.arange(30) % 2)
    for name in methods:
        with pytest.raises(DataError, match=said):
            getattr(by_pandas[face], name)(table)
    with pytest.raises(DataError, match=said):
        ManifoldRelevance(2, 6, **QUICK).fit({"y": table})


def test_a_lazy_frame_is_to_be_collected(by_pandas: dict[str, Any]) -> None:
    lazy = pl.from_pandas(numbers()).lazy()
    for ask in (by_pandas["numbers"].complete, FACES["numbers"][0].fit, FACES["kinds"][0].fit):
        with pytest.raises(DataError, match=r"lazy frame \(polars\).*collect\(\)"):
            ask(lazy)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (pd.Categorical(list("xy") * 15), "must be numbers: the column 'k' has words, such as 'x'"),
        ([[1, 2]] * 30, "'k' has nested values"),
        ([{"a": 1}] * 30, "'k' has nested values"),
        (pd.date_range("2024-01-01", periods=30), "'k' has dates"),
    ],
)
@pytest.mark.parametrize("convert", [lambda table: table, pl.from_pandas, pa.Table.from_pandas])
def test_columns_that_are_no_numbers_are_named(cells, words, convert):
    table = convert(numbers().assign(k=cells))
    with pytest.raises(DataError, match=words):
        BayesianGPLVM(**QUICK).fit(table)


def test_an_object_of_anndata_is_refused_with_its_remedy():
    cells = pytest.importorskip("anndata").AnnData(numbers().to_numpy())
    with pytest.raises(DataError, match=r"\.X as a dense array .* read_h5ad"):
        BayesianGPLVM(**QUICK).fit(cells)
