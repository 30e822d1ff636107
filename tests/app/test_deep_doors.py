"""Tests of deep models in Time and Views; a model's capabilities determine its tabs."""

import time
import warnings
from dataclasses import replace

import numpy as np
import pytest

from gplvm_core import DeepGPLVM, DeepManifoldRelevance, load_dataset
from gplvm_core.datasets import Dataset
from gplvm_core.store import Library, workspace
from gplvm_core.wire.frame import unframe
from tests.app.apptest import press, run_page, said, stores
from tests.app.views_data import some_pairs

pytestmark = pytest.mark.usefixtures("home")
TIMES = 0.1 * np.arange(24)


@pytest.fixture(scope="module")
def poses() -> Dataset:
    whole = load_dataset("poses")
    short = {"targets": whole.targets[:24], "labels": whole.labels[:24], "times": TIMES}
    return replace(
        whole, name="some-poses", sequences=np.zeros(24, dtype=int), covariates={}, **short
    )


@pytest.fixture(scope="module")
def moving(poses: Dataset) -> DeepGPLVM:
    fresh = DeepGPLVM((2, 3), 8, time_kernel="rbf", max_iter=30, random_state=0)
    with warnings.catch_warnings(action="ignore"):
        return fresh.fit(poses.values, times=TIMES)


@pytest.fixture(scope="module")
def pairs() -> Dataset:
    return some_pairs()


@pytest.fixture(scope="module")
def seeing(pairs: Dataset) -> DeepManifoldRelevance:
    fresh = DeepManifoldRelevance((2, 4), 10, max_iter=30, random_state=0)
    with warnings.catch_warnings(action="ignore"):
        return fresh.fit(pairs.view_values)


@pytest.fixture(scope="module")
def parting(pairs: Dataset) -> DeepManifoldRelevance:
    fresh = DeepManifoldRelevance((3,), 10, max_iter=30, random_state=0, view_components=3)
    with warnings.catch_warnings(action="ignore"):
        return fresh.fit(pairs.view_values)


def kept(model: object, dataset: Dataset) -> str:
    return "library:" + Library(workspace() / "library").add(model, dataset, "In layers")


def test_a_deep_model_with_time_is_offered_played_drawn_and_filled(moving, poses):
    kept(moving, poses)
    at = run_page("time")
    assert not at.exception and not at.error
    assert "2 layers" in said(at)
    np.testing.assert_allclose(
        stores(at)["stage"][1]["latent"], moving.layers_[0].latent_mean_, rtol=1e-6
    )
    reel = stores(at)["reel"][1]
    np.testing.assert_allclose(reel["values0"], moving.forecast(reel["times"]), rtol=1e-5)
    assert reel["forecast"].any()
    task = next(each for each in at.button_group if "dynamics_task" in each.key)
    at = task.set_value("sample").run()
    drawn = stores(at)["reel"][1]
    rows = moving.sample_sequence(drawn["times"], random_state=1)[0]
    np.testing.assert_allclose(drawn["values0"], rows, rtol=1e-5)
    task = next(each for each in at.button_group if "dynamics_task" in each.key)
    at = task.set_value("fill").run()
    gap = stores(at)["reel"][1]
    at = press(at, "Fill it in")
    for _ in range(200):
        if stores(at)["reel"][0]["panels"][0]["title"] == "Filled in":
            break
        time.sleep(0.1)
        at.run()
    assert not at.exception and not at.error
    seen = np.where(np.isnan(gap["values0"]), np.nan, poses.values)
    whole, path, _ = moving.complete(seen, times=TIMES, return_latent=True)
    found = stores(at)["reel"][1]
    np.testing.assert_allclose(found["values0"], whole, rtol=1e-4)
    np.testing.assert_allclose(found["latent_mean"], path, rtol=1e-4, atol=1e-6)


@pytest.mark.slow
def test_a_deep_model_of_several_views_is_offered_and_shown(seeing, pairs):
    key = kept(seeing, pairs)
    at = run_page("views")
    assert not at.exception and not at.error
    words = said(at)
    assert "2 layers" in words and "One map, all views" in words
    assert "may look like this" in words
    (header, arrays) = next(iter(stores(at).values()))
    np.testing.assert_allclose(arrays["latent"], seeing.latent_mean_, rtol=1e-6)
    assert len(header["layers"]) == 2
    for page in ("explore", "fill", "layers"):
        at = run_page(page, model=key)
        assert not at.exception and not at.error
    assert said(at).count("<span>It is") == 2
    assert "In layers" in said(at)


@pytest.mark.slow
def test_views_with_hidden_spaces_of_their_own_are_drawn_through_them(parting, pairs):
    key = kept(parting, pairs)
    at = run_page("views", model=key)
    assert not at.exception and not at.error
    assert "2 layers" in said(at)
    header, arrays = next(iter(stores(at).values()))
    np.testing.assert_allclose(arrays["latent"], parting.latent_mean_, rtol=1e-6)
    for number, name in enumerate(header["layers"]):
        way, inside = unframe(bytes(arrays[f"layer{number}"]))
        assert way["layers"] == 2
        own = parting.own_layers_[name][0]
        _, first = unframe(bytes(inside["layer0"]))
        np.testing.assert_allclose(first["inducing"], own.posterior_.inducing, rtol=1e-6)
    for page in ("explore", "fill", "layers"):
        at = run_page(page, model=key)
        assert not at.exception and not at.error
