"""The stop that finds the places on the map that fit an output."""

import numpy as np

from gplvm_core.lessons.output_back import ACROSS, HANDLES, UP, output_back
from gplvm_core.lessons.picture import LessonPicture
from pages.ui.learn.controls import PointsControl, State, Switch
from pages.ui.learn.stop import Note, Stop, StopDoor


def picture(state: State) -> LessonPicture:
    held = np.array(state["held"], dtype=float).reshape(-1, 2)
    return output_back(held, not state["apart"])


OUTPUT_BACK = Stop(
    name="back",
    title="From the output back",
    words="Every place on this map of a run gives a body; the grey dots are the frames of the run. "
    "Now ask in reverse: fix a joint, and see which places fit. One fixed joint has many answers; "
    "three fixed joints have hardly more than one.",
    attempt="Drag the right hand forward and back. Click near a foot to fix the left toe, and once "
    "more to fix the right toe: how much of the map remains? Then draw the bodies without the "
    "model.",
    caution="A body that fits need not be the true body: several may fit equally well. If a joint "
    "never was where you fix it, the bodies only come near this place.",
    note=Note(
        "Without the model every joint moves by itself, and the drawings are not bodies. The map "
        "is a prior: it contains only movements of joints that occur together. Animators use such "
        "maps to pose a whole figure by moving one hand.",
        "Why do so many places fit one fixed hand, from one side of the circle to the other?",
        "The arm passes each position twice in a stride: forward, and back.",
        (
            "They think that the model looks up the nearest frame. Places between the frames "
            "fit, too.",
            "They expect the joint exactly where they fixed it. The model also has to explain "
            "the rest of the body.",
        ),
    ),
    controls=(
        Switch("apart", "Without the model", "Draws every joint by itself."),
        PointsControl("held", ACROSS, UP, ((25.0, 109.0),), len(HANDLES)),
    ),
    picture=picture,
    doors=(StopDoor("explore", "Grab a body in Explore", {"model": "gallery:poses"}),),
    source="Grochow, Martin, Hertzmann and Popović, *Style-based inverse kinematics* (2004).",
)
