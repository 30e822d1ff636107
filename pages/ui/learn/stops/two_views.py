"""The stop on two views and what they share."""

from gplvm_core.lessons.picture import LessonPicture, Look
from gplvm_core.lessons.two_views import two_views
from pages.ui.learn.controls import ChoiceControl, Slider, State
from pages.ui.learn.stop import Note, Stop, StopDoor


def picture(state: State, look: Look | None = None) -> LessonPicture:
    """Return the picture before training; with `look`, train and return the last picture."""
    return two_views(state["kernel"], state["noise"], int(state["dimensions"]), look)


TWO_VIEWS = Stop(
    name="views",
    title="Two views, and what they share",
    words="Two tables (views) describe the same moments: one mixes sin t and cos² t into 15 "
    "columns, the other mixes cos t and cos² t. One latent space explains both views. Each view "
    "has its own ARD weights, which show which dimensions are shared and which are private. Press "
    "Train.",
    attempt="After the straight kernel, try the curved one. What happens to the shared dimension? "
    "(cos² t is a curved function of the other signal in each view: it is 1 − (sin t)² in the "
    "first and (cos t)² in the second.)",
    caution="“Private” means that the other view does not need this dimension with this kernel. "
    "The signals of the two views may still depend on each other.",
    note=Note(
        "Nobody states which signals are shared. The model finds them because each view can "
        "switch off, at no cost, a dimension that it does not need.",
        "The curved kernel explains the same data with fewer dimensions. Is its division into "
        "shared and private dimensions wrong?",
        "No. Both divisions describe the same data: a curved function of the sine replaces a "
        "dimension of its own for cos² t.",
        (
            "They think that two views without a shared dimension are unrelated. Sine and cosine "
            "almost determine each other.",
            "They interpret the sign or the scale of a latent signal. Sign and scale are "
            "arbitrary.",
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
    train=picture,
    doors=(
        StopDoor(
            "explore", "Open pairs of heads in Explore", {"model": "gallery:pairs", "tab": "views"}
        ),
    ),
    source="Damianou, *Deep Gaussian Processes and Variational Propagation of Uncertainty* (2015), "
    "section 5.3.1.",
)
