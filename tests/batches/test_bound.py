"""Tests of the bound with an explicit q(u): exact values, unbiased estimates from batches,
gradients.
"""

from dataclasses import replace

import numpy as np
import pytest

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, evaluate_layer, gram_factor
from gplvm_core.kernels import RBF, Bias, Linear
from gplvm_core.models.batches.bound import Explicit, scaled_up, whitened
from gplvm_core.parameters import Layout, Leaf
from gplvm_core.statistics import Statistics, Targets, reduce_statistics

JITTER = 1e-6
KERNELS = {
    "rbf": RBF(1.0, np.array([0.8, 1.3])),
    "sum": RBF(0.7, np.array([0.8, 1.3])) + Linear(np.array([0.3, 0.1])) + Bias(0.2),
}
generator = np.random.default_rng(0)
MEAN, VARIANCE = generator.normal(size=(24, 2)), generator.uniform(0.05, 0.4, (24, 2))
VALUES = np.sin(MEAN @ generator.normal(size=(2, 3))) + 0.1 * generator.normal(size=(24, 3))
BELIEF, INDUCING = Belief(MEAN, VARIANCE), generator.normal(size=(5, 2))


def given(gaps: bool) -> np.ndarray:
    values = VALUES.copy()
    if gaps:
        values[:7, 0] = values[5:9, 2] = np.nan
    return values


def targets(gaps: bool) -> Targets:
    return Targets.whole(given(gaps))


def scaled_statistics(layer: Layer, outputs: Targets, step: int = 1) -> Statistics:
    """Return whitened statistics of every `step`-th row, multiplied by `step` to represent all
    rows.
    """
    rows = slice(0, 24, step)
    found, _ = reduce_statistics(
        layer.kernel, BELIEF.rows(rows), layer.inducing, outputs.chunk(rows)
    )
    gram = gram_factor(layer.kernel, layer.inducing, JITTER, relative=True)
    whole = np.array([24]) if outputs.patterns is None else outputs.patterns.rows.sum(axis=0)
    return scaled_up(whitened(found, gram), float(step), whole.astype(int))


@pytest.fixture(params=KERNELS)
def layer(request: pytest.FixtureRequest) -> Layer:
    return Layer(KERNELS[request.param], INDUCING, 1.0)


@pytest.mark.parametrize("gaps", [False, True], ids=["whole", "gaps"])
def test_all_rows_at_the_optimal_q_give_the_collapsed_bound(layer: Layer, gaps: bool) -> None:
    outputs = targets(gaps)
    expected = evaluate_layer(layer, BELIEF, outputs, jitter=JITTER, profile=True)
    explicit = Explicit.of(layer, scaled_statistics(layer, outputs), jitter=JITTER)
    found = explicit.batch(BELIEF, outputs, 1.0)
    np.testing.assert_allclose([found.value, explicit.value], expected.value, rtol=1e-10)
    np.testing.assert_allclose(
        explicit.layer.noise_variance, expected.layer.noise_variance, rtol=1e-8
    )
    np.testing.assert_allclose(explicit.informed.weights, expected.posterior.weights, atol=1e-6)
    for name in ("mean", "variance", "inducing"):
        np.testing.assert_allclose(
            getattr(found.gradients, name), getattr(expected.gradients, name), atol=1e-6
        )


@pytest.mark.parametrize("gaps", [False, True], ids=["whole", "gaps"])
def test_another_q_gives_the_formula_of_section_7(layer: Layer, gaps: bool) -> None:
    outputs = targets(gaps)
    explicit = Explicit.of(layer, scaled_statistics(layer, outputs, 2), jitter=JITTER)
    found = explicit.batch(BELIEF, outputs, 1.0).value
    best = explicit.layer
    kernel, noise = best.kernel, float(best.noise_variance)
    gram = kernel.K(INDUCING) + explicit.jitter * np.eye(5)
    beta, total = 1.0 / noise, 0.0
    for d in range(3):
        # q(u_d) is optimal for half of the rows; each of these rows counts twice.
        rows = ~np.isnan(given(gaps))[:, d]
        half = np.flatnonzero(rows & (np.arange(24) % 2 == 0))
        seen = [each for each in (half, np.flatnonzero(rows))]
        (a_half, phi_half, _), (a, phi, psi0) = (sums(kernel, each, d) for each in seen)
        precision = np.linalg.inv(gram) + 2.0 * beta * np.linalg.solve(
            gram, np.linalg.solve(gram, phi_half).T
        )
        sigma = np.linalg.inv(precision)
        mu = sigma @ np.linalg.solve(gram, 2.0 * beta * a_half)
        inner = np.linalg.solve(gram, np.linalg.solve(gram, phi).T)
        second = sigma + np.outer(mu, mu)
        count, yy = rows.sum(), np.sum(VALUES[rows, d] ** 2)
        total += (
            -0.5 * count * np.log(2.0 * np.pi * noise)
            - 0.5 * beta * yy
            + beta * a @ np.linalg.solve(gram, mu)
            - 0.5 * beta * np.trace(inner @ second)
            - 0.5 * beta * (psi0 - np.trace(np.linalg.solve(gram, phi)))
            - 0.5 * (np.trace(np.linalg.solve(gram, second)) - 5)
            - 0.5 * (np.linalg.slogdet(gram)[1] - np.linalg.slogdet(sigma)[1])
        )
    np.testing.assert_allclose(found, total, rtol=1e-6)
    assert found <= evaluate_layer(layer, BELIEF, outputs, jitter=JITTER, profile=True).value


def sums(kernel, rows: np.ndarray, column: int) -> tuple[np.ndarray, np.ndarray, float]:
    mean, variance = MEAN[rows], VARIANCE[rows]
    psi1, _ = kernel.psi1(mean, variance, INDUCING)
    psi2, _ = kernel.psi2(mean, variance, INDUCING)
    psi0, _ = kernel.psi0(mean, variance)
    return psi1.T @ VALUES[rows, column], psi2, float(psi0.sum())


@pytest.mark.parametrize("gaps", [False, True], ids=["whole", "gaps"])
def test_batches_estimate_value_and_gradients_without_bias(layer: Layer, gaps: bool) -> None:
    outputs = targets(gaps)
    explicit = Explicit.of(layer, scaled_statistics(layer, outputs), jitter=JITTER)
    # The mean over the batches equals the whole bound for any q(u). Here q(u) belongs to another
    # layer.
    other = replace(layer, inducing=INDUCING + 0.2)
    explicit = Explicit.of(other, explicit.seen, jitter=JITTER)
    whole = explicit.batch(BELIEF, outputs, 1.0)
    order = np.random.default_rng(3).permutation(24).reshape(4, 6)
    parts = [explicit.batch(BELIEF.rows(b), outputs.chunk(b), 4.0) for b in order]
    np.testing.assert_allclose(np.mean([part.value for part in parts]), whole.value, rtol=1e-10)
    inducing = np.mean([part.gradients.inducing for part in parts], axis=0)
    np.testing.assert_allclose(inducing, whole.gradients.inducing, rtol=1e-7, atol=1e-7)
    for b, part in zip(order, parts, strict=True):
        np.testing.assert_allclose(part.gradients.mean, 4.0 * whole.gradients.mean[b], atol=1e-8)


def test_gradients_with_q_of_whitened_u_held() -> None:
    layer = Layer(KERNELS["sum"], INDUCING, 1.0)
    outputs, rows = targets(True), slice(3, 15)
    seen = scaled_statistics(layer, outputs)
    explicit = Explicit.of(layer, seen, jitter=JITTER)
    found = explicit.batch(BELIEF.rows(rows), outputs.chunk(rows), 2.0).gradients
    start = layer, BELIEF.rows(rows)
    declared = layer.kernel.declared()
    free = {f"0.kernel.{path}": Leaf() for path in declared}
    layout = Layout(start, free | {"0.inducing": Leaf(), "1.mean": Leaf(), "1.variance": Leaf()})

    def value(vector: np.ndarray) -> float:
        moved, belief = layout.unpack(vector)
        # The scales and q(v) do not change.
        at = Explicit.of(moved, seen, jitter=JITTER)
        return at.batch(belief, outputs.chunk(rows), 2.0).value

    at = layout.pack(start)
    steps = 1e-5 * np.eye(len(at))
    expected = [(value(at + step) - value(at - step)) / 2e-5 for step in steps]
    gradient = Layer(found.kernel, found.inducing, 0.0), Belief(found.mean, found.variance)
    np.testing.assert_allclose(layout.chain(start, gradient), expected, rtol=2e-5, atol=2e-4)
