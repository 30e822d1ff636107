"""Pictures of one digit, rotated and thinned: they form a curve or a surface in pixel space."""

import numpy as np
from jaxtyping import Float

from gplvm_core.lessons.picture import (
    LessonPicture,
    Panel,
    dots,
    line,
    map_panel,
    number,
    pictures_panel,
    room,
)
from gplvm_core.numerics import Array
from gplvm_core.simulated.turned_digit import N_ANGLES, PLAIN, SIDE, THINNED, turned

COMPONENTS = (1, 2, 10)
APART = 30.0  # smallest difference in degrees between pictures that count as different


def turned_digit(digit: int, span: float, which: float, thinned: bool) -> LessonPicture:
    """Draw the pictures on principal components, and reconstructions of one picture.

    which: the position of this picture in the span of angles, from 0 to 1.
    """
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
        map_panel(
            "All pictures on two components of PCA",
            x,
            y,
            (
                line(x[closed], y[closed], "muted", width=1.2),
                dots(
                    x, y, shade=angles / span, radius=3.4, title="dark: not turned, light: turned"
                ),
                dots(x[[here]], y[[here]], "warm", radius=8, hollow=True, title="picture below"),
            ),
            f"{len(rows)} pictures of a {digit} on the first two principal components.",
            axes=("first", "second"),
        ),
        Panel(
            "Only the first component",
            (0.0, span),
            room(x),
            (
                line(angles[own], x[own], title="first component"),
                line(np.array([0.0, span]), np.full(2, x[here]), "warm", width=1.2, dashed=True),
                dots(angles[[here]], x[[here]], "warm", radius=8, hollow=True),
            ),
            "The first component over the angle.",
            axes=("degrees", "first component"),
        ),
        pictures_panel(
            "The picture, rebuilt from components",
            np.array(shown),
            (SIDE, SIDE),
            (0.0, 1.0),
            "The chosen picture, and its reconstructions from 1, 2 and 10 components.",
            ("picture", *(f"{q} component{'s' if q > 1 else ''}" for q in COMPONENTS)),
            wide=True,
            tall=0.75,
        ),
    )
    return LessonPicture(panels, summary(shares, wrong, float(angles[here])))


def mistaken(places: Float[Array, "N Q"], angles: Float[Array, " N"], here: int) -> float:
    """Return the angle of the picture with which a picture is mixed up; NaN if there is none.

    Two pictures are mixed up under two conditions. Their angles differ by at least APART degrees,
    and their distance is smaller than the distance of the first picture from its neighbour in
    angle.
    """
    turn = np.abs((angles - angles[here] + 180.0) % 360.0 - 180.0)
    away = np.where(turn >= APART, np.sum((places - places[here]) ** 2, axis=1), np.inf)
    nearest = int(np.argmin(away))
    neighbour = here + 1 if here + 1 < len(places) else here - 1
    ahead = np.sum((places[neighbour] - places[here]) ** 2)
    return float(angles[nearest]) if away[nearest] < ahead else np.nan


def summary(shares: Float[Array, " K"], wrong: dict[int, float], angle: float) -> tuple[str, ...]:
    """State the variance that components explain, and the pictures that they mix up."""
    explained = ", ".join(f"{q}: {number(100 * shares[:q].sum(), 0)} %" for q in COMPONENTS)
    if not np.isfinite(wrong[1]):
        nearest = (
            f"On one component, the picture at {number(angle, 0)}° is not mixed up with any other "
            "picture."
        )
    else:
        nearest = (
            f"On one component, the picture at {number(angle, 0)}° is nearer to the picture at "
            f"{number(wrong[1], 0)}° than to its neighbour in angle; two components "
            + ("do not separate them." if np.isfinite(wrong[2]) else "separate them.")
        )
    return (f"Variance explained by the first components: {explained}.", nearest)
