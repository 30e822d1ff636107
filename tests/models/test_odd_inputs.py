"""Tests of odd inputs of every estimator: a finite answer, or the project's error in a sentence."""

import datetime
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from gplvm_core import (
    GPLVM,
    AutoregressiveGP,
    AverageOfStarts,
    BayesianGPLVM,
    BayesianPCA,
    DataError,
    DeepGP,
    DeepGPLVM,
    DeepManifoldRelevance,
    DynamicalGPLVM,
    Edge,
    GenerativeClassifier,
    ManifoldRelevance,
    Model,
    ProbabilisticPCA,
    SemiDescribedGPRegression,
    SemiSupervisedClassifier,
    SparseGPRegression,
    StateSpaceGPLVM,
    apply,
    load,
)
from gplvm_core.readers.errors import DataTypeError
from tests.cases import named, quickly

QUICK = {"max_iter": 2, "random_state": 0}
TABLES = [
    BayesianGPLVM(2, 4, **QUICK),
    BayesianGPLVM(2, 4, **QUICK, noise="per_output"),
    BayesianPCA(2, **QUICK),
    DeepGPLVM((2, 2), 4, **QUICK),
    DynamicalGPLVM(2, 4, **QUICK),
    GPLVM(2, **QUICK),
    ProbabilisticPCA(2),
    StateSpaceGPLVM(2, 4, **QUICK),
    AverageOfStarts(BayesianGPLVM(2, 4, max_iter=2), 1, random_state=0),
]
VIEWS = [
    ManifoldRelevance(2, 4, **QUICK),
    DeepManifoldRelevance((2, 2), 4, **QUICK),
    Model({"x": 2}, [Edge("x", "y", n_inducing=4)], **QUICK),
]
REGRESSIONS = [
    DeepGP((1,), 4, **QUICK),
    SemiDescribedGPRegression(4, **QUICK),
    SparseGPRegression(4, **QUICK),
]
CLASSIFIERS = [
    GenerativeClassifier(ProbabilisticPCA(1)),
    SemiSupervisedClassifier(BayesianGPLVM(2, 4, **QUICK), random_state=0),
]
SERIES = [AutoregressiveGP(2, 4, **QUICK)]
ESTIMATORS = [*TABLES, *VIEWS, *REGRESSIONS, *CLASSIFIERS, *SERIES]
# `make test` tries odd numbers with these; the others check and scale their data by the same code.
QUICKLY = [TABLES[0], *TABLES[4:7], VIEWS[0], REGRESSIONS[2], *CLASSIFIERS, *SERIES]

ROWS = np.random.default_rng(0).normal(size=(10, 3))
DATES = np.arange("2020-01-01", "2020-01-11", dtype="datetime64[D]")
GAP = DATES.copy()
GAP[3] = "NaT"
REFUSED_DATES = r"(dates|time spans|times of day) \(.*\) in .* are not numbers"
KINDS_OF_DATES = {
    "dates": DATES,
    "a missing date": GAP,
    "time spans": DATES - DATES[0],
    "times of day": np.array([datetime.time(hour, 30) for hour in range(10)]),
    "Python's dates": DATES.astype(object),
    "pandas' dates": pd.Series(GAP).astype("datetime64[ns]"),
}


def name_of(thing: Any) -> str:
    return type(thing).__name__


def fitted(model: Any, rows: Any, y: Any = None) -> Any:
    """Fit a copy of a model to rows; other arguments are numbers that fit."""
    model = clone(model)
    if name_of(model) in map(name_of, VIEWS):
        return model.fit({"y": rows})
    count = len(rows)
    if name_of(model) in map(name_of, REGRESSIONS):
        return model.fit(rows, np.sin(np.arange(count)) if y is None else y)
    if name_of(model) in map(name_of, CLASSIFIERS):
        return model.fit(rows, np.arange(count) % 2 if y is None else y)
    return model.fit(rows)


def answer(model: Any, rows: Any) -> list[Any]:
    """Everything that new rows are given to, as arrays."""
    rows = {"y": rows} if name_of(model) in map(name_of, VIEWS) else rows
    methods = ["transform", "complete", "score_samples", "predict"]
    if name_of(model) in map(name_of, REGRESSIONS):
        methods = ["predict"]
    found = [getattr(model, each)(rows) for each in methods if hasattr(model, each)]
    return [
        np.asarray(*own.values()) if isinstance(own, dict) else np.asarray(own) for own in found
    ]


def works_or_is_refused(model: Any, rows: Any, y: Any = None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)
        try:
            trained = fitted(model, rows, y)
            gaps = np.array(rows, dtype=float)
            found = answer(trained, gaps[: max(2, len(gaps) // 2)])
        except ValueError as error:
            cause = error.__cause__ if name_of(model) == "GenerativeClassifier" else error
            own = isinstance(error, DataError) or isinstance(cause, DataError)
            # These two sentences are scikit-learn's, and the classifier's about its classes.
            told = "contains NaN" in str(error) or "every class needs" in str(error)
            assert own or told, repr(error)
            assert len(str(error).split()) > 5
            return
    for each in found:
        assert each.dtype == object or each.dtype.kind in "iub" or np.isfinite(each).all()


def alone() -> np.ndarray:
    """Rows with one observed value each."""
    rows = np.full((6, 3), np.nan)
    rows[np.arange(6), np.arange(6) % 3] = [1.0, 2.0, 4.0, 3.0, 5.0, 2.5]
    return rows


NUMBERS = {
    "one value in each row": alone(),
    "denormal": 1e-310 * ROWS,
    "tiny": 1e-151 * ROWS,
    "small": 1e-147 * ROWS,
    "large": 1e148 * ROWS,
    "larger": 1e150 * ROWS,
    "huge": 1e300 * ROWS,
    "one tiny column": ROWS * [1.0, 1e-200, 1.0],
    "one huge column": ROWS * [1.0, 1e200, 1.0],
    "whole numbers beyond 64 bits": np.array([[2**64 + 3**n, n, 2 * n] for n in range(10)], object),
    "whole numbers beyond floats": np.array([[10**400 + n, n, 2] for n in range(10)], object),
    "one constant column": np.where([True, False, True], ROWS, 3.0),
    "two rows": ROWS[:2],
    "equal rows": np.tile(ROWS[:2], (5, 1)),
}


@pytest.mark.parametrize("model", quickly(ESTIMATORS, QUICKLY), ids=name_of)
def test_odd_numbers_work_or_are_refused_in_words(model: Any) -> None:
    for name, rows in NUMBERS.items():
        with named(name):
            works_or_is_refused(model, rows)
        if len(rows) == 10 and model in REGRESSIONS:
            with named(f"targets: {name}"):
                works_or_is_refused(model, ROWS, rows[:, 0])


# Dates.


@pytest.fixture(scope="module")
def trained() -> dict[str, Any]:
    found = {name_of(model): fitted(model, ROWS) for model in ESTIMATORS}
    views = {"left": ROWS, "right": ROWS}
    found["timed"] = ManifoldRelevance(2, 4, time_kernel="rbf", **QUICK).fit(views)
    return found


def asked_with(model: Any, table: Any) -> Any:
    return {"y": table} if name_of(model) in map(name_of, VIEWS) else table


@pytest.mark.parametrize("model", ESTIMATORS, ids=name_of)
def test_dates_in_place_of_rows_are_refused(model: Any, trained: dict[str, Any]) -> None:
    known = trained[name_of(model)]
    methods = ("transform", "complete", "score_samples", "predict", "predict_proba")
    for name, dates in KINDS_OF_DATES.items():
        table = np.stack([np.asarray(dates)] * 3, axis=1)
        frame = pd.DataFrame({"a": ROWS[:, 0], "b": ROWS[:, 1], "c": dates})
        for given in (table, frame):
            with named(name), pytest.raises(DataTypeError, match=REFUSED_DATES):
                fitted(model, given)
            for method in filter(partial(hasattr, known), methods):
                others = (ROWS[:, 0],) * (method == "score_samples" and model in REGRESSIONS)
                with named(f"{method}: {name}"), pytest.raises(DataTypeError, match=REFUSED_DATES):
                    getattr(known, method)(asked_with(model, given), *others)


@pytest.mark.parametrize("dates", KINDS_OF_DATES.values(), ids=KINDS_OF_DATES)
def test_dates_in_other_arguments_are_refused(dates: Any, trained: dict[str, Any]) -> None:
    points = np.stack([np.asarray(dates)] * 2, axis=1)
    calls = []
    for name in ("DynamicalGPLVM", "StateSpaceGPLVM"):
        model = trained[name]
        calls += [
            lambda model=model: clone(model).fit(ROWS, times=dates),
            lambda model=model: clone(model).fit(ROWS, sequences=dates),
            lambda model=model: model.complete(ROWS, times=dates),
            lambda model=model: model.forecast(dates),
        ]
    for model in (trained[name_of(each)] for each in REGRESSIONS):
        calls += [
            lambda model=model: clone(model).fit(ROWS, dates),
            lambda model=model: model.score(ROWS, dates),
            lambda model=model: model.score(ROWS, ROWS[:, 0], dates),
            lambda model=model: model.score_samples(ROWS, dates),
            lambda model=model: model.predict(ROWS, X_variance=np.stack([dates] * 3, axis=1)),
        ]
    for model in (trained[name_of(each)] for each in CLASSIFIERS):
        calls += [
            lambda model=model: clone(model).fit(ROWS, dates),
            lambda model=model: model.score(ROWS, dates),
            lambda model=model: model.score(ROWS, [0, 1] * 5, dates),
        ]
    one, timed = trained["BayesianGPLVM"], trained["timed"]
    calls += [
        lambda: clone(trained["AutoregressiveGP"]).fit(ROWS, series_variance=dates),
        lambda: one.inverse_transform(points),
        lambda: one.inverse_transform(ROWS[:, :2], X_variance=points),
        lambda: one.fit_to({0: points[0, 0]}),
        lambda: clone(one).set_params(init=points).fit(ROWS),
        lambda: clone(one).set_params(kinds="auto").fit(pd.DataFrame({"a": dates, "b": 1.5})),
        lambda: clone(one).set_params(kinds="auto").fit([[each, 1.5] for each in dates]),
        lambda: timed.transfer({"left": ROWS}, "right", times=dates),
        lambda: clone(timed).set_params(kinds="auto").fit({"left": ROWS, "right": dates}),
        lambda: apply(one, pd.DataFrame({f"column {at}": dates for at in (1, 2, 3)})),
    ]
    for call in calls:
        with pytest.raises(DataTypeError, match=REFUSED_DATES):
            call()


# Tables of several kinds.


@pytest.mark.parametrize("kind", ["count", "exposure"])
@pytest.mark.parametrize("number", [2**53, 2**64, 10**400, float("inf")])
def test_large_counts_and_exposures_work_or_are_refused(kind: str, number: float) -> None:
    counts = np.random.default_rng(0).poisson(3.0, 10)
    rows = [[each, 1 + 2 * (at % 2)] for at, each in enumerate(counts.tolist())]
    rows[4][int(kind == "exposure")] = number
    model = BayesianGPLVM(2, 4, **QUICK, kinds=["count", "exposure"])
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)
        try:
            assert np.isfinite(model.fit(rows).score_samples(rows)).all()
        except DataError as error:
            assert f"column {int(kind == 'exposure')}" in str(error).replace("'", "")


@pytest.mark.parametrize("views", [False, True])
@pytest.mark.parametrize("value", [0, "same", True])
def test_a_constant_column_is_left_out_with_a_note(value: Any, views: bool, tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    table = pd.DataFrame({
        "still": pd.Series([value] * 50).astype(object),
        "n": generator.poisson(3.0, 50),
        "word": generator.choice(["a", "b", "c"], 50),
        "last": pd.Series([value] * 50).astype(object),
    })  # fmt: skip
    kinds = {"n": "count", "still": "category"}
    kinds |= {"last": "count" if type(value) is int else "category"}
    if views:
        model: Any = ManifoldRelevance(2, 6, **QUICK, kinds={"y": kinds})
    else:
        model = BayesianGPLVM(2, 6, **QUICK, kinds=kinds)
    given = {"y": table} if views else table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model.fit(given)
    assert any("'still' is constant" in note and "left out" in note for note in model.notes_)
    model.save(tmp_path / "model.gplvm")
    new = table[:5].copy()
    new.loc[0, ["still", "last"]] = None
    new.loc[1, "word"] = None
    for each in (model, load(tmp_path / "model.gplvm")):
        whole = each.complete({"y": new} if views else new)
        whole = whole["y"] if views else whole
        assert whole["still"].tolist() == whole["last"].tolist() == [value] * 5
        assert np.isfinite(each.score_samples({"y": new} if views else new)).all()
    other = new.copy()
    other["still"] = "different"
    with pytest.raises(DataError, match="'still'"):
        model.complete({"y": other} if views else other)


def test_numbers_beside_a_constant_word_are_learnt() -> None:
    table = pd.DataFrame(ROWS, columns=["a", "b", "c"]).assign(word="same")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = BayesianGPLVM(2, 4, **QUICK, kinds="auto").fit(table)
    whole = model.complete(pd.DataFrame({"a": [1.0], "b": None, "c": None, "word": None}))
    assert whole["word"].tolist() == ["same"] and np.isfinite(whole["b"]).all()
    numbers = table.assign(word=4)
    plain = BayesianGPLVM(2, 4, **QUICK, kinds="auto").fit(numbers)
    assert plain.columns_ is None and "1 of 4 columns is constant" in plain.notes_
