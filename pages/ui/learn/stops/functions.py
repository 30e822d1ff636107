"""The stop that draws functions from a kernel."""

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
        help="The expected similarity of a function's values at two inputs.",
    ),
    Slider(
        "lengthscale",
        "Lengthscale",
        0.1,
        3.0,
        0.1,
        1.0,
        help="The distance over which values are similar.",
    ),
    Slider(
        "deviation", "Height", 0.2, 2.0, 0.1, 1.0, help="The standard deviation of the functions."
    ),
    Slider(
        "noise",
        "Noise",
        0.02,
        1.0,
        0.02,
        0.1,
        help="The standard deviation of the points around the function.",
    ),
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
    "the values at two inputs are. This decides how functions look before the model has data. "
    "Click into the picture to add points: the functions that pass near the points remain.",
    attempt="Add three points, then shorten the lengthscale. Where does the band widen first? "
    "The log evidence states how well the kernel predicted your points: which lengthscale makes "
    "it highest? Then choose the rough kernel.",
    caution="The truth may be outside the band. The band contains 95 % of the values only if "
    "this kernel is right; a wrong kernel can give a narrow band, too.",
    note=Note(
        "The curves move, but at every moment they are draws from the same distribution. Far "
        "from the points the posterior equals the prior.",
        "Two points are close together but at different heights. What do the smooth and the "
        "rough kernel do, and which has the higher evidence?",
        "The smooth kernel expects almost equal heights, so it gives these points a low "
        "evidence. The rough kernel passes through both without strain and has the higher "
        "evidence.",
        (
            "They think that the mean is “the function”. The mean is an average: no possible "
            "function need look like the mean, and far from the points the mean returns to zero.",
            "They confuse the lengthscale with the distance between points. The lengthscale is a "
            "property of the functions, and the data may contradict it.",
        ),
    ),
    controls=CONTROLS,
    picture=picture,
    source="Rasmussen and Williams, *Gaussian Processes for Machine Learning* (2006), chapter 2.",
)
