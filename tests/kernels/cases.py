"""Every kernel of the core, with parameters that reveal mistakes."""

import importlib
import pkgutil
from collections.abc import Iterable
from itertools import combinations_with_replacement

import numpy as np
import pytest

from gplvm_core import kernels
from gplvm_core.kernels import (
    RBF,
    Bias,
    Compound,
    Kernel,
    Linear,
    Matern,
    Matern12,
    Matern32,
    Matern52,
    Periodic,
    Product,
    Stationary,
    White,
)
from tests.kernels.own.cosine import Cosine

LENGTHS = np.array([0.7, 1.3, 2.1])
# These kernels have three latent dimensions; sums of two kernels are added automatically.
SINGLE: dict[str, Kernel] = {
    "rbf": RBF(1.3, LENGTHS),
    "rbf, one lengthscale": RBF(0.8, 1.2),
    "linear": Linear(np.array([0.5, 1.5, 0.2])),
    "linear, one variance": Linear(0.6),
    "bias": Bias(0.7),
    "white": White(0.3),
    # These kernels are not in the core: a user's kernel must pass the same tests.
    "cosine": Cosine(0.9, np.array([0.8, -1.7, 0.4])),
    "cosine, one frequency": Cosine(1.2, -1.1),
}
# These kernels are for exact inputs; most of them have no expectations under Gaussian inputs.
TIME: dict[str, Kernel] = {
    "matern12": Matern12(1.3, 0.9),
    "matern32": Matern32(1.3, 0.9),
    "matern52": Matern52(0.7, 1.9),
    "periodic": Periodic(1.3, 0.8, 1.7),
    "rbf × periodic": RBF(0.8, 1.5) * Periodic(0.9, 1.6, 2.3),
    "periodic × matern52": Product.of(Periodic(1.3, 0.8, 1.7), Matern52(0.6, 2.0)),
    "periodic × (matern32 + bias) + white": Product.of(Periodic(), Matern32(0.4, 1.2) + Bias(0.2))
    + White(0.1),
}


def kinds() -> set[type[Kernel]]:
    """Return every kernel class of gplvm_core/kernels and of the tests, without base classes."""
    found: set[type[Kernel]] = {Cosine}
    for module in pkgutil.iter_modules(kernels.__path__):
        members = vars(importlib.import_module(f"{kernels.__name__}.{module.name}")).values()
        found |= {kind for kind in members if isinstance(kind, type) and issubclass(kind, Kernel)}
    return found - {Kernel, Stationary, Matern, Compound}


def sums_of(cases: dict[str, Kernel]) -> dict[str, Kernel]:
    """Return the sums of all pairs of these kernels with a cross term."""
    return {
        f"({one}) + ({other})": cases[one] + cases[other]
        for one, other in combinations_with_replacement(cases, 2)
        if cases[one].cross_with(cases[other]) or cases[other].cross_with(cases[one])
    }


SUMS = sums_of(SINGLE) | {
    "linear + rbf + bias + white": Linear(0.4) + RBF(0.9, LENGTHS) + Bias(0.3) + White(0.1)
}
SUMS["two rbfs + linear"] = RBF(0.9, LENGTHS) + RBF(0.6, 1.4) + Linear(0.3)
EXPECTED = SINGLE | SUMS


def long_sums() -> set[str]:
    """Return the sums of two kernels except the first one per function that builds cross terms."""
    builders, long = set(), set()
    for name, kernel in sums_of(SINGLE).items():
        first, second = kernel.parts
        build = first.cross_with(second) or second.cross_with(first)
        if build.func in builders:
            long.add(name)
        builders.add(build.func)
    return long


LONG = long_sums()


def each(names: Iterable[str]) -> list:
    """Return parameters for tests of these kernels; `make test` leaves out the long sums."""
    return [pytest.param(n, marks=pytest.mark.slow) if n in LONG else n for n in names]
