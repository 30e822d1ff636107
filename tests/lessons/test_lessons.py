"""Tests of the pictures of the tour's stops against independent computations."""

import re

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import entropy, multivariate_normal
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from gplvm_core.lessons.chances import chance
from gplvm_core.lessons.dimensions import dimensions
from gplvm_core.lessons.forecasts import drawn_ahead, forecasts, iterated, learnt, series
from gplvm_core.lessons.four_maps import Judged, four_maps
from gplvm_core.lessons.functions import GRID, KINDS, conditioned, functions, kernel_of
from gplvm_core.lessons.hidden_batch import hidden_batch
from gplvm_core.lessons.inducing import LOW, inducing, observed, sparse
from gplvm_core.lessons.more_dimensions import more_dimensions
from gplvm_core.lessons.noisy_inputs import fits, noisy_inputs, seen
from gplvm_core.lessons.output_back import HANDLES, body_map, chances_of_places
from gplvm_core.lessons.path_or_rule import path_or_rule, pendulum
from gplvm_core.lessons.picture import LessonPicture, number, pack_picture
from gplvm_core.lessons.pixels import flipped, pixels, turned_ink
from gplvm_core.lessons.rows import MARKER_NOISE, LessonRows
from gplvm_core.lessons.surfaces import KNOTS, sheet, string, surfaces
from gplvm_core.lessons.torn_pairs import torn
from gplvm_core.lessons.turned_digit import turned_digit
from gplvm_core.lessons.two_digits import loops, two_digits
from gplvm_core.lessons.two_trainings import step_lengths
from gplvm_core.lessons.uncertain_input import moments
from gplvm_core.models import SparseGPRegression
from gplvm_core.numerics import Array
from gplvm_core.prediction import predict
from gplvm_core.simulated.runner import BONES, runner, runner_skeleton
from gplvm_core.wire.frame import unframe

POINTS = np.array([[-1.0, 0.4], [0.3, -1.1], [1.8, 0.9]])


def test_a_packed_picture_is_restored_unchanged() -> None:
    header, arrays = unframe(pack_picture(functions("smooth", 1.0, 1.0, 0.1, POINTS), edit=3))
    (panel,) = header["panels"]
    assert header["edit"] == 3
    assert panel["hand"]["name"] == "points"
    mean = next(mark for mark in panel["marks"] if mark["title"] == "their mean")
    expected = conditioned(kernel_of("smooth", 1.0, 1.0), *POINTS.T, 0.1, 0).mean
    np.testing.assert_array_equal(arrays[mean["arrays"]["y"]], expected)


@pytest.mark.parametrize(
    ("value", "words"), [(-0.001, "0.00"), (-1.5, "−1.50"), (12345.678, "12,345.68")]
)
def test_numbers_are_formatted_for_readers(value: float, words: str) -> None:
    assert number(value) == words


def test_the_posterior_matches_scikit_learn() -> None:
    found = conditioned(kernel_of("smooth", 0.8, 1.3), *POINTS.T, 0.2, 0)
    other = GaussianProcessRegressor(
        ConstantKernel(1.3**2) * RBF(0.8), alpha=0.2**2, optimizer=None
    ).fit(POINTS[:, :1], POINTS[:, 1])
    mean, deviation = other.predict(GRID[:, None], return_std=True)
    np.testing.assert_allclose(found.mean, mean, atol=1e-4)
    np.testing.assert_allclose(found.deviation, deviation, atol=1e-4)
    assert found.evidence == pytest.approx(other.log_marginal_likelihood_value_, abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_every_frame_of_the_moving_functions_is_a_draw(kind: str) -> None:
    kernel = kernel_of(kind, 1.0, 1.0)
    draws = np.array(
        [conditioned(kernel, *np.empty((2, 0)), 0.1, seed).paths[7] for seed in range(60)]
    ).reshape(-1, len(GRID))
    some = [10, 60, 75]
    expected = kernel.K(GRID[some, None])
    assert np.cov(draws[:, some].T) == pytest.approx(expected, abs=0.35 * expected.max())


def test_noise_switches_all_dimensions_off() -> None:
    # The browser test of the tour checks that only some dimensions switch off at little noise.
    steps: list[int] = []
    hopeless = dimensions("two", 16, 1.5, 4, lambda _, step, most: steps.append(step))
    assert hopeless.panels[0].title == "0 of 4 dimensions are on"
    assert "not enough evidence" in hopeless.words[1]
    assert steps == list(range(1, len(steps) + 1))


def test_stop_iteration_ends_a_training() -> None:
    def leave(*_: object) -> None:
        raise StopIteration

    with pytest.raises(StopIteration):
        dimensions("two", 16, 0.1, 4, leave)


def test_moments_from_the_kernel_match_sampling() -> None:
    bend = np.array([[-2.0, -1.0], [-0.5, 0.3], [0.4, 1.2], [1.6, -0.4]])
    mean, deviation, weights = moments(0.3, 0.6, 0.8, bend)
    x = np.random.default_rng(0).normal(0.3, 0.6, 200_000)
    drawn = np.exp(-0.5 * ((x[:, None] - bend[:, 0]) / 0.8) ** 2) @ weights
    assert mean == pytest.approx(drawn.mean(), abs=0.01)
    assert deviation == pytest.approx(drawn.std(), abs=0.01)


def test_the_instrument_leaves_only_the_map_that_knows_it() -> None:
    def shares(shift: float) -> list[float]:
        words = hidden_batch(shift, ignore).words[0]
        return [float(each) for each in re.findall(r"(\d+) %", words)]

    same, apart = shares(0.0), shares(1.0)
    assert apart[0] == 100.0
    assert apart[1] < apart[2] + 10.0
    assert max(same) < 50.0  # without a shift, the instruments differ on neither map


def ignore(picture: LessonPicture, step: int, most: int) -> None:
    """Watch a training without stopping it."""


@pytest.mark.slow
def test_fitted_points_overfit_and_averaged_ones_do_not() -> None:
    # Each sentence has the errors on shown and on hidden values, and the percentage inside bands.
    points, bayesian = (
        [float(each) for each in re.findall(r"\d+\.\d\d|\d+(?= % of)", words)]
        for words in four_maps(6, ignore).words[-2:]
    )
    assert points[0] < 0.8 * MARKER_NOISE < 0.85 * MARKER_NOISE < bayesian[0]
    assert bayesian[1] < points[1]
    assert points[2] < bayesian[2] - 10


def test_the_runner_keeps_the_lengths_of_its_bones() -> None:
    frames, parents = runner(), runner_skeleton().parents
    bones = np.linalg.norm(frames[:, 1:] - frames[:, list(parents[1:])], axis=2)
    np.testing.assert_allclose(bones, bones[:1].repeat(len(bones), 0), rtol=1e-12)
    assert frames[:, :, 1].min() > 0.0  # every joint is above the ground


def test_the_chance_of_a_random_picture_matches_the_entropy_of_a_coin() -> None:
    words = pixels(6, 0.0, 0.0, 0).words
    powers = [float(each) for each in re.findall(r"10\^(\d+)", words[0])]
    entropy = -(0.05 * np.log2(0.05) + 0.95 * np.log2(0.95))
    assert powers == pytest.approx([3648 * (1.0 - entropy) * np.log10(2.0)], abs=3.0)
    assert "reads it as a 6" in words[1]
    assert "100.0 % of the pixels" in words[1]


def test_flips_change_their_share_of_the_pixels() -> None:
    assert np.mean(flipped(turned_ink(6, 90.0), 0.25, 3) != turned_ink(6, 90.0)) == 0.25


def test_the_nearest_nine_of_a_six_is_a_half_turn_away() -> None:
    rows, angles = loops("69")
    apart = np.linalg.norm(rows[1] - rows[0, 10], axis=1)
    words = two_digits("69", float(angles[10])).words
    assert f"({angles[np.argmin(apart)]:.0f}°); its distance is {apart.min():.2f}" in words[0]
    assert abs(angles[np.argmin(apart)] - angles[10] - 180.0) < 45.0


@pytest.mark.slow
def test_a_rule_continues_a_pendulum_and_a_path_does_not() -> None:
    steps: list[int] = []
    trained = path_or_rule(6.0, 2.0, 0.02, 0.05, 0, lambda _, step, most: steps.append(step))
    path, rule = (float(error) for error in re.findall(r"(\d+) %", trained.words[0]))
    assert path > 60.0 and rule < 20.0
    assert steps == sorted(steps) and len(steps) > 5
    before = path_or_rule(6.0, 2.0, 0.02, 0.05, 0)
    assert "Nothing is trained yet" in before.words[0]
    # The truth is a damped oscillation with the stated period.
    swings = pendulum(8.0, 0.0)
    np.testing.assert_allclose(swings[:20], swings[20:40], atol=1e-12)
    fading = np.arctanh(pendulum(8.0, 0.2))
    np.testing.assert_allclose(fading[20:40], np.exp(-0.4) * fading[:20], rtol=1e-9)


def test_the_jacobian_misplaces_samples_only_where_the_string_bends() -> None:
    def misplaced(knots: Array, width: float) -> float:
        words = surfaces(knots, 0.0, width, 30.0).words[1]
        return float(words.split("misplaces a sample by ")[1].split(";")[0])

    straight = np.column_stack([KNOTS, KNOTS])
    bent = np.column_stack([KNOTS, np.cos(3.0 * KNOTS)])
    # To second order, a sample is misplaced by half the curvature times its squared deviation.
    curvature = string(bent, np.array([-1e-3, 1e-3]))[1]
    second = np.linalg.norm(curvature[1] - curvature[0]) / 2e-3
    assert misplaced(straight, 0.1) < 0.01
    np.testing.assert_allclose(misplaced(bent, 0.1), 0.5 * second * 0.01, rtol=0.3)


def test_jacobians_of_string_and_sheet_match_differences() -> None:
    knots, at = np.random.default_rng(0).normal(size=(5, 2)), np.array([-0.7, 0.1, 0.9])
    ahead, behind = string(knots, at + 1e-5)[0], string(knots, at - 1e-5)[0]
    np.testing.assert_allclose(string(knots, at)[1], (ahead - behind) / 2e-5, atol=1e-6)
    np.testing.assert_allclose(string(knots, KNOTS)[0], knots, atol=1e-4)
    places = np.random.default_rng(1).normal(size=(4, 2))
    for q, step in enumerate(1e-5 * np.eye(2)):
        change = (sheet(places + step)[0] - sheet(places - step)[0]) / 2e-5
        np.testing.assert_allclose(sheet(places)[1][:, :, q], change, atol=1e-6)


@pytest.mark.slow
def test_the_likelihood_rises_with_dimensions_and_the_bound_does_not() -> None:
    likelihood, bound = (
        panel.marks[0].arrays["y"] for panel in more_dimensions(40, 0.3, ignore).panels[:2]
    )
    assert np.all(np.diff(likelihood) > 0.02)
    assert np.all(np.abs(np.diff(bound[1:])) < 0.01)


def test_the_probability_of_yes_matches_sampling_of_functions() -> None:
    x = np.array([-1.0, -0.8, 0.5, 0.7, 0.9])
    yes, at = np.array([1.0, 1.0, 0.0, 1.0, 0.0]), np.array([-0.9, 0.0, 0.7, 3.0])
    every = np.append(x, at)
    draws = multivariate_normal(np.zeros(9), 9.0 * RBF(0.6)(every[:, None]) + 1e-8 * np.eye(9))
    f = draws.rvs(400_000, random_state=0)
    signs = np.where(yes > 0.5, 1.0, -1.0)
    weights = np.exp(-np.logaddexp(0.0, -signs * f[:, :5]).sum(axis=1))
    expected = weights @ expit(f[:, 5:]) / weights.sum()
    found = chance(x, yes, at, 0.6).of_yes
    # The quadratic bound is a little overconfident between the rows.
    np.testing.assert_allclose(found, expected, atol=0.04)
    assert found[3] == pytest.approx(0.5, abs=0.01)


def test_a_coin_toss_is_known_and_an_empty_place_is_not() -> None:
    x = np.linspace(1.5, 2.3, 14)
    yes = (np.arange(14) % 2).astype(float)
    coin, empty = (chance(x, yes, np.array([place]), 0.6) for place in (1.9, -3.0))
    assert coin.of_yes == pytest.approx(0.5, abs=0.05) == empty.of_yes
    widths = [float((each.quantile(0.95) - each.quantile(0.05))[0]) for each in (coin, empty)]
    assert widths[0] < 0.5 < 0.9 < widths[1]


def test_more_held_joints_leave_fewer_positions_and_the_right_pose() -> None:
    frame = runner()[10, :, :2]
    held = np.array([frame[list(BONES).index(name)] for name in HANDLES])
    left = [np.exp(entropy(chances_of_places(held[:n]))) for n in range(4)]
    assert np.all(np.diff(left) < 0.0)
    found = body_map()
    best = found.joints[np.argmax(chances_of_places(held))]
    assert np.sqrt(np.mean(np.sum((best - frame) ** 2, axis=1))) < 4.0
    one = chances_of_places(held[:1])
    nearest = np.argmin(np.sum((found.grid - found.rows[10]) ** 2, axis=1))
    assert one[nearest] > 0.05 * one.max()


def test_torn_pairs_are_neighbours_that_are_far_apart() -> None:
    line_of_rows = np.arange(40.0)[:, None]
    assert len(torn(line_of_rows, -3.0 * line_of_rows, 2)) == 0
    cut = np.where(line_of_rows < 20.0, line_of_rows, line_of_rows + 500.0)
    assert {19, 20} >= set(torn(line_of_rows, cut, 1).ravel().tolist())
    np.testing.assert_array_equal(torn(line_of_rows, cut, 2), [[19, 20], [20, 19]])
    folded = np.minimum(line_of_rows, 39.0 - line_of_rows)
    assert len(torn(folded, line_of_rows, 2)) > 20


def test_scores_of_a_model_are_computed_correctly() -> None:
    rows = LessonRows(
        np.zeros((4, 3)), np.tile([0.0, 1.0, 3.0], (2, 1)), np.array([0, 1, 1]) > 0, *"abc"
    )

    class Model:
        """A model that fills every gap with 0 ± 1."""

        latent_mean_ = np.zeros((4, 1))

        def inverse_transform(self, latents: Array) -> Array:
            return np.full((4, 3), 2.0)

        def complete(self, given: Array, return_std: bool) -> tuple[Array, Array]:
            assert np.isnan(given[:, 1:]).all()
            return np.zeros((2, 3)), np.ones((2, 3))

    judged = Judged(rows)
    judged.note(Model(), 1)
    assert judged.shown == [2.0]
    assert judged.aside == pytest.approx([np.sqrt(5.0)])
    assert judged.inside == [50.0]


def test_one_component_mixes_up_pictures_that_two_separate() -> None:
    whole, part = (turned_digit(4, span, 0.2, False).words[1] for span in (360.0, 30.0))
    assert "nearer to" in whole
    assert whole.endswith("two components separate them.")
    assert "not mixed up with any" in part


def test_inducing_inputs_at_all_points_give_the_exact_evidence() -> None:
    data = observed(12, 0.3, 0)
    exact = multivariate_normal(np.zeros(12), RBF(0.6)(data[:, :1]) + 0.3**2 * np.eye(12))
    bound, mean, deviation, _ = sparse(data, data[:, 0], 0.6, 0.3)
    other = GaussianProcessRegressor(RBF(0.6), alpha=0.3**2, optimizer=None)
    expected, spread = other.fit(data[:, :1], data[:, 1]).predict(GRID[:, None], return_std=True)
    assert bound == pytest.approx(exact.logpdf(data[:, 1]), abs=0.01)
    np.testing.assert_allclose(mean, expected, atol=2e-3)
    np.testing.assert_allclose(deviation, spread, atol=2e-3)
    fewer = sparse(data, data[::3, 0], 0.6, 0.3)[0]
    assert sparse(data, np.array([1e3]), 0.6, 0.3)[0] < fewer < bound + 1e-6


@pytest.mark.parametrize("count", [0, 1, 15])
def test_any_number_of_inducing_inputs_can_be_drawn(count: int) -> None:
    # all inducing inputs are at one place
    places = np.column_stack([np.zeros(count), np.full(count, LOW)])
    assert "the gap is" in inducing(places, 0.5, 0.2, 20).words[0]


def test_forecasts_without_uncertainty_are_overconfident() -> None:
    words = forecasts(60, 0.02, 15).words[0]
    inside = [int(each) for each in re.findall(r"\d+", words)]
    assert inside[0] == 15
    assert inside[1] < 8
    assert inside[2] >= 14


def test_one_step_ahead_is_the_same_with_and_without_uncertainty() -> None:
    posterior = learnt(series(40, 0.02, 0))
    careless, careful = (iterated(posterior, 0.4, 2, each) for each in (False, True))
    assert careless[0][0] == careful[0][0]
    assert careless[1][0] == careful[1][0]
    # Compare the second step with the mean and standard deviation of many drawn series.
    draws = drawn_ahead(posterior, 0.4, 2)[:, 1]
    assert careful[0][1] == pytest.approx(draws.mean(), abs=0.02)
    assert careful[1][1] == pytest.approx(draws.std(), rel=0.2)
    assert careless[1][1] < careful[1][1]


def test_uncertain_inputs_find_the_curve_that_exact_inputs_flatten() -> None:
    data = seen("noisy", 0.6, 0.5, 0)
    off = {}
    for name, legs in fits(data).items():
        for model in legs:
            if model.n_iter_ >= 32:
                break
        predicted = np.ravel(model.predict(GRID[:, None]))
        off[name] = np.sqrt(np.mean((predicted - np.sin(2 * GRID)) ** 2))
    assert off["honest"] < 0.15 < 0.3 < off["naive"]


def test_the_band_of_uncertain_inputs_holds_new_points() -> None:
    seen_last = noisy_inputs("noisy", 0.6, 0.3, 0, lambda *_: None)
    band = next(mark for mark in seen_last.panels[1].marks if mark.kind == "band")
    new = np.sin(2 * GRID) + 0.1 * np.random.default_rng(1).standard_normal((500, len(GRID)))
    inside = (band.arrays["low"] < new) & (new < band.arrays["high"])
    assert 0.9 < inside.mean() < 0.995


def test_step_lengths_match_the_expected_change_of_the_output() -> None:
    draw = np.random.default_rng(0)
    inputs = draw.uniform(-1, 1, (12, 2))
    outputs = np.column_stack([np.sin(2 * inputs[:, 0]), inputs.sum(axis=1)])
    model = SparseGPRegression(12, scaling="none", max_iter=30, random_state=0).fit(inputs, outputs)
    posterior, points = model.posterior_, draw.uniform(-2, 2, (2, 2))
    mean, _ = predict(posterior, points)
    cross = posterior.kernel.K(points, posterior.inducing)
    covariance = posterior.kernel.K(points) - cross @ posterior.variances.gap(0) @ cross.T
    apart = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    expected = np.sum((mean[0] - mean[1]) ** 2) + apart * np.sum(posterior.scale**2)
    (length,) = step_lengths(posterior, points, np.array([[0, 1]]))
    assert length == pytest.approx(np.sqrt(expected), rel=1e-6)
