"""The fit of a GP-LVM and of a Bayesian GP-LVM for growing numbers of latent dimensions."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.lessons.dimensions import rows_of
from gplvm_core.lessons.picture import LessonPicture, Look, Panel, line, number, room
from gplvm_core.lessons.quiet import fitted
from gplvm_core.models import GPLVM, BayesianGPLVM
from gplvm_core.numerics import Array

MOST, MAX_ITER, N_INDUCING, N_NEW = 6, 200, 20, 30
LITTLE = 0.01  # nats per value
HIDDEN = 4  # columns of the new rows that the models fill in
TITLES = {"points": "GP-LVM: likelihood", "bayesian": "Bayesian GP-LVM: bound"}
INKS = {"points": "warm", "bayesian": "accent"}


@dataclass
class Fits:
    """The fit in nats per value and the error on hidden values, by number of dimensions.

    The fit is the bound; for a model with fitted points, log p(Y, X).
    """

    fit: list[float] = field(default_factory=list)
    error: list[float] = field(default_factory=list)


def more_dimensions(n_points: int, noise: float, look: Look | None = None) -> LessonPicture:
    """Train both models with 1, 2, … dimensions; without `look`, draw the empty picture.

    The rows have 12 columns and two hidden numbers. look is called after each number of dimensions.
    """
    found = {name: Fits() for name in TITLES}
    if look is None:
        return drawn(found)
    values = rows_of("two", n_points + N_NEW, noise).values
    rows, new = values[:n_points], values[n_points:]
    hidden = np.arange(values.shape[1]) < HIDDEN
    for q in range(1, MOST + 1):
        models: dict[str, Any] = {
            "points": GPLVM(q, max_iter=MAX_ITER, random_state=0),
            "bayesian": BayesianGPLVM(
                q, min(n_points, N_INDUCING), max_iter=MAX_ITER, random_state=0
            ),
        }
        for name, model in models.items():
            filled = fitted(model, rows).complete(np.where(hidden, np.nan, new))
            found[name].fit.append(float(model.bound_) / rows.size)
            found[name].error.append(float(np.sqrt(np.mean((filled - new)[:, hidden] ** 2))))
        look(drawn(found), q, MOST)
    return drawn(found)


def drawn(found: dict[str, Fits]) -> LessonPicture:
    """Draw the fit and the error over the number of dimensions."""
    panels = []
    # Both axes have the same length, so that a rise of one looks like the same rise of the other.
    span = max((float(np.ptp(each.fit)) for each in found.values() if each.fit), default=1.0)
    for name, title in TITLES.items():
        each = found[name].fit
        best = max(each, default=1.0)
        panels.append(
            Panel(
                title,
                (0.5, MOST + 0.5),
                room([best - span, best]),
                (line(_counts(each), np.array(each), INKS[name]),),
                f"{title} by the number of dimensions: "
                + ", ".join(number(value) for value in each),
                axes=("dimensions", "nats per value"),
            )
        )
    errors = {name: each.error for name, each in found.items()}
    largest = max((max(each) for each in errors.values() if each), default=1.0)
    panels.append(
        Panel(
            "Error on values removed from new rows",
            (0.5, MOST + 0.5),
            (0.0, 1.15 * largest),
            tuple(
                line(_counts(each), np.array(each), INKS[name], TITLES[name].split(":")[0])
                for name, each in errors.items()
            ),
            "The error on values removed from new rows, by the number of dimensions.",
            axes=("dimensions", "error"),
        )
    )
    return LessonPicture(tuple(panels), summary(found))


def _counts(values: list[float]) -> Float[Array, " G"]:
    return np.arange(1.0, len(values) + 1.0)


def summary(found: dict[str, Fits]) -> tuple[str, ...]:
    """State which number of dimensions each score prefers."""
    points, bayesian = found["points"], found["bayesian"]
    if not points.fit:
        return ("Nothing is trained yet. Two numbers generate every row.",)
    rise = points.fit[-1] - points.fit[min(1, len(points.fit) - 1)]
    change = bayesian.fit[-1] - bayesian.fit[min(1, len(bayesian.fit) - 1)]
    return (
        f"Two numbers generate every row. The likelihood of the GP-LVM {_rise(points.fit)}; the "
        f"bound of the Bayesian GP-LVM {_rise(bayesian.fit)}.",
        f"From 2 to {len(points.fit)} dimensions, the likelihood changes by {number(rise)} nats "
        f"per value and the bound by {number(change)}.",
        f"With {_dimensions(len(points.error))}, the error on values removed from {N_NEW} new rows "
        f"is {number(points.error[-1])} for the GP-LVM and {number(bayesian.error[-1])} for the "
        "Bayesian GP-LVM.",
    )


def _rise(fit: list[float]) -> str:
    """State the number of dimensions from which on the fit rises no more."""
    enough = int(np.argmax(np.array(fit) >= max(fit) - LITTLE)) + 1
    words = "still rises" if 1 < enough == len(fit) else "stops rising"
    return f"{words} at {_dimensions(enough)}"


def _dimensions(count: int) -> str:
    return f"{count} dimension{'' if count == 1 else 's'}"
