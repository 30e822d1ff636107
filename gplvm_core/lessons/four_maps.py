"""Four maps of the same rows during training: PCA, dual PCA, a GP-LVM and a Bayesian GP-LVM."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.lessons.legs import in_turn, legs
from gplvm_core.lessons.picture import LessonPicture, Look, Panel, line, number, room
from gplvm_core.lessons.rows import LessonRows, run
from gplvm_core.models import GPLVM, BayesianGPLVM, ProbabilisticPCA
from gplvm_core.numerics import Array

N_INDUCING, MAX_ITER, LEG = 16, 48, 4
PROMISED = 95.0  # per cent
SIGMAS = 1.959964  # half-width of a Gaussian's 95 % interval in standard deviations
TITLES = {
    "pca": "PCA",
    "dual": "Dual PCA",
    "points": "GP-LVM, points fitted",
    "bayesian": "Bayesian GP-LVM",
}
INKS = {"pca": "muted", "points": "warm", "bayesian": "accent"}


@dataclass
class Judged:
    """A model's scores over the training steps.

    shown: the root mean square error on the training rows. aside: the same error on the hidden
    values of held-out rows. inside: the percentage of hidden values inside their 95 % bands.
    """

    rows: LessonRows
    steps: list[float] = field(default_factory=list)
    shown: list[float] = field(default_factory=list)
    aside: list[float] = field(default_factory=list)
    inside: list[float] = field(default_factory=list)

    def note(self, model: Any, step: int) -> None:
        """Add the scores of a fitted model."""
        hidden = self.rows.hidden
        drawn = model.inverse_transform(model.latent_mean_)
        given = np.where(hidden, np.nan, self.rows.aside)
        filled, deviation = model.complete(given, return_std=True)
        wrong = (filled - self.rows.aside)[:, hidden]
        self.steps.append(float(step))
        self.shown.append(float(np.sqrt(np.mean((drawn - self.rows.shown) ** 2))))
        self.aside.append(float(np.sqrt(np.mean(wrong**2))))
        held = np.abs(wrong) <= SIGMAS * deviation[:, hidden]
        self.inside.append(100.0 * float(np.mean(held)))


@cache
def linear_maps() -> tuple[dict[str, Float[Array, "N 2"]], Judged]:
    """Return the maps of PCA and of dual PCA, and the scores of PCA."""
    rows = run()
    models = {
        "pca": ProbabilisticPCA(2, method="primal"),
        "dual": ProbabilisticPCA(2, method="dual"),
    }
    judged = Judged(rows)
    with warnings.catch_warnings(action="ignore"):  # constant columns
        for model in models.values():
            model.fit(rows.shown)
    judged.note(models["pca"], 0)
    return {name: model.latent_mean_ for name, model in models.items()}, judged


def four_maps(n_latent: int, look: Look | None = None) -> LessonPicture:
    """Return the last picture of the training; without `look`, a picture of the start (PCA)."""
    rows = run()
    maps, linear = linear_maps()
    judged = {"pca": linear, "points": Judged(rows), "bayesian": Judged(rows)}
    maps = maps | {"points": maps["pca"], "bayesian": maps["pca"]}
    if look is None:
        return drawn(rows, maps, judged)
    makers: dict[str, Callable[[], Any]] = {
        "points": lambda: GPLVM(n_latent, max_iter=MAX_ITER, random_state=0),
        "bayesian": lambda: BayesianGPLVM(n_latent, N_INDUCING, max_iter=MAX_ITER, random_state=0),
    }
    running = {name: legs(make, rows.shown, LEG) for name, make in makers.items()}
    for step, trained in in_turn(running, LEG, MAX_ITER):
        for name, model in trained.items():
            judged[name].note(model, step)
            relevant = np.argsort(-model.relevance_ * model.latent_mean_.var(axis=0))[:2]
            maps[name] = model.latent_mean_[:, relevant]
        look(drawn(rows, maps, judged), step, MAX_ITER)
    return drawn(rows, maps, judged)


def drawn(
    rows: LessonRows, maps: dict[str, Float[Array, "N 2"]], judged: dict[str, Judged]
) -> LessonPicture:
    """Draw the scores and the maps; every map is mirrored to match PCA's map."""
    panels: dict[str, Panel] = {}
    for name, places in maps.items():
        # The signs of latent dimensions are arbitrary, so a map may be mirrored.
        sides = np.sign(np.sum(places * maps["pca"], axis=0))
        x, y = (places * np.where(sides == 0, 1.0, sides)).T
        panels[name] = Panel(
            TITLES[name],
            room(x),
            room(y, y.max() + 0.3 * np.ptp(y)),  # the figures need room above the points
            rows.marks(x, y),
            f"The map of {len(x)} {rows.what} by {TITLES[name]}.",
            bare=True,
            tall=0.6,
        )
    inside = {name: each.inside for name, each in judged.items() if each.steps}
    aside = {name: each.aside for name, each in judged.items() if each.steps}
    promise = line(_ENDS, np.full(2, PROMISED), "green", "promised", dashed=True, width=1.8)
    panels["inside"] = Panel(
        f"Hidden {rows.hidden_part}: values inside 95 % bands",
        (0.0, float(MAX_ITER)),
        (min(50.0, *(min(each) - 5.0 for each in inside.values())), 102.0),
        (promise, *_curves(judged, inside)),
        "The percentage of hidden values inside their bands, over the steps of training.",
        axes=("step", "per cent"),
        tall=0.6,
    )
    panels["aside"] = Panel(
        f"Hidden {rows.hidden_part}: the error",
        (0.0, float(MAX_ITER)),
        (0.0, 1.15 * max(map(max, aside.values()))),
        _curves(judged, aside),
        "Held-out errors over the steps of training.",
        axes=("step", f"error, in {rows.unit}"),
        tall=0.6,
    )
    # In this order, each row of three panels ends with a panel of scores.
    order = ("pca", "dual", "inside", "points", "bayesian", "aside")
    return LessonPicture(tuple(panels[name] for name in order), summary(rows, judged))


_ENDS = np.array([0.0, float(MAX_ITER)])


def _curves(judged: dict[str, Judged], values: dict[str, list[float]]) -> tuple[Any, ...]:
    """Return a curve for each model; PCA has no steps, so its line is constant."""
    return tuple(
        line(_ENDS, np.repeat(each, 2), INKS[name], "PCA", dashed=True)
        if name == "pca"
        else line(np.array(judged[name].steps), np.array(each), INKS[name], TITLES[name])
        for name, each in values.items()
    )


def summary(rows: LessonRows, judged: dict[str, Judged]) -> tuple[str, ...]:
    """Describe the rows, and the scores of each model on training and held-out rows."""
    about = (
        f"Trained on {len(rows.shown)} {rows.what} with {rows.shown.shape[1]} numbers each. "
        f"{len(rows.aside)} other {rows.what} are held out; the models fill in their "
        f"{rows.hidden_part}."
    )
    titles = {"pca": "PCA", "points": "GP-LVM with fitted points", "bayesian": "Bayesian GP-LVM"}
    sentences = [
        f"{titles[name]}: the error is {number(each.shown[-1])} {rows.unit} on training rows and "
        f"{number(each.aside[-1])} {rows.unit} on hidden values; "
        f"{number(each.inside[-1], 0)} % of the hidden values lie inside the 95 % bands."
        for name, each in judged.items()
        if each.steps
    ]
    if len(sentences) < len(judged):
        sentences.append("The two lower models are not trained yet: both start from PCA's map.")
    return about, *sentences
