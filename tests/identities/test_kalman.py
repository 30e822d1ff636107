"""Tests that computing paths in O(N) equals dense algebra, and that error messages are clear."""

import numpy as np
import pytest
from scipy.linalg import expm

from gplvm_core.kernels import RBF, Bias, KernelError, Matern12, Matern32, Matern52, White
from gplvm_core.numerics import NotPositiveDefiniteError
from gplvm_core.parameters import leaves
from gplvm_core.priors import kalman, temporal
from gplvm_core.priors.state_space import LAST_ROW, STATIONARY, transitions
from gplvm_core.priors.temporal import Block, Path, Sites, Timeline

KERNELS = {
    "matern12": Matern12(1.3, 0.9),
    "matern32": Matern32(0.7, 1.4),
    "matern52": Matern52(1.3, 0.9),
    "matern32 + white": Matern32(0.7, 1.4) + White(0.2),
    "white + matern52": White(0.01) + Matern52(1.3, 2.0),
}
CLOSE = {"rtol": 1e-10, "atol": 1e-11}


@pytest.fixture
def timeline() -> Timeline:
    """Return four sequences (one has a single row) unsorted, with repeated, near and far times."""
    generator = np.random.default_rng(31)
    times = generator.uniform(0.0, 9.0, (90, 1))
    times[11] = times[10]
    times[20:25] = times[19] + 3e-4 * np.arange(1, 6)[:, None]
    times[40] = 5000.0
    sequences = generator.integers(0, 3, 90)
    sequences[[10, 11]], sequences[19:25], sequences[77] = 1, 2, 5
    return Timeline.of(times, sequences)


@pytest.fixture
def sites() -> Sites:
    generator = np.random.default_rng(32)
    precision = np.exp(generator.normal(0.0, 2.0, (90, 3)))
    return Sites(generator.normal(size=(90, 3)), precision)


def assert_same_tree(found, expected) -> None:
    for leaf, value in leaves(expected).items():
        scale = 1e-11 * max(1.0, float(np.abs(value).max()))
        np.testing.assert_allclose(leaves(found)[leaf], value, rtol=1e-9, atol=scale, err_msg=leaf)


@pytest.mark.parametrize("least", [0.0, 1e-3])
@pytest.mark.parametrize("name", KERNELS)
def test_sites_equal_those_of_dense_algebra(name: str, least: float, timeline, sites) -> None:
    kernel = KERNELS[name]
    assert kalman.supports(kernel, timeline)
    sites.precision[5:9] = least
    dense = temporal.smooth(kernel, timeline, sites)
    found = kalman.smooth(kernel, timeline, sites)
    np.testing.assert_allclose(found.belief.mean, dense.belief.mean, **CLOSE)
    np.testing.assert_allclose(found.belief.variance, dense.belief.variance, **CLOSE)
    np.testing.assert_allclose(found.kl, dense.kl, **CLOSE)
    np.testing.assert_allclose(found.dual, dense.dual, **CLOSE)
    adjoints = np.random.default_rng(34).normal(size=(2, 90, 3))
    assert_same_tree(found.pullback(*adjoints), dense.pullback(*adjoints))
    again = kalman.marginals(kernel, timeline, Path(dense.dual, sites.precision))
    np.testing.assert_allclose(again.mean, dense.belief.mean, **CLOSE)
    np.testing.assert_allclose(again.variance, dense.belief.variance, **CLOSE)


def test_points_without_a_site_are_forecasts() -> None:
    """The mean is k*ᵀμ̄ and the variance k** − k*ᵀB̂k*, at new times on all sides of the others."""
    kernel, generator = Matern52(1.3, 2.0) + White(0.1), np.random.default_rng(37)
    times, new = generator.uniform(0.0, 9.0, (30, 1)), np.array([[-2.0], [4.4], [0.0], [11.0]])
    new[2] = times[3]
    sites = Sites(generator.normal(size=(30, 1)), generator.uniform(0.1, 3.0, (30, 1)))
    nothing = np.zeros((4, 1))
    both = Sites(np.append(sites.linear, nothing, 0), np.append(sites.precision, nothing, 0))
    found = kalman.smooth(kernel, Timeline.of(np.append(times, new, 0)), both).belief
    gram, cross = kernel.K(times), kernel.K(times, new)
    covariance = gram + np.diag(1.0 / sites.precision[:, 0])
    mean = cross.T @ np.linalg.solve(covariance, sites.linear / sites.precision)
    spread = kernel.diag(new) - np.sum(cross * np.linalg.solve(covariance, cross), axis=0)
    np.testing.assert_allclose(found.mean[30:], mean, **CLOSE)
    np.testing.assert_allclose(found.variance[30:, 0], spread, **CLOSE)


@pytest.mark.parametrize("name", KERNELS)
def test_covariances_between_rows_equal_those_of_dense_algebra(name: str, timeline, sites) -> None:
    """The test covers covariances of several sequences, in any order, with and without sites."""
    kernel, precision = KERNELS[name], sites.precision.copy()
    precision[5:15] = 0.0
    rows = np.array([11, 40, 77, 3, 10, 88, 20, 24, 7])
    found = kalman.covariance(kernel, timeline, precision, rows)
    for own in timeline.rows:
        gram = kernel.K(timeline.times[own])
        here = np.flatnonzero(np.isin(rows, own))
        inside = [int(np.flatnonzero(own == rows[i])[0]) for i in here]
        others = np.setdiff1d(np.arange(len(rows)), here)
        np.testing.assert_allclose(found[:, here[:, None], others], 0.0, atol=1e-30)
        for j in range(3):
            dense = Block.of(gram, np.zeros(len(own)), precision[own, j]).covariance
            np.testing.assert_allclose(
                found[j][np.ix_(here, here)], dense[np.ix_(inside, inside)], **CLOSE
            )
    np.testing.assert_array_equal(found, np.swapaxes(found, 1, 2))


def test_pseudo_targets_are_a_regression(timeline) -> None:
    """For one sequence, means and evidence equal those of a GP with a different noise at every
    point.
    """
    kernel, rows = KERNELS["matern32 + white"], timeline.rows[0]
    times, generator = timeline.times[rows], np.random.default_rng(35)
    targets, noise = generator.normal(size=(len(rows), 1)), generator.uniform(0.1, 2.0, len(rows))
    covariance = kernel.K(times) + np.diag(noise)
    solved = np.linalg.solve(covariance, targets)
    found = kalman.smooth(
        kernel, Timeline.of(times), Sites(targets / noise[:, None], 1.0 / noise[:, None])
    )
    np.testing.assert_allclose(found.belief.mean, kernel.K(times) @ solved, **CLOSE)
    # log 𝒵 takes the sites as functions of x, so it lacks the constants of log N(y; x, noise).
    constant = 0.5 * np.sum(targets[:, 0] ** 2 / noise + np.log(2.0 * np.pi * noise))
    density = -0.5 * (
        float(targets[:, 0] @ solved[:, 0])
        + np.linalg.slogdet(covariance)[1]
        + len(rows) * np.log(2.0 * np.pi)
    )
    # log 𝒵 = ½ νᵀμ − ½ log|B|, and the KL is ½[μ̄ᵀμ − λᵀs + log|B|].
    mean, linear = found.belief.mean, targets / noise[:, None]
    spread = np.sum(found.belief.variance[:, 0] / noise)
    evidence = 0.5 * float(np.vdot(linear + found.dual, mean) - spread) - found.kl[0]
    assert evidence - constant == pytest.approx(density, rel=1e-12)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_transitions_solve_the_differential_equation(order: int) -> None:
    drift = np.diag(np.ones(order - 1), 1)
    drift[-1] = LAST_ROW[order]
    for step in (1e-6, 0.3, 4.0):
        np.testing.assert_allclose(
            transitions(order, np.array([step]))[0], expm(drift * step), rtol=1e-11, atol=1e-14
        )
    # At stationarity, drift P + P driftᵀ is minus the noise, and only the last component has noise.
    balance = drift @ STATIONARY[order] + STATIONARY[order] @ drift.T
    assert balance[-1, -1] < 0
    balance[-1, -1] = 0.0
    np.testing.assert_allclose(balance, 0.0, atol=1e-15)


def test_the_order_of_rows_does_not_matter(timeline, sites) -> None:
    kernel = KERNELS["matern52"]
    shuffled = np.random.default_rng(36).permutation(90)
    back = np.argsort(shuffled)
    moved = Timeline(timeline.times[shuffled], tuple(back[rows] for rows in timeline.rows))
    found = kalman.smooth(kernel, moved, Sites(sites.linear[shuffled], sites.precision[shuffled]))
    expected = kalman.smooth(kernel, timeline, sites)
    np.testing.assert_allclose(found.belief.mean[back], expected.belief.mean, rtol=1e-9)
    np.testing.assert_allclose(found.kl, expected.kl, rtol=1e-12)


def test_refusals_have_clear_messages(timeline, sites) -> None:
    for kernel in (RBF(), RBF() + White(), Matern32() + Bias(), Matern32() + Matern12(), White()):
        assert not kalman.supports(kernel, timeline)
        with pytest.raises(KernelError, match=r"Matern32.*got .*use priors.temporal"):
            kalman.smooth(kernel, timeline, sites)
    vectors = Timeline.of(np.zeros((90, 2)))
    assert not kalman.supports(Matern32(), vectors)
    with pytest.raises(KernelError, match="vectors of 2"):
        kalman.smooth(Matern32(), vectors, sites)


def test_precisions_out_of_range_are_refused(timeline, sites) -> None:
    for precision in (np.full((90, 3), 1e305), np.full((90, 3), -1e3)):
        with pytest.raises(NotPositiveDefiniteError, match="at least 0"):
            kalman.smooth(Matern52(1e10), timeline, Sites(sites.linear, precision))
    with pytest.raises(NotPositiveDefiniteError, match="at least 0"):
        kalman.covariance(Matern52(1e10), timeline, np.full((90, 3), 1e305), np.array([3, 4]))
