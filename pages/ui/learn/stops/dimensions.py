"""Stop 5: dimensions switch off."""

from gplvm_core.lessons.dimensions import dimensions
from gplvm_core.lessons.picture import LessonPicture
from pages.ui.learn.controls import ChoiceControl, Slider, State
from pages.ui.learn.stop import Look, Note, Stop, StopDoor


def picture(state: State) -> LessonPicture:
    return _dimensions(state)


def train(state: State, look: Look) -> LessonPicture:
    return _dimensions(state, look)


def _dimensions(state: State, look: Look | None = None) -> LessonPicture:
    return dimensions(
        state["data"], int(state["rows"]), state["noise"], int(state["dimensions"]), look
    )


DIMENSIONS = Stop(
    number=5,
    name="dimensions",
    title="Dimensions switch off",
    words="A Bayesian GP-LVM may use more latent dimensions than the data need. Each has its own "
    "lengthscale (automatic relevance determination, ARD), and what it tells about a point costs "
    "the bound as much as it tells. Press Train: dimensions that do not pay for themselves fall.",
    attempt="Turn the noise up to 1: what is left? Then take only 6 rows at little noise. And do "
    "more dimensions at the start change the answer?",
    caution="“Off” does not mean that nothing is there, only that these rows do not pay for it. "
    "And a dimension that is on has no name: turned maps explain the data as well.",
    note=Note(
        "Nobody tells the model how many dimensions there are; the bound does, because every nat "
        "of information about a point is subtracted in the KL divergence. So ARD is no penalty "
        "that one has to tune.",
        "With much noise all dimensions go off. Is that a failure of the model, or the right "
        "answer for what it was shown?",
        (
            "They read the lengthscale's weight as importance. It orders the dimensions; the "
            "information says which are on.",
            "They take the number found for a property of the world. It belongs to these rows, "
            "this noise, this kernel, and to one local optimum.",
        ),
    ),
    controls=(
        ChoiceControl(
            "data",
            "Data",
            (
                ("two", "made of 2 numbers"),
                ("three", "made of 3 numbers"),
                ("flow", "pipe flow (simulated)"),
            ),
        ),
        Slider("rows", "Rows", 6, 80, 2, 40, help="How many rows the model is shown."),
        Slider("noise", "Noise", 0.05, 1.5, 0.05, 0.1, help="Beside values of deviation 1."),
        Slider("dimensions", "Dimensions", 3, 10, 1, 10, help="How many the model may use."),
    ),
    picture=picture,
    train=train,
    doors=(StopDoor("explore", "Open the pipe flow in Explore", {"model": "gallery:flow"}),),
    source="Titsias and Lawrence, *Bayesian Gaussian process latent variable model* (2010).",
)
