"""The stop on the batch that hid the answer."""

from gplvm_core.lessons.hidden_batch import hidden_batch
from gplvm_core.lessons.picture import LessonPicture, Look
from pages.ui.learn.controls import Slider, State
from pages.ui.learn.stop import Note, Stop, StopDoor


def picture(state: State, look: Look | None = None) -> LessonPicture:
    """Return the picture before training; with `look`, train and return the last picture."""
    return hidden_batch(state["shift"], look)


HIDDEN_BATCH = Stop(
    name="batch",
    title="The batch that hid the answer",
    words="Two instruments measured the frames of one run. The second one adds an offset to every "
    "number and reads a little more. The answer is the loop of a stride. The left map is made of "
    "all that differs between rows. The right map knows each row's instrument, and shows only what "
    "the instrument does not explain.",
    attempt="Move the shift from 0 to 2 and press Train each time. When does the left map show the "
    "instrument in place of the stride? What happens to the right map?",
    caution="A map without a batch is not a map without errors. If one instrument had measured "
    "only the first half of the run, no method could tell the two apart.",
    note=Note(
        "The instrument is an input of every function beside the latent point. Nothing is left for "
        "the latent points to explain about it, so the dimension that showed it switches off.",
        "Why not subtract each instrument's mean?",
        "That removes the offset, but not that the second instrument reads more. A function of "
        "both the place and the instrument removes both.",
        (
            "They think that two clear groups on a map are two kinds of rows. They may be two "
            "instruments.",
            "They take out everything that they know. What was taken out cannot be found any more.",
        ),
    ),
    controls=(Slider("shift", "Shift between the instruments", 0.0, 2.0, 0.25, 1.0),),
    picture=picture,
    train=picture,
    doors=(StopDoor("train", "Take a column out of your own table", {}),),
)
