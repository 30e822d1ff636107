"""A string in the plane and a sheet in space: smooth maps of one and of two latent dimensions."""

from functools import cache

import numpy as np
from jaxtyping import Float

from gplvm_core.kernels import RBF
from gplvm_core.lessons.picture import Hand, LessonPicture, Panel, dots, line, number
from gplvm_core.numerics import Array, factorise

KNOTS = np.linspace(-1.0, 1.0, 5)
GRID = np.linspace(-1.25, 1.25, 151)
ACROSS, UP = (-3.0, 3.0), (-2.2, 2.2)
LENGTHSCALE, JITTER = 0.5, 1e-6
N_SAMPLES = 300
INSIDE = 1.959964  # half-width of a 95 % interval in standard deviations
LINES = np.linspace(-1.5, 1.5, 9)
N_ROUND = 61


def string(
    knots: Float[Array, "K 2"], at: Float[Array, " G"]
) -> tuple[Float[Array, "G 2"], Float[Array, "G 2"]]:
    """Return the string's points at latent positions, and their derivatives (the Jacobian).

    The string is the mean of a Gaussian process that passes through the knots at −1, −½, 0, ½, 1.
    """
    kernel = RBF(1.0, LENGTHSCALE)
    known = factorise(kernel.K(KNOTS[:, None]), JITTER)
    middle = knots.mean(axis=0)
    weights = known.solve(knots - middle)
    cross = kernel.K(at[:, None], KNOTS[:, None])
    slope = -(at[:, None] - KNOTS) / LENGTHSCALE**2 * cross
    return middle + cross @ weights, slope @ weights


@cache
def sheet_weights() -> tuple[Float[Array, "W 2"], Float[Array, "W 3"]]:
    """Return the waves of a smooth sheet in space: their frequencies and amplitudes."""
    draw = np.random.default_rng(4)
    return draw.normal(size=(3, 2)) * 0.9, draw.normal(size=(3, 3)) * 0.45


def sheet(
    x: Float[Array, "G 2"],
) -> tuple[Float[Array, "G 3"], Float[Array, "G 3 2"]]:
    """Return the sheet's points at latent positions, and their Jacobians."""
    waves, mixed = sheet_weights()
    flat = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    points = x @ flat + np.sin(x @ waves.T) @ mixed
    slopes = np.cos(x @ waves.T)[:, :, None] * waves
    return points, flat.T + np.einsum("gwq,wd->gdq", slopes, mixed)


def seen(points: Float[Array, "G 3"], turn: float) -> Float[Array, "G 2"]:
    """Project points in space to the view from above the sheet, turned by `turn` degrees."""
    angle = np.radians(turn)
    x, y, z = points.T
    across = np.cos(angle) * x - np.sin(angle) * y
    deep = np.sin(angle) * x + np.cos(angle) * y
    return np.column_stack([across, 0.45 * deep + 0.9 * z])


def surfaces(knots: Float[Array, "5 2"], place: float, width: float, turn: float) -> LessonPicture:
    """Draw the string, the sheet, and a Gaussian on each of them.

    place, width: mean and standard deviation of the Gaussian in the latent space. turn: the
    direction of the view on the sheet, in degrees.
    """
    curve, _ = string(knots, GRID)
    (here,), (slope,) = string(knots, np.array([place]))
    normals = np.random.default_rng(0).standard_normal((N_SAMPLES, 2))
    samples, _ = string(knots, place + width * normals[:, 0])
    straight = here + np.outer([-INSIDE, INSIDE], width * slope)
    length = float(np.linalg.norm(slope))
    expected = here + np.outer(width * normals[:, 0], slope)
    off = float(np.mean(np.linalg.norm(samples - expected, axis=1)))
    panels = (
        Panel(
            "A string: one latent dimension, two outputs",
            ACROSS,
            UP,
            (
                line(curve[:, 0], curve[:, 1], "muted", "the string", width=1.6),
                dots(samples[:, 0], samples[:, 1], title="the Gaussian on it", strength=0.35),
                line(straight[:, 0], straight[:, 1], "green", "95 % by the Jacobian", width=3.0),
            ),
            f"A string through five points, with a Gaussian at {number(place)}.",
            hand=Hand("points", "points that you can drag"),
            bare=True,
            tall=1.25,
        ),
        _sheet_panel(place, width, turn, normals),
    )
    return LessonPicture(
        panels,
        (
            f"At {number(place)} the map stretches the latent axis by a factor of "
            f"{number(length)}: a standard deviation of {number(width)} becomes "
            f"{number(width * length)}.",
            f"On average, the Jacobian misplaces a sample by {number(off)}; if the string were "
            "straight, it would be 0.",
        ),
    )


def _sheet_panel(place: float, width: float, turn: float, normals: Float[Array, "S 2"]) -> Panel:
    """Draw the sheet as a net of lines, with a Gaussian at (place, 0)."""
    ends = np.linspace(LINES[0], LINES[-1], 41)
    marks = []
    for fixed in LINES:
        for net in (
            np.column_stack([np.full_like(ends, fixed), ends]),
            np.column_stack([ends, np.full_like(ends, fixed)]),
        ):
            x, y = seen(sheet(net)[0], turn).T
            marks.append(line(x, y, "muted", width=1.0, strength=0.55))
    centre = np.array([[place, 0.0]])
    (here,), (jacobian,) = sheet(centre)
    round_ = np.linspace(0.0, 2.0 * np.pi, N_ROUND)
    # The circle contains 95 % of a two-dimensional Gaussian.
    circle = 2.447747 * width * np.column_stack([np.cos(round_), np.sin(round_)])
    ellipse = seen(here + circle @ jacobian.T, turn)
    samples = seen(sheet(centre + width * normals)[0], turn)
    marks += [
        dots(samples[:, 0], samples[:, 1], title="the Gaussian on it", strength=0.35),
        line(ellipse[:, 0], ellipse[:, 1], "green", "95 % by the Jacobian"),
    ]
    return Panel(
        "A sheet: two latent dimensions, three outputs",
        (-3.0, 3.0),
        (-2.2, 2.2),
        tuple(marks),
        f"A net of lines on a curved sheet, seen from {turn:.0f}°.",
        bare=True,
        tall=1.25,
    )
