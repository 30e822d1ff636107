"""The stop on strings and sheets: what a smooth map does to a Gaussian."""

import numpy as np

from gplvm_core.lessons.picture import LessonPicture
from gplvm_core.lessons.surfaces import ACROSS, UP, surfaces
from pages.ui.learn.controls import PointsControl, Slider, State
from pages.ui.learn.stop import Note, Stop

KNOTS = ((-2.2, -0.6), (-1.0, 1.1), (0.0, -0.2), (1.0, -1.2), (2.2, 0.8))


def picture(state: State) -> LessonPicture:
    knots = np.array(state["points"], dtype=float)
    return surfaces(knots, state["place"], state["width"], state["view"])


SURFACES = Stop(
    name="surfaces",
    title="A string in the plane, a sheet in space",
    words="One latent dimension draws a string through the plane, two draw a sheet through "
    "space. A Gaussian on the latent axis becomes a bent cloud on the string. The Jacobian is "
    "the string's slope at the Gaussian's mean; a model that knows only this slope expects the "
    "cloud along a straight line (green).",
    attempt="Drag the points until the string crosses itself. Then widen the Gaussian: when does "
    "the green line no longer describe the cloud?",
    caution="The string has no thickness here. A real model adds noise, and it does not know "
    "where the string runs if it saw no data there.",
    note=Note(
        "The Jacobian says how much longer the string is than the axis. The same Gaussian gives "
        "a dense cloud where the string is slow, and a thin cloud where it is fast.",
        "Two distant places on the axis can have the same point in the plane. Which place "
        "produced a data point at the crossing?",
        "The point alone does not show it: there are two explanations.",
        (
            "They think that every distribution in the plane can come from a string. All mass of "
            "such a distribution is on a curve.",
            "They think that a straight line in the latent space is the shortest path between two "
            "outputs.",
        ),
    ),
    controls=(
        Slider("place", "Place", -1.0, 1.0, 0.05, 0.2, help="The mean of the Gaussian."),
        Slider(
            "width", "Width", 0.02, 0.6, 0.02, 0.16, help="The standard deviation of the Gaussian."
        ),
        Slider(
            "view", "View from", 0, 350, 10, 30, "°", "The direction from which you see the sheet."
        ),
        PointsControl("points", ACROSS, UP, KNOTS, len(KNOTS), fixed=True),
    ),
    picture=picture,
    source="Lawrence, *Unsupervised learning with Gaussian processes* (lecture, 2014).",
)
