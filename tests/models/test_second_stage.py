"""`fit` ends with the density of the rows and the widths of intervals, or says why not.

`test_calibrate.py` judges the intervals.
"""

import copy
import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import gplvm_core
from gplvm_core import load
from gplvm_core.models import (
    GPLVM,
    AverageOfStarts,
    BayesianGPLVM,
    BayesianPCA,
    DeepGPLVM,
    DynamicalGPLVM,
    GenerativeClassifier,
    ManifoldRelevance,
    ProbabilisticPCA,
    SemiSupervisedClassifier,
    SparseGPRegression,
    StateSpaceGPLVM,
)
from gplvm_core.models.estimators.second_stage import DENSITY, map_only
from gplvm_core.readers import DataError, RowFiles
from tests.cases import few_held_out
from tests.until import Until

SMALL = {"max_iter": 15, "random_state": 0}
AUTO = {**SMALL, "second_stage": "auto"}
NOT_CALIBRATED = "not calibrated and may be too small"


@pytest.fixture(scope="module", autouse=True)
def quick_density() -> Iterator[None]:
    """Try few settings on few held-out rows: no test here judges the density or the widths."""
    with pytest.MonkeyPatch.context() as patch:
        few_held_out(patch)
        yield


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    """Return 60 rows of 4 columns around a line."""
    rng = np.random.default_rng(0)
    line = np.outer(rng.standard_normal(60), [1.0, -2.0, 0.5, 1.0])
    return line + 0.2 * rng.standard_normal(line.shape)


@pytest.fixture(scope="module")
def whole(rows) -> BayesianGPLVM:
    return BayesianGPLVM(2, 10, **AUTO).fit(rows)


@pytest.fixture
def gaps(rows) -> np.ndarray:
    hidden = rows[:6].copy()
    hidden[np.arange(6), [0, 1, 2, 3, 0, 1]] = np.nan
    return hidden


def test_fit_is_the_map_and_then_the_steps_of_a_script(rows, whole):
    alone = BayesianGPLVM(2, 10, **SMALL).fit(rows)
    assert whole.bound_ == alone.bound_
    np.testing.assert_array_equal(whole.latent_mean_, alone.latent_mean_)
    alone.fit_density(rows, folds=5)
    for method in ("bound", "density"):
        np.testing.assert_array_equal(
            whole.score_samples(rows, method=method), alone.score_samples(rows, method=method)
        )
    np.testing.assert_array_equal(
        gplvm_core.apply(whole, rows)["p"], gplvm_core.apply(alone, rows)["p"]
    )
    # A density is a better answer than a difference of bounds.
    np.testing.assert_array_equal(
        whole.score_samples(rows), whole.score_samples(rows, method="density")
    )


def test_new_rows_have_p_values_after_fit_alone(rows, whole):
    odd = rows[:3].copy()
    odd[0, 1] += 50.0
    with warnings.catch_warnings(action="error"):
        found = gplvm_core.apply(whole, odd)
    assert found["p"].notna().all()
    assert found["p"][0] < 0.05 and "column 2" in found["reasons"][0]


def test_off_says_what_is_missing(rows, gaps):
    model = BayesianGPLVM(2, 10, **SMALL, second_stage="off").fit(rows)
    assert model.density_ is None and model.notes_ == ()
    with pytest.warns(UserWarning, match="no out-of-fold scores"):
        found = gplvm_core.apply(model, gaps)
    assert found["p"].isna().all()
    assert all("no row has a p-value, because" in each for each in found["reasons"])
    with pytest.warns(UserWarning, match=NOT_CALIBRATED):
        model.complete(gaps, return_std=True)
    with warnings.catch_warnings(action="error"):
        model.complete(gaps)
        model.complete(rows[:3], return_std=True)  # nothing is filled
        model.complete(gaps, return_std=True, method="map")


@pytest.mark.parametrize(
    "kind", [pytest.param(DynamicalGPLVM, marks=pytest.mark.slow), StateSpaceGPLVM]
)
def test_forecasts_are_calibrated_or_say_that_they_are_not(kind):
    times = np.arange(50.0)
    wave = np.column_stack([np.sin(times / 4), np.cos(times / 4)])
    wave += 0.05 * np.random.default_rng(0).standard_normal(wave.shape)
    model = kind(2, 10, **AUTO).fit(wave)
    by_hand = kind(2, 10, **SMALL).fit(wave)
    with pytest.warns(UserWarning, match=NOT_CALIBRATED):
        by_hand.forecast([50.0, 51.0], return_std=True)
    by_hand.calibrate(wave)
    with warnings.catch_warnings(action="error"):
        by_hand.forecast([20.0], return_std=True)
        found = model.forecast([50.0, 51.0], method="model", return_std=True)
    np.testing.assert_array_equal(found, by_hand.forecast([50.0, 51.0], return_std=True))
    ahead = model.forecast([50.0, 51.0])
    np.testing.assert_array_equal(ahead, by_hand.choose_forecaster(wave).forecast([50.0, 51.0]))
    assert model.intervals_ is not None and model.density_ is not None


def test_transfers_are_calibrated_or_say_that_they_are_not(rows):
    views = {"left": rows[:, :2], "right": rows[:, 2:]}
    labels = np.repeat(np.arange(6), 10)
    given = {"left": rows[:5, :2]}
    model = ManifoldRelevance(2, 10, **AUTO).fit(views=views, sequences=labels)
    by_hand = ManifoldRelevance(2, 10, **SMALL).fit(views)
    with pytest.warns(UserWarning, match=NOT_CALIBRATED):
        by_hand.transfer(given, "right", return_std=True)
    by_hand.calibrate(views, sequences=labels)  # whole sequences are held out
    np.testing.assert_array_equal(
        model.transfer(given, "right", return_std=True)[1],
        by_hand.transfer(given, "right", return_std=True)[1],
    )
    assert model.density_ is not None


@pytest.mark.slow
def test_deep_models_and_points_have_a_density(rows):
    assert DeepGPLVM((1, 2), 8, **AUTO).fit(rows).density_ is not None
    model = GPLVM(1, **AUTO).fit(rows)
    exact, joint = (model.score_samples(rows, method=method) for method in ("density", "joint"))
    np.testing.assert_array_equal(model.score_samples(rows), exact)
    assert not np.allclose(exact, joint)
    with pytest.raises(ValueError, match='"joint" or "density"'):
        model.score_samples(rows, method="bound")


def test_models_that_cannot_have_it_have_no_setting():
    for model in (ProbabilisticPCA(1), SparseGPRegression()):
        assert "second_stage" not in model.get_params()


@pytest.mark.usefixtures("two_stages")
def test_the_setting_is_a_setting():
    for kind in (BayesianGPLVM, BayesianPCA, GPLVM, DeepGPLVM, ManifoldRelevance, StateSpaceGPLVM):
        model = kind(second_stage="off")
        assert clone(model).get_params()["second_stage"] == "off"
        assert kind().second_stage == "auto"
    with pytest.raises(ValueError, match="second_stage must be one of auto, off"):
        BayesianGPLVM(second_stage="never").fit(np.eye(4))


def test_a_step_that_fails_keeps_the_map_and_says_what_follows(rows, gaps, monkeypatch):
    def fails(*_: object, **__: object) -> None:
        raise MemoryError("no memory left")

    monkeypatch.setattr(gplvm_core.prediction, "derived", fails)
    with pytest.warns(UserWarning, match="no memory left"):
        model = BayesianGPLVM(2, 10, **AUTO).fit(rows)
    assert model.bound_ == BayesianGPLVM(2, 10, **SMALL).fit(rows).bound_
    assert model.density_ is None
    assert model.notes_ == (
        "the density of the rows was not learnt: no memory left. The map alone fills gaps, its "
        "intervals may be too narrow, and new rows have no p-values",
    )
    with pytest.warns(UserWarning, match="density of the rows was not learnt"):
        model.complete(gaps, return_std=True)


@pytest.mark.parametrize("count", [2, 3, 10])
def test_few_rows_keep_the_map(rows, count):
    with warnings.catch_warnings(action="ignore"):
        model = BayesianGPLVM(2, 5, **AUTO).fit(rows[:count])
    said = any("was not learnt" in note for note in model.notes_)
    assert (model.density_ is None) == said
    assert len(model.latent_mean_) == count


def test_one_column_and_constant_columns_keep_the_map(rows):
    level = rows.copy()
    level[:, 2] = 3.0
    for table in (rows[:, :1], level):
        with warnings.catch_warnings(action="ignore"):
            model = BayesianGPLVM(1, 5, **AUTO).fit(table)
            found = gplvm_core.apply(model, table[:3])
        assert found["p"].notna().all()


def test_columns_of_words_have_no_second_stage():
    table = [["a", 1.0], ["b", 2.0], ["a", 1.1], ["b", 2.1]] * 5
    model = BayesianGPLVM(1, 5, kinds=["category", "number"], **AUTO).fit(table)
    assert model.density_ is None
    assert not any("was not learnt" in note for note in model.notes_)


def test_the_callback_sees_the_second_stage_and_ends_it(rows):
    shares = []

    def watch(progress) -> None:
        if progress.phase == DENSITY:
            shares.append(progress.share)

    assert BayesianGPLVM(2, 10, **AUTO).fit(rows, callback=watch).density_ is not None
    assert shares[0] == 0.0 and shares == sorted(shares) and 0.9 < shares[-1] < 1.0
    assert np.diff(shares).max() < 0.35  # also while gaps are filled and rows are scored

    def end(progress) -> None:
        if progress.phase == DENSITY:
            raise StopIteration

    with pytest.warns(UserWarning, match="not learnt: training was ended before"):
        model = BayesianGPLVM(2, 10, **AUTO).fit(rows, callback=end)
    assert model.density_ is None and model.result_.status != "stopped"


def test_training_that_was_stopped_has_no_second_stage_until_it_is_continued(rows, whole):
    stop = Until(5)
    with pytest.warns(UserWarning, match="not learnt: training was ended before"):
        model = BayesianGPLVM(2, 10, **AUTO).fit(rows, callback=stop)
    assert model.density_ is None
    model.fit(rows, resume=stop.last.run)
    np.testing.assert_array_equal(model.score_samples(rows), whole.score_samples(rows))


def test_no_density_outlives_its_map(rows, whole):
    model = copy.deepcopy(whole)
    before = model.score_samples(rows)
    model.fit(rows[:, ::-1] * 3.0)
    assert not np.allclose(model.score_samples(rows[:, ::-1] * 3.0), before)
    model.set_params(second_stage="off").fit(rows)
    assert model.density_ is None
    model = copy.deepcopy(whole)
    with warnings.catch_warnings(action="ignore"):
        model.extend(rows[50:])
    assert model.density_ is None and "the density of the rows was deleted" in model.notes_[-1]


def test_a_failed_fit_keeps_the_model_with_its_density(rows, whole):
    model = copy.deepcopy(whole)
    with pytest.raises(ValueError, match="n_inducing"):
        model.set_params(n_inducing=0).fit(rows)
    assert model.density_ is not None


def test_files_keep_the_density_and_older_files_lack_only_the_setting(rows, whole, tmp_path):
    whole.save(tmp_path / "model.gplvm")
    stored = load(tmp_path / "model.gplvm")
    assert stored.second_stage == "auto"
    np.testing.assert_array_equal(stored.score_samples(rows), whole.score_samples(rows))


def test_rows_of_files(rows, tmp_path):
    np.save(tmp_path / "rows.npy", rows)
    model = BayesianGPLVM(2, 10, **AUTO).fit(RowFiles.of(tmp_path / "rows.npy"))
    assert model.density_.typicality is not None


@pytest.mark.slow
def test_models_inside_others(rows):
    average = AverageOfStarts(BayesianGPLVM(2, 8, **AUTO), n_starts=2, random_state=0).fit(rows)
    assert all(each.density_ is not None for each in average.estimators_)
    labels = (rows[:, 0] > 0).astype(int)
    classes = GenerativeClassifier(BayesianGPLVM(1, 8, **AUTO)).fit(rows, labels)
    assert all(each.density_ is None for each in classes.models_)  # only bounds are compared
    half = SemiSupervisedClassifier(BayesianGPLVM(2, 8, **AUTO), random_state=0).fit(rows, labels)
    assert half.embedding_.density_ is None
    assert half.embedding_.second_stage == "auto"


def test_map_only_restores_the_settings(rows):
    average = AverageOfStarts(BayesianGPLVM(2, 8, **AUTO), n_starts=1, random_state=0)
    with pytest.raises(RuntimeError), map_only(average):
        assert average.estimator.second_stage == "off"
        assert average.fit(rows).estimators_[0].density_ is None
        raise RuntimeError
    assert average.estimator.second_stage == "auto"
    with map_only(ProbabilisticPCA(1)) as nothing:
        assert nothing is None


def test_two_rows_are_too_few_to_say_what_is_typical():
    with pytest.warns(UserWarning, match="at least 3 training rows, and this map has 2"):
        model = BayesianGPLVM(1, 2, **AUTO).fit([[0.0, 1.0, 2.0], [1.0, 3.0, 1.0]])
    with pytest.warns(UserWarning, match="p-value"):
        found = gplvm_core.apply(model, np.full((1, 3), 1e6))
    assert np.isnan(found["p"]).all() and "density" in found["reasons"].iloc[0]


VIEWS = {"max_iter": 5, "random_state": 0}


def views_of(rows: np.ndarray) -> dict[str, np.ndarray]:
    return {"left": rows[:, :2], "right": rows[:, 2:]}


@pytest.mark.parametrize("time_kernel", [None, "rbf"])
@pytest.mark.parametrize(
    ("sequences", "words"),
    [
        (pd.Series(["x", None] * 30), "without a label is row 1"),
        (pd.Series([pd.NA, "x"] * 30), "without a label is row 0"),
        (["x", np.nan] * 30, "without a label is row 1"),
        ([None, "x"] * 30, "without a label is row 0"),
        (np.array([1, "x"] * 30, dtype=object), "must be of one kind"),
        ("abc", "one label for each of the 60 rows"),
        (5, "one label for each of the 60 rows"),
        (np.zeros((60, 1)), "one label for each of the 60 rows"),
    ],
)
def test_wrong_sequences_are_refused_before_training(rows, sequences, words, time_kernel):
    def trains(_: object) -> None:
        raise AssertionError("training started")

    model = ManifoldRelevance(2, 8, time_kernel=time_kernel, **VIEWS, second_stage="auto")
    with pytest.raises(DataError, match=words):
        model.fit(views_of(rows), sequences=sequences, callback=trains)


def test_the_note_says_which_part_uses_the_sequences(rows):
    unused = "times and sequences are not used: the model has no time_kernel"
    several, one = np.repeat(np.arange(6), 10), np.zeros(60)
    for sequences, stage, used in (
        (several, "auto", True),
        (several, "off", False),
        (one, "auto", False),
    ):
        model = ManifoldRelevance(2, 8, **VIEWS, second_stage=stage)
        notes = model.fit(views_of(rows[::2]), sequences=sequences[::2]).notes_
        assert (unused in notes) != used
        assert any("Whole sequences were held out" in note for note in notes) == used


@pytest.mark.parametrize("kinds", [{"left": "robust"}, {"left": "robust", "word": "auto"}])
def test_views_over_time_beside_other_kinds_are_calibrated(rows, kinds):
    words = {"word": np.where(rows[:, :1] > 0.0, "a", "b")} if "word" in kinds else {}
    views = views_of(rows) | words
    model = ManifoldRelevance(2, 8, kinds=kinds, time_kernel="rbf", **VIEWS, second_stage="auto")
    model.fit(views, times=np.arange(60.0))
    assert model.can_calibrate and model.intervals_ is not None
    assert {own.asked.to for own in model.intervals_.factors} == {"right"}
    given = {"left": rows[:5, :2]}
    with warnings.catch_warnings(action="error"):
        model.transfer(given, "right", return_std=True)


def test_views_without_numbers_cannot_be_calibrated(rows):
    for time_kernel in (None, "rbf"):
        model = ManifoldRelevance(
            2, 8, kinds="robust", time_kernel=time_kernel, **VIEWS, second_stage="auto"
        ).fit(views_of(rows))
        assert not model.can_calibrate and model.intervals_ is None
        with pytest.raises(DataError, match="only columns of numbers"):
            model.calibrate(views_of(rows))
