"""The stop that shows how rare pictures of a digit are among all pictures."""

from gplvm_core.lessons.picture import LessonPicture
from gplvm_core.lessons.pixels import pixels
from pages.ui.learn.controls import ChoiceControl, Draw, Slider, State
from pages.ui.learn.stop import Note, Stop


def picture(state: State) -> LessonPicture:
    return pixels(int(state["digit"]), state["flip"], state["turn"], state["draw"])


PIXELS = Stop(
    name="pixels",
    title="A six in 3,648 pixels",
    words="A picture of 64 × 57 black or white pixels is a point in a space with 3,648 "
    "dimensions. Almost every point of this space is noise. Draw other random pictures as "
    "often as you like: none of them shows a six.",
    attempt="Flip 30 % of the pixels: can you still read the digit, and can the classifier? Then "
    "set the flips to 0 and turn the digit by 180°. Which change moves the picture further in "
    "pixel space?",
    caution="A large distance in pixels does not mean a different digit. A small turn changes "
    "more pixels than many single flips do, but you hardly notice it.",
    note=Note(
        "The data use almost nothing of this space. A few numbers (an angle, a width, a slant) "
        "describe how real sixes differ, so their pictures form a thin curved surface.",
        "How many numbers describe a turned six, and how many describe a six with flipped pixels?",
        "One angle; one yes or no for each of 3,648 pixels.",
        (
            "They think that a long enough search among random pictures finds a six. The universe "
            "is too young for that.",
            "They measure similarity by counting equal pixels, as if all changes were equally "
            "likely.",
        ),
    ),
    controls=(
        ChoiceControl("digit", "Digit", tuple((str(d), str(d)) for d in (6, 9, 3, 4))),
        Slider("flip", "Flipped pixels", 0, 50, 1, 10, "%", "The share of pixels that change."),
        Slider("turn", "Turned by", 0, 360, 6, 0, "°", "The angle by which the digit is turned."),
        Draw("draw", "Other random pictures"),
    ),
    picture=picture,
    source="Lawrence, *Unsupervised learning with Gaussian processes* (lecture, 2014).",
)
