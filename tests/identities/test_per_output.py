"""Tests of noise per output: a layer to D outputs equals D layers to one output, on the same K and
Φ.
"""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import multivariate_normal

from gplvm_core import RBF, Bias, Linear, White
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import (
    Layer,
    LayerValue,
    collapsed,
    evaluate_layer,
    gram_factor,
    layer_term,
)
from gplvm_core.bounds.profiled_per_output import LEAST_RATIO
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.problems.edges import Settled
from gplvm_core.numerics import Factor, NotPositiveDefiniteError
from gplvm_core.prediction import (
    DATA,
    Explained,
    Network,
    Posterior,
    Projection,
    log_density,
    predict,
    predict_covariance,
    predict_uncertain,
    sample,
)
from gplvm_core.prediction.adapted import AdaptedTerms
from gplvm_core.prediction.row_terms import CertainTerms, UncertainTerms
from gplvm_core.statistics import Statistics, Targets, reduce_statistics

JITTER, MOST = 1e-6, 1e6
N_OUTPUTS = 5
RATIO = np.array([3.0, 40.0, 1.5, 900.0, 8.0])
NOISE = np.array([0.1, 2.0, 0.5, 0.003, 1.0])
KERNEL = RBF(1.0, np.array([1.0, 1.7])) + Linear(np.array([0.3, 0.1])) + Bias(0.2) + White(0.01)


@pytest.fixture(scope="module", params=[False, True], ids=["complete", "with gaps"])
def outputs(request) -> np.ndarray:
    generator = np.random.default_rng(3)
    points = inputs().mean
    clean = np.sin(points @ (0.6 * generator.normal(size=(2, N_OUTPUTS))))
    found = np.sqrt(RATIO * NOISE) * clean
    found += np.sqrt(NOISE) * generator.normal(size=clean.shape)
    found -= found.mean(axis=0)
    if request.param:
        found[:12, 1], found[5:20, 3], found[:12, 4] = np.nan, np.nan, np.nan
    return found


def inputs() -> Belief:
    generator = np.random.default_rng(2)
    mean = generator.normal(size=(40, 2))
    return Belief(mean, generator.uniform(0.02, 0.2, mean.shape))


def inducing() -> np.ndarray:
    return inputs().mean[:9] + 0.01


def evaluated(outputs: np.ndarray, layer: Layer | None = None, **options) -> LayerValue:
    layer = Layer(KERNEL, inducing(), NOISE, RATIO) if layer is None else layer
    return evaluate_layer(layer, inputs(), Targets.whole(outputs), jitter=JITTER, **options)


def alone(outputs: np.ndarray, d: int, layer: Layer) -> LayerValue:
    """Return the layer to one output, with its signal in the kernel and its own noise."""
    ratio, noise = np.asarray(layer.ratio)[d], np.asarray(layer.noise_variance)[d]
    own = Layer(layer.kernel.scaled(float(ratio * noise)), layer.inducing, float(noise))
    return evaluated(outputs[:, [d]], own)


def posterior_of(at: LayerValue, scale: np.ndarray) -> Posterior:
    scaling = Scaling(np.arange(len(scale)) + 1.0, scale)
    return Settled(at.layer, at.statistics, at.posterior, at.jitter).as_posterior(scaling)


@pytest.fixture(scope="module")
def units() -> np.ndarray:
    return np.array([1.0, 3.0, 0.1, 2.0, 5.0])


@pytest.fixture(scope="module")
def posterior(outputs, units) -> Posterior:
    return posterior_of(evaluated(outputs), units)


@pytest.fixture(scope="module")
def separate(outputs, units) -> list[Posterior]:
    """Return every output as a separate layer."""
    layer = Layer(KERNEL, inducing(), NOISE, RATIO)
    each = [posterior_of(alone(outputs, d, layer), units[[d]]) for d in range(N_OUTPUTS)]
    return [replace(own, center=np.array([d + 1.0])) for d, own in enumerate(each)]


def test_with_equal_outputs_the_bound_is_that_of_one_noise(outputs) -> None:
    one = evaluated(outputs, Layer(KERNEL.scaled(1.4), inducing(), 0.2))
    many = evaluated(
        outputs, Layer(KERNEL, inducing(), np.full(N_OUTPUTS, 0.2), np.full(N_OUTPUTS, 7.0))
    )
    assert many.value == pytest.approx(one.value, rel=1e-12)
    # The posterior has averages over a group of outputs. Here all outputs are equal, so every
    # output equals the average.
    np.testing.assert_allclose(many.posterior.inverse, one.posterior.inverse, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(many.gradients.mean, one.gradients.mean, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(many.gradients.variance, one.gradients.variance, rtol=1e-8)
    np.testing.assert_allclose(
        many.gradients.inducing, one.gradients.inducing, rtol=1e-7, atol=1e-8
    )


def test_the_bound_is_the_sum_over_outputs(outputs) -> None:
    layer = Layer(KERNEL, inducing(), NOISE, RATIO)
    together, each = evaluated(outputs), [alone(outputs, d, layer) for d in range(N_OUTPUTS)]
    assert together.value == pytest.approx(sum(at.value for at in each), rel=1e-12)
    for name in ("mean", "variance", "inducing"):
        expected = sum(getattr(at.gradients, name) for at in each)
        found = getattr(together.gradients, name)
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8)


def test_exact_inputs_that_are_all_inducing_give_the_exact_likelihood(outputs) -> None:
    mean = inputs().mean
    certain = Belief(mean, np.full_like(mean, 1e-12))
    kernel = RBF(1.0, 0.5)
    layer, targets = Layer(kernel, mean, NOISE, RATIO), Targets.whole(outputs)
    at = evaluate_layer(layer, certain, targets, jitter=1e-9)
    expected = 0.0
    for d, (ratio, noise) in enumerate(zip(RATIO, NOISE, strict=True)):
        seen = ~np.isnan(outputs[:, d])
        covariance = noise * (ratio * kernel.K(mean[seen]) + np.eye(seen.sum()))
        expected += multivariate_normal(np.zeros(seen.sum()), covariance).logpdf(outputs[seen, d])
    assert at.value == pytest.approx(expected, rel=1e-6)


def test_the_profile_is_the_best_of_every_output(outputs) -> None:
    at, inside = evaluated(outputs, profile=True, per_output=True, most_ratio=MOST), 0
    for d in range(N_OUTPUTS):
        ratio, noise = np.asarray(at.layer.ratio)[d], np.asarray(at.layer.noise_variance)[d]

        def value(ratio: float, noise: float, d: int = d) -> float:
            own = Layer(KERNEL.scaled(ratio * noise), inducing(), noise)
            return evaluated(outputs[:, [d]], own).value

        best = value(float(ratio), float(noise))
        if ratio > 1.01 * LEAST_RATIO:
            inside += 1
            around = product((0.9, 1.0, 1.1), repeat=2)
            for one, other in (factors for factors in around if factors != (1.0, 1.0)):
                assert value(float(one * ratio), float(other * noise)) < best
        # The optimum is unique: other ratios, each with its best noise, are worse.
        for other in np.geomspace(LEAST_RATIO, MOST, 7):
            spread = float(np.nanvar(outputs[:, d]))
            tried = minimize_scalar(
                lambda log_noise, other=other, value=value: -value(other, float(np.exp(log_noise))),
                bounds=(np.log(1e-6 * spread), np.log(3.0 * spread)),
                method="bounded",
                options={"xatol": 1e-3},
            )
            assert -tried.fun < best + 1e-6
    assert inside >= 2
    assert at.value == pytest.approx(evaluated(outputs, at.layer).value, rel=1e-12)


def test_with_a_fixed_ratio_only_the_noise_is_free(outputs) -> None:
    at = evaluated(outputs, profile=True, per_output=True, ratio=50.0)
    np.testing.assert_allclose(at.layer.ratio, 50.0)
    for factor in (0.97, 1.03):
        for d in range(N_OUTPUTS):
            noise = np.array(at.layer.noise_variance)
            noise[d] *= factor
            assert evaluated(outputs, replace(at.layer, noise_variance=noise)).value < at.value


def test_the_scale_of_a_column_does_not_matter(outputs, units) -> None:
    first = evaluated(outputs, profile=True, per_output=True, most_ratio=MOST)
    second = evaluated(outputs * units, profile=True, per_output=True, most_ratio=MOST)
    counts = (~np.isnan(outputs)).sum(axis=0)
    assert second.value == pytest.approx(first.value - counts @ np.log(units), rel=1e-10)
    np.testing.assert_allclose(second.layer.ratio, first.layer.ratio, rtol=1e-5)
    np.testing.assert_allclose(second.gradients.mean, first.gradients.mean, rtol=1e-4, atol=1e-6)


def test_a_column_without_variance_or_without_error_stays_finite(outputs) -> None:
    odd = outputs.copy()
    odd[:, 0] = 0.0
    odd[:, 2] = 1e-3 * inputs().mean[:, 0]
    at = evaluate_layer(
        Layer(Linear(np.ones(2)), inducing()[:2], 1.0),
        Belief(inputs().mean, np.full((40, 2), 1e-9)),
        Targets.whole(odd),
        jitter=JITTER,
        profile=True,
        per_output=True,
        most_ratio=1e3,
    )
    assert np.isfinite(at.value)
    assert np.asarray(at.layer.ratio)[0] == 0.0
    np.testing.assert_array_equal(np.flatnonzero(at.profile.capped), [2])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_statistics_that_are_not_finite_are_refused(outputs) -> None:
    far = Belief(1e200 * inputs().mean, inputs().variance)
    layer = Layer(Linear(np.ones(2)), inducing()[:2], NOISE, RATIO)
    with pytest.raises(NotPositiveDefiniteError, match="not finite"):
        evaluate_layer(layer, far, Targets.whole(outputs), jitter=JITTER)


def test_without_a_limit_the_ratios_are_finite(outputs) -> None:
    limited = evaluated(outputs, profile=True, per_output=True, most_ratio=MOST)
    free = evaluated(outputs, profile=True, per_output=True)
    np.testing.assert_allclose(free.layer.ratio, limited.layer.ratio, rtol=1e-5)
    assert free.value == pytest.approx(limited.value, rel=1e-9)


def test_a_square_root_of_the_outputs_and_a_belief_are_refused(outputs) -> None:
    wide = Targets.of(np.random.default_rng(0).normal(size=(40, 50)))
    moving = Targets.believed(inputs())
    for targets in (wide, moving):
        with pytest.raises(ValueError, match="with all columns"):
            evaluate_layer(
                Layer(KERNEL, inducing(), 1.0),
                inputs(),
                targets,
                jitter=JITTER,
                profile=True,
                per_output=True,
                most_ratio=MOST,
            )


def test_a_kernel_without_a_dimension_loses_what_the_outputs_lose(outputs) -> None:
    layer, kernel = Layer(KERNEL, inducing(), NOISE, RATIO), KERNEL.without(1)
    gram = gram_factor(kernel, inducing(), 1e-5, relative=False)

    def statistics(columns: np.ndarray) -> Statistics:
        targets = Targets.whole(columns)
        return reduce_statistics(kernel, inputs(), inducing(), targets)[0]

    expected = 0.0
    for d, scale in enumerate(RATIO * NOISE):
        own = Factor(np.sqrt(scale) * gram.lower, scale * gram.jitter)
        alone = statistics(outputs[:, [d]]).of_scaled_kernel(scale)
        expected += collapsed(alone, own, NOISE[d]).value
    found = layer_term(layer, statistics(outputs), gram, Targets.whole(outputs))
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("noise", [False, True])
def test_predictions_equal_those_of_separate_outputs(posterior, separate, noise: bool) -> None:
    generator = np.random.default_rng(5)
    points = generator.normal(size=(6, 2))
    spread = generator.uniform(0.05, 0.4, points.shape)
    found = predict(posterior, points, noise=noise)
    doubted = predict_uncertain(posterior, points, spread, noise=noise)
    for d, own in enumerate(separate):
        for both, one in (
            (found, predict(own, points, noise=noise)),
            (doubted, predict_uncertain(own, points, spread, noise=noise)),
        ):
            for moment, expected in zip(both, one, strict=True):
                np.testing.assert_allclose(moment[:, d], expected[:, 0], rtol=1e-7)
    _, covariance = predict_covariance(posterior, points[0], spread[0], noise=noise)
    np.testing.assert_allclose(np.diagonal(covariance), doubted[1][0], rtol=1e-9)


def test_samples_have_the_moments_of_predictions(posterior, separate) -> None:
    points = np.array([[0.3, -0.8], [0.5, -0.7], [3.0, 2.0]])
    drawn = sample(posterior, points, 40_000, 0)
    mean, variance = predict(posterior, points, noise=True)
    error = np.abs(drawn.mean(axis=0) - mean) / np.sqrt(variance / len(drawn))
    assert error.max() < 4.5
    np.testing.assert_allclose(drawn.var(axis=0), variance, rtol=0.04)
    quiet = sample(posterior, points, 40_000, 0, noise=False)
    for d, own in enumerate(separate):
        cross = own.kernel.K(points, own.inducing)
        covariance = own.kernel.K(points) - cross @ own.gap[0] @ cross.T
        near = np.cov(quiet[:, :, d].T) / own.scale**2
        np.testing.assert_allclose(near, covariance, atol=0.04 * covariance.max())


@pytest.mark.parametrize("terms", [CertainTerms, UncertainTerms])
def test_a_row_is_inferred_as_from_its_separate_outputs(
    posterior, separate, outputs, terms: type
) -> None:
    rows = outputs[8:14] / np.sqrt(NOISE)
    points, spread = inputs().mean[8:14], inputs().variance[8:14]
    spread = np.zeros_like(spread) if terms is CertainTerms else spread
    every = np.arange(len(rows))
    found = terms.of(posterior, rows).data(points, spread, every)
    # A layer to one output has other units, so log p differs by the Jacobian of the noise.
    jacobian = (~np.isnan(rows)) @ (0.5 * np.log(NOISE))
    parts = [
        terms.of(own, rows[:, [d]] * np.sqrt(NOISE[d])).data(points, spread, every)
        for d, own in enumerate(separate)
    ]
    np.testing.assert_allclose(found[0] - jacobian, sum(part[0] for part in parts), rtol=1e-7)
    for k in (1, 2):
        np.testing.assert_allclose(found[k], sum(part[k] for part in parts), rtol=1e-6, atol=1e-7)


def test_the_density_of_a_row_is_the_product_over_its_outputs(
    posterior, separate, outputs, units
) -> None:
    at, layer = evaluated(outputs), Layer(KERNEL, inducing(), NOISE, RATIO)
    rows = units * outputs[8:12] + posterior.center
    mean, variance = inputs().mean[8:12, None], inputs().variance[8:12, None]
    found = Explained.at(0, Projection(mean, variance, np.zeros((4, 1))))
    network = Network.chain([posterior], [inputs()], [at.statistics])
    whole = log_density(network, {DATA: rows}, found)
    kl = 0.5 * np.sum(mean**2 + variance - np.log(variance) - 1.0, axis=(1, 2))
    expected = -kl
    for d, own in enumerate(separate):
        known: Statistics = alone(outputs, d, layer).statistics
        each = Network.chain([own], [inputs()], [known])
        one = log_density(each, {DATA: rows[:, [d]]}, found) + kl
        expected += np.where(np.isnan(rows[:, d]), 0.0, one)
    np.testing.assert_allclose(whole, expected, rtol=1e-7)


def test_new_rows_inform_the_mapping_as_more_training_rows_would(posterior, outputs, units) -> None:
    whole, more = evaluated(outputs), outputs[20:26] * 0.9
    new = Belief(inputs().mean[20:26] + 0.1, inputs().variance[20:26])
    terms = AdaptedTerms.of(posterior, whole.statistics, units * more + posterior.center)
    found, _, _ = terms.data(new)
    both = Belief(
        np.vstack([inputs().mean, new.mean]), np.vstack([inputs().variance, new.variance])
    )
    layer = Layer(KERNEL, inducing(), NOISE, RATIO)
    together = evaluate_layer(layer, both, Targets.whole(np.vstack([outputs, more])), jitter=JITTER)
    counts = (~np.isnan(np.vstack([outputs, more]))).sum(axis=0)
    assert found == pytest.approx(together.value + 0.5 * counts @ np.log(NOISE), rel=1e-9)
    expected = predict(posterior_of(together, units), new.mean)
    for moment, wanted in zip(predict(terms.posterior(new), new.mean), expected, strict=True):
        np.testing.assert_allclose(moment, wanted, rtol=1e-7)
