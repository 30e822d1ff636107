"""Tests of sums with several RBF kernels: their cross term against integrals and identities."""

import numpy as np
import pytest

from gplvm_core import RBF, BayesianGPLVM, Bias, Linear, White, evaluate_bound, load
from gplvm_core.kernels import Kernel
from gplvm_core.numerics import fold_upper
from gplvm_core.parameters import leaves
from tests.kernels.cases import LENGTHS
from tests.kernels.quadrature import Moments

SHORT = np.array([0.5, 0.9, 1.1])
SEVERAL: dict[str, Kernel] = {
    "far apart": RBF(0.7, 0.6) + RBF(1.9, np.array([4.0, 0.8, 30.0])),
    "a dimension off in one": RBF(1.3, np.array([0.8, np.inf, 1.1])) + RBF(0.6, SHORT),
    "a dimension off in both": RBF(1.3, np.array([0.8, np.inf, 1.1]))
    + RBF(0.6, np.array([1.8, np.inf, 0.7])),
    "three, linear, bias, white": RBF(0.4, LENGTHS)
    + Linear(np.array([0.3, 0.1, 0.6]))
    + RBF(0.9, SHORT)
    + Bias(0.2)
    + RBF(1.4, 2.2)
    + White(0.1),
}


@pytest.fixture(scope="module")
def inputs() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(5)
    mean, variance = generator.normal(size=(5, 3)), generator.uniform(0.02, 0.25, (5, 3))
    return mean, variance, generator.normal(size=(4, 3))


@pytest.mark.parametrize("name", SEVERAL)
def test_expectations_against_quadrature(name: str, inputs) -> None:
    kernel = SEVERAL[name]
    known = Moments.of(kernel, *inputs)
    close = {"rtol": 1e-8, "atol": 1e-11}
    np.testing.assert_allclose(kernel.psi2(*inputs)[0], known.psi2.sum(axis=0), **close)
    weights = np.random.default_rng(7).normal(size=(5, 4, 4))
    weights = weights + np.swapaxes(weights, 1, 2)
    for given in (weights, weights[:1]):
        weighted = kernel.weighted_psi2(inputs[2])
        value, _, _ = weighted(inputs[0], inputs[1], fold_upper(given))
        np.testing.assert_allclose(value, np.sum(given * known.psi2, axis=(1, 2)), **close)


def test_two_rbfs_of_equal_lengthscale_are_one(inputs) -> None:
    one, two = RBF(2.0, LENGTHS), RBF(0.6, LENGTHS) + RBF(1.4, LENGTHS)
    generator = np.random.default_rng(3)
    rows, adjoint = generator.uniform(size=(5, 2)), generator.normal(size=(2, 4, 4))
    adjoint = adjoint + np.swapaxes(adjoint, 1, 2)
    (expected, pull_one), (found, pull_two) = (
        kernel.grouped_psi2(*inputs, rows) for kernel in (one, two)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    whole, parts = pull_one(adjoint), pull_two(adjoint)
    for name in ("mean", "variance", "inducing"):
        np.testing.assert_allclose(
            getattr(parts, name), getattr(whole, name), rtol=1e-10, atol=1e-12
        )
    # The gradients with respect to both lengthscales sum to that of the single lengthscale.
    first, second = parts.kernel.parts
    np.testing.assert_allclose(
        first.lengthscale + second.lengthscale, whole.kernel.lengthscale, rtol=1e-10
    )
    for part in (first, second):
        assert part.variance == pytest.approx(whole.kernel.variance, rel=1e-10)


def test_two_rbfs_of_equal_lengthscale_have_the_bound_of_one(inputs) -> None:
    mean, variance, inducing = inputs
    values = np.random.default_rng(4).normal(size=(5, 6))
    values[1, 2] = np.nan
    expected, whole = evaluate_bound(values, mean, variance, inducing, RBF(2.0, LENGTHS), 0.1)
    kernel = RBF(0.6, LENGTHS) + RBF(1.4, LENGTHS)
    found, parts = evaluate_bound(values, mean, variance, inducing, kernel, 0.1)
    assert found == pytest.approx(expected, rel=1e-9)
    for name in ("mean", "variance", "inducing", "noise_variance"):
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-6, atol=1e-6)


def test_no_digits_are_lost_far_from_the_origin(inputs) -> None:
    kernel, (mean, variance, inducing) = SEVERAL["far apart"], inputs
    np.testing.assert_allclose(
        kernel.psi2(mean + 1e4, variance, inducing + 1e4)[0], kernel.psi2(*inputs)[0], rtol=1e-9
    )


def test_a_dimension_that_is_off_in_both_has_finite_gradients(inputs) -> None:
    kernel = SEVERAL["a dimension off in both"]
    pulled = kernel.psi2(*inputs)[1](np.eye(4))
    assert all(np.isfinite(value).all() for value in leaves(pulled.kernel).values())
    assert np.isfinite(pulled.inducing).all()
    np.testing.assert_array_equal(pulled.mean[:, 1], 0.0)


def test_order_does_not_matter(inputs) -> None:
    one, other = RBF(0.7, SHORT), RBF(1.2, LENGTHS)
    np.testing.assert_allclose(
        (one + other).psi2(*inputs)[0], (other + one).psi2(*inputs)[0], rtol=1e-12
    )


def test_a_map_of_two_scales_is_trained_and_stored(tmp_path) -> None:
    generator = np.random.default_rng(0)
    angle = np.linspace(0.0, 6.0, 60)
    rows = np.column_stack([np.sin(angle), np.cos(angle), angle, 0.2 * np.sin(9.0 * angle)])
    rows = rows + 0.02 * generator.normal(size=rows.shape)
    kernel = RBF(1.0, 2.0) + RBF(0.05, 0.4)
    model = BayesianGPLVM(2, 15, kernel=kernel, max_iter=60, random_state=0).fit(rows)
    single = BayesianGPLVM(2, 15, kernel=RBF(1.0, 2.0), max_iter=60, random_state=0).fit(rows)
    assert model.bound_ > single.bound_ - 1.0
    gaps = rows[:5].copy()
    gaps[:, 1] = np.nan
    assert np.sqrt(np.mean((model.complete(gaps) - rows[:5]) ** 2)) < 0.3
    model.save(tmp_path / "two.gplvm")
    again = load(tmp_path / "two.gplvm")
    assert repr(again.kernel_) == repr(model.kernel_)
    np.testing.assert_array_equal(again.transform(rows[:5]), model.transform(rows[:5]))
