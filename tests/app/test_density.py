"""Tests that pages compute the density of the rows when they need it, and name it in a sentence."""

import json
import threading
from dataclasses import replace

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM
from gplvm_core.datasets import Dataset
from gplvm_core.prediction import Fill
from gplvm_core.prediction.fills import BLOCK, FEW
from gplvm_core.store.ready import READY, recipe_of
from gplvm_core.training import begin_comparison, comparison_of
from pages.ui.explore.fill import model as fill_model
from pages.ui.shared import density
from pages.ui.shared.catalogue import Item

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(scope="module")
def model(model_of_flow: BayesianGPLVM) -> BayesianGPLVM:
    return model_of_flow


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(density, "WAIT", 60.0)


@pytest.mark.usefixtures("patient")
def test_a_model_without_a_density_gets_one_when_it_is_needed(flow, model):
    item = Item("library:m", "m", model, flow)
    found = density.dense(item, "first use")
    assert model.density_ is None  # other visitors may be using this model
    assert density.dense(item, "first use").model is found.model
    row = np.where(np.arange(12) < 6, np.nan, flow.values[0])
    words = density.how_filled(found, "first use", row)
    assert words.startswith("Filled by the ") and "against" in words
    assert density.how_filled(found, "first use", flow.values[0]) == ""
    expected = found.model.complete(row[None])[0]
    # The cache separates completions without the density from completions with it.
    before = fill_model.completed(model, "first use", row, flow).mean
    np.testing.assert_allclose(
        fill_model.completed(found.model, "first use", row, flow).mean, expected
    )
    np.testing.assert_allclose(before, model.complete(row[None])[0])
    exact = found.model.score_samples(row[None], method="density")[0]
    assert fill_model.log_density(found.model, "first use", row, flow) == pytest.approx(exact)


def test_a_row_is_compared_only_when_the_density_is_learnt():
    wait = threading.Event()
    begin_comparison("density|slow", lambda callback: wait.wait(60.0))
    assert density.learning("slow")
    wait.set()
    run = comparison_of("density|slow")
    assert run is not None
    run.wait(60.0)
    assert not density.learning("slow") and not density.learning("never begun")


@pytest.mark.usefixtures("patient")
def test_a_density_that_cannot_be_learnt_leaves_the_map(flow, model):
    short = Item(
        "library:s", "s", model, replace(flow, targets=flow.targets[:10], labels=flow.labels[:10])
    )
    assert density.dense(short, "too few rows") is short
    row = np.where(np.arange(12) < 6, np.nan, flow.values[0])
    assert "could not be learnt" in density.how_filled(short, "too few rows", row)


def test_words_have_no_density(flow):
    rows = [[value, "ab"[n % 2]] for n, value in enumerate(flow.values[:40, 0])]
    words = Dataset.of_table("words", "Words", rows, ["number", "category"])
    mixed = BayesianGPLVM(1, 5, kinds=words.kinds, max_iter=5, random_state=0).fit(rows)
    item = Item("library:w", "w", mixed, words)
    assert density.dense(item, "words") is item and comparison_of("density|words") is None
    assert density.how_filled(item, "words", np.array([np.nan, 0.0])) == density.NO_DENSITY


@pytest.mark.usefixtures("patient")
def test_a_ready_model_derives_its_density_from_the_stored_recipe(flow, model, monkeypatch):
    stored = json.loads((READY / "recipes.json").read_text())
    assert {name.split("|")[0] for name in stored} == {
        "deep-flow", "digits", "faces", "flow", "heads", "moves", "pairs", "pendulum", "people",
        "poses", "walker", "turned",
    }  # fmt: skip
    assert all({fill[-1] for fill in each["fills"]} == {True, False} for each in stored.values())
    fills = [[FEW, "map", 0.5, 0.9, 1.2, 0.3, True]]
    recipe = recipe_of({"size": 3, "strength": 10.0, "clusters": [2, 1.0, 0.25], "fills": fills})
    monkeypatch.setattr(density, "_recipes", lambda: {"m": recipe})
    found = density.dense(Item("gallery:m", "m", model, flow), "gallery:m").model.density_
    assert len(found.latent.weights) == 3 and not found.tried
    assert found.fills == (Fill(FEW, "map", 0.5, 0.9, 1.2, 0.3, True),)


def test_the_sentence_names_method_errors_and_intervals():
    used = Fill(BLOCK, "density", 0.36, 0.94, 1.1, 0.2, True)
    other = Fill(BLOCK, "map", 0.48, 0.52, 4.0, 0.3, False)
    assert density.in_words(used, other) == (
        "Filled by the density of the rows. In held-out rows with a block of gaps, it was better "
        "than the map: error 0.36 against 0.48 of the columns' spread. Before calibration, 94 % "
        "of the values were inside their 95 % intervals."
    )
    level = Fill(BLOCK, "map", 0.355, 0.52, 4.0, 0.3, False)
    assert "its intervals were better than" in density.in_words(used, level)
    close = Fill(BLOCK, "map", 0.36, 0.95, 1.0, 0.19, False)
    assert "not clearly worse" in density.in_words(used, close)
