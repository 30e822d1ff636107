"""Tests of the dynamical GP-LVM: paths over time, against dense algebra and against the truth."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM, DynamicalGPLVM, ManifoldRelevance, White, load
from gplvm_core.datasets import DataError
from gplvm_core.kernels import KernelError
from gplvm_core.kernels.periodic import Periodic
from gplvm_core.prediction import DATA
from gplvm_core.prediction.paths import Continued, continued
from gplvm_core.prediction.sequence import infer_path
from gplvm_core.priors.temporal import Path
from tests.until import Until

NOISE = 0.05


def motion(times: np.ndarray, seed: int = 0, width: float = 1.0) -> np.ndarray:
    """Return twelve outputs that follow two hidden oscillations of this amplitude."""
    generator = np.random.default_rng(7)
    mixing = generator.normal(size=(2, 12))
    hidden = width * np.column_stack([np.sin(times), np.cos(1.7 * times)])
    noise = np.random.default_rng(seed).normal(size=(len(times), 12))
    return np.tanh(hidden @ mixing) + NOISE * noise


@pytest.fixture(scope="module")
def times() -> np.ndarray:
    return np.linspace(0.0, 9.0, 70)


@pytest.fixture(scope="module")
def model(times: np.ndarray) -> DynamicalGPLVM:
    return DynamicalGPLVM(3, 20, time_kernel="rbf", max_iter=150, random_state=0).fit(
        motion(times), times=times
    )


@pytest.mark.slow
def test_a_path_over_time_beats_independent_points(
    model: DynamicalGPLVM, times: np.ndarray
) -> None:
    alone = BayesianGPLVM(3, 20, max_iter=150, random_state=0).fit(motion(times))
    assert model.bound_ > alone.bound_ + 50.0
    assert model.n_effective_ == 2


def test_forecast_in_dense_algebra(model: DynamicalGPLVM, times: np.ndarray) -> None:
    new = np.array([2.345, 9.5, 11.0])
    mean, variance = model.forecast_latent(new)
    kernel, path = model.time_kernel_, model.path_
    cross = kernel.K(times[:, None], new[:, None])
    for j in range(3):
        # The path is ordinary Gaussian-process regression on pseudo-observations with noise 1/λ.
        covariance = kernel.K(times[:, None]) + np.diag(1.0 / path.precision[:, j])
        expected = kernel.diag(new[:, None]) - np.sum(
            cross * np.linalg.solve(covariance, cross), axis=0
        )
        np.testing.assert_allclose(mean[:, j], cross.T @ path.dual[:, j], rtol=1e-9)
        np.testing.assert_allclose(variance[:, j], expected, rtol=1e-6, atol=1e-9)


def test_far_from_the_data_the_prior_is_back(model: DynamicalGPLVM) -> None:
    mean, variance = model.forecast_latent([1e4])
    np.testing.assert_allclose(mean, 0.0, atol=1e-12)
    np.testing.assert_allclose(variance, model.time_kernel_.diag(np.zeros((1, 1)))[0])


def test_uncertainty_grows_ahead_and_holds_the_truth(model: DynamicalGPLVM) -> None:
    ahead = 9.0 + np.array([0.1, 0.5, 1.0, 2.0, 4.0])
    mean, std = model.forecast(ahead, return_std=True)
    assert (np.diff(std.mean(axis=1)) > 0).all()
    truth = motion(ahead, seed=3)
    assert np.abs(mean - truth)[0].mean() < 0.1
    assert (np.abs(mean - truth) < 3 * std).mean() > 0.9


def test_a_gap_in_time_is_bridged(times: np.ndarray) -> None:
    whole = motion(times)
    gapped = whole.copy()
    gapped[30:36] = np.nan
    kept = np.r_[0:30, 36:70]
    model = DynamicalGPLVM(3, 20, time_kernel="rbf", max_iter=150, random_state=0)
    model.fit(whole[kept], times=times[kept])
    bridged, std = model.forecast(times[30:36], return_std=True)
    assert np.abs(bridged - whole[30:36]).mean() < 3 * NOISE
    assert (np.abs(bridged - whole[30:36]) < 3 * std).mean() > 0.9


def test_the_gaps_of_a_new_sequence_are_filled_along_time(model: DynamicalGPLVM) -> None:
    """The rows are another part of the same motion, with half of the outputs and some frames
    missing.
    """
    new = np.linspace(20.0, 25.0, 30)
    truth = motion(new, seed=5)
    rows = truth.copy()
    rows[:, 6:], rows[12:16] = np.nan, np.nan
    hidden = np.isnan(rows)
    together, std = model.complete(rows, times=new - 20.0, return_std=True)
    apart = model.complete(rows, times=new - 20.0, coupled=False)
    np.testing.assert_array_equal(together[~hidden], truth[~hidden])
    error = np.abs(together - truth)
    assert error[hidden].mean() < 2.5 * NOISE
    assert error[12:16].mean() < 0.5 * np.abs(apart - truth)[12:16].mean()
    assert (error[hidden] < 3 * std[hidden]).mean() > 0.9
    path, spread = model.transform_sequence(rows, times=new - 20.0, return_std=True)
    # The path is less certain in missing frames.
    assert spread[13:15].mean() > spread[:12].mean()
    assert path.shape == (30, 3)


def test_a_path_can_be_watched_and_ended(model: DynamicalGPLVM) -> None:
    new = np.linspace(0.0, 5.0, 30)
    rows = motion(new, seed=5)
    rows[:, 6:], rows[12:16] = np.nan, np.nan
    told: list[tuple[int, float]] = []
    whole = model.transform_sequence(rows, times=new, callback=lambda *at: told.append(at))
    np.testing.assert_array_equal(whole, model.transform_sequence(rows, times=new))
    assert told[0] == (0, -np.inf)
    assert [step for step, _ in told] == list(range(len(told)))
    bounds = [bound for _, bound in told[1:]]
    assert (np.diff(bounds) > -1e-6).all()
    away = []
    for last in (0, 1, 5):

        def stop(step: int, bound: float, last: int = last) -> None:
            assert step <= last
            if step == last:
                raise StopIteration

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            path = model.transform_sequence(rows, times=new, callback=stop)
        away.append(np.abs(path - whole).mean())
    assert away[0] > away[1] > away[2]
    for given in ({"callback": lambda *at: None}, {"sequence": 0}, {"adapt": True}):
        with pytest.raises(ValueError, match="give times"):
            model.complete(motion(new), **given)


def test_a_sequence_of_which_nothing_is_seen_is_the_prior(model: DynamicalGPLVM) -> None:
    nothing = np.full((5, 12), np.nan)
    path, std = model.transform_sequence(nothing, times=np.arange(5.0), return_std=True)
    np.testing.assert_allclose(path, 0.0, atol=1e-12)
    np.testing.assert_allclose(std**2, model.time_kernel_.diag(np.zeros((1, 1)))[0], rtol=1e-6)


@pytest.mark.slow
def test_a_sequence_unlike_the_trained_one_adapts_the_mapping(model: DynamicalGPLVM) -> None:
    """The new motion has wider oscillations. Its complete rows inform the mapping in the new
    region.
    """
    new = np.linspace(0.0, 20.0, 100)
    truth = motion(new, seed=3, width=2.0)
    rows = truth.copy()
    rows[50:, 6:] = np.nan
    hidden = np.isnan(rows)
    held = model.complete(rows, times=new)
    adapted, std = model.complete(rows, times=new, adapt=True, return_std=True)
    error = np.abs(adapted - truth)[hidden]
    assert error.mean() < 0.6 * np.abs(held - truth)[hidden].mean()
    assert (error < 3 * std[hidden]).mean() > 0.9
    path = model.transform_sequence(rows, times=new, adapt=True)
    assert np.abs(path - model.transform_sequence(rows, times=new)).max() > 0.01


def test_a_new_sequence_in_linear_time_is_that_in_dense_algebra(times: np.ndarray) -> None:
    model = DynamicalGPLVM(2, 15, time_kernel="matern32", max_iter=40, random_state=0)
    model.fit(motion(times), times=times)
    new, empty = np.linspace(0.0, 4.0, 25)[:, None], Path(np.zeros((0, 2)), np.zeros((0, 2)))
    rows = motion(new[:, 0], seed=6)
    rows[8:14] = np.nan
    prior = continued(model.time_kernel_, np.zeros((0, 1)), empty, new)
    assert prior.over_time is not None
    start = np.zeros((25, 2))
    network, seen = model._network, {DATA: rows}
    linear = infer_path(network, seen, prior, start).beliefs[0]
    dense = infer_path(network, seen, replace(prior, over_time=None), start).beliefs[0]
    np.testing.assert_allclose(linear.mean, dense.mean, atol=1e-6)
    np.testing.assert_allclose(linear.variance, dense.variance, rtol=1e-5)


def test_a_single_row_is_a_new_point(model: DynamicalGPLVM, times: np.ndarray) -> None:
    """With one row and a prior N(0, I), path inference is ordinary projection."""
    row = motion(times)[10:11].copy()
    row[0, 3:] = np.nan
    found = model.fitted_.placed({DATA: row})
    prior = Continued(np.zeros((1, 3)), np.ones((3, 1, 1)))
    path = infer_path(model._network, {DATA: row}, prior, found.best.mean)
    belief = path.beliefs[0]
    assert path.ending == "at rest"
    np.testing.assert_allclose(belief.mean, found.best.mean, atol=1e-2)
    np.testing.assert_allclose(belief.variance, found.best.variance, rtol=0.05)


def test_sampled_sequences_move_smoothly(model: DynamicalGPLVM, times: np.ndarray) -> None:
    draws = model.sample_sequence(times[:40], n_samples=3, random_state=0)
    assert draws.shape == (3, 40, 12)
    step = np.abs(np.diff(draws, axis=1)).mean()
    assert step < 0.3 * draws.std()
    np.testing.assert_array_equal(
        draws, model.sample_sequence(times[:40], n_samples=3, random_state=0)
    )


def test_sequences_are_independent(times: np.ndarray) -> None:
    labels = np.repeat(["walk", "run"], 35)
    model = DynamicalGPLVM(2, 15, time_kernel="matern32", max_iter=40, random_state=0)
    model.fit(motion(times), times=times, sequences=labels)
    with pytest.raises(DataError, match=r"there are 2 sequences \(run, walk\): choose one"):
        model.forecast([10.0])
    with pytest.raises(DataError, match="there is no sequence 'jump'"):
        model.forecast([10.0], sequence="jump")
    # The distant end of one sequence has no influence on the other sequence.
    mean, _ = model.forecast_latent([1e3], sequence="run")
    np.testing.assert_allclose(mean, 0.0, atol=1e-12)
    rows = np.flatnonzero(labels == "run")
    found, variance = model.forecast_latent(times[rows], sequence="run")
    white = model.time_kernel_.parts[1].variance
    np.testing.assert_allclose(found, model.latent_mean_[rows], atol=6 * np.sqrt(white))
    assert (variance > 0).all()


@pytest.mark.slow
def test_stored_and_resumed(tmp_path, times: np.ndarray) -> None:
    targets = motion(times)

    def fresh(max_iter: int = 30) -> DynamicalGPLVM:
        return DynamicalGPLVM(2, 10, max_iter=max_iter, random_state=0)

    whole = fresh().fit(targets, times=times)
    runs = Until(lambda progress: progress.iteration == 12)
    fresh().fit(targets, times=times, callback=runs)
    resumed = fresh().fit(targets, times=times, resume=runs.last.run)
    assert resumed.bound_ == whole.bound_
    whole.save(tmp_path / "motion.gplvm")
    again = load(tmp_path / "motion.gplvm")
    np.testing.assert_array_equal(again.forecast([9.5]), whole.forecast([9.5]))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"times": np.r_[np.arange(69.0), np.nan]}, "times must be finite; the first .* row 69"),
        ({"times": np.arange(5.0)}, r"times must have an entry for each row, shape \(70,\)"),
        ({"times": ["noon"] * 70}, "must be numbers: could not"),
    ],
)
def test_times_that_do_not_fit(given: dict, words: str, times: np.ndarray) -> None:
    with pytest.raises(DataError, match=words):
        DynamicalGPLVM(2, 5, max_iter=3).fit(motion(times), **given)


def test_unknown_kernel_of_time(times: np.ndarray) -> None:
    with pytest.raises(KernelError, match="time_kernel must be one of 'rbf'"):
        DynamicalGPLVM(2, 5, time_kernel="matern72", max_iter=3).fit(motion(times))


def test_unusual_times_are_noted(times: np.ndarray) -> None:
    odd = times[::-1].copy()
    odd[1] = odd[0]
    labels = np.zeros(70, dtype=int)
    labels[-1] = 1
    kernel = Periodic(1e-3, 1.0, 50.0) + White(1e-4)
    model = DynamicalGPLVM(2, 5, time_kernel=kernel, max_iter=3, random_state=0)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.fit(motion(times), times=odd, sequences=labels)
    words = " ".join(str(each.message) for each in told)
    for part in (
        "only one row",
        "not in the order",
        "1 row has the same time as another",
        "longer than",
        "paths of standard deviation 3.3e-02",
    ):
        assert part in words
    assert np.isfinite(model.bound_)


def test_vector_inputs_in_the_place_of_time(times: np.ndarray) -> None:
    places = np.column_stack([np.cos(times), np.sin(times)])
    model = DynamicalGPLVM(2, 15, time_kernel="rbf", max_iter=40, random_state=0)
    model.fit(motion(times), times=places)
    assert model.forecast(places[:3] + 0.01).shape == (3, 12)
    with pytest.raises(DataError, match="times have 1 column, but the model was trained with 2"):
        model.forecast([1.0])


@pytest.mark.slow
def test_views_have_different_rates_and_sequences_different_lengths() -> None:
    """One of two views has every fourth frame, and the sequences have 120, 9 and 30 frames."""
    draw, lengths = np.random.default_rng(0), [120, 9, 30]

    def circle(count: int, phase: float) -> np.ndarray:
        angle = 0.2 * np.arange(count) + phase
        return np.column_stack([np.sin(angle), np.cos(angle)])

    to_fast, to_slow = draw.standard_normal((2, 8)), draw.standard_normal((2, 5))
    states = np.vstack([circle(*each) for each in zip(lengths, (0.0, 1.0, 2.0), strict=True)])
    fast = np.tanh(states @ to_fast) + 0.05 * draw.standard_normal((159, 8))
    slow = np.tanh(states @ to_slow) + 0.05 * draw.standard_normal((159, 5))
    slow[np.arange(159) % 4 != 0] = np.nan
    model = ManifoldRelevance(
        4, n_inducing=20, time_kernel="matern32", max_iter=150, random_state=0
    )
    when = np.concatenate([np.arange(count) for count in lengths])
    sequences = np.repeat(["a", "b", "c"], lengths)
    model.fit({"fast": fast, "slow": slow}, times=0.2 * when, sequences=sequences)
    new = circle(40, 0.5)
    seen, truth = np.tanh(new @ to_fast), np.tanh(new @ to_slow)
    seen += 0.05 * draw.standard_normal(seen.shape)
    mean, std = model.transfer({"fast": seen}, "slow", times=0.2 * np.arange(40), return_std=True)
    assert np.sqrt(np.mean((mean - truth) ** 2)) < 0.1 * truth.std()
    assert np.mean(np.abs(mean - truth) < 1.96 * std) > 0.9
