"""The stop on back-constraints: an encoder keeps neighbours together."""

from gplvm_core.lessons.picture import LessonPicture, Look
from gplvm_core.lessons.torn_pairs import torn_pairs
from pages.ui.learn.controls import Slider, State
from pages.ui.learn.stop import Note, Stop, StopDoor


def picture(state: State, look: Look | None = None) -> LessonPicture:
    """Return the picture before training; with `look`, train and return the last picture."""
    return torn_pairs(int(state["neighbours"]), look)


TORN_PAIRS = Stop(
    name="torn",
    title="Near in the data, near on the map?",
    words="A GP-LVM has a smooth function from the map to the data: places near each other give "
    "similar rows. The reverse need not be true: similar rows may end far apart on the map, as a "
    "torn pair. An encoder computes the place of a row from the row itself (back-constraints), so "
    "similar rows tend to stay together.",
    attempt="Press Train. Each orange line is a torn pair: the neighbour is not among the 8 rows "
    "that are nearest on the map. Which map has the fewest lines? Then use more neighbours for "
    "each row.",
    caution="A map without torn pairs is not a better model of the data. The encoder restricts "
    "the places, and the bound is usually lower.",
    note=Note(
        "PCA has a smooth map in both directions, a GP-LVM only from the map to the data. An "
        "encoder adds the second direction, and also places new rows without an optimisation.",
        "For which task must similar rows be near each other on the map, and for which must near "
        "places give similar rows?",
        "To find the rows that resemble a given row; to draw new rows.",
        (
            "They read distances between groups as distances between rows.",
            "They think that an encoder gives the same map faster. An encoder gives another map.",
        ),
    ),
    controls=(
        Slider(
            "neighbours",
            "Neighbours",
            1,
            6,
            1,
            2,
            help="The number of nearest rows that should stay near.",
        ),
    ),
    picture=picture,
    train=picture,
    doors=(StopDoor("train", "Train a map with an encoder", {}),),
    source="Lawrence and Quiñonero-Candela, *Local distance preservation in the GP-LVM through "
    "back constraints* (2006).",
)
