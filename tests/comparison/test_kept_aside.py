"""Tests of measures of maps and densities against scikit-learn, NumPy and constructed rows."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.manifold import trustworthiness

from gplvm_core.comparison import (
    Comparison,
    Contender,
    Placed,
    advice,
    compare,
    compare_kept_aside,
    evidence_of,
    looked_at,
    measured,
    mixture,
    panels_html,
    place,
    refusal,
    results,
    table_of,
)
from gplvm_core.comparison.baselines import ChosenPCA
from gplvm_core.comparison.kept_aside import BASE_LINES, MIXTURE, PPCA, difference
from gplvm_core.comparison.measures import AT_ONCE, KEPT_ASIDE
from gplvm_core.comparison.mixture import Mixture, gaussians
from gplvm_core.comparison.repeated import densities, splits_of
from gplvm_core.datasets import DataError
from gplvm_core.models import (
    GPLVM,
    BayesianGPLVM,
    DynamicalGPLVM,
    ProbabilisticPCA,
    SparseGPRegression,
)
from gplvm_core.models.estimators import with_density
from gplvm_core.prediction import fills

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(60, 2)) @ RNG.normal(size=(2, 6)) + 0.1 * RNG.normal(size=(60, 6))
DENSITY = next(measure for measure in KEPT_ASIDE if measure.key == "density")
INSIDE = next(measure for measure in KEPT_ASIDE if measure.key == "inside_90")


def test_a_map_is_measured_as_scikit_learn_does() -> None:
    model = ProbabilisticPCA(3).fit(ROWS)
    labels = (ROWS[:, 0] > 0).astype(int)
    labels[0] = -1
    shown = (model.latent_mean_, model.relevance_, (0, 1), model.posterior_)
    placed = Placed("p", *shown, bound=-12.0, on=3)
    found = measured(placed, ROWS, labels)
    assert list(found) == [measure.key for measure in AT_ONCE if measure.key in found]
    points = (model.latent_mean_ * np.sqrt(model.relevance_))[:, :2]
    assert found["trustworthiness"] == pytest.approx(trustworthiness(ROWS, points))
    assert found["continuity"] == pytest.approx(trustworthiness(points, ROWS))
    apart = np.linalg.norm(points[1:, None] - points[None, 1:], axis=2) + 1e9 * np.eye(59)
    wrong = np.mean(labels[1:][apart.argmin(axis=1)] != labels[1:])
    assert found["neighbours_map"] == pytest.approx(wrong)
    away = ROWS - model.inverse_transform(model.latent_mean_)
    spread = np.sqrt(ROWS.var(axis=0).mean())
    assert found["reconstruction"] == pytest.approx(np.sqrt(np.mean(away**2)) / spread)
    assert found["bound"] == pytest.approx(-12.0 / 360)


def test_by_column_makes_columns_of_different_units_count_equally() -> None:
    rows = ROWS * np.array([1e6, 1.0, 1.0, 1.0, 1.0, 1.0])
    model = ProbabilisticPCA(2, scaling="columns").fit(rows)
    placed = Placed("p", model.latent_mean_, model.relevance_, (0, 1), model.posterior_)
    found = measured(placed, rows, np.zeros(60, dtype=int), by_column=True)
    again = measured(placed, rows * np.array([1e-6, 1.0, 1.0, 1.0, 1.0, 1.0]), by_column=True)
    assert found["trustworthiness"] == pytest.approx(again["trustworthiness"])
    away = (rows - model.inverse_transform(model.latent_mean_)) / rows.std(axis=0)
    assert found["reconstruction"] == pytest.approx(np.sqrt(np.mean(away**2)))
    # If all rows have the same label, the error of neighbours is not measured.
    assert "neighbours" not in found


def test_evidence_of_names_bounds_and_likelihoods() -> None:
    plane = ROWS[:20]
    assert list(evidence_of(ProbabilisticPCA(2).fit(plane))) == ["likelihood"]
    assert evidence_of(GPLVM(2, max_iter=1, random_state=0).fit(plane)) == {}
    bayesian = BayesianGPLVM(2, n_inducing=5, max_iter=1, random_state=0).fit(plane)
    assert evidence_of(bayesian) == {"bound": bayesian.bound_}
    regression = SparseGPRegression(n_inducing=5, max_iter=1).fit(plane[:, :2], plane[:, 2:])
    assert evidence_of(regression) == {}


def test_a_map_that_cannot_generate_has_only_measures_of_positions() -> None:
    turns = np.linspace(0.0, 2.0, 40)
    curve = np.column_stack([np.cos(turns), np.sin(turns), turns])
    placed = Placed("i", place("isomap", curve), np.ones(2), (0, 1))
    found = measured(placed, curve)
    assert set(found) == {"trustworthiness", "continuity"} and found["trustworthiness"] > 0.99
    order = np.argsort(placed.latent[:, 0])
    assert list(order) in (list(range(40)), list(range(40))[::-1])
    with pytest.raises(DataError, match="1 of 40 rows have missing values"):
        place("tsne", np.where(curve == curve[3, 0], np.nan, curve))


@pytest.mark.parametrize("shape", ["diagonal", 2, 3, ("shrunk", 5.0)])
def test_a_mixture_is_a_density_and_fills_in_by_bayes_rule(shape: Any) -> None:
    rows = np.vstack([ROWS[:30, :3], 3.0 - ROWS[30:, :3]])
    model = Mixture()
    model.center_, model.scale_ = np.array([1.0, 2.0, 3.0]), np.array([2.0, 1.0, 0.5])
    inner = model._standardised(rows)
    model.gaussians_ = found = gaussians(inner, shape, 2, 0)
    dense = [
        multivariate_normal(found.means[k], found.covariance(k)) for k in range(len(found.weights))
    ]
    told = sum(w * each.pdf(inner) for w, each in zip(found.weights, dense, strict=True))
    np.testing.assert_allclose(model.score_samples(rows), np.log(told / np.prod(model.scale_)))
    asked = np.array([[1.5, np.nan, 2.8]])
    mean, std = model.complete(asked, return_std=True)
    # The expected value integrates p(y2 | y1, y3) on a grid, from the joint density of complete
    # rows.
    grid = np.linspace(-40.0, 40.0, 80001)
    whole = np.column_stack([np.full_like(grid, 1.5), grid, np.full_like(grid, 2.8)])
    density = model.score_samples(whole)
    weight = np.exp(density - density.max())
    weight /= weight.sum()
    assert mean[0, 1] == pytest.approx(weight @ grid, rel=1e-5)
    assert std[0, 1] == pytest.approx(np.sqrt(weight @ (grid - mean[0, 1]) ** 2), rel=1e-4)
    assert mean[0, 0] == 1.5 and std[0, 0] == 0.0


def test_one_gaussian_along_its_axes_is_probabilistic_pca() -> None:
    found = gaussians(ROWS, 2, 1, 0)
    model = ProbabilisticPCA(2, scaling="none").fit(ROWS)
    # The tolerance is needed because scikit-learn counts the variance around the axes twice in the
    # variance along them.
    np.testing.assert_allclose(
        found.score_samples(ROWS), model.score_samples(ROWS), rtol=0, atol=0.2
    )


def test_the_size_of_pca_is_found_and_joint_densities_are_excluded() -> None:
    model = ChosenPCA(random_state=0).fit(ROWS)
    assert model.model_.n_components == 2
    np.testing.assert_array_equal(model.score_samples(ROWS), model.model_.score_samples(ROWS))
    points = GPLVM(2, max_iter=2, random_state=0).fit(ROWS[:20])
    assert densities(points, ROWS[20:25], None) == {}
    assert refusal(points) is None and refusal(model.model_) is None
    assert "follow each other" in (refusal(DynamicalGPLVM()) or "")
    assert "places only" in (refusal(object()) or "")


def test_held_out_rows_give_all_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixture, "SIZES", (1,))
    labels = (ROWS[:, 0] > 0).astype(int)
    rows = np.column_stack([ROWS, np.ones(60)])
    found = compare_kept_aside({"two": ProbabilisticPCA(2)}, rows, labels, cv=2)
    assert found.names == ("two", *BASE_LINES) and found.n_splits == 2
    # The rows are Gaussian, so the exact values are known.
    cov = np.cov(ROWS.T)
    exact = np.mean(multivariate_normal(ROWS.mean(axis=0), cov).logpdf(ROWS))
    assert found.mean("density", PPCA) == pytest.approx(exact, abs=0.7)
    assert found.mean("density", "two") == pytest.approx(found.mean("density", PPCA), abs=0.2)
    assert 0.8 < found.mean("inside_90", "two") < 0.98
    assert found.mean("missing", "two") < 0.5
    assert np.isnan(found.mean("new_neighbours", MIXTURE))
    assert "leaves out 1 column with constant" in found.notes[-1]
    # All three models draw Gaussian rows like the held-out rows.
    assert all(found.mean("drawn", name) < 0.06 for name in found.names)
    told = table_of({"two": {"bound": 1.25}}, found)
    keys = {part: {line.measure.key for line in lines} for part, lines in told.parts.items()}
    assert keys["Fill gaps"] >= {"missing", "inside_95"}
    assert keys["Judge new rows"] >= {"bound", "density"}
    assert "drawn" in keys["Generate"]
    assert "Judge new rows,seen,Bound per value,1.25,,," in told.to_csv()
    assert "| Log-probability of new rows |" in told.to_markdown()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_maps_are_judged_by_the_exact_density_that_they_derive(monkeypatch) -> None:
    monkeypatch.setattr(mixture, "SIZES", (1,))
    monkeypatch.setattr(with_density, "SIZES", (8,))
    monkeypatch.setattr(with_density, "STRENGTHS", (10.0,))
    monkeypatch.setattr(fills, "MOST_ROWS", 6)
    angle = np.random.default_rng(3).uniform(0.0, 2.0 * np.pi, 90)
    ring = np.column_stack([np.cos(angle), np.sin(angle), np.cos(2.0 * angle)])
    rows = ring + 0.05 * np.random.default_rng(4).normal(size=ring.shape)
    curved = BayesianGPLVM(2, n_inducing=12, max_iter=60, random_state=0)
    found = compare_kept_aside({"curved": curved}, rows, cv=2, n_samples=50)
    split = next(iter(splits_of(2, 90, 0)))
    model = clone(curved).fit(rows[split[0]]).fit_density(rows[split[0]])
    exact = model.score_samples(rows[split[1]], method="density").mean()
    assert found.values["density"][0, 0] == pytest.approx(exact, rel=1e-6)
    # A Gaussian without a map cannot follow the ring.
    assert found.mean("density", "curved") > found.mean("density", MIXTURE) + 0.5
    # A bound, an estimate by draws and an exact density are three different measures.
    measures = np.array([found.values[key][0] for key in ("density_bounds", "density_sampled")])
    assert np.isfinite(measures[:, 0]).all() and np.isnan(measures[:, 1:]).all()
    assert measures[0, 0] != measures[1, 0] != exact


def test_a_map_of_fitted_points_is_judged_by_its_derived_density(monkeypatch) -> None:
    monkeypatch.setattr(mixture, "SIZES", (1,))
    monkeypatch.setattr(with_density, "SIZES", (8,))
    monkeypatch.setattr(with_density, "STRENGTHS", (10.0,))
    monkeypatch.setattr(fills, "MOST_ROWS", 6)
    found = compare_kept_aside({"points": GPLVM(2, max_iter=5, random_state=0)}, ROWS, cv=2)
    assert np.isfinite([found.mean(key, "points") for key in ("density", "missing", "drawn")]).all()
    # Its own density is that of a row together with its point.
    assert "density_bounds" not in found.values


def test_models_and_data_that_cannot_be_tested_are_refused() -> None:
    two = {"two": ProbabilisticPCA(2)}
    with pytest.raises(DataError, match=r"one entry for each of the 60 rows; got shape \(3,\)"):
        compare_kept_aside(two, ROWS, np.zeros(3, dtype=int), cv=2)
    # A column that changes only in the last rows is constant in one of the training parts.
    late = np.column_stack([ROWS[:, 0], np.arange(60) > 58])
    parts = [(np.arange(50), np.arange(50, 60)), (np.arange(10, 60), np.arange(10))]
    with pytest.raises(DataError, match="only 1 of 2 columns vary in every training part"):
        compare_kept_aside(two, late, cv=parts)
    with pytest.raises(ValueError, match="two of the models have the same name"):
        compare([Contender("a", two["two"])] * 2, ROWS)
    with pytest.raises(DataError, match="bad failed on split 1 of 2: n_components must be"):
        compare([Contender("bad", ProbabilisticPCA(0))], ROWS, cv=2)


def test_splits_without_a_measurement_do_not_count() -> None:
    found = made(missing=[[0.4, 0.2, 0.9], [np.nan] * 3, [0.5, 0.3, 0.7]])
    assert found.mean("missing", PPCA) == pytest.approx(0.25)
    assert found.difference("missing", PPCA).n_splits == 2
    alone = made(missing=[[0.4, 0.2, np.nan], [0.4, 0.2, 0.9], [0.5, 0.3, 0.7]])
    assert np.isnan(alone.mean("missing", MIXTURE))


def made(**values: list[list[float]]) -> Comparison:
    told = {key: np.array(each) for key, each in values.items()}
    told |= {key: np.full((3, 3), 0.9) for key in ("inside_95", "seconds")}
    return Comparison(("curved", *BASE_LINES), told, "curved", 0.25)


def test_rows_of_another_distribution_are_different() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=(300, 4)), rng.normal(size=(200, 4))
    assert abs(difference(one, other)) < 0.02
    assert difference(one, other + 3.0) > 0.4
    # In one dimension, the energy distance is twice the squared distance of the distribution
    # functions.
    first, second = rng.normal(size=(400, 1)), rng.normal(1.0, 2.0, size=(400, 1))
    grid = np.linspace(-12.0, 12.0, 24001)
    cumulative = [np.searchsorted(np.sort(each[:, 0]), grid) / 400 for each in (first, second)]
    squared = 2.0 * np.sum((cumulative[0] - cumulative[1]) ** 2) * (grid[1] - grid[0])
    across = 2.0 * np.abs(first - second.T).mean()
    # The distribution functions include pairs of a row with itself; `difference` does not.
    excess = sum(np.abs(each - each.T).sum() / (400 * 399 * 400) for each in (first, second))
    assert difference(first, second) == pytest.approx((squared - excess) / across, abs=1e-4)


@pytest.mark.slow
def test_mixtures_draw_rows_like_their_training_rows() -> None:
    rows = np.vstack([ROWS, ROWS + 8.0])
    for model in (Mixture(random_state=0), ChosenPCA(random_state=0)):
        drawn = model.fit(rows).sample(4000, random_state=0)
        assert drawn.shape == (4000, 6)
        np.testing.assert_allclose(drawn.mean(axis=0), rows.mean(axis=0), atol=0.4)
        np.testing.assert_allclose(np.cov(drawn.T), np.cov(rows.T), atol=1.8)


def test_map_quality_is_measured_on_parts_of_the_rows() -> None:
    model = ProbabilisticPCA(3).fit(ROWS)
    shown = (model.latent_mean_, model.relevance_, (0, 1), model.posterior_)
    placed, labels = Placed("p", *shown), (ROWS[:, 0] > 0).astype(int)
    whole = measured(placed, ROWS, labels)
    for told, key in ((labels, "neighbours_map"), (None, "trustworthiness")):
        found = looked_at(placed, ROWS, told)
        assert found is not None and found[0] == key and found[1].shape == (5,)
        assert found[1].mean() == pytest.approx(whole[key])
    assert looked_at(placed, ROWS[:8]) is None


def test_only_sure_differences_are_marked_and_recommended() -> None:
    density = [[5.0, 3.0, 1.0], [5.1, 3.0, 1.1], [5.2, 3.1, 1.0]]
    missing = [[0.5, 0.2, 0.9], [0.4, 0.2, 0.9], [0.5, 0.21, 0.8]]
    found = made(density=density, missing=missing, inside_90=[[0.5, 0.99, 0.9]] * 3)
    assert found.leading(DENSITY) == ("curved",)
    assert found.gain(DENSITY, "curved", PPCA).mean == pytest.approx(np.mean([2.0, 2.1, 2.1]))
    assert found.leading(INSIDE) == (MIXTURE,)
    marked = table_of({"curved": {}}, found).parts["Fill gaps"]
    assert {line.measure.key: line.best for line in marked}["missing"] == PPCA
    assert advice(results({}, found)) == (
        "For judging new rows, use curved: it wins on 3 of 3 splits.",
        "For filling gaps, plain PCA is better; use the map only for looking.",
    )
    # Both plain models are better than the map; which of the two is better is uncertain.
    both = made(density=[[1.0, 3.0, 3.1], [1.1, 3.1, 3.0], [1.0, 3.0, 3.2]], missing=missing)
    assert advice(results({}, both)) == (
        "For filling gaps, plain PCA is better and for judging new rows, a plain mixture or plain "
        "PCA is better; use the map only for looking.",
    )
    unsure = made(density=[[5.0, 3.0, 1.0], [2.0, 3.0, 1.0], [5.0, 2.0, 1.0]], missing=missing)
    assert unsure.leading(DENSITY)[:2] == ("curved", PPCA)
    assert advice(results({}, unsure))[-1].startswith("No clear winner for judging new rows")


def test_advice_has_at_most_three_sentences() -> None:
    missing = [[0.2, 0.5, 0.9], [0.2, 0.4, 0.9], [0.21, 0.5, 0.8]]
    drawn = [[0.3, 0.3, 0.1], [0.3, 0.4, 0.1], [0.3, 0.3, 0.12]]
    density = [[5.0, 4.0, 1.0], [2.0, 3.0, 1.0], [5.0, 5.5, 1.0]]
    found = made(missing=missing, drawn=drawn, density=density)
    maps = {
        "curved": ("neighbours_map", np.array([0.1, 0.11, 0.1, 0.12, 0.1])),
        "flat": ("neighbours_map", np.array([0.3, 0.31, 0.3, 0.35, 0.3])),
    }
    told = results(maps, found)
    assert [each.winner for each in told] == ["curved", "curved", None, MIXTURE]
    assert advice(told) == (
        "For looking and filling gaps, use curved: it wins on 5 of 5 and 3 of 3 splits.",
        "For generating, a plain mixture is better; use the map only for looking.",
        "No clear winner for judging new rows; the simpler model may do.",
    )
    assert advice(results({"curved": maps["curved"]}, None)) == ()


def test_the_picture_marks_the_winner_and_has_a_dot_for_each_split() -> None:
    found = made(missing=[[0.2, 0.5, 0.9], [0.2, 0.4, 0.9], [0.21, 0.5, np.nan]])
    html = panels_html(["<curved>", "flat"], results({}, found))
    sections = html.split("<section")[1:]
    assert [each.split('"')[1] for each in sections] == ["look", "fill", "judge", "generate"]
    assert html.count("Not tested on new rows yet.") == 2
    filled = sections[1]
    # The mixture lacks a value on one split, so the table leaves out the mixture. If a model that
    # the page compares lacks a value, it stays in the table, with a dash.
    assert filled.count("<i ") == 6 and "&lt;curved&gt;" in filled and "<td>–</td>" in filled
    assert MIXTURE not in filled
    best = filled.split("<tr class=mf-best>")[1].split("</tr>")[0]
    assert "curved" in best and "best</strong>" in best
    places = [float(text.split("%")[0]) for text in best.split("left:")[1:]]
    assert max(places) < 25.0  # lower is better, and lower is on the left
