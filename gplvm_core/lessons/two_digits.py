"""Two digits that turn: two closed curves in pixel space on one map."""

from dataclasses import dataclass
from functools import cache
from typing import Self

import numpy as np
from jaxtyping import Float
from scipy.spatial.distance import cdist

from gplvm_core.lessons.legs import legs
from gplvm_core.lessons.picture import (
    LessonPicture,
    Look,
    Panel,
    dots,
    line,
    map_panel,
    number,
    pictures_panel,
)
from gplvm_core.lessons.quiet import fitted
from gplvm_core.models import BayesianGPLVM, ProbabilisticPCA
from gplvm_core.numerics import Array
from gplvm_core.simulated.turned_digit import SIDE, turned

WHOLE = 360.0  # degrees
N_INDUCING, MAX_ITER, LEG = 24, 60, 5
INKS = ("accent", "warm")


@cache
def loops(pair: str) -> tuple[Float[Array, "2 A D"], Float[Array, " A"]]:
    """Return the pictures of two digits at all angles, and the angles.

    pair: the two digits, such as "69".
    """
    found = [turned(int(digit), WHOLE, thinned=False) for digit in pair]
    return np.array([rows for rows, _, _ in found]), found[0][1]


@cache
def linear(pair: str) -> Float[Array, "N 2"]:
    """Return the map of PCA."""
    rows, _ = loops(pair)
    model = fitted(ProbabilisticPCA(2), rows.reshape(-1, rows.shape[-1]))
    return np.asarray(model.latent_mean_)


def two_digits(pair: str, angle: float, look: Look | None = None) -> LessonPicture:
    """Draw the loops of both digits on the map of a Bayesian GP-LVM; without `look`, on PCA's map.

    angle: the angle of the chosen picture of the first digit, in degrees.
    """
    if look is None:
        return drawn(pair, linear(pair), angle, "PCA")
    rows, _ = loops(pair)
    step = 0
    title = "a Bayesian GP-LVM, started from Isomap"
    places = linear(pair)

    def make() -> BayesianGPLVM:
        return BayesianGPLVM(2, N_INDUCING, init="isomap", max_iter=MAX_ITER, random_state=0)

    for model in legs(make, rows.reshape(-1, rows.shape[-1]), LEG):
        step = min(step + LEG, MAX_ITER)
        places = model.latent_mean_
        look(drawn(pair, places, angle, title), step, MAX_ITER)
    return drawn(pair, places, angle, title)


@dataclass(frozen=True, eq=False)
class _Chosen:
    """A turned picture of the first digit, and the nearest pictures of the other digit.

    apart: distances in pixels between all pictures of both digits. here, nearest, on_map: the
    numbers of the chosen angle, of the nearest one in pixels, and of the nearest one on the map.
    step: the mean distance between neighbours on the loop of the first digit.
    """

    pair: str
    angles: Float[Array, " A"]
    apart: Float[Array, "A A"]
    here: int
    nearest: int
    on_map: int
    step: float

    @classmethod
    def of(cls, pair: str, places: Float[Array, "2 A 2"], angle: float) -> Self:
        rows, angles = loops(pair)
        here = int(np.argmin(np.abs((angles - angle + 180.0) % WHOLE - 180.0)))
        apart = cdist(rows[0], rows[1])
        away = np.sum((places[1] - places[0, here]) ** 2, axis=1)
        step = float(np.mean(np.linalg.norm(rows[0] - np.roll(rows[0], 1, axis=0), axis=1)))
        nearest = int(np.argmin(apart[here]))
        return cls(pair, angles, apart, here, nearest, int(np.argmin(away)), step)


def drawn(pair: str, places: Float[Array, "N 2"], angle: float, by: str) -> LessonPicture:
    """Draw the map with the chosen picture and its nearest pictures of the other digit."""
    rows, angles = loops(pair)
    both = places.reshape(2, len(angles), 2)
    chosen = _Chosen.of(pair, both, angle)
    shown = np.array([rows[0, chosen.here], rows[1, chosen.nearest], rows[1, chosen.on_map]])
    panels = (
        _map_panel(chosen, both, by),
        _distances_panel(chosen),
        pictures_panel(
            "The pictures",
            shown,
            (SIDE, SIDE),
            (0.0, 1.0),
            f"The chosen {pair[0]}, the nearest {pair[1]} in pixels, and the nearest on the map.",
            ("chosen", "nearest in pixels", "nearest on the map"),
            wide=True,
            tall=0.75,
        ),
    )
    return LessonPicture(panels, _summary(chosen))


def _map_panel(chosen: _Chosen, places: Float[Array, "2 A 2"], by: str) -> Panel:
    pair = chosen.pair
    closed = np.append(np.arange(len(chosen.angles)), 0)
    marks = [
        each
        for loop, ink, digit in zip(places, INKS, pair, strict=True)
        for each in (
            line(loop[closed, 0], loop[closed, 1], ink, f"all turned {digit}s", width=1.4),
            dots(loop[:, 0], loop[:, 1], ink, radius=3.0),
        )
    ]
    ends = np.array([places[0, chosen.here], places[1, chosen.nearest]])
    marks += [
        line(ends[:, 0], ends[:, 1], "text", "nearest in pixels", width=1.6, dashed=True),
        dots(ends[:, 0], ends[:, 1], "text", radius=8, hollow=True),
    ]
    x, y = places.reshape(-1, 2).T
    alt = f"The turned {pair[0]}s and {pair[1]}s on the map of {by}."
    return map_panel(f"The map of {by}", x, y, marks, alt, tall=1.2)


def _distances_panel(chosen: _Chosen) -> Panel:
    one, two = tuple(chosen.pair)
    angles, apart = chosen.angles, chosen.apart
    here, nearest = chosen.here, chosen.nearest
    step = np.full(2, chosen.step)
    return Panel(
        f"From the {one} at {angles[here]:.0f}° to every {two}",
        (0.0, WHOLE),
        (0.0, 1.1 * float(apart.max())),
        (
            line(angles, apart[here], "warm", f"distance to the turned {two}"),
            line(angles[[0, -1]], step, "muted", "one step of the turn", dashed=True),
            dots([angles[nearest]], [apart[here, nearest]], "text", radius=7, hollow=True),
        ),
        f"Distance in pixels from the chosen {one} to the {two} at every angle.",
        axes=(f"degrees of the {two}", "distance in pixel space"),
        tall=1.2,
    )


def _summary(chosen: _Chosen) -> tuple[str, ...]:
    """State which picture of the other digit is nearest, and whether it is nearest on the map."""
    one, two = tuple(chosen.pair)
    angles, apart = chosen.angles, chosen.apart
    here, nearest, on_map = chosen.here, chosen.nearest, chosen.on_map
    more = (angles[nearest] - angles[here]) % WHOLE
    same = f"The {two} that is nearest in pixel space is also nearest on the map."
    if on_map != nearest:
        same = (
            f"On the map, the {two} turned by {angles[on_map]:.0f}° is nearest, but its distance "
            f"in pixel space is {number(apart[here, on_map])}."
        )
    return (
        f"The chosen {one} is turned by {angles[here]:.0f}°. The {two} that is nearest in pixel "
        f"space is turned by {more:.0f}° more ({angles[nearest]:.0f}°); its distance is "
        f"{number(apart[here, nearest])}. One step of 6° moves a {one} by {number(chosen.step)}.",
        same,
    )
