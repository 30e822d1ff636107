"""Draws of functions from a kernel's prior, and from the posterior given some points."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.bounds.exact import exact
from gplvm_core.kernels import RBF, Kernel, Linear, Matern12, Matern32, Periodic, Product, Sum
from gplvm_core.lessons.picture import Hand, LessonPicture, Panel, band, line, number
from gplvm_core.numerics import Array, factorise
from gplvm_core.statistics import Targets

GRID = np.linspace(-3.0, 3.0, 121)
UP = (-3.5, 3.5)
N_PATHS, N_FRAMES = 4, 48
MOST_POINTS = 20
JITTER = 1e-6
INSIDE = 1.96  # half-width of a 95 % band in standard deviations

KINDS = ("smooth", "rough", "rougher", "periodic", "straight", "sum", "product")


def kernel_of(kind: str, lengthscale: float, deviation: float) -> Kernel:
    """Return the kernel of a kind in KINDS; the period of periodic kernels is two lengthscales."""
    variance = deviation**2
    period = 2.0 * lengthscale
    kernels: dict[str, Kernel] = {
        "smooth": RBF(variance, lengthscale),
        "rough": Matern32(variance, lengthscale),
        "rougher": Matern12(variance, lengthscale),
        "periodic": Periodic(variance, 1.0, period),
        "straight": Linear(variance / 3.0),
        "sum": Sum.of(RBF(0.7 * variance, 2.0), Periodic(0.3 * variance, 1.0, period)),
        "product": Product.of(RBF(variance, 2.0), Periodic(1.0, 1.0, period)),
    }
    return kernels[kind]


@dataclass(frozen=True, eq=False)
class Conditioned:
    """A process given points: mean and standard deviation on the grid, draws, evidence.

    paths: draws that form a loop. evidence: the log evidence in nats; None without points.
    """

    mean: Float[Array, " G"]
    deviation: Float[Array, " G"]
    paths: Float[Array, "T S G"]
    evidence: float | None


def conditioned(
    kernel: Kernel, x: Float[Array, " N"], y: Float[Array, " N"], noise: float, seed: int
) -> Conditioned:
    """Condition the process on y = f(x) + noise; `noise` is a standard deviation. N may be 0.

    The paths (frames × draws × grid) form a loop; every frame contains draws. Source: Rasmussen and
    Williams (2006), eq. 2.23 to 2.25 and 2.30.
    """
    covariance = kernel.K(GRID[:, None])
    mean, evidence = np.zeros_like(GRID), None
    if len(x):
        known = kernel.K(x[:, None]) + noise**2 * np.eye(len(x))
        factor = factorise(known, JITTER * float(np.mean(np.diagonal(known))))
        cross = kernel.K(GRID[:, None], x[:, None])
        mean = cross @ factor.solve(y[:, None])[:, 0]
        covariance = covariance - cross @ factor.solve(cross.T)
        evidence = exact(Targets.of(y[:, None]), factor).value
    level = float(np.mean(kernel.diag(GRID[:, None])))
    lower = factorise(covariance, JITTER * level).lower
    one, other = np.random.default_rng(seed).standard_normal((2, N_PATHS, len(GRID)))
    angles = np.linspace(0.0, 2.0 * np.pi, N_FRAMES, endpoint=False)[:, None, None]
    normals = np.cos(angles) * one + np.sin(angles) * other
    deviation = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    return Conditioned(mean, deviation, mean + normals @ lower.T, evidence)


def functions(
    kind: str,
    lengthscale: float,
    deviation: float,
    noise: float,
    points: Float[Array, "N 2"],
    seed: int = 0,
) -> LessonPicture:
    """Draw moving functions from the prior, or from the posterior given the visitor's points."""
    kernel = kernel_of(kind, lengthscale, deviation)
    x, y = points.T
    found = conditioned(kernel, x, y, noise, seed)
    low, high = (found.mean + side * INSIDE * found.deviation for side in (-1.0, 1.0))
    known = "that fit the points" if len(x) else "before any data"
    panel = Panel(
        f"Functions {known}",
        (-3.0, 3.0),
        UP,
        (
            band(GRID, low, high, title="95 % of the values"),
            line(GRID, found.paths, width=1.4, strength=0.7, title="possible functions"),
            line(GRID, found.mean, "text", width=2.2, title="their mean"),
        ),
        f"Functions {known}, with a band that contains 95 % of the values; {len(x)} points.",
        hand=Hand("points", "your points", adds=True, most=MOST_POINTS),
        tall=1.35,
    )
    narrow, wide = (2 * INSIDE * float(each(found.deviation)) for each in (np.min, np.max))
    if found.evidence is None:
        words = f"No points yet: 95 % of the values lie in a band with a height of {number(wide)}"
        return LessonPicture(
            (panel,), (words + (", widest at the ends." if wide - narrow > 0.1 else "."),)
        )
    return LessonPicture(
        (panel,),
        (
            f"With {len(x)} point{'s' if len(x) > 1 else ''}, the height of the 95 % band is "
            f"{number(narrow)} at its narrowest place and {number(wide)} at its widest place.",
            "The log evidence of the points under this kernel is "
            f"{number(found.evidence, 1)} nats.",
        ),
    )
