"""The stop on which visitors drag inducing inputs."""

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
    name="inducing",
    title="Inducing points",
    words="A Gaussian process compares every point with every other point. A sparse Gaussian "
    "process summarises the points by the function's values at a few inducing inputs, the dots "
    "at the bottom. Drag them: the bound is below the log evidence by what the summary loses.",
    attempt="Push all inducing inputs together on one side. Then spread them, and add more, "
    "until the bound is less than one nat below the evidence. Must inducing inputs be at the "
    "points?",
    caution="A wide band need not come from a lack of data: far from every inducing input, the "
    "summary contains no information. Compare with the exact band (green).",
    note=Note(
        "The inducing inputs are parameters of the approximation, not of the model. Every choice "
        "gives a lower bound on the same evidence, so optimising them cannot overfit.",
        "Why does one more inducing input never harm? Why do two inducing inputs at the same "
        "place help no more than one?",
        "The summary contains one more value of the function, so it loses no more evidence than "
        "before. Two values at one place are the same value.",
        (
            "They think that inducing inputs are a selection of the data. Inducing inputs may be "
            "anywhere, even where there is no point.",
            "They treat fits with different numbers of inducing inputs as different models. All "
            "are approximations of the same model.",
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
