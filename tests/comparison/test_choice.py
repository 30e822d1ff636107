"""Settings chosen by held-out rows: known answers, honest splits, and bad input."""

import re
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from gplvm_core import BayesianGPLVM, BayesianPCA, DynamicalGPLVM, ManifoldRelevance
from gplvm_core.comparison import Step, choose
from gplvm_core.comparison.settings import candidates_for, in_words
from gplvm_core.comparison.tasks import Data, held_out
from gplvm_core.prediction import fills
from gplvm_core.prediction.intervals import crps
from gplvm_core.readers import DataError


@pytest.fixture(autouse=True)
def few_held_out_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decide how gaps are filled on few held-out rows."""
    monkeypatch.setattr(fills, "MOST_ROWS", 6)


def sheet(count: int = 60) -> np.ndarray:
    """Return rows on a curved surface; three columns have little noise, three much."""
    generator = np.random.default_rng(0)
    place = generator.uniform(-1.0, 1.0, (count, 2))
    waves = np.column_stack([place, np.sin(3 * place), np.cos(2 * place)])
    noise = np.array([0.01, 0.01, 0.01, 0.5, 0.5, 0.5])
    return waves + noise * generator.normal(size=waves.shape)


def small(**settings: Any) -> BayesianGPLVM:
    return BayesianGPLVM(**({"n_components": 2, "n_inducing": 10, "max_iter": 40} | settings))


OWN_NOISE = {"noise": "per_output"}


@pytest.mark.parametrize("wrong, std", [(0.0, 1.0), (1.3, 0.4), (-2.0, 3.0)])
def test_the_score_of_a_prediction_is_the_integral_over_all_thresholds(wrong: float, std: float):
    def square(x: float) -> float:
        return float((norm.cdf(x, scale=std) - (x >= wrong)) ** 2)

    expected = quad(square, -30.0, wrong)[0] + quad(square, wrong, 30.0)[0]
    np.testing.assert_allclose(crps(np.array([wrong]), np.array([std])), expected, rtol=1e-6)


@pytest.mark.slow
def test_rows_on_a_surface_with_unequal_noise_need_a_noise_per_column():
    steps: list[Step] = []
    # The short trainings have 40 iterations, so there is a second round.
    model, candidates = small(max_iter=50), [OWN_NOISE]
    found = choose(model, sheet(), "density", candidates=candidates, cv=2, callback=steps.append)
    assert found.task == "density"
    assert found.settings == OWN_NOISE
    assert [each.iterations for each in found.tried] == [50, 50, 40, 40]
    assert found.own == {"noise": "shared"}
    assert found.model.get_params()["noise"] == "per_output"
    assert not hasattr(found.model, "latent_mean_")
    assert found.gain.mean > 0.0
    best, own = found.of(found.settings), found.of(found.own)
    assert best.score > own.score
    np.testing.assert_allclose(found.gain.mean, best.score - own.score)
    shares = [step.share for step in steps]
    assert shares == sorted(shares)
    assert shares[-1] <= 1.0


def test_a_search_that_ends_in_its_first_round_keeps_the_finished_splits():
    def stop(step: Step) -> None:
        if step.split == 2:
            raise StopIteration

    found = choose(small(), sheet(), "density", candidates=[OWN_NOISE], cv=2, callback=stop)
    assert found.settings == OWN_NOISE
    assert any("ended early" in note for note in found.notes)

    def stop_at_once(step: Step) -> None:
        raise StopIteration

    with pytest.raises(ValueError, match="before the first split"):
        choose(small(), sheet(), candidates=[OWN_NOISE], cv=2, callback=stop_at_once)


def test_a_gain_within_one_standard_error_keeps_the_given_settings():
    noise = np.random.default_rng(9).standard_normal((45, 4))
    candidates = [{"n_components": 1}]
    found = choose(small(), noise, "density", candidates=candidates, cv=3, random_state=2)
    best, own = found.tried[:2]
    assert best.settings == candidates[0] and best.score > own.score
    assert found.settings == found.own == own.settings
    assert found.model.get_params()["n_components"] == 2
    assert any("settings are kept: others (1 dimension)" in note for note in found.notes)


@pytest.mark.slow
def test_with_whole_groups_held_out_only_a_significant_gain_counts():
    noise, groups = np.random.default_rng(7).standard_normal((45, 4)), np.repeat(np.arange(9), 5)
    settings: dict[str, Any] = {"candidates": [{"n_components": 1}], "cv": 3, "random_state": 4}
    found = choose(small(), noise, "density", groups=groups, **settings)
    assert found.tried[0].settings == {"n_components": 1}
    assert found.settings == found.own
    (note,) = [note for note in found.notes if "settings are kept" in note]
    mean, error = (float(each) for each in re.findall(r"\d\.\d+", note))
    assert mean > error  # would be enough for single rows

    def stop(step: Step) -> None:
        if step.split == 2:
            raise StopIteration

    # One split of whole groups says even less.
    found = choose(small(), noise, "density", groups=groups, callback=stop, **settings)
    assert found.tried[0].settings == {"n_components": 1} and found.settings == found.own
    assert any("in the one split that was finished" in note for note in found.notes)


def test_settings_that_cannot_be_trained_are_left_out():
    found = choose(small(), sheet(), candidates=[{"n_inducing": -1}], cv=2)
    assert found.settings == {"n_inducing": 10}
    assert any("failed" in note for note in found.notes)
    assert "n_inducing" in str(found.of({"n_inducing": -1}).problem)


def test_whole_groups_are_held_out():
    groups = np.repeat(np.arange(6), 10)
    for train, test in held_out("fill", Data(sheet()), groups, 3, 0):
        assert not set(groups[train]) & set(groups[test])


def test_forecasts_are_made_from_earlier_frames_only():
    times = np.concatenate([np.arange(30.0), np.arange(40.0)])
    sequences = np.repeat([0, 1], [30, 40])
    data = Data(np.zeros((70, 2)), "global", times[:, None], sequences)
    splits = held_out("forecast", data, None, 3, 0)
    assert len(splits) == 3
    for train, test in splits:
        for label in (0, 1):
            seen, ahead = train[sequences[train] == label], test[sequences[test] == label]
            assert times[seen].max() < times[ahead].min()


@pytest.mark.slow
def test_a_dynamical_model_and_views_are_chosen_by_their_own_tasks():
    wave = np.sin(np.arange(60)[:, None] / 4.0 + np.arange(4))
    timed = DynamicalGPLVM(1, 4, max_iter=20, random_state=0)
    found = choose(timed, wave, candidates=[OWN_NOISE], cv=2)
    assert found.task == "forecast"
    views = {"one": sheet()[:, :3], "two": sheet()[:, 3:]}
    both = ManifoldRelevance(2, 2, max_iter=40)
    found = choose(both, views, candidates=[OWN_NOISE], cv=2)
    assert found.task == "transfer"
    assert found.of(found.settings).score == min(each.score for each in found.tried)
    # A row without a value in the other views is not predicted from them.
    views["two"][::4] = np.nan
    gapped = choose(both, views, candidates=[OWN_NOISE], cv=2)
    assert all(each.problem is None and np.isfinite(each.score) for each in gapped.tried)


@pytest.mark.slow
def test_a_search_for_views_over_time_also_tries_noises_of_single_views_and_equal_weights():
    alone = [{"a": "per_output", "b": "shared"}, {"a": "shared", "b": "per_output"}]
    tries = []
    for seed in range(20):
        model = ManifoldRelevance(10, 50, time_kernel="matern32")
        own, some = candidates_for(model, 30, 100, None, seed, views=("a", "b"), differ=False)
        assert own == {
            "n_components": 10,
            "n_inducing": 50,
            "noise": "auto",
            "scaling": "auto",
            "view_weights": "auto",
        }
        assert some[0] == own and len(some) == 12
        tries += some
    found = [each["noise"] for each in tries]
    assert all(each in found for each in ["auto", "per_output", *alone])
    assert {} in [each["view_weights"] for each in tries]
    # Rows without time have no path that wide views could outweigh.
    still = ManifoldRelevance(10, 50)
    own, _ = candidates_for(still, 30, 100, None, 0, views=("a", "b"), differ=False)
    assert "view_weights" not in own
    words = in_words({"n_inducing": 50, "noise": alone[0], "view_weights": {}})
    assert words == (
        "50 inducing points, noise: one per column in a and shared in b, all views count equally"
    )


@pytest.mark.slow
def test_a_search_over_time_also_lets_wide_rows_count_fully():
    tries = []
    for seed in range(5):
        model = DynamicalGPLVM(10, 50)
        own, some = candidates_for(model, 30, 100, None, seed, views=(), differ=False)
        assert own["data_weight"] == "auto" and some[0] == own
        tries += some
    assert {each["data_weight"] for each in tries} == {"auto", 1.0}
    assert in_words({"data_weight": 1.0}) == "columns that repeat others count fully"
    assert in_words({"data_weight": "auto"}) == "columns that repeat others count less"
    for model, columns in ((DynamicalGPLVM(10, 50), 20), (BayesianGPLVM(10, 50), 30)):
        own, _ = candidates_for(model, columns, 100, None, 0, views=(), differ=False)
        assert "data_weight" not in own


@pytest.mark.slow
def test_a_search_can_count_the_predictions_of_one_view():
    """The scores of both views are known apart, and their mean is the score of all views."""
    generator = np.random.default_rng(1)
    place = generator.uniform(-1.0, 1.0, (60, 2))
    views = {
        "clean": np.column_stack([place, place @ [1.0, -1.0]]),
        "loud": place @ generator.standard_normal((2, 3)) + generator.normal(0.0, 1.0, (60, 3)),
    }
    model = ManifoldRelevance(2, 10, max_iter=40, random_state=0)
    found = {
        to: choose(model, views, to=to, candidates=[OWN_NOISE], cv=2)
        for to in (None, "clean", "loud")
    }
    scores = {to: each.of(each.own).score for to, each in found.items()}
    # The scores of single views average to the score of all views, which have as many columns.
    assert scores[None] == pytest.approx((scores["clean"] + scores["loud"]) / 2, rel=1e-6)
    assert abs(scores["clean"] - scores["loud"]) > 0.01
    assert (found["loud"].to, found[None].to) == ("loud", None)


@pytest.mark.slow
def test_forecasts_of_one_view_can_count_alone():
    wave = np.sin(np.arange(60)[:, None] / 4.0 + np.arange(4))
    views = {"one": wave, "two": wave[:, ::-1] ** 2}
    model = ManifoldRelevance(2, 6, time_kernel="matern32", max_iter=20, random_state=0)
    scores = {}
    for to in (None, "one", "two"):
        found = choose(model, views, "forecast", to=to, candidates=[OWN_NOISE], cv=2)
        scores[to] = found.of(found.own).score
    assert scores[None] == pytest.approx((scores["one"] + scores["two"]) / 2, rel=1e-6)
    assert scores["one"] != scores["two"]


def test_a_view_that_does_not_exist_is_named():
    views = {"one": sheet()[:, :3], "two": sheet()[:, 3:]}
    with pytest.raises(DataError, match="there is no view 'three'"):
        choose(ManifoldRelevance(2, 5), views, to="three")
    with pytest.raises(DataError, match="leave it out for one table"):
        choose(small(), sheet(), to="one")


def test_a_training_of_a_search_equals_a_training_of_these_rows():
    fitted = Data(sheet()).train(small(random_state=0), np.arange(40))
    alone = small(random_state=0).fit(sheet()[:40])
    np.testing.assert_allclose(fitted.bound_, alone.bound_)


@pytest.mark.parametrize(
    "model, data, task, words",
    [
        (small(), sheet(), "look", "task must be one of"),
        (small(), {"one": sheet()}, None, "several views need ManifoldRelevance"),
        (small(), sheet(), "transfer", "pass a dict of views"),
        (small(), sheet(), "forecast", "forecasts need a model over time"),
        (small(), sheet()[:5], None, "5 rows cannot be split"),
        (small(), [["a", "b"]] * 20, None, "must be numbers"),
        (small(), np.full((20, 2), np.inf), None, "row 0, column 0 .* is infinite"),
        (BayesianPCA(2), sheet(), None, "Bayesian maps of one layer"),
    ],
)
def test_bad_input_is_explained(model: Any, data: Any, task: Any, words: str):
    with pytest.raises((DataError, ValueError), match=words):
        choose(model, data, task)


def test_unknown_settings_are_named():
    with pytest.raises(ValueError, match="'n_layers'"):
        choose(small(), sheet(), candidates=[{"n_layers": 2}])
    with pytest.raises(ValueError, match="the search sets max_iter itself"):
        choose(small(), sheet(), candidates=[{"max_iter": 400}])
    with pytest.raises(DataError, match="one label for each of the 60 rows; got shape"):
        choose(small(), sheet(), groups=[1, 2])
    with pytest.raises(ValueError, match="scaling must be"):
        choose(small(), sheet(), scaling="colums")  # type: ignore[arg-type]
