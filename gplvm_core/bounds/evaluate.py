"""The bound of a Bayesian GP-LVM as a function, for comparisons and teaching."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.beliefs import Belief
from gplvm_core.bounds.layer import Layer, evaluate_layer
from gplvm_core.kernels import Kernel
from gplvm_core.numerics import Array
from gplvm_core.priors import StandardNormal
from gplvm_core.readers.missing import unmasked
from gplvm_core.statistics import Targets, executor_for


@dataclass(frozen=True)
class BoundGradients:
    """Gradients of F in constrained units; `kernel` has the structure of the kernel."""

    mean: Float[Array, "N Q"]
    variance: Float[Array, "N Q"]
    inducing: Float[Array, "M Q"]
    kernel: Any
    noise_variance: float


def evaluate_bound(
    targets: ArrayLike,
    mean: ArrayLike,
    variance: ArrayLike,
    inducing: ArrayLike,
    kernel: Kernel,
    noise_variance: float,
    jitter: float = 1e-8,
    *,
    n_jobs: int | None = None,
) -> tuple[float, BoundGradients]:
    """Return F = F_data − KL(q(X) ‖ N(0, I)) in nats, constants included, and all its gradients.

    The shapes are: targets (N, D), mean and variance of q(X) (N, Q), inducing inputs (M, Q). The
    jitter is absolute. GPy adds 1e-8 and GPflow 1e-6, so that their bounds differ for the same
    parameters; with its jitter, this function returns the bound of either (measured in
    docs/same_numbers.md). Targets are neither centred nor scaled; NaN marks missing targets.
    Raises ValueError for shapes that do not match and for numbers out of range. Source: Titsias &
    Lawrence (2010), eq. 8 and 14.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import RBF, evaluate_bound
    >>> targets, mean = np.array([[1.0], [0.0], [-1.0]]), np.array([[-1.0], [0.0], [1.0]])
    >>> variance, inducing = np.full((3, 1), 0.1), np.array([[-1.0], [1.0]])
    >>> bound, gradients = evaluate_bound(targets, mean, variance, inducing, RBF(), 0.1)
    >>> round(bound, 2), gradients.mean.shape, round(gradients.noise_variance, 2)
    (-9.2, (3, 1), 27.87)
    """
    targets, mean, variance, inducing = (
        np.asarray(unmasked(a), dtype=np.float64) for a in (targets, mean, variance, inducing)
    )
    _check(targets, mean, variance, inducing, noise_variance)
    kernel = kernel.with_latent(mean.shape[1])
    kernel.check()
    belief = Belief(mean, variance)
    with executor_for(n_jobs) as executor:
        at = evaluate_layer(
            Layer(kernel, inducing, float(noise_variance)),
            belief,
            Targets.of(targets),
            jitter=jitter,
            relative=False,
            executor=executor,
        )
    kl, d_kl = StandardNormal().kl(belief)
    return at.value - kl, BoundGradients(
        at.gradients.mean - d_kl.mean,
        at.gradients.variance - d_kl.variance,
        at.gradients.inducing,
        at.gradients.kernel,
        at.noise_variance,
    )


def _check(targets: Array, mean: Array, variance: Array, inducing: Array, noise: float) -> None:
    for name, array in (("targets", targets), ("mean", mean), ("inducing", inducing)):
        # A finite sum of squares proves that all entries are finite, without a mask in memory.
        finite = np.isfinite(np.vdot(array, array)) or np.isfinite(array).all()
        if name == "targets" and not finite:
            finite = not np.isinf(array).any()
        if array.ndim != 2 or not finite:
            raise ValueError(f"{name} must be a finite matrix, got shape {array.shape}")
    if len(targets) != len(mean):
        raise ValueError(f"targets and mean differ in their rows: {len(targets)} and {len(mean)}")
    if mean.shape != variance.shape:
        raise ValueError(f"mean is {mean.shape} but variance is {variance.shape}")
    if inducing.shape[1] != mean.shape[1]:
        raise ValueError(
            f"inducing and mean differ in their columns: {inducing.shape[1]} and {mean.shape[1]}"
        )
    if not (variance > 0).all():
        raise ValueError("variance contains the variances of q(X), which must all be positive")
    if not noise > 0:
        raise ValueError(f"noise_variance must be positive, got {noise}")
