"""Tests of missing outputs: sums over observed entries against other computations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from gplvm_core import GPLVM, RBF, BayesianGPLVM, Bias, Linear, evaluate_bound
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, evaluate_layer
from gplvm_core.statistics import Patterns, Targets, executor_for, reduce_statistics

KERNEL = RBF(1.2, np.array([0.7, 1.1])) + Linear(0.3) + Bias(0.2)


def draw(n_points: int = 14, n_outputs: int = 4, seed: int = 0):
    generator = np.random.default_rng(seed)
    mean = generator.normal(size=(n_points, 2))
    variance = generator.uniform(0.1, 0.9, mean.shape)
    targets = np.sin(mean @ generator.normal(size=(2, n_outputs)))
    inducing = generator.normal(size=(5, 2))
    gaps = generator.random(targets.shape) < 0.3
    gaps[0] = False
    return np.where(gaps, np.nan, targets), mean, variance, inducing


def test_the_bound_is_the_sum_of_the_columns_own() -> None:
    targets, mean, variance, inducing = draw()
    layer = Layer(KERNEL.with_latent(2), inducing, 0.3)
    whole = evaluate_layer(layer, Belief(mean, variance), Targets.of(targets), jitter=1e-6)
    each = 0.0
    for column in targets.T:
        seen = ~np.isnan(column)
        belief = Belief(mean[seen], variance[seen])
        own = Targets.of(column[seen][:, None])
        each += evaluate_layer(layer, belief, own, jitter=1e-6).value
    assert whole.value == pytest.approx(each, rel=1e-12)


def test_one_pattern_for_all_columns_is_leaving_rows_out() -> None:
    targets, mean, variance, inducing = draw()
    targets = np.nan_to_num(targets)
    targets[5:8] = np.nan
    kept = np.r_[0:5, 8:14]
    with_gaps, gradients = evaluate_bound(targets, mean, variance, inducing, KERNEL, 0.3)
    without, fewer = evaluate_bound(
        targets[kept], mean[kept], variance[kept], inducing, KERNEL, 0.3
    )
    # Rows without observations contribute only their KL divergence.
    m, s = mean[5:8], variance[5:8]
    kl = 0.5 * np.sum(m**2 + s - np.log(s) - 1.0)
    assert with_gaps == pytest.approx(without - kl, rel=1e-12)
    np.testing.assert_allclose(gradients.mean[kept], fewer.mean, rtol=1e-9)
    np.testing.assert_allclose(gradients.mean[5:8], -m, rtol=1e-12)


@given(st.permutations(range(4)))
def test_permuting_columns_changes_nothing(order: list[int]) -> None:
    targets, mean, variance, inducing = draw()
    value, gradients = evaluate_bound(targets, mean, variance, inducing, KERNEL, 0.3)
    permuted, other = evaluate_bound(targets[:, order], mean, variance, inducing, KERNEL, 0.3)
    assert permuted == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(other.inducing, gradients.inducing, rtol=1e-8, atol=1e-10)


def test_columns_with_the_same_gaps_form_one_group() -> None:
    observed = np.array([[1, 0, 1, 1], [1, 1, 1, 0], [1, 0, 1, 1]], dtype=bool)
    patterns = Patterns.of(observed)
    assert patterns.rows.shape == (3, 3)
    np.testing.assert_array_equal(patterns.rows[:, patterns.groups].astype(bool), observed)
    assert patterns.groups[0] == patterns.groups[2]
    assert sorted(patterns.n_outputs) == [1, 1, 2]


def test_chunks_and_threads_change_nothing() -> None:
    targets, mean, variance, inducing = draw(1300, 3)
    data, belief = Targets.of(targets), Belief(mean, variance)
    with executor_for(1) as one, executor_for(2) as two:
        first, _ = reduce_statistics(KERNEL.with_latent(2), belief, inducing, data, one)
        second, _ = reduce_statistics(KERNEL.with_latent(2), belief, inducing, data, two)
    np.testing.assert_array_equal(first.psi2, second.psi2)
    for d, column in enumerate(targets.T):
        seen = ~np.isnan(column)
        alone = KERNEL.with_latent(2).psi2(mean[seen], variance[seen], inducing)[0]
        np.testing.assert_allclose(first.psi2[first.groups[d]], alone, rtol=1e-11)
    assert first.n_values == np.sum(~np.isnan(targets))


def test_the_full_model_is_exact_where_outputs_are_missing() -> None:
    targets, _, _, _ = draw()
    model = GPLVM(2, kernel=RBF(), scaling="none", max_iter=5, random_state=0).fit(targets)
    points, noise = model.latent_mean_, model.noise_variance_
    jitter = model.posterior_.jitter
    expected = multivariate_normal(np.zeros(2)).logpdf(points).sum()
    for column in (targets - model.center_).T:
        seen = ~np.isnan(column)
        covariance = model.kernel_.K(points[seen]) + (noise + jitter) * np.eye(seen.sum())
        expected += multivariate_normal(np.zeros(seen.sum()), covariance).logpdf(column[seen])
    assert model.bound_ == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("scaling", ["global", "columns", "none"])
def test_density_of_a_partial_row_is_a_difference_of_bounds(scaling: str) -> None:
    """The density is F(q(X, x*)) − F(q(X)), both by `evaluate_bound`, in the data's units."""
    targets, _, _, _ = draw(30, 4)
    model = BayesianGPLVM(2, 6, scaling=scaling, max_iter=20, random_state=0)
    model.fit(10.0 * targets + 3.0)
    row = np.array([[8.0, np.nan, np.nan, -1.0]])
    mean, std = model.transform(row, return_std=True)
    internal = model.posterior_.to_internal(np.vstack([10.0 * targets + 3.0, row]))
    means = np.vstack([model.latent_mean_, mean])
    variances = np.vstack([model.latent_variance_, std**2])
    at = (model.inducing_, model.kernel_, model.noise_variance_, model.posterior_.jitter)
    after, _ = evaluate_bound(internal, means, variances, *at)
    before, _ = evaluate_bound(internal[:-1], means[:-1], variances[:-1], *at)
    expected = after - before - np.log(model.scale_[[0, 3]]).sum()
    found = model.score_samples(row)[0]
    # If the row has further explanations, the density can only be higher.
    assert found >= expected - 1e-5
    weights, _, _ = model.alternatives(row, 6)
    if weights[0, 0] > 1 - 1e-9:
        assert found == pytest.approx(expected, abs=1e-5)
