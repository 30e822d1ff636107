"""What the probability of a word on a map means."""

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
    title="50 %, for two reasons",
    words="A column of words (yes or no) has no Gaussian values. The model draws a smooth function "
    "over the map, and turns it into a probability at each place. Click into the upper half of "
    "the picture to add a row that says yes, and into the lower half for a no.",
    attempt="Look at 1.9, then at −3: both are near 50 %. What differs in the picture on the "
    "right? Then add ten rows at −3 that all say yes.",
    caution="A probability near 100 % far from all rows would be a guess. The dashed line makes "
    "it: it forgets that the function itself is uncertain.",
    note=Note(
        "At 1.9 the rows disagree, and more rows would not help: it is a coin toss. At −3 there "
        "are no rows, and the next row will change the answer. The average over the possible "
        "functions keeps the two apart.",
        "Which row would you ask for next, and why? (One at a place where the bars are wide: there "
        "an answer changes most.)",
        (
            "They read 50 % as “the model does not know”. A coin is known well, and shows heads "
            "in 50 %.",
            "They compute the probability from the mean of the function only. It is then too "
            "extreme.",
        ),
    ),
    controls=(
        Slider("place", "Look at", -3.0, 3.0, 0.1, 1.9, help="The place of the bars."),
        Slider("lengthscale", "Lengthscale", 0.2, 2.0, 0.1, 0.6, help="Range of similar answers."),
        PointsControl("points", ACROSS, UP, YES + NO + BOTH, MOST_POINTS),
    ),
    picture=picture,
    doors=(StopDoor("explore", "Open countries and continents", {"model": "gallery:countries"}),),
    source="Jaakkola and Jordan, *Bayesian parameter estimation via variational methods* (2000).",
)
