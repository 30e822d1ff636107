"""Tests of continued paths: Kalman smoothing gives the numbers of dense algebra."""

import numpy as np
import pytest

from gplvm_core.kernels import RBF, Matern12, Matern32, Matern52, Periodic, White
from gplvm_core.prediction.paths import continued, forecast
from gplvm_core.priors import temporal
from gplvm_core.priors.temporal import Path, Sites, Timeline

KERNELS = {
    "matern12 + white": Matern12(1.3, 0.9) + White(0.05),
    "matern32": Matern32(0.7, 1.4),
    "matern32 + white": Matern32(0.7, 1.4) + White(1e-3),
    "matern52 + white": Matern52(1.3, 2.0) + White(0.2),
    "rbf + white": RBF(1.0, 1.5) + White(0.01),
    "periodic + white": Periodic(1.0, 1.0, 4.0) + White(0.01),
}
# The new times are before, between, at and after training times. Some new times occur twice, some
# are far away, and they are not sorted.
NEW = np.array([4.4, -2.0, 0.0, 11.0, 4.4, 3.1, 500.0, 4.401, 9.3])[:, None]


@pytest.fixture
def times() -> np.ndarray:
    found = np.random.default_rng(41).uniform(0.0, 9.0, (60, 1))
    found[7], found[20] = found[6], 3.1
    return found


def path_of(kernel, times: np.ndarray) -> Path:
    """Return a path like one after training, with precisions of all sizes, some of them 0."""
    generator = np.random.default_rng(42)
    precision = np.exp(generator.normal(2.0, 3.0, (len(times), 3)))
    targets = np.sin(times) + generator.normal(size=(len(times), 3))
    sites = Sites(precision * targets, precision)
    path = Path(temporal.smooth(kernel, Timeline.of(times), sites).dual, precision)
    path.dual[10:14], path.precision[10:14] = 0.0, 0.0
    return path


@pytest.mark.parametrize("name", KERNELS)
def test_a_continued_path_in_dense_algebra(name: str, times: np.ndarray) -> None:
    kernel = KERNELS[name]
    path = path_of(kernel, times)
    found = continued(kernel, times, path, NEW)
    gram, cross, prior = kernel.K(times), kernel.K(times, NEW), kernel.K(NEW)
    np.testing.assert_allclose(found.mean, cross.T @ path.dual, rtol=1e-8, atol=1e-8)
    for j in range(3):
        root = np.sqrt(path.precision[:, j])
        inner = np.linalg.inv(np.eye(len(times)) + root[:, None] * gram * root)
        covariance = prior - cross.T @ (root[:, None] * inner * root) @ cross
        np.testing.assert_allclose(found.covariance[j], covariance, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", KERNELS)
def test_a_forecast_is_each_time_of_the_continued_path(name: str, times: np.ndarray) -> None:
    kernel = KERNELS[name]
    path = path_of(kernel, times)
    whole, each = continued(kernel, times, path, NEW), forecast(kernel, times, path, NEW)
    np.testing.assert_allclose(each.mean, whole.mean, rtol=1e-12)
    np.testing.assert_allclose(each.variance, whole.variance, rtol=1e-9, atol=1e-12)


def test_long_paths_need_no_matrix_of_their_rows() -> None:
    """A matrix of 20,000 rows would take 3.2 GB."""
    kernel, generator = Matern32(1.0, 20.0) + White(1e-2), np.random.default_rng(43)
    times = np.cumsum(generator.exponential(1.0, 20_000))[:, None]
    precision = np.exp(generator.normal(1.0, 1.0, (20_000, 1)))
    path = Path(generator.normal(size=(20_000, 1)), precision)
    new = times[-1] + np.array([[-30.3], [1.0], [5.0]])
    found = continued(kernel, times, path, new)
    # Distant rows have no influence: the last 1500 rows alone give the same result.
    part = Path(path.dual[-1500:], path.precision[-1500:])
    cross = kernel.K(times[-1500:], new)
    np.testing.assert_allclose(found.mean, cross.T @ part.dual, rtol=1e-9, atol=1e-9)
    root = np.sqrt(part.precision[:, 0])
    gram = np.eye(1500) + root[:, None] * kernel.K(times[-1500:]) * root
    half = root[:, None] * cross
    expected = kernel.K(new) - half.T @ np.linalg.solve(gram, half)
    np.testing.assert_allclose(found.covariance[0], expected, rtol=1e-9, atol=1e-9)


def test_without_rows_it_is_the_prior() -> None:
    kernel = KERNELS["matern32 + white"]
    empty = Path(np.zeros((0, 2)), np.zeros((0, 2)))
    whole = continued(kernel, np.zeros((0, 1)), empty, NEW)
    np.testing.assert_array_equal(whole.covariance[1], kernel.K(NEW))
    np.testing.assert_array_equal(whole.mean, np.zeros((len(NEW), 2)))
    each = forecast(kernel, np.zeros((0, 1)), empty, NEW)
    np.testing.assert_allclose(each.variance, np.tile(kernel.diag(NEW)[:, None], 2), rtol=1e-12)
