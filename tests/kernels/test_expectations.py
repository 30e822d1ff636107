"""Tests of every kernel's expectations against integrals, and of values against scikit-learn."""

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as peers

from gplvm_core.kernels import Bias, Kernel, KernelError, Linear, Sum, White
from gplvm_core.kernels import kernel as plain
from gplvm_core.numerics import fold_upper
from tests.kernels.cases import EXPECTED, LENGTHS, SINGLE, TIME, each, kinds
from tests.kernels.quadrature import Moments

CLOSE = {"rtol": 1e-8, "atol": 1e-11}
# These are the weights of three points in each of three groups; one group is empty.
ROWS = np.array([[1.0, 1.0, 0.0], [0.0, 0.3, 2.0], [0.0, 0.0, 0.0]]).T


def test_every_kernel_is_among_the_cases() -> None:
    assert kinds() == {type(kernel) for kernel in (EXPECTED | TIME).values()}


def test_every_kernel_with_expectations_is_among_the_cases() -> None:
    able = {kind for kind in kinds() if kind.psi1 is not Kernel.psi1}
    assert able == {type(kernel) for kernel in SINGLE.values()} | {Sum}


@pytest.fixture(scope="module")
def inputs() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return means and variances of three latent points, and four inducing inputs."""
    generator = np.random.default_rng(5)
    mean, variance = generator.normal(size=(3, 3)), generator.uniform(0.05, 0.3, (3, 3))
    return mean, variance, generator.normal(size=(4, 3))


@pytest.mark.parametrize("name", each(EXPECTED))
def test_expectations_against_quadrature(name: str, inputs) -> None:
    kernel, (mean, variance, inducing) = EXPECTED[name], inputs
    known = Moments.of(kernel, *inputs)
    np.testing.assert_allclose(kernel.psi0(mean, variance)[0], known.psi0, **CLOSE)
    np.testing.assert_allclose(kernel.psi1(*inputs)[0], known.psi1, **CLOSE)
    np.testing.assert_allclose(kernel.psi2(*inputs)[0], known.psi2.sum(axis=0), **CLOSE)
    groups = np.einsum("ng,nij->gij", ROWS, known.psi2)
    np.testing.assert_allclose(kernel.grouped_psi2(*inputs, ROWS)[0], groups, **CLOSE)
    weights = np.random.default_rng(7).normal(size=(3, 4, 4))
    weights = weights + np.swapaxes(weights, 1, 2)
    for given in (weights, weights[:1]):
        value, _, _ = kernel.weighted_psi2(inducing)(mean, variance, fold_upper(given))
        np.testing.assert_allclose(value, np.sum(given * known.psi2, axis=(1, 2)), **CLOSE)


def test_errors_about_cross_terms_list_supported_sums() -> None:
    for kernel in (Linear() + Linear(), Bias() + Bias()):
        with pytest.raises(KernelError, match=r"no analytic cross .*: Bias \+ .*Bias \+ RBF"):
            kernel.check()


@pytest.mark.parametrize("name", each(EXPECTED))
def test_the_default_weighted_psi2_matches_the_overridden_one(
    name: str, inputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel, (_, _, inducing) = EXPECTED[name], inputs
    generator = np.random.default_rng(9)
    mean, variance = generator.normal(size=(7, 3)), generator.uniform(0.05, 1.0, (7, 3))
    weights = generator.normal(size=(7, 4, 4))
    weights = weights + np.swapaxes(weights, 1, 2)
    # Each point has 16 numbers, so with these limits all points are processed at once, three at a
    # time, and one at a time.
    for most in (plain.MOST_NUMBERS, 48, 1):
        monkeypatch.setattr(plain, "MOST_NUMBERS", most)
        for given in (fold_upper(weights), fold_upper(weights[:1])):
            by_hand = kernel.weighted_psi2(inducing)(mean, variance, given)
            by_default = Kernel.weighted_psi2(kernel, inducing)(mean, variance, given)
            for expected, found in zip(by_hand, by_default, strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize(
    ("name", "peer"),
    {
        "rbf": 1.3 * peers.RBF(LENGTHS),
        "rbf, one lengthscale": 0.8 * peers.RBF(1.2),
        "linear, one variance": 0.6 * peers.DotProduct(0.0, "fixed"),
        "bias": peers.ConstantKernel(0.7),
        "white": peers.WhiteKernel(0.3),
    }.items(),
)
def test_values_beside_scikit_learn(name: str, peer: peers.Kernel) -> None:
    generator = np.random.default_rng(8)
    first, second = generator.normal(size=(5, 3)), generator.normal(size=(4, 3))
    np.testing.assert_allclose(SINGLE[name].K(first, second), peer(first, second), rtol=1e-12)
    np.testing.assert_allclose(SINGLE[name].K(first), peer(first), rtol=1e-12)


def test_a_linear_kernel_weighs_its_dimensions() -> None:
    first, second = np.random.default_rng(8).normal(size=(2, 5, 3))
    whole = sum(
        SINGLE["linear"].variance[q] * np.outer(first[:, q], second[:, q]) for q in range(3)
    )
    np.testing.assert_allclose(SINGLE["linear"].K(first, second), whole, rtol=1e-12)


@pytest.mark.parametrize("name", EXPECTED | TIME)
def test_diag_matches_the_diagonal_of_k(name: str) -> None:
    kernel = (EXPECTED | TIME)[name]
    points = np.random.default_rng(8).normal(size=(5, 3))
    np.testing.assert_allclose(kernel.diag(points), np.diagonal(kernel.K(points)), rtol=1e-12)


def test_white_noise_is_independent_between_points() -> None:
    points = np.ones((2, 3))
    np.testing.assert_array_equal(White(0.3).K(points), 0.3 * np.eye(2))
    np.testing.assert_array_equal(White(0.3).K(points, points), np.zeros((2, 2)))
