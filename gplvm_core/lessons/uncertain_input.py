"""A curved function of a Gaussian input: the moments of its output from kernel expectations."""

import numpy as np
from jaxtyping import Float
from scipy.stats import norm, skew

from gplvm_core.kernels import RBF
from gplvm_core.lessons.picture import Hand, LessonPicture, Panel, band, line, number, room
from gplvm_core.numerics import Array, factorise

GRID = np.linspace(-3.0, 3.0, 161)
UP = (-2.6, 2.6)
JITTER = 1e-6
# Quantiles of the standard normal at equally spaced probabilities, so that histograms are not
# random.
NORMALS = norm.ppf((np.arange(4000) + 0.5) / 4000)
N_BINS = 60


def moments(
    mean: float, deviation: float, lengthscale: float, bend: Float[Array, "M 2"]
) -> tuple[float, float, Float[Array, " M"]]:
    """Return the exact mean and standard deviation of f(x), and the weights of f.

    x ~ N(mean, deviation²). f = Σ weights_m k(·, z_m) interpolates the points (z_m, value) of
    `bend`. The moments follow from ⟨k⟩ and ⟨k kᵀ⟩, which are Ψ₁ and Ψ₂ in MATHEMATICS.md. Source:
    Girard, Rasmussen, Quiñonero-Candela and Murray-Smith (2003).
    """
    kernel, places = RBF(1.0, lengthscale), bend[:, :1]
    weights = factorise(kernel.K(places), JITTER).solve(bend[:, 1:])[:, 0]
    at, variance = np.array([[mean]]), np.array([[deviation**2]])
    first = float(kernel.psi1(at, variance, places)[0][0] @ weights)
    second = float(weights @ kernel.psi2(at, variance, places)[0] @ weights)
    return first, float(np.sqrt(max(second - first**2, 0.0))), weights


def uncertain_input(
    mean: float, deviation: float, lengthscale: float, bend: Float[Array, "M 2"]
) -> LessonPicture:
    """Draw three panels: the input's density with the curve, the output's density, and ⟨k⟩."""
    kernel, places = RBF(1.0, lengthscale), bend[:, :1]
    expected, spread, weights = moments(mean, deviation, lengthscale, bend)

    def through(x: Float[Array, " N"]) -> Float[Array, " N"]:
        return np.asarray(kernel.K(x[:, None], places) @ weights)

    out = through(mean + deviation * NORMALS)
    at, step = float(through(np.array([mean]))[0]), 1e-4
    slope = float(np.diff(through(np.array([mean - step, mean + step])))[0]) / (2 * step)
    straight = abs(slope) * deviation
    return LessonPicture(
        (
            _input_panel(mean, deviation, through(GRID), len(bend)),
            _output_panel(out, (expected, spread), (at, straight)),
            _kernel_panel(kernel, deviation),
        ),
        (
            f"The mean of the output is {number(float(out.mean()))}. From ⟨k⟩ it is "
            f"{number(expected)}. The value of f at the mean of x is {number(at)}.",
            f"The standard deviation of the output is {number(float(out.std()))}. From ⟨k⟩ it is "
            f"{number(spread)}. If a line replaces f, it is {number(straight)}. The "
            f"skewness is {number(float(skew(out)))} (0 for a Gaussian).",
        ),
    )


def _input_panel(mean: float, deviation: float, curve: Float[Array, " G"], n_bends: int) -> Panel:
    """The input's density below the curve, whose `n_bends` points can be dragged."""
    density = norm.pdf(GRID, mean, deviation)
    height = UP[0] + 1.4 * density / density.max()
    return Panel(
        "The input is Gaussian",
        (-3.0, 3.0),
        UP,
        (
            band(GRID, np.full_like(GRID, UP[0]), height, "green", "q(x): where x is"),
            line(GRID, curve, title="the curve f"),
        ),
        f"A curve over a Gaussian with mean {number(mean)} and standard deviation "
        f"{number(deviation)}.",
        axes=("x", "f(x)"),
        hand=Hand("bend", "drag these", most=n_bends),
    )


def _output_panel(
    out: Float[Array, " N"], expected: tuple[float, float], straight: tuple[float, float]
) -> Panel:
    """The output's density and two Gaussians, given by their means and standard deviations."""
    heights, edges = np.histogram(out, N_BINS, density=True)
    ends = room(out, [expected[0] - 2 * expected[1], expected[0] + 2 * expected[1]])
    outputs = np.linspace(*ends, 161)
    gaussian, of_line = (
        norm.pdf(outputs, middle, max(width, 1e-3)) for middle, width in (expected, straight)
    )
    most = 1.15 * float(max(np.percentile(heights, 97), gaussian.max()))
    truth = np.repeat(edges, 2)[1:-1], np.zeros(2 * N_BINS), np.repeat(heights, 2)
    return Panel(
        "The output is not",
        ends,
        (0.0, most),
        (
            band(*truth, "green", "the truth"),
            line(outputs, gaussian, title="Gaussian from ⟨k⟩"),
            line(outputs, of_line, "warm", "Gaussian if f were a line", width=1.8, dashed=True),
        ),
        f"The density of f(x), with skewness {number(float(skew(out)))}, and two Gaussians.",
        axes=("f(x)", "density"),
    )


def _kernel_panel(kernel: RBF, deviation: float) -> Panel:
    """The kernel of two known inputs, and its mean if one of them is uncertain."""
    centre = np.array([[0.0]])
    certain = kernel.K(GRID[:, None], centre)[:, 0]
    seen = kernel.psi1(GRID[:, None], np.full((len(GRID), 1), deviation**2), centre)[0][:, 0]
    return Panel(
        "The kernel for an uncertain x",
        (-3.0, 3.0),
        (0.0, 1.08),
        (
            line(GRID, certain, "muted", "k: x is known", width=1.8, dashed=True),
            line(GRID, seen, title="⟨k⟩: mean over q(x)"),
        ),
        f"The kernel, and its mean over q(x), whose peak is {number(float(seen.max()))}.",
        axes=("distance", ""),
    )
