"""Every concrete kernel's pullbacks against central differences; a kernel that is missing fails."""

import numpy as np
import pytest

from gplvm_core.kernels import RBF, Bias, Kernel, Linear, Sum, White
from gplvm_core.kernels.kernel import Stationary
from gplvm_core.numerics import fold_upper
from gplvm_core.parameters import leaves, replace_leaves

LENGTHS = np.array([0.7, 1.3, 2.1])
# Which of seven points belong to each of three groups; one group has none.
ROWS = np.array([[1, 1, 0, 1, 0, 0, 1], [0, 1, 1, 1, 1, 1, 0], [0] * 7], dtype=float).T
KERNELS = {
    "rbf": RBF(1.3, LENGTHS),
    "rbf, one lengthscale": RBF(0.8, 1.2),
    "linear": Linear(np.array([0.5, 1.5, 0.2])),
    "linear, one variance": Linear(0.6),
    "bias": Bias(0.7),
    "white": White(0.3),
    "rbf + linear": RBF(1.3, LENGTHS) + Linear(np.array([0.5, 1.5, 0.2])),
    "linear + rbf + bias + white": Linear(0.4) + RBF(0.9, LENGTHS) + Bias(0.3) + White(0.1),
}


def concrete(kind: type) -> set[type]:
    """All classes below a class that are kernels of their own."""
    found = set()
    for child in kind.__subclasses__():
        found |= concrete(child) | ({child} if child is not Stationary else set())
    return found


def test_every_kernel_is_here() -> None:
    tested = {type(kernel) for kernel in KERNELS.values()}
    assert concrete(Kernel) == tested


@pytest.fixture
def inputs() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.random.Generator]:
    generator = np.random.default_rng(3)
    mean, variance = generator.normal(size=(7, 3)), generator.uniform(0.05, 1.0, (7, 3))
    return mean, variance, generator.normal(size=(4, 3)), generator


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("statistic", ["psi1", "psi2", "grouped_psi2"])
def test_expectations(name: str, statistic: str, inputs, central_difference) -> None:
    kernel = KERNELS[name]
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


@pytest.mark.parametrize("name", KERNELS)
def test_psi0_and_gram(name: str, inputs, central_difference) -> None:
    kernel = KERNELS[name]
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


@pytest.mark.parametrize("name", KERNELS)
def test_groups_are_sums_over_their_points(name: str, inputs) -> None:
    kernel = KERNELS[name]
    mean, variance, inducing, _ = inputs
    value, _ = kernel.grouped_psi2(mean, variance, inducing, ROWS)
    kept, _ = kernel.grouped_psi2(mean, variance, inducing, ROWS, keep=10**6)
    for group, row in enumerate(ROWS.T.astype(bool)):
        alone = kernel.psi2(mean[row], variance[row], inducing)[0]
        np.testing.assert_allclose(value[group], alone, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(value, kept)


@pytest.mark.parametrize("shared", [True, False], ids=["weights shared", "weights of its own"])
@pytest.mark.parametrize("name", KERNELS)
def test_weighted_psi2_of_each_point(name: str, shared: bool, inputs, central_difference) -> None:
    kernel = KERNELS[name]
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


def test_sum_opens_sums_inside_it() -> None:
    assert len((RBF() + Bias() + White()).parts) == 3
    assert isinstance(RBF() + Bias(), Sum)
