"""Tests of layers with uncertain outputs: a chain of two, against Monte Carlo and dense algebra."""

import numpy as np
import pytest

from gplvm_core import RBF
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, evaluate_layer
from gplvm_core.priors import StandardNormal
from gplvm_core.statistics import Targets

NOISE, JITTER = 0.3, 1e-9
KERNEL = RBF(1.3, np.array([0.9, 1.4]))


def beliefs(n_points: int, seed: int) -> tuple[Belief, Belief, np.ndarray]:
    """Return beliefs about the inputs and the outputs of a layer, and its inducing inputs."""
    generator = np.random.default_rng(seed)
    above, below = (
        Belief(generator.normal(size=(n_points, 2)), generator.uniform(0.1, 0.5, (n_points, 2)))
        for _ in range(2)
    )
    return above, below, generator.normal(size=(3, 2))


def hidden(above: Belief, below: Belief, inducing: np.ndarray, *, mean_field: bool) -> float:
    layer = Layer(KERNEL, inducing, NOISE)
    targets = Targets.believed(below)
    return evaluate_layer(
        layer, above, targets, jitter=JITTER, relative=False, mean_field=mean_field
    ).value


def dense(above: Belief, inducing: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute ⟨k(X, Z)⟩, K and (K + βΦ)⁻¹ by dense algebra, without a factorisation."""
    psi1, _ = KERNEL.psi1(above.mean, above.variance, inducing)
    psi2, _ = KERNEL.psi2(above.mean, above.variance, inducing)
    gram = KERNEL.K(inducing) + JITTER * np.eye(len(inducing))
    return psi1, gram, np.linalg.inv(gram + psi2 / NOISE)


def test_integrating_the_inducing_outputs_first_gains_the_predicted_amount() -> None:
    above, below, inducing = beliefs(7, 0)
    psi1, _, inner = dense(above, inducing)
    gain = 0.5 / NOISE**2 * np.sum(below.variance.sum(axis=1) * np.sum(psi1 @ inner * psi1, axis=1))
    assert gain > 0.1
    marginalised = hidden(above, below, inducing, mean_field=False)
    assert marginalised - hidden(above, below, inducing, mean_field=True) == pytest.approx(gain)


def test_outputs_that_are_known_are_data() -> None:
    above, below, inducing = beliefs(7, 1)
    known = Belief(below.mean, np.zeros_like(below.variance))
    layer = Layer(KERNEL, inducing, NOISE)
    data = evaluate_layer(layer, above, Targets.of(below.mean), jitter=JITTER, relative=False)
    for mean_field in (True, False):
        assert hidden(above, known, inducing, mean_field=mean_field) == pytest.approx(data.value)


@pytest.mark.parametrize("mean_field", [True, False], ids=["mean field", "marginalised"])
def test_the_bound_equals_its_expectation(mean_field: bool) -> None:
    """The bound is ⟨log p(h | u, x) − ½β tr(K − …) + log p(u)/q(u)⟩; all variables are drawn."""
    above, below, inducing = beliefs(6, 2)
    generator, n_draws = np.random.default_rng(3), 40_000
    psi1, gram, inner = dense(above, inducing)
    root = np.linalg.cholesky(gram @ inner @ gram)
    to_mean, inverse = gram @ inner @ psi1.T / NOISE, np.linalg.inv(gram)

    def drawn(belief: Belief) -> np.ndarray:
        unit = generator.standard_normal((n_draws, *belief.mean.shape))
        return belief.mean + np.sqrt(belief.variance) * unit

    x, h, unit = drawn(above), drawn(below), generator.standard_normal((n_draws, 3, 2))
    u = to_mean @ (below.mean if mean_field else h) + root @ unit
    distance = (x[:, :, None] - inducing) / KERNEL.lengthscale
    cross = KERNEL.variance * np.exp(-0.5 * np.sum(distance**2, axis=3))
    projected = cross @ inverse
    left_over = 6 * KERNEL.variance - np.sum(projected * cross, axis=(1, 2))
    draws = -6 * np.log(2 * np.pi * NOISE) - left_over / NOISE
    draws -= 0.5 / NOISE * np.sum((h - projected @ u) ** 2, axis=(1, 2))
    # The first column has log p(u) − log q(u); the second column has log p(u) − log q(u | h).
    draws -= np.linalg.slogdet(gram)[1] - 2.0 * np.log(np.diag(root)).sum()
    draws += 0.5 * np.sum(unit**2 - u * (inverse @ u), axis=(1, 2))
    error = draws.std() / np.sqrt(n_draws)
    assert error < 0.1
    found = hidden(above, below, inducing, mean_field=mean_field)
    assert abs(found - draws.mean()) < 4 * error


@pytest.mark.parametrize("mean_field", [True, False], ids=["mean field", "marginalised"])
def test_a_chain_of_two_is_below_the_evidence(mean_field: bool) -> None:
    generator = np.random.default_rng(4)
    targets = generator.normal(size=(3, 1)) * 0.8
    top, kernel, noise = Belief(targets, np.full((3, 1), 0.4)), RBF(1.0, 1.0), 0.2
    middle = Belief(targets, np.full((3, 1), 0.2))
    inducing = targets.copy()
    layer = Layer(kernel, inducing, noise)
    settings = {"jitter": 1e-8, "relative": False, "mean_field": mean_field}
    above = evaluate_layer(layer, top, Targets.believed(middle), **settings)
    data = evaluate_layer(layer, middle, Targets.of(targets), **settings)
    bound = above.value + data.value + middle.entropy()[0] - StandardNormal().kl(top)[0]
    n_draws, eye = 40_000, noise * np.eye(3)

    def covariances(points: np.ndarray) -> np.ndarray:
        return np.exp(-0.5 * (points[:, :, None] - points[:, None, :]) ** 2) + eye

    x = generator.standard_normal((n_draws, 3))
    roots = np.linalg.cholesky(covariances(x))
    h = (roots @ generator.standard_normal((n_draws, 3, 1)))[:, :, 0]
    given = covariances(h)
    fit = np.linalg.solve(given, np.broadcast_to(targets, (n_draws, 3, 1)))[:, :, 0] @ targets[:, 0]
    weights = np.exp(-0.5 * (fit + np.linalg.slogdet(2 * np.pi * given)[1]))
    evidence = np.log(weights.mean())
    error = weights.std() / weights.mean() / np.sqrt(n_draws)
    assert bound < evidence + 4 * error


def test_entropy_is_that_of_a_gaussian() -> None:
    _, below, _ = beliefs(5, 5)
    covariance = np.diag(below.variance.ravel())
    expected = 0.5 * np.linalg.slogdet(2 * np.pi * np.e * covariance)[1]
    value, gradient = below.entropy()
    assert value == pytest.approx(expected)
    step = 1e-6 * below.variance
    more = Belief(below.mean, below.variance + step).entropy()[0]
    assert more - value == pytest.approx(float(np.sum(gradient.variance * step)), rel=1e-4)
    known = Belief(below.mean, below.variance, np.ones(below.mean.shape, bool))
    assert known.entropy()[0] == 0.0
