"""Two maps of the same digits, with straight distances and path lengths between two digits."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from gplvm_core.lessons.picture import (
    LessonPicture,
    Panel,
    dots,
    line,
    number,
    pictures_panel,
    room,
)
from gplvm_core.lessons.quiet import fitted
from gplvm_core.lessons.rows import KINDS, SHOWN, digits
from gplvm_core.models import BayesianGPLVM
from gplvm_core.numerics import Array, Int64Array
from gplvm_core.prediction import Posterior

N_INDUCING, MAX_ITER = 20, 60
SIDE = 24  # nodes along each axis of the grid for shortest paths
STARTS = {"pca": "Started from PCA", "isomap": "Started from neighbours (Isomap)"}
COUNT = len(KINDS) * SHOWN


@dataclass(frozen=True, eq=False)
class Map:
    """A trained map: means and standard deviations of the rows, the posterior, and the bound.

    bound: in nats per value.
    """

    title: str
    places: Float[Array, "N 2"]
    deviations: Float[Array, "N 2"]
    posterior: Posterior
    bound: float


def trained_maps() -> tuple[Map, ...]:
    """Train the same model on the same rows from two starts, in one or two seconds."""
    rows = digits().shown
    found = []
    for start, title in STARTS.items():
        model = BayesianGPLVM(2, N_INDUCING, init=start, max_iter=MAX_ITER, random_state=0)
        fitted(model, rows)
        deviations = np.sqrt(model.latent_variance_)
        bound = model.bound_ / rows.size
        found.append(Map(title, model.latent_mean_, deviations, model.posterior_, bound))
    return tuple(found)


def way(found: Map, first: int, second: int) -> tuple[Float[Array, "P 2"], float]:
    """Return the shortest path between two rows on a grid, and its length in units of the data.

    The length of a step from a to b is √E‖f(a) − f(b)‖². This includes the uncertainty of f.
    Source: Tosi, Hauberg, Vellido and Lawrence (2014).
    """
    axes = [np.linspace(*room(each, margin=0.1), SIDE) for each in found.places.T]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    number_of = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
    pairs = np.concatenate(
        [
            np.column_stack([one.ravel(), other.ravel()])
            for one, other in (
                (number_of[:-1], number_of[1:]),
                (number_of[:, :-1], number_of[:, 1:]),
                (number_of[:-1, :-1], number_of[1:, 1:]),
                (number_of[:-1, 1:], number_of[1:, :-1]),
            )
        ]
    )
    lengths = step_lengths(found.posterior, grid, pairs)
    graph = coo_array((lengths, pairs.T), shape=(len(grid), len(grid))).tocsr()
    ends = [int(np.argmin(np.sum((grid - found.places[n]) ** 2, axis=1))) for n in (first, second)]
    (away,), (before,) = dijkstra(
        graph, directed=False, indices=np.array(ends[:1]), return_predecessors=True
    )
    nodes = [ends[1]]
    while nodes[-1] != ends[0]:
        nodes.append(int(before[nodes[-1]]))
    return grid[nodes[::-1]], float(away[ends[1]])


def step_lengths(
    posterior: Posterior, points: Float[Array, "N 2"], pairs: Int[Int64Array, "E 2"]
) -> Float[Array, " E"]:
    """Return √E‖f(a) − f(b)‖² for pairs of points, in units of the data, without noise."""
    cross = posterior.kernel.K(points, posterior.inducing)
    mean = posterior.mean(points, cross) * posterior.scale
    one, other = pairs.T
    apart = np.sum((mean[one] - mean[other]) ** 2, axis=1)
    # The kernel is stationary, so the prior variance of f(a) − f(b) depends only on b − a.
    steps, kind = np.unique(np.round(points[other] - points[one], 9), axis=0, return_inverse=True)
    level = float(posterior.kernel.diag(points[:1])[0])
    prior = 2.0 * (level - posterior.kernel.K(np.zeros((1, 2)), steps)[0])[kind.ravel()]
    moved = cross[one] - cross[other]
    unknown = np.maximum(prior - np.sum((moved @ posterior.variances.gap(0)) * moved, axis=1), 0.0)
    return np.asarray(np.sqrt(apart + unknown * np.sum(posterior.scale**2)))


def two_trainings(maps: Sequence[Map], first: int, second: int, crosses: bool) -> LessonPicture:
    """Draw two rows on both maps, with the straight line and the shortest path between them.

    crosses: draw every row's standard deviations as well.
    """
    rows = digits().shown
    panels, straight, along = [], [], []
    for found in maps:
        path, length = way(found, first, second)
        ends = found.places[[first, second]]
        x, y = found.places.T
        straight.append(float(np.linalg.norm(ends[1] - ends[0])))
        along.append(length)
        marks = [
            *digits().marks(x, y, found.deviations if crosses else None),
            line(ends[:, 0], ends[:, 1], "muted", "straight on the map", width=1.6, dashed=True),
            line(path[:, 0], path[:, 1], "warm", "path with the least change"),
            dots(ends[:, 0], ends[:, 1], "warm", radius=8, hollow=True),
        ]
        reach = 1.15 * float(np.abs(found.places).max())
        panels.append(
            Panel(
                f"{found.title}: {number(found.bound)} nats per value",
                (-reach, reach),
                (-reach, reach),
                tuple(marks),
                f"The map of {len(x)} digits; the distance of the two chosen digits is "
                f"{number(straight[-1])}.",
                picks=("from", "to"),
                bare=True,
                tall=1.2,
            )
        )
    panels.append(
        pictures_panel(
            "The two digits",
            rows[[first, second]],
            (8, 8),
            (0.0, 16.0),
            "The two chosen digits.",
            ("from", "to"),
            wide=True,
            tall=0.6,
        )
    )
    ratios = [max(pair) / max(min(pair), 1e-9) for pair in (straight, along)]
    apart = float(np.linalg.norm(rows[second] - rows[first]))
    if first == second:
        return LessonPicture(tuple(panels), ("Both digits are the same: choose another digit.",))
    return LessonPicture(
        tuple(panels),
        (
            f"The straight distances on the maps are {number(straight[0])} and "
            f"{number(straight[1])}; their ratio is {number(ratios[0])}.",
            f"The shortest paths have the lengths {number(along[0], 1)} and "
            f"{number(along[1], 1)}, measured in pixel space; their ratio is {number(ratios[1])}. "
            f"The two pictures themselves have a distance of {number(apart, 1)}: a straight line "
            "in pixel space is shorter, but leaves the pictures of digits.",
        ),
    )
