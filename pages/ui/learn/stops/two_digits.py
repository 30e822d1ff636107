"""The stop that shows two turned digits on one map."""

from gplvm_core.lessons.picture import LessonPicture, Look
from gplvm_core.lessons.two_digits import two_digits
from pages.ui.learn.controls import ChoiceControl, Slider, State
from pages.ui.learn.stop import Note, Stop, StopDoor


def picture(state: State, look: Look | None = None) -> LessonPicture:
    """Return the picture before training; with `look`, train and return the last picture."""
    return two_digits(state["pair"], state["turn"], look)


TWO_DIGITS = Stop(
    name="meet",
    title="Sixes against nines",
    words="All turned pictures of a six form a closed curve, and so do all turned nines. The map "
    "shows both curves. A turned six resembles a nine, so the curves come near each other. The "
    "dashed line joins the chosen six with the nine that is nearest in pixel space.",
    attempt="Turn the six: by how much more is the nearest nine turned? Then press Train: does "
    "the curved map show the same neighbours as PCA?",
    caution="Curves that cross on a map need not meet in pixel space: a map has two dimensions, "
    "and the pictures have 400. The distance on the right is measured in pixel space.",
    note=Note(
        "Each digit adds one curve. A map of two dimensions has room for both curves, but must "
        "choose which pictures are near each other; PCA chooses by variance only.",
        "Why does a six that is turned by 180° still differ from a nine?",
        "People write the two digits differently: the slant and the tail differ.",
        (
            "They read a crossing on the map as two equal pictures.",
            "They expect two clusters, one for each digit. The angle changes more pixels than the "
            "digit does.",
        ),
    ),
    controls=(
        ChoiceControl("pair", "Digits", (("69", "6 and 9"), ("60", "6 and 0"), ("47", "4 and 7"))),
        Slider("turn", "Turn the first", 0, 360, 6, 90, "°", "The angle of the chosen picture."),
    ),
    picture=picture,
    train=picture,
    doors=(StopDoor("explore", "Open a map of digits in Explore", {"model": "gallery:digits"}),),
    source="Lawrence, *Unsupervised learning with Gaussian processes* (lecture, 2014).",
)
