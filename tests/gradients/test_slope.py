"""Tests of layers with a linear mean at uncertain inputs, against quadrature and central
differences.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from gplvm_core import RBF, Linear
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, evaluate_layer
from gplvm_core.kernels import KernelError
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.families.given_inducing import GivenInducing, given_inducing
from gplvm_core.models.problems.edges import LayerEdge
from gplvm_core.parameters import leaves, replace_leaves
from gplvm_core.prediction import Posterior, predict
from gplvm_core.prediction.row_bound import HiddenTerms
from gplvm_core.statistics import Targets, reduce_statistics

N, Q, M, D, JITTER = 6, 2, 4, 3, 1e-6


def layer() -> Layer:
    generator = np.random.default_rng(0)
    kernel, inducing = RBF(1.4, np.array([0.8, 1.3])), generator.normal(size=(M, Q))
    return Layer(kernel, inducing, 0.3, slope=generator.normal(size=(Q, D)))


def inputs() -> Belief:
    generator = np.random.default_rng(1)
    return Belief(generator.normal(size=(N, Q)), generator.uniform(0.1, 0.5, (N, Q)))


def outputs() -> Belief:
    generator = np.random.default_rng(2)
    return Belief(generator.normal(size=(N, D)), generator.uniform(0.1, 0.4, (N, D)))


def quadrature(belief: Belief) -> Iterator[tuple[float, np.ndarray]]:
    """Return weights and points of a Gauss–Hermite rule; its error here is only rounding."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(30)
    weights = weights / weights.sum()
    for i, first in enumerate(nodes):
        for j, second in enumerate(nodes):
            step = np.array([first, second]) * np.sqrt(belief.variance)
            yield weights[i] * weights[j], belief.mean + step


def test_statistics_are_those_of_what_is_left() -> None:
    own, source, below = layer(), inputs(), outputs()
    expected, yy = np.zeros((M, D)), float(below.variance.sum())
    for weight, x in quadrature(source):
        left = below.mean - x @ own.slope
        expected += weight * own.kernel.K(own.inducing, x) @ left
        yy += weight * float(np.sum(left**2))
    targets = replace(Targets.believed(below), slope=own.slope)
    found, _ = reduce_statistics(own.kernel, source, own.inducing, targets)
    np.testing.assert_allclose(found.psi1_targets, expected, rtol=1e-9)
    assert found.yy == pytest.approx(yy, rel=1e-12)


@pytest.mark.parametrize("mean_field", [False, True])
@pytest.mark.parametrize("scale", [1.1, np.array([0.8, 1.3])])
def test_gradients(central_difference, mean_field: bool, scale) -> None:
    given = replace(layer(), kernel=RBF(1.4, scale)), inputs(), outputs()

    def value(own: Layer, source: Belief, below: Belief):
        targets = Targets.believed(below)
        return evaluate_layer(own, source, targets, jitter=JITTER, mean_field=mean_field)

    at = value(*given)
    found = (
        Layer(at.gradients.kernel, at.gradients.inducing, at.noise_variance),
        Belief(at.gradients.mean, at.gradients.variance),
        at.targets,
    )
    for which, (tree, gradient) in enumerate(zip(given, found, strict=True)):
        slopes = leaves(gradient)
        for path, start in leaves(tree).items():
            if path not in slopes or path in ("slope", "observed"):
                continue

            def moved(leaf, path=path, tree=tree, which=which) -> float:
                parts = list(given)
                parts[which] = replace_leaves(tree, {path: leaf})
                return value(*parts).value

            expected = central_difference(moved, start)
            np.testing.assert_allclose(slopes[path], expected, rtol=2e-6, atol=2e-6, err_msg=path)


def settled() -> Posterior:
    """Return the layer after training on its outputs."""
    edge = LayerEdge((0,), 1)
    targets = Targets.believed(outputs())
    return edge.settled(layer(), inputs(), targets, targets, JITTER).as_posterior(Scaling.none(D))


def test_inference_of_a_row(central_difference) -> None:
    """The test covers ⟨log p(h | x, f)⟩ with the entropy of h, at the layer's q(u), and its
    gradients.
    """
    posterior, above, below = settled(), inputs(), outputs()
    terms, noise = HiddenTerms.of(posterior), posterior.noise_variance
    expected = 0.5 * np.sum(np.log(2.0 * np.pi * np.e * below.variance), axis=1)
    for weight, x in quadrature(above):
        mean, variance = predict(posterior, x)
        error = (below.mean - mean) ** 2 + below.variance + variance
        density = -0.5 * (np.log(2.0 * np.pi * noise) + error / noise)
        expected = expected + weight * density.sum(axis=1)
    value, d_above, d_below = terms.data(above, below)
    np.testing.assert_allclose(value, expected, rtol=1e-8)
    for which, gradient in enumerate((d_above, d_below)):
        for name in ("mean", "variance"):

            def moved(leaf, which=which, name=name) -> float:
                parts = [above, below]
                parts[which] = replace(parts[which], **{name: leaf})
                return float(terms.data(*parts)[0].sum())

            expected = central_difference(moved, getattr((above, below)[which], name))
            np.testing.assert_allclose(getattr(gradient, name), expected, rtol=1e-6, atol=1e-6)


def test_layers_that_cannot_have_a_slope_are_refused() -> None:
    own, source, targets = layer(), inputs(), Targets.believed(outputs())
    with pytest.raises(KernelError, match="only for RBF, got Linear"):
        evaluate_layer(replace(own, kernel=Linear(0.5)), source, targets, jitter=JITTER)
    below = GivenInducing(outputs().mean, outputs().variance, gate=np.zeros(D))
    with pytest.raises(ValueError, match="needs inputs that are known exactly"):
        given_inducing(own, source, below, jitter=JITTER)
