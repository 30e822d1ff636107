"""Tests of held parameters: how a kernel reports them, and that training does not change them."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from gplvm_core import (
    GPLVM,
    RBF,
    BayesianGPLVM,
    DynamicalGPLVM,
    Linear,
    Matern32,
    Periodic,
    White,
    kernels,
    load,
)
from gplvm_core.kernels import Kernel, KernelError, Product
from gplvm_core.parameters import leaves


@pytest.fixture(scope="module")
def times() -> np.ndarray:
    return np.linspace(0.0, 9.0, 25)


@pytest.fixture(scope="module")
def motion(times: np.ndarray) -> np.ndarray:
    """Return ten outputs of two hidden oscillations, one of them with rising frequency."""
    generator = np.random.default_rng(7)
    hidden = np.column_stack([np.sin(3.0 * times), np.cos(1.7 * times + 0.1 * times**2)])
    noise = 0.05 * generator.normal(size=(len(times), 10))
    return np.tanh(hidden @ generator.normal(size=(2, 10))) + noise


def nearly_periodic() -> Kernel:
    """Return a periodic kernel plus a smooth part; training must not change the part's share of the
    variance.
    """
    return (Periodic(1.0, 1.0, 2.0) + RBF(0.25, 1.5)).holding("variance") + White(0.01)


def test_names_are_held_in_every_part_that_has_them() -> None:
    kernel = Product.of(Periodic(), Matern32(0.4, 1.2) + White(0.2)).holding("lengthscale")
    assert kernel.held_paths() == {"parts.0.lengthscale", "parts.1.parts.0.lengthscale"}
    assert kernel.holding("period").held_paths() - kernel.held_paths() == {"parts.0.period"}
    assert RBF().holding().held_paths() == {"variance", "lengthscale"}
    assert (RBF().holding() + White()).held_paths() == {"parts.0.variance", "parts.0.lengthscale"}
    assert kernel.with_latent(3).held_paths() == kernel.held_paths()
    assert kernel.scaled(2.0).held_paths() == kernel.held_paths()


def test_a_representation_builds_the_kernel_again() -> None:
    for kernel in (RBF(2.0, 3.0), nearly_periodic(), Product.of(RBF().holding(), Periodic())):
        assert eval(repr(kernel), vars(kernels)) == kernel
    assert repr(RBF(2.0, 3.0)) == "RBF(variance=2.0, lengthscale=3.0)"


def test_unknown_names_are_refused() -> None:
    with pytest.raises(KernelError, match=r"Sum cannot hold period; its parameters are length"):
        (RBF() + White()).holding("period", "variance")
    with pytest.raises(KernelError, match=r"RBF has no parameter length to hold"):
        RBF(held=("length",)).check_parameters()


def test_parameters_are_held_over_time(
    times: np.ndarray, motion: np.ndarray, tmp_path: Path
) -> None:
    kernel = Matern32(1.0, 2.5).holding("lengthscale") + White(0.02)
    begun = DynamicalGPLVM(2, 12, time_kernel=kernel, max_iter=20, random_state=0)
    model = clone(begun).fit(motion, times=times)
    free = clone(begun).set_params(time_kernel=Matern32(1.0, 2.5) + White(0.02))
    free.fit(motion, times=times)
    matern, white = model.time_kernel_.parts
    assert matern == kernel.parts[0]
    assert white.variance != 0.02
    assert abs(free.time_kernel_.parts[0].lengthscale - 2.5) > 0.1
    model.save(tmp_path / "held.gplvm")
    again = load(tmp_path / "held.gplvm")
    assert again.time_kernel_ == model.time_kernel_
    assert again.time_kernel == kernel
    # Parameters remain held if a stored model's kernel is the initial kernel of another model.
    onward = clone(begun).set_params(time_kernel=again.time_kernel_).fit(motion, times=times)
    assert onward.time_kernel_.parts[0] == kernel.parts[0]


def test_a_ratio_of_variances_over_time(times: np.ndarray, motion: np.ndarray) -> None:
    kernel = nearly_periodic()
    model = DynamicalGPLVM(2, 12, time_kernel=kernel, max_iter=20, random_state=0)
    model.fit(motion, times=times)
    periodic, rbf, white = model.time_kernel_.parts
    assert (periodic.variance, rbf.variance) == (1.0, 0.25)
    assert periodic.period != 2.0
    assert rbf.lengthscale != 1.5
    assert white.variance != 0.01


def test_all_parameters_are_held_over_time(times: np.ndarray, motion: np.ndarray) -> None:
    kernel = nearly_periodic().holding()
    model = DynamicalGPLVM(2, 12, time_kernel=kernel, max_iter=15, random_state=0)
    assert model.fit(motion, times=times).time_kernel_ == kernel


def test_held_in_a_mapping(motion: np.ndarray) -> None:
    """Held lengthscales do not change. Held variances keep only their ratio, because the overall
    scale is optimal in every step.
    """
    kernel = RBF(1.0, np.array([0.8, 1.6])).holding() + Linear(0.5).holding()
    model = BayesianGPLVM(2, 12, kernel=kernel, max_iter=20, random_state=0).fit(motion)
    rbf, linear = model.posterior_.kernel.parts
    np.testing.assert_array_equal(rbf.lengthscale, [0.8, 1.6])
    assert rbf.variance != 1.0
    assert linear.variance / rbf.variance == pytest.approx(0.5, rel=1e-15)


def test_held_with_points(motion: np.ndarray) -> None:
    kernel = RBF(0.7, 1.1).holding("variance")
    model = GPLVM(2, kernel=kernel, max_iter=15, random_state=0).fit(motion)
    assert leaves(model.posterior_.kernel)["variance"] == 0.7
    assert (np.asarray(model.posterior_.kernel.lengthscale) != 1.1).all()
