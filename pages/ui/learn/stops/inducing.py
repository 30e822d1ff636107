"""Stop 6: inducing inputs that are dragged."""

import numpy as np

from gplvm_core.lessons.inducing import LOW, MOST, inducing
from gplvm_core.lessons.picture import LessonPicture
from pages.ui.learn.controls import Draw, PointsControl, Slider, State
from pages.ui.learn.stop import Note, Stop

AT_FIRST = tuple((x, LOW) for x in (-2.4, -1.2, 0.0, 1.2, 2.4))


def picture(state: State) -> LessonPicture:
    places = np.array(state["places"], dtype=float).reshape(-1, 2)
    settings = state["lengthscale"], state["noise"], int(state["rows"]), state["draw"]
    return inducing(places, *settings)


INDUCING = Stop(
    number=6,
    name="inducing",
    title="Inducing points",
    words="A Gaussian process asks every point about every other one. A sparse one summarises them "
    "by the function's values at a few inducing inputs, here the dots at the bottom. Drag them: "
    "the bound says how much of the evidence the summary loses.",
    attempt="Push all of them together on one side. Then spread them, and add more, until less "
    "than one nat is missing. Do they have to lie on the points?",
    caution="A wide band is not always doubt about the data: where no inducing input is near, the "
    "summary itself knows nothing. Compare with the exact band.",
    note=Note(
        "The inducing inputs are no parameters of the model but of the approximation. Moving them "
        "can only bring the bound nearer to the evidence, so they cannot overfit.",
        "Why is one more never harmful? And why do two on the same place help no more than one?",
        (
            "They take inducing inputs for a selection of the data. They may lie anywhere, also "
            "where there is no point.",
            "They compare bounds of different numbers of inducing inputs as if they were of "
            "different models. It is one model, seen better or worse.",
        ),
    ),
    controls=(
        Slider("lengthscale", "Lengthscale", 0.2, 1.5, 0.05, 0.5),
        Slider("noise", "Noise", 0.05, 0.8, 0.05, 0.2),
        Slider("rows", "Points", 10, 120, 10, 60),
        Draw("draw", "Other points"),
        PointsControl("places", (-3.0, 3.0), (LOW, LOW), AT_FIRST, MOST),
    ),
    picture=picture,
    source="Titsias, *Variational learning of inducing variables in sparse Gaussian processes* "
    "(2009).",
)
