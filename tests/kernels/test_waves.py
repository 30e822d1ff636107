"""Tests of periodic kernels and products at uncertain inputs: tolerance, limits, and refusals."""

import numpy as np
import pytest
from scipy.special import ive

from gplvm_core import (
    RBF,
    BayesianGPLVM,
    Bias,
    Linear,
    Periodic,
    SparseGPRegression,
    White,
    evaluate_bound,
    load,
)
from gplvm_core.kernels import Kernel, KernelError, Matern32, Product, wave_pairs
from gplvm_core.kernels.waves import NARROWEST, NarrowWavesError, bessel
from gplvm_core.parameters import leaves
from tests.kernels.cases import LENGTHS, WAVING

TOLERANCE = 1e-12  # the documented relative error of the variance


@pytest.fixture(scope="module")
def inputs() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(5)
    mean, variance = generator.normal(size=(6, 3)), generator.uniform(0.02, 1.5, (6, 3))
    return mean, variance, generator.normal(size=(5, 3))


def integrals(kernel: Kernel, mean: float, variance: float, inducing: np.ndarray) -> tuple:
    """Compute ⟨k⟩ and ⟨kk'⟩ in one dimension by a fine trapezoidal rule."""
    nodes = np.linspace(-9.0, 9.0, 40_001)
    weights = np.exp(-0.5 * nodes**2)
    values = kernel.K(mean + np.sqrt(variance) * nodes[:, None], inducing)
    weighted = values * (weights / weights.sum())[:, None]
    return weighted.sum(axis=0), weighted.T @ values


@pytest.mark.parametrize("lengthscale", [0.02, 0.1, 0.4, 1.0, 3.0, 50.0])
def test_truncated_series_are_within_the_tolerance(lengthscale: float) -> None:
    """The tolerance also holds for nearly exact inputs, where no damping hides the error."""
    a, _ = bessel(lengthscale**-2.0)
    assert abs(2.0 * a.sum() - a[0] - 1.0) < 1e-13
    points, inducing = np.linspace(-2.0, 3.0, 9)[:, None], np.array([[-0.4], [0.2], [1.7]])
    nearly = np.full_like(points, 1e-30)
    for kernel in (Periodic(1.3, lengthscale, 2.2), Periodic(1.3, lengthscale, 2.2) * RBF(0.6)):
        plain, size = kernel.K(points, inducing), kernel.diag(points)[0]
        np.testing.assert_allclose(
            kernel.psi1(points, nearly, inducing)[0], plain, rtol=0.0, atol=TOLERANCE * size
        )
        np.testing.assert_allclose(
            kernel.psi2(points, nearly, inducing)[0],
            plain.T @ plain,
            rtol=0.0,
            atol=len(points) * TOLERANCE * size**2,
        )


@pytest.mark.parametrize("variance", [1e-8, 0.03, 1.0, 40.0])
@pytest.mark.parametrize(
    "kernel",
    [
        Periodic(1.3, 0.15, 0.8),
        Periodic(0.7, 0.6, 2.0) * RBF(1.1, 0.5),
        Periodic(0.7, 0.6, 2.0) * RBF(1.1, 200.0),
        Periodic(0.7, 0.6, 2.0) + Periodic(0.4, 0.9, 3.1) + RBF(0.5, 0.3) + Linear(0.2),
        Periodic(0.7, 0.6, 2.0) * RBF(1.1, 0.5) + Periodic(0.7, 0.6, 2.0) + Linear(0.2),
        RBF(1.1, 3.0) * RBF(0.8, 0.2) + Bias(0.3),
    ],
    ids=repr,
)
def test_expectations_against_integrals(kernel: Kernel, variance: float) -> None:
    inducing = np.array([[-0.9], [0.1], [0.7], [2.4]])
    psi1, psi2 = integrals(kernel, 0.35, variance, inducing)
    at = np.array([[0.35]]), np.array([[variance]]), inducing
    close = {"rtol": 1e-9, "atol": 1e-11}
    np.testing.assert_allclose(kernel.psi1(*at)[0][0], psi1, **close)
    np.testing.assert_allclose(kernel.psi2(*at)[0], psi2, **close)


@pytest.mark.parametrize("name", WAVING)
def test_exact_inputs_are_the_limit_of_small_variances(name: str, inputs) -> None:
    kernel, (mean, variance, inducing) = WAVING[name], inputs
    for exact, near in (
        (
            kernel.psi1(mean, 0.0 * variance, inducing),
            kernel.psi1(mean, 1e-14 * variance, inducing),
        ),
        (
            kernel.psi2(mean, 0.0 * variance, inducing),
            kernel.psi2(mean, 1e-14 * variance, inducing),
        ),
    ):
        np.testing.assert_allclose(near[0], exact[0], rtol=1e-9, atol=1e-12)
        adjoint = np.ones_like(exact[0])
        for name_ in ("mean", "inducing"):
            found, expected = (getattr(each[1](adjoint), name_) for each in (near, exact))
            np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)
        first, second = (leaves(each[1](adjoint).kernel) for each in (near, exact))
        for path, value in first.items():
            np.testing.assert_allclose(value, second[path], rtol=1e-8, atol=1e-10)


def test_very_uncertain_inputs_give_the_mean_over_a_period(inputs) -> None:
    mean, _, inducing = inputs
    kernel = Periodic(1.3, LENGTHS, 2.0)
    flat = 1.3 * np.prod(ive(0, LENGTHS**-2.0))
    np.testing.assert_allclose(kernel.psi1(mean, np.full_like(mean, 50.0), inducing)[0], flat)


def test_a_long_lengthscale_leaves_only_the_other_factor(inputs) -> None:
    periodic, rbf = Periodic(1.3, LENGTHS, 6.0), RBF(0.8, LENGTHS)
    for product, alone in (
        (periodic * RBF(0.5, 1e8), 0.5 * periodic),
        (rbf * Periodic(0.5, 1e8, 6.0), 0.5 * rbf),
        (Product.of(rbf, Bias(0.5)), 0.5 * rbf),
    ):
        for ask in ("psi1", "psi2"):
            found, expected = (getattr(each, ask)(*inputs)[0] for each in (product, alone))
            np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


def test_a_product_of_two_rbfs_is_one(inputs) -> None:
    one = RBF(1.2 * 0.7, (LENGTHS**-2.0 + 1.9**-2.0) ** -0.5)
    two = RBF(1.2, LENGTHS) * RBF(0.7, 1.9)
    values = np.random.default_rng(4).normal(size=(6, 4))
    expected, whole = evaluate_bound(values, *inputs, one, 0.1)
    found, parts = evaluate_bound(values, *inputs, two, 0.1)
    assert found == pytest.approx(expected, rel=1e-9)
    for name in ("mean", "variance", "inducing", "noise_variance"):
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-6, atol=1e-6)
    # The ARD weights of the parts are added, so the gradient with respect to each part's
    # lengthscale is a fraction of the total.
    slope = -0.5 * whole.kernel.lengthscale * one.lengthscale**3
    np.testing.assert_allclose(
        parts.kernel.parts[0].lengthscale, -2.0 * slope / LENGTHS**3, rtol=1e-6, atol=1e-8
    )
    assert [each["kind"] for each in two.with_latent(3).browser_form()] == ["rbf"]


@pytest.mark.parametrize(
    "beside", [Bias(0.2), Periodic(0.6, 1.5, 6.3)], ids=["alone", "two periods"]
)
def test_bent_and_windowed_waves_agree(beside, inputs, monkeypatch) -> None:
    kernel = WAVING["rbf × periodic × bias"] + beside
    adjoint = np.random.default_rng(2).normal(size=(5, 5))
    adjoint = adjoint + adjoint.T
    value, pullback = kernel.psi2(*inputs)
    expected = pullback(adjoint)
    monkeypatch.setattr(wave_pairs, "WAVES_FOR_ONE", 0)
    again, pullback = kernel.psi2(*inputs)
    np.testing.assert_allclose(again, value, rtol=1e-11, atol=1e-13)
    found = pullback(adjoint)
    for name in ("mean", "variance", "inducing"):
        np.testing.assert_allclose(
            getattr(found, name), getattr(expected, name), rtol=1e-9, atol=1e-11
        )
    for path, slope in leaves(expected.kernel).items():
        np.testing.assert_allclose(leaves(found.kernel)[path], slope, rtol=1e-9, atol=1e-11)


def test_no_digits_are_lost_far_from_the_origin(inputs) -> None:
    mean, variance, inducing = inputs
    for kernel in WAVING.values():
        near = kernel.psi2(*inputs)[0]
        far = kernel.psi2(mean + 1e4, variance, inducing + 1e4)[0]
        np.testing.assert_allclose(far, near, rtol=1e-9, atol=1e-10)


def test_a_regression_with_noisy_inputs_accepts_the_kernels_name() -> None:
    inputs = np.linspace(0.0, 6.0, 20)[:, None]
    outputs = np.sin(3.0 * inputs) + 0.05 * np.random.default_rng(0).normal(size=inputs.shape)
    model = SparseGPRegression(8, kernel="periodic", max_iter=15, random_state=0)
    model.fit(inputs, outputs, X_variance=1e-3)
    assert np.sqrt(np.mean((model.predict(inputs) - outputs) ** 2)) < 0.2


def test_multiplying_by_a_bias_scales_the_kernel(inputs) -> None:
    for other in (Linear(LENGTHS), White(0.3), RBF() + Linear(), Periodic(1.0, 1.0, 5.0)):
        for product in (Bias(0.4) * other, other * Bias(0.4)):
            product.check()
            (product + RBF(0.3)).check()
            found, expected = (each.psi2(*inputs)[0] for each in (product, 0.4 * other))
            np.testing.assert_allclose(found, expected, rtol=1e-12)
    # With held parameters the product is not simplified, so that free parameters remain free.
    held = Bias(0.4) * Linear().holding("variance")
    assert [type(part) for part in held.parts] == [Bias, Linear]


def test_errors_name_alternatives(inputs) -> None:
    for kernel in (
        Periodic() * Periodic(1.0, 1.0, 2.0),
        RBF() * Linear(),
        RBF() * (RBF() + Bias()),
        White() * RBF(),
        RBF() * Matern32(),
    ):
        words = r"Product has no analytic expect.*RBF, Sum.*at most one Periodic"
        for ask in (
            kernel.check,
            lambda k=kernel: k.psi1(*inputs),
            lambda k=kernel: k.psi2(*inputs),
        ):
            with pytest.raises(KernelError, match=words):
                ask()
        kernel.check(exact=True)
    with pytest.raises(KernelError, match=r"Matern32 has .*RBF\(\) \+ RBF\(0.1, 0.3\)"):
        Matern32().check()
    with pytest.raises(KernelError, match=r"Matern32 and Periodic.*cross .*Periodic \+ RBF"):
        (Matern32() + Periodic())._cross_builder(0, 1, False)


def test_a_kernel_too_narrow_for_uncertain_inputs_is_refused(inputs) -> None:
    narrow = Periodic(1.0, np.array([1.0, 0.9 * NARROWEST**-0.5, 1.0]))
    narrow.check(exact=True)
    for ask in (narrow.check, (narrow * RBF()).check, lambda: narrow.psi2(*inputs)):
        with pytest.raises(
            NarrowWavesError, match=r"lengthscale 0\.009 is too short.* least 0\.01"
        ):
            ask()


@pytest.mark.parametrize(
    "kernel",
    ["periodic", Periodic(1.0, 1.0, 5.0) * RBF(1.0, 2.0), Periodic(1.0, 1.0, 4.0) + RBF(0.2)],
    ids=repr,
)
def test_a_trained_map_has_a_bound_below_the_evidence(kernel: str | Kernel, tmp_path) -> None:
    """The bound is below log p(Y), estimated by importance sampling from a wider q(X), within 4
    standard errors.
    """
    generator = np.random.default_rng(3)
    angle = np.array([0.1, 1.3, 2.6, 4.0, 5.1])
    rows = np.column_stack([np.sin(angle), np.cos(angle)]) + 0.1 * generator.normal(size=(5, 2))
    model = BayesianGPLVM(1, 4, kernel=kernel, max_iter=40, random_state=0).fit(rows)
    at = model.posterior_
    internal = (rows - at.center) / at.scale
    belief = model.latent_mean_, model.latent_variance_
    bound, _ = evaluate_bound(internal, *belief, at.inducing, at.kernel, at.noise_variance)
    mean, spread = model.latent_mean_, np.sqrt(1.5 * model.latent_variance_)
    logs = np.empty(4000)
    for i in range(len(logs)):
        draw = generator.normal(size=mean.shape)
        points = mean + spread * draw
        lower = np.linalg.cholesky(at.kernel.K(points) + at.noise_variance * np.eye(5))
        half = np.linalg.solve(lower, internal)
        logs[i] = -0.5 * np.sum(half**2) - 2.0 * np.sum(np.log(np.diag(lower)))
        logs[i] += np.sum(0.5 * draw**2 + np.log(spread) - 0.5 * points**2)
    logs -= 5 * np.log(2.0 * np.pi)
    weights = np.exp(logs - logs.max())
    evidence = np.log(weights.mean()) + logs.max()
    error = weights.std() / weights.mean() / np.sqrt(len(weights))
    assert evidence - 8.0 < bound < evidence + 4.0 * error
    model.save(tmp_path / "waves.gplvm")
    again = load(tmp_path / "waves.gplvm")
    assert repr(again.kernel_) == repr(model.kernel_)
    np.testing.assert_array_equal(again.transform(rows[:2]), model.transform(rows[:2]))
