"""Columns that are fractions: the coordinates, and all answers of models of tables and views."""

import copy

import numpy as np
import pandas as pd
import pytest
from scipy.linalg import null_space
from scipy.optimize import brentq
from scipy.spatial.distance import pdist
from scipy.stats import norm

import gplvm_core
from gplvm_core import (
    BayesianGPLVM,
    Dataset,
    Drawing,
    DynamicalGPLVM,
    ManifoldRelevance,
    SparseGPRegression,
)
from gplvm_core.models.data.fractions import Fractions, onto_simplex
from gplvm_core.prediction import predict
from gplvm_core.readers import DataError

NAMES = ("oil", "water", "gas")
SETTINGS = {"max_iter": 60, "random_state": 0, "second_stage": "off"}


def mixtures(count, seed=0):
    """Mixtures of three, a tenth of whose fractions are 0, and their noisy saturated spectra."""
    generator = np.random.default_rng(seed)
    parts = generator.dirichlet([1.5, 1.5, 1.5], count)
    gone = (generator.random(parts.shape) < 0.1) & (parts < parts.max(axis=1, keepdims=True))
    parts = np.where(gone, 0.0, parts)
    parts /= parts.sum(axis=1, keepdims=True)
    at = np.linspace(0.0, 1.0, 12)
    pure = np.exp(-0.5 * ((at - np.array([[0.2], [0.5], [0.75]])) / 0.15) ** 2)
    spectra = 1.0 - np.exp(-1.5 * parts @ pure)
    return spectra + 0.01 * generator.standard_normal(spectra.shape), parts


SPECTRA, PARTS = mixtures(150)
NEW_SPECTRA, NEW = mixtures(200, seed=1)


def views_of(parts, **settings):
    model = ManifoldRelevance(4, 20, **SETTINGS | settings, kinds={"parts": "fraction"})
    return model.fit({"spectra": SPECTRA, "parts": parts})


@pytest.fixture(scope="module")
def of_views():
    return views_of(PARTS).calibrate({"spectra": SPECTRA, "parts": PARTS})


@pytest.fixture(scope="module")
def table():
    return pd.DataFrame(np.hstack([PARTS, SPECTRA[:, ::2]]), columns=[*NAMES, *"abcdef"])


@pytest.fixture(scope="module")
def of_table(table):
    kinds = dict.fromkeys(NAMES, "fraction")
    return BayesianGPLVM(4, 20, **SETTINGS, kinds=kinds).fit(table)


def are_fractions(values, whole=1.0):
    values = np.asarray(values)
    assert values.min() >= 0.0
    np.testing.assert_allclose(values.sum(axis=-1), whole, rtol=1e-12)


def coordinates(parts, names=NAMES):
    return Fractions.learnt(names, range(parts.shape[1]), parts)[0]


def test_coordinates_keep_distances_and_are_taken_back():
    found = coordinates(PARTS).encoded(PARTS)
    assert found.shape == (150, 2)
    np.testing.assert_allclose(pdist(found), pdist(PARTS), atol=1e-12)
    np.testing.assert_allclose(coordinates(PARTS).decoded(found), PARTS, atol=1e-12)


def test_the_nearest_fractions_lower_all_entries_by_the_same_number():
    points = np.random.default_rng(0).normal(size=(20, 5))
    for point, nearest in zip(points, onto_simplex(points, 1.0), strict=True):
        level = brentq(lambda t, own=point: np.maximum(own - t, 0.0).sum() - 1.0, -9.0, 9.0)
        np.testing.assert_allclose(nearest, np.maximum(point - level, 0.0), atol=1e-9)


def test_two_fractions_are_a_clipped_gaussian():
    parts = PARTS[:, :2] / PARTS[:, :2].sum(axis=1, keepdims=True)
    own = coordinates(parts, ("left", "right"))
    mean, std = np.array([[0.0], [0.6], [-0.9]]), np.array([[0.1], [0.2], [0.3]])
    first = own.places[0]
    center, spread = 0.5 + mean[:, 0] / np.sqrt(2.0), std[:, 0] / np.sqrt(2.0)
    low, high = -center / spread, (1.0 - center) / spread
    inside = norm.cdf(high) - norm.cdf(low)
    clipped = center * inside + spread * (norm.pdf(low) - norm.pdf(high)) + norm.sf(high)
    found, deviation = own.moments(mean, std)
    np.testing.assert_allclose(found[:, first], clipped, atol=1e-3)
    np.testing.assert_allclose(deviation[0], spread[0], rtol=1e-9)  # far from the edges
    levels = np.array([0.025, 0.5, 0.975])
    exact = np.clip(center + spread * norm.ppf(levels)[:, None], 0.0, 1.0)
    np.testing.assert_allclose(own.quantiles(levels, mean, std, first), exact, atol=5e-3)


def test_a_view_is_predicted_with_honest_intervals(of_views):
    given = {"spectra": NEW_SPECTRA}
    found, std = of_views.transfer(given, "parts", return_std=True, private="prior")
    are_fractions(found)
    assert np.all(1.0 - np.mean((found - NEW) ** 2, axis=0) / np.var(NEW, axis=0) > 0.98)
    assert 0.0 < std.min() < std.max() < 0.2
    low, high = np.stack(
        [of_views.column_quantiles(given, "parts", at, (0.025, 0.975)) for at in range(3)], axis=-1
    )
    assert low.min() >= 0.0
    assert high.max() <= 1.0
    assert 0.92 < np.mean((low <= NEW) & (high >= NEW)) < 0.985


def test_all_answers_of_views_are_fractions(of_views):
    points = of_views.latent_mean_[:5]
    means, std = of_views.inverse_transform(points, return_std=True)
    are_fractions(means["parts"])
    assert std["parts"].shape == (5, 3)
    are_fractions(of_views.inverse_transform(3.0 * points)["parts"])
    are_fractions(of_views.sample(50, random_state=0)["parts"])
    are_fractions(of_views.of_view("parts").sample(50, random_state=0))
    several = of_views.transfer({"spectra": NEW_SPECTRA[:5]}, "parts", n_alternatives=2)
    are_fractions(several[:, 0])


def test_one_missing_fraction_is_the_rest_and_more_share_it(of_views):
    rows = NEW[:4].copy()
    rows[0, 1], rows[1, :2], rows[2] = np.nan, np.nan, np.nan
    given = {"spectra": NEW_SPECTRA[:4], "parts": rows}
    whole, std = (found["parts"] for found in of_views.complete(given, return_std=True))
    are_fractions(whole)
    np.testing.assert_array_equal(whole[~np.isnan(rows)], rows[~np.isnan(rows)])
    np.testing.assert_allclose(whole[0], NEW[0])
    np.testing.assert_allclose(whole, NEW[:4], atol=0.08)
    np.testing.assert_array_equal(std > 0.0, np.isnan(rows) & (np.arange(4) > 0)[:, None])


def test_all_answers_of_a_table_are_fractions(of_table, table):
    rows = table[:6].copy()
    rows.iloc[0, :3], rows.iloc[1, 1:3], rows.iloc[2, 5] = np.nan, np.nan, np.nan
    whole, std = of_table.complete(rows, return_std=True, method="map")
    assert list(whole) == list(table)
    are_fractions(whole[list(NAMES)])
    np.testing.assert_allclose(whole, table[:6], atol=0.15)
    assert (std.iloc[0, :3] > 0.0).all()
    draws = of_table.sample_completions(rows, 20, random_state=0)
    are_fractions(draws[..., :3])
    assert np.ptp(draws[:, 5], axis=0).max() == 0.0
    are_fractions(of_table.denoise(rows)[list(NAMES)])
    are_fractions(of_table.sample(30, random_state=0)[:, :3])
    are_fractions(of_table.alternatives(rows)[2][:, 0, :3])
    median = of_table.column_quantiles(rows, "gas", (0.5,))[0]
    np.testing.assert_allclose(median, PARTS[:6, 2], atol=0.15)
    assert of_table.transform(rows).shape == (6, 4)


@pytest.fixture(scope="module")
def short():
    return views_of(PARTS, max_iter=10)


def test_the_order_of_the_columns_changes_nothing(short):
    order = [2, 0, 1]
    one, other = short, views_of(PARTS[:, order], max_iter=10)
    assert other.bound_ == pytest.approx(one.bound_, abs=1e-6)
    found = [each.transfer({"spectra": NEW_SPECTRA[:20]}, "parts") for each in (one, other)]
    np.testing.assert_allclose(found[1], found[0][:, order], atol=1e-9)
    scores = [
        each.score_samples({"spectra": NEW_SPECTRA[:5], "parts": rows[:5]})
        for each, rows in ((one, NEW), (other, NEW[:, order]))
    ]
    np.testing.assert_allclose(*scores, rtol=1e-9)


def test_the_bound_is_that_of_any_orthonormal_coordinates(short):
    turned = PARTS @ null_space(np.ones((1, 3)))
    plain = ManifoldRelevance(4, 20, **SETTINGS | {"max_iter": 10})
    plain.fit({"spectra": SPECTRA, "parts": turned})
    assert short.bound_ == pytest.approx(plain.bound_, rel=1e-6)


def test_percentages_come_back_as_percentages(short):
    one, percent = short, views_of(100.0 * PARTS, max_iter=10)
    assert "the sum 100 (percentages)" in " ".join(percent.notes_)
    found = percent.transfer({"spectra": NEW_SPECTRA[:5]}, "parts")
    are_fractions(found, 100.0)
    np.testing.assert_allclose(
        found, 100.0 * one.transfer({"spectra": NEW_SPECTRA[:5]}, "parts"), atol=0.02
    )
    # The density of rows in a unit a hundred times smaller, in two dimensions.
    change = -2.0 * len(PARTS) * np.log(100.0)
    assert percent.bound_ == pytest.approx(one.bound_ + change, abs=0.05)


def test_notes_say_what_is_done_with_zeros_and_gaps(of_views):
    assert "of the fractions are 0" in " ".join(of_views.notes_)
    gaps = PARTS.copy()
    gaps[:4, :2], gaps[4] = np.nan, np.nan
    said = " ".join(views_of(gaps, max_iter=2).notes_)
    assert "4 of 150 rows lack two or more, but not all, of their fractions" in said


def test_columns_that_look_like_fractions_are_proposed_never_assumed():
    short = SETTINGS | {"max_iter": 2}
    views = {"spectra": SPECTRA, "parts": 100.0 * PARTS, "label": np.eye(3)[PARTS.argmax(axis=1)]}
    said = " ".join(ManifoldRelevance(2, 5, **short).fit(views).notes_)
    assert said.count('kinds="fraction"') == 1
    assert "view 'parts': the columns are not negative and have the sum 100 in every row" in said
    model = BayesianGPLVM(2, 5, **short).fit(PARTS)
    assert 'kinds="fraction"' in " ".join(model.notes_)
    assert model.fractions_ is None


def test_sequences_in_time_are_fractions():
    times = np.arange(60.0)
    angle = times[:, None] / 8.0 + np.array([0.0, 2.0, 4.0])
    parts = np.exp(np.sin(angle))
    parts /= parts.sum(axis=1, keepdims=True)
    model = DynamicalGPLVM(2, 15, time_kernel="matern32", **SETTINGS, kinds="fraction")
    model.fit(parts, times=times)
    are_fractions(model.forecast([60.0, 61.0], method="model"))
    are_fractions(model.sample_sequence(times[:3], n_samples=2, random_state=0))
    are_fractions(model.complete(np.full((2, 3), np.nan), times=[10.5, 70.0]))


def test_a_stored_model_gives_the_same_fractions(of_views, tmp_path):
    of_views.save(tmp_path / "parts.gplvm")
    again = gplvm_core.load(tmp_path / "parts.gplvm")
    given = {"spectra": NEW_SPECTRA[:5]}
    np.testing.assert_array_equal(again.transfer(given, "parts"), of_views.transfer(given, "parts"))


def changed(row, column, value):
    rows = PARTS.copy()
    rows[row, column] = value
    return rows


@pytest.mark.parametrize(
    ("rows", "kinds", "said"),
    [
        (changed(7, 0, 2.0), "fraction", r"row 8: .* sum to .* 1 ± 0\.01.*from 0, it is row 7"),
        (changed(7, 2, -0.1), "fraction", r"row 8: .*is not negative, but '2' has -0\.1"),
        (changed(7, 2, np.inf), "fraction", "row 7"),
        (PARTS, ["fraction", "number", "number"], "'0' is a fraction without another one"),
        (np.where(np.eye(150, 3) > 0.0, PARTS, np.nan), "fraction", "nothing can be learnt|no row"),
        (PARTS, ["fraction", "fraction", "robust"], "columns 2 are not numbers.*view of their own"),
    ],
)
def test_rows_that_are_no_fractions_are_refused_in_words(rows, kinds, said):
    with pytest.raises(DataError, match=said):
        BayesianGPLVM(2, 5, **SETTINGS, kinds=kinds).fit(rows)


def test_new_rows_that_are_no_fractions_are_refused_in_words(of_views):
    given = {"spectra": NEW_SPECTRA[:2], "parts": 100.0 * NEW[:2]}
    with pytest.raises(DataError, match=r"view 'parts': rows 1, 2: .*sum to 100, .*must be 1"):
        of_views.complete(given)
    with pytest.raises(DataError, match="2 columns, but the model was trained on 3"):
        of_views.transform({"parts": NEW[:, :2]})
    with pytest.raises(DataError, match="there is no column 'salt'; the columns are 0, 1, 2"):
        of_views.column_quantiles({"spectra": NEW_SPECTRA}, "parts", "salt")
    with pytest.raises(DataError, match="at least one view other than 'parts'"):
        of_views.column_quantiles({"parts": NEW}, "parts", 0)


def test_what_fractions_cannot_do_yet_is_said(of_table, table):
    with pytest.raises(DataError, match=r"'oil' is a fraction from 0 to 1; 1\.5 is none"):
        of_table.fit_to({"oil": 1.5})
    with pytest.raises(DataError, match=r"have the sum 1\.1, above 1"):
        of_table.fit_to({"oil": 0.6, "gas": 0.5})
    with pytest.raises(ValueError, match=r"fractions .* have no covariance"):
        of_table.complete(table, return_cov=True)
    with pytest.raises(DataError, match="robust numbers or fractions: pass the training rows"):
        gplvm_core.apply(of_table, table)
    for ask in (
        lambda: SparseGPRegression(kinds=["fraction"] * 3).fit(PARTS, SPECTRA[:, 0]),
        lambda: gplvm_core.is_anything_here(table, "fraction"),
    ):
        with pytest.raises(DataError, match="only latent variable models take fractions"):
            ask()


@pytest.fixture(scope="module")
def dataset(table):
    kinds = dict.fromkeys(table, "number") | dict.fromkeys(NAMES, "fraction")
    return Dataset.of_table("mix", "Mix", table, kinds)


@pytest.mark.parametrize("noise", ["shared", "per_output"])
def test_a_column_has_the_moments_of_its_coordinates(table, noise):
    """The columns are linear in the coordinates while no fraction is 0, with slopes by steps."""
    kinds = dict.fromkeys(NAMES, "fraction")
    model = BayesianGPLVM(3, 12, **SETTINGS | {"max_iter": 8}, kinds=kinds, noise=noise).fit(table)
    parts, points = model.fractions_, model.latent_mean_[:5] + 0.3
    mean, variance = predict(model.posterior_, points)
    middle = parts.encoded(np.hstack([np.full((1, 3), 1.0 / 3.0), np.zeros((1, 6))]))
    steps = 0.01 * np.eye(middle.shape[1])
    slopes = (parts.decoded(middle + steps) - parts.decoded(middle)) / 0.01
    found = predict(parts.of_columns(model.posterior_), points)
    expected = parts.decoded(middle) + (mean - middle) @ slopes
    np.testing.assert_allclose(found[0], expected, atol=1e-9)
    np.testing.assert_allclose(found[1], variance @ slopes**2, rtol=1e-9)
    noises = [each.noise for each in (parts.of_columns(model.posterior_), model.posterior_)]
    np.testing.assert_allclose(noises[0], noises[1] @ slopes**2, rtol=1e-9)


def test_apply_fills_fractions_and_names_the_one_that_does_not_fit(of_table, table, dataset):
    rows = table[:40].copy()
    rows.loc[0, list(NAMES)] = 0.02, 0.96, 0.02  # the spectrum is that of another mixture
    rows.loc[1, list(NAMES)] = np.nan
    rows.loc[2, "gas"] = np.nan
    model = copy.copy(of_table).fit_density(table, folds=5)
    found = gplvm_core.apply(model, rows, dataset)
    are_fractions(found[list(NAMES)])
    assert found["p"][0] < 0.05 < found["p"][1:].median()
    assert "“water” would be" in found["reasons"][0] and "it is 0.96" in found["reasons"][0]
    assert np.mean(found["p"][1:] < 0.05) < 0.15
    np.testing.assert_allclose(found.loc[1, list(NAMES)].astype(float), PARTS[1], atol=0.1)
    assert found.loc[2, "gas"] == pytest.approx(PARTS[2, 2]) and found.loc[2, "gas std"] == 0.0


@pytest.mark.slow
def test_apply_fills_a_view_of_fractions(of_views):
    views = {
        "spectra": (SPECTRA, Drawing.of_vector(12)),
        "parts": Dataset.of_table("p", "P", PARTS, "fraction"),
    }
    dataset = Dataset.of_views("mix", "Mix", views)
    rows = np.hstack([NEW_SPECTRA[:30], np.full((30, 3), np.nan)])
    found = gplvm_core.apply(of_views, rows, dataset)
    filled = found[[f"parts: {at}" for at in range(3)]].to_numpy()
    are_fractions(filled)
    assert np.sqrt(np.mean((filled - NEW[:30]) ** 2)) < 0.05


def test_a_point_reaches_wanted_fractions(of_table):
    found = of_table.fit_to({"oil": 0.6, "gas": 0.3})[0]
    are_fractions(found.outputs[:3])
    np.testing.assert_allclose(found.outputs[:3], [0.6, 0.1, 0.3], atol=0.05)
    assert np.abs(found.errors).max() < 0.05


def test_a_number_beside_fractions_has_quantiles(of_table, table):
    low, high = of_table.column_quantiles(table, "c", (0.025, 0.975))
    assert 0.85 < np.mean((low < table["c"]) & (table["c"] < high)) < 1.0


def test_values_do_not_depend_on_whether_their_deviations_are_asked(of_table, table):
    rows = table[:6].copy()
    alone, (both, _) = of_table.denoise(rows), of_table.denoise(rows, return_std=True)
    np.testing.assert_array_equal(alone, both)
    points = of_table.latent_mean_[:6]
    both = of_table.inverse_transform(points, return_std=True)[0]
    np.testing.assert_array_equal(of_table.inverse_transform(points), both)


def test_rounding_below_0_is_0_and_too_many_fractions_are_refused(table):
    parts = mixtures(30)[1]
    exact = parts.copy()
    exact[0], parts[0] = [1.0, 0.0, 0.0], [1.0, 0.0, -1.1e-16]
    found = coordinates(exact)
    np.testing.assert_allclose(found.encoded(parts), found.encoded(exact), atol=1e-12)
    many = np.full((12, 101), 1.0 / 101.0)
    with pytest.raises(DataError, match="101 columns are fractions, but at most 100"):
        Fractions.learnt([str(at) for at in range(101)], range(101), many)


def test_known_errors_of_fractions_are_refused(of_table, table):
    with pytest.raises(ValueError, match="fractions have no known errors"):
        of_table.transform(table[:3], errors=np.full(table[:3].shape, 0.1))


def test_a_row_that_lacks_two_fractions_and_all_else_is_named_and_the_others_are_answered(
    monkeypatch,
):
    monkeypatch.setattr("gplvm_core.new_rows.without_density.MOST_COMPARED", 8)
    rows = pd.DataFrame(PARTS[:40], columns=NAMES)
    rows.loc[[20, 21], ["oil", "gas"]] = np.nan
    with pytest.raises(DataError, match=r"two or more fractions are missing.* row 21, and in 2 of"):
        BayesianGPLVM(2, 8, **SETTINGS, kinds="fraction").fit(rows)
    known = rows.drop(index=[20, 21])
    model = BayesianGPLVM(2, 8, **SETTINGS, kinds="fraction").fit(known)
    dataset = Dataset.of_table("parts", "Parts", known, "fraction")
    new = pd.DataFrame(NEW[:4], columns=NAMES)
    new.loc[1, ["oil", "gas"]] = np.nan
    with pytest.warns(UserWarning, match="no answer about row 2, because two or more fractions"):
        found = gplvm_core.apply(model, new, dataset, reasons=False)
    assert found["x1"].isna().tolist() == [False, True, False, False]
    assert found.loc[1, "water"] == NEW[1, 1] and np.isnan(found.loc[1, "oil"])
    alone = gplvm_core.apply(model, new.drop(index=1), dataset, reasons=False)
    np.testing.assert_allclose(found.drop(index=1)["x1"], alone["x1"], rtol=1e-9)
    wrong = new.drop(index=1).reset_index(drop=True)
    wrong.loc[0, "oil"] += 0.2
    wrong.loc[2, ["oil", "gas"]] = -0.1, 1.1 - wrong.loc[2, "water"]
    with pytest.warns(UserWarning) as warned:
        found = gplvm_core.apply(model, wrong, dataset, reasons=False)
    notes = " ".join(str(each.message) for each in warned)
    assert "row 1, because the fractions sum to 1.2, but the sum must be 1 ± 0.01" in notes
    assert "row 3, because a fraction is not negative, but 'oil' has -0.1" in notes
    assert found["x1"].isna().tolist() == [True, False, True]
    np.testing.assert_allclose(found.loc[1, "x1"], alone.loc[2, "x1"], rtol=1e-9)
