"""Stop 10: a step, for one layer and for two."""

from pathlib import Path

from gplvm_core.lessons.bend import CURVES
from gplvm_core.lessons.picture import LessonPicture
from gplvm_core.lessons.step import step
from pages.ui.learn.controls import ChoiceControl, Slider, State
from pages.ui.learn.stop import Note, Stop, StopDoor

READY = Path(__file__).resolve().parents[4] / "assets" / "depth"


def picture(state: State) -> LessonPicture:
    return step((READY / f"{state['curve']}.bin").read_bytes(), state["place"])


STEP = Stop(
    number=10,
    name="step",
    title="A step",
    words="A Gaussian process expects a curve to be as smooth here as there. A step is flat, then "
    "steep, then flat: one lengthscale cannot be right for both, so the curve rings and the band "
    "is wide everywhere. A deep Gaussian process bends the line first, with another process.",
    attempt="Move the place along the step: how high are the bands far away from the jump, and how "
    "much does the hidden layer stretch the line at it? Then choose the smooth curve.",
    caution="Deeper is not better. On the smooth curve a second layer has nothing to add, and "
    "these two other curves were chosen because it has.",
    note=Note(
        "The second layer is as smooth as the first; the step comes out because the line was "
        "pulled apart where it jumps and pressed together where it is flat.",
        "What would ten layers do before they see any data? (The button below shows it.)",
        (
            "They explain the better fit by more parameters. The band is narrower because the "
            "smoothness may change, not because there is more to fit with.",
            "They compare the two bounds. That of two layers lies further below what it bounds; "
            "unseen points decide.",
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
