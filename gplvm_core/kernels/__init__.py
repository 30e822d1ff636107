"""Level 2: covariance functions, one per file, with their expectations and pullbacks."""

import numpy as np

from gplvm_core.kernels.bias import Bias
from gplvm_core.kernels.compound import Compound
from gplvm_core.kernels.gradients import (
    Cross,
    CrossBuilder,
    CrossTerm,
    Gradients,
    Kept,
    Pullback,
    WeightedPsi2,
)
from gplvm_core.kernels.kernel import Kernel, Stationary
from gplvm_core.kernels.linear import Linear
from gplvm_core.kernels.matern import Matern, Matern12, Matern32, Matern52
from gplvm_core.kernels.parametric import KernelError, Parameter, positive, real
from gplvm_core.kernels.periodic import Periodic
from gplvm_core.kernels.product import Product
from gplvm_core.kernels.rbf import RBF
from gplvm_core.kernels.sum import Sum
from gplvm_core.kernels.white import White
from gplvm_core.numerics import Array

__all__ = [
    "RBF",
    "TIME_KERNELS",
    "Bias",
    "Compound",
    "Cross",
    "CrossBuilder",
    "CrossTerm",
    "Gradients",
    "Kept",
    "Kernel",
    "KernelError",
    "Linear",
    "Matern",
    "Matern12",
    "Matern32",
    "Matern52",
    "Parameter",
    "Periodic",
    "Product",
    "Pullback",
    "Stationary",
    "Sum",
    "WeightedPsi2",
    "White",
    "kernel_named",
    "positive",
    "real",
    "time_kernel_named",
    "time_kernel_of_scale",
]

MATERN_KERNELS = {"matern12": Matern12, "matern32": Matern32, "matern52": Matern52}
TIME_KERNELS = ("rbf", "matern12", "matern32", "matern52", "periodic")
# Initial values of a named time kernel: how many lengthscales or periods fit into the span of the
# times, and the variance of the white noise. The other part of the kernel has variance 1.
LENGTHSCALES_IN_SPAN = 10.0
PERIODS_IN_SPAN = 4.0
WHITE_NOISE = 1e-2


def kernel_named(name: str, lengthscale: Array) -> Kernel:
    """Create a kernel by name, with ARD parameters from lengthscales (Q,). Raises KernelError."""
    if name == "rbf":
        return RBF(1.0, np.array(lengthscale))
    if name == "linear":
        return Linear(1.0 / np.asarray(lengthscale) ** 2)
    if name in MATERN_KERNELS:
        return MATERN_KERNELS[name](1.0, np.array(lengthscale))
    if name == "periodic":
        # At x = x' the curvature of the periodic kernel equals that of an RBF with these
        # lengthscales.
        ones = np.ones(np.shape(lengthscale))
        return Periodic(1.0, ones, 2.0 * np.pi * np.asarray(lengthscale))
    choices = ", ".join(f"'{kind}'" for kind in ("rbf", "linear", "periodic", *MATERN_KERNELS))
    raise KernelError(f"kernel must be one of {choices} or a kernel object; got {name!r}")


def time_kernel_named(name: str, span: float) -> Sum:
    """Create the sum of a named kernel over time, with variance 1, and a little white noise.

    span: duration of a typical sequence, in units of time. The initial lengthscale is a tenth of
    the span; the initial period is a quarter. Raises KernelError.
    """
    parts = PERIODS_IN_SPAN if name == "periodic" else LENGTHSCALES_IN_SPAN
    return time_kernel_of_scale(name, span / parts)


def time_kernel_of_scale(name: str, scale: float) -> Sum:
    """Create a time kernel as `time_kernel_named` does, with a given lengthscale or period in units
    of time.

    Raises KernelError.
    """
    if not (np.isfinite(scale) and scale > 0):
        raise KernelError(
            "times must span a positive, finite length to give a time kernel its lengthscale or "
            f"period; got {scale}"
        )
    kinds = {
        "rbf": RBF(1.0, scale),
        **{kind: matern(1.0, scale) for kind, matern in MATERN_KERNELS.items()},
        "periodic": Periodic(1.0, 1.0, scale),
    }
    if name not in kinds:
        choices = ", ".join(f"'{kind}'" for kind in (*TIME_KERNELS, "auto"))
        raise KernelError(f"time_kernel must be one of {choices} or a kernel object; got {name!r}")
    return Sum.of(kinds[name], White(WHITE_NOISE))
