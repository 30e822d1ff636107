"""Tests of exact inputs: expectations of every kernel follow from its values."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import Matern as PeerMatern

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, evaluate_layer
from gplvm_core.kernels import (
    RBF,
    Bias,
    Kernel,
    KernelError,
    Linear,
    Matern12,
    Matern32,
    Matern52,
    Periodic,
    Product,
    Sum,
    White,
)
from gplvm_core.kernels import exact as exact_inputs
from gplvm_core.kernels.exact import stacked_pullback
from gplvm_core.parameters import leaves, replace_leaves
from gplvm_core.statistics import Targets
from tests.gradients.conftest import Difference
from tests.kernels.cases import EXPECTED, LENGTHS, TIME, each

# These sums and products have no expectations under Gaussian inputs.
EXACT: dict[str, Kernel] = TIME | {
    "matern12, a lengthscale each": Matern12(1.1, LENGTHS),
    "matern52, a lengthscale each": Matern52(0.7, LENGTHS),
    "matern32 + rbf": Matern32(0.4, LENGTHS) + RBF(0.8, 1.2),
    "linear + linear": Linear(0.4) + Linear(LENGTHS),
    "periodic + matern12 + bias + white": Periodic() + Matern12(0.5) + Bias(0.2) + White(0.3),
    "linear × (rbf + matern52)": Linear(LENGTHS) * (RBF(0.8, LENGTHS) + Matern52(0.6, 1.4)),
    "white × matern32 + rbf": White(0.7) * Matern32() + RBF(),
}
ALL = EXPECTED | EXACT
CLOSE = {"rtol": 1e-6, "atol": 1e-7}
ROWS = np.array([[1.0, 0.0], [0.5, 2.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]])


@pytest.fixture(scope="module")
def points() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(5)
    return generator.normal(size=(6, 3)), generator.normal(size=(4, 3))


def assert_slopes(kernel: Kernel, found: object, value, difference: Difference) -> None:
    """Check the gradient of a function of a kernel against central differences.

    value: the function.
    """
    for path, at in leaves(kernel).items():
        expected = difference(lambda x, p=path: value(replace_leaves(kernel, {p: x})), at)
        np.testing.assert_allclose(leaves(found)[path], expected, **CLOSE)


@pytest.mark.parametrize("name", each(ALL))
def test_the_way_back_from_values_between_two_sets_of_points(
    name: str, points, central_difference: Difference
) -> None:
    kernel, (first, second) = ALL[name], points
    adjoint = np.random.default_rng(6).normal(size=(6, 4))

    def total(first=first, second=second, kernel=kernel) -> float:
        return float(np.sum(adjoint * kernel.K(first, second)))

    d_first, d_second, own = kernel.between_pullback(first, second, adjoint)
    expected = central_difference(lambda x: total(first=x), first)
    np.testing.assert_allclose(d_first, expected, **CLOSE)
    expected = central_difference(lambda x: total(second=x), second)
    np.testing.assert_allclose(d_second, expected, **CLOSE)
    assert_slopes(kernel, own, lambda k: total(kernel=k), central_difference)


@pytest.mark.parametrize("block", [2, 32])
@pytest.mark.parametrize("name", each(ALL))
def test_the_pullback_between_points_follows_from_that_of_square_matrices(
    name: str, block: int, points, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_inputs, "DIAGONAL_BLOCK", block)
    kernel, (first, second) = ALL[name], points
    adjoint = np.random.default_rng(6).normal(size=(6, 4))
    expected = kernel.between_pullback(first, second, adjoint)
    found = stacked_pullback(kernel, first, second, adjoint)
    for one, other in zip(found[:2], expected[:2], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    for path, value in leaves(expected[2]).items():
        np.testing.assert_allclose(leaves(found[2])[path], value, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", each(ALL))
def test_expectations_are_the_values(name: str, points, central_difference: Difference) -> None:
    kernel, (mean, inducing) = ALL[name], points
    known, generator = np.zeros_like(mean), np.random.default_rng(7)
    cross = kernel.K(mean, inducing)
    groups = np.einsum("ng,ni,nj->gij", ROWS, cross, cross)
    psi0, pull_psi0 = kernel.psi0(mean, known)
    psi1, pull_psi1 = kernel.psi1(mean, known, inducing)
    psi2, pull_psi2 = kernel.grouped_psi2(mean, known, inducing, ROWS)
    np.testing.assert_allclose(psi0, kernel.diag(mean), rtol=1e-12)
    for found, expected in (
        (psi1, cross),
        (psi2, groups),
        (kernel.psi2(mean, known, inducing)[0], cross.T @ cross),
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    d_psi0, d_psi1 = generator.normal(size=6), generator.normal(size=(6, 4))
    d_psi2 = generator.normal(size=(2, 4, 4))
    d_psi2 = d_psi2 + np.swapaxes(d_psi2, 1, 2)

    def total(mean=mean, inducing=inducing, kernel=kernel) -> float:
        cross = kernel.K(mean, inducing)
        both = np.einsum("ng,ni,nj,gij->", ROWS, cross, cross, d_psi2)
        return float(d_psi0 @ kernel.diag(mean) + np.sum(d_psi1 * cross) + both)

    d_mean, _, own = pull_psi0(d_psi0)
    pulled = pull_psi1(d_psi1) + kernel.psi2_pullback(mean, known, inducing, d_psi2, ROWS)
    again = pull_psi1(d_psi1) + pull_psi2(d_psi2)
    np.testing.assert_allclose(again.mean, pulled.mean, rtol=1e-9, atol=1e-12)
    expected = central_difference(lambda x: total(mean=x), mean)
    np.testing.assert_allclose(d_mean + pulled.mean, expected, **CLOSE)
    expected = central_difference(lambda x: total(inducing=x), inducing)
    np.testing.assert_allclose(pulled.inducing, expected, **CLOSE)
    summed = {path: value + leaves(own)[path] for path, value in leaves(pulled.kernel).items()}
    d_kernel = replace_leaves(kernel, summed)
    assert_slopes(kernel, d_kernel, lambda k: total(kernel=k), central_difference)


@pytest.mark.parametrize("gaps", [False, True], ids=["whole", "gaps"])
@pytest.mark.parametrize("name", EXACT)
def test_the_bound_at_known_inputs(
    name: str, gaps: bool, points, central_difference: Difference
) -> None:
    kernel, (mean, inducing) = EXACT[name], points
    values = np.random.default_rng(8).normal(size=(6, 3))
    if gaps:
        values[0, 0] = values[1, 2] = np.nan
    targets = Targets.whole(values)

    def at(mean=mean, inducing=inducing, kernel=kernel):
        layer = Layer(kernel, inducing, 0.3)
        belief = Belief(mean, np.zeros_like(mean))
        return evaluate_layer(layer, belief, targets, jitter=1e-3, relative=False)

    found = at().gradients
    for name_, here in (("mean", mean), ("inducing", inducing)):
        expected = central_difference(lambda x, n=name_: at(**{n: x}).value, here)
        np.testing.assert_allclose(getattr(found, name_), expected, rtol=1e-6, atol=1e-6)
    assert_slopes(kernel, found.kernel, lambda k: at(kernel=k).value, central_difference)


@pytest.mark.parametrize("name", EXACT)
def test_uncertain_inputs_are_refused_with_what_would_work(name: str, points) -> None:
    kernel, (mean, inducing) = EXACT[name], points
    kernel.check(exact=True)
    spread = np.zeros_like(mean)
    spread[2, 1] = 0.1
    needs = r"(Gaussian|cross) .*known exactly.*(RBF|Bias \+ RBF)"
    for ask in (
        kernel.check,
        lambda: kernel.psi2(mean, spread, inducing),
        lambda: kernel.grouped_psi2(mean, spread, inducing, ROWS),
    ):
        with pytest.raises(KernelError, match=needs):
            ask()


def test_a_lengthscale_for_each_dimension_beside_scikit_learn(points) -> None:
    for kernel in (Matern12(2.0, LENGTHS), Matern32(2.0, LENGTHS), Matern52(2.0, LENGTHS)):
        peer = PeerMatern(LENGTHS, nu=kernel.smoothness)
        np.testing.assert_allclose(kernel.K(*points), 2.0 * peer(*points), rtol=1e-12)
        np.testing.assert_array_equal(kernel.relevance, LENGTHS**-2.0)
        blind = kernel.without(2)
        moved = points[0] + [0.0, 0.0, 5.0]
        np.testing.assert_allclose(blind.K(moved, points[1]), blind.K(*points), rtol=1e-12)


def test_a_kernel_without_gradients_is_refused() -> None:
    class Silent(Kernel):
        pass

    for ask in (
        lambda: Silent().K_pullback(np.zeros((2, 1)), np.eye(2)),
        lambda: Silent().between_pullback(np.zeros((2, 1)), np.zeros((2, 1)), np.eye(2)),
    ):
        with pytest.raises(NotImplementedError, match="write K_pullback or between_pullback"):
            ask()


def test_products_by_a_star() -> None:
    times = np.linspace(0.0, 2.0, 5)[:, None]
    rbf, periodic = RBF(1.3, 0.7), Periodic(0.8, 0.9, 1.1)
    product = rbf * periodic
    assert isinstance(product, Product)
    np.testing.assert_allclose(product.K(times), rbf.K(times) * periodic.K(times))
    assert len((product * Matern32()).parts) == 3
    for doubled in (2 * rbf, rbf * 2.0, np.float64(2.0) * rbf):
        assert doubled == RBF(2.6, 0.7)
    both = 3.0 * (rbf + periodic)
    assert isinstance(both, Sum)
    np.testing.assert_allclose(both.K(times), 3.0 * (rbf.K(times) + periodic.K(times)))
    # Products bind more strongly than sums, as in arithmetic.
    mixed = rbf + periodic * Matern32()
    np.testing.assert_allclose(
        mixed.K(times), rbf.K(times) + periodic.K(times) * Matern32().K(times)
    )


@pytest.mark.parametrize("factor", [0, -1.0, np.inf, np.nan])
def test_factors_that_are_no_positive_number(factor: float) -> None:
    with pytest.raises(KernelError, match=rf"by a positive number; got {factor}"):
        factor * RBF()


@pytest.mark.parametrize("other", ["2", None, True, np.ones(2)])
def test_parts_of_a_kernel_must_be_kernels(other: object) -> None:
    with pytest.raises(
        TypeError, match=r"unsupported operand|can't multiply|does not support ufuncs"
    ):
        RBF() * other
    with pytest.raises(TypeError, match=r"unsupported operand|concatenate|does not support ufuncs"):
        RBF() + other
