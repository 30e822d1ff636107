"""Tests of products, and of periodic kernels at uncertain inputs, where both are refused."""

import numpy as np
import pytest

from gplvm_core import GPLVM, RBF, BayesianGPLVM, Bias, Linear, Periodic, SparseGPRegression, White
from gplvm_core.kernels import KernelError, Matern32
from tests.kernels.cases import LENGTHS


@pytest.fixture(scope="module")
def inputs() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(5)
    mean, variance = generator.normal(size=(6, 3)), generator.uniform(0.02, 1.5, (6, 3))
    return mean, variance, generator.normal(size=(5, 3))


def test_multiplying_by_a_bias_scales_the_kernel(inputs) -> None:
    for other in (Linear(LENGTHS), White(0.3), RBF() + Linear(), RBF(1.0, 0.7)):
        for product in (Bias(0.4) * other, other * Bias(0.4)):
            product.check()
            found, expected = (each.psi2(*inputs)[0] for each in (product, 0.4 * other))
            np.testing.assert_allclose(found, expected, rtol=1e-12)
    # With held parameters the product is not simplified, so that free parameters remain free.
    held = Bias(0.4) * Linear().holding("variance")
    assert [type(part) for part in held.parts] == [Bias, Linear]


def test_errors_name_alternatives(inputs) -> None:
    for kernel in (RBF() * Periodic(), RBF() * Linear(), RBF() * (RBF() + Bias()), RBF() * RBF()):
        for ask in (
            kernel.check,
            lambda k=kernel: k.psi1(*inputs),
            lambda k=kernel: k.psi2(*inputs),
        ):
            with pytest.raises(KernelError, match=r"Product has no analytic expect.*is one RBF"):
                ask()
        kernel.check(exact=True)
    with pytest.raises(KernelError, match=r"Matern32 has .*RBF\(\) \+ RBF\(0.1, 0.3\)"):
        Matern32().check()


def test_a_periodic_kernel_over_a_map_is_refused_at_fit() -> None:
    rows = np.random.default_rng(0).normal(size=(12, 3))
    for kernel in ("periodic", Periodic() + RBF()):
        with pytest.raises(KernelError, match=r"Periodic has no analytic .*known exactly: times"):
            BayesianGPLVM(2, 4, kernel=kernel, max_iter=2).fit(rows)
    assert np.isfinite(GPLVM(2, kernel="periodic", max_iter=2, random_state=0).fit(rows).bound_)
    x = rows[:, :1]
    with pytest.raises(KernelError, match="Periodic has no analytic"):
        SparseGPRegression(5, kernel="periodic").fit(x, rows, X_variance=1e-3)


def test_the_browser_draws_products_as_one_exponential() -> None:
    rbf, periodic = RBF(2.0, np.array([0.5, 2.0])), Periodic(3.0, np.array([1.0, 0.5]), 4.0)
    (form,) = (rbf * periodic * Bias(0.5)).browser_form()
    assert (form["kind"], form["variance"]) == ("waves", pytest.approx(3.0))
    np.testing.assert_allclose(form["precision"], [4.0, 0.25])
    np.testing.assert_allclose(form["sharpness"], [1.0, 4.0])
    np.testing.assert_allclose(form["frequency"], np.pi / 2.0)
    assert (rbf * RBF(1.0, 1.0)).browser_form()[0]["precision"] == [5.0, 1.25]
    with pytest.raises(KernelError, match="cannot evaluate Product"):
        (periodic * periodic).browser_form()
