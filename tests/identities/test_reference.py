"""Tests of expectations, bounds and gradients against established packages, to 1e-8."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from gplvm_core import RBF, Bias, Linear, White, evaluate_bound
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, evaluate_layer
from gplvm_core.parameters import leaves
from gplvm_core.prediction import Posterior, predict
from gplvm_core.statistics import Targets

CLOSE = {"rtol": 1e-8, "atol": 1e-9}


@pytest.fixture(scope="module")
def kernels(problem):
    rbf = RBF(float(problem["variance"]), problem["lengthscales"])
    linear, bias = Linear(problem["linear_variances"]), Bias(float(problem["bias_variance"]))
    return {
        "rbf": rbf,
        "linear": linear,
        "bias": bias,
        "rbf_plus_linear": rbf + linear,
        "rbf_plus_bias": rbf + bias,
        "linear_plus_bias": linear + bias,
        "rbf_plus_white": rbf + White(1e-3),
    }


CASES = [
    ("rbf", "gpflow"),
    ("rbf", "gpy"),
    ("linear", "gpflow"),
    ("linear", "gpy"),
    ("bias", "gpy"),
    ("rbf_plus_linear", "gpflow"),
    ("rbf_plus_bias", "gpy"),
    ("linear_plus_bias", "gpy"),
    ("rbf_plus_white", "gpy"),
]
# K has rank 3 or 1 plus jitter, so these bounds and ∂Z depend more on the jitter than on the model.
DEFICIENT = {"linear", "bias", "linear_plus_bias"}


@pytest.mark.parametrize(("name", "package"), CASES)
def test_expectations(name: str, package: str, kernels, problem, reference) -> None:
    kernel, values = kernels[name], reference[package]
    mean, variance, inducing = problem["mu"], problem["S"], problem["Z"]
    np.testing.assert_allclose(kernel.psi0(mean, variance)[0], values[f"{name}_psi0"], **CLOSE)
    np.testing.assert_allclose(
        kernel.psi1(mean, variance, inducing)[0], values[f"{name}_psi1"], **CLOSE
    )
    np.testing.assert_allclose(
        kernel.psi2(mean, variance, inducing)[0], values[f"{name}_psi2"], **CLOSE
    )


@pytest.mark.parametrize(("name", "package"), [c for c in CASES if c[0] not in DEFICIENT])
def test_bound_and_gradients(name: str, package: str, kernels, problem, reference) -> None:
    values = reference[package]
    bound, gradients = evaluate_bound(
        problem["Y"],
        problem["mu"],
        problem["S"],
        problem["Z"],
        kernels[name],
        float(problem["noise"]),
    )
    assert bound == pytest.approx(float(values[f"{name}_bound"]), rel=1e-10)
    for found, key in (
        (gradients.mean, "g_mu"),
        (gradients.variance, "g_S"),
        (gradients.inducing, "g_Z"),
        (gradients.noise_variance, "g_noise"),
    ):
        expected = values[f"{name}_{key}"]
        np.testing.assert_allclose(
            found, np.squeeze(expected), rtol=1e-8, atol=1e-8 * np.abs(expected).max()
        )
    if package == "gpy":
        found = np.concatenate([np.atleast_1d(v) for v in leaves(gradients.kernel).values()])
        np.testing.assert_allclose(found, values[f"{name}_g_kern"], rtol=1e-8)
    else:
        expected = [v for key, v in values.items() if key.startswith(f"{name}_g_kern")]
        for found, value in zip(leaves(gradients.kernel).values(), expected, strict=True):
            np.testing.assert_allclose(found, value, rtol=1e-8)


@pytest.mark.parametrize("name", sorted(DEFICIENT))
def test_bound_of_deficient_kernels(name: str, kernels, problem, reference) -> None:
    bound, _ = evaluate_bound(
        problem["Y"],
        problem["mu"],
        problem["S"],
        problem["Z"],
        kernels[name],
        float(problem["noise"]),
    )
    assert bound == pytest.approx(float(reference["gpy"][f"{name}_bound"]), rel=1e-6)


def test_prediction(kernels, problem, reference) -> None:
    layer = Layer(kernels["rbf"], problem["Z"], float(problem["noise"]))
    at = evaluate_layer(
        layer,
        Belief(problem["mu"], problem["S"]),
        Targets(problem["Y"], 5),
        jitter=1e-8,
        relative=False,
    )
    posterior = Posterior(
        layer.kernel,
        layer.inducing,
        at.posterior.weights,
        at.posterior.gap,
        layer.noise_variance,
        at.jitter,
        np.zeros(5),
        np.ones(5),
    )
    mean, variance = predict(posterior, problem["Xstar"])
    np.testing.assert_allclose(mean, reference["gpflow"]["rbf_pred_mean"], **CLOSE)
    np.testing.assert_allclose(variance, reference["gpflow"]["rbf_pred_var"], **CLOSE)


def test_missing_outputs(kernels, problem, reference) -> None:
    """Every column has its own gaps: the bound is Σ_d of a bound over the observed rows, minus the
    KL once.
    """
    values = reference["gpy"]
    targets = np.where(values["missing_mask"], np.nan, problem["Y"])
    bound, gradients = evaluate_bound(
        targets,
        problem["mu"],
        problem["S"],
        problem["Z"],
        kernels["rbf"],
        float(problem["noise"]),
    )
    assert bound == pytest.approx(float(values["missing_bound"]), rel=1e-11)
    for found, key in (
        (gradients.mean, "g_mu"),
        (gradients.variance, "g_S"),
        (gradients.inducing, "g_Z"),
    ):
        expected = values[f"missing_{key}"]
        close = {"rtol": 1e-8, "atol": 1e-9 * np.abs(expected).max()}
        np.testing.assert_allclose(found, expected, **close)


def _solved(matrix: np.ndarray, right: np.ndarray) -> tuple[Decimal, np.ndarray]:
    """Return log |matrix| and matrix⁻¹ right by Gauss-Jordan elimination."""
    rows, log_determinant = np.hstack([matrix, right]), Decimal(0)
    for at in range(len(rows)):
        log_determinant += rows[at, at].ln()
        rows[at] = rows[at] / rows[at, at]
        for other in {*range(len(rows))} - {at}:
            rows[other] = rows[other] - rows[other, at] * rows[at]
    return log_determinant, rows[:, len(rows) :]


def _bound_with_40_digits(targets, mean, spread, inducing, noise, jitter) -> float:
    """Titsias and Lawrence (2010), eq. 14, for a unit RBF and one dimension, without Cholesky."""
    as_decimals = np.vectorize(Decimal, otypes=[object])
    exp, log = (np.frompyfunc(each, 1, 1) for each in (Decimal.exp, Decimal.ln))
    with localcontext(prec=40):
        y, x, z = as_decimals(targets), as_decimals(mean), as_decimals(inducing)
        s, beta, pi = Decimal(spread), 1 / Decimal(noise), Decimal("3.14159265358979323846264338")
        gram = exp(-((z[:, None] - z) ** 2) / 2) + Decimal(jitter) * np.eye(len(z), dtype=object)
        psi1 = exp(-((x[:, None] - z) ** 2) / (2 * (s + 1))) / (s + 1).sqrt()
        middles, places = np.unique(z[:, None] + z, return_inverse=True)
        each = exp(-((x[:, None] - middles / 2) ** 2) / (2 * s + 1)).sum(axis=0)
        psi2 = each[places].reshape(gram.shape) * exp(-((z[:, None] - z) ** 2) / 4)
        psi2 = psi2 / (2 * s + 1).sqrt()
        log_gram, left = _solved(gram, psi2)
        log_informed, solved = _solved(gram + beta * psi2, psi1.T @ y)
        left_over = len(x) - np.trace(left)
        bound = y.shape[1] * (len(x) * (beta / (2 * pi)).ln() + log_gram - log_informed)
        bound -= beta * ((y**2).sum() + y.shape[1] * left_over)
        bound += beta**2 * ((psi1.T @ y) * solved).sum()
        return float((bound - (x**2 + s - log(s * np.ones_like(x)) - 1).sum()) / 2)


def test_bound_where_the_covariance_is_nearly_singular() -> None:
    """GPy and GPflow are 3 and 7 millionths away from this bound (`docs/same_numbers.sh`)."""
    rows, inducing = np.linspace(-2.0, 2.0, 50), np.linspace(-2.0, 2.0, 25)
    noise = 0.05 * np.random.default_rng(0).normal(size=(50, 4))
    targets = np.sin(2.0 * rows[:, None]) + noise
    exact = _bound_with_40_digits(targets, rows, 0.01, inducing, 0.0025, 1e-8)
    bound, _ = evaluate_bound(
        targets, rows[:, None], np.full((50, 1), 0.01), inducing[:, None], RBF(), 0.0025, 1e-8
    )
    assert exact == pytest.approx(-740.512509, abs=1e-6)
    assert bound == pytest.approx(exact, abs=5e-6)
