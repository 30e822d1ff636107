"""Tests of fitted maps as labelled arrays of xarray and as draws for ArviZ."""

import numpy as np
import pytest
import xarray as xr
from sklearn.exceptions import NotFittedError

from gplvm_core import GPLVM, BayesianGPLVM, DeepGPLVM, ManifoldRelevance

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
LATENT = np.random.default_rng(0).normal(size=(12, 2))
ROWS = LATENT @ np.random.default_rng(1).normal(size=(2, 5))
QUICK = {"max_iter": 5, "random_state": 0}
MAP = BayesianGPLVM(2, 5, **QUICK)


def test_a_map_has_named_dimensions(tmp_path) -> None:
    model = MAP.fit(ROWS)
    found = model.to_xarray()
    np.testing.assert_array_equal(found["latent_mean"].sel(row=3), model.latent_mean_[3])
    np.testing.assert_allclose(found["latent_std"] ** 2, model.latent_variance_)
    assert found["relevance"].dims == found["information"].dims == ("dimension",)
    assert found.attrs["bound"] == model.bound_
    assert found.attrs["settings"] == str(model)
    found.to_netcdf(tmp_path / "map.nc", engine="scipy")
    xr.testing.assert_identical(xr.load_dataset(tmp_path / "map.nc", engine="scipy"), found)


def test_views_have_their_relevance_by_name() -> None:
    model = ManifoldRelevance(2, 5, **QUICK).fit({"left": ROWS, "right": ROWS[:, :2]})
    found = model.to_xarray()["relevance"].sel(view="right")
    np.testing.assert_array_equal(found, model.relevance_["right"])


@pytest.mark.parametrize("model", [MAP, DeepGPLVM((2, 2), 5, **QUICK)])
def test_draws_have_the_moments_of_the_map(model) -> None:
    model = model.fit(ROWS)
    found = model.to_arviz(8000, random_state=0)["posterior"]["latent"]
    assert found.dims == ("chain", "draw", "row", "dimension")
    assert found.sizes["chain"] * found.sizes["draw"] == 8000
    std = np.sqrt(model.latent_variance_)
    wrong = (found.mean(("chain", "draw")) - model.latent_mean_) / std
    assert np.abs(wrong).max() < 5.0 / np.sqrt(8000)
    np.testing.assert_allclose(found.std(("chain", "draw")), std, rtol=0.05)
    for chain in (0, 3):  # chains are different draws
        assert not np.array_equal(found[chain], found[chain - 1])
    again = model.to_arviz(8000, random_state=0)["posterior"]["latent"]
    xr.testing.assert_equal(again, found)


def test_points_without_a_distribution_are_not_drawn() -> None:
    model = GPLVM(2, 5, **QUICK).fit(ROWS)
    assert "information" not in model.to_xarray()
    with pytest.raises(ValueError, match="points of GPLVM have no distribution"):
        model.to_arviz()
    with pytest.raises(ValueError, match="at least 1, got 0"):
        MAP.fit(ROWS).to_arviz(0)
    with pytest.raises(NotFittedError):
        BayesianGPLVM().to_xarray()
