"""Tests of data frames: those of every library, arrays and data sets give what pandas gives."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xarray as xr
from scipy import sparse
from sklearn.base import clone

from gplvm_core import (
    GPLVM,
    AutoregressiveGP,
    AverageOfStarts,
    BayesianGPLVM,
    DataError,
    Dataset,
    DeepGPLVM,
    DeepManifoldRelevance,
    Drawing,
    DynamicalGPLVM,
    Edge,
    GenerativeClassifier,
    ManifoldRelevance,
    Model,
    ProbabilisticPCA,
    SemiSupervisedClassifier,
    SparseGPRegression,
    StateSpaceGPLVM,
    apply,
)
from tests.every import fitted_models

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
QUICK = {"max_iter": 1, "random_state": 0}
N, NEW = 16, slice(0, 4)


def values(table: pd.DataFrame) -> np.ndarray:
    """The table as an array: of float64 if all columns are numbers, otherwise of objects."""
    flags = any(map(pd.api.types.is_bool_dtype, table.dtypes))
    if all(map(pd.api.types.is_numeric_dtype, table.dtypes)) and not flags:
        return table.to_numpy(dtype=float, na_value=np.nan)
    return table.astype(object).to_numpy()


def masked(table: pd.DataFrame) -> np.ma.MaskedArray:
    """The table as an array with values of another row below the mask."""
    shown = np.where(table.isna(), values(table.ffill().bfill()), values(table))
    return np.ma.array(shown, mask=table.isna().to_numpy())


def in_sparse(table: pd.DataFrame) -> Any:
    dense = values(table)
    return dense if dense.dtype == object else sparse.csr_array(dense)


def in_polars(table: pd.DataFrame) -> pl.DataFrame:
    found = pl.from_pandas(table)
    # polars' ordered categories are an Enum.
    return found.cast({"size": pl.Enum(SIZES)}) if "size" in table else found


def in_dataset(table: pd.DataFrame) -> Dataset:
    dense = values(table)
    if dense.dtype == object:
        few = {"word": "category"} if "word" in table else {}  # new rows have few words
        return Dataset.of_table(
            "rows", "Rows", table, few | ({"n": "count"} if "n" in table else {})
        )
    names = tuple(map(str, table.columns))
    return Dataset("rows", "Rows", dense, Drawing.of_vector(len(names)), column_names=names)


# How a table of pandas becomes another one, and what comes back where pandas gets a frame.
FRAMES: dict[str, tuple[Callable[[pd.DataFrame], Any], type]] = {
    "nullable": (lambda table: table.convert_dtypes(), pd.DataFrame),
    "pandas of arrow": (lambda table: table.convert_dtypes(dtype_backend="pyarrow"), pd.DataFrame),
    "polars": (in_polars, pl.DataFrame),
    "arrow": (lambda table: pa.Table.from_pandas(table, preserve_index=False), pa.Table),
    "batch": (lambda table: pa.RecordBatch.from_pandas(table, preserve_index=False), pa.Table),
    "xarray": (lambda table: xr.DataArray(values(table), table_coords(table)), xr.DataArray),
    "xarray's Dataset": (xr.Dataset.from_dataframe, xr.Dataset),
    "Dataset": (in_dataset, pd.DataFrame),
    "array": (values, np.ndarray),
    "list": (lambda table: values(table).tolist(), np.ndarray),
    "masked": (masked, np.ndarray),
    "sparse": (in_sparse, np.ndarray),
}


def table_coords(table: pd.DataFrame) -> dict[str, Any]:
    return {"row": table.index, "column": list(table.columns)}


SIZES = ["small", "large"]
LATENT = np.random.default_rng(0).normal(size=N)
NOISE = 0.1 * np.random.default_rng(1).normal(size=(N, 3))
NUMBERS = pd.DataFrame(np.outer(LATENT, [1.0, -2.0, 0.5]) + NOISE, columns=["a", "b", "c"])
COUNTS = pd.DataFrame(
    np.random.default_rng(2).poisson(np.exp(np.outer(LATENT, [1.0, 0.8]))), columns=["n1", "n2"]
).assign(n3=(LATENT > 0.0).astype(int))
YES_NO = pd.DataFrame({"a": NUMBERS["a"], "flag": LATENT > 0.1, "b": NUMBERS["b"]})
WORDS = YES_NO.assign(
    n=COUNTS["n1"],
    word=np.where(LATENT > 0.5, "yes", np.where(NUMBERS["c"] > 0, "no", "perhaps")),
)
POINTS = pd.DataFrame(np.linspace(-1.0, 1.0, 6).reshape(3, 2), columns=["x0", "x1"])
TIMES = pd.DataFrame({"t": np.arange(float(N))})


def with_gaps(table: pd.DataFrame) -> pd.DataFrame:
    """The table with two gaps, in columns that may have gaps."""
    table = table.astype({
        name: {"b": "boolean", "i": "Int64"}[kind.kind]
        for name, kind in table.dtypes.items()
        if getattr(kind, "kind", "") in "bi"
    })  # fmt: skip
    table.iloc[1, 0] = table.iloc[2, -1] = None
    return table


@dataclass(frozen=True)
class Face:
    """An estimator, its training, and its methods with rows; `give` makes a frame of a table."""

    model: Any
    fit: Callable[[Any, Callable[[Any], Any]], Any]
    asks: Mapping[str, Callable[[Any, Callable[[Any], Any]], Any]]


ASKS = {
    "transform": lambda model, give, new: model.transform(give(new), return_std=True),
    "complete": lambda model, give, new: model.complete(give(new), return_std=True),
    "denoise": lambda model, give, new: model.denoise(give(new), return_std=True),
    "score_samples": lambda model, give, new: model.score_samples(give(new)),
    "score": lambda model, give, new: model.score(give(new)),
    "alternatives": lambda model, give, new: model.alternatives(give(new), 2),
    "sample_completions": lambda model, give, new: model.sample_completions(give(new), 2, 0),
    "completion_methods": lambda model, give, new: model.completion_methods(give(new)),
    "inverse_transform": lambda model, give, new: model.inverse_transform(give(POINTS)),
    "sample": lambda model, give, new: model.sample(give(POINTS), 2, 0),
}


def of_table(
    model: Any, table: pd.DataFrame, asks: Iterable[str] = tuple(ASKS), **others: Any
) -> Face:
    """The methods of a model of one table; the rows have gaps, if the model takes them."""
    rows = table if isinstance(model, GPLVM) else with_gaps(table)
    tried = {name: partial(ASKS[name], new=rows[NEW]) for name in asks}
    return Face(model, lambda model, give: model.fit(give(rows)), tried | others)


def extended(model: Any, give: Callable[[Any], Any]) -> Any:
    return clone(model).fit(give(NUMBERS)).extend(give(NUMBERS[NEW])).latent_mean_


def of_density(model: Any, give: Callable[[Any], Any]) -> Any:
    found = model.fit_density(give(with_gaps(NUMBERS)), components=1)
    return found.score_samples(give(NUMBERS[NEW]))


def answers(model: Any, give: Callable[[Any], Any]) -> Any:
    training = Dataset.of_table("rows", "Rows", with_gaps(WORDS))
    return apply(model, give(WORDS[NEW]), training, reasons=False)


VIEWS = {"left": NUMBERS, "right": WORDS[["word", "n"]]}


def of_views(give: Callable[[Any], Any], rows: slice = slice(None)) -> dict[str, Any]:
    return {name: give(with_gaps(table)[rows]) for name, table in VIEWS.items()}


def of_numbers(give: Callable[[Any], Any], rows: slice = slice(None)) -> dict[str, Any]:
    return {"left": give(with_gaps(NUMBERS)[rows]), "right": give(NUMBERS[rows] ** 2)}


def left(give: Callable[[Any], Any]) -> dict[str, Any]:
    return {"left": give(NUMBERS[NEW])}


def of_several(views: Callable[..., Any], **others: Any) -> dict[str, Any]:
    return {
        "transform": lambda model, give: model.transform(views(give, NEW)),
        "complete": lambda model, give: model.complete(views(give, NEW), return_std=True),
        "score_samples": lambda model, give: model.score_samples(views(give, NEW)),
        "score": lambda model, give: model.score(views(give, NEW)),
        "correspondences": lambda model, give: model.correspondences(left(give), "right"),
        "completion_methods": lambda model, give: model.completion_methods(views(give, NEW)),
        "inverse_transform": lambda model, give: model.inverse_transform(give(POINTS)),
        "transfer": lambda model, give: model.transfer(left(give), "right", return_std=True),
    } | others


def calibrated(model: Any, give: Callable[[Any], Any]) -> Any:
    found = model.calibrate(of_numbers(give))
    return found.transfer(left(give), "right", return_std=True)


INPUTS, OUTPUTS = NUMBERS[["a", "b"]], NUMBERS[["c"]]
VARIANCE = INPUTS.abs() / 10.0
CLASSES = np.arange(N) % 2
FACES = {
    "numbers": of_table(BayesianGPLVM(2, 5, **QUICK), NUMBERS, extend=extended),
    "numbers, auto": of_table(
        BayesianGPLVM(2, 5, **QUICK, kinds="auto"), NUMBERS, ("transform", "complete")
    ),
    "counts": of_table(
        BayesianGPLVM(2, 5, **QUICK, kinds=["count", "count", "yes/no"]),
        COUNTS,
        ("transform", "complete"),
        count_probabilities=lambda model, give: model.count_probabilities(give(COUNTS[NEW]), 1, 3),
    ),
    "words": of_table(
        BayesianGPLVM(2, 5, **QUICK, kinds="auto"),
        WORDS,
        class_probabilities=lambda model, give: model.class_probabilities(give(WORDS[NEW]), 4),
        class_probabilities_at=lambda model, give: model.class_probabilities_at(give(POINTS), 4),
        column_quantiles=lambda model, give: model.column_quantiles(give(WORDS[NEW]), 0),
        apply=answers,
    ),
    "plain": of_table(GPLVM(2, 5, **QUICK), NUMBERS, ("transform", "complete", "score_samples")),
    "linear": of_table(
        ProbabilisticPCA(2),
        NUMBERS,
        ("transform", "complete"),
        fit_density=of_density,
    ),
    "deep": of_table(
        DeepGPLVM((2, 2), 5, **QUICK),
        NUMBERS,
        ("complete", "inverse_transform"),
        generate=lambda model, give: model.generate(give(POINTS), layer=1),
    ),
    "over time": Face(
        DynamicalGPLVM(2, 5, **QUICK),
        lambda model, give: model.fit(give(with_gaps(NUMBERS)), times=give(TIMES)),
        {
            "complete": lambda model, give: model.complete(
                give(with_gaps(NUMBERS)[NEW]), times=give(TIMES[NEW]), return_std=True
            ),
            "transform_sequence": lambda model, give: model.transform_sequence(
                give(with_gaps(NUMBERS)[NEW]), times=give(TIMES[NEW])
            ),
            "forecast": lambda model, give: model.forecast(give(TIMES[NEW] + N)),
            "forecast_latent": lambda model, give: model.forecast_latent(give(TIMES[NEW] + N)),
            "sample_sequence": lambda model, give: model.sample_sequence(
                give(TIMES[NEW]), n_samples=2, random_state=0
            ),
            "choose_forecaster": lambda model, give: (
                model.choose_forecaster(give(with_gaps(NUMBERS))).forecaster_.reason
            ),
        },
    ),
    "states": Face(
        StateSpaceGPLVM(2, 5, **QUICK),
        lambda model, give: model.fit(give(NUMBERS), times=give(TIMES)),
        {
            "complete": lambda model, give: model.complete(
                give(with_gaps(NUMBERS)[NEW]), times=give(TIMES[NEW])
            ),
            "sample_forecast": lambda model, give: model.sample_forecast(
                give(TIMES[NEW] + N), random_state=0
            ),
        },
    ),
    "views": Face(
        ManifoldRelevance(2, 5, **QUICK, kinds={"right": "auto"}),
        lambda model, give: model.fit(of_views(give)),
        of_several(
            of_views,
            class_probabilities=lambda model, give: model.class_probabilities(
                left(give), "right", 0
            ),
            count_probabilities=lambda model, give: model.count_probabilities(
                left(give), "right", 1, 3
            ),
            column_quantiles=lambda model, give: model.column_quantiles(left(give), "right", 1),
            vary=lambda model, give: model.vary(give(POINTS), [0], 1, 0),
        ),
    ),
    "views of numbers": Face(
        ManifoldRelevance(2, 5, **QUICK),
        lambda model, give: model.fit(of_numbers(give)),
        {
            "complete": lambda model, give: model.complete(of_numbers(give, NEW)),
            "calibrate": calibrated,
        },
    ),
    "deep views": Face(
        DeepManifoldRelevance((2, 2), 5, **QUICK),
        lambda model, give: model.fit(of_numbers(give)),
        {"complete": lambda model, give: model.complete(of_numbers(give, NEW))},
    ),
    "regression": Face(
        SparseGPRegression(5, **QUICK),
        lambda model, give: model.fit(give(INPUTS), give(OUTPUTS), X_variance=give(VARIANCE)),
        {
            "predict": lambda model, give: model.predict(give(INPUTS[NEW]), return_std=True),
            "predict_quantiles": lambda model, give: model.predict_quantiles(give(INPUTS[NEW])),
            "sample": lambda model, give: model.sample(give(INPUTS[NEW]), 2, 0),
            "score": lambda model, give: model.score(give(INPUTS), give(OUTPUTS)),
            "score_samples": lambda model, give: model.score_samples(
                give(INPUTS[NEW]), give(OUTPUTS[NEW])
            ),
        },
    ),
    "series": Face(
        AutoregressiveGP(2, 5, **QUICK),
        lambda model, give: model.fit(give(NUMBERS)),
        {
            "forecast": lambda model, give: model.forecast(2, history=give(NUMBERS[NEW])),
            "sample_forecast": lambda model, give: model.sample_forecast(
                2, random_state=0, history=give(NUMBERS[NEW])
            ),
            "calibrate": lambda model, give: model.calibrate(give(NUMBERS), 2).forecast(
                2, return_std=True
            ),
        },
    ),
    "graph": Face(
        Model({"x": 2}, [Edge("x", "y", n_inducing=5)], **QUICK),
        lambda model, give: model.fit(give(with_gaps(NUMBERS))),
        {
            "transform": lambda model, give: model.transform(give(with_gaps(NUMBERS)[NEW])),
            "complete": lambda model, give: model.complete({"y": give(with_gaps(NUMBERS)[NEW])}),
            "generate": lambda model, give: model.generate({"x": give(POINTS)}),
            "quantiles": lambda model, give: model.quantiles({"x": give(POINTS)}),
            "score_samples": lambda model, give: model.score_samples(give(NUMBERS[NEW])),
            "sample_completions": lambda model, give: model.sample_completions(
                give(with_gaps(NUMBERS)[NEW]), random_state=0
            ),
            "alternatives": lambda model, give: model.alternatives(give(with_gaps(NUMBERS)[NEW])),
        },
    ),
    "average": Face(
        AverageOfStarts(BayesianGPLVM(2, 5, max_iter=1), 2, random_state=0),
        lambda model, give: model.fit(give(with_gaps(NUMBERS))),
        {"complete": lambda model, give: model.complete(give(with_gaps(NUMBERS)[NEW]))},
    ),
    "classifier": Face(
        GenerativeClassifier(ProbabilisticPCA(1)),
        lambda model, give: model.fit(give(NUMBERS), CLASSES),
        {
            "predict": lambda model, give: model.predict(give(NUMBERS[NEW])),
            "predict_proba": lambda model, give: model.predict_proba(give(NUMBERS[NEW])),
            "predict_log_proba": lambda model, give: model.predict_log_proba(give(NUMBERS[NEW])),
            "score": lambda model, give: model.score(give(NUMBERS), CLASSES),
        },
    ),
    "labels": Face(
        SemiSupervisedClassifier(BayesianGPLVM(2, 5, **QUICK, kinds="auto"), random_state=0),
        lambda model, give: model.fit(give(with_gaps(WORDS)), CLASSES),
        {
            "predict_proba": lambda model, give: model.predict_proba(give(WORDS[NEW])),
            "predict": lambda model, give: model.predict(give(WORDS[NEW])),
            "score": lambda model, give: model.score(give(WORDS), CLASSES),
        },
    ),
}


def everything(face: Face, give: Callable[[Any], Any]) -> dict[str, Any]:
    """The answers of all methods of a model that is trained on a frame; names and kinds, too."""
    model = face.fit(clone(face.model), give)
    columns = getattr(model, "columns_", None)
    found = {
        "fit": getattr(model, "bound_", 0.0),
        "kinds": [each.kind for each in columns.columns] if hasattr(columns, "columns") else None,
        "names": list(getattr(model, "feature_names_in_", ())),
    }
    # The steps of the second stage change the other answers.
    late = ("calibrate", "fit_density", "choose_forecaster")
    for name in sorted(face.asks, key=lambda name: name in late):
        found[name] = face.asks[name](model, give)
    return found


@cache
def by_pandas(face: str) -> dict[str, Any]:
    """The answers for frames of pandas; callers do not change them."""
    return everything(FACES[face], lambda table: table)


def differences(found: Any, expected: Any, back: type, where: str) -> list[str]:
    """Where answers differ from those that pandas gets, in values, in names, or in their type."""
    if isinstance(expected, Mapping | tuple | list):
        if len(found) != len(expected):
            return [f"{where}: {len(found)} parts instead of {len(expected)}"]
        keys = expected if isinstance(expected, Mapping) else range(len(expected))
        parts = (differences(found[key], expected[key], back, f"{where} {key}") for key in keys)
        return [each for own in parts for each in own]
    if isinstance(expected, pd.DataFrame):
        wanted = {"apply": {np.ndarray: pd.DataFrame, xr.DataArray: xr.Dataset}}
        back = wanted.get(where, {}).get(back, back)
        if type(found) is not back:
            return [f"{where}: {type(found)} instead of {back}"]
        if hasattr(found, "to_pandas"):
            found = found.to_pandas()
        if isinstance(found, pd.DataFrame):
            if list(found.columns) != list(expected.columns):
                return [f"{where}: the columns {list(found.columns)}"]
            found = found.to_numpy(dtype=object)
        expected = expected.to_numpy(dtype=object)
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape:
        return [f"{where}: shape {found.shape} instead of {expected.shape}"]
    return [] if all(map(same, found.flat, expected.flat)) else [f"{where}: other values"]


def same(found: Any, expected: Any) -> bool:
    if pd.isna(expected) or isinstance(expected, str):
        return bool(pd.isna(found)) if not isinstance(expected, str) else found == expected
    return not isinstance(found, str) and bool(np.isclose(float(found), float(expected)))


# `make test` tries a regression with every frame, and all kinds of columns with two frames.
QUICKLY = {"regression": FRAMES, "words": ("arrow", "masked")}


@pytest.mark.parametrize(
    ("face", "frame"),
    [
        pytest.param(face, frame, marks=[pytest.mark.slow] * (frame not in QUICKLY.get(face, ())))
        for face in FACES
        for frame in FRAMES
    ],
)
def test_every_frame_gives_what_pandas_gives(face: str, frame: str) -> None:
    convert, back = FRAMES[frame]
    found, expected = everything(FACES[face], convert), by_pandas(face)
    if back is np.ndarray:
        found |= {"names": expected["names"]}
    assert not [
        each for name in expected for each in differences(found[name], expected[name], back, name)
    ]


@pytest.mark.slow
def test_every_method_with_rows_is_tried() -> None:
    tried = {name for face in FACES.values() for name in face.asks}
    rows = {"Y", "X", "H", "views", "series", "points", "times"}
    for model in fitted_models().values():
        for name, method in inspect.getmembers(model, inspect.ismethod):
            if not name.startswith(("_", "fit", "set_")) and rows & set(signature(method)):
                assert name in tried, f"{type(model).__name__}.{name}"


def signature(method: Any) -> Iterable[str]:
    return inspect.signature(method).parameters


def test_ordered_categories_are_grades() -> None:
    sizes = pd.Categorical(np.where(LATENT > 0, *SIZES), categories=SIZES, ordered=True)
    table = NUMBERS.assign(size=sizes)
    for convert in (lambda table: table, FRAMES["polars"][0], FRAMES["arrow"][0]):
        model = BayesianGPLVM(2, 5, **QUICK, kinds="auto").fit(convert(table))
        assert model.columns_.columns[3].kind == "grade"
        assert model.columns_.columns[3].words == tuple(SIZES)


def test_a_model_of_one_library_takes_rows_of_another() -> None:
    model = FACES["words"].fit(clone(FACES["words"].model), FRAMES["polars"][0])
    rows = with_gaps(WORDS)[NEW]
    for convert, back in FRAMES.values():
        found = model.complete(convert(rows), return_std=True)
        expected = by_pandas("words")["complete"]
        # An array gets a frame of the training rows' library.
        back = pl.DataFrame if back is np.ndarray else back
        assert not differences(found, expected, back, "complete")
    assert isinstance(model.inverse_transform(POINTS.to_numpy()), pl.DataFrame)


def test_coordinates_of_rows_come_back() -> None:
    model = BayesianGPLVM(2, 5, **QUICK).fit(NUMBERS)
    times = pd.date_range("2024-01-01", periods=4, name="day")
    names = list(NUMBERS.columns)
    rows = xr.DataArray(NUMBERS[NEW].to_numpy(), {"day": times, "sensor": names})
    for found in (model.complete(rows), model.denoise(rows)):
        xr.testing.assert_equal(found, rows.copy(data=found.to_numpy()))
    answers = apply(model, rows, reasons=False)
    assert answers.sizes == {"day": 4}
    np.testing.assert_allclose(answers["a"], NUMBERS["a"][NEW])


def test_a_data_set_of_views_is_a_dict_of_views() -> None:
    views = {"left": NUMBERS, "right": YES_NO}
    data = {name: Dataset.of_table(name, name, table) for name, table in views.items()}
    both = Dataset.of_views("both", "Both", data)
    model = ManifoldRelevance(2, 5, **QUICK, kinds={"right": "auto"})
    found, expected = clone(model).fit(both), clone(model).fit(views)
    assert found.bound_ == pytest.approx(expected.bound_)
    np.testing.assert_allclose(found.complete(both)["left"], NUMBERS)
    with pytest.raises(DataError, match=r"a dict of 2 tables\. Use ManifoldRelevance"):
        BayesianGPLVM(2, 5, **QUICK).fit(both)


def test_labels_may_be_a_series_of_every_library() -> None:
    words = WORDS["word"].tolist()
    model = ManifoldRelevance(2, 5, **QUICK, kinds={"label": "auto"})
    bounds = {
        clone(model).fit({"y": NUMBERS, "label": label}).bound_
        for label in (
            words,
            pd.Series(words),
            pl.Series(words),
            pa.array(words).dictionary_encode(),
            xr.DataArray(words),
        )
    }
    assert len(bounds) == 1


def test_a_missing_arrow_category_is_missing() -> None:
    words = pa.array(["a", None, "b", "a"] * 4).dictionary_encode()
    table = pa.table({"x": NUMBERS["a"].to_numpy(), "word": words})
    model = BayesianGPLVM(**QUICK, kinds="auto").fit(table)
    assert any("12.5% of the values are missing" in note for note in model.notes_)


def test_set_output_may_choose_polars() -> None:
    model = BayesianGPLVM(2, 5, **QUICK).set_output(transform="polars").fit(NUMBERS.to_numpy())
    points = model.transform(NUMBERS.to_numpy())
    assert isinstance(points, pl.DataFrame)
    assert isinstance(model.inverse_transform(points), pl.DataFrame)


def test_series_of_every_library_are_several_series() -> None:
    model = AutoregressiveGP(2, 5, **QUICK)
    both = [NUMBERS["a"].to_numpy(), NUMBERS["b"].to_numpy()]
    expected = clone(model).fit(both).bound_
    for convert in (pd.Series, pl.Series, pa.array, xr.DataArray):
        assert clone(model).fit([convert(each) for each in both]).bound_ == expected


TWICE = ["a", "b", "a"]
REFUSED = {
    "the name of two columns": (
        pd.DataFrame(NUMBERS.to_numpy(), columns=TWICE),
        "more than one column of the name 'a'",
    ),
    "the name of two columns of Arrow": (
        pa.table(NUMBERS.to_numpy().T.tolist(), names=TWICE),
        "more than one column of the name 'a'",
    ),
    "the name of two columns of xarray": (
        xr.DataArray(NUMBERS.to_numpy(), {"row": NUMBERS.index, "column": TWICE}),
        "more than one column of the name 'a'",
    ),
    "a lazy frame": (pl.from_pandas(NUMBERS).lazy(), r"lazy frame \(polars\).*collect\(\)"),
    "three dimensions": (
        xr.DataArray(np.zeros((N, 2, 3)), dims=("time", "y", "x")),
        "has the dimensions time, y, x, but a table has rows and columns",
    ),
    "grids": (
        xr.Dataset({"a": (("time", "x"), np.zeros((N, 2)))}),
        "has the dimensions time, x, but a table has rows and columns",
    ),
}


@pytest.mark.parametrize(("table", "said"), REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("face", ["numbers", "words", "linear", "regression", "labels"])
def test_what_is_no_table_is_refused(face: str, table: Any, said: str) -> None:
    model = clone(FACES[face].model)
    with pytest.raises(DataError, match=said):
        model.fit(table, CLASSES)
    if face == "numbers":
        for ask in (model.fit(NUMBERS).complete, model.transform, model.denoise):
            with pytest.raises(DataError, match=said):
                ask(table)
        with pytest.raises(DataError, match=said):
            apply(model, table)
        with pytest.raises(DataError, match=said):
            ManifoldRelevance(2, 5, **QUICK).fit({"y": table})


def test_a_sparse_matrix_beyond_the_memory_is_refused() -> None:
    with pytest.raises(
        DataError, match=r"\(10000000, 1000000000000\), which does not fit in memory"
    ):
        BayesianGPLVM(**QUICK).fit(sparse.coo_array((10_000_000, 10**12)))


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (pd.Categorical(list("xy") * 8), "must be numbers: the column 'k' has words, such as 'x'"),
        ([[1, 2]] * N, "'k' has nested values"),
        ([{"a": 1}] * N, "'k' has nested values"),
        (pd.date_range("2024-01-01", periods=N), "dates .* in column 'k'"),
    ],
)
@pytest.mark.parametrize("convert", [lambda table: table, pl.from_pandas, pa.Table.from_pandas])
def test_columns_that_are_no_numbers_are_named(cells, words, convert):
    table = convert(NUMBERS.assign(k=cells))
    with pytest.raises(DataError, match=words):
        BayesianGPLVM(**QUICK).fit(table)


def test_an_object_of_anndata_is_refused_with_its_remedy():
    cells = pytest.importorskip("anndata").AnnData(NUMBERS.to_numpy())
    with pytest.raises(DataError, match=r"\.X, or read .* read_h5ad"):
        BayesianGPLVM(**QUICK).fit(cells)


def test_coordinates_beside_the_rows_are_no_columns() -> None:
    coords = {"s": np.arange(N), "alt": ("s", np.arange(N)), "level": 500}
    given = xr.Dataset({name: ("s", NUMBERS[name].to_numpy()) for name in NUMBERS}, coords)
    model = BayesianGPLVM(2, 5, **QUICK).fit(given)
    assert list(model.feature_names_in_) == list(NUMBERS)
    assert list(model.complete(given)) == list(NUMBERS)


def test_rows_with_two_levels_stay_rows() -> None:
    index = pd.MultiIndex.from_arrays([np.arange(N) % 3, np.arange(N)], names=["u", "v"])
    given = xr.Dataset.from_dataframe(NUMBERS).drop_vars("index")
    levels = xr.Coordinates.from_pandas_multiindex(index, "index")
    given = given.assign_coords(levels)
    found = BayesianGPLVM(2, 5, **QUICK).fit(given).complete(given)
    assert found["a"].shape == (N,)
    np.testing.assert_allclose(found["a"], NUMBERS["a"])


def test_masks_of_a_list_of_rows_are_kept() -> None:
    rows = np.ma.array(NUMBERS.to_numpy())
    rows[2, 1] = np.ma.masked
    rows.data[2, 1] = 99.0
    model = BayesianGPLVM(2, 5, **QUICK).fit(NUMBERS)
    np.testing.assert_allclose(model.complete(list(rows)), model.complete(rows))
