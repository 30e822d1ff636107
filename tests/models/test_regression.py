"""Tests of regression at exact and at uncertain inputs, against dense Gaussian-process algebra."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF as ExactRBF
from sklearn.gaussian_process.kernels import ConstantKernel

import gplvm_core
from gplvm_core import RBF, DeepGP, Linear
from gplvm_core.datasets import DataError
from gplvm_core.models.data.inputs import Inputs
from gplvm_core.models.estimators.regression import SparseGPRegression
from gplvm_core.models.problems import regression
from gplvm_core.models.problems.regression import RegressionStart
from gplvm_core.statistics import Targets
from gplvm_core.statistics.reduce import serial
from tests.until import Until


def curve(n_points: int = 40, n_outputs: int = 2, seed: int = 0):
    """Return inputs with different units, outputs that depend on two of three inputs, and the
    function.
    """
    generator = np.random.default_rng(seed)
    inputs = generator.uniform(-2.0, 2.0, (n_points, 3))
    slopes = np.arange(1, n_outputs + 1)

    def function(at: np.ndarray) -> np.ndarray:
        return np.sin(2.0 * at[:, :1] * slopes**0.5) + 0.5 * at[:, 1:2] ** 2

    outputs = function(inputs) + 0.1 * generator.normal(size=(n_points, n_outputs))
    return 3.0 * inputs + 10.0, 5.0 * outputs - 2.0, lambda at: 5.0 * function((at - 10) / 3) - 2


def small(**settings) -> SparseGPRegression:
    return SparseGPRegression(**{"n_inducing": 12, "max_iter": 60, "random_state": 0} | settings)


@pytest.fixture
def plain(trained) -> SparseGPRegression:
    return trained(small(), *curve()[:2])


def covariances(model: SparseGPRegression, inputs: np.ndarray, new: np.ndarray):
    """Compute K, k* and k** in internal units from the formula of the RBF."""
    kernel, scale = model.kernel_, model.input_scale_

    def cross(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        apart = (first[:, None] - second[None]) / scale / kernel.lengthscale
        return kernel.variance * np.exp(-0.5 * np.sum(apart**2, axis=2))

    return cross(inputs, inputs), cross(new, inputs), cross(new, new)


@pytest.mark.parametrize("n_inducing", [60, 150])
def test_a_smooth_function_with_many_inducing_inputs_trains(n_inducing: int) -> None:
    """A table with words: K is singular up to rounding, and the bound stays below log p(y)."""
    generator = np.random.default_rng(1)
    words, numbers = generator.integers(0, 4, 150), generator.uniform(-1.0, 1.0, (150, 2))
    inputs = np.hstack([numbers, np.eye(4)[words]])
    outputs = numbers[:, :1] + 0.3 * words[:, None] + 0.02 * generator.normal(size=(150, 1))
    model = small(n_inducing=n_inducing).fit(inputs, outputs)
    kernel, posterior = model.kernel_, model.posterior_
    exact = GaussianProcessRegressor(
        ConstantKernel(kernel.variance) * ExactRBF(kernel.lengthscale),
        alpha=posterior.noise_variance,
        optimizer=None,
    ).fit(
        (inputs - model.input_center_) / model.input_scale_,
        (outputs - posterior.center) / posterior.scale,
    )
    most = exact.log_marginal_likelihood_value_ - 150 * np.log(float(np.ravel(posterior.scale)[0]))
    assert most - 2.0 < model.bound_ < most
    assert model.result_.rejected == 0
    # With one output, separate noise is shared noise.
    alone = small(n_inducing=n_inducing, noise="per_output").fit(inputs, outputs)
    assert alone.bound_ == pytest.approx(model.bound_, abs=0.5)


@pytest.mark.filterwarnings("ignore:n_inducing")
@pytest.mark.parametrize("n_inducing", [100, "auto"])
def test_with_all_inputs_inducing_it_is_the_exact_gaussian_process(n_inducing) -> None:
    inputs, outputs, _ = curve()
    model = small(n_inducing=n_inducing, jitter=1e-8).fit(inputs, outputs)
    new = inputs[:7] + 0.3
    gram, cross, prior = covariances(model, inputs, new)
    noisy = gram + model.noise_variance_ * np.eye(len(inputs))
    scaled = (outputs - outputs.mean(axis=0)) / outputs.std(axis=0)
    evidence = multivariate_normal(np.zeros(len(inputs)), noisy).logpdf(scaled.T).sum()
    evidence -= len(inputs) * np.log(outputs.std(axis=0)).sum()
    assert model.bound_ == pytest.approx(evidence, abs=1e-5 * abs(evidence))
    mean = outputs.mean(axis=0) + outputs.std(axis=0) * (cross @ np.linalg.solve(noisy, scaled))
    variance = np.diagonal(prior - cross @ np.linalg.solve(noisy, cross.T))
    found, std = model.predict(new, noise=False, return_std=True)
    np.testing.assert_allclose(found, mean, atol=1e-5 * outputs.std())
    np.testing.assert_allclose(
        std, np.sqrt(variance)[:, None] * outputs.std(axis=0), rtol=1e-4, atol=1e-8
    )


def test_fewer_inducing_inputs_give_titsias_bound_below_the_evidence() -> None:
    inputs, outputs, function = curve(100, n_outputs=1)
    model = small().fit(inputs, outputs[:, 0])
    inducing = model.input_center_ + model.input_scale_ * model.inducing_
    gram, cross, own = covariances(model, inducing, inputs)
    gram = gram + model.posterior_.jitter * np.eye(len(gram))
    low_rank = cross @ np.linalg.solve(gram, cross.T)
    noise, scale = model.noise_variance_, outputs.std()
    scaled = (outputs[:, 0] - outputs.mean()) / scale
    zero, identity = np.zeros(len(inputs)), np.eye(len(inputs))
    bound = multivariate_normal(zero, low_rank + noise * identity).logpdf(scaled)
    bound -= 0.5 * np.trace(own - low_rank) / noise + len(inputs) * np.log(scale)
    evidence = multivariate_normal(zero, own + noise * identity).logpdf(scaled)
    assert model.bound_ == pytest.approx(bound, abs=1e-5 * abs(bound))
    assert model.bound_ <= evidence - len(inputs) * np.log(scale)
    # The model predicts new points and finds the inputs that matter.
    new = curve(200, 1, seed=1)[0]
    error = model.predict(new) - function(new)[:, 0]
    assert np.sqrt(np.mean(error**2)) < 0.15 * function(new).std()
    assert model.relevance_[2] < 0.05 * model.relevance_[0]


def test_columns_with_gaps_of_their_own_share_one_kernel() -> None:
    inputs, outputs, _ = curve()
    gaps = outputs.copy()
    gaps[:9, 0], gaps[25:, 1] = np.nan, np.nan
    with pytest.warns(UserWarning, match="capped"):
        model = small(n_inducing=100, jitter=1e-8).fit(inputs, gaps)
    gram, _, _ = covariances(model, inputs, inputs[:1])
    expected = 0.0
    for d in range(2):
        there = ~np.isnan(gaps[:, d])
        column = gaps[there, d]
        covariance = gram[np.ix_(there, there)] + model.noise_variance_ * np.eye(there.sum())
        scaled = (column - column.mean()) / column.std()
        expected += multivariate_normal(np.zeros(there.sum()), covariance).logpdf(scaled)
        expected -= there.sum() * np.log(column.std())
    assert model.bound_ == pytest.approx(expected, abs=1e-5 * abs(expected))


@pytest.mark.parametrize("kernel", ["rbf", RBF(1.0, 2.0) + Linear(0.3)], ids=["rbf", "sum"])
def test_moments_at_uncertain_inputs_against_monte_carlo(kernel) -> None:
    inputs, outputs, _ = curve()
    model = small(kernel=kernel).fit(inputs, outputs)
    new, variance = inputs[:3] + 0.4, np.array([1.5, 0.4, 0.0])
    mean, std = model.predict(new, X_variance=variance, return_std=True)
    generator = np.random.default_rng(0)
    n_draws = 40_000
    draws = new + np.sqrt(variance) * generator.standard_normal((n_draws, 3, 3))
    means, stds = model.predict(draws.reshape(-1, 3), return_std=True)
    means, stds = means.reshape(n_draws, 3, 2), stds.reshape(n_draws, 3, 2)
    error = means.std(axis=0) / np.sqrt(n_draws)
    assert (np.abs(mean - means.mean(axis=0)) < 5 * error).all()
    np.testing.assert_allclose(std**2, means.var(axis=0) + (stds**2).mean(axis=0), rtol=0.03)
    np.testing.assert_allclose(
        model.predict(new, X_variance=0.0, return_std=True), model.predict(new, return_std=True)
    )


@pytest.mark.parametrize("model", [SparseGPRegression(20), DeepGP(1, 10)])
def test_plain_intervals_hold_new_outputs(model) -> None:
    generator = np.random.default_rng(0)
    inputs = generator.uniform(-3.0, 3.0, (400, 1))
    outputs = np.sin(inputs[:, 0]) + 0.3 * generator.standard_normal(400)
    model.set_params(max_iter=40, random_state=0).fit(inputs[:100], outputs[:100])
    mean, std = model.predict(inputs[100:], return_std=True)
    assert 0.92 < np.mean(np.abs(outputs[100:] - mean) < norm.ppf(0.975) * std) < 0.98
    _, function = model.predict(inputs[100:], noise=False, return_std=True)
    assert function.max() < 0.25 < std.min()


@pytest.mark.parametrize("noise", ["shared", "per_output"])
def test_quantiles_draws_and_densities_are_those_of_the_predictive_gaussian(noise: str) -> None:
    inputs, outputs, _ = curve(40)
    model = small(noise=noise).fit(inputs[:30], outputs[:30])
    new, aside = inputs[30:], outputs[30:].copy()
    aside[0, 1] = np.nan
    mean, std = model.predict(new, return_std=True)
    expected = np.nansum(norm.logpdf(aside, mean, std), axis=1)
    np.testing.assert_allclose(model.score_samples(new, aside), expected, rtol=1e-10)
    low, high = model.predict_quantiles(new, (0.05, 0.95))
    np.testing.assert_allclose(low, mean + norm.ppf(0.05) * std, rtol=1e-6)
    np.testing.assert_allclose(high, mean + norm.ppf(0.95) * std, rtol=1e-6)
    drawn = model.sample(new, 4000, random_state=0)
    assert drawn.shape == (4000, 10, 2)
    assert (np.abs(drawn.mean(axis=0) - mean) < 5 * std / np.sqrt(4000)).all()
    np.testing.assert_allclose(drawn.std(axis=0), std, rtol=0.06)


def noisy_inputs(seed: int = 0):
    generator = np.random.default_rng(seed)
    true = generator.uniform(-4.0, 4.0, (120, 1))
    outputs = 2.0 * np.tanh(3.0 * true) + np.sin(2.0 * true)
    observed = true + 0.25 * generator.normal(size=true.shape)
    return observed, (outputs + 0.05 * generator.normal(size=true.shape))[:, 0], true


@pytest.mark.slow
def test_input_noise_is_learnt_and_separated_from_output_noise() -> None:
    observed, outputs, true = noisy_inputs()
    exact = small(n_inducing=25, max_iter=200).fit(observed, outputs)
    aware = small(n_inducing=25, max_iter=200).fit(observed, outputs, X_variance="learned")
    learnt = np.sqrt(aware.input_noise_variance_)
    np.testing.assert_allclose(learnt, 0.25, rtol=0.3)
    assert np.ptp(learnt) == 0.0
    # The output noise is 0.05 and the function is steep: with exact inputs, input noise looks like
    # output noise.
    assert exact.noise_std_[0] > 0.4
    assert aware.noise_std_[0] < 0.2
    assert aware.bound_ > exact.bound_ + 30.0
    # The outputs correct the inputs, and q(X) has about the right uncertainty.
    error = np.mean((aware.input_mean_ - true) ** 2)
    assert error < 0.6 * np.mean((observed - true) ** 2)
    assert 0.1 < np.mean((aware.input_mean_ - true) ** 2 / aware.input_variance_) < 10.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "n_rows", "most"),
    [(SparseGPRegression, 1999, 200), (SparseGPRegression, 2000, 50), (DeepGP, 1999, 100),
     (DeepGP, 2000, 50)],
)  # fmt: skip
def test_small_tables_have_more_inducing_inputs_by_default(kind, n_rows: int, most: int) -> None:
    inputs = np.random.default_rng(0).normal(size=(n_rows, 2))
    model = kind(max_iter=1, random_state=0).fit(inputs, np.sin(inputs[:, 0]))
    layers = getattr(model, "layers_", (model,))
    assert [len(each.posterior_.inducing) for each in layers] == [most] * len(layers)
    assert not any("capped" in note for note in model.notes_)


@pytest.mark.slow
def test_no_input_noise_is_learnt_for_exact_inputs() -> None:
    inputs, outputs, _ = curve()
    exact = small(max_iter=200).fit(inputs, outputs)
    aware = small(max_iter=200).fit(inputs, outputs, X_variance="learned")
    assert aware.input_noise_variance_[0, 0] < 1e-2 * inputs[:, 0].var()
    assert aware.bound_ == pytest.approx(exact.bound_, abs=1.0)


def test_known_input_noise_gives_the_sum_of_its_terms() -> None:
    observed, outputs, _ = noisy_inputs()
    model = small(max_iter=30).fit(observed, outputs, X_variance=0.0625)
    np.testing.assert_allclose(model.input_noise_variance_, 0.0625)
    # The bound is the evidence under q(X), without the constraint on the inputs, minus the KL of
    # q(X) to N(z, Σ).
    internal = (model.input_mean_ - model.input_center_) / model.input_scale_
    spread = model.input_variance_ / model.input_scale_**2
    scaled = (outputs - outputs.mean()) / outputs.std()
    standard, _ = gplvm_core.evaluate_bound(
        scaled[:, None],
        internal,
        spread,
        model.inducing_,
        model.kernel_,
        model.noise_variance_,
        model.posterior_.jitter,
    )
    standard += 0.5 * np.sum(internal**2 + spread - np.log(spread) - 1.0)
    moved = (model.input_mean_ - observed) ** 2
    ratio = model.input_variance_ / 0.0625
    cost = 0.5 * np.sum(moved / 0.0625 + ratio - np.log(ratio) - 1.0)
    expected = standard - cost - len(outputs) * np.log(outputs.std())
    assert model.bound_ == pytest.approx(expected, rel=1e-8)


def test_constrained_beliefs_stay_centred_on_the_observations() -> None:
    observed, outputs, _ = noisy_inputs()
    model = small(constrained=True).fit(observed, outputs, X_variance=0.0625)
    np.testing.assert_allclose(model.input_mean_, observed)
    np.testing.assert_allclose(model.input_variance_, 0.0625)
    learnt = small(constrained=True).fit(observed, outputs, X_variance="learned")
    np.testing.assert_allclose(learnt.input_mean_, observed)
    assert learnt.bound_ > model.bound_


def test_entries_without_noise_are_exact(plain) -> None:
    inputs, outputs, _ = curve()
    variance, exact = np.zeros_like(inputs), plain
    assert small().fit(inputs, outputs, X_variance=variance).bound_ == exact.bound_
    variance[3, 1] = 2.0
    model = small().fit(inputs, outputs, X_variance=variance)
    moved = np.argwhere(model.input_mean_ != exact.input_mean_)
    np.testing.assert_array_equal(moved, [[3, 1]])
    np.testing.assert_array_equal(np.argwhere(model.input_variance_ > 0), [[3, 1]])


@pytest.mark.parametrize("variance", [None, "learned"])
def test_units_change_nothing_but_the_bound(variance) -> None:
    inputs, outputs, _ = curve()
    plain = small(max_iter=20).fit(inputs, outputs, X_variance=variance)
    other = small(max_iter=20).fit(1e12 * inputs - 3e12, 1e-9 * outputs, X_variance=variance)
    np.testing.assert_allclose(
        other.predict(1e12 * inputs - 3e12) / 1e-9, plain.predict(inputs), rtol=1e-4, atol=1e-4
    )
    assert other.bound_ == pytest.approx(plain.bound_ - outputs.size * np.log(1e-9), rel=1e-5)


def test_one_output_or_several(plain) -> None:
    inputs, outputs, _ = curve()
    flat, table = (small(max_iter=20).fit(inputs, each) for each in (outputs[:, 0], outputs[:, :1]))
    assert flat.predict(inputs).shape == (40,)
    assert table.predict(inputs).shape == (40, 1)
    np.testing.assert_array_equal(flat.predict(inputs), table.predict(inputs)[:, 0])
    mean, std = plain.predict(inputs[:3], return_std=True)
    assert mean.shape == std.shape == (3, 2)
    assert (std >= 0.99 * plain.noise_std_).all()


@pytest.mark.parametrize("variance", [None, "learned"])
def test_resumed_is_not_interrupted(variance) -> None:
    inputs, outputs, _ = curve()
    whole = small(max_iter=30).fit(inputs, outputs, X_variance=variance)
    kept = Until(lambda progress: progress.iteration == 17)
    part = small(max_iter=30).fit(inputs, outputs, X_variance=variance, callback=kept)
    assert part.result_.status == "stopped"
    resumed = small(max_iter=30).fit(inputs, outputs, X_variance=variance, resume=kept.last.run)
    np.testing.assert_array_equal(resumed.trace_["bound"], whole.trace_["bound"])
    np.testing.assert_array_equal(resumed.predict(inputs), whole.predict(inputs))
    assert (np.diff(whole.trace_["bound"]) >= 0).all()
    assert whole.bound_ >= whole.trace_["bound"][-1] - 1e-6 * abs(whole.bound_)


def test_an_output_without_noise_does_not_stop_training() -> None:
    inputs = np.linspace(0.0, 6.0, 40)[:, None]
    model = small(n_inducing=20, max_iter=200).fit(inputs, np.sin(inputs[:, 0]))
    new = np.linspace(0.2, 5.8, 50)[:, None]
    np.testing.assert_allclose(model.predict(new), np.sin(new[:, 0]), atol=0.01)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_constant_columns_duplicates_and_two_rows() -> None:
    inputs, outputs, _ = curve()
    inputs[:, 2] = 7.0
    with pytest.warns(UserWarning, match="1 of 3 input columns is constant"):
        small(max_iter=10).fit(inputs, outputs)
    repeated = np.repeat(inputs[:5], 6, axis=0), np.repeat(outputs[:5], 6, axis=0)
    for points, values in (repeated, (inputs[:2], outputs[:2])):
        for variance in (None, "learned"):
            model = small(max_iter=10).fit(points, values, X_variance=variance)
            assert np.isfinite(model.bound_)
            assert np.isfinite(model.predict(points)).all()


def test_saved_and_loaded(tmp_path) -> None:
    inputs, outputs, _ = curve()
    model = small(max_iter=10).fit(inputs, outputs, X_variance="learned")
    model.save(tmp_path / "regression.gplvm")
    again = gplvm_core.load(tmp_path / "regression.gplvm")
    np.testing.assert_array_equal(again.predict(inputs), model.predict(inputs))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"X_variance": -1.0}, "none may be negative"),
        (
            {"X_variance": np.ones(2)},
            r"of shape \(3,\) or of X's shape \(40, 3\); got shape \(2,\)",
        ),
        ({"X_variance": "known"}, "must be None, 'learned' or variances"),
        ({"X_variance": np.nan}, "none may be negative, infinite or NaN"),
    ],
)
def test_variances_out_of_range(given: dict, words: str) -> None:
    inputs, outputs, _ = curve()
    with pytest.raises(ValueError, match=words):
        small().fit(inputs, outputs, **given)


def test_bad_data_in_words() -> None:
    inputs, outputs, _ = curve()
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        small().fit(inputs[:1], outputs[:1])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        small().fit(inputs, outputs[:-1])
    with pytest.raises(ValueError, match="dim 3"):
        small().fit(inputs, np.zeros((40, 2, 2)))
    with pytest.raises(ValueError, match="contains NaN"):
        small().fit(np.where(inputs > 12, np.nan, inputs), outputs)
    with pytest.raises(DataError, match="every column of the targets is constant"):
        small().fit(inputs, np.ones(40))
    with pytest.raises(ValueError, match="must be variances; got 'learned'"):
        small(max_iter=3).fit(inputs, outputs).predict(inputs, X_variance="learned")


def test_lengthscales_that_start_too_long_end_as_short_as_the_data_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = np.linspace(0.0, 1.0, 60)[:, None]
    y, standard = np.sin(20.0 * x), (x - x.mean()) / x.std()
    found = small(n_inducing=20, max_iter=50).fit(x, y)
    monkeypatch.setattr(regression, "SHORTEST", 1.0)
    start = RegressionStart(Inputs.of(standard, None), Targets.of(y), "rbf", 20, 1e-6, serial)
    assert start(0).layers[0].kernel.relevance.max() <= 1.0
    again = small(n_inducing=20, max_iter=50).fit(x, y)
    assert again.kernel_.lengthscale[0] < 0.5
    np.testing.assert_allclose(again.predict(x), found.predict(x), atol=0.02)
