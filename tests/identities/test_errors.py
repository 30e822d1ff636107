"""Tests of the bound with known errors of cells: dense algebra, limits, updates, gradients."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import multivariate_normal, norm

from gplvm_core import RBF
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, Local, MixedOutputs, evaluate_mixed, updated
from gplvm_core.likelihoods import Links, Number, WithErrors, YesNo
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.problems.kinds import KindsEdge
from gplvm_core.prediction import predict

SCALES, RATIO, BIAS = np.array([0.2, 0.5, 0.01]), np.array([1.4, 0.6, 2.0]), np.array([0.3, 0, -1])
SETTINGS = {"jitter": 1e-6, "most_ratio": 1e6}
FIXED = {"jitter": 1e-9, "relative": False}


def table(count: int = 12, seed: int = 0, gaps: float = 0.2) -> tuple[MixedOutputs, Belief]:
    """Return three columns whose errors vary a hundredfold, and uncertain latent points."""
    generator = np.random.default_rng(seed)
    mean = generator.normal(size=(count, 2))
    errors = 10.0 ** generator.uniform(-2.0, 0.0, (count, 3))
    values = np.sin(mean @ generator.normal(size=(2, 3))) + errors * generator.normal(
        size=(count, 3)
    )
    values[generator.random(values.shape) < gaps] = np.nan
    outputs = MixedOutputs(values, Links((WithErrors(),) * 3), errors)
    return outputs, Belief(mean, generator.uniform(0.02, 0.2, mean.shape))


def layer_of(inducing: np.ndarray, scales: np.ndarray = SCALES) -> Layer:
    links = Links(tuple(map(WithErrors, scales.tolist())))
    return Layer(
        RBF(0.8, np.array([1.0, 1.5])),
        inducing,
        np.ones(3),
        RATIO,
        bias=BIAS,
        local=Local(np.zeros((12, 3)), links),
    )


def value(layer: Layer, belief: Belief, outputs: MixedOutputs) -> float:
    return evaluate_mixed(layer, belief, outputs, **FIXED).value


def columns_of(outputs: MixedOutputs) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return for every column which rows are seen, its values there, and its noise variances."""
    noise = SCALES**2 + outputs.errors**2
    seen = ~np.isnan(outputs.values)
    return [(own, outputs.values[own, d] - BIAS[d], noise[own, d]) for d, own in enumerate(seen.T)]


def test_with_all_points_inducing_the_bound_is_the_log_likelihood_of_a_gaussian_process() -> None:
    outputs, belief = table()
    layer, exact = layer_of(belief.mean), 0.0
    for d, (seen, y, noise) in enumerate(columns_of(outputs)):
        gram = layer.kernel.K(belief.mean[seen])
        exact += multivariate_normal(np.zeros(len(y)), RATIO[d] * gram + np.diag(noise)).logpdf(y)
    assert value(layer, Belief.certain(belief.mean), outputs) == pytest.approx(exact, abs=1e-4)


def test_at_known_points_the_bound_is_the_dense_one_of_few_inducing_inputs() -> None:
    outputs, belief = table()
    layer, exact = layer_of(belief.mean[:4] + 0.1), 0.0
    between = layer.kernel.K(belief.mean, layer.inducing)
    low = between @ np.linalg.solve(layer.kernel.K(layer.inducing) + 1e-9 * np.eye(4), between.T)
    for d, (seen, y, noise) in enumerate(columns_of(outputs)):
        own = RATIO[d] * low[np.ix_(seen, seen)]
        exact += multivariate_normal(np.zeros(len(y)), own + np.diag(noise)).logpdf(y)
        exact -= 0.5 * np.sum((RATIO[d] * 0.8 - np.diag(own)) / noise)
    assert value(layer, Belief.certain(belief.mean), outputs) == pytest.approx(exact, abs=1e-6)


def test_at_uncertain_points_the_bound_is_that_of_weighted_sums() -> None:
    outputs, belief = table()
    layer, exact = layer_of(belief.mean[:4]), 0.0
    kernel, inducing = layer.kernel, layer.inducing
    gram = kernel.K(inducing) + 1e-9 * np.eye(4)
    psi1, _ = kernel.psi1(belief.mean, belief.variance, inducing)
    each = [
        kernel.psi2(belief.mean[n : n + 1], belief.variance[n : n + 1], inducing)[0]
        for n in range(belief.n_points)
    ]
    for d, (seen, y, noise) in enumerate(columns_of(outputs)):
        psi2 = sum(own / v for own, v in zip(np.array(each)[seen], noise, strict=True))
        inner = gram + RATIO[d] * psi2
        a = psi1[seen].T @ (y / noise)
        exact += np.sum(norm(0.0, np.sqrt(noise)).logpdf(y))
        exact += 0.5 * RATIO[d] * a @ np.linalg.solve(inner, a)
        exact -= 0.5 * (np.linalg.slogdet(inner)[1] - np.linalg.slogdet(gram)[1])
        exact -= (
            0.5 * RATIO[d] * (0.8 * np.sum(1.0 / noise) - np.trace(np.linalg.solve(gram, psi2)))
        )
    assert value(layer, belief, outputs) == pytest.approx(exact, abs=1e-6)


def test_an_endless_error_is_a_gap() -> None:
    outputs, belief = table(gaps=0.0)
    layer, errors, values = layer_of(belief.mean[:5]), outputs.errors.copy(), outputs.values.copy()
    errors[3, 1] = errors[7, 0] = 1e7
    values[3, 1] = values[7, 0] = np.nan
    far = evaluate_mixed(layer, belief, replace(outputs, errors=errors), **FIXED)
    gap = evaluate_mixed(layer, belief, replace(outputs, values=values), **FIXED)
    density = 2.0 * norm(0.0, 1e7).logpdf(0.0)
    assert far.value - gap.value == pytest.approx(density, abs=1e-6)
    np.testing.assert_allclose(far.posterior.weights, gap.posterior.weights, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(far.gradients.mean, gap.gradients.mean, atol=1e-8)


def test_without_errors_a_column_is_a_number_with_the_noise_of_the_layer() -> None:
    outputs, belief = table()
    layer = layer_of(belief.mean[:5])
    own = value(layer, belief, replace(outputs, errors=np.zeros_like(outputs.errors)))
    values = outputs.values - BIAS
    numbers = MixedOutputs(values, Links((Number(),) * 3))
    other = replace(
        layer,
        noise_variance=SCALES**2,
        ratio=RATIO / SCALES**2,
        bias=np.zeros(3),
        local=numbers.started(),
    )
    assert own == pytest.approx(value(other, belief, numbers), abs=1e-6)


def test_equal_errors_are_a_larger_noise() -> None:
    outputs, belief = table()
    errors = np.array([0.3, 0.1, 0.4])
    both = replace(outputs, errors=np.broadcast_to(errors, outputs.values.shape))
    none = replace(outputs, errors=None)
    larger = layer_of(belief.mean[:5], np.sqrt(SCALES**2 + errors**2))
    one = value(layer_of(belief.mean[:5]), belief, both)
    assert one == pytest.approx(value(larger, belief, none), abs=1e-9)


def test_units_change_the_bound_by_their_jacobian() -> None:
    outputs, belief = table()
    layer, factor = layer_of(belief.mean[:5]), 7.0
    scaled = replace(outputs, values=factor * outputs.values, errors=factor * outputs.errors)
    other = replace(
        layer_of(belief.mean[:5], factor * SCALES), ratio=factor**2 * RATIO, bias=factor * BIAS
    )
    change = value(layer, belief, outputs) - value(other, belief, scaled)
    count = np.sum(~np.isnan(outputs.values))
    assert change == pytest.approx(count * np.log(factor), abs=1e-6)


def test_no_update_lowers_the_bound_and_the_noise_ends_at_its_optimum() -> None:
    outputs, belief = table(40)
    layer = replace(layer_of(belief.mean[:6]), local=outputs.started())
    values = []
    for _ in range(60):
        values.append(evaluate_mixed(layer, belief, outputs, profile=True, **SETTINGS).value)
        layer = updated(layer, belief, outputs, **SETTINGS)
    assert (np.diff(values) > -1e-8).all() and values[-1] > values[0] + 1.0
    best = evaluate_mixed(layer, belief, outputs, profile=True, **SETTINGS).value
    for d, column in enumerate(layer.local.links.columns):
        for factor in (0.97, 1.03):
            columns = list(layer.local.links.columns)
            columns[d] = WithErrors(factor * column.scale)
            moved = replace(layer, local=Local(layer.local.xi, Links(tuple(columns))))
            worse = evaluate_mixed(moved, belief, outputs, profile=True, **SETTINGS).value
            assert worse < best + 1e-9


def test_gradients_match_differences() -> None:
    outputs, belief = table(20)
    layer = updated(replace(layer_of(belief.mean[:6]), local=outputs.started()), belief, outputs,
                    **SETTINGS)  # fmt: skip
    own = evaluate_mixed(layer, belief, outputs, profile=True, **SETTINGS).gradients
    at = [belief.mean, belief.variance, layer.inducing]
    generator = np.random.default_rng(5)
    for n, slope in enumerate((own.mean, own.variance, own.inducing)):
        way, ends = generator.normal(size=at[n].shape), []
        for step in (1e-5, -1e-5):
            mean, variance, inducing = (x + step * way if k == n else x for k, x in enumerate(at))
            moved = replace(layer, inducing=inducing)
            found = evaluate_mixed(moved, Belief(mean, variance), outputs, profile=True, **SETTINGS)
            ends.append(found.value)
        assert np.sum(slope * way) == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-5)


def test_a_trained_layer_predicts_as_a_dense_gaussian_process() -> None:
    """The stored posterior has numbers in units of their noise, beside columns of words."""
    outputs, belief = table(15)
    values = np.column_stack([outputs.values, np.arange(15) % 2])
    links = Links((*outputs.links.columns, YesNo()))
    errors = np.column_stack([outputs.errors, np.zeros(15)])
    errors[:, 0] = 0.0
    mixed = MixedOutputs(values, Links((Number(), *links.columns[1:])), errors)
    certain = Belief.certain(belief.mean)
    layer = Layer(RBF(0.8, np.array([1.0, 1.5])), belief.mean, 1.0, local=mixed.started())
    edge = KindsEdge.of(mixed)
    for _ in range(3):
        layer = updated(layer, certain, mixed, jitter=1e-8, most_ratio=1e8)
    settled = edge.settled(layer, certain, edge.data, edge.data, 1e-8)
    center, scale = np.array([1.0, -2.0, 5.0, 0.0]), np.array([2.0, 0.1, 30.0, 1.0])
    posterior = settled.as_posterior(Scaling(center, scale))
    points = belief.mean[:6] + 0.2
    mean, variance = predict(posterior, points)
    noisy = predict(posterior, points, noise=True)[1]
    found = settled.layer
    for d in (1, 2):
        own = found.local.links.columns[d - 1].scale
        ratio, bias, seen = found.ratio[d], found.bias[d], ~np.isnan(values[:, d])
        cross = ratio * found.kernel.K(points, belief.mean[seen])
        inner = ratio * found.kernel.K(belief.mean[seen]) + np.diag(own**2 + errors[seen, d] ** 2)
        exact = bias + cross @ np.linalg.solve(inner, values[seen, d] - bias)
        left = 0.8 * ratio - np.sum(cross * np.linalg.solve(inner, cross.T).T, axis=1)
        np.testing.assert_allclose(mean[:, d], center[d] + scale[d] * exact, rtol=1e-4)
        np.testing.assert_allclose(variance[:, d], scale[d] ** 2 * left, rtol=1e-4)
        np.testing.assert_allclose(noisy[:, d] - variance[:, d], (scale[d] * own) ** 2, rtol=1e-6)
    assert [type(column) for column in posterior.links.columns] == [Number] * 3 + [YesNo]


def test_the_factor_of_an_entry_is_its_density() -> None:
    generator = np.random.default_rng(1)
    y, f, e = generator.normal(size=(3, 6, 4))
    own = WithErrors(0.3).with_errors(np.abs(e))
    exact = norm(f, np.sqrt(0.09 + e**2)).logpdf(y)
    at = own.factors(y, own.started(y))
    np.testing.assert_allclose(at.slope * f - 0.5 * at.weight * f**2 + at.offset, exact, rtol=1e-9)
    np.testing.assert_allclose(own.log_factor(y, f), exact, rtol=1e-9)
    seen = generator.random(y.shape) < 0.7
    each = norm(f[:, None], np.sqrt(0.09 + e**2)).logpdf(y)
    np.testing.assert_allclose(
        own.log_factors(y, seen, f), np.sum(np.where(seen, each, 0.0), axis=2).T, rtol=1e-9
    )


@pytest.mark.parametrize("truth", [0.02, 0.7])
def test_the_learnt_noise_is_the_most_likely_one(truth: float) -> None:
    generator = np.random.default_rng(2)
    e = 10.0 ** generator.uniform(-2.0, 0.0, 300)
    spread = 0.1 * e**2
    y = np.sqrt(truth**2 + e**2) * generator.normal(size=300)
    learnt, shift = WithErrors(0.3).with_errors(e).learnt(y, np.zeros(300), spread)

    def lost(log_scale: float) -> float:
        noise = np.exp(2.0 * log_scale) + e**2
        return float(np.sum(np.log(noise) + (y**2 + spread) / noise))

    exact = minimize_scalar(lost, bounds=(-8.0, 2.0), method="bounded", options={"xatol": 1e-9})
    assert learnt.scale == pytest.approx(np.exp(exact.x), rel=1e-3) and shift == 0.0
