"""Tests of maps that leave out known factors: their places, answers at a value, and refusals."""

import numpy as np
import pandas as pd
import polars
import pytest
from scipy.special import logsumexp

from gplvm_core import (
    BayesianGPLVM,
    Dataset,
    DeepGPLVM,
    DynamicalGPLVM,
    ManifoldRelevance,
    StateSpaceGPLVM,
    apply,
    is_factor_left,
    load,
)
from gplvm_core.datasets import DataError, Drawing
from gplvm_core.models.estimators.with_known import for_training
from gplvm_core.prediction import predict
from tests.cases import quickly

SETTINGS = {"n_components": 3, "n_inducing": 20, "max_iter": 100, "random_state": 0}
SHORT = SETTINGS | {"max_iter": 5}
WORDS = np.array(["north", "south", "west"])


def drawn(count: int = 75, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return two true dimensions, the batch of each row, and rows that both change."""
    generator = np.random.default_rng(seed)
    truth, batch = generator.uniform(-1.5, 1.5, (count, 2)), generator.integers(0, 3, count)
    mixed = np.column_stack([np.sin(truth), truth, truth[:, 0] * truth[:, 1]])
    rows = mixed @ generator.normal(size=(5, 6)) + 2.0 * generator.normal(size=(3, 6))[batch]
    return truth, WORDS[batch], rows + 0.05 * generator.standard_normal(rows.shape)


TRUTH, BATCH, ROWS = drawn()


def framed(rows: np.ndarray, batch: np.ndarray) -> pd.DataFrame:
    frame = pd.DataFrame(rows.copy(), columns=list("abcdef"))
    frame.insert(2, "place", batch)
    return frame


@pytest.fixture(scope="module")
def model() -> BayesianGPLVM:
    return BayesianGPLVM(**SETTINGS, without="place").fit(framed(ROWS, BATCH))


@pytest.fixture(scope="module")
def plain() -> BayesianGPLVM:
    return BayesianGPLVM(**SETTINGS, second_stage="off").fit(ROWS)


def explained(model: BayesianGPLVM) -> float:
    """Return R² of the true dimensions, as quadratic functions of the rows' places."""
    x = model.latent_mean_
    basis = np.column_stack([np.ones(len(x)), x, x**2, x * np.roll(x, 1, axis=1)])
    left = TRUTH - basis @ np.linalg.lstsq(basis, TRUTH, rcond=None)[0]
    return 1.0 - left.var(axis=0).sum() / TRUTH.var(axis=0).sum()


def test_the_batch_is_not_on_the_map_and_the_true_dimensions_are(model, plain):
    (left,), (before,) = is_factor_left(model), is_factor_left(plain, BATCH)
    assert before.found
    assert before.score > 0.9
    assert left.score < left.chance + 0.15
    assert explained(model) > 0.97
    assert model.latent_mean_.shape == (75, 3)
    assert model.relevance_.shape == (3,)


def test_a_column_and_an_array_beside_the_table_are_the_same_factor():
    settings = SETTINGS | {"max_iter": 20}
    model = BayesianGPLVM(**settings, without="place").fit(framed(ROWS, BATCH))
    beside = BayesianGPLVM(**settings).fit(ROWS, known=BATCH)
    assert beside.bound_ == pytest.approx(model.bound_, rel=1e-9)
    coded = BayesianGPLVM(**settings).fit(ROWS, known=np.unique(BATCH, return_inverse=True)[1])
    assert coded.bound_ == pytest.approx(model.bound_, rel=1e-9)
    table = np.column_stack([ROWS, np.unique(BATCH, return_inverse=True)[1]])
    last = BayesianGPLVM(**settings, without=6).fit(table)
    # Another layout in memory changes roundings, and thus the last steps of training.
    assert last.bound_ == pytest.approx(model.bound_, rel=1e-2)
    np.testing.assert_allclose(
        np.abs(last.transform(table[:4])), np.abs(last.latent_mean_[:4]), atol=0.1
    )


@pytest.mark.parametrize("noise", ["shared", "per_output"])
def test_the_map_at_a_value_is_the_layer_with_that_value(noise):
    fitted = BayesianGPLVM(**SHORT, noise=noise).fit(ROWS, known=BATCH)
    points = fitted.latent_mean_[:7]
    for level, word in zip(np.eye(3), WORDS, strict=True):
        whole = np.hstack([points, np.tile(level, (7, 1))])
        mean, std = fitted.given(word).inverse_transform(points, return_std=True)
        expected = predict(fitted.posterior_, whole)
        np.testing.assert_allclose(mean, expected[0], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(std**2, expected[1], rtol=1e-3)  # a difference of large numbers


def test_the_map_at_a_value_generates_its_training_rows(model):
    for word in WORDS:
        at = word == BATCH
        made = model.given(place=word).inverse_transform(model.latent_mean_[at])
        assert np.std(made - ROWS[at]) < 0.1 * np.std(ROWS)
    assert type(model.given("west")) is BayesianGPLVM


def test_an_unknown_value_is_averaged_over_the_values_in_training(model):
    points, shares = model.latent_mean_[:5], [np.mean(word == BATCH) for word in WORDS]
    each = [model.given(w).inverse_transform(points, noise=True, return_std=True) for w in WORDS]
    means, stds = (np.stack(parts) for parts in zip(*each, strict=True))
    mean = np.tensordot(shares, means, axes=1)
    variance = np.tensordot(shares, stds**2 + (means - mean) ** 2, axes=1)
    found = model.inverse_transform(points, noise=True, return_std=True)
    np.testing.assert_allclose(found[0], mean, rtol=1e-9)
    np.testing.assert_allclose(found[1], np.sqrt(variance), rtol=1e-5)


def test_the_density_of_a_row_of_an_unknown_batch_is_the_average(model):
    rows = framed(ROWS[:4], BATCH[:4]).drop(columns="place")
    each = [model.given(np.full(4, word)).score_samples(rows) for word in WORDS]
    shares = np.array([[np.mean(word == BATCH)] for word in WORDS])
    with pytest.warns(UserWarning, match="all rows: the known factor has no value"):
        found = model.score_samples(rows)
    np.testing.assert_allclose(found, logsumexp(each, b=shares, axis=0), rtol=1e-9)


def test_new_rows_are_placed_and_filled_by_their_batch(model):
    rows, batch = drawn(seed=0)[2][:6].copy(), BATCH[:6].copy()
    rows[0, 1] = np.nan
    table = framed(rows, batch)
    places = model.transform(table)
    np.testing.assert_allclose(places, model.latent_mean_[:6], atol=0.3)
    filled, std = model.complete(table, return_std=True)
    assert list(filled.columns) == list("abcdef")
    assert abs(filled.iloc[0, 1] - ROWS[0, 1]) < 4 * std.iloc[0, 1] < ROWS[:, 1].std()
    np.testing.assert_array_equal(filled.iloc[1:], rows[1:])


def test_a_row_of_an_unseen_batch_is_filled_with_the_honest_width(model):
    table = framed(ROWS[:6], BATCH[:6])
    table.loc[0, list("bcdef")] = np.nan
    std = model.complete(table, return_std=True)[1]
    with pytest.warns(UserWarning, match="row 0 .* not in the training rows"):
        unsure = model.complete(table.assign(place=["moon", *BATCH[1:6]]), return_std=True)[1]
    assert (unsure.loc[0, list("bcdef")] > 3.0 * std.loc[0, list("bcdef")]).all()
    np.testing.assert_array_equal(unsure.iloc[1:], std.iloc[1:])


def test_the_map_of_an_unseen_batch_is_the_average_and_the_scatter_of_the_known_ones(model):
    points = model.latent_mean_
    each = [model.given(word).inverse_transform(points, return_std=True) for word in WORDS]
    means = np.stack([mean for mean, _ in each])
    unseen, average = model.unseen(), means.mean(axis=0)
    np.testing.assert_allclose(unseen.inverse_transform(points), average, rtol=1e-6, atol=1e-9)
    between = means.var(axis=0).mean(axis=0)
    # One more draw of a Gaussian with three draws is in an interval of Student's t with two degrees
    # of freedom: 4.3027 standard deviations instead of 1.96, and 4/2 of the three draws' variance.
    wider = np.sqrt(model.noise_std_**2 + 2.0 * (4.302653 / 1.959964) ** 2 * between)
    np.testing.assert_allclose(unseen.noise_std_, wider, rtol=1e-6)
    std = unseen.inverse_transform(points, return_std=True)[1]
    # The average of three functions is never less certain than all three.
    assert (std <= np.max([own for _, own in each], axis=0) * 1.0001).all()


@pytest.mark.parametrize("noise", quickly(["shared", "per_output"], ["shared"]))
def test_the_map_of_an_unseen_batch_places_rows_with_the_wider_noise(noise):
    fitted = BayesianGPLVM(**SETTINGS, noise=noise).fit(ROWS, known=BATCH)
    unseen, moon = fitted.unseen(), ROWS[:8] + 1.5
    std = unseen.transform(moon, return_std=True)[1]
    assert std.mean() > 3.0 * fitted.given("west").transform(moon, return_std=True)[1].mean()
    assert np.isfinite(unseen.score_samples(moon)).all()
    assert unseen.score_samples(moon).mean() > fitted.given("west").score_samples(moon).mean()


def test_one_answer_for_each_way_to_give_the_factor(model):
    given = model.given(BATCH[:5])
    table = framed(ROWS[:5], BATCH[:5])
    rows = table.drop(columns="place")
    np.testing.assert_allclose(given.transform(rows), model.transform(table))
    np.testing.assert_allclose(given.score_samples(rows), model.score_samples(table))
    one = model.given("south").transform(rows)
    np.testing.assert_allclose(model.given(["south"] * 5).transform(rows), one, atol=1e-2)
    assert model.denoise(table).shape == (5, 6)
    assert model.sample_completions(table, 3).shape == (3, 5, 6)
    assert model.alternatives(table)[2].shape[::2] == (5, 6)
    assert model.sample(4, random_state=0).shape == (4, 6)
    assert model.given("west").sample(model.latent_mean_[:2], 3).shape == (3, 2, 6)
    assert model.given("west").fit_to({"a": 0.5})[0].point.shape == (3,)


def test_apply_reads_the_factor_from_its_column(model):
    table = framed(ROWS[:30], BATCH[:30])[["f", "place", "a", "b", "c", "d", "e"]]
    with pytest.warns(UserWarning, match="density of rows with known factors"):
        found = apply(model, table)
    places = model.transform(framed(ROWS[:30], BATCH[:30]))
    np.testing.assert_allclose(found[["x1", "x2", "x3"]], places, atol=1e-3)


def test_a_stored_model_gives_the_same_answers(model, tmp_path):
    model.save(tmp_path / "model.gplvm")
    stored = load(tmp_path / "model.gplvm")
    table = framed(ROWS[:3], BATCH[:3])
    np.testing.assert_array_equal(stored.transform(table), model.transform(table))
    np.testing.assert_array_equal(
        stored.given("west").inverse_transform(model.latent_mean_[:2]),
        model.given("west").inverse_transform(model.latent_mean_[:2]),
    )


def test_a_factor_of_numbers_and_one_of_words_leave_together():
    generator = np.random.default_rng(1)
    age = generator.uniform(20.0, 60.0, len(ROWS))
    rows = ROWS + 0.1 * np.outer(age - 40.0, generator.normal(size=6))
    factors = pd.DataFrame({"age": age, "place": BATCH})
    fitted = BayesianGPLVM(**SETTINGS).fit(rows, known=factors)
    assert all(each.score < each.most + 0.15 for each in is_factor_left(fitted))
    young = fitted.given(age=25.0, place="west").inverse_transform(fitted.latent_mean_)
    old = fitted.given({"age": 55.0, "place": "west"}).inverse_transform(fitted.latent_mean_)
    change, truth = (old - young).mean(axis=0), 3.0 * (rows - ROWS)[np.argmax(age)]
    assert np.corrcoef(change, truth)[0, 1] > 0.98


def test_shares_of_variance_are_those_of_the_columns():
    generator = np.random.default_rng(0)
    batch, x = generator.integers(0, 2, 100), generator.standard_normal(100)
    rows = np.column_stack([x, np.sin(x), 2.0 * batch, x + 2.0 * batch, x * (2 * batch - 1)])
    rows += 0.1 * generator.standard_normal(rows.shape)
    fitted = BayesianGPLVM(2, 25, max_iter=150, random_state=0).fit(rows, known=batch)
    shares = fitted.variance_shares()
    np.testing.assert_allclose(sum(shares.values()), 1.0)
    assert shares["map"][0] > 0.9
    assert shares["factors"][2] > 0.9
    assert shares["both"][4] > 0.9
    split = 1.0 / (1.0 + 4.0 * batch.var())  # of the two causes of column 3, with variances 1 and 1
    assert shares["map"][3] == pytest.approx(split, abs=0.12)
    assert shares["noise"][0] == pytest.approx(0.01, abs=0.02)


def test_words_and_counts_leave_out_a_factor():
    generator = np.random.default_rng(0)
    colour = np.where(TRUTH[:, 0] + 0.3 * generator.standard_normal(75) > 0.0, "red", "blue")
    counts = generator.poisson(np.exp(1.0 + TRUTH[:, 1] + (BATCH == "west")))
    table = pd.DataFrame(ROWS[:, :4], columns=list("abcd")).assign(colour=colour, n=counts)
    settings = SETTINGS | {"max_iter": 50}
    fitted = BayesianGPLVM(**settings, kinds="auto").fit(table, known=BATCH)
    assert is_factor_left(fitted)[0].score < 0.55
    hidden = table.assign(colour=None)
    chance = fitted.given(BATCH).class_probabilities(hidden, "colour")
    words = np.array(fitted.class_words("colour"))
    assert np.mean(words[chance.argmax(axis=1)] == colour) > 0.8
    at = fitted.given("west").class_probabilities_at(fitted.latent_mean_[:3], "colour")
    np.testing.assert_allclose(at.sum(axis=1), 1.0)


@pytest.mark.slow
def test_rows_over_time_leave_out_a_factor():
    times, generator = np.linspace(0.0, 6.0, 60), np.random.default_rng(0)
    side = generator.integers(0, 2, 60)
    path = np.column_stack([np.sin(times), np.cos(0.7 * times)])
    rows = path @ generator.normal(size=(2, 5)) + np.outer(side, generator.normal(size=5))
    rows += 0.03 * generator.standard_normal(rows.shape)
    known = np.array(["left", "right"])[side]
    settings = {"n_components": 2, "n_inducing": 20, "max_iter": 100, "random_state": 0}
    fitted = DynamicalGPLVM(**settings).fit(rows, known=known, times=times)
    gap = rows[20:30].copy()
    gap[4] = np.nan
    filled = fitted.given(known[20:30]).complete(gap, times=times[20:30] + 0.01, sequence=0)
    np.testing.assert_allclose(filled[4], rows[24], atol=0.3)
    ahead = [fitted.given(word).forecast([6.1]) for word in ("left", "right")]
    assert np.abs(ahead[1] - ahead[0]).max() > 0.5
    with pytest.raises(DataError, match=r"forecast depends .* model.given\('"):
        fitted.forecast([6.1])
    with pytest.raises(DataError, match="rows in time need their known factors"):
        fitted.complete(gap, times=times[20:30])


def test_views_leave_out_a_factor(tmp_path):
    views = {"left": ROWS[:, :3], "right": ROWS[:, 3:]}
    fitted = ManifoldRelevance(**SETTINGS).fit(views, known=BATCH)
    (left,) = is_factor_left(fitted)
    assert left.score < left.chance + 0.15
    south = BATCH == "south"
    made = fitted.given("south").transfer({"left": ROWS[south, :3]}, "right")
    assert np.std(made - ROWS[south, 3:]) < 0.4 * np.std(ROWS[south, 3:])
    with pytest.raises(DataError, match="transfer depends on the known factors"):
        fitted.transfer({"left": ROWS[:2, :3]}, "right")
    places = fitted.given(BATCH[:5]).transform({name: own[:5] for name, own in views.items()})
    np.testing.assert_allclose(places, fitted.latent_mean_[:5], atol=0.4)
    shares = fitted.of_view("left").variance_shares()
    np.testing.assert_allclose(sum(shares.values()), 1.0)
    fitted.save(tmp_path / "views.gplvm")
    assert load(tmp_path / "views.gplvm").known_.in_words == fitted.known_.in_words


@pytest.mark.parametrize(
    ("known", "match"),
    [
        (np.arange(75), "the same step from row to row: it is the row number"),
        ([f"row {at}" for at in range(75)], "75 values in 75 rows: it names rows"),
        (["here"] * 75, "the value 'here' in all rows"),
        ([None, *["here", "there"] * 37], r"missing in row 0 \(counted from 0\)"),
        (BATCH[:70], "the known factors have 70 rows, but the table has 75"),
        (np.r_[np.inf, np.random.default_rng(0).standard_normal(74)], "infinite"),
    ],
)
def test_factors_that_cannot_be_taken_out_are_refused(known, match):
    with pytest.raises(DataError, match=match):
        BayesianGPLVM(**SETTINGS).fit(ROWS, known=known)


def test_a_factor_that_explains_everything_is_refused():
    rows = ROWS[:3][np.unique(BATCH, return_inverse=True)[1]]
    with pytest.raises(DataError, match="explain the table completely"):
        BayesianGPLVM(**SETTINGS).fit(rows, known=BATCH)


def test_settings_that_do_not_go_with_factors_are_refused(model):
    for settings, match in (
        ({"kernel": "linear"}, 'needs kernel="rbf"'),
        ({"encoder": "network"}, "leave encoder out"),
    ):
        with pytest.raises(ValueError, match=match):
            BayesianGPLVM(**(SETTINGS | settings)).fit(ROWS, known=BATCH)
    with pytest.raises(DataError, match="no column 'lab'"):
        BayesianGPLVM(**SETTINGS, without="lab").fit(framed(ROWS, BATCH))
    with pytest.raises(DataError, match=r"no column 9, .* the numbers 0 to 5"):
        BayesianGPLVM(**SETTINGS, without=9).fit(ROWS)
    with pytest.raises(ValueError, match=r"columns \(without=…\) or given beside"):
        BayesianGPLVM(**SETTINGS, without=1).fit(ROWS, known=BATCH)
    with pytest.raises(DataError, match="fit it with without= or known="):
        BayesianGPLVM(**SETTINGS, second_stage="off").fit(ROWS).given("north")
    with pytest.raises(DataError, match=r"'moon' is not a value .*north.*unseen"):
        model.given("moon")
    with pytest.raises(DataError, match="give the known factors place; got lab"):
        model.given(lab="north")
    with pytest.raises(DataError, match=r"fit_to depends on the known factors \(place\)"):
        model.fit_to({"a": 1.0})
    with pytest.raises(ValueError, match="cannot be extended"):
        model.extend(ROWS)


def test_a_failed_fit_changes_nothing(model):
    table, before = framed(ROWS, BATCH), model.transform(framed(ROWS[:2], BATCH[:2]))
    with pytest.raises(DataError, match="in all rows"):
        model.fit(table.assign(place="north"))
    np.testing.assert_array_equal(model.transform(table[:2]), before)


def test_the_fit_says_what_it_lacks():
    with pytest.warns(UserWarning, match="leaves out known factors: .* are not calibrated"):
        fitted = BayesianGPLVM(**(SETTINGS | {"max_iter": 5}), second_stage="auto").fit(
            ROWS, known=BATCH
        )
    assert any("leaves out known factors" in note for note in fitted.notes_)
    assert not fitted.can_have_density
    assert not fitted.given("north").can_have_density


def test_deep_models_refuse_factors():
    with pytest.raises(TypeError, match="known"):
        DeepGPLVM((1, 2), 8, max_iter=2).fit(ROWS, known=BATCH)


def test_a_column_that_repeats_the_factor_is_constant_without_it():
    rows = np.column_stack([ROWS, BATCH == "west", np.ones(len(ROWS))])
    settings = SETTINGS | {"max_iter": 10, "noise": "per_output"}
    fitted = BayesianGPLVM(**settings).fit(rows, known=BATCH)
    usual = BayesianGPLVM(**settings, second_stage="off").fit(rows)
    assert fitted.noise_std_[-1] == pytest.approx(usual.noise_std_[-1], rel=0.5)
    west, north = (fitted.given(word).inverse_transform([[0.0] * 3]) for word in ("west", "north"))
    np.testing.assert_allclose([west[0, -2], west[0, -1], north[0, -2]], [1, 1, 0], atol=1e-9)
    asked = fitted.given(BATCH[:3])
    near = asked.transform(rows[:3] + 1e-8)
    np.testing.assert_allclose(near, asked.transform(rows[:3]), atol=1e-3)


def test_every_value_of_many_counts_in_averages():
    generator = np.random.default_rng(0)
    batch = np.repeat(np.arange(20), 5)
    shifts = generator.normal(size=(20, 4))
    rows = np.outer(generator.standard_normal(100), [1.0, 2.0, -1.0, 0.5]) + shifts[batch]
    rows += 0.05 * generator.standard_normal(rows.shape)
    words = [f"b{number:02}" for number in batch]
    fitted = BayesianGPLVM(2, 20, max_iter=60, random_state=0).fit(rows, known=words)
    assert len(fitted.known_.weights) == 20
    at = np.zeros((1, 2))
    each = [fitted.given(word).inverse_transform(at)[0] for word in sorted(set(words))]
    np.testing.assert_allclose(fitted.inverse_transform(at)[0], np.mean(each, axis=0), rtol=1e-6)


def test_factors_in_a_frame_are_matched_by_name():
    generator = np.random.default_rng(2)
    frame = pd.DataFrame({"side": generator.integers(0, 2, 75) > 0, "place": BATCH})
    rows = ROWS + np.outer(frame["side"], generator.normal(size=6))
    fitted = BayesianGPLVM(**(SETTINGS | {"max_iter": 20})).fit(rows, known=frame)
    asked = frame.head(4)
    swapped = fitted.given(asked[["place", "side"]]).transform(rows[:4])
    np.testing.assert_array_equal(swapped, fitted.given(asked).transform(rows[:4]))
    lists = {name: own.tolist() for name, own in asked.items()}
    np.testing.assert_array_equal(fitted.given(**lists).transform(rows[:4]), swapped)
    with pytest.raises(DataError, match="the known factors are side, place; got side, town"):
        fitted.given(asked.rename(columns={"place": "town"}))
    # A missing factor is averaged at the value of the other.
    half = asked.assign(place=[None, *asked["place"][1:]])
    with pytest.warns(UserWarning, match="row 0 .*no value"):
        found = fitted.given(half)
    np.testing.assert_array_equal(found.given_[0, :2], fitted.given(asked).given_[0, :2])
    assert np.isfinite(found.score_samples(rows[:4])).all()
    with pytest.raises(DataError, match=r"model.given\(\{'side': (True|False), 'place': '"):
        fitted.fit_to({0: 1.0})


def test_a_map_at_a_value_learns_nothing_from_rows_of_others(model):
    for asked in (model, model.given("west"), model.unseen()):
        with pytest.raises(DataError, match="fit_density is not possible: known factors"):
            asked.fit_density(ROWS)
    times = np.arange(75.0)
    dynamics = DynamicalGPLVM(**SETTINGS | {"max_iter": 3, "time_kernel": "matern32"})
    dynamics.fit(ROWS, known=BATCH, times=times)
    for asked in (dynamics, dynamics.given("west")):
        for question in ("calibrate", "choose_forecaster"):
            with pytest.raises(DataError, match=f"{question} is not possible"):
                getattr(asked, question)(ROWS)


def test_fitting_a_map_at_a_value_again_forgets_the_value(model):
    again = model.given("west")
    again.fit(ROWS)
    assert again.can_have_density
    assert again.given_ is None


def test_a_run_is_resumed_only_with_its_factor():
    runs = []
    settings = SETTINGS | {"max_iter": 4}
    BayesianGPLVM(**settings).fit(ROWS, known=BATCH, callback=lambda each: runs.append(each.run))
    for known in (np.roll(BATCH, 7), None):
        with pytest.raises(ValueError, match="known"):
            BayesianGPLVM(**SETTINGS).fit(ROWS, known=known, resume=runs[-1])


def test_odd_questions_get_a_sentence(model):
    table = framed(ROWS[:4], BATCH[:4])
    with pytest.raises(ValueError, match="minimum of 1"):
        model.transform(table[:0])
    with pytest.raises(DataError, match="given for 4 rows, and 6 are asked about"):
        model.given(BATCH[:4]).transform(framed(ROWS[:6], BATCH[:6]).drop(columns="place"))
    with pytest.raises(DataError, match="'moon'"):
        model.given(place="moon")
    with pytest.raises(ValueError, match=r"names or numbers of columns; got 2\.0"):
        BayesianGPLVM(**SETTINGS, without=2.0).fit(ROWS)
    with pytest.raises(DataError, match="takes out all columns"):
        BayesianGPLVM(**SETTINGS, without=tuple(range(6))).fit(ROWS)
    with pytest.raises(TypeError, match="known factors are not numbers"):
        BayesianGPLVM(**SETTINGS).fit(ROWS, known=np.arange(75).astype("timedelta64[h]"))
    with pytest.raises(DataError, match=r"75 values in 75 rows.*Give many days as numbers"):
        BayesianGPLVM(**SETTINGS).fit(ROWS, known=np.arange(75).astype("datetime64[D]"))
    weights = model.alternatives(framed(ROWS[:4], ["moon", *BATCH[1:4]]), 12)[0]
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)


def test_apply_reads_a_file_whose_factor_looks_like_numbers(tmp_path):
    codes = np.array([{"north": "01", "south": "02", "west": "03"}[word] for word in BATCH])
    table = framed(ROWS, codes)
    fitted = BayesianGPLVM(**(SETTINGS | {"max_iter": 30}), without="place").fit(table)
    table.head(9).to_csv(tmp_path / "new.csv", index=False)
    with pytest.warns(UserWarning, match="p-value"):
        apply(fitted, tmp_path / "new.csv", output=tmp_path / "found.csv")
    found = pd.read_csv(tmp_path / "found.csv")[["x1", "x2", "x3"]]
    np.testing.assert_allclose(found, fitted.transform(table.head(9)), atol=1e-3)


@pytest.mark.slow
def test_apply_ranks_mixed_rows_beside_training_rows_of_their_batches():
    table = pd.DataFrame(ROWS[:, :4], columns=list("abcd")).assign(
        colour=np.where(TRUTH[:, 0] > 0.0, "red", "blue"), place=BATCH
    )
    settings = SETTINGS | {"max_iter": 20}
    fitted = BayesianGPLVM(**settings, kinds="auto", without="place").fit(table)
    dataset = Dataset.of_table("rows", "Rows", table.drop(columns="place"))
    odd = table.head(6).copy()
    odd.loc[0, "a"] += 30.0
    found = apply(fitted, odd, dataset)
    assert found["p"][0] < 0.05 < found["p"][1:].median()


def test_odd_rows_are_found_beside_training_rows_of_their_own_places():
    rows, batch = ROWS[:36], BATCH[:36]
    fitted = BayesianGPLVM(**SETTINGS, without="place").fit(framed(rows, batch))
    dataset = Dataset("rows", "Rows", rows, Drawing("bars", (6,)), column_names=tuple("abcdef"))
    odd = rows[:16].copy()
    odd[:5, 1] += 4.0
    # No training row is at a place that is new.
    with pytest.warns(UserWarning, match="not in the training rows"):
        asked = framed(odd[[*range(16), 0]], np.append(batch[:16], "moon"))
        found = apply(fitted, asked, dataset)
    assert np.isnan(found["p"][16]) and "at other values" in found["reasons"][16]
    assert (found["p"][:5] <= 0.05).all() and (found["p"][5:16] > 0.05).mean() > 0.8
    assert found["reasons"][0].startswith("Given its other columns, “b”")
    # The map at one place compares with all training rows, too: each is at its own place.
    north = np.flatnonzero(batch[:16] == "north")
    own = apply(fitted.given("north"), odd[north], dataset)["p"]
    np.testing.assert_allclose(own, found["p"][north], atol=0.05)


def test_a_day_is_a_batch_in_every_form_of_a_date():
    days = np.array(["2026-11-27", "2026-11-28", "2026-11-30"], "datetime64[D]")
    own = days[np.unique(BATCH, return_inverse=True)[1]]
    hours = own + np.arange(75).astype("timedelta64[m]")
    settings = SETTINGS | {"max_iter": 5}
    words = BayesianGPLVM(**settings).fit(ROWS, known=own.astype(str))
    frame = framed(ROWS, BATCH).assign(place=hours)
    for table in (frame, polars.from_pandas(frame)):
        fitted = BayesianGPLVM(**settings, without="place").fit(table)
        assert fitted.bound_ == words.bound_ and fitted.known_.in_words == words.known_.in_words
        np.testing.assert_array_equal(
            fitted.transform(table[:4]), words.given(own[:4]).transform(ROWS[:4])
        )
    for day in (days[1], days[1].item(), "2026-11-28"):
        at = words.given(day).inverse_transform(np.zeros((1, 3)))
        np.testing.assert_array_equal(
            at, fitted.given("2026-11-28").inverse_transform(np.zeros((1, 3)))
        )
    gone = hours.copy()
    gone[3] = np.datetime64("NaT")
    with pytest.raises(DataError, match="missing in row 3"):
        BayesianGPLVM(**settings).fit(ROWS, known=gone)


def test_ordinary_new_rows_are_seldom_odd_because_training_rows_are_scored_as_new_ones():
    _, batch, rows = drawn(180, seed=3)
    fitted = BayesianGPLVM(**SETTINGS | {"max_iter": 60}).fit(rows[:120], known=batch[:120])
    known = Dataset("rows", "Rows", rows[:120], Drawing("bars", (6,)))
    found = apply(fitted.given(batch[120:]), rows[120:], known, reasons=False)["p"]
    assert 0.0 < (found <= 0.05).mean() < 0.15 and 0.35 < found.median() < 0.65
    # The layer for all rows is the trained one; without some rows, it is less sure at their places.
    whole = for_training(fitted, np.array([], dtype=int), known).posterior_
    np.testing.assert_allclose(whole.weights, fitted.posterior_.weights, rtol=1e-4, atol=1e-6)
    out = np.arange(0, 120, 8)
    without = for_training(fitted, out, known).posterior_
    places = np.hstack([fitted.latent_mean_, fitted.known_.points])[out]
    assert (predict(without, places)[1] > predict(whole, places)[1]).all()


def test_a_state_space_model_still_fills_rows_in_time():
    times = np.arange(40.0)
    rows = np.sin(0.3 * times)[:, None] * [1.0, 2.0, -1.0]
    fitted = StateSpaceGPLVM(2, max_iter=10, random_state=0).fit(rows, times=times)
    assert fitted.complete(rows[:5], times=times[:5]).shape == (5, 3)


def test_known_errors_of_cells_are_refused_beside_factors(model):
    errors = np.full(ROWS.shape, 0.1)
    with pytest.raises(ValueError, match="known factors and known errors of cells cannot"):
        BayesianGPLVM(**SETTINGS).fit(ROWS, known=BATCH, errors=errors)
    with pytest.raises(ValueError, match="known factors and known errors of cells cannot"):
        model.denoise(framed(ROWS, BATCH), errors=errors)
    with pytest.raises(DataError, match="known factors and known errors of cells cannot"):
        apply(model, framed(ROWS, BATCH), errors=errors)
    assert model.given("west").denoise(ROWS[:3], errors=errors[:3]).shape == (3, 6)


def test_fit_transform_places_rows_at_their_factors():
    fitted = BayesianGPLVM(**SHORT)
    places = fitted.fit_transform(ROWS, known=BATCH)
    np.testing.assert_array_equal(places, fitted.given(BATCH).transform(ROWS))
    views, of_views = {"left": ROWS[:, :3], "right": ROWS[:, 3:]}, ManifoldRelevance(**SHORT)
    places = of_views.fit_transform(views, known=BATCH)
    np.testing.assert_array_equal(places, of_views.given(BATCH).transform(views))


def test_a_warning_names_the_line_that_asked(plain):
    rows = ROWS[:2].copy()
    rows[0, 0] = np.nan
    with pytest.warns(UserWarning, match="not calibrated") as said:
        plain.complete(rows, return_std=True)
    assert said[0].filename == __file__
