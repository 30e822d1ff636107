"""The stop that shows that rotations of a digit form a curve."""

from gplvm_core.lessons.picture import LessonPicture
from gplvm_core.lessons.turned_digit import turned_digit
from pages.ui.learn.controls import ChoiceControl, Slider, State, Switch
from pages.ui.learn.stop import Note, Stop, StopDoor


def picture(state: State) -> LessonPicture:
    return turned_digit(int(state["digit"]), state["span"], state["turn"], state["thinned"])


TURNED_DIGIT = Stop(
    name="digit",
    title="A turned digit lies on a curve",
    words="We rotate one picture of a digit step by step. Every picture has hundreds of pixels, "
    "but one number, the angle, generates all pictures. They therefore form a curve in pixel "
    "space. PCA looks along straight directions, so one component cannot describe the loop.",
    attempt="Reduce the whole turn: below which angle is one component enough? Then switch “Vary "
    "thickness” on: what happens to the curve?",
    caution="A component with a small share of the variance need not be noise. PCA needs many "
    "components to rebuild these pictures, but their curve has only one dimension.",
    note=Note(
        "The number of latent dimensions is the number of causes, not the number of components "
        "that PCA needs. A curved model may need one or two dimensions where PCA needs ten "
        "components.",
        "Does the whole turn need one number or two?",
        "One: the loop has one dimension. On a line, however, it must be cut somewhere, so a map "
        "without a cut needs two axes.",
        (
            "They count the components that explain 95 % of the variance and call that the "
            "dimension of the data.",
            "They think that two pictures are similar if their values of the first component are "
            "close.",
        ),
    ),
    controls=(
        ChoiceControl("digit", "Digit", tuple((str(d), str(d)) for d in (4, 7, 5, 6, 3, 0))),
        Slider("span", "Whole turn", 30, 360, 30, 360, "°", "The angle of the last picture."),
        Slider("turn", "Look at", 0.0, 1.0, 0.02, 0.2, help="The picture that is shown."),
        Switch("thinned", "Vary thickness", "Draws every picture with five line widths."),
    ),
    picture=picture,
    doors=(StopDoor("explore", "Open a map of digits in Explore", {"model": "gallery:digits"}),),
)
