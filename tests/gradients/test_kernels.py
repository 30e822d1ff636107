"""Tests of every kernel's pullbacks against central differences; no kernel may be left out."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import ExpSineSquared
from sklearn.gaussian_process.kernels import Matern as PeerMatern

from gplvm_core.kernels import (
    RBF,
    TIME_KERNELS,
    Bias,
    KernelError,
    Matern12,
    Matern32,
    Matern52,
    Periodic,
    Product,
    Sum,
    White,
    time_kernel_named,
)
from gplvm_core.numerics import fold_upper
from gplvm_core.parameters import leaves, replace_leaves
from tests.kernels.cases import EXPECTED, TIME, each

# These are the weights of five points in each of three groups; one group is empty.
ROWS = np.array([[1, 1, 0, 0, 1], [0, 1, 1, 1, 0], [0] * 5], dtype=float).T


@pytest.fixture
def inputs() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.random.Generator]:
    generator = np.random.default_rng(3)
    mean, variance = generator.normal(size=(5, 3)), generator.uniform(0.05, 1.0, (5, 3))
    return mean, variance, generator.normal(size=(4, 3)), generator


@pytest.mark.parametrize("name", each(EXPECTED))
@pytest.mark.parametrize("statistic", ["psi1", "psi2", "grouped_psi2"])
def test_expectations(name: str, statistic: str, inputs, central_difference) -> None:
    kernel = EXPECTED[name]
    mean, variance, inducing, generator = inputs
    extra = (ROWS,) if statistic == "grouped_psi2" else ()
    value, pullback = getattr(kernel, statistic)(mean, variance, inducing, *extra)
    adjoint = generator.normal(size=value.shape)
    if statistic != "psi1":
        adjoint = adjoint + np.swapaxes(adjoint, -1, -2)
    gradients = pullback(adjoint)

    def total(mean=mean, variance=variance, inducing=inducing, kernel=kernel) -> float:
        found, _ = getattr(kernel, statistic)(mean, variance, inducing, *extra)
        return float(np.sum(adjoint * found))

    for argument, found in (
        ("mean", gradients.mean),
        ("variance", gradients.variance),
        ("inducing", gradients.inducing),
    ):
        here = {"mean": mean, "variance": variance, "inducing": inducing}[argument]
        expected = central_difference(lambda x, a=argument: total(**{a: x}), here)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)
    for path, found in leaves(gradients.kernel).items():
        expected = central_difference(
            lambda x, p=path: total(kernel=replace_leaves(kernel, {p: x})), leaves(kernel)[path]
        )
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", each(EXPECTED))
def test_psi0_and_gram(name: str, inputs, central_difference) -> None:
    kernel = EXPECTED[name]
    mean, variance, inducing, generator = inputs
    adjoint0 = generator.normal(size=len(mean))
    gram = generator.normal(size=(4, 4))
    gram = gram + gram.T
    d_mean, d_variance, d_kernel0 = kernel.psi0(mean, variance)[1](adjoint0)
    d_inducing, d_kernel = kernel.K_pullback(inducing, gram)
    at = leaves(kernel)

    def psi0(mean=mean, variance=variance, kernel=kernel) -> float:
        return float(adjoint0 @ kernel.psi0(mean, variance)[0])

    def summed(inducing=inducing, kernel=kernel) -> float:
        return float(np.sum(gram * kernel.K(inducing)))

    close = {"rtol": 1e-6, "atol": 1e-7}
    np.testing.assert_allclose(d_mean, central_difference(lambda x: psi0(mean=x), mean), **close)
    np.testing.assert_allclose(
        d_variance, central_difference(lambda x: psi0(variance=x), variance), **close
    )
    np.testing.assert_allclose(
        d_inducing, central_difference(lambda x: summed(inducing=x), inducing), **close
    )
    for path, value in at.items():
        for found, function in ((d_kernel0, psi0), (d_kernel, summed)):
            expected = central_difference(
                lambda x, p=path, f=function: f(kernel=replace_leaves(kernel, {p: x})), value
            )
            np.testing.assert_allclose(leaves(found)[path], expected, **close)


@pytest.mark.parametrize("name", each(EXPECTED))
def test_groups_are_sums_over_their_points(name: str, inputs) -> None:
    kernel = EXPECTED[name]
    mean, variance, inducing, _ = inputs
    value, _ = kernel.grouped_psi2(mean, variance, inducing, ROWS)
    for group, row in enumerate(ROWS.T.astype(bool)):
        alone = kernel.psi2(mean[row], variance[row], inducing)[0]
        np.testing.assert_allclose(value[group], alone, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("shared", [True, False], ids=["shared weights", "weights per point"])
@pytest.mark.parametrize("name", each(EXPECTED))
def test_weighted_psi2_of_each_point(name: str, shared: bool, inputs, central_difference) -> None:
    kernel = EXPECTED[name]
    mean, variance, inducing, generator = inputs
    weights = generator.normal(size=(1 if shared else len(mean), 4, 4))
    weights = weights + np.swapaxes(weights, 1, 2)
    folded = fold_upper(weights)
    value, d_mean, d_variance = kernel.weighted_psi2(inducing)(mean, variance, folded)
    for n in range(len(mean)):
        row = slice(n, n + 1)
        alone = kernel.psi2(mean[row], variance[row], inducing)[0]
        expected = float(np.sum(weights[0 if shared else n] * alone))
        assert value[n] == pytest.approx(expected, rel=1e-10, abs=1e-12)

    def total(mean=mean, variance=variance) -> float:
        return float(np.sum(kernel.weighted_psi2(inducing)(mean, variance, folded)[0]))

    close = {"rtol": 1e-6, "atol": 1e-7}
    np.testing.assert_allclose(d_mean, central_difference(lambda x: total(mean=x), mean), **close)
    np.testing.assert_allclose(
        d_variance, central_difference(lambda x: total(variance=x), variance), **close
    )


def test_a_sum_flattens_the_sums_inside_it() -> None:
    assert len((RBF() + Bias() + White()).parts) == 3
    assert isinstance(RBF() + Bias(), Sum)


def test_product_opens_products_inside_it_and_scales_once() -> None:
    product = Product.of(RBF(), Product.of(Periodic(), Matern32()))
    assert len(product.parts) == 3
    points = np.linspace(0.0, 2.0, 5)[:, None]
    np.testing.assert_allclose(product.scaled(3.0).K(points), 3.0 * product.K(points))


@pytest.mark.parametrize("name", TIME)
def test_time_kernels(name: str, central_difference) -> None:
    kernel = TIME[name]
    generator = np.random.default_rng(4)
    times = generator.normal(size=(6, 2))
    times[4] = times[1]
    gram = generator.normal(size=(6, 6))
    gram = gram + gram.T
    # Two rows have the same time. The kernel has a kink there and no derivative, so the adjoint of
    # this pair is set to 0.
    gram[4, 1] = gram[1, 4] = 0.0
    np.testing.assert_allclose(np.diagonal(kernel.K(times)), kernel.diag(times))
    assert np.linalg.eigvalsh(kernel.K(times)).min() > -1e-12

    def total(times=times, kernel=kernel) -> float:
        return float(np.sum(gram * kernel.K(times)))

    d_times, d_kernel = kernel.K_pullback(times, gram)
    close = {"rtol": 1e-6, "atol": 1e-7}
    np.testing.assert_allclose(
        d_times, central_difference(lambda t: total(times=t), times), **close
    )
    gram = gram + np.ones((6, 6))
    _, d_kernel = kernel.K_pullback(times, gram)
    for path, value in leaves(kernel).items():
        expected = central_difference(
            lambda x, p=path: total(kernel=replace_leaves(kernel, {p: x})), value
        )
        np.testing.assert_allclose(leaves(d_kernel)[path], expected, **close)


@pytest.mark.parametrize("name", TIME)
def test_time_kernels_keep_their_digits(name: str) -> None:
    """The test covers near times, equal times, and times far from 0, such as seconds since 1970."""
    kernel, generator = TIME[name], np.random.default_rng(6)
    times = np.sort(generator.integers(0, 64, 12))[:, None] / 32.0
    times = np.concatenate([times, times[:3], times[:2] + 2.0**-20])
    far = times + 2.0**30
    gram = np.ones((len(times), len(times)))
    np.testing.assert_allclose(kernel.K(far), kernel.K(times), rtol=1e-12)
    for here, there in zip(
        leaves(kernel.K_pullback(times, gram)[1]).values(),
        leaves(kernel.K_pullback(far, gram)[1]).values(),
        strict=True,
    ):
        assert np.isfinite(here).all()
        np.testing.assert_allclose(there, here, rtol=1e-9)
    assert np.isfinite(kernel.K_pullback(times, gram)[0]).all()


def test_time_kernels_beside_scikit_learn() -> None:
    generator = np.random.default_rng(8)
    first, second = generator.normal(size=(5, 3)), generator.normal(size=(4, 3))
    for kernel in (Matern12(2.0, 0.7), Matern32(2.0, 0.7), Matern52(2.0, 0.7)):
        peer = PeerMatern(0.7, nu=kernel.smoothness)
        np.testing.assert_allclose(kernel.K(first, second), 2.0 * peer(first, second), rtol=1e-12)
    peer = ExpSineSquared(0.7, 1.3)
    np.testing.assert_allclose(
        Periodic(2.0, 0.7, 1.3).K(first[:, :1], second[:, :1]),
        2.0 * peer(first[:, :1], second[:, :1]),
        rtol=1e-12,
    )


@pytest.mark.parametrize("name", TIME)
def test_time_kernels_are_refused_over_latent_inputs(name: str) -> None:
    kernel = TIME[name]
    inputs = np.zeros((3, 1)), np.ones((3, 1)), np.zeros((2, 1))
    for ask in (
        kernel.check,
        lambda: kernel.psi1(*inputs),
        lambda: kernel.psi2(*inputs),
        lambda: kernel.weighted_psi2(inputs[2]),
    ):
        with pytest.raises(KernelError, match=r"no analytic expect.*Bias, .*RBF, Sum, White"):
            ask()
    kernel.check_parameters()


@pytest.mark.parametrize("name", TIME_KERNELS)
def test_named_time_kernels(name: str) -> None:
    times = np.linspace(0.0, 30.0, 40)[:, None]
    kernel = time_kernel_named(name, 30.0)
    np.testing.assert_allclose(kernel.diag(times), 1.01)
    kernel.check_parameters()
    # Neighbours in time are correlated; the ends of the span are not, unless the kernel is
    # periodic.
    assert kernel.K(times)[0, 1] > 0.7
    assert name == "periodic" or kernel.K(times)[0, -1] < 1e-3


def test_time_kernels_that_do_not_exist_are_refused_in_words() -> None:
    with pytest.raises(KernelError, match="'matern32'"):
        time_kernel_named("matern", 1.0)
    with pytest.raises(KernelError, match="positive, finite length"):
        time_kernel_named("rbf", 0.0)
    with pytest.raises(KernelError, match="lengthscale must be positive"):
        Matern32(1.0, -1.0).check_parameters()
