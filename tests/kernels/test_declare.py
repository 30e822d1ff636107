"""Tests that the declarations of kernels' parameters match their values."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from gplvm_core.kernels import RBF, Kernel, KernelError, Linear, Stationary, real
from gplvm_core.parameters import leaves, replace_leaves
from tests.kernels.cases import EXPECTED, SINGLE, TIME
from tests.kernels.own.cosine import Cosine

POINTS = np.random.default_rng(2).normal(size=(6, 3))


@dataclass(frozen=True, repr=False)
class Silent(Stationary):
    """A kernel that does not declare its width."""

    width: float = 1.0


@dataclass(frozen=True, repr=False)
class Level(Kernel):
    """A kernel without a variance."""

    degree: ClassVar[int] = 2
    shift: float = real(0.5)


@pytest.mark.parametrize("name", EXPECTED | TIME)
def test_parameters_are_declared_and_overall_ones_scale_the_kernel(name: str) -> None:
    kernel = (EXPECTED | TIME)[name]
    assert list(kernel.declared()) == list(leaves(kernel))
    np.testing.assert_allclose(kernel.scaled(3.0).K(POINTS), 3.0 * kernel.K(POINTS), rtol=1e-12)


@pytest.mark.parametrize("name", EXPECTED)
def test_without_makes_the_kernel_independent_of_the_dimension(name: str) -> None:
    kernel = EXPECTED[name].with_latent(3)
    moved = POINTS + np.array([0.0, 0.0, 1.0]) * np.arange(6)[:, None]
    blind = kernel.without(2)
    np.testing.assert_allclose(blind.K(moved), blind.K(POINTS), rtol=1e-12)
    if kernel.relevance is not None:
        assert np.abs(kernel.K(moved) - kernel.K(POINTS)).max() > 0.1
        assert blind.relevance.tolist() == [*kernel.relevance[:2], 0.0]


def test_one_number_applies_to_all_dimensions_and_other_shapes_must_match() -> None:
    for kernel in (RBF(1.0, 0.7), Linear(0.7), Cosine(1.0, -0.7), RBF(1.0, 0.7) + Linear(0.3)):
        wide = kernel.with_latent(3)
        np.testing.assert_allclose(wide.K(POINTS), kernel.K(POINTS), rtol=1e-12)
        assert wide.relevance.shape == (3,)
        with pytest.raises(KernelError, match="has the length 3, but n_latent is 2"):
            wide.with_latent(2)
        with pytest.raises(KernelError, match="use with_latent first"):
            kernel.without(0)


@pytest.mark.parametrize("name", SINGLE | TIME)
def test_values_are_checked_as_declared(name: str) -> None:
    kernel = (SINGLE | TIME)[name]
    kernel.check_parameters()
    for path, value in leaves(kernel).items():
        for bad in (np.nan, np.inf, -1.0, 0.0):
            changed = replace_leaves(kernel, {path: np.full(np.shape(value), bad)})
            if path == "frequency" and np.isfinite(bad):
                changed.check_parameters()
                continue
            with pytest.raises(KernelError, match=f"{path} must be .*finite, got"):
                changed.check_parameters()


def test_an_undeclared_parameter_is_refused() -> None:
    calls = (Silent().check, lambda: Silent().scaled(2.0), lambda: Silent().with_latent(2))
    for call in calls:
        with pytest.raises(KernelError, match=r"declare width: write width = positive\(…\) or"):
            call()


def test_scaling_needs_an_overall_variance() -> None:
    with pytest.raises(KernelError, match="Level has no overall variance"):
        Level().scaled(2.0)
