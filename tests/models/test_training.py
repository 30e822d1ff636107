"""Tests of training: phases, callbacks, resuming, restarts, and the results' attributes."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_digits

from gplvm_core import (
    GPLVM,
    RBF,
    BayesianGPLVM,
    Bias,
    DynamicalGPLVM,
    Linear,
    StateSpaceGPLVM,
    White,
    evaluate_bound,
)
from gplvm_core.datasets import load_dataset
from gplvm_core.optimise import Progress
from tests.cases import quickly
from tests.until import Until


@pytest.fixture(scope="module")
def digits() -> np.ndarray:
    data = load_digits().data[:100]
    return data[:, data.std(axis=0) > 0]


def small(**settings) -> BayesianGPLVM:
    return BayesianGPLVM(**{"n_components": 3, "n_inducing": 10, "random_state": 0} | settings)


@pytest.fixture(scope="module")
def thirty(digits) -> BayesianGPLVM:
    return small(max_iter=30).fit(digits)


def test_bound_only_rises_and_is_that_of_evaluate_bound(digits, thirty) -> None:
    model = thirty
    bound = model.trace_["bound"]
    assert len(bound) == 30
    assert (np.diff(bound) >= 0).all()
    assert (np.diff(model.trace_["evaluations"]) >= 1).all()
    scaled = (digits - model.center_) / model.scale_
    expected, _ = evaluate_bound(
        scaled,
        model.latent_mean_,
        model.latent_variance_,
        model.inducing_,
        model.kernel_,
        model.noise_variance_,
        model.posterior_.jitter,
    )
    assert model.bound_ == pytest.approx(expected - digits.size * np.log(model.scale_[0]), rel=1e-9)
    assert model.bound_ >= bound[-1] - 1e-6 * abs(bound[-1])
    assert model.result_.status == "limit"
    assert "max_iter = 30" in model.result_.reason


@pytest.mark.parametrize("stop", quickly([3, 17, 26], [17]))
def test_resumed_is_not_interrupted(stop: int, digits, thirty) -> None:
    whole = thirty
    kept = Until(lambda progress: progress.iteration == stop)
    part = small(max_iter=30)
    part.fit(digits, callback=kept)
    assert part.result_.status == "stopped"
    assert [p.iteration for p in kept.reports] == list(range(1, stop + 1))
    resumed = small(max_iter=30).fit(digits, resume=kept.last.run)
    np.testing.assert_array_equal(resumed.trace_["bound"], whole.trace_["bound"])
    np.testing.assert_array_equal(resumed.latent_mean_, whole.latent_mean_)
    assert resumed.result_.evaluations == whole.result_.evaluations


def test_a_longer_run_continues(digits) -> None:
    runs: list[Progress] = []
    first = small(max_iter=10).fit(digits, callback=runs.append)
    longer = small(max_iter=20).fit(digits, resume=runs[-1].run)
    assert len(longer.trace_["bound"]) == 20
    assert longer.bound_ > first.bound_


def test_of_several_starts_the_best_continues(digits) -> None:
    runs: list[Progress] = []
    first = small(max_iter=15, n_restarts=3, random_state=1).fit(digits, callback=runs.append)
    longer = small(max_iter=25, n_restarts=3, random_state=1).fit(digits, resume=runs[-1].run)
    best = max(first.restarts_, key=lambda restart: restart.bound)
    assert best.seed != first.restarts_[-1].seed
    assert longer.restarts_[-1].seed == best.seed
    np.testing.assert_array_equal(longer.trace_["bound"][:15], first.trace_["bound"])
    assert longer.bound_ > first.bound_


def test_progress_has_the_values_that_the_page_shows(digits) -> None:
    told: list[Progress] = []
    model = small(max_iter=12).fit(digits, callback=told.append)
    last = told[-1]
    assert last.bound == model.trace_["bound"][-1]
    assert last.relevance.shape == last.information.shape == (3,)
    assert last.latent_mean.shape == (100, 3)
    assert last.noise_variance > 0
    assert told[0].seconds_left > 0
    assert last.seconds_left == 0
    assert {p.phase for p in told} >= {"noise held", "all free"}


def test_best_restart_is_kept(digits) -> None:
    model = small(max_iter=15, n_restarts=3).fit(digits)
    bounds = [restart.bound for restart in model.restarts_]
    assert len(set(bounds)) == 3
    assert model.trace_["bound"][-1] == max(bounds)


def test_with_automatic_starts_only_the_best_short_start_continues(digits) -> None:
    kept: list[Progress] = []
    whole = small(max_iter=20, n_restarts="auto").fit(digits, callback=kept.append)
    others = whole.restarts_[:-1]
    assert {each.recipe for each in whole.restarts_} == {"PCA", "Isomap"}
    assert [each.result.iterations for each in whole.restarts_] == [5, 5, 5, 20]
    assert all("only the best start continued" in each.result.reason for each in others)
    assert whole.bound_ > max(each.bound for each in others)
    # At the fifth iteration, the start that continued was the best.
    assert whole.trace_["bound"][4] > max(each.bound for each in others)
    # The best start continues as if it had been the only start.
    run = next(
        each.run for each in kept if each.run.seeds[len(each.run.done)] == whole.restarts_[-1].seed
    )
    at = len(run.done)
    only = replace(
        run,
        seeds=run.seeds[at : at + 1],
        recipes=run.recipes[at : at + 1],
        done=(),
        limit=0,
        leader=None,
    )
    alone = small(max_iter=20).fit(digits, resume=only)
    np.testing.assert_array_equal(alone.trace_["bound"], whole.trace_["bound"])
    shares = [each.share for each in kept]
    assert len(kept) == 35  # the iterations are 1.75 times those of one start
    assert all(np.diff(shares) > 0)
    assert shares[-1] == 1.0


@pytest.mark.parametrize("stop", quickly([8, 19, 27], [19]))
def test_a_stopped_race_of_starts_resumes_to_the_same_numbers(stop: int, digits) -> None:
    kept: list[Progress] = []
    whole = small(max_iter=20, n_restarts="auto").fit(digits, callback=kept.append)
    resumed = small(max_iter=20, n_restarts="auto").fit(digits, resume=kept[stop].run)
    np.testing.assert_array_equal(resumed.trace_["bound"], whole.trace_["bound"])
    assert resumed.restarts_ == whole.restarts_


def test_automatic_starts_of_a_large_table_are_one_start() -> None:
    rows = np.random.default_rng(0).standard_normal((1001, 3))
    model = small(max_iter=2, n_components=1, n_restarts="auto").fit(rows)
    assert len(model.restarts_) == 1


def test_the_same_seed_gives_the_same_numbers_for_any_threads(digits) -> None:
    first, second = (small(max_iter=10, n_jobs=jobs).fit(digits) for jobs in (1, 2))
    assert first.bound_ == second.bound_


@pytest.mark.parametrize(
    "kernel", [RBF() + Linear(0.1), RBF() + Bias() + White(0.01), "linear"], ids=str
)
def test_other_kernels_train(kernel, digits) -> None:
    model = small(kernel=kernel, max_iter=15).fit(digits)
    assert model.trace_["bound"][-1] > model.trace_["bound"][0]


def test_sums_share_one_scale_and_keep_their_proportions_free(digits) -> None:
    rbf, linear = small(kernel=RBF() + Linear(0.5), max_iter=15).fit(digits).kernel_.parts
    assert np.ptp(linear.variance) > 0
    assert not np.allclose(linear.variance / rbf.variance, 0.5)


def test_capped_inducing_inputs_are_reported() -> None:
    targets = np.random.default_rng(0).normal(size=(12, 3))
    with pytest.warns(UserWarning, match="n_inducing = 50 is capped at the number of points, 12"):
        model = BayesianGPLVM(2, 50, max_iter=3, random_state=0).fit(targets)
    assert model.inducing_.shape == (12, 2)
    assert any("capped" in note for note in model.notes_)


def test_full_gplvm_without_prior_knowledge_beats_its_start(digits) -> None:
    model = GPLVM(2, max_iter=25, random_state=0).fit(digits)
    assert model.trace_["bound"][-1] > model.trace_["bound"][0] + 100


def test_dimensions_switch_off() -> None:
    """A curve in many dimensions needs few latent dimensions; the rest carry no information."""
    generator = np.random.default_rng(1)
    t = generator.normal(size=(150, 1))
    targets = np.hstack([np.sin(t), np.cos(t), t, t**2]) @ generator.normal(size=(4, 12))
    targets = targets + 0.05 * generator.normal(size=targets.shape)
    model = BayesianGPLVM(6, 20, max_iter=200, random_state=0).fit(targets)
    assert model.n_effective_ < 4
    assert set(np.flatnonzero(model.information_ > 0.05)) <= set(np.argsort(-model.relevance_)[:3])


@pytest.mark.slow
def test_new_rows_find_their_place() -> None:
    data = load_dataset("flow")
    model = BayesianGPLVM(4, 25, max_iter=120, random_state=0).fit(data.values[::2])
    latent, std = model.transform(data.values[1::2], return_std=True)
    assert (std > 0).all()
    error = np.abs(model.inverse_transform(latent) - data.values[1::2]).mean()
    assert error < 0.3 * np.abs(data.values - data.values.mean(axis=0)).mean()
    # A training row is inferred at its trained position.
    again = model.transform(data.values[::2][:20])
    assert np.abs(again - model.latent_mean_[:20]).max() < 0.5


def test_a_row_is_inferred_the_same_in_any_company(digits, thirty) -> None:
    model = thirty
    together = model.transform(digits)
    np.testing.assert_array_equal(model.transform(digits[::-1])[::-1], together)
    np.testing.assert_array_equal(model.transform(digits[7:8]), together[7:8])


@pytest.mark.parametrize("weight", [None, pytest.param(0.25, marks=pytest.mark.slow)])
def test_more_inducing_inputs_are_tried_after_training(weight, digits) -> None:
    model, outputs = small(max_iter=30), digits
    if weight is not None:
        settings = {"time_kernel": "matern32", "max_iter": 30, "random_state": 0}
        model = DynamicalGPLVM(3, 10, data_weight=weight, **settings)
        outputs = np.sin(np.outer(np.arange(80), np.linspace(0.1, 0.4, 30)))
        outputs += 0.1 * np.random.default_rng(0).standard_normal(outputs.shape)
    found = model.fit(outputs).more_inducing_
    assert (found.now, found.more, found.n_rows) == (10, 20, len(outputs))
    # The same by a search for the noise and the scale that are best for the new inducing inputs.
    rows = np.random.default_rng(model.restarts_[0].seed).choice(len(outputs), 10, replace=False)
    inducing = np.vstack([model.inducing_, model.latent_mean_[rows]])
    scaled = (outputs - model.center_) / model.scale_

    def bound(logs: np.ndarray, inducing: np.ndarray) -> float:
        noise, scale = np.exp(logs)
        kernel = replace(model.kernel_, variance=scale * model.kernel_.variance)
        belief = model.latent_mean_, model.latent_variance_
        own = inducing, kernel, noise * model.noise_variance_, scale * model.posterior_.jitter
        return evaluate_bound(scaled, *belief, *own)[0]

    best = minimize(lambda logs: -bound(logs, inducing), np.zeros(2), method="Nelder-Mead")
    before = bound(np.zeros(2), model.inducing_)
    assert found.rise > 1.0
    assert found.rise == pytest.approx(-best.fun - before, abs=0.01)
    assert "With 20 inducing points instead of 10" in found.sentence()
    assert "does not promise better predictions" in found.sentence()


def test_more_inducing_inputs_than_rows_are_impossible(digits) -> None:
    model = small(max_iter=5, n_inducing=20, kernel=RBF()).fit(digits[:20])
    assert model.more_inducing_ is None
    assert small(max_iter=5, n_inducing=15).fit(digits[:20]).more_inducing_.more == 20


def test_a_straight_line_needs_no_more_inducing_inputs() -> None:
    generator = np.random.default_rng(0)
    line = np.outer(generator.standard_normal(60), [1.0, -2.0, 0.5])
    line += 0.3 * generator.standard_normal(line.shape)
    found = small(n_components=1, max_iter=100).fit(line).more_inducing_
    assert 0 <= found.rise < 0.02 * 60
    assert "would rise by less than 0.02 nats per row at once" in found.sentence()


@pytest.mark.parametrize("n_restarts", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_failure_in_a_later_phase_keeps_the_last_good_state(n_restarts: int) -> None:
    """With a tiny jitter, rounding errors end the training of some curves without noise.

    Processors round differently, so the test takes the first of several curves whose training ends.
    """
    settings = {"jitter": 1e-13, "max_iter": 60, "n_restarts": n_restarts, "random_state": 0}
    for curve in (a_curve(1e-4, seed) for seed in range(2, 12)):
        kept: list[Progress] = []
        model = fitted_quietly(StateSpaceGPLVM(2, 20, **settings), curve, callback=kept.append)
        failed = [each.result for each in model.restarts_ if each.result.failure]
        if failed:
            break
    assert 10 < failed[0].iterations < 60 and "rounding errors" in failed[0].failure
    assert any(f"after {failed[0].iterations} iterations, is kept" in note for note in model.notes_)
    assert np.isfinite(model.bound_)
    assert np.isfinite(model.forecast(np.arange(40, 45))).all()
    if n_restarts == 1:
        again = StateSpaceGPLVM(2, 20, **settings)
        with pytest.warns(UserWarning, match="training ended after the phase"):
            again.fit(curve, resume=kept[-1].run)
        np.testing.assert_array_equal(again.latent_mean_, model.latent_mean_)


def test_a_start_that_cannot_begin_does_not_end_the_others() -> None:
    """With some jitter, the bound can be computed at the inducing inputs of some seeds only."""
    for jitter in np.geomspace(1e-11, 1e-13, 25):
        settings = {"jitter": jitter, "max_iter": 3, "n_restarts": 6, "random_state": 0}
        model = fitted_quietly(BayesianGPLVM(1, 18, **settings), a_curve(0.01, 1))
        bounds = np.array([each.bound for each in model.restarts_])
        if np.isneginf(bounds).any():
            break
    assert np.isneginf(bounds).any() and np.isfinite(bounds).any()
    assert model.result_.failure == ""
    assert any("training cannot start" in note for note in model.notes_)
    assert model.bound_ == pytest.approx(bounds.max())


def a_curve(noise: float, seed: int) -> np.ndarray:
    times = np.linspace(0.0, 6.0, 40)
    curve = np.column_stack([np.sin(times), np.cos(times), np.sin(2.0 * times)])
    return curve + noise * np.random.default_rng(seed).standard_normal(curve.shape)


def fitted_quietly(model, *data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return model.fit(*data, **options)


def test_training_ends_when_the_bound_hardly_rises_and_says_so():
    generator = np.random.default_rng(0)
    plane = generator.normal(size=(80, 2)) @ generator.normal(size=(2, 6))
    rows = plane + 0.3 * generator.normal(size=plane.shape)
    model = BayesianGPLVM(3, n_inducing=10, max_iter=400, n_restarts=1, random_state=0).fit(rows)
    bounds = model.trace_["bound"]
    assert model.result_.status == "converged" and len(bounds) < 300
    assert "rose by less than 0.001 nats a row in 20 iterations" in model.result_.reason
    assert bounds[-1] - bounds[-21] < 0.001 * len(rows)
    # More iterations can be asked for; the bound does not fall.
    runs = []
    fresh = BayesianGPLVM(3, n_inducing=10, max_iter=400, n_restarts=1, random_state=0)
    fresh.fit(rows, callback=lambda progress: runs.append(progress.run))
    longer = fresh.set_params(max_iter=600).fit(rows, resume=runs[-1])
    assert longer.n_iter_ > model.n_iter_ and longer.bound_ >= model.bound_
