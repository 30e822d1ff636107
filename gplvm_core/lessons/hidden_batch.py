"""Two instruments measured the rows: a map of all, and a map without the instrument."""

from collections.abc import Mapping
from functools import partial

import numpy as np
from jaxtyping import Float

from gplvm_core.comparison.factor_left import predicted_by_neighbours
from gplvm_core.lessons.legs import in_turn, legs
from gplvm_core.lessons.picture import LessonPicture, Look, dots, line, map_panel, number
from gplvm_core.lessons.rows import run
from gplvm_core.models import BayesianGPLVM
from gplvm_core.models.data.known import TakenOut, residual
from gplvm_core.models.problems.initialise import principal_scores
from gplvm_core.numerics import Array, Int64Array

N_LATENT, N_INDUCING, MAX_ITER, LEG = 4, 20, 60, 4
TITLES = {"all": "The map of all rows", "without": "The map without the instrument"}


def measured(shift: float) -> tuple[Float[Array, "N D"], Int64Array]:
    """Return the frames of a run as two instruments see them, and each frame's instrument.

    The second instrument adds an offset to every coordinate, of about `shift` standard deviations
    of the rows, and differences are up to 20 % larger.
    """
    rows = run().shown
    generator = np.random.default_rng(1)
    second = generator.permutation(len(rows)) % 2
    offset = shift * rows.std() * generator.standard_normal(rows.shape[1])
    middle = rows.mean(axis=0)
    moved = middle + (1.0 + 0.2 * min(shift, 1.0)) * (rows - middle) + offset
    return np.where(second[:, None] == 1, moved, rows), second


def hidden_batch(shift: float, look: Look | None = None) -> LessonPicture:
    """Return the last picture of the training; without `look`, the picture of its start."""
    values, second = measured(shift)
    known = TakenOut.learnt(second).points
    starts = values - values.mean(axis=0), residual(values, known)
    maps = dict(zip(TITLES, (principal_scores(each)[:, :2] for each in starts), strict=True))
    if look is None:
        return drawn(maps, second, trained=False)
    make = partial(BayesianGPLVM, N_LATENT, N_INDUCING, max_iter=MAX_ITER, random_state=0)
    running = {
        "all": legs(make, values, LEG),
        "without": legs(make, values, LEG, known=second),
    }
    for step, models in in_turn(running, LEG, MAX_ITER):
        for name, model in models.items():
            places = model.latent_mean_ * model.latent_scale_
            maps[name] = places[:, np.argsort(-places.var(axis=0))[:2]]
        look(drawn(maps, second, trained=True), step, MAX_ITER)
    return drawn(maps, second, trained=True)


def drawn(
    maps: Mapping[str, Float[Array, "N 2"]], second: Int64Array, *, trained: bool
) -> LessonPicture:
    """Draw both maps with the frames in order, coloured by their instrument."""
    panels = tuple(
        map_panel(
            TITLES[name],
            places[:, 0],
            places[:, 1],
            (
                line(places[:, 0], places[:, 1], "muted", "frames in order", width=1.0),
                dots(
                    places[:, 0],
                    places[:, 1],
                    title="instruments, by colour",
                    labels=second,
                    radius=4.2,
                ),
            ),
            f"{TITLES[name]}: {len(places)} frames of a run, measured by two instruments.",
        )
        for name, places in maps.items()
    )
    known = TakenOut.learnt(second)
    left = {name: predicted_by_neighbours(places, known)[0] for name, places in maps.items()}
    shares = {name: number(100.0 * each.score, 0) for name, each in left.items()}
    words = [
        f"The ten nearest rows predict the instrument of {shares['all']} % of the rows on the map "
        f"of all rows, and of {shares['without']} % on the map without it (if instruments are "
        f"shuffled: {number(100.0 * left['without'].chance, 0)} %)."
    ]
    if not trained:
        words.append("The maps are not trained yet: both start from principal components.")
    return LessonPicture(panels, tuple(words))
