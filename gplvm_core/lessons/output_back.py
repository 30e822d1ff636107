"""From the output back to the map: find the places whose bodies match a few held joints."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Float
from scipy.special import logsumexp

from gplvm_core.lessons.picture import Hand, LessonPicture, Panel, bodies, dots, number, room
from gplvm_core.lessons.quiet import fitted
from gplvm_core.models import BayesianGPLVM
from gplvm_core.numerics import Array
from gplvm_core.simulated.runner import BONES, runner, runner_skeleton

HANDLES = ("right hand", "left toe", "right toe")
"""The joints that the visitor's first, second and third point move."""

ACROSS, UP = (-110.0, 110.0), (-10.0, 200.0)
TOLERANCE = 4.0  # cm
SIDE, MARGIN = 60, 0.35  # nodes per side of the grid on the map, and its relative margin
N_PLACES, N_BODIES = 250, 8


@dataclass(frozen=True, eq=False)
class BodyMap:
    """A map of the run: rows and a grid of places on the map.

    joints, variance: the predicted joints and their variance on the grid, in cm and cm². spread:
    the observed joints of all frames.
    """

    rows: Float[Array, "N 2"]
    grid: Float[Array, "G 2"]
    joints: Float[Array, "G J 2"]
    variance: Float[Array, "G J"]
    spread: Float[Array, "N J 2"]


@cache
def body_map() -> BodyMap:
    """Train a map of the run, seen from the side; takes less than a second."""
    side = runner()[:, :, :2]
    model = BayesianGPLVM(2, 20, max_iter=150, random_state=0)
    fitted(model, side.reshape(len(side), -1))
    rows = model.latent_mean_
    axes = [np.linspace(*room(each, margin=MARGIN), SIDE) for each in rows.T]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    mean, deviation = model.inverse_transform(grid, return_std=True)
    shape = (len(grid), len(BONES), 2)
    variance = np.mean(deviation.reshape(shape) ** 2, axis=2)
    return BodyMap(rows, grid, mean.reshape(shape), variance, side)


def chances_of_places(held: Float[Array, "H 2"]) -> Float[Array, " G"]:
    """Return the probability of each place of the grid, given the positions of the first joints.

    The prior of a place is N(0, I); the position of a held joint has an error of 4 cm.
    """
    found = body_map()
    log = -0.5 * np.sum(found.grid**2, axis=1)
    for name, target in zip(HANDLES, held, strict=False):
        joint = list(BONES).index(name)
        variance = found.variance[:, joint] + TOLERANCE**2
        wrong = np.sum((found.joints[:, joint] - target) ** 2, axis=1)
        log += -0.5 * wrong / variance - np.log(variance)
    return np.exp(log - logsumexp(log))


def output_back(held: Float[Array, "H 2"], model: bool) -> LessonPicture:
    """Draw the places that fit the held joints, and bodies from these places.

    model: whether the bodies come from the map; otherwise every joint is drawn independently.
    """
    found = body_map()
    chance = chances_of_places(held)
    generator = np.random.default_rng(0)
    chosen = generator.choice(len(chance), size=N_PLACES, p=chance)
    step = np.abs(found.grid[SIDE + 1] - found.grid[0])
    places = found.grid[chosen] + (generator.random((N_PLACES, 2)) - 0.5) * step
    drawn = found.joints[chosen[:N_BODIES]] if model else _independent(held, generator)
    parents = runner_skeleton().parents
    names = ", ".join(HANDLES[: len(held)]) or "no joint"
    panels = (
        Panel(
            "Bodies that fit",
            ACROSS,
            UP,
            (bodies(drawn, parents, "accent", "possible bodies", strength=0.55),),
            f"{N_BODIES} bodies that fit; held: {names}.",
            hand=Hand("held", "held joints: drag, click to add", adds=True, most=len(HANDLES)),
            bare=True,
            tall=1.5,
        ),
        Panel(
            "Places that fit",
            (float(found.grid[:, 0].min()), float(found.grid[:, 0].max())),
            (float(found.grid[:, 1].min()), float(found.grid[:, 1].max())),
            (
                dots(places[:, 0], places[:, 1], "accent", strength=0.4, title="places that fit"),
                dots(found.rows[:, 0], found.rows[:, 1], "muted", "frames of the run", radius=3.0),
            ),
            "The map of the run with the places that fit the held joints.",
            bare=True,
            tall=1.5,
        ),
    )
    return LessonPicture(panels, summary(held, chance, drawn, model))


def _independent(held: Float[Array, "H 2"], generator: np.random.Generator) -> Array:
    """Draw every joint independently from the frames of the run; held joints do not move."""
    spread = body_map().spread
    rows = generator.integers(len(spread), size=(N_BODIES, len(BONES)))
    drawn = spread[rows, np.arange(len(BONES))]
    for name, target in zip(HANDLES, held, strict=False):
        drawn[:, list(BONES).index(name)] = target
    return drawn


def summary(
    held: Float[Array, "H 2"], chance: Float[Array, " G"], drawn: Array, model: bool
) -> tuple[str, ...]:
    """State how many places fit, and how much the bodies differ."""
    count = len(held)
    entropy = -float(np.sum(chance * np.log(np.maximum(chance, 1e-300))))
    share = 100.0 * np.exp(entropy) / len(chance)
    names = " and the ".join(HANDLES[:count])
    who = f"The {names} {'is' if count == 1 else 'are'} held." if count else "No joint is held."
    apart = float(np.mean(np.linalg.norm(drawn - drawn.mean(axis=0), axis=2)))
    fits = f"Only {number(share, 1)} % of the map fits." if count else ""
    if not model:
        fits = "The bodies do not come from the map: every joint is drawn from another frame."
    return (
        f"{who} {fits}".strip(),
        f"In the drawn bodies, the average distance of a joint from its mean position is "
        f"{number(apart, 1)} cm.",
    )
