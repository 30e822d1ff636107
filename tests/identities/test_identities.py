"""Tests of identities between the parts, each against an independent computation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from gplvm_core import RBF, Bias, Linear, evaluate_bound
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, evaluate_layer
from gplvm_core.parameters import leaves
from gplvm_core.statistics import Targets, executor_for, reduce_statistics


def draw(n_points: int = 12, n_latent: int = 2, n_outputs: int = 3, seed: int = 0):
    generator = np.random.default_rng(seed)
    mean = generator.normal(size=(n_points, n_latent))
    variance = generator.uniform(0.1, 0.9, (n_points, n_latent))
    targets = np.sin(mean @ generator.normal(size=(n_latent, n_outputs)))
    return targets + 0.1 * generator.normal(size=targets.shape), mean, variance, generator


def test_far_from_the_origin_nothing_is_lost() -> None:
    _, mean, variance, generator = draw()
    inducing, kernel = generator.normal(size=(5, 2)), RBF(1.2, np.array([0.7, 1.1]))
    here = kernel.psi2(mean, variance, inducing)[0]
    there = kernel.psi2(mean + 1e4, variance, inducing + 1e4)[0]
    np.testing.assert_allclose(there, here, rtol=1e-9)
    np.testing.assert_allclose(
        kernel.K(mean + 1e4, inducing + 1e4), kernel.K(mean, inducing), rtol=1e-9
    )


def test_certain_inputs_with_inducing_at_the_points_give_the_exact_likelihood() -> None:
    targets, mean, _, _ = draw()
    kernel = RBF(1.3, np.array([0.9, 1.2]))
    at = evaluate_layer(
        Layer(kernel, mean, 0.3),
        Belief.certain(mean),
        Targets.of(targets),
        jitter=1e-10,
        relative=False,
    )
    covariance = kernel.K(mean) + 0.3 * np.eye(len(mean))
    exact = multivariate_normal(np.zeros(len(mean)), covariance).logpdf(targets.T).sum()
    assert at.value == pytest.approx(exact, abs=1e-6)


def test_certain_inputs_give_the_sparse_gaussian_process_bound() -> None:
    targets, mean, _, generator = draw()
    inducing, kernel, noise = generator.normal(size=(5, 2)), RBF(1.3, 0.9), 0.2
    at = evaluate_layer(
        Layer(kernel.with_latent(2), inducing, noise),
        Belief.certain(mean),
        Targets.of(targets),
        jitter=1e-10,
        relative=False,
    )
    cross = kernel.K(mean, inducing)
    low_rank = cross @ np.linalg.solve(kernel.K(inducing), cross.T)
    dense = multivariate_normal(np.zeros(12), low_rank + noise * np.eye(12))
    trace = np.trace(kernel.K(mean) - low_rank)
    expected = dense.logpdf(targets.T).sum() - 0.5 * 3 * trace / noise
    assert at.value == pytest.approx(expected, abs=1e-6)


def test_rounding_of_small_eigenvalues_neither_raises_the_bound_nor_fails() -> None:
    # The functions are nearly linear and have much signal, so that rounding errors in I + βC exceed
    # 1.
    generator = np.random.default_rng(0)
    points = generator.uniform(-2.0, 2.0, (300, 2))
    targets = points @ np.array([[1.0], [0.5]]) + 0.03 * generator.normal(size=(300, 1))
    kernel, noise = RBF(1e3, np.array([30.0, 30.0])), 1e-3
    layer = Layer(kernel, points[:60], noise)
    at = evaluate_layer(layer, Belief.certain(points), Targets.of(targets), jitter=1e-6)
    exact = multivariate_normal(np.zeros(300), kernel.K(points) + noise * np.eye(300))
    missed = exact.logpdf(targets[:, 0]) - at.value
    assert 0.0 < missed < 15.0
    assert np.isfinite(at.gradients.inducing).all()


def test_the_bound_is_below_the_evidence() -> None:
    """The bound does not exceed an estimate of log p(Y) by more than 4 standard errors.

    The estimate uses Monte Carlo draws of the prior.
    """
    targets, _, _, generator = draw(4, 1, 2, seed=4)
    kernel, noise = RBF(1.0, np.array([1.0])), 0.3
    logs = np.empty(20_000)
    for i in range(len(logs)):
        points = generator.standard_normal((4, 1))
        covariance = kernel.K(points) + noise * np.eye(4)
        lower = np.linalg.cholesky(covariance)
        half = np.linalg.solve(lower, targets)
        logs[i] = -0.5 * np.sum(half**2) - 2 * np.sum(np.log(np.diag(lower)))
    logs -= 4 * np.log(2 * np.pi)
    weights = np.exp(logs - logs.max())
    evidence = np.log(weights.mean()) + logs.max()
    error = weights.std() / weights.mean() / np.sqrt(len(weights))
    mean = targets[:, :1] / np.abs(targets).max()
    bound, _ = evaluate_bound(targets, mean, np.full((4, 1), 0.3), mean.copy(), kernel, noise)
    assert bound < evidence + 4 * error


def test_chunks_and_threads_change_nothing() -> None:
    targets, mean, variance, generator = draw(1300, 2, 3, seed=1)
    inducing, kernel = generator.normal(size=(6, 2)), RBF(1.1, np.array([0.8, 1.5]))
    data, belief = Targets.of(targets), Belief(mean, variance)
    with executor_for(1) as one, executor_for(2) as two:
        first, pull_first = reduce_statistics(kernel, belief, inducing, data, one)
        second, pull_second = reduce_statistics(kernel, belief, inducing, data, two)
    # The result has the same digits for any number of threads.
    np.testing.assert_array_equal(first.psi2, second.psi2)
    np.testing.assert_array_equal(first.psi1_targets, second.psi1_targets)
    np.testing.assert_allclose(first.psi2[0], kernel.psi2(mean, variance, inducing)[0], rtol=1e-12)
    assert first.n_points.tolist() == [1300]
    assert first.yy == pytest.approx(np.sum(targets**2))
    with pytest.raises(ValueError, match="cannot be added"):
        _ = first + reduce_statistics(kernel, belief, inducing, Targets.of(targets[:, :2]))[0]
    assert pull_first is not pull_second


@given(st.permutations(range(12)))
def test_permuting_points_permutes_gradients(order: list[int]) -> None:
    targets, mean, variance, generator = draw()
    inducing, kernel = generator.normal(size=(4, 2)), RBF(1.2, np.array([0.7, 1.1])) + Bias(0.3)
    value, gradients = evaluate_bound(targets, mean, variance, inducing, kernel, 0.2)
    permuted, other = evaluate_bound(
        targets[order], mean[order], variance[order], inducing, kernel, 0.2
    )
    assert permuted == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(other.mean, gradients.mean[order], rtol=1e-8, atol=1e-10)


def test_a_square_root_of_the_inner_products_replaces_wide_targets() -> None:
    _, mean, variance, generator = draw(8)
    targets = generator.normal(size=(8, 300))
    inducing, kernel = generator.normal(size=(4, 2)), RBF(1.2, np.array([0.7, 1.1]))
    layer, belief = Layer(kernel, inducing, 0.4), Belief(mean, variance)
    assert Targets.of(targets).values.shape == (8, 8)
    wide = evaluate_layer(layer, belief, Targets(targets, 300), jitter=1e-6)
    narrow = evaluate_layer(layer, belief, Targets.of(targets), jitter=1e-6)
    assert narrow.value == pytest.approx(wide.value, rel=1e-12)
    np.testing.assert_allclose(narrow.gradients.mean, wide.gradients.mean, rtol=1e-8)
    np.testing.assert_allclose(narrow.gradients.inducing, wide.gradients.inducing, rtol=1e-8)


@given(st.floats(0.2, 5.0))
def test_rescaling_a_dimension_leaves_the_data_term(factor: float) -> None:
    targets, mean, variance, generator = draw()
    inducing = generator.normal(size=(4, 2))

    def data_term(scale: np.ndarray) -> float:
        return evaluate_layer(
            Layer(RBF(1.2, np.array([0.7, 1.1]) * scale), inducing * scale, 0.2),
            Belief(mean * scale, variance * scale**2),
            Targets.of(targets),
            jitter=1e-6,
        ).value

    assert data_term(np.array([factor, 1.0])) == pytest.approx(data_term(np.ones(2)), rel=1e-9)


def test_rotating_points_and_their_covariances_leaves_the_bound() -> None:
    targets, mean, _, generator = draw()
    inducing, angle = generator.normal(size=(4, 2)), 0.7
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    variance, kernel = np.full_like(mean, 0.4), RBF(1.2, np.array([0.9, 0.9]))
    before, _ = evaluate_bound(targets, mean, variance, inducing, kernel, 0.2)
    after, _ = evaluate_bound(targets, mean @ turn, variance, inducing @ turn, kernel, 0.2)
    assert after == pytest.approx(before, rel=1e-10)


def test_linear_kernel_reaches_dual_probabilistic_pca() -> None:
    """Exact points (S = 0), M = Q and no prior: at the principal subspace, F_data is the likelihood
    of dual PPCA.
    """
    generator = np.random.default_rng(6)
    n_points, n_outputs, n_latent = 15, 40, 2
    targets = generator.normal(size=(n_points, n_latent)) @ generator.normal(
        size=(n_latent, n_outputs)
    )
    targets = targets + 0.3 * generator.normal(size=targets.shape)
    values, vectors = np.linalg.eigh(targets @ targets.T / n_outputs)
    values, vectors = values[::-1], vectors[:, ::-1]
    noise = values[n_latent:].mean()
    points = vectors[:, :n_latent] * np.sqrt(values[:n_latent] - noise)
    at = evaluate_layer(
        Layer(Linear(np.ones(n_latent)), np.eye(n_latent), noise),
        Belief.certain(points),
        Targets.of(targets),
        jitter=1e-12,
        relative=False,
    )
    log_det = np.sum(np.log(values[:n_latent])) + (n_points - n_latent) * np.log(noise)
    closed = -0.5 * n_outputs * (n_points * np.log(2 * np.pi) + log_det + n_points)
    assert at.value == pytest.approx(closed, rel=1e-8)


@pytest.mark.parametrize(
    "kernel",
    [RBF(1.3, np.array([0.7, 1.1])), RBF(0.8, np.array([0.9, 0.5])) + Linear(np.ones(2)) + Bias()],
)
@pytest.mark.parametrize("gaps", [False, True])
def test_points_that_are_known_are_points_without_variance(kernel, gaps: bool) -> None:
    targets, points, _, generator = draw()
    if gaps:
        targets[::3, 0], targets[1::4, 2] = np.nan, np.nan
    layer = Layer(kernel, generator.normal(size=(5, 2)), 0.2)
    known, general = (
        evaluate_layer(layer, belief, Targets.of(targets), jitter=1e-6, relative=False)
        for belief in (Belief.certain(points), Belief(points, np.zeros_like(points)))
    )
    assert known.value == pytest.approx(general.value, rel=1e-10)
    for name in ("mean", "inducing"):
        own, other = (getattr(each.gradients, name) for each in (known, general))
        np.testing.assert_allclose(own, other, rtol=1e-6, atol=1e-8)
    for path, value in leaves(known.gradients.kernel).items():
        expected = leaves(general.gradients.kernel)[path]
        np.testing.assert_allclose(value, expected, rtol=1e-6, atol=1e-8)
