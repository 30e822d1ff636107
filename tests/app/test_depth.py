"""Tests of the pages about depth through AppTest, with a deep model of a few iterations."""

import threading
import time
import warnings
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM, DeepGPLVM, training
from gplvm_core.comparison import Step
from gplvm_core.datasets import Dataset
from gplvm_core.lessons import families as lessons_families
from gplvm_core.lessons.bend import CURVES, BendComparison, compare
from gplvm_core.lessons.families import FamilyFit, family_fits, pack_families, unpack_families
from gplvm_core.models.problems.deep import FAMILIES
from gplvm_core.store import Library, workspace
from gplvm_core.training import comparison_of
from gplvm_core.wire.frame import unframe
from pages.ui.explore.layers.drawn import distance, drawn_from
from pages.ui.learn.depth import families, live
from pages.ui.learn.depth.bend import ShownBend, after, of_edit, ready, settled
from tests.app.apptest import finished, press, query, run_page, said, stores
from tests.until import Until

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(scope="module")
def deep(flow: Dataset) -> DeepGPLVM:
    with warnings.catch_warnings(action="ignore"):
        return DeepGPLVM((2, 3), 8, max_iter=10, random_state=0).fit(flow.values)


@pytest.fixture(scope="module")
def step() -> BendComparison:
    """Compare both models on a step, with few points and few training steps."""
    curve, three = CURVES["step"], Until(lambda progress: progress.iteration >= 3)
    with warnings.catch_warnings(action="ignore"):
        return compare(curve, *(each[::3] for each in curve.points()), three)


def test_the_page_starts_with_the_curves_shipped_result():
    at = run_page("learn", stop="why")
    assert not at.exception
    header, arrays = stores(at)["depth_curve"]
    x, y = CURVES["step"].points()
    np.testing.assert_array_equal(arrays["x"], x)
    np.testing.assert_array_equal(arrays["y"], y)
    # The page claims that the deep model is better.
    assert header["deep"]["bound"] > header["shallow"]["bound"] + 10.0
    assert header["deep"]["score"] > header["shallow"]["score"] + 1.0
    press(at, "Next")
    assert query(at, "stop") == "families"
    assert not at.exception


def bound_in_words(fit: FamilyFit) -> str:
    return f"bound {fit.bound:.1f} nats".replace("-", "−")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:training ended before")
def test_families_are_shown_side_by_side_and_trained_on_other_points(
    monkeypatch: pytest.MonkeyPatch,
):
    at = run_page("learn", stop="families", curve="chirp", points="0")
    assert not at.exception
    words = said(at)
    found = families.ready("chirp")
    assert tuple(fit.family for fit in found.fits) == FAMILIES
    assert set(families.FAMILIES) == set(FAMILIES)
    for fit in found.fits:
        assert families.named(fit.family) in words and bound_in_words(fit) in words
    best = max(found.fits, key=lambda fit: fit.bound)
    assert f"{families.named(best.family)} has the highest bound" in words
    monkeypatch.setattr(lessons_families, "MAX_ITER", 2)
    press(at, "Other points")
    assert query(at, "points") == "1"
    comparison_of(families.key_of("chirp", 1)).wait(300)
    at = run_page("learn", stop="families", curve="chirp", points="1")
    assert not at.exception
    own = comparison_of(families.key_of("chirp", 1)).result
    np.testing.assert_array_equal(own.x, CURVES["chirp"].drawn(40, CURVES["chirp"].seed + 1)[0])
    assert bound_in_words(own.fits[0]) in said(at)


@pytest.mark.slow
def test_stop_iteration_keeps_finished_families():
    steps = []

    def second(step: Step) -> None:
        steps.append(step)
        if step.name == FAMILIES[1]:
            raise StopIteration

    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(action="ignore"):
        patch.setattr(lessons_families, "MAX_ITER", 1)
        found = family_fits(CURVES["step"], 1, second)
    assert [fit.family for fit in found.fits] == [FAMILIES[0]]
    assert "Stopped" in families.verdict(found)
    again = unpack_families(pack_families(found))
    assert again.fits[0].bound == found.fits[0].bound
    np.testing.assert_allclose(again.fits[0].middle, found.fits[0].middle, rtol=1e-6)


def test_layers_have_a_ladder_a_map_each_and_draws(flow: Dataset, deep: DeepGPLVM):
    key = Library(workspace() / "library").add(deep, flow, "In two layers")
    at = run_page("layers", model=f"library:{key}", layer="2")
    assert not at.exception
    words = said(at)
    assert "Layer 1, the top" in words
    said_of_them = [layer.verdict_.partition(" of 2 ")[2] for layer in deep.layers_]
    assert all(f"It {verdict}." in words for verdict in said_of_them)
    assert "as far from the data" in words
    header, arrays = stores(at)[f"library:{key}"]
    np.testing.assert_allclose(arrays["latent"], deep.layers_[1].latent_mean_, rtol=1e-6)
    assert header["layers"] == 1
    at = run_page("layers", model=f"library:{key}", layer="9" * 5000)
    assert not at.exception and "no layer “99999" in said(at)
    at = run_page("layers", model=f"library:{key}", layer="3")
    assert "no layer “3”" in said(at)
    sound = [not layer.doubt_ for layer in deep.layers_]
    shown = sound.index(True) if any(sound) else 1
    assert stores(at)[f"library:{key}"][0]["layers"] == 2 - shown
    assert all(sound) != any("At least one layer is off" in warning.value for warning in at.warning)


def test_a_deep_model_opens_in_explore_with_the_map_of_any_layer(flow: Dataset, deep: DeepGPLVM):
    key = Library(workspace() / "library").add(deep, flow, "In two layers")
    at = run_page("explore", model=f"library:{key}")
    assert not at.exception and not at.error
    header, arrays = stores(at)[f"library:{key}"]
    assert header["layer"] == 1
    assert "2 layers" in said(at)
    np.testing.assert_allclose(arrays["latent"], deep.layers_[1].latent_mean_, rtol=1e-6)
    layer = next(each for each in at.button_group if each.key.startswith("explore_layer"))
    assert layer.options == ["Layer 1, the top", "Layer 2, above the data"]
    at = layer.set_value(0).run()
    assert not at.exception and query(at, "layer") == "1"
    header, arrays = stores(at)[f"library:{key}"]
    np.testing.assert_allclose(arrays["latent"], deep.layers_[0].latent_mean_, rtol=1e-6)
    assert header["layers"] == 2
    at.segmented_control(key="explore_tab").set_value("layers").run()
    assert not at.exception
    assert "It is" in said(at) and query(at, "tab") == "layers"


def test_a_shallow_model_gets_a_message_about_its_one_layer(flow: Dataset):
    shallow = BayesianGPLVM(2, n_inducing=8, max_iter=5, random_state=0).fit(flow.values)
    key = Library(workspace() / "library").add(shallow, flow, "Shallow")
    at = run_page("layers", model=f"library:{key}")
    assert not at.exception
    assert "This model has one layer" in said(at)


@pytest.mark.slow
def test_both_models_are_trained_on_points_and_drawn(step: BendComparison):
    for fit in (step.shallow, step.deep):
        assert np.all(fit.low < fit.high)
        inside = (fit.low <= fit.mean) & (fit.mean <= fit.high)
        assert inside.all()
        assert np.isfinite([fit.bound, fit.score]).all()
        # The draws form a loop: draws that are close in time are similar, draws half a loop apart
        # are not.
        moved = np.abs(np.diff(fit.paths, axis=0)).mean()
        assert moved < 0.5 * np.abs(fit.paths - np.roll(fit.paths, 18, axis=0)).mean()
    assert step.warp[-1] >= step.warp[0]
    with pytest.raises(ValueError, match="3 to 60 points"):
        compare(CURVES["step"], np.zeros(2), np.zeros(2))


def test_the_shallow_band_is_that_of_the_model(step: BendComparison):
    """The band is the 95 % interval of a Gaussian, mean ± 1.96 standard deviations.

    It is therefore symmetric up to sampling error.
    """
    up, down = step.shallow.high - step.shallow.mean, step.shallow.mean - step.shallow.low
    np.testing.assert_allclose(up, down, rtol=0.15)


def test_edits_are_applied_checked_and_stopped():
    shown = ShownBend("step", of_edit(ready("step"), 0))
    assert unframe(after(shown, {"curve": "smooth", "edit": 1}).packed)[0]["curve"] == "smooth"
    assert "3 to 60 points" in after(shown, {"points": [[0, 0]], "edit": 2}).message
    assert after(shown, {"points": "nonsense", "edit": 2}).live is None
    assert after(shown, {"points": [[5.0, 0.0]] * 4, "edit": 2}).live is None
    x, y = CURVES["step"].points()
    live = after(shown, {"points": np.column_stack([x, y]).tolist(), "edit": 3})
    assert live.live is not None and live.live.working
    stopped = after(live, {"stop": True, "edit": 3})
    assert stopped.live is None and stopped.packed == shown.packed
    live.live._thread.join(timeout=30)
    assert live.live._thread not in threading.enumerate()
    assert settled(live).live is None


def test_few_are_trained_at_a_time_and_the_others_wait():
    x, y = CURVES["step"].points()
    with ExitStack() as turns:
        for _ in range(live.AT_ONCE):  # other visitors use all slots
            turns.enter_context(live.TURNS)
        first = live.Live("step", x, y, 1).start()
        assert first.in_words().startswith("Waiting")
        first.stop()
        second = live.Live("step", x, y, 2, first).start()
        first._thread.join(timeout=30)
        assert not first._thread.is_alive() and second.waits and second.working
    while not second.steps:
        time.sleep(0.01)
    second.stop()
    second._thread.join(timeout=30)
    assert second.packed is None and second.error is None


def test_rows_drawn_from_the_top_come_from_its_prior(flow: Dataset, deep: DeepGPLVM):
    drawn = drawn_from(deep, flow, 0, 0)
    assert drawn.rows.shape == (60, 12)
    assert np.isfinite(drawn.rows).all() and drawn.away > 0
    # The data's own rows have distance 0; shifted rows have a large distance.
    assert distance(flow.values, flow.values) == pytest.approx(0.0, abs=1e-3)
    assert distance(flow.values + 100.0, flow.values) > 10.0


def test_two_layers_are_trained_and_their_verdicts_shown():
    at = run_page("train")
    at.pills(key="train_built_in").set_value("wine").run()
    at.segmented_control(key="form_layers").set_value(2).run()
    assert not at.exception
    at.number_input(key="form_max_iter").set_value(10).run()
    next(box for box in at.number_input if box.label == "Inducing points").set_value(10).run()
    top = next(box for box in at.number_input if box.label.startswith("Dimensions of layer 1"))
    top.set_value(2).run()
    press(at, "Start training")
    assert not at.exception
    job = finished(query(at, "job"))
    assert job.model_class == "DeepGPLVM"
    assert job.parameters["n_components"] == (2, 10)
    at.run()
    assert not at.exception
    words = said(at)
    assert "2 layers of 2 and 10 dimensions" in words
    assert "Layer 1 of 2" in words and "layer 2 of 2" in words
    assert "No dimension contains information" not in words
    press(at, "See the layers")
    assert not at.exception
    assert "Layer 1, the top" in said(at)


def test_layers_are_shown_during_training(flow: Dataset):
    model = DeepGPLVM((2, 3), 8, max_iter=5000, random_state=0)
    job_id = training.here().submit(model, flow, "In layers")
    while not getattr(training.here().snapshot(job_id).progress, "verdicts", ()):
        time.sleep(0.01)
    training.here().pause(job_id)
    assert training.here().wait(job_id, timeout=300).status == "paused"
    verdicts = training.here().snapshot(job_id).progress.verdicts
    assert [words.startswith(f"layer {n} of 2 is o") for n, words in enumerate(verdicts, 1)] == [
        True,
        True,
    ]
    at = run_page("train", job=job_id)
    assert not at.exception
    assert verdicts[1] in said(at)
    at.button(key="job_resume").click()
    at.button(key="job_stop").click().run()
    assert training.here().wait(job_id, timeout=300).status == "cancelled"


def test_the_ready_results_are_small(home: Path):
    assert all(len(ready(name)) < 100_000 for name in CURVES)
