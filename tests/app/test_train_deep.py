"""Tests that Train offers layers for every model that supports them, including models of time and
views.
"""

from itertools import product

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from gplvm_core import DeepGPLVM, training
from gplvm_core.datasets import Dataset, Drawing
from pages.ui.shared.families import FAMILIES
from pages.ui.train.layers_form import families_for
from tests.app.apptest import finished, press, query, run_page, said, upload
from tests.app.uploads import table

pytestmark = pytest.mark.usefixtures("home")


def form(data: str) -> AppTest:
    return run_page("train").pills(key="train_built_in").set_value(data).run()


def number(at: AppTest, words: str):
    return next(box for box in at.number_input if box.label.startswith(words))


def quick(at: AppTest) -> training.Snapshot:
    """Train two layers for a few steps."""
    at.segmented_control(key="form_layers").set_value(2).run()
    at.number_input(key="form_max_iter").set_value(10)
    number(at, "Latent dimensions").set_value(3).run()
    number(at, "Dimensions of layer 1").set_value(2)
    number(at, "Inducing points").set_value(10).run()
    assert not at.exception and not at.error
    press(at, "Start training")
    job = finished(query(at, "job"))
    at.run()
    assert not at.exception
    return job


@pytest.mark.slow
def test_layers_below_a_path_over_time():
    at = upload(run_page("train"), "waves.csv", table(columns="abcd", extra="time"))
    at.radio(key="form_model").set_value("Dynamical GP-LVM").run()
    at.segmented_control(key="form_layers").set_value(2).run()
    assert not any(each.label == "How new rows find their place" for each in at.segmented_control)
    job = quick(at)
    assert job.model_class == "DeepGPLVM"
    assert job.parameters["time_kernel"] == "auto"
    assert job.parameters["n_components"] == (2, 3)
    assert "Layer 1 of 2 is" in said(at)


@pytest.mark.slow
def test_layers_above_several_views():
    at = form("toy_views")
    at.segmented_control(key="form_kernel_views_True").set_value("each").run()
    next(c for c in at.segmented_control if c.label == "Shape of “second”").set_value(
        "linear"
    ).run()
    job = quick(at)
    assert job.model_class == "DeepManifoldRelevance"
    assert job.parameters["n_components"] == (2, 3)
    assert job.parameters["kernel"] == ("rbf", {"first": "rbf", "second": "linear"})
    words = said(at)
    assert "Layer 1 of 2 is" in words and "view 'second', is" in words
    assert "Deep manifold relevance" in words


def test_layers_that_are_off_are_reported_once_in_plain_words():
    rows = np.random.default_rng(0).normal(size=(30, 4))
    noise = Dataset("noise", "Noise", rows, Drawing("bars", (4,)))
    model = DeepGPLVM((1, 2), 5, max_iter=30, random_state=0)
    job = finished(training.here().submit(model, noise, "N"))
    doubts = [note for note in job.notes if note.startswith("layer ")]
    assert doubts
    words = said(run_page("train", job=job.id))
    assert "another random seed" in words and "random_state" not in words
    assert words.count("ayer 2 of 2 is off") == 1
    assert not any(note in words for note in doubts)


@pytest.mark.slow
def test_a_separate_map_for_every_view():
    at = form("toy_views")
    at.segmented_control(key="form_layers").set_value(2).run()
    at.toggle(key="form_own_spaces").set_value(True).run()
    job = quick(at)
    assert job.model_class == "DeepManifoldRelevance"
    assert job.parameters["n_components"] == (2,) and job.parameters["view_components"] == 3
    words = said(at)
    for name in ("first", "second"):
        assert all(f"ayer {level} of 2, view '{name}', is" in words for level in (1, 2))


@pytest.mark.slow
def test_a_tree_of_body_parts_is_shown_above_the_layers():
    at = form("poses")
    ways = next(each for each in at.segmented_control if each.label == "Views")
    ways.set_value("parts").run()
    at.segmented_control(key="form_layers").set_value(2).run()
    at.toggle(key="form_own_spaces").set_value(True).run()
    job = quick(at)
    assert job.model_class == "DeepManifoldRelevance"
    explored = run_page("layers", model=f"library:{job.entry}")
    assert not explored.exception
    titles = [each.value for each in explored.header]
    assert titles[:2] == ["A map for each part, and one above them", "The layers above “trunk”"]


@pytest.mark.slow
def test_an_autoencoder_has_a_dimension_for_every_column():
    at = form("flow")
    at.segmented_control(key="form_layers").set_value(2).run()
    at.segmented_control(key="form_encoder").set_value("outputs").run()
    job = quick(at)
    assert job.parameters["encoder"] == "outputs" and job.parameters["n_components"] == (12, 3)


@pytest.mark.slow
def test_only_approximations_that_can_be_trained_are_offered():
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(12, 3))
    gaps = np.where(generator.random(rows.shape) < 0.1, np.nan, rows)
    wide = generator.normal(size=(4, 5))
    for values, kernel, noise in product(
        (rows, gaps, wide), ("rbf", "linear"), ("shared", "per_output")
    ):
        dataset = Dataset("t", "T", values, Drawing.of_vector(values.shape[1]))
        offered = families_for(dataset, {"kernel": kernel, "noise": noise})
        for family in FAMILIES:
            model = DeepGPLVM(
                (1, 1), 3, kernel=kernel, noise=noise, family=family, max_iter=1, n_restarts=1
            )
            try:
                model.fit(values)
            except ValueError:
                assert family not in offered
            else:
                assert family in offered
