"""Tests of noise per output on the pages: chosen in Train, shown in Explore and in the Gallery."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from gplvm_core import (
    GPLVM,
    BayesianGPLVM,
    ManifoldRelevance,
    ProbabilisticPCA,
)
from gplvm_core.datasets import Dataset
from gplvm_core.readers.drawing import Drawing, Skeleton
from gplvm_core.store import Library, workspace
from tests.app.apptest import finished, go_to, press, query, run_page, said, upload

pytestmark = pytest.mark.usefixtures("home")
NAMES = ("length", "width", "weight", "height", "depth")
NOISY = 2


def table(n: int = 60) -> np.ndarray:
    """Return five smooth functions of one hidden number; the third has much noise."""
    rng = np.random.default_rng(0)
    hidden = np.linspace(-1.5, 1.5, n)
    values = np.column_stack([np.sin(f * hidden + f) for f in (0.7, 1.1, 1.3, 0.9, 1.6)])
    noise = np.full(5, 0.02)
    noise[NOISY] = 1.0
    # The units differ greatly, so the spread does not show which columns are noisy.
    return (values + noise * rng.standard_normal(values.shape)) * [1.0, 50.0, 0.1, 7.0, 300.0]


def csv(values: np.ndarray) -> bytes:
    lines = [",".join(NAMES), *(",".join(f"{v:.6g}" for v in row) for row in values)]
    return "\n".join(lines).encode()


def dataset_of(values: np.ndarray, drawing: Drawing | None = None) -> Dataset:
    names = NAMES if drawing is None else None
    drawing = drawing or Drawing.of_vector(values.shape[1])
    return Dataset("made", "Made", values, drawing, column_names=names)


@pytest.fixture
def kept() -> Callable[..., str]:
    """Fit a model and add it to the library; return its key."""

    def added(model: BayesianGPLVM, dataset: Dataset) -> str:
        model.fit(dataset.view_values if dataset.views else dataset.values)
        return "library:" + Library(workspace() / "library").add(model, dataset, "Kept")

    return added


def quick(noise: str = "per_output", **options: object) -> BayesianGPLVM:
    settings = {"max_iter": 40, "random_state": 0, "noise": noise} | options
    return BayesianGPLVM(2, n_inducing=10, **settings)


def explored(key: str, **more: str) -> AppTest:
    at = run_page("explore", model=key, **more)
    assert not at.exception
    assert not at.error
    return at


def test_train_with_noise_per_output_and_see_the_noisy_column_in_explore():
    at = upload(run_page("train"), "things.csv", csv(table()))
    at.number_input(key="form_max_iter").set_value(60).run()
    # The columns of this data set have different units, so the form preselects noise per output.
    caption = "you need not choose a scale"
    assert at.segmented_control(key="form_noise_per_output").value == "per_output"
    assert caption in said(at)
    at.segmented_control(key="form_noise_per_output").set_value("shared").run()
    assert caption not in said(at)
    assert at.segmented_control(key="form_scaling_columns").value == "columns"
    at.segmented_control(key="form_noise_per_output").set_value("per_output").run()
    press(at, "Start training")
    assert not at.exception
    job = finished(query(at, "job"))
    at.run()
    assert "noise per output" in said(at)
    assert Library(workspace() / "library").model(job.entry).noise == "per_output"
    at.button(key="job_open").click().run()
    assert not at.exception
    assert "Noise of the outputs" in [expander.label for expander in at.expander]
    assert "Noisiest: weight, " in said(at)


@pytest.mark.slow
def test_the_units_of_each_view_decide_unless_the_user_does():
    at = run_page("train")
    at.pills(key="train_built_in").set_value("toy_views").run()
    assert at.segmented_control(key="form_noise_auto").value == "auto"
    assert at.segmented_control(key="form_scaling_auto").value == "auto"
    at.segmented_control(key="form_noise_auto").set_value("shared").run()
    at.number_input(key="form_max_iter").set_value(10).run()
    press(at, "Start training")
    parameters = finished(query(at, "job")).parameters
    assert (parameters["noise"], parameters["scaling"]) == ("shared", "auto")


def test_the_choice_of_noise_is_offered_only_for_models_that_have_it_and_survives():
    at = run_page("train")
    at.pills(key="train_built_in").set_value("flow").run()
    for title in ("GP-LVM", "Bayesian PCA", "Bayesian GP-LVM"):
        at.radio(key="form_model").set_value(title).run()
        keys = [control.key for control in at.segmented_control]
        assert ("form_noise_shared" in keys) == title.startswith("Bayesian")
    at.segmented_control(key="form_noise_shared").set_value("per_output").run()
    at.number_input(key="form_max_iter").set_value(70).run()
    go_to(at, "mine")
    go_to(at, "train")
    assert at.pills(key="train_built_in").value == "flow"
    assert at.segmented_control(key="form_noise_shared").value == "per_output"
    assert at.number_input(key="form_max_iter").value == 70


def test_explore_shows_the_noise_of_every_column_and_draws_it_once_it_is_wanted(kept):
    values = table()
    model = quick()
    at = explored(kept(model, dataset_of(values)))
    words, share = said(at), model.noise_std_ / values.std(axis=0)
    assert f"Noisiest: weight, {share[NOISY]:.0%} of its spread" in words
    assert f"Quietest: {NAMES[np.argmin(share)]}, {share.min():.0%}." in words
    assert f"For half of the columns, the noise is above {np.median(share):.0%}." in words
    assert not at.get("plotly_chart")
    at.session_state["explore_noise"] = True
    at.run()
    assert not at.exception
    (chart,) = at.get("plotly_chart")
    labels = json.loads(chart.proto.spec)["layout"]["yaxis"]["ticktext"]
    assert labels[0] == "weight" and sorted(labels) == sorted(NAMES)


@pytest.mark.parametrize("scaling", ["global", "columns"])
def test_explore_explains_a_single_noise_and_the_alternative(
    kept: Callable[..., str], scaling: str
):
    model, values = quick("shared", scaling=scaling), table()
    at = explored(kept(model, dataset_of(values)))
    amount = {
        "global": f"± {model.noise_std_[0]:.3g} in the data's units",
        "columns": f"{model.noise_std_[0] / values[:, 0].std():.0%} of each output's spread",
    }[scaling]
    words = said(at)
    assert f"All outputs share one noise level: {amount}." in words
    assert "train again with “Noise: each output its own”" in words
    assert "Noisiest" not in words


@pytest.mark.parametrize(
    "model",
    [GPLVM(2, max_iter=10, random_state=0), ProbabilisticPCA(2)],
)
def test_for_a_model_with_one_noise_explore_names_a_model_with_noise_per_output(
    kept: Callable[..., str], model
):
    at = explored(kept(model, dataset_of(table())))
    assert "train a Bayesian GP-LVM with “Noise: each output its own”" in said(at)


@pytest.mark.filterwarnings("ignore:1 of 6 columns")
def test_explore_names_pixels_and_joints(kept: Callable[..., str]):
    values = np.hstack([table(), np.zeros((60, 1))])
    values /= np.maximum(values.std(axis=0), 1.0)
    words = said(explored(kept(quick(), dataset_of(values, Drawing("image", (2, 3))))))
    assert "Noisiest: the pixel in row 1, column 3, " in words
    assert "1 of 6 pixels does not vary and is left out." in words
    body = Drawing("skeleton", (2, 3), skeleton=Skeleton(("hips", "knee"), (-1, 0)))
    assert "Noisiest: hips, " in said(explored(kept(quick(), dataset_of(values, body))))


def test_a_view_has_its_own_noise(kept: Callable[..., str]):
    values, drawing = table(), Drawing.of_vector
    views = {"few": (values[:, :2], drawing(2)), "more": (values[:, 2:], drawing(3))}
    both = Dataset.of_views("made", "Made", views)
    model = ManifoldRelevance(2, n_inducing=10, max_iter=40, random_state=0, noise="per_output")
    key = kept(model, both)
    words = said(explored(key, view="more"))
    share = model.of_view("more").noise_std_ / values[:, 2:].std(axis=0)
    assert f"Noisiest: column 1, {share[0]:.0%} of its spread" in words


def test_library_and_gallery_mention_only_noise_per_output(
    kept: Callable[..., str], tmp_path: Path
):
    dataset = dataset_of(table())
    for noise, told in (("shared", 0), ("per_output", 1)):
        model = quick(noise, max_iter=2)
        kept(model, dataset)
        assert said(run_page("mine")).count("noise per output") == told
    Library(tmp_path / "gallery").add(model, dataset, "Things")
    assert "in use · noise per output" in said(run_page("gallery"))
