"""Floor 2: covariance functions, one a file, with their expectations and pullbacks."""

import numpy as np

from gplvm_core.kernels.bias import Bias
from gplvm_core.kernels.kernel import Gradients, Kernel, KernelError, Pullback, Sum, WeightedPsi2
from gplvm_core.kernels.linear import Linear
from gplvm_core.kernels.rbf import RBF
from gplvm_core.kernels.white import White
from gplvm_core.numerics import Array

__all__ = [
    "RBF",
    "Bias",
    "Gradients",
    "Kernel",
    "KernelError",
    "Linear",
    "Pullback",
    "Sum",
    "WeightedPsi2",
    "White",
    "kernel_named",
]


def kernel_named(name: str, lengthscale: Array) -> Kernel:
    """A kernel by name, with ARD parameters from lengthscales (Q,). Raises KernelError."""
    if name == "rbf":
        return RBF(1.0, np.array(lengthscale))
    if name == "linear":
        return Linear(1.0 / np.asarray(lengthscale) ** 2)
    raise KernelError(f"kernel must be 'rbf', 'linear' or a kernel object; got {name!r}")
