"""Four maps of the same digits: PCA, dual PCA, a GP-LVM and a Bayesian one, while they train."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray

from gplvm_core.datasets import load_dataset
from gplvm_core.figures.lessons.legs import legs
from gplvm_core.figures.lessons.picture import Panel, Picture, dots, line, number, room
from gplvm_core.models import GPLVM, BayesianGPLVM, ProbabilisticPCA
from gplvm_core.numerics import Array

KINDS = (0, 1, 3)
SHOWN, HELD_OUT = 15, 6  # of each kind: trained on, and kept aside
N_INDUCING, MAX_ITER, LEG = 20, 120, 8
TITLES = {
    "pca": "PCA",
    "dual": "PCA by the other door (dual)",
    "points": "GP-LVM, points fitted",
    "bayesian": "Bayesian GP-LVM",
}
INKS = {"pca": "muted", "dual": "muted", "points": "warm", "bayesian": "accent"}


def digits() -> tuple[Float[Array, "N D"], Int[NDArray[np.int64], " N"], Float[Array, "T D"]]:
    """Rows to train on with their kinds, and rows that are kept aside."""
    data = load_dataset("digits")
    assert data.labels is not None
    rows = [np.flatnonzero(data.labels == kind) for kind in KINDS]
    shown = np.concatenate([each[:SHOWN] for each in rows])
    aside = np.concatenate([each[SHOWN : SHOWN + HELD_OUT] for each in rows])
    values = data.values.astype(np.float64)
    return values[shown], np.repeat(np.arange(len(KINDS)), SHOWN), values[aside]


@dataclass
class Errors:
    """Root mean square errors over the steps: of rows shown, and of hidden halves of others."""

    steps: list[float] = field(default_factory=list)
    shown: list[float] = field(default_factory=list)
    aside: list[float] = field(default_factory=list)

    def note(self, model: Any, step: int) -> None:
        """Add those of a fitted model."""
        rows, _, aside = digits()
        drawn = model.inverse_transform(model.latent_mean_)
        half = aside.shape[1] // 2
        hidden = aside.copy()
        hidden[:, half:] = np.nan
        filled = np.asarray(model.complete(hidden))
        self.steps.append(float(step))
        self.shown.append(float(np.sqrt(np.mean((drawn - rows) ** 2))))
        self.aside.append(float(np.sqrt(np.mean((filled - aside)[:, half:] ** 2))))


def linear_maps() -> tuple[dict[str, Float[Array, "N 2"]], Errors]:
    """PCA by both of its doors, and its errors."""
    rows, _, _ = digits()
    models = {
        "pca": ProbabilisticPCA(2, method="primal"),
        "dual": ProbabilisticPCA(2, method="dual"),
    }
    errors = Errors()
    with warnings.catch_warnings(action="ignore"):  # pixels that are always dark
        for model in models.values():
            model.fit(rows)
    errors.note(models["pca"], 0)
    return {name: model.latent_mean_ for name, model in models.items()}, errors


def four_maps(n_latent: int, look: Callable[[Picture, int, int], None] | None = None) -> Picture:
    """The last picture of the training; without `look` that of its start, which is PCA's map."""
    rows, _, _ = digits()
    maps, linear = linear_maps()
    errors = {"points": Errors(), "bayesian": Errors()}
    maps = maps | {name: maps["pca"] for name in errors}
    if look is None:
        return drawn(maps, linear, errors)
    makers: dict[str, Callable[[], Any]] = {
        "points": lambda: GPLVM(n_latent, max_iter=MAX_ITER, random_state=0),
        "bayesian": lambda: BayesianGPLVM(n_latent, N_INDUCING, max_iter=MAX_ITER, random_state=0),
    }
    running = {name: legs(make, rows, LEG) for name, make in makers.items()}
    step = 0
    while running:
        step = min(step + LEG, MAX_ITER)
        for name in tuple(running):
            model = next(running[name], None)
            if model is None:
                del running[name]
                continue
            errors[name].note(model, step)
            tells = np.argsort(-model.relevance_ * model.latent_mean_.var(axis=0))[:2]
            maps[name] = model.latent_mean_[:, tells]
        if running:
            look(drawn(maps, linear, errors), step, MAX_ITER)
    return drawn(maps, linear, errors)


def drawn(
    maps: dict[str, Float[Array, "N 2"]], linear: Errors, errors: dict[str, Errors]
) -> Picture:
    """The maps, turned to the same side, and the errors of what was kept aside."""
    _, kinds, _ = digits()
    panels = []
    for name, places in maps.items():
        # The sign of a latent dimension has no meaning: all are turned like the first map.
        sides = np.sign(np.sum(places * maps["pca"], axis=0))
        x, y = (places * np.where(sides == 0, 1.0, sides)).T
        panels.append(
            Panel(
                TITLES[name],
                room(x),
                room(y),
                (dots(x, y, labels=kinds, radius=4.2),),
                f"The map of {len(x)} digits by {TITLES[name]}.",
                bare=True,
                tall=0.75,
            )
        )
    aside = linear.aside + [each for one in errors.values() for each in one.aside]
    curves = [
        line(np.array([0.0, MAX_ITER]), np.repeat(linear.aside, 2), "muted", "PCA", dashed=True),
        *(
            line(np.array(each.steps), np.array(each.aside), INKS[name], TITLES[name])
            for name, each in errors.items()
            if each.steps
        ),
    ]
    panels.append(
        Panel(
            "Error in the hidden half of digits that none was trained on",
            (0.0, float(MAX_ITER)),
            room(aside, margin=0.15),
            tuple(curves),
            "Held-out errors over the steps of training.",
            axes=("step", "error, in shades of 16"),
            wide=True,
            tall=0.75,
        )
    )
    return Picture(tuple(panels), said(linear, errors))


def said(linear: Errors, errors: dict[str, Errors]) -> tuple[str, ...]:
    """Errors of what was shown and of what was kept aside, and who is best."""
    first = (
        f"PCA: error {number(linear.shown[-1])} in digits that it was shown, "
        f"{number(linear.aside[-1])} in hidden halves of others."
    )
    trained = {name: each for name, each in errors.items() if each.steps}
    if len(trained) < len(errors):
        return (first, "The two below have not been trained: both start from PCA's map.")
    points, bayesian = trained["points"], trained["bayesian"]
    return (
        first,
        f"GP-LVM with fitted points: {number(points.shown[-1])} and {number(points.aside[-1])}. "
        f"Bayesian GP-LVM: {number(bayesian.shown[-1])} and {number(bayesian.aside[-1])}.",
    )
