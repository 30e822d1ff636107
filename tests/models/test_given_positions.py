"""A GP-LVM at given latent points: they stay, and predictions are those of GP regression."""

import numpy as np
import pytest
from scipy.stats import norm

from gplvm_core import GPLVM
from gplvm_core.kernels import RBF


def test_given_points_stay_and_predictions_are_those_of_regression():
    rng = np.random.default_rng(0)
    places = rng.standard_normal((25, 2))
    values = np.column_stack([np.sin(places[:, 0]), places.sum(axis=1), places[:, 1] ** 2])
    values += 0.1 * rng.standard_normal(values.shape)
    model = GPLVM(
        2, 25, kernel=RBF(1.0, np.full(2, 0.8)), init=places, latent="given", scaling="global",
        noise="shared", max_iter=3, random_state=0,
    ).fit(values)  # fmt: skip
    np.testing.assert_array_equal(model.latent_mean_, places)
    assert not np.any(model.latent_variance_)
    # Exact regression in the data's units, written out: with an inducing point at each position,
    # the sparse model has no approximation.
    new = rng.standard_normal((4, 2))
    gram, across = model.kernel_.K(places, places), model.kernel_.K(new, places)
    scale = model.posterior_.scale
    noise = model.posterior_.noise_variance * np.eye(25)
    centre = values.mean(axis=0)
    exact = centre + across @ np.linalg.solve(gram + noise, (values - centre) / scale) * scale
    np.testing.assert_allclose(model.inverse_transform(new), exact, atol=1e-3)


def test_the_joint_density_is_that_of_the_row_at_its_place_and_of_the_place():
    values = np.random.default_rng(0).standard_normal((25, 3)) @ np.diag([1.0, 5.0, 0.2]) + 3.0
    model = GPLVM(2, 12, max_iter=20, random_state=0, second_stage="off").fit(values)
    rows = values[:4] + 0.1
    rows[1, 2] = np.nan
    places = model.transform(rows)
    mean, std = model.inverse_transform(places, noise=True, return_std=True)
    expected = np.nansum(norm.logpdf(rows, mean, std), axis=1) + norm.logpdf(places).sum(axis=1)
    np.testing.assert_allclose(model.score_samples(rows, method="joint"), expected, rtol=1e-9)


@pytest.mark.parametrize("wrong", [{"init": "pca"}, {"n_inducing": None}])
def test_given_points_need_an_array_and_inducing_points(wrong):
    values = np.random.default_rng(0).standard_normal((12, 3))
    settings = {"n_inducing": 6, "init": values[:, :2], "latent": "given"} | wrong
    with pytest.raises(ValueError, match="needs the latent points as init"):
        GPLVM(2, **settings).fit(values)
