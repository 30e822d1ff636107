"""Tests of tables of several kinds: training, stored state, and predictions of each kind."""

import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import norm

from gplvm_core import BayesianGPLVM, BayesianPCA, DynamicalGPLVM, load
from gplvm_core.beliefs import Belief
from gplvm_core.likelihoods import Beside
from gplvm_core.models.estimators.second_stage import steps_of
from gplvm_core.models.problems.kinds import ITERATIONS
from gplvm_core.optimise import Progress
from gplvm_core.prediction.generate import predict
from gplvm_core.prediction.row_bound import RowBound
from gplvm_core.readers import DataError
from gplvm_core.simulated.spikes import load_spikes
from gplvm_core.store import save
from tests.cases import few_held_out
from tests.models.row_slopes import check_slopes

KINDS = {"size": ["s", "m", "l"], "eggs": "count"}
WORDS = ("a", "b", "c")
NORMAL = norm.ppf((np.arange(4000) + 0.5) / 4000)


def table(n_rows: int = 90, seed: int = 0) -> pd.DataFrame:
    """Return numbers, a yes/no column, a category, a grade and a count that all depend on one
    angle.
    """
    generator = np.random.default_rng(seed)
    angle = generator.uniform(0.0, 2.0 * np.pi, n_rows)
    x, y = np.cos(angle), np.sin(angle)
    return pd.DataFrame(
        {
            "width": 10.0 + 3.0 * x + 0.2 * generator.standard_normal(n_rows),
            "height": 2.0 * y + 0.2 * generator.standard_normal(n_rows),
            "left": generator.random(n_rows) < 1.0 / (1.0 + np.exp(6.0 * x)),
            "sort": [WORDS[at] for at in (angle // (2.1)).astype(int)],
            "size": [("s", "m", "l")[at] for at in np.digitize(y, [-0.5, 0.5])],
            "eggs": generator.poisson(np.exp(1.0 + x)),
        }
    )


def hidden(full: pd.DataFrame, share: float = 0.15) -> tuple[pd.DataFrame, np.ndarray]:
    gone = np.random.default_rng(1).random(full.shape) < share
    return full.astype(object).mask(gone), gone


@pytest.fixture(scope="module")
def model() -> BayesianGPLVM:
    kinds = {"width": "number", "height": "number", "left": "yes/no", **KINDS}
    return BayesianGPLVM(3, 20, kinds=kinds, max_iter=60, random_state=0).fit(hidden(table())[0])


def test_a_map_of_all_kinds_fills_words_in(model: BayesianGPLVM) -> None:
    full = table()
    rows, gone = hidden(full)
    whole, sure = model.complete(rows, return_probability=True)
    assert list(whole) == list(full)
    for at, name in enumerate(("left", "sort", "size"), start=2):
        right = whole[name][gone[:, at]].astype(str) == full[name][gone[:, at]].astype(str)
        base = full[name].value_counts(normalize=True).max()
        assert right.mean() > base + 0.15
        # The predicted probabilities match the share of correct words.
        assert abs(sure[gone[:, at], at].mean() - right.mean()) < 0.25
        assert (sure[~gone[:, at], at] == 1.0).all()
    assert np.isnan(sure[:, :2]).all()
    seen = ~gone
    assert (whole.to_numpy(object)[seen] == full.to_numpy(object)[seen]).all()
    error = (whole["height"] - full["height"])[gone[:, 1]].astype(float)
    assert error.std() < 0.7 * full["height"].std()
    assert model.notes_[-1].startswith("kinds of columns: 'sort' category")


def test_new_rows_have_probabilities_of_words(model: BayesianGPLVM) -> None:
    new = table(60, seed=5)
    for name in ("left", "sort", "size"):
        chance, words = model.class_probabilities(new, name), model.class_words(name)
        np.testing.assert_allclose(chance.sum(axis=1), 1.0)
        own = [words.index(word) for word in new[name]]
        loss = -np.mean(np.log(chance[np.arange(60), own]))
        share = new[name].value_counts(normalize=True).to_numpy()
        assert loss < 0.8 * -np.sum(share * np.log(share))
    # The prediction does not use the column itself.
    other = new.assign(left=~new["left"])
    assert_array_equal(
        model.class_probabilities(new, "left"), model.class_probabilities(other, "left")
    )
    assert model.class_words("size") == ("s", "m", "l")


def test_counts_and_numbers_have_quantiles(model: BayesianGPLVM) -> None:
    new = table(100, seed=6)
    low, middle, high = model.column_quantiles(new, "eggs")
    inside = (new["eggs"] >= low) & (new["eggs"] <= high)
    assert 0.85 < inside.mean() <= 1.0
    assert ((middle % 1.0) == 0.0).all()
    chance = model.count_probabilities(new[:3], "eggs", 200)
    np.testing.assert_allclose(chance.sum(axis=1), 1.0, atol=1e-4)
    assert_array_equal(np.argmax(np.cumsum(chance, axis=1) >= 0.5, axis=1), middle[:3])
    low, _, high = model.column_quantiles(new, "width")
    assert 0.8 < ((new["width"] >= low) & (new["width"] <= high)).mean() < 0.98
    assert set(model.column_quantiles(new[:20], "size", [0.5])[0]) <= {"s", "m", "l"}
    with pytest.raises(DataError, match="no order"):
        model.column_quantiles(new, "sort")


def test_draws_are_words_and_counts(model: BayesianGPLVM) -> None:
    drawn = model.sample(300, random_state=0)
    full = table()
    assert set(drawn["sort"]) == set(WORDS)
    assert drawn["eggs"].dtype.kind == "i"
    assert abs(drawn["eggs"].mean() - full["eggs"].mean()) < 1.5
    at = model.sample(model.latent_mean_[:4], 3, random_state=0)
    assert at.shape == (3, 4, 6)
    rows, gone = hidden(full)
    several = model.sample_completions(rows[:9], 4, random_state=0)
    assert several.shape == (4, 9, 6)
    same = several == full.to_numpy(object)[:9]
    assert same[:, ~gone[:9]].all()
    assert not same[:, gone[:9]].all()


def test_answers_at_points_and_explanations(model: BayesianGPLVM) -> None:
    points = model.latent_mean_[:6]
    values, std = model.inverse_transform(points, return_std=True)
    assert values.shape == std.shape == (6, 6)
    assert np.isfinite(std[:, [0, 1, 5]]).all()
    assert np.isnan(std[:, 2:5]).all()
    chance = model.class_probabilities_at(points, "sort")
    best = [model.class_words("sort")[at] for at in chance.argmax(axis=1)]
    assert best == values["sort"].tolist()
    rows, _ = hidden(table())
    weights, latent, completed = model.alternatives(rows[:4], 2)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    assert latent.shape == (4, weights.shape[1], 3)
    assert completed.shape == (4, weights.shape[1], 6)
    assert model.denoise(rows[:4]).shape == (4, 6)


def test_a_density_counts_every_kind(model: BayesianGPLVM) -> None:
    new = table(20, seed=7)
    whole = model.score_samples(new)
    assert np.isfinite(whole).all()
    # If all other entries are missing, the probabilities of all words add up to one.
    blank = pd.DataFrame(np.full((3, 6), None), columns=list(new), dtype=object)
    words = blank.assign(sort=list(model.class_words("sort")))
    assert np.exp(model.score_samples(words, 4_000)).sum() == pytest.approx(1.0, abs=0.03)
    counts = pd.concat([blank[:1]] * 40, ignore_index=True).assign(eggs=np.arange(40))
    assert np.exp(model.score_samples(counts, 500)).sum() == pytest.approx(1.0, abs=0.06)
    # A change of units changes the density of numbers by the Jacobian, but not that of words.
    assert model.score(new) > model.score(new.assign(left=~new["left"]))


def test_rows_are_placed_where_their_bound_is_highest(model: BayesianGPLVM) -> None:
    outputs = model._rows(hidden(table(12, seed=3))[0])["data"]
    network = model._network
    bound = RowBound.of(network, {"data": outputs}, roots=(0,))
    generator = np.random.default_rng(0)
    belief = Belief(generator.normal(size=(12, 3)), generator.uniform(0.05, 0.5, (12, 3)))
    for seed in range(6):
        check_slopes(bound, [belief], seed, 1e-4, 1e-5)


@pytest.mark.slow
def test_training_rises_and_continues_where_it_stopped(tmp_path: Path) -> None:
    rows, _ = hidden(table(40))
    settings = {"kinds": {**KINDS, "width": "number", "height": "number", "left": "yes/no"}}
    runs: list[Progress] = []
    whole = BayesianGPLVM(2, 8, max_iter=35, random_state=0, **settings)
    whole.fit(rows, callback=runs.append)
    bounds = whole.trace_["bound"]
    # An update never lowers the bound, also between phases.
    assert (np.diff(bounds) > -1e-8).all()
    for at in (ITERATIONS - 1, ITERATIONS + 3):
        again = BayesianGPLVM(2, 8, max_iter=35, random_state=0, **settings)
        save(runs[at].run, tmp_path / "run.gplvm")
        again.fit(rows, resume=load(tmp_path / "run.gplvm"))
        assert again.bound_ == whole.bound_
        assert_array_equal(again.latent_mean_, whole.latent_mean_)
        assert_array_equal(
            again.class_probabilities(rows, "sort"), whole.class_probabilities(rows, "sort")
        )


def test_a_model_and_a_run_survive_the_disk(model: BayesianGPLVM, tmp_path: Path) -> None:
    model.save(tmp_path / "model.gplvm")
    back, new = load(tmp_path / "model.gplvm"), table(15, seed=9)
    own = model.class_probabilities(new, "sort")
    np.testing.assert_allclose(back.class_probabilities(new, "sort"), own, rtol=1e-9)
    assert back.posterior_.links == model.posterior_.links
    assert back.columns_ == model.columns_
    assert_array_equal(back.posterior_.weights, model.posterior_.weights)


def test_a_table_of_numbers_gives_the_usual_model() -> None:
    values = table(40)[["width", "height"]].to_numpy()
    settings = {"max_iter": 15, "random_state": 0}
    plain = BayesianGPLVM(2, 8, **settings).fit(values)
    auto = BayesianGPLVM(2, 8, kinds="auto", **settings).fit(values)
    assert auto.bound_ == plain.bound_
    assert auto.columns_ is None
    assert_array_equal(auto.transform(values), plain.transform(values))
    with pytest.raises(ValueError, match="all columns of this model are numbers"):
        auto.class_probabilities(values, 0)


def test_tables_of_words_only_and_linear_maps_train() -> None:
    words = table(50)[["left", "sort", "size"]]
    model = BayesianPCA(2, kinds="auto", max_iter=20, random_state=0).fit(words)
    chance = model.class_probabilities(words, "size")
    best = [model.class_words("size")[at] for at in chance.argmax(axis=1)]
    assert (words["size"] == best).mean() > words["size"].value_counts(normalize=True).max()


@pytest.mark.parametrize("level", [1.5, pytest.param(5.0, marks=pytest.mark.slow)])
def test_small_and_large_counts_follow_the_map(level: float) -> None:
    generator = np.random.default_rng(0)
    x = generator.uniform(-2.0, 2.0, 80)
    counts = generator.poisson(np.exp(level + x))
    rows = [
        [each + 0.1 * generator.standard_normal(), n] for each, n in zip(x, counts, strict=True)
    ]
    settings = {"kinds": ["number", "count"], "max_iter": 50, "random_state": 0}
    model = BayesianGPLVM(1, 10, **settings).fit([*map(list, rows)])
    (middle,) = model.column_quantiles([[-1.5, None], [1.5, None]], 1, [0.5])
    np.testing.assert_allclose(np.log(middle + 0.5), level + np.array([-1.5, 1.5]), atol=0.7)


def test_a_row_without_anything_has_the_shares_of_all_rows(model: BayesianGPLVM) -> None:
    nothing = pd.DataFrame([[None] * 6], columns=list(table()), dtype=object)
    for name in ("left", "sort", "size"):
        chance = model.class_probabilities(nothing, name)[0]
        share = [np.mean(table()[name] == word) for word in model.class_words(name)]
        np.testing.assert_allclose(chance, share, atol=0.15)


@pytest.mark.slow
def test_a_number_that_repeats_itself_is_named() -> None:
    rows = table(80)
    rows = rows.assign(dose=np.where(rows["sort"] == "a", 0.0, rows["width"].round(1)))
    model = BayesianGPLVM(2, 15, kinds="auto", max_iter=60, random_state=0)
    with pytest.warns(UserWarning, match="'dose' is 0 in 3.% of its rows"):
        model.fit(rows)


@pytest.mark.slow
def test_words_follow_a_path_over_time() -> None:
    times = np.linspace(0.0, 4.0 * np.pi, 80)
    generator = np.random.default_rng(0)
    wave = np.sin(times)
    rows = pd.DataFrame(
        {
            "height": wave + 0.1 * generator.standard_normal(80),
            "tide": np.where(wave > 0.3, "high", np.where(wave < -0.3, "low", "middle")),
            "boats": generator.poisson(np.exp(1.0 + wave)),
        }
    )
    model = DynamicalGPLVM(2, 15, kinds="auto", max_iter=60, random_state=0)
    model.fit(rows, times=times)
    # The path fills a gap of completely missing rows.
    gone = np.zeros(rows.shape, dtype=bool)
    gone[30:33] = True
    shown = rows.astype(object).mask(gone)
    filled, sure, path, _ = model.complete(
        shown, times=times, return_probability=True, return_latent=True
    )
    assert filled["tide"][30:33].tolist() == rows["tide"][30:33].tolist()
    assert (sure[30:33, 1] > 0.6).all() and (sure[~gone[:, 1], 1] == 1.0).all()
    assert path.shape == (80, 2)
    new = times[-1] + np.array([0.05, 0.15])
    values = model.forecast(new)
    assert set(values["tide"]) <= {"high", "low", "middle"}
    mean, variance = model.forecast_latent(new)
    chance = model.class_probabilities_at(mean, "tide", X_variance=variance)
    assert values["tide"].tolist() == [model.class_words("tide")[k] for k in chance.argmax(axis=1)]
    drawn = model.sample_sequence(times[:10], n_samples=3, random_state=0)
    assert drawn.shape == (3, 10, 3)
    assert set(drawn[:, :, 1].ravel()) <= {"high", "low", "middle"}
    with pytest.raises(ValueError, match="needs a table of numbers"):
        model.complete(shown, times=times, adapt=True)


def test_impossible_requests_have_clear_messages(model: BayesianGPLVM) -> None:
    rows = table(20)
    gone = np.zeros(rows.shape, dtype=bool)
    gone[2] = True
    with pytest.raises(ValueError, match="columns of several kinds cannot be combined with"):
        BayesianGPLVM(2, 5, kinds="auto", encoder="kernel").fit(rows)
    with pytest.raises(ValueError, match="leave out return_cov"):
        model.complete(rows, return_cov=True)
    with pytest.raises(ValueError, match="cannot be extended"):
        model.extend(rows)
    with pytest.raises(DataError, match="has 'd' in row 0"):
        model.transform(rows.assign(sort="d"))
    with pytest.raises(DataError, match="nothing is observed in row 3"):
        model.transform(rows.astype(object).mask(gone))
    with pytest.raises(ValueError, match="which have no probability"):
        BayesianGPLVM(1, 5, max_iter=2).fit(rows[["width", "height"]]).complete(
            rows[["width", "height"]], return_probability=True
        )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_sparse_counts_do_not_switch_every_dimension_off():
    spikes = load_spikes(150, 60, 0.3)
    model = BayesianGPLVM(6, 20, max_iter=60, kinds=["count"] * 60, random_state=0)
    assert model.fit(spikes.values).n_effective_ >= 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_words_that_follow_from_the_others_get_sharper_probabilities():
    generator = np.random.default_rng(0)
    x = generator.normal(size=(260, 1))
    numbers = x * generator.normal(size=(1, 4)) + 0.5 * generator.normal(size=(260, 4))
    table = pd.DataFrame(numbers, columns=list("abcd"))
    table["same"] = (x[:, 0] > 0.0) ^ (generator.random(260) < 0.02)
    table["sure"] = (x[:, 0] > 0.0) ^ (generator.random(260) < 0.02)
    table["coin"] = generator.random(260) < 0.3
    shown, asked = table[:200], table[200:]
    kinds = dict.fromkeys(["same", "sure", "coin"], "yes/no")
    model = BayesianGPLVM(1, 12, kinds=kinds, max_iter=60, random_state=0).fit(shown)
    factors = model.posterior_.scale[4:]
    assert factors[1] > 1.2 and factors[2] == 1.0

    def loss(fitted):
        yes = fitted.class_probabilities(asked, "sure")[:, 0]
        return -np.mean(np.log(np.where(asked["sure"], yes, 1.0 - yes)))

    plain = copy.copy(model)
    scale = np.hstack([model.posterior_.scale[:4], np.ones(3)])
    plain.posterior_ = replace(model.posterior_, scale=scale)
    assert loss(model) < loss(plain)
    # The factor scales the difference between the function and its bias.
    point = np.array([[0.7]])
    mean, variance = (each[0, 5] for each in predict(plain.posterior_, point))
    bias = model.posterior_.center[5]
    drawn = bias + factors[1] * (mean - bias + np.sqrt(variance) * NORMAL)
    yes = model.class_probabilities_at(point, "sure")[0, 0]
    assert yes == pytest.approx(np.mean(1.0 / (1.0 + np.exp(-drawn))), abs=1e-3)


def test_intervals_of_numbers_beside_words_are_as_wide_as_hidden_values_ask(monkeypatch):
    few_held_out(monkeypatch)  # the slow test below judges the widths
    kinds = {"width": "number", "height": "number", "left": "yes/no", **KINDS}
    settings = {"kinds": kinds, "max_iter": 20, "random_state": 0, "second_stage": "auto"}
    model = BayesianGPLVM(3, 20, **settings).fit(hidden(table())[0])
    few, many = model.columns_.widths
    assert min(few[:2] + many[:2]) > 0.8 and few[2:] == many[2:] == (1.0,) * 4
    widths = np.array([few, many])
    gaps, _ = hidden(table())
    plain = copy.copy(model)
    plain.columns_ = replace(model.columns_, widths=((1.0,) * 6,) * 2)
    levels = [0.025, 0.5, 0.975]
    for at, name in enumerate(("width", "height")):
        gone = gaps[name].isna().to_numpy()
        width = widths[(gaps.isna().mean(axis=1) > 0.4).to_numpy()[gone].astype(int), at]
        mean, std = (np.asarray(own)[gone, at] for own in model.complete(gaps, return_std=True))
        same, less = (np.asarray(own)[gone, at] for own in plain.complete(gaps, return_std=True))
        np.testing.assert_array_equal(mean, same)
        np.testing.assert_allclose(std.astype(float), width * less.astype(float))
        own, before = (each.column_quantiles(gaps, name, levels) for each in (model, plain))
        middle = same.astype(float)
        for level in range(3):
            away = (each[level][gone] - middle for each in (own, before))
            np.testing.assert_allclose(next(away), width * next(away), atol=1e-9)
    small = BayesianGPLVM(2, 8, **settings | {"max_iter": 3})
    with pytest.warns(UserWarning, match="hidden values: the table has 39 rows; at least 40"):
        assert small.fit(table(39)).columns_.widths == ()


def either_or(n_rows: int, seed: int = 0) -> pd.DataFrame:
    """Return a table in which two words together determine a third, but no single column does."""
    generator = np.random.default_rng(seed)
    left, high = (generator.integers(0, 2, n_rows) for _ in range(2))
    return pd.DataFrame(
        {
            "left": np.array(["no", "yes"])[left],
            "high": np.array(["no", "yes"])[high],
            "same": np.where(left == high, "same", "other"),
            "mass": 1.0 + 3.0 * left + 0.3 * generator.standard_normal(n_rows),
            "eggs": generator.poisson(1.0 + 8.0 * high),
        }
    )


@pytest.fixture(scope="module")
def averaging() -> BayesianGPLVM:
    """Return a map that trained for too few steps, with column models beside it."""
    settings = {"max_iter": 4, "random_state": 0, "second_stage": "auto"}
    return BayesianGPLVM(2, 6, kinds="auto", **settings).fit(either_or(160))


def without_averages(model: BayesianGPLVM) -> BayesianGPLVM:
    plain = copy.copy(model)
    plain.columns_ = replace(model.columns_, beside=None, widths=())
    return plain


def test_what_two_words_determine_together_is_predicted_where_hidden_values_show_it(averaging):
    new = either_or(200, seed=1)
    at = averaging.class_words("same").index("same")
    truth, plain = (new["same"] == "same").to_numpy(), without_averages(averaging)
    asked = new.assign(same=None)
    chance, before = (own.class_probabilities(asked, "same")[:, at] for own in (averaging, plain))
    loss, alone = (-np.log(np.where(truth, own, 1.0 - own)).mean() for own in (chance, before))
    assert loss < 0.5 * alone
    assert (averaging.complete(asked)["same"] == new["same"]).mean() > 0.98
    asked = new.assign(mass=None)
    assert np.std(averaging.complete(asked)["mass"] - new["mass"]) < 0.5  # the noise is 0.3
    low, high = averaging.column_quantiles(asked, "mass", [0.025, 0.975])
    assert 0.92 <= np.mean((low <= new["mass"]) & (new["mass"] <= high)) <= 1.0
    notes = [note for note in averaging.notes_ if "averages of the map and of models" in note]
    assert len(notes) == 1 and "same " in notes[0] and "left " in notes[0]


@pytest.mark.parametrize("gaps", [["mass"], ["mass", "left", "same"]], ids=["few", "many"])
def test_averages_of_map_and_column_models_are_mixtures_of_their_distributions(averaging, gaps):
    rows, columns = either_or(30, seed=2).assign(**dict.fromkeys(gaps)), averaging.columns_
    beside, plain, many = columns.beside, without_averages(averaging), int(len(gaps) > 2)
    np.testing.assert_allclose(beside.shares.sum(axis=2), 1.0)
    coded = columns.coded(columns.encoded(rows))
    others = [own.possible(coded) for own in beside.models]
    for name in {"same", "left"} & {*gaps}:
        at, words = columns.column(name), averaging.class_words(name)
        order = [columns.columns[at].words.index(word) for word in words]
        parts = [plain.class_probabilities(rows, name), *(own[at][:, order] for own in others)]
        np.testing.assert_allclose(
            averaging.class_probabilities(rows, name),
            np.tensordot(beside.shares[many, at], np.stack(parts), axes=1),
        )
    at = columns.column("mass")
    (mean, std), (first, wide) = (
        (np.asarray(own)[:, at].astype(float) for own in model.complete(rows, return_std=True))
        for model in (averaging, plain)
    )
    means = np.stack([first, *(own[at] for own in others)])
    squares = np.stack([wide, *np.repeat(beside.spreads[many, at, 1:, None], 30, 1)]) ** 2
    shares = beside.shares[many, at]
    np.testing.assert_allclose(mean, shares @ means)
    spread = np.sqrt(shares @ (squares + means**2) - (shares @ means) ** 2)
    np.testing.assert_allclose(std, columns.widths[many][at] * spread)


def test_counts_of_averages_have_quantiles_that_are_those_of_their_probabilities(averaging):
    rows = either_or(30, seed=2).assign(eggs=None)
    counts = averaging.count_probabilities(rows, "eggs", 60)
    np.testing.assert_allclose(counts.sum(axis=1), 1.0, atol=1e-6)
    below = np.cumsum(counts, axis=1)
    for level in (0.1, 0.5, 0.975):
        value = averaging.column_quantiles(rows, "eggs", [level])[0].astype(int)
        reached = below[np.arange(30), value]
        assert (reached >= level).all() and (reached - counts[np.arange(30), value] < level).all()


def test_the_test_on_hidden_values_reports_its_progress_and_can_be_ended(averaging):
    rows, shares = either_or(160), list[float]()
    (step,) = steps_of(copy.copy(averaging), rows)
    assert step.take(shares.append) is None
    assert shares[0] == 0.0 and shares == sorted(shares) and 0.9 < shares[-1] <= 1.0

    def end(share: float) -> None:
        raise StopIteration

    assert "The map alone predicts missing values" in (step.take(end) or "")


def test_averages_are_stored_and_change_no_answer_about_a_column_by_its_own_value(
    averaging, tmp_path
):
    rows = either_or(20, seed=3)
    averaging.save(tmp_path / "map.gplvm")
    again = load(tmp_path / "map.gplvm")
    pd.testing.assert_frame_equal(
        again.complete(rows.assign(mass=None)), averaging.complete(rows.assign(mass=None))
    )
    turned = rows.assign(same=np.where(rows["same"] == "same", "other", "same"))
    assert_array_equal(
        averaging.class_probabilities(rows, "same"), averaging.class_probabilities(turned, "same")
    )


def test_values_far_off_change_neither_averages_nor_widths_of_robust_columns():
    generator = np.random.default_rng(0)
    x, u, further, noise = generator.normal(size=(4, 240))
    frame = pd.DataFrame({"x": x, "u": u, "y": x + u + 0.1 * further, "v": x - u + 0.1 * noise})
    clean, wrong = frame[200:].copy(), frame[:200].copy()
    for name in frame:
        far = generator.random(200) < 0.08
        wrong[name] = np.where(far, generator.choice([-1000.0, 1000.0], 200), wrong[name])
    for table in (clean, wrong):
        table["word"] = np.where(x[table.index] > 0.0, "a", "b")
    settings = {"max_iter": 15, "random_state": 0, "second_stage": "auto"}
    model = BayesianGPLVM(2, 20, kinds="robust", **settings).fit(wrong)
    assert model.columns_.beside is not None
    for name in frame:
        filled, std = model.complete(clean.assign(**{name: np.nan}), return_std=True)
        assert np.sqrt(np.mean((filled[name] - clean[name]) ** 2)) < 1.0  # squares: 1.4 to 49
        assert np.median(np.asarray(std, dtype=float)[:, frame.columns.get_loc(name)]) < 3.0
    columns = model.columns_
    slipped, without = (
        columns.coded(columns.encoded(clean.assign(u=own, word=None))) for own in (1e3, np.nan)
    )
    for own in columns.beside.models:
        found = own.expected(slipped), own.expected(without)
        assert_array_equal(found[0][columns.column("word")], found[1][columns.column("word")])


def with_only(model: BayesianGPLVM, beside: int) -> BayesianGPLVM:
    """Return the model with the predictions of one of its column models alone."""
    alone, shares = copy.copy(model), np.zeros_like(model.columns_.beside.shares)
    shares[..., beside] = 1.0
    alone.columns_ = replace(model.columns_, beside=replace(model.columns_.beside, shares=shares))
    return alone


def test_no_word_is_impossible_beside_the_map(averaging):
    rows = either_or(30, seed=2).assign(same=None)
    for at in range(1, averaging.columns_.beside.shares.shape[2]):
        chance = with_only(averaging, at).class_probabilities(rows, "same")
        np.testing.assert_allclose(chance.sum(axis=1), 1.0)
        assert chance.min() > 1e-4


def test_quantiles_of_averages_of_large_counts_list_no_probabilities(averaging):
    columns = averaging.columns_
    at, rows = columns.column("eggs"), either_or(30, seed=2).assign(eggs=None)
    beside = columns.beside

    class Many:
        def possible(self, values):
            found = beside.models[0].possible(values)
            found[at] = np.full(len(values), 4e9)
            return found

    shares, spreads = (own[..., :2].copy() for own in (beside.shares, beside.spreads))
    shares[:] = [0.5, 0.5]
    model = copy.copy(averaging)
    model.columns_ = replace(columns, beside=Beside((Many(),), shares, spreads))
    low, high = model.column_quantiles(rows, "eggs", [0.25, 0.75])
    assert (low < 100).all()
    np.testing.assert_allclose(high, 4e9, atol=2.0)


def test_a_note_of_averages_says_if_they_are_only_for_many_missing_values(averaging):
    columns = averaging.columns_
    assert "many missing values" not in columns.shares_in_words()
    shares = columns.beside.shares.copy()
    shares[0] = np.eye(shares.shape[2])[0]
    only = replace(columns, beside=replace(columns.beside, shares=shares))
    assert only.shares_in_words().endswith("in rows with many missing values only")


@pytest.mark.slow
def test_intervals_of_numbers_beside_words_hold_hidden_values():
    inside: list[bool] = []
    kinds = {"calls": "count", "town": "category"}
    for seed in range(5):
        generator = np.random.default_rng(seed)
        size, town = generator.normal(size=240), generator.integers(0, 3, 240)
        full = pd.DataFrame(
            {
                "town": np.array(["Berlin", "Hamburg", "Munich"])[town],
                "calls": generator.poisson(np.exp(1.0 + 0.6 * size)),
                "income": 30.0 + 8.0 * size + 5.0 * (town == 2) + 1.5 * generator.normal(size=240),
                "spend": 10.0 + 3.0 * size + 2.0 * (town == 0) + 0.7 * generator.normal(size=240),
                "rent": 500.0 + 100.0 * town + 40.0 * size + 20.0 * generator.normal(size=240),
            }
        )
        gaps, gone = hidden(full)
        gaps = gaps.astype(dict.fromkeys(("calls", "income", "spend", "rent"), float))
        fitted = BayesianGPLVM(kinds=kinds, random_state=0, second_stage="auto").fit(gaps)
        mean, std = (np.asarray(own) for own in fitted.complete(gaps, return_std=True))
        for at in range(2, 5):
            lost = gone[:, at]
            wrong = np.abs(full.to_numpy()[lost, at] - mean[lost, at]) / std[lost, at]
            inside += (wrong <= 1.96).tolist()
    assert len(inside) > 400 and 0.93 <= np.mean(inside) <= 0.97, np.mean(inside)
