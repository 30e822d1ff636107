"""Stop 1: functions from a kernel."""

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
        help="How alike a function's values at two places are expected to be.",
    ),
    Slider("lengthscale", "Lengthscale", 0.1, 3.0, 0.1, 1.0, help="How far alike values reach."),
    Slider("deviation", "Height", 0.2, 2.0, 0.1, 1.0, help="The functions' standard deviation."),
    Slider("noise", "Noise", 0.02, 1.0, 0.02, 0.1, help="How far points may lie off a function."),
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
    number=1,
    name="functions",
    title="Functions from a kernel",
    words="A Gaussian process is a distribution over functions. The kernel says how alike values "
    "at two places are, and with that how functions look before any data are seen. Click into "
    "the picture to give points: what is left are the functions that pass near them.",
    attempt="Give three points, then make the lengthscale shorter. Where does the band open "
    "first? Watch the log evidence: which lengthscale do your points ask for?",
    caution="The band is not where the truth must lie. It holds 95 % of the values if this kernel "
    "is right; a wrong kernel is just as sure of itself.",
    note=Note(
        "Nobody draws one function here: at every moment all curves are draws from the same "
        "distribution, and they walk through it. Far from the points the posterior is the prior.",
        "Two points lie close together but at different heights. What will the smooth kernel do, "
        "what the rough one, and which has the higher evidence?",
        (
            "They take the mean for “the function”. It is an average: no possible function need "
            "look like it, and it returns to zero where nothing is known.",
            "They take the lengthscale for the distance between points. It is a property of the "
            "functions, and the data may contradict it.",
        ),
    ),
    controls=CONTROLS,
    picture=picture,
    source="Rasmussen and Williams, *Gaussian Processes for Machine Learning* (2006), chapter 2.",
)
