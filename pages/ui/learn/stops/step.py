"""The stop that fits a step with one layer and with two layers."""

from gplvm_core.lessons.bend import CURVES
from gplvm_core.lessons.picture import LessonPicture
from gplvm_core.lessons.step import step
from pages.ui.learn.controls import ChoiceControl, Slider, State
from pages.ui.learn.depth.bend import READY
from pages.ui.learn.stop import Note, Stop, StopDoor


def picture(state: State) -> LessonPicture:
    return step((READY / f"{state['curve']}.bin").read_bytes(), state["place"])


STEP = Stop(
    name="step",
    title="A step",
    words="A Gaussian process expects a curve to be equally smooth everywhere. A step is flat, "
    "then steep, then flat: one lengthscale cannot fit both. The step needs a short one, so the "
    "curve may swing between any two points, and the band is wide. In a deep "
    "Gaussian process, another process first bends the input axis.",
    attempt="Move the marker along the step. How wide are the bands far from the jump, and how "
    "steep is the hidden layer at the jump? Then choose the smooth curve.",
    caution="Deeper is not always better. A second layer does not help on the smooth curve; we "
    "chose the other two curves because depth helps there.",
    note=Note(
        "Both layers are smooth. The step appears because the hidden layer stretches the axis at "
        "the jump and compresses it where the curve is flat.",
        "Far from the jump the curve is flat. Why is the band of one layer wide there, too?",
        "One lengthscale holds for the whole axis. It is short because of the jump, so the model "
        "is unsure between points everywhere.",
        (
            "They attribute the better fit to more parameters. The band is narrower because the "
            "smoothness may vary along the axis.",
            "They compare the two bounds. The two-layer bound is less tight, so compare the "
            "densities of unseen points.",
        ),
    ),
    controls=(
        ChoiceControl("curve", "Curve", tuple((name, each.title) for name, each in CURVES.items())),
        Slider("place", "Look at", -1.0, 1.0, 0.05, -0.5),
    ),
    picture=picture,
    doors=(
        StopDoor("learn", "Train on points of your own", {"stop": "why", "curve": "step"}),
        StopDoor("learn", "Why not ten layers?", {"stop": "ten"}),
    ),
    source="Damianou and Lawrence, *Deep Gaussian processes* (2013); Duvenaud and others, "
    "*Avoiding pathologies in very deep networks* (2014).",
)
