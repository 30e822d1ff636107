"""Tests of the search from outputs to latent points: objective, gradient, optimum."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import multivariate_normal

from gplvm_core import BayesianGPLVM, DeepGPLVM, ManifoldRelevance
from gplvm_core.beliefs import Belief
from gplvm_core.prediction import predict
from gplvm_core.prediction.handles import Answers, Handles, NearData, Pull, climb
from gplvm_core.readers import DataError
from tests.canvas.test_numbers import CASES, KERNELS, chart_of
from tests.canvas.test_table_numbers import chart_of_table

RNG = np.random.default_rng(3)


def pull_of(name: str) -> Pull:
    """Return the objective for three combinations of the outputs of a small posterior."""
    kernel, outputs = CASES[name]
    chart = chart_of(KERNELS[kernel], outputs)
    belief = Belief(chart.latent_mean, np.full_like(chart.latent_mean, 0.02))
    functionals = np.array([[1.0, 0, 0, 0], [0, 0.3, -0.8, 0], [0, 0, 0.5, 1.0]])
    handles = Handles(functionals, np.array([3.2, -1.4, 4.6]), np.array([0.05, 0.2, 0.0]))
    return Pull(chart.posterior, handles, NearData.of(belief, chart.relevance))


@pytest.mark.parametrize("name", CASES)
def test_the_gradient_is_that_of_differences(name):
    pull = pull_of(name)
    for point in RNG.normal(0.0, 1.2, (4, 3)):
        value, gradient, curvature = pull.at(point)
        assert value == pytest.approx(pull.value(point), rel=1e-12)
        steps = 1e-5 * np.eye(3)
        expected = [(pull.value(point + s) - pull.value(point - s)) / 2e-5 for s in steps]
        np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-6)
        assert np.linalg.eigvalsh(curvature).min() > 0.0


@pytest.mark.parametrize("name", CASES)
def test_the_objective_is_that_of_dense_formulas(name):
    pull = pull_of(name)
    handles, near, posterior = pull.handles, pull.near, pull.posterior
    for point in RNG.normal(0.0, 1.2, (3, 3)):
        mean, variance = predict(posterior, point[None], noise=True)
        expected = 0.0
        for a, target, tolerance in zip(
            handles.functionals, handles.targets, handles.tolerance, strict=True
        ):
            tau = sum(a[d] ** 2 * variance[0, d] for d in range(4)) + tolerance**2
            expected -= 0.5 * (np.log(tau) + (target - a @ mean[0]) ** 2 / tau)
        density = 0.02 * multivariate_normal(np.zeros(3), np.eye(3)).pdf(point)
        for center, spread in zip(near.points, near.variance, strict=True):
            normal = multivariate_normal(center, np.diag(spread))
            density += 0.98 / len(near.points) * normal.pdf(point)
        assert pull.value(point) == pytest.approx(expected + np.log(density), rel=1e-8)


def test_answers_are_probabilities_of_words_with_a_gradient():
    chart = chart_of_table()
    posterior = replace(chart.posterior, links=None)
    near = NearData.of(Belief.certain(chart.latent_mean), chart.relevance)
    none = Handles(np.zeros((0, posterior.n_outputs)), np.zeros(0), np.zeros(0))
    pull = Pull(posterior, none, near, Answers(np.array([0, 1, 4]), np.array([-1.0, 1.0, -1.0])))
    sample = RNG.standard_normal(200_000)
    for point in RNG.normal(0.0, 1.0, (3, 2)):
        value, gradient, curvature = pull.at(point)
        mean, variance = predict(posterior, point[None])
        drawn = mean + np.sqrt(variance) * sample[:, None]
        signs = np.array([-1.0, 1.0, -1.0])
        chances = expit(signs * drawn[:, [0, 1, 4]]).mean(axis=0)
        expected = 5.0 * np.log(chances).sum()  # a word counts as five observations
        assert value - near.at(point)[0] == pytest.approx(expected, abs=0.3)
        steps = 1e-5 * np.eye(2)
        expected = [(pull.value(point + s) - pull.value(point - s)) / 2e-5 for s in steps]
        np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-6)
        assert np.linalg.eigvalsh(curvature).min() > 0.0


@pytest.mark.slow
def test_held_words_and_counts_lead_to_rows_that_have_them():
    rng = np.random.default_rng(1)
    kind = rng.integers(0, 3, 90)
    weight = 10.0 * kind + rng.normal(0.0, 0.5, 90)
    eggs = rng.poisson(np.array([2.0, 8.0, 30.0])[kind])
    words = np.array(["wren", "gull", "swan"])
    table = [[words[k], w, int(e)] for k, w, e in zip(kind, weight, eggs, strict=True)]
    model = BayesianGPLVM(
        2, 15, max_iter=100, random_state=0, kinds=["category", "number", "count"]
    )
    model.fit(table)
    for k, word in enumerate(words):
        best = model.fit_to({0: word})[0]
        chances = model.class_probabilities_at(best.point[None], 0)[0]
        assert model.class_words(0)[int(chances.argmax())] == word
        # The category has two outputs, so the weight is the third one.
        assert best.outputs[2] == pytest.approx(10.0 * k, abs=1.0)
    counted = model.fit_to({2: 30})[0]
    assert counted.outputs[2] == pytest.approx(20.0, abs=1.0)
    assert not len(model.fit_to({0: "gull"})[0].errors)
    for targets, said in (
        ({0: "crow"}, "no word 'crow'"),
        ({2: 1.5}, "a count of 0, 1, 2"),
        ({1: "heavy"}, "a finite number"),
        ({}, "no target"),
        ([0.0, 1.0], "a dict"),
    ):
        with pytest.raises(DataError, match=said):
            model.fit_to(targets)
    with pytest.raises(DataError, match="its words are 'gull', 'swan', 'wren'"):
        model.fit_to({0: "crow"})
    for tolerance, said in (
        ([0.1, 0.2], "must be one number; got shape"),
        ("near", "must be numbers"),
        (-1.0, "at least 0; got -1.0"),
        (np.nan, "at least 0; got nan"),
    ):
        for targets in ({1: 10.0}, {0: "gull"}):
            with pytest.raises(DataError, match=said):
                model.fit_to(targets, tolerance)


def test_the_density_widens_to_the_fifth_neighbour():
    points = np.arange(12.0)[:, None] * [0.1, 0.0]
    near = NearData.of(Belief.certain(points), np.array([4.0, 0.0]))
    assert near.variance[0, 0] == pytest.approx((0.5 * 2.0 * 0.5) ** 2 / 4.0)  # with ρ = √4 · 0.5
    assert (near.variance[:, 1] == 1.0).all()  # this dimension has no relevance


@pytest.fixture(scope="module")
def circle() -> BayesianGPLVM:
    angle = np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)
    rows = np.column_stack([np.cos(angle), np.sin(angle), np.cos(angle) + np.sin(angle)])
    rows += 0.02 * np.random.default_rng(0).standard_normal(rows.shape)
    return BayesianGPLVM(2, 20, max_iter=200, random_state=0).fit(rows)


def test_the_optimum_is_that_of_a_grid(circle):
    found = circle.fit_to({0: 0.6}, 0.05)
    near = NearData.of(circle._belief, circle.relevance_)
    pull = Pull(circle.posterior_, Handles(np.eye(3)[:1], np.array([0.6]), np.array([0.05])), near)
    places = np.stack(np.meshgrid(*2 * [np.linspace(-3, 3, 61)]), axis=-1).reshape(-1, 2)
    best = max(found, key=lambda each: pull.value(each.point))
    values = np.array([pull.value(place) for place in places])
    assert pull.value(best.point) > values.max()
    # The best point of the grid belongs to the same maximum, and is at most a cell away.
    assert np.abs(places[values.argmax()] - best.point).max() < 0.15


def test_one_coordinate_of_a_circle_has_two_explanations_and_two_have_one(circle):
    both = circle.fit_to({0: 0.6})[:2]
    assert sorted(round(each.outputs[1], 1) for each in both) == [-0.8, 0.8]
    assert all(abs(each.errors[0]) < 0.05 for each in both)
    best, *others = circle.fit_to([0.6, 0.8, np.nan])
    assert best.outputs[2] == pytest.approx(1.4, abs=0.05)
    assert all(other.score < best.score - 5.0 for other in others)


def test_a_combination_is_reached_and_free_outputs_stay_free(circle):
    best, *_ = circle.fit_to([0.0], 0.01, through=[[1.0, -1.0, 0.0]])
    assert best.outputs[0] == pytest.approx(best.outputs[1], abs=0.05)
    tied = circle.fit_to([0.6, 0.8, np.nan], 0.01)[0]
    free = circle.fit_to({2: 0.0}, 0.01)[0]
    assert free.std[2] < 3.0 * tied.std[2]


def test_noise_per_output_and_a_linear_part_are_supported():
    name = "own"
    pull = pull_of(name)
    point, value, _ = climb(pull, pull.near.points[0])
    assert value > pull.value(pull.near.points[0])
    slope = RNG.standard_normal((3, 4))
    sloped = replace(pull, posterior=replace(pull.posterior, slope=slope))
    gradient = sloped.at(point)[1]
    steps = 1e-5 * np.eye(3)
    expected = [(sloped.value(point + s) - sloped.value(point - s)) / 2e-5 for s in steps]
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([np.nan, np.nan, np.nan],), "all targets are NaN"),
        (([1.0, 2.0],), "one number for each of the 3 columns"),
        (({7: 1.0},), "has no column 7"),
        (([np.inf, np.nan, np.nan],), "finite numbers"),
        (([1.0, np.nan, np.nan], -1.0), "at least 0"),
        (([1.0, 0.5, np.nan], [0.1, 0.2]), "each of the 3 targets"),
    ],
)
def test_bad_targets_are_refused_in_words(circle, arguments, words):
    with pytest.raises(DataError, match=words):
        circle.fit_to(*arguments)


def test_deep_models_and_views_refuse_in_words():
    rows = RNG.standard_normal((12, 3))
    deep = DeepGPLVM((1, 1), n_inducing=4, max_iter=2, random_state=0).fit(rows)
    with pytest.raises(DataError, match="one table and one layer"):
        deep.fit_to({0: 1.0})
    views = ManifoldRelevance(1, 4, max_iter=2, random_state=0).fit({"a": rows, "b": rows[:, :2]})
    with pytest.raises(DataError, match="one table and one layer"):
        views.fit_to({0: 1.0})
    assert len(views.of_view("b").fit_to({0: 0.2})) >= 1
