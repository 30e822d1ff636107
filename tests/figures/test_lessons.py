"""What the stops of the tour draw, against independent computations."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from gplvm_core.figures.frame import unframe
from gplvm_core.figures.lessons.dimensions import dimensions
from gplvm_core.figures.lessons.functions import GRID, KINDS, conditioned, functions, kernel_of
from gplvm_core.figures.lessons.picture import number, pack_picture

POINTS = np.array([[-1.0, 0.4], [0.3, -1.1], [1.8, 0.9]])


def test_a_picture_arrives_as_it_was_made() -> None:
    header, arrays = unframe(pack_picture(functions("smooth", 1.0, 1.0, 0.1, POINTS), edit=3))
    (panel,) = header["panels"]
    assert header["edit"] == 3
    assert panel["hand"]["name"] == "points"
    mean = next(mark for mark in panel["marks"] if mark["title"] == "their mean")
    expected = conditioned(kernel_of("smooth", 1.0, 1.0), *POINTS.T, 0.1, 0).mean
    np.testing.assert_array_equal(arrays[mean["arrays"]["y"]], expected)


@pytest.mark.parametrize(
    ("value", "words"), [(-0.001, "0.00"), (-1.5, "−1.50"), (12345.678, "12,345.68")]
)
def test_numbers_are_for_people(value: float, words: str) -> None:
    assert number(value) == words


def test_functions_after_points_are_those_of_another_package() -> None:
    found = conditioned(kernel_of("smooth", 0.8, 1.3), *POINTS.T, 0.2, 0)
    other = GaussianProcessRegressor(
        ConstantKernel(1.3**2) * RBF(0.8), alpha=0.2**2, optimizer=None
    ).fit(POINTS[:, :1], POINTS[:, 1])
    mean, deviation = other.predict(GRID[:, None], return_std=True)
    np.testing.assert_allclose(found.mean, mean, atol=1e-4)
    np.testing.assert_allclose(found.deviation, deviation, atol=1e-4)
    assert found.evidence == pytest.approx(other.log_marginal_likelihood_value_, abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_every_frame_of_the_moving_functions_is_a_draw(kind: str) -> None:
    kernel = kernel_of(kind, 1.0, 1.0)
    draws = np.array(
        [conditioned(kernel, *np.empty((2, 0)), 0.1, seed).paths[7] for seed in range(60)]
    ).reshape(-1, len(GRID))
    some = [10, 60, 75]
    expected = kernel.K(GRID[some, None])
    assert np.cov(draws[:, some].T) == pytest.approx(expected, abs=0.35 * expected.max())


def test_dimensions_switch_off_and_noise_switches_all_off() -> None:
    steps: list[int] = []
    found = dimensions("two", 40, 0.1, 5, lambda _, step, most: steps.append(step))
    assert found.panels[0].title == "2 of 5 dimensions are on"
    assert "ARD found that" in found.words[1]
    assert steps == list(range(1, len(steps) + 1))
    hopeless = dimensions("two", 16, 1.5, 4, lambda *_: None)
    assert hopeless.panels[0].title == "0 of 4 dimensions are on"
    assert "ARD fails" in hopeless.words[1]


def test_a_training_that_nobody_watches_ends() -> None:
    def leave(*_: object) -> None:
        raise StopIteration

    with pytest.raises(StopIteration):
        dimensions("two", 16, 0.1, 4, leave)
