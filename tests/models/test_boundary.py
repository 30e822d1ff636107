"""Tests of inputs and outputs: unusual inputs work or raise clear errors, types are preserved."""

import importlib
import inspect
import pkgutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

import gplvm_core
from gplvm_core import (
    GPLVM,
    BayesianGPLVM,
    DataError,
    DeepGP,
    DeepGPLVM,
    DeepManifoldRelevance,
    DynamicalGPLVM,
    ManifoldRelevance,
    ProbabilisticPCA,
    SemiSupervisedClassifier,
    SparseGPRegression,
    StoreError,
    load,
)

QUICK = {"max_iter": 8, "random_state": 0}
COLUMNS = list("abcde")


def rows(count: int = 30) -> np.ndarray:
    generator = np.random.default_rng(0)
    hidden = generator.normal(size=(count, 2))
    return np.sin(hidden @ generator.normal(size=(2, 5))) + 0.05 * generator.normal(size=(count, 5))


def small(**settings: Any) -> BayesianGPLVM:
    return BayesianGPLVM(2, 8, **QUICK | settings)


@pytest.fixture(scope="module")
def fitted() -> BayesianGPLVM:
    return small().fit(rows())


@pytest.fixture(scope="module")
def views() -> ManifoldRelevance:
    table = pd.DataFrame(rows(), columns=COLUMNS)
    return ManifoldRelevance(2, 8, **QUICK).fit({"left": table, "right": rows() ** 2})


# Before `fit`.


@pytest.mark.parametrize("model", [BayesianGPLVM(), DeepGPLVM(), GPLVM(), ManifoldRelevance()])
def test_a_fitted_attribute_before_fit_is_reported(model: Any) -> None:
    for name in ("bound_", "result_", "n_iter_", "n_effective_"):
        assert not hasattr(model, name)
        with pytest.raises(NotFittedError, match=f"call fit before asking for {name}"):
            getattr(model, name)


def test_an_attribute_that_no_model_has_is_no_other_error(fitted: BayesianGPLVM) -> None:
    with pytest.raises(AttributeError, match="no attribute 'no_such_'"):
        fitted.no_such_  # noqa: B018


@pytest.mark.parametrize("model", [DeepGP(), SparseGPRegression()])
def test_an_unfitted_regression_raises_not_fitted_error(model: Any) -> None:
    with pytest.raises(NotFittedError, match=type(model).__name__):
        model.predict(rows())


def test_the_density_of_a_regression_needs_outputs() -> None:
    model = SparseGPRegression(8, **QUICK).fit(rows()[:, :2], rows()[:, 2])
    with pytest.raises(ValueError, match=r"call score_samples\(X, Y\)"):
        model.score_samples(rows()[:, :2])


def test_points_have_no_information() -> None:
    model = GPLVM(2, **QUICK).fit(rows())
    assert not hasattr(model, "information_") and model.n_effective_ == 2
    with pytest.raises(AttributeError, match=r"no distribution.*n_effective_ counts"):
        model.information_  # noqa: B018


# Tests of settings.


def test_fit_checks_the_settings() -> None:
    words = "random_state must be None or a whole number.*Generator.*'one'"
    for model in (BayesianGPLVM(), DeepGPLVM(), ManifoldRelevance()):
        given = {"left": rows()} if isinstance(model, ManifoldRelevance) else rows()
        with pytest.raises(ValueError, match=words):
            model.set_params(random_state="one").fit(given)


def test_a_generator_seeds_every_fit_anew() -> None:
    first, again = (small(random_state=np.random.default_rng(3)).fit(rows()) for _ in range(2))
    assert first.bound_ == again.bound_
    model = small(random_state=np.random.default_rng(3), init="random")
    assert model.fit(rows()).bound_ != model.fit(rows()).bound_
    labels = np.arange(30) % 2
    classifier = SemiSupervisedClassifier(small(), random_state=np.random.default_rng(3))
    assert classifier.fit(rows(), labels).predict(rows()).shape == (30,)


# Tests of data.


@pytest.mark.parametrize("model", [small(), ProbabilisticPCA(2)])
def test_a_large_mean_does_not_make_columns_constant(model: Any) -> None:
    """Rounding changes the values 1e12 + y by up to 1e-4; a map of these values is the map of y."""
    moved = rows() + 1e12
    near, far = clone(model).fit(moved - 1e12), clone(model).fit(moved)
    assert far.bound_ == pytest.approx(near.bound_, abs=0.02)
    found = far.inverse_transform(far.latent_mean_) - 1e12
    np.testing.assert_allclose(found, near.inverse_transform(near.latent_mean_), atol=1e-3)


def test_inputs_with_a_large_mean_are_used() -> None:
    inputs, outputs = rows()[:, :2], rows()[:, 2]
    near = SparseGPRegression(8, **QUICK).fit(inputs, outputs)
    far = SparseGPRegression(8, **QUICK).fit(inputs + 1e12, outputs)
    assert far.notes_ == near.notes_ == ()
    np.testing.assert_allclose(far.predict(inputs + 1e12), near.predict(inputs), atol=1e-2)


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_columns_that_differ_by_rounding_are_constant(size: float) -> None:
    still = size * np.array([0.1 + 0.2, 0.3, 0.3, 0.1 + 0.2])[:, None] * [1.0, 1.0 / 3.0]
    assert np.ptp(still) > 0
    with pytest.raises(DataError, match="every column of the targets is constant"):
        small().fit(still)


def masked() -> tuple[np.ma.MaskedArray, np.ndarray]:
    hidden = np.random.default_rng(1).random(rows().shape) < 0.2
    return np.ma.array(np.where(hidden, 99.0, rows()), mask=hidden), np.where(
        hidden, np.nan, rows()
    )


def with_na() -> pd.DataFrame:
    table = pd.DataFrame(rows(), columns=COLUMNS).astype(object)
    table.iloc[3, 2] = pd.NA
    return table


def test_masked_entries_are_missing(fitted: BayesianGPLVM, views: ManifoldRelevance) -> None:
    given, gaps = masked()
    assert small().fit(given).bound_ == small().fit(gaps).bound_
    np.testing.assert_array_equal(fitted.complete(given), fitted.complete(gaps))
    found, expected = (views.complete({"right": each}) for each in (given, gaps))
    np.testing.assert_array_equal(found["right"], expected["right"])
    inputs = np.ma.array(rows()[:, :2], mask=given.mask[:, :2])
    with pytest.raises(ValueError, match="NaN"):
        SparseGPRegression(8).fit(inputs, rows()[:, 2])
    # A masked label counts as unknown.
    labels = np.ma.array(np.arange(30) % 3, mask=np.arange(30) % 3 == 2)
    model = SemiSupervisedClassifier(small(), random_state=0).fit(rows(), labels)
    assert model.classes_.tolist() == [0, 1]


@pytest.mark.parametrize("kind", ["object", "Float64"])
def test_pandas_na_is_missing(kind: str) -> None:
    table = with_na().astype(kind)
    gaps = rows()
    gaps[3, 2] = np.nan
    bound = pytest.approx(small().fit(gaps).bound_)
    assert small().fit(table).bound_ == bound
    assert small().fit(with_na().to_numpy()).bound_ == bound
    found, expected = (
        ManifoldRelevance(2, 8, **QUICK).fit({"left": each}).bound_ for each in (table, gaps)
    )
    assert found == pytest.approx(expected)


def test_complex_numbers_are_refused(fitted: BayesianGPLVM, views: ManifoldRelevance) -> None:
    with pytest.raises(DataError, match="view 'left' must be real numbers; got complex ones"):
        ManifoldRelevance(2).fit({"left": rows() + 1j})
    with pytest.raises(DataError, match="latent points must be real numbers"):
        fitted.inverse_transform(np.zeros((3, 2)) + 1j)
    with pytest.raises(DataError, match="latent points must be real numbers"):
        views.inverse_transform(np.zeros((3, 2)) + 1j)


def test_a_dict_of_views_is_pointed_to_the_model_for_it(fitted: BayesianGPLVM) -> None:
    for ask in (small().fit, fitted.transform):
        with pytest.raises(TypeError, match=r"a dict of 2 tables.*Use ManifoldRelevance"):
            ask({"left": rows(), "right": rows()})


# The type of the output matches the type of the input.


def test_data_frames_come_back_as_data_frames() -> None:
    table = pd.DataFrame(rows(), columns=COLUMNS, index=[f"row {n}" for n in range(30)])
    model = small().fit(table)
    gaps = table.mask(np.random.default_rng(0).random(table.shape) < 0.2)
    whole, std = model.complete(gaps, return_std=True)
    pd.testing.assert_frame_equal(whole.where(gaps.notna()), gaps)
    assert list(std.columns) == COLUMNS and list(std.index) == list(table.index)
    np.testing.assert_array_equal(whole, model.complete(gaps.set_axis(COLUMNS, axis=1)).to_numpy())
    assert list(model.denoise(table).columns) == COLUMNS
    points = model.transform(table)
    assert isinstance(points, np.ndarray)
    assert isinstance(model.inverse_transform(points), np.ndarray)
    latent = pd.DataFrame(points, index=table.index)
    assert list(model.inverse_transform(latent).columns) == COLUMNS
    assert list(model.inverse_transform(latent).index) == list(table.index)
    # Sequences may be data frames; the path is an array nevertheless.
    timed = DynamicalGPLVM(5, 8, time_kernel="rbf", **QUICK).fit(table)
    found, path, _ = timed.complete(gaps, times=np.arange(30.0), return_latent=True)
    assert list(found.columns) == COLUMNS and isinstance(path, np.ndarray)


def test_pandas_output_is_for_all_that_has_a_row_for_each_row() -> None:
    model = small().set_output(transform="pandas").fit(rows())
    points = model.transform(rows())
    assert list(points.columns) == ["bayesiangplvm0", "bayesiangplvm1"]
    assert list(model.inverse_transform(points).columns) == ["x0", "x1", "x2", "x3", "x4"]
    assert isinstance(model.complete(rows()), pd.DataFrame)
    pipe = make_pipeline(small()).set_output(transform="pandas").fit(rows())
    assert isinstance(pipe.inverse_transform(pipe.transform(rows())), pd.DataFrame)


def test_views_come_back_as_they_were_given(views: ManifoldRelevance, tmp_path: Path) -> None:
    table = pd.DataFrame(rows(), columns=COLUMNS, index=range(100, 130))
    found = views.complete({"left": table, "right": rows() ** 2})
    assert list(found["left"].columns) == COLUMNS and found["left"].index[0] == 100
    assert isinstance(found["right"], np.ndarray)
    views.save(tmp_path / "views.gplvm")
    again = load(tmp_path / "views.gplvm").set_output(transform="pandas")
    points = again.transform({"left": table})
    assert list(again.get_feature_names_out()) == list(points.columns)
    means, deviations = again.inverse_transform(points, return_std=True)
    for each in (means, deviations):
        assert list(each["left"].columns) == COLUMNS
        assert list(each["right"].columns) == ["x0", "x1", "x2", "x3", "x4"]


@pytest.mark.parametrize("model", [ManifoldRelevance(), DeepManifoldRelevance()])
def test_models_of_views_are_transformers_of_dicts(model: Any) -> None:
    tags = get_tags(model)
    assert tags.transformer_tags is not None
    assert tags.input_tags.dict and tags.input_tags.allow_nan and not tags.input_tags.two_d_array


# Tests of distances.


def test_scaled_points_are_in_lengthscales(fitted: BayesianGPLVM, views: ManifoldRelevance) -> None:
    mean, std = fitted.transform(rows(), return_std=True)
    scaled, scaled_std = fitted.transform(rows(), return_std=True, scaled=True)
    np.testing.assert_allclose(scaled, mean / fitted.kernel_.lengthscale)
    np.testing.assert_allclose(scaled_std, std / fitted.kernel_.lengthscale)
    # The kernel depends only on these distances.
    apart = np.sum((scaled[0] - scaled[1]) ** 2)
    kernel = fitted.kernel_
    expected = kernel.variance * np.exp(-0.5 * apart)
    assert kernel.K(mean[:2])[0, 1] == pytest.approx(expected)
    # Squared distances of several views add up.
    given = {"left": rows(), "right": rows() ** 2}
    one, two = views.transform(given)[:2]
    near = views.transform(given, scaled=True)[:2]
    each = [np.sum(weight * (one - two) ** 2) for weight in views.relevance_.values()]
    assert np.sum((near[0] - near[1]) ** 2) == pytest.approx(sum(each))


# Tests of column names and stored files.


def test_the_rows_of_a_model_are_counted(fitted: BayesianGPLVM) -> None:
    model = small().fit(rows()).extend(rows()[:4])
    assert model.rows_.count == 34 and model.rows_.kept is None
    np.testing.assert_array_equal(model.rows_.trained, np.arange(30))
    assert fitted.rows_.trained is None and fitted.rows_.count == 30


def test_a_semi_supervised_classifier_is_stored(tmp_path: Path) -> None:
    labels = np.where(np.arange(30) % 3 == 0, -1, np.arange(30) % 2)
    for classifier in (None, LogisticRegression(C=0.1, max_iter=500)):
        model = SemiSupervisedClassifier(small(), classifier, random_state=0).fit(rows(), labels)
        model.save(tmp_path / "model.gplvm")
        again = load(tmp_path / "model.gplvm")
        np.testing.assert_array_equal(again.predict_proba(rows()), model.predict_proba(rows()))
        assert repr(again) == repr(model)
        assert again.fit(rows(), labels).predict(rows()).shape == (30,)
    forest = SemiSupervisedClassifier(small(), RandomForestClassifier(5)).fit(rows(), labels)
    with pytest.raises(StoreError, match=r"RandomForestClassifier.*LogisticRegression of scikit"):
        forest.save(tmp_path / "forest.gplvm")


# The package catches these errors itself, or they belong to another public module.
INTERNAL = {
    "DateError": "the reader of tables names the cell",
    "HaltedError": "the trainer catches it",
    "EndedError": "the calibration catches it",
    "JobError": "gplvm_core.training",
}


def test_every_error_class_is_public() -> None:
    found = set()
    for module in pkgutil.walk_packages(gplvm_core.__path__, "gplvm_core."):
        for name, kind in vars(importlib.import_module(module.name)).items():
            own = inspect.isclass(kind) and kind.__module__.startswith("gplvm_core")
            if own and issubclass(kind, Exception) and not name.startswith("_"):
                found.add(name)
    assert found - set(INTERNAL) == found & set(gplvm_core.__all__)
    assert {"positive", "real", "Model"} <= set(gplvm_core.__all__)
    assert len(set(gplvm_core.__all__)) == len(gplvm_core.__all__)


class Foreign:
    """An array of another library, as PyTorch's tensors are: NumPy reads some types of them."""

    def __init__(self, values: np.ndarray, dtype: str) -> None:
        self.values, self.dtype, self.shape = values, dtype, values.shape

    def __dlpack__(self, **_options: object) -> object:
        raise BufferError("not needed")

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        if self.dtype == "bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.values


def test_arrays_of_other_libraries_are_converted_or_refused_in_words() -> None:
    rows = np.random.default_rng(0).standard_normal((20, 3))
    expected = small().fit(rows)
    found = small().fit(Foreign(rows, "float64"))
    assert found.bound_ == expected.bound_
    np.testing.assert_array_equal(
        found.transform(Foreign(rows, "float64")), expected.transform(rows)
    )
    with pytest.raises(DataError, match=r"type bfloat16, cannot be read .*BFloat16.*Y\.detach"):
        small().fit(Foreign(rows, "bfloat16"))
    with pytest.raises(DataError, match=r"BFloat16.*torch\.stack\(Y\)") as raised:
        small().fit([Foreign(row, "bfloat16") for row in rows])
    assert "same length" not in str(raised.value)
