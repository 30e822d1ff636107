"""From the output back to the map."""

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
    words="So far a place on the map gave a body. Now hold a joint, and ask which places fit it. "
    "The first point holds the right hand, the second the left toe, the third the right toe. One "
    "held joint has many answers, three have almost one.",
    attempt="Drag the hand forward and back. Click to add the toes: how much of the map remains? "
    "Then draw the bodies without the model.",
    caution="A body that fits is not the true one: several may fit equally well. If a joint is "
    "held where the run never had it, the bodies come as near as they can.",
    note=Note(
        "Without the model every joint moves by itself, and the drawings are no bodies. The map is "
        "a prior: it contains only what the joints do together. Animators use this to pose a "
        "figure by one hand.",
        "Why does one held hand leave a long band of places, from one side of the circle to the "
        "other? (The arm passes each position twice in a stride: forward, and back.)",
        (
            "They think that the nearest frame is found. Places between the frames fit, too.",
            "They expect the held joint exactly where they hold it. The model also has to explain "
            "the rest of the body.",
        ),
    ),
    controls=(
        Switch("apart", "Without the model", "Every joint is drawn by itself."),
        PointsControl("held", ACROSS, UP, ((25.0, 109.0),), len(HANDLES)),
    ),
    picture=picture,
    doors=(StopDoor("explore", "Grab a body in Explore", {"model": "gallery:poses"}),),
    source="Grochow, Martin, Hertzmann and Popović, *Style-based inverse kinematics* (2004).",
)
