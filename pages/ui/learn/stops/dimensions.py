"""The stop that shows how unneeded dimensions switch off."""

from gplvm_core.lessons.dimensions import dimensions
from gplvm_core.lessons.picture import LessonPicture, Look
from pages.ui.learn.controls import ChoiceControl, Slider, State
from pages.ui.learn.stop import Note, Stop, StopDoor


def picture(state: State, look: Look | None = None) -> LessonPicture:
    """Return the picture before training; with `look`, train and return the last picture."""
    return dimensions(
        state["data"], int(state["rows"]), state["noise"], int(state["dimensions"]), look
    )


DIMENSIONS = Stop(
    name="dimensions",
    title="Dimensions switch off",
    words="A Bayesian GP-LVM may start with more latent dimensions than the data need. Each "
    "dimension has a lengthscale; a very long one switches the dimension off (automatic relevance "
    "determination, ARD). Information about positions has a price: every nat (1.44 bits) lowers "
    "the bound by a nat. A dimension that explains less than its price switches off.",
    attempt="Press Train. Turn the noise up to 1: does any dimension stay on? Then use only 6 "
    "rows with little noise. Does the answer change if you start with more dimensions?",
    caution="“Off” does not prove that a cause is absent: these rows may be too few to show the "
    "cause. A dimension that is on has no name: a rotated map explains the data equally well.",
    note=Note(
        "The bound subtracts every nat of information about a position (the KL divergence), and "
        "thereby decides how many dimensions are on. ARD therefore needs no penalty that someone "
        "must tune.",
        "With much noise all dimensions switch off. Is that a failure of the model, or the right "
        "answer for these data?",
        "The right answer for these data: the rows say so little about any position that its "
        "information costs more than it explains.",
        (
            "They read the ARD weight as importance. The weights order the dimensions; the "
            "information shows which are on.",
            "They think that the number of dimensions is a property of the world. The number "
            "depends on these rows, this noise, this kernel and one local optimum.",
        ),
    ),
    controls=(
        ChoiceControl(
            "data",
            "Data",
            (
                ("two", "2 hidden numbers"),
                ("three", "3 hidden numbers"),
                ("flow", "pipe flow (simulated)"),
            ),
        ),
        Slider("rows", "Rows", 6, 80, 2, 40, help="The number of training rows."),
        Slider(
            "noise",
            "Noise",
            0.05,
            1.5,
            0.05,
            0.1,
            help="The standard deviation of the noise; the values have a standard deviation of 1.",
        ),
        Slider(
            "dimensions",
            "Dimensions",
            3,
            10,
            1,
            10,
            help="The number of latent dimensions at the start.",
        ),
    ),
    picture=picture,
    train=picture,
    doors=(
        StopDoor(
            "explore", "Open a turned digit: 2 of 10 dimensions are on", {"model": "gallery:turned"}
        ),
        StopDoor("explore", "Open the pipe flow in Explore", {"model": "gallery:flow"}),
    ),
    source="Titsias and Lawrence, *Bayesian Gaussian process latent variable model* (2010).",
)
