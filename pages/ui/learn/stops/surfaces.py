"""Strings and sheets: what a smooth map does to a Gaussian."""

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
    words="One latent dimension draws a string through the plane, two draw a sheet through space. "
    "A Gaussian on the latent axis becomes a bent cloud on the string. The Jacobian replaces the "
    "string by its tangent, and the cloud by a straight one.",
    attempt="Drag the points until the string crosses itself. Then widen the Gaussian: when does "
    "the green line stop describing the cloud?",
    caution="The string has no thickness here. A model adds noise, and where it saw no rows it "
    "does not know where the string runs.",
    note=Note(
        "The Jacobian says how much longer the string is than the axis. The same Gaussian is "
        "dense where the string is slow and thin where it is fast.",
        "Two far places on the axis can meet in the plane. Which of the two produced a data point "
        "at the crossing? (The point itself does not say: there are two explanations.)",
        (
            "They think that every distribution in the plane can come from a string. All its mass "
            "lies on a curve.",
            "They think that a straight line in the latent space is the shortest path between two "
            "outputs.",
        ),
    ),
    controls=(
        Slider("place", "Place", -1.0, 1.0, 0.05, 0.2, help="Mean of the Gaussian."),
        Slider("width", "Width", 0.02, 0.6, 0.02, 0.16, help="Its standard deviation."),
        Slider("view", "View from", 0, 350, 10, 30, "°", "The direction of the view on the sheet."),
        PointsControl("points", ACROSS, UP, KNOTS, len(KNOTS), fixed=True),
    ),
    picture=picture,
    source="Lawrence, *Unsupervised learning with Gaussian processes* (lecture, 2014).",
)
