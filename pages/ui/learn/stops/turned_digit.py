"""Stop 3: a rotated digit lies on a curve."""

from gplvm_core.lessons.picture import LessonPicture
from gplvm_core.lessons.turned_digit import turned_digit
from pages.ui.learn.controls import ChoiceControl, Slider, State, Switch
from pages.ui.learn.stop import Note, Stop, StopDoor


def picture(state: State) -> LessonPicture:
    return turned_digit(int(state["digit"]), state["span"], state["turn"], state["thinned"])


TURNED_DIGIT = Stop(
    number=3,
    name="digit",
    title="A turned digit lies on a curve",
    words="Turn one picture of a digit step by step. Every picture has hundreds of pixels, but one "
    "number, the angle, makes them all: they lie on a curve in the space of pixels. PCA looks at "
    "that space along straight directions, so it sees a loop, and no line can hold it.",
    attempt="Let the whole turn shrink to a small one: when does one number do? Then switch "
    "thinning on: what becomes of the curve?",
    caution="A small share of variance does not mean that a component is noise. The curve bends "
    "through very many components, and yet it has one dimension.",
    note=Note(
        "The number of latent dimensions is that of the causes, not that of the components that "
        "PCA needs. A curved model may do with one or two where PCA needs ten.",
        "How many numbers does one need for the whole turn: is it one, or two? (The loop has one "
        "dimension, but no line holds it without a cut.)",
        (
            "They count the components up to 95 % and call that the dimension of the data.",
            "They take what lies near on the first component for alike.",
        ),
    ),
    controls=(
        ChoiceControl("digit", "Digit", tuple((str(d), str(d)) for d in (4, 7, 5, 6, 3, 0))),
        Slider("span", "Whole turn", 30, 360, 30, 360, "°", "How far the last picture is turned."),
        Slider("turn", "Look at", 0.0, 1.0, 0.02, 0.2, help="A picture on the way."),
        Switch("thinned", "Thin it, too", "Every picture in five strengths of the pen."),
    ),
    picture=picture,
    doors=(StopDoor("explore", "Open a map of digits in Explore", {"model": "gallery:digits"}),),
)
