"""Two regressions with uncertain or missing inputs.

One treats the inputs as exact, the other uses their uncertainty.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.lessons.legs import in_turn, legs
from gplvm_core.lessons.picture import LessonPicture, Look, Panel, band, dots, line, number
from gplvm_core.models import SemiDescribedGPRegression, SparseGPRegression
from gplvm_core.numerics import Array

GRID = np.linspace(-3.0, 3.0, 121)
UP = (-2.2, 2.2)
N_POINTS, N_INDUCING, MAX_ITER, LEG = 40, 15, 100, 4
SURE, NOISE = 0.02, 0.1  # standard deviations of an accurate input, and of the outputs' noise
INSIDE = 1.96
NAMES = {"naive": "Inputs treated as exact", "honest": "Inputs treated as uncertain"}


def truth(x: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """Return the true curve at x."""
    return np.asarray(np.sin(2.0 * x))


@dataclass(frozen=True, eq=False)
class NoisyInputs:
    """Measured inputs (NaN: missing) with their standard deviations, and outputs."""

    x: Float[Array, " N"]
    deviation: Float[Array, " N"]
    y: Float[Array, " N"]

    @property
    def missing(self) -> Any:
        return np.isnan(self.x)

    @property
    def filled(self) -> Float[Array, " N"]:
        """The inputs; missing inputs are replaced by the mean of the other inputs."""
        return np.where(self.missing, np.nanmean(self.x), self.x)


def seen(kind: str, error: float, share: float, seed: int) -> NoisyInputs:
    """Draw points; a fraction `share` of the inputs is missing, or has the standard error `error`.

    kind: "missing" or "noisy".
    """
    draw = np.random.default_rng(seed)
    x = draw.uniform(-3.0, 3.0, N_POINTS)
    y = truth(x) + NOISE * draw.standard_normal(N_POINTS)
    poor = draw.uniform(size=N_POINTS) < share
    deviation = np.where(poor & (kind == "noisy"), error, SURE)
    measured = x + deviation * draw.standard_normal(N_POINTS)
    return NoisyInputs(np.where(poor & (kind == "missing"), np.nan, measured), deviation, y)


def fits(data: NoisyInputs) -> dict[str, Iterator[Any]]:
    """Return iterators over the models of both regressions during training.

    With missing inputs, each iterator yields only the trained model.
    """
    settings = {"n_inducing": N_INDUCING, "max_iter": MAX_ITER, "random_state": 0}
    y, known = data.y, data.filled[:, None]

    def plain() -> SparseGPRegression:
        return SparseGPRegression(**settings)  # type: ignore[arg-type]

    def semi() -> SemiDescribedGPRegression:
        return SemiDescribedGPRegression(**settings)  # type: ignore[arg-type]

    if data.missing.any():
        return {
            "naive": legs(plain, known, MAX_ITER + 1, y),
            "honest": legs(semi, data.x[:, None], 2 * MAX_ITER + 1, y),
        }
    variance = data.deviation[:, None] ** 2
    return {
        "naive": legs(plain, known, LEG, y),
        "honest": legs(plain, known, LEG, y, X_variance=variance),
    }


def noisy_inputs(
    kind: str,
    error: float,
    share: float,
    seed: int,
    look: Look | None = None,
) -> LessonPicture:
    """Return the last picture of both trainings; without `look`, a picture of only the data."""
    data = seen(kind, error, share, seed)
    models: dict[str, Any] = {}
    if look is None:
        return drawn(data, models)
    for step, trained in in_turn(fits(data), LEG, MAX_ITER):
        models |= trained
        look(drawn(data, models), step, MAX_ITER)
    return drawn(data, models)


def drawn(data: NoisyInputs, models: dict[str, Any]) -> LessonPicture:
    """Draw both curves and the points.

    The panel of the regression with uncertain inputs shows its estimates of the inputs.
    """
    panels, errors = [], {}
    there = ~data.missing
    for name, title in NAMES.items():
        marks = [line(GRID, truth(GRID), "green", "the truth", width=1.8, dashed=True)]
        x, deviation = data.x[there], data.deviation[there]
        model = models.get(name)
        if model is not None:
            mean, std = (np.ravel(each) for each in model.predict(GRID[:, None], return_std=True))
            errors[name] = float(np.sqrt(np.mean((mean - truth(GRID)) ** 2)))
            low, high = mean - INSIDE * std, mean + INSIDE * std
            marks = [
                band(GRID, low, high, title="95 % of new points"),
                *marks,
                line(GRID, mean, title="mean"),
            ]
            if name == "honest" and there.all():
                x, deviation = model.input_mean_[:, 0], np.sqrt(model.input_variance_[:, 0])
        spread = np.column_stack([deviation, np.zeros(len(x))])
        words = "points, ± one standard deviation"
        marks.append(dots(x, data.y[there], radius=3.2, spread=spread, title=words))
        if name == "naive" and not there.all():
            gone = data.missing
            marks.append(
                dots(data.filled[gone], data.y[gone], "warm", "missing inputs", radius=3.2)
            )
        off = f": the error is {number(errors[name])}" if name in errors else ""
        panels.append(Panel(title, (-3.0, 3.0), UP, tuple(marks), f"{title}{off}.", tall=1.2))
    n_poor = int(np.sum(data.missing | (data.deviation > SURE)))
    words = f"{n_poor} of {N_POINTS} inputs are {'uncertain' if there.all() else 'missing'}."
    if len(errors) < len(NAMES):
        return LessonPicture(tuple(panels), (words, "No model is trained yet."))
    found = f"The root mean square error of the curve is {number(errors['naive'])} if inputs are "
    found += f"treated as exact, and {number(errors['honest'])} with their uncertainty."
    return LessonPicture(tuple(panels), (words, found))
