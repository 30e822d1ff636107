"""The stop on a Gaussian input of a curved function."""

import numpy as np

from gplvm_core.lessons.picture import LessonPicture
from gplvm_core.lessons.uncertain_input import UP, uncertain_input
from pages.ui.learn.controls import PointsControl, Slider, State
from pages.ui.learn.stop import Note, Stop

BEND = ((-2.4, -1.2), (-1.2, -1.1), (-0.2, 0.6), (0.7, 1.3), (1.7, 0.4), (2.5, -0.6))


def picture(state: State) -> LessonPicture:
    bend = np.array(state["bend"], dtype=float)
    return uncertain_input(state["mean"], state["deviation"], state["lengthscale"], bend)


UNCERTAIN_INPUT = Stop(
    name="bend",
    title="A Gaussian through a bend",
    words="A model knows a latent point x only approximately, as a Gaussian q(x). A curved "
    "function f makes the output non-Gaussian, but the output's mean and variance can be computed "
    "exactly. They need only ⟨k⟩: the kernel between x and another point, averaged over q(x).",
    attempt="Move the mean to where the curve turns, then widen q(x). Which Gaussian stays near "
    "the truth: the one from ⟨k⟩, or the one that replaces f by a line? Drag a point of the curve "
    "until the output has two peaks.",
    caution="The Gaussian from ⟨k⟩ has the right mean and deviation, but not the right shape: if "
    "the output has two peaks, the Gaussian's peak is between them.",
    note=Note(
        "This is why the bound of the Bayesian GP-LVM can be computed: it needs only the averages "
        "⟨k⟩ and ⟨kk⟩ over q(X), and for this kernel both have closed forms.",
        "When can you safely use f at the mean of x? Compare the width of q(x) with the "
        "lengthscale.",
        "If q(x) is much narrower than the lengthscale: f is then almost a straight line where x "
        "can be.",
        (
            "They think that f at the mean of x is the mean of f(x). This is true only for "
            "straight lines.",
            "They think that ⟨k⟩ is just a wider kernel. The peak of ⟨k⟩ is lower, too: an "
            "uncertain point is less similar to every other point.",
        ),
    ),
    controls=(
        Slider("mean", "Mean of x", -2.0, 2.0, 0.05, 0.5),
        Slider("deviation", "Width of q(x)", 0.02, 1.5, 0.02, 0.5),
        Slider("lengthscale", "Lengthscale", 0.4, 1.6, 0.05, 0.8),
        PointsControl("bend", (-3.0, 3.0), UP, BEND, len(BEND), fixed=True),
    ),
    picture=picture,
    source="Titsias and Lawrence, *Bayesian Gaussian process latent variable model* (2010), eq. "
    "15 to 17.",
)
