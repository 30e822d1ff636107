"""Tests of scikit-learn's conventions, for every estimator of the package."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from gplvm_core import (
    GPLVM,
    RBF,
    BayesianGPLVM,
    BayesianPCA,
    DeepGPLVM,
    DynamicalGPLVM,
    Linear,
    ProbabilisticPCA,
)
from gplvm_core.datasets import DataError
from gplvm_core.models import LatentVariableModel

# These pixels of the digits are not always dark.
N_PIXELS = 53

SMALL = [
    BayesianGPLVM(2, 8, max_iter=8, random_state=0),
    BayesianPCA(2, max_iter=8, random_state=0),
    DeepGPLVM((2, 3), 8, max_iter=8, random_state=0),
    DynamicalGPLVM(2, 8, time_kernel="matern32", max_iter=8, random_state=0),
    GPLVM(2, max_iter=8, random_state=0),
    GPLVM(2, 8, max_iter=8, random_state=0),
    ProbabilisticPCA(2),
]


@pytest.fixture(scope="module")
def digits() -> np.ndarray:
    data = load_digits().data[:120]
    return data[:, data.std(axis=0) > 0]


@pytest.mark.parametrize("model", SMALL, ids=lambda model: str(model))
def test_shapes_units_and_what_is_not_observed(
    model: LatentVariableModel, digits: np.ndarray
) -> None:
    model = clone(model).fit(digits)
    latent = model.transform(digits[:7])
    assert latent.shape == (7, 2)
    assert model.latent_mean_.shape == model.latent_variance_.shape == (120, 2)
    mean, std = model.inverse_transform(latent, return_std=True)
    assert mean.shape == std.shape == (7, N_PIXELS)
    # The pictures have the user's units: they are nearer to the rows than the mean image, and
    # equally bright.
    assert np.abs(mean - digits[:7]).mean() < np.abs(digits.mean(axis=0) - digits[:7]).mean()
    assert (std >= 0).all()
    assert model.sample(5, random_state=0).shape == (5, N_PIXELS)
    assert model.sample(latent[:2], 3, random_state=0).shape == (3, 2, N_PIXELS)
    np.testing.assert_array_equal(model.sample(4, random_state=1), model.sample(4, random_state=1))
    assert model.score_samples(digits[:7]).shape == (7,)
    assert model.score(digits[:7]) > model.score(16.0 - digits[:7])
    np.testing.assert_array_equal(model.complete(digits[:3]), digits[:3])
    assert model.noise_std_.shape == (N_PIXELS,)
    assert 0 < model.n_effective_ <= 2
    assert np.isfinite(model.bound_)
    with pytest.raises(ValueError, match="latent points must be N × 2"):
        model.inverse_transform(np.zeros((3, 5)))
    empty_row, empty_column = digits.copy(), digits.copy()
    empty_row[3], empty_column[:, 5] = np.nan, np.nan
    with pytest.raises(DataError, match="nothing is observed in row 3"):
        clone(model).fit(empty_row)
    with pytest.raises(DataError, match="nothing is observed in column 5"):
        clone(model).fit(empty_column)
    with pytest.raises(DataError, match="nothing is observed in row 4"):
        model.complete(empty_row)
    with pytest.raises(ValueError, match="features"):
        model.complete(digits[:, :7])
    with pytest.raises(ValueError, match="is infinite"):
        model.complete(np.full((1, N_PIXELS), np.inf))


def test_pipeline(digits: np.ndarray) -> None:
    pipe = make_pipeline(MinMaxScaler(), BayesianGPLVM(2, 8, max_iter=8, random_state=0))
    assert pipe.fit_transform(digits).shape == (120, 2)


@pytest.mark.parametrize("model", SMALL, ids=lambda model: str(model))
def test_gaps_in_training_and_in_new_rows(model: LatentVariableModel, digits: np.ndarray) -> None:
    """A fifth of the training entries and half of the entries of new rows are missing at random."""
    generator = np.random.default_rng(1)
    train, new = digits[:90, ::2], digits[90:, ::2]
    gaps = np.where(generator.random(train.shape) < 0.2, np.nan, train)
    hidden = generator.random(new.shape) < 0.5
    partial = np.where(hidden, np.nan, new)
    model = clone(model).set_params(n_components=3).fit(gaps)
    assert np.isfinite(model.bound_)
    whole, std = model.complete(partial, return_std=True)
    np.testing.assert_array_equal(whole[~hidden], new[~hidden])
    assert (std[~hidden] == 0).all() and (std[hidden] > 0).all()
    error = np.abs(whole - new)[hidden].mean()
    # The error is smaller than that of each pixel's mean.
    assert error < 0.9 * np.abs(np.nanmean(gaps, axis=0) - new)[hidden].mean()
    _, covariance = model.complete(partial[:3], return_cov=True)
    np.testing.assert_allclose(
        np.diagonal(covariance, axis1=1, axis2=2), std[:3] ** 2, rtol=1e-6, atol=1e-12
    )
    assert model.transform(partial).shape == (30, 3)
    assert model.denoise(partial).shape == new.shape
    assert model.score(partial) > model.score(16.0 - partial)
    draws = model.sample_completions(partial[:2], 5, random_state=0)
    np.testing.assert_array_equal(
        draws[:, ~hidden[:2]], np.tile(new[:2][~hidden[:2]], (5, 1)).reshape(5, -1)
    )
    weights, latent, rows = model.alternatives(partial[:4], 2)
    assert latent.shape[2] == 3 and rows.shape[2] == new.shape[1]
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)


def test_huge_and_tiny_units(digits: np.ndarray) -> None:
    plain = BayesianGPLVM(2, 8, max_iter=8, random_state=0).fit(digits)
    for scale in (1e-12, 1e12):
        scaled = BayesianGPLVM(2, 8, max_iter=8, random_state=0).fit(scale * digits)
        found, same = (each.inverse_transform(each.latent_mean_) for each in (scaled, plain))
        np.testing.assert_allclose(found / scale, same, rtol=1e-6, atol=1e-6)
        # The bound is for the data as given, so the density changes only by the units.
        change = -digits.size * np.log(scale)
        assert scaled.bound_ == pytest.approx(plain.bound_ + change, rel=1e-8)


@pytest.mark.parametrize(
    "model", [ProbabilisticPCA(2), BayesianGPLVM(2, n_inducing=4), DeepGPLVM((1, 2), n_inducing=4)]
)
def test_values_that_cannot_be_squared_are_refused(model, digits: np.ndarray) -> None:
    with pytest.raises(DataError, match=r"beyond ±1e\+150 are in 20 of 20 rows"):
        model.fit(1e300 * (1 + digits[:20, :5]))


def test_columns_with_their_own_units() -> None:
    generator = np.random.default_rng(0)
    hidden = generator.normal(size=(60, 2))
    targets = hidden @ generator.normal(size=(2, 4)) * [1.0, 1e3, 1e-3, 1e6]
    model = BayesianGPLVM(2, 8, scaling="columns", max_iter=8, random_state=0).fit(targets)
    np.testing.assert_allclose(model.scale_, targets.std(axis=0))
    error = np.abs(model.inverse_transform(model.latent_mean_) - targets) / targets.std(axis=0)
    assert (error.mean(axis=0) < 0.3).all()


def test_constant_columns_are_reported_and_kept() -> None:
    targets = np.random.default_rng(0).normal(size=(30, 4))
    targets[:, 2] = 7.0
    with pytest.warns(UserWarning, match="1 of 4 columns is constant"):
        model = BayesianGPLVM(2, 8, max_iter=8, random_state=0).fit(targets)
    np.testing.assert_allclose(model.inverse_transform(model.latent_mean_)[:, 2], 7.0, atol=0.1)
    with pytest.raises(DataError, match="every column of the targets is constant"):
        BayesianGPLVM(2).fit(np.ones((5, 3)))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("model", SMALL, ids=lambda model: str(model))
def test_duplicates_one_column_and_two_rows(model) -> None:
    generator = np.random.default_rng(0)
    repeated = np.repeat(generator.normal(size=(5, 3)), 6, axis=0)
    column = generator.normal(size=(20, 1))
    two = generator.normal(size=(2, 6))
    for targets in (repeated, column, two):
        fitted = clone(model).fit(targets)
        assert np.isfinite(fitted.bound_)
        assert np.isfinite(fitted.transform(targets)).all()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"kernel": RBF(-1.0)}, "variance must be positive and finite"),
        ({"kernel": Linear() + Linear()}, "no analytic cross expectations"),
        ({"kernel": RBF() * Linear()}, "no analytic expectations under Gaussian inputs"),
        ({"kernel": Linear(np.ones(3))}, "variance has the length 3, but n_latent is 2"),
        ({"init": "tsne"}, "init must be pca, isomap, random or an array"),
        ({"init": np.zeros((3, 2))}, "init must be a finite array of shape"),
        ({"n_restarts": "many"}, "at least 1 or \"auto\"; got 'many'"),
    ],
)
def test_settings_out_of_range(settings: dict, words: str, digits: np.ndarray) -> None:
    model = BayesianGPLVM(2, 8, max_iter=5, random_state=0).set_params(**settings)
    with pytest.raises(ValueError, match=words):
        model.fit(digits)
