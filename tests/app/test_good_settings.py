"""The search for good settings on the page Train: offered, run in the background, and used."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from gplvm_core.comparison.choice import Choice
from gplvm_core.training import comparing
from gplvm_core.training.comparing import ComparisonRun
from pages.ui.train import good_settings
from tests.app.apptest import press, run_page, said

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(autouse=True)
def no_searches() -> None:
    comparing._RUNS.clear()


def search(at: AppTest) -> Choice:
    """Press the button, wait for the search, and return its result."""
    press(at, "Find good settings")
    run = list(comparing._RUNS.values())[-1]
    assert isinstance(run, ComparisonRun)
    run.wait(300)
    at.run()
    assert isinstance(run.result, Choice)
    return run.result


def test_it_is_offered_for_numbers_and_not_for_words():
    at = run_page("train")
    at.pills(key="train_built_in").set_value("flow").run()
    assert "Find good settings" in [button.label for button in at.button]
    at.radio(key="form_model").set_value("Probabilistic PCA").run()
    assert "Find good settings" not in [button.label for button in at.button]
    at.pills(key="train_built_in").set_value("countries").run()
    assert not at.exception
    assert "Find good settings" not in [button.label for button in at.button]


def test_with_many_rows_it_says_how_many_the_search_uses(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(good_settings, "MOST_ROWS", 100)
    at = run_page("train")
    at.pills(key="train_built_in").set_value("diabetes").run()
    assert not at.exception
    assert "The search uses 100 of the 442 rows, spread evenly." in said(at)


@pytest.mark.slow
def test_the_found_settings_are_shown_and_used_by_the_form(monkeypatch: pytest.MonkeyPatch):
    # The real search runs on few rows and with one short candidate.
    real = good_settings.choose
    candidate = {"n_components": 3, "noise": "per_output"}

    def short(model, data, **options):
        model.set_params(n_components=2, n_inducing=5, max_iter=40)
        return real(model, data[:40], candidates=[candidate], cv=2, **options)

    monkeypatch.setattr(good_settings, "choose", short)
    at = run_page("train")
    at.pills(key="train_built_in").set_value("flow").run()
    found = search(at)
    assert not at.exception
    assert found.sentence().split(":")[0] in said(at)
    assert found.settings == candidate
    press(at, "Use these settings")
    (used,) = [each for each in at.number_input if each.key.startswith("form_components")]
    assert used.value == 3
    noise = next(each for each in at.segmented_control if each.label == "Noise")
    assert noise.value == "per_output"
    assert "The form above has these settings" in said(at)
    # A search belongs to its kernel.
    shape = next(each for each in at.segmented_control if each.label == "Shape of the mapping")
    shape.set_value("linear").run()
    assert found.sentence().split(":")[0] not in said(at)
    shape = next(each for each in at.segmented_control if each.label == "Shape of the mapping")
    shape.set_value("rbf").run()
    assert found.sentence().split(":")[0] in said(at)
    noise = next(each for each in at.segmented_control if each.label == "Noise")
    # After another choice, the page does not say so any more, and a press restores the settings.
    noise.set_value("shared").run()
    assert "The form above has these settings" not in said(at)
    press(at, "Use these settings")
    noise = next(each for each in at.segmented_control if each.label == "Noise")
    assert noise.value == "per_output"


@pytest.mark.slow
def test_the_search_can_be_about_one_view(monkeypatch: pytest.MonkeyPatch):
    real, asked = good_settings.choose, []

    def short(model, data, **options):
        asked.append(options["to"])
        model.set_params(n_components=2, n_inducing=5, max_iter=40)
        few = {name: values[:40] for name, values in data.items()}
        return real(model, few, candidates=[{"n_components": 1}], cv=2, **options)

    monkeypatch.setattr(good_settings, "choose", short)
    at = run_page("train")
    at.pills(key="train_built_in").set_value("toy_views").run()
    for name in ("second", good_settings.EVERY):
        label = "Good settings for predicting"
        next(each for each in at.selectbox if each.label == label).set_value(name).run()
        # The result of the other question is not shown.
        assert "Find good settings" in [button.label for button in at.button]
        search(at)
        assert ("Only predictions of “second” count" in said(at)) == (name == "second")
    assert asked == ["second", None]


@pytest.mark.slow
def test_a_search_over_time_may_count_wide_rows_fully(monkeypatch: pytest.MonkeyPatch):
    real, candidate = good_settings.choose, {"data_weight": 1.0}

    def short(model, data, **options):
        model.set_params(n_components=2, n_inducing=5, max_iter=40)
        options |= {"times": options["times"][:40], "sequences": options["sequences"][:40]}
        found = real(model, data[:40], candidates=[candidate], cv=2, **options)
        return replace(found, settings=candidate)  # also if it is not the best here

    monkeypatch.setattr(good_settings, "choose", short)
    at = run_page("train")
    at.pills(key="train_built_in").set_value("pendulum").run()
    at.radio(key="form_model").set_value("Dynamical GP-LVM").run()
    (count,) = [each for each in at.segmented_control if each.label == "Columns that repeat others"]
    assert count.value == "auto"
    search(at)
    assert "columns that repeat others count fully" in said(at)
    press(at, "Use these settings")
    (count,) = [each for each in at.segmented_control if each.label == "Columns that repeat others"]
    assert count.value == "full"
    assert "The form above has these settings" in said(at)


@pytest.mark.slow
def test_the_form_takes_a_noise_for_each_view(monkeypatch: pytest.MonkeyPatch):
    real = good_settings.choose
    candidate = {"noise": {"first": "per_output", "second": "shared"}}

    def short(model, data, **options):
        model.set_params(n_components=2, n_inducing=5, max_iter=40)
        few = {name: values[:40] for name, values in data.items()}
        found = real(model, few, candidates=[candidate], cv=2, **options)
        return replace(found, settings=candidate)  # also if it is not the best here

    monkeypatch.setattr(good_settings, "choose", short)
    at = run_page("train")
    at.pills(key="train_built_in").set_value("toy_views").run()
    search(at)
    assert "noise: one per column in first and shared in second" in said(at)
    press(at, "Use these settings")
    noises = {each.label: each.value for each in at.segmented_control if "Noise" in each.label}
    assert noises == {
        "Noise": "each",
        "Noise of “first”": "per_output",
        "Noise of “second”": "shared",
    }
    assert "The form above has these settings" in said(at)
