"""The stop that explains the probability of a word on a map."""

import numpy as np

from gplvm_core.lessons.chances import ACROSS, MOST_POINTS, UP, chances
from gplvm_core.lessons.picture import LessonPicture
from pages.ui.learn.controls import PointsControl, Slider, State
from pages.ui.learn.stop import Note, Stop, StopDoor

YES = ((-2.2, 0.9), (-2.0, 0.8), (-1.8, 0.9), (-1.7, 0.75), (-1.5, 0.85))
NO = ((-0.4, 0.1), (-0.2, 0.2), (0.0, 0.1), (0.1, 0.25), (0.3, 0.15))
BOTH = tuple((1.5 + 0.06 * n, 0.85 if n % 2 else 0.15) for n in range(14))


def picture(state: State) -> LessonPicture:
    points = np.array(state["points"], dtype=float).reshape(-1, 2)
    return chances(points, state["lengthscale"], state["place"])


CHANCES = Stop(
    name="words",
    title="Why 50 %?",
    words="Yes or no is not a Gaussian value. The model therefore learns a smooth function along "
    "the map (here one axis), and converts its value at each place into a probability. Click in "
    "the upper half of the picture to add a row that says yes, in the lower half to add a no.",
    attempt="Look at the place 1.9, then at −3: both probabilities are not far from 50 %. What "
    "differs in the picture on the right? Then add ten rows at −3 that all say yes.",
    caution="50 % need not mean that yes and no occur equally often there: perhaps no row is near. "
    "The dashed line ignores how uncertain the function is, so it is always further from 50 % "
    "than the full line.",
    note=Note(
        "At 1.9 the rows disagree, like coin tosses, and more rows would not help. At −3 there "
        "are no rows, and the next row will change the answer. The average over the possible "
        "functions distinguishes these two cases.",
        "At which place would you ask for the next row, and why?",
        "Where the bars are wide: there an answer changes most.",
        (
            "They read 50 % as “the model does not know”. We know a coin well, and it still "
            "shows heads in 50 % of its tosses.",
            "They compute the probability from the mean of the function only. That probability "
            "is too extreme.",
        ),
    ),
    controls=(
        Slider(
            "place",
            "Look at",
            -3.0,
            3.0,
            0.1,
            1.9,
            help="The place at which the bars are computed.",
        ),
        Slider(
            "lengthscale",
            "Lengthscale",
            0.2,
            2.0,
            0.1,
            0.6,
            help="The distance over which answers are similar.",
        ),
        PointsControl("points", ACROSS, UP, YES + NO + BOTH, MOST_POINTS),
    ),
    picture=picture,
    doors=(StopDoor("explore", "Open countries and continents", {"model": "gallery:countries"}),),
    source="Jaakkola and Jordan, *Bayesian parameter estimation via variational methods* (2000).",
)
