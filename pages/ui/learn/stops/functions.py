"""Functions from a kernel."""

import numpy as np

from gplvm_core.lessons.functions import functions
from gplvm_core.lessons.picture import LessonPicture
from pages.ui.learn.controls import ChoiceControl, Draw, PointsControl, Slider, State
from pages.ui.learn.stop import Note, Stop

CONTROLS = (
    ChoiceControl(
        "kernel",
        "Kernel",
        (
            ("smooth", "smooth (RBF)"),
            ("rough", "rough (Matérn 3/2)"),
            ("rougher", "rougher (Matérn 1/2)"),
            ("periodic", "periodic"),
            ("straight", "straight (linear)"),
            ("sum", "smooth + periodic"),
            ("product", "smooth × periodic"),
        ),
        help="Expected similarity of a function's values at two inputs.",
    ),
    Slider("lengthscale", "Lengthscale", 0.1, 3.0, 0.1, 1.0, help="Range of similar values."),
    Slider("deviation", "Height", 0.2, 2.0, 0.1, 1.0, help="Standard deviation of the functions."),
    Slider("noise", "Noise", 0.02, 1.0, 0.02, 0.1, help="Standard deviation of the points."),
    Draw("draw", "Other functions"),
    PointsControl("points", (-3.0, 3.0), (-3.5, 3.5)),
)


def picture(state: State) -> LessonPicture:
    points = np.array(state["points"], dtype=float).reshape(-1, 2)
    return functions(
        state["kernel"],
        state["lengthscale"],
        state["deviation"],
        state["noise"],
        points,
        state["draw"],
    )


FUNCTIONS = Stop(
    name="functions",
    title="Functions from a kernel",
    words="A Gaussian process is a distribution over functions. The kernel states how similar "
    "values at two inputs are; it decides how functions look before any data. Click into the "
    "picture to add points: the functions that pass near them remain.",
    attempt="Add three points, then shorten the lengthscale. Where does the band widen first? "
    "Watch the log evidence: which lengthscale fits your points best?",
    caution="The truth need not lie inside the band. The band holds 95 % of the values if this "
    "kernel is right; a wrong kernel gives an equally narrow band.",
    note=Note(
        "At every moment all curves are draws from the same distribution, and they move through "
        "it. Far from the points the posterior equals the prior.",
        "Two points are close together but at different heights. What does the smooth kernel do, "
        "what does the rough one do, and which has the higher evidence?",
        (
            "They think that the mean is “the function”. It is an average: no possible function "
            "need look like it, and far from the points it returns to zero.",
            "They confuse the lengthscale with the distance between points. It is a property of "
            "the functions, and the data may contradict it.",
        ),
    ),
    controls=CONTROLS,
    picture=picture,
    source="Rasmussen and Williams, *Gaussian Processes for Machine Learning* (2006), chapter 2.",
)
