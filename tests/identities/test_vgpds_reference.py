"""Tests of variational GP dynamics: marginals, KL, bound and all gradients by automatic
differentiation.
"""

import numpy as np
import pytest

from gplvm_core import RBF, White
from gplvm_core.bounds import Layer, evaluate_layer
from gplvm_core.parameters import add
from gplvm_core.priors.temporal import Sites, Timeline, smooth
from gplvm_core.statistics import Targets


@pytest.fixture(scope="module")
def prior(dynamics):
    kernel = RBF(float(dynamics["t_variance"]), float(dynamics["t_lengthscale"]))
    timeline = Timeline.of(dynamics["t"][:, None], dynamics["seq"].astype(int))
    return kernel + White(float(dynamics["t_white"])), timeline


@pytest.fixture(scope="module")
def found(dynamics, prior):
    """The reference has q(X) by means K·mubar and precisions; its sites are ν = μ̄ + λ mean."""
    linear = dynamics["mubar"] + dynamics["lam"] * (dynamics["Kt"] @ dynamics["mubar"])
    return smooth(*prior, Sites(linear, dynamics["lam"]))


@pytest.fixture(scope="module")
def data(problem, found):
    layer = Layer(
        RBF(float(problem["variance"]), problem["lengthscales"]),
        problem["Z"],
        float(problem["noise"]),
    )
    return evaluate_layer(
        layer, found.belief, Targets(problem["Y"], 5), jitter=1e-8, relative=False
    )


def test_prior_covariance(dynamics, prior) -> None:
    kernel, timeline = prior
    assert len(timeline.rows) == len(np.unique(dynamics["seq"])) > 1
    for rows in timeline.rows:
        block = kernel.K(timeline.times[rows])
        np.testing.assert_allclose(block, dynamics["Kt"][np.ix_(rows, rows)], atol=1e-13)


def test_marginals_and_bound(dynamics, found, data) -> None:
    np.testing.assert_allclose(found.belief.mean, dynamics["mu"], rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(found.belief.variance, dynamics["S"], rtol=1e-10)
    assert found.kl.sum() == pytest.approx(float(dynamics["KL"]), rel=1e-11)
    assert data.value == pytest.approx(float(dynamics["F"]), rel=1e-10)
    assert data.value - found.kl.sum() == pytest.approx(float(dynamics["bound"]), rel=1e-10)


def test_gradients(dynamics, prior, found, data) -> None:
    pulled = found.pullback(data.gradients.mean, data.gradients.variance)
    # ν = μ̄ + λ Kμ̄ depends on μ̄, λ and K.
    mubar, linear = dynamics["mubar"], pulled.sites.linear
    by_mean = dynamics["lam"] * linear
    d_kernel, (kernel, timeline) = pulled.kernel, prior
    for rows in timeline.rows:
        d_gram = by_mean[rows] @ mubar[rows].T
        times = timeline.times[rows]
        d_kernel = add(d_kernel, kernel.K_pullback(times, 0.5 * (d_gram + d_gram.T))[1])
    time_rbf, time_white = d_kernel.parts
    for value, key in (
        (linear + dynamics["Kt"] @ by_mean, "g_mubar"),
        (pulled.sites.precision + linear * (dynamics["Kt"] @ mubar), "g_lam"),
        (time_rbf.variance, "g_t_variance"),
        (time_rbf.lengthscale, "g_t_lengthscale"),
        (time_white.variance, "g_t_white"),
        (data.gradients.inducing, "g_Z"),
        (data.gradients.kernel.variance, "g_variance"),
        (data.gradients.kernel.lengthscale, "g_lengthscales"),
        (data.noise_variance, "g_noise"),
    ):
        expected = dynamics[key]
        np.testing.assert_allclose(
            value, expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max(), err_msg=key
        )
