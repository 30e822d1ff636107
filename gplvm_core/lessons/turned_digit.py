"""One digit, turned and thinned: its pictures lie on a curve, or on a surface, of pixel space."""

from functools import cache

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray
from scipy.ndimage import rotate, zoom

from gplvm_core.datasets import load_dataset
from gplvm_core.lessons.picture import (
    LessonPicture,
    Panel,
    dots,
    images,
    line,
    number,
    room,
)
from gplvm_core.numerics import Array

SIDE = 20
N_ANGLES = 60
PLAIN, THINNED = (1.0,), (0.55, 0.8, 1.1, 1.6, 2.3)  # powers of the ink
COMPONENTS = (1, 2, 10)
APART = 30.0  # degrees from which on two pictures are different ones


@cache
def first_of(digit: int) -> Float[Array, "S S"]:
    """A picture of the digit with smooth edges and a rim, ink from 0 to 1."""
    digits = load_dataset("digits")
    assert digits.labels is not None
    small = digits.values[np.flatnonzero(digits.labels == digit)[0]].reshape(8, 8) / 16.0
    return np.clip(np.pad(zoom(small, 1.75, order=3), 3), 0.0, 1.0)


def turned(
    digit: int, span: float, thinned: bool
) -> tuple[Float[Array, "N D"], Float[Array, " N"], Int[NDArray[np.int64], " N"]]:
    """Pictures as rows, how far each is turned in degrees, and how much it is thinned."""
    angles = np.linspace(0.0, span, N_ANGLES, endpoint=span < 360.0)
    upright = first_of(digit)
    whole = [np.clip(rotate(upright, angle, reshape=False, order=1), 0, 1) for angle in angles]
    powers = THINNED if thinned else PLAIN
    rows = np.array([picture.ravel() ** power for power in powers for picture in whole])
    thinness = np.repeat(np.arange(len(powers)), N_ANGLES)
    return rows, np.tile(angles, len(powers)), thinness


def turned_digit(digit: int, span: float, which: float, thinned: bool) -> LessonPicture:
    """PCA of the pictures, and what is left of one of them; which: a share of the span."""
    rows, angles, thinness = turned(digit, span, thinned)
    mean = rows.mean(axis=0)
    left, sizes, axes = np.linalg.svd(rows - mean, full_matrices=False)
    places = left * sizes
    shares = sizes**2 / np.sum(sizes**2)
    middle = len(PLAIN if not thinned else THINNED) // 2
    own = np.flatnonzero(thinness == middle)
    here = int(own[min(round(which * (N_ANGLES - 1)), N_ANGLES - 1)])
    shown = [rows[here]] + [mean + places[here, :q] @ axes[:q] for q in COMPONENTS]
    closed = own if span < 360.0 else np.append(own, own[0])
    x, y = places[:, 0], places[:, 1]
    wrong = {q: mistaken(places[own, :q], angles[own], int(here - own[0])) for q in (1, 2)}
    panels = (
        Panel(
            "All pictures on two components of PCA",
            room(x),
            room(y),
            (
                line(x[closed], y[closed], "muted", width=1.2),
                dots(
                    x, y, shade=angles / span, radius=3.4, title="dark: not turned, light: turned"
                ),
                dots(x[[here]], y[[here]], "warm", radius=8, hollow=True, title="the one below"),
            ),
            f"{len(rows)} pictures of a {digit} on the first two principal components.",
            axes=("first", "second"),
            bare=True,
        ),
        Panel(
            "On the first component alone",
            (0.0, span),
            room(x),
            (
                line(angles[own], x[own], title="place on the line"),
                line(np.array([0.0, span]), np.full(2, x[here]), "warm", width=1.2, dashed=True),
                dots(angles[[here]], x[[here]], "warm", radius=8, hollow=True),
            ),
            "The place on the first component over the angle.",
            axes=("degrees", "first component"),
        ),
        Panel(
            "The picture, and what is left of it",
            (0.4, 4.6),
            (-0.62, 0.62),
            (images(np.array(shown), (SIDE, SIDE), np.arange(1.0, 5.0), np.zeros(4), 1.0, (0, 1)),),
            "The chosen picture, and what 1, 2 and 10 components keep of it.",
            ticks=("picture", *(f"{q} number{'s' if q > 1 else ''}" for q in COMPONENTS)),
            wide=True,
            tall=0.75,
        ),
    )
    return LessonPicture(panels, said(shares, wrong, float(angles[here])))


def mistaken(places: Float[Array, "N Q"], angles: Float[Array, " N"], here: int) -> float:
    """The angle of a picture turned far from this one that lies nearer than its own neighbour."""
    turn = np.abs((angles - angles[here] + 180.0) % 360.0 - 180.0)
    away = np.where(turn >= APART, np.sum((places - places[here]) ** 2, axis=1), np.inf)
    nearest = int(np.argmin(away))
    neighbour = here + 1 if here + 1 < len(places) else here - 1
    ahead = np.sum((places[neighbour] - places[here]) ** 2)
    return float(angles[nearest]) if away[nearest] < ahead else np.nan


def said(shares: Float[Array, " K"], wrong: dict[int, float], angle: float) -> tuple[str, ...]:
    """How much components hold, and what they mix up."""
    kept = ", ".join(f"{q}: {number(100 * shares[:q].sum(), 0)} %" for q in COMPONENTS)
    if np.isfinite(wrong[1]):
        line_ = (
            f"On the line the picture turned by {number(angle, 0)}° lies nearer to that turned by "
            f"{number(wrong[1], 0)}° than to its own neighbour"
        )
    else:
        line_ = f"On the line the picture turned by {number(angle, 0)}° is mixed up with none"
    plane = (
        "; on two components no longer."
        if np.isfinite(wrong[1]) and not np.isfinite(wrong[2])
        else "; on two components just so: there the loop runs over itself."
    )
    return (f"Variance that so many components hold: {kept}.", line_ + plane)
