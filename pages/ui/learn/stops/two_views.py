"""Stop 9: two views, and what they share."""

from gplvm_core.lessons.picture import LessonPicture
from gplvm_core.lessons.two_views import two_views
from pages.ui.learn.controls import ChoiceControl, Slider, State
from pages.ui.learn.stop import Look, Note, Stop, StopDoor


def picture(state: State) -> LessonPicture:
    return two_views(state["kernel"], state["noise"], int(state["dimensions"]))


def train(state: State, look: Look) -> LessonPicture:
    return two_views(state["kernel"], state["noise"], int(state["dimensions"]), look)


TWO_VIEWS = Stop(
    number=9,
    name="views",
    title="Two views, and what they share",
    words="Two tables tell of the same things: one holds sin t and cos² t, the other cos t and "
    "cos² t, each mixed into 15 columns. One latent space explains both, and every view has "
    "weights of its own: who uses a dimension shows whether it is shared or private. Press Train.",
    attempt="After the straight kernel try the curved one. What becomes of the shared dimension? "
    "(cos² t is 1 − sin² t: a bend of what the first view has anyway.)",
    caution="“Private” means that the other view does not need the dimension under this kernel, "
    "not that the two things are independent of each other.",
    note=Note(
        "Nobody says which columns belong together. The split is found because a dimension that "
        "a view does not use costs that view nothing when it is switched off there.",
        "The curved kernel explains the same data with fewer dimensions. Is its split wrong?",
        (
            "They take two views that share nothing here for unrelated: sine and cosine determine "
            "each other nearly.",
            "They give a meaning to the sign or the scale of a latent signal. Both are free.",
        ),
    ),
    controls=(
        ChoiceControl(
            "kernel", "Kernel", (("linear", "straight (linear)"), ("rbf", "curved (RBF)"))
        ),
        Slider("noise", "Noise", 0.05, 1.0, 0.05, 0.1),
        Slider("dimensions", "Dimensions", 3, 8, 1, 6),
    ),
    picture=picture,
    train=train,
    doors=(
        StopDoor(
            "explore", "Open pairs of heads in Explore", {"model": "gallery:pairs", "tab": "views"}
        ),
    ),
    source="Damianou, *Deep Gaussian Processes and Variational Propagation of Uncertainty* (2015), "
    "section 5.3.1.",
)
