"""Tests of Train and Explore for maps that take out known factors."""

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.readers.frames import from_columns
from gplvm_core.store import Library, workspace
from pages.ui.explore.known import shares_in_words
from pages.ui.shared.catalogue import at_level, open_item
from pages.ui.shared.opening import opening_here
from tests.app.apptest import press, run_page, said, short, started, upload
from tests.app.uploads import in_batches

pytestmark = pytest.mark.usefixtures("home")


def taken_out(at):
    return next(each for each in at.multiselect if each.label == "Take out")


def start_button(at):
    return next(each for each in at.button if each.label == "Start training")


def levels(at, name: str = "batch"):
    return next(each for each in at.segmented_control if each.label == name)


@pytest.fixture
def two_factors() -> Dataset:
    rng = np.random.default_rng(0)
    known = {"sex": np.array(["m", "f"] * 20), "age": rng.uniform(20.0, 60.0, 40)}
    targets = rng.standard_normal((40, 4)) + np.array(known["age"])[:, None] / 10
    return Dataset("ages", "Ages", targets, Drawing.of_vector(4), known=known)


def test_a_batch_is_taken_out_on_train_and_chosen_on_explore(monkeypatch):
    monkeypatch.setattr("gplvm_core.new_rows.without_density.MOST_COMPARED", 24)
    at = upload(run_page("train"), "batches.csv", in_batches())
    at = taken_out(at).set_value(["batch"]).run()
    assert "The map then shows what batch does not explain." in said(at)
    job = started(short(at))
    whole = Library(workspace() / "library").model(job.entry)
    assert whole.known_.names == ("batch",) and whole.n_features_in_ == 3
    key = f"library:{job.entry}"
    at = run_page("explore", model=key)
    assert not at.exception and not at.error and not at.segmented_control[1:]
    at = run_page("fill", model=key)
    assert levels(at).value == 0 and list(levels(at).options) == [
        "first",
        "second",
        "another value",
    ]
    assert "All answers are for first, the most frequent value." in said(at)
    at = levels(at).set_value(1).run()
    assert "All answers are for second." in said(at) and at.query_params["level"] == "2"
    # The page's code opens the map at the chosen value.
    item, names = at_level(open_item(key), 1), {}
    exec(opening_here(item), names)  # noqa: S102
    point = whole.latent_mean_[:1]
    np.testing.assert_array_equal(
        names["model"].inverse_transform(point), whole.given("second").inverse_transform(point)
    )
    at = levels(at).set_value(2).run()
    assert not at.exception
    assert "the average of these, with the scatter between them as noise" in said(at)
    item = at_level(open_item(key), 2)
    exec(opening_here(item), names)  # noqa: S102
    np.testing.assert_array_equal(names["model"].noise_std_, whole.unseen().noise_std_)
    page = run_page("rows", model=key)
    assert not page.exception and levels(page).value == 0
    page = press(page, "Try an example")
    assert not page.exception and not page.error
    assert "Train with these rows" not in [each.label for each in page.button]


def test_what_cannot_be_taken_out_is_said_before_the_start():
    at = upload(run_page("train"), "batches.csv", in_batches())
    at = taken_out(at).set_value(["batch", "a", "b", "c"]).run()
    assert "nothing is left to learn" in at.error[0].value and start_button(at).disabled
    at = taken_out(at).set_value(["batch"]).run()
    assert not at.error and not start_button(at).disabled
    at = at.radio(key="form_model").set_value("GP-LVM").run()
    assert "choose Bayesian GP-LVM as the model" in at.error[0].value
    assert start_button(at).disabled
    at = taken_out(at).set_value([]).run()
    assert not at.error and not start_button(at).disabled


def test_the_code_of_several_factors_gives_each_by_its_name(two_factors):
    model = BayesianGPLVM(2, n_inducing=10, max_iter=5, random_state=0)
    model.fit(two_factors.values, known=from_columns(two_factors.known, ""))
    key = f"library:{Library(workspace() / 'library').add(model, two_factors, 'Ages')}"
    item, names = at_level(open_item(key), 3), {}
    exec(opening_here(item), names)  # noqa: S102
    point = model.latent_mean_[:1]
    np.testing.assert_allclose(
        names["model"].inverse_transform(point), item.model.inverse_transform(point), rtol=1e-9
    )
    assert item.at.words.startswith("f, ") and item.at.names == "sex, age"


def test_the_largest_share_of_a_factor_is_named():
    shares = {"factors": np.array([0.1, 0.5, np.nan])}
    assert shares_in_words(shares, ["a", "b", "c"]) == (
        "On average, 30 % of a column's variance is taken out; most of b (50 %). Of 3 columns, 2 "
        "are shown."
    )
