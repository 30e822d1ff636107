"""Maps with and without an encoder, and the neighbours in the data that each map tears apart."""

from collections.abc import Iterator
from functools import cache, partial
from typing import Any, Literal

import numpy as np
from jaxtyping import Float, Int
from scipy.spatial.distance import cdist

from gplvm_core.lessons.legs import in_turn, legs
from gplvm_core.lessons.picture import LessonPicture, Look, line, map_panel
from gplvm_core.lessons.quiet import fitted
from gplvm_core.lessons.rows import LessonRows, digits
from gplvm_core.models import BayesianGPLVM, ProbabilisticPCA
from gplvm_core.numerics import Array, Int64Array

N_INDUCING, MAX_ITER, LEG = 20, 80, 5
# A pair is torn if the second row is not among this number of nearest rows of the first row.
CLOSE = 8
ENCODERS: dict[str, tuple[str, Literal["kernel", "network"] | None]] = {
    "free": ("No encoder", None),
    "kernel": ("Encoder: a sum of kernels", "kernel"),
    "network": ("Encoder: a small network", "network"),
}

Pairs = Int[Int64Array, "P 2"]


def torn(near: Float[Array, "N D"], other: Float[Array, "N E"], neighbours: int) -> Pairs:
    """Return the pairs (row, neighbour) that are neighbours in `near`, but not close in `other`.

    neighbours: how many of the nearest rows in `near` count as neighbours.
    """
    apart, elsewhere = cdist(near, near), cdist(other, other)
    for each in (apart, elsewhere):
        np.fill_diagonal(each, np.inf)
    nearest = np.argsort(apart, axis=1)[:, :neighbours]
    rank = np.argsort(np.argsort(elsewhere, axis=1), axis=1)
    row = np.repeat(np.arange(len(near)), neighbours)
    pairs = np.column_stack([row, nearest.ravel()])
    return pairs[rank[pairs[:, 0], pairs[:, 1]] >= CLOSE]


@cache
def linear() -> Float[Array, "N 2"]:
    """Return the map of PCA, from which all three models start."""
    return np.asarray(fitted(ProbabilisticPCA(2), digits().shown).latent_mean_)


def model_with(encoder: Literal["kernel", "network"] | None) -> BayesianGPLVM:
    """Return an untrained model with this encoder."""
    return BayesianGPLVM(2, N_INDUCING, encoder=encoder, max_iter=MAX_ITER, random_state=0)


def torn_pairs(neighbours: int, look: Look | None = None) -> LessonPicture:
    """Train three models and draw their maps; without `look`, draw their common start (PCA)."""
    rows = digits()
    maps = dict.fromkeys(ENCODERS, linear())
    if look is None:
        return drawn(rows, maps, neighbours)
    running: dict[str, Iterator[Any]] = {
        name: legs(partial(model_with, encoder), rows.shown, LEG)
        for name, (_, encoder) in ENCODERS.items()
    }
    for step, trained in in_turn(running, LEG, MAX_ITER):
        maps |= {name: model.latent_mean_ for name, model in trained.items()}
        look(drawn(rows, maps, neighbours), step, MAX_ITER)
    return drawn(rows, maps, neighbours, ended=True)


def drawn(
    rows: LessonRows, maps: dict[str, Float[Array, "N 2"]], neighbours: int, ended: bool = False
) -> LessonPicture:
    """Draw each map with a line for every torn pair."""
    panels, words = [], []
    for name, places in maps.items():
        title, _ = ENCODERS[name]
        pairs = torn(rows.shown, places, neighbours)
        false = torn(places, rows.shown, neighbours)
        x, y = places.T
        threads = tuple(
            line(x[pair], y[pair], "warm", "torn pairs" if p == 0 else "", width=1.4, strength=0.8)
            for p, pair in enumerate(pairs)
        )
        panels.append(
            map_panel(
                f"{title}: {len(pairs)} torn",
                x,
                y,
                (*threads, *rows.marks(x, y)),
                f"The map of {len(x)} {rows.what}; {len(pairs)} pairs of neighbours are torn.",
                tall=1.1,
            )
        )
        if ended:
            words.append(
                f"{title}: {len(pairs)} of {neighbours * len(x)} pairs of neighbours in the data "
                f"are torn on the map, and {len(false)} pairs of neighbours on the map are not "
                "near in the data."
            )
    if not ended:
        words.append("All three models start from this map of PCA.")
    return LessonPicture(tuple(panels), tuple(words))
