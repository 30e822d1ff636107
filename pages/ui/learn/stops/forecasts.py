"""Stop 8: forecasts that feed on themselves."""

from gplvm_core.lessons.forecasts import MOST_AHEAD, forecasts
from gplvm_core.lessons.picture import LessonPicture
from pages.ui.learn.controls import Draw, Slider, State
from pages.ui.learn.stop import Note, Stop, StopDoor


def picture(state: State) -> LessonPicture:
    return forecasts(int(state["shown"]), state["noise"], int(state["ahead"]), state["draw"])


FORECASTS = Stop(
    number=8,
    name="forecasts",
    title="Forecasts that feed on themselves",
    words="To look many steps ahead, every forecast becomes the input of the next. Who puts in its "
    "mean alone forgets that it may be wrong, and stays sure for ever. Who puts in the whole "
    "Gaussian sees the band open: in this series, a chaotic one, small errors grow.",
    attempt="How many steps ahead does the careless band hold what came? Lower the noise: how much "
    "further can one see? Then show the model fewer values.",
    caution="A band that is wide is no bad forecast; it says when to stop believing. And a "
    "Gaussian handed on has the right mean and variance of one step, not the shape of many.",
    note=Note(
        "Handing on uses what the stop on bends showed: the mean and the variance of a process at "
        "an uncertain input, by ⟨k⟩. The grey futures are drawn one by one and need no Gaussian.",
        "The rule of this series is learnt almost without error. Why can nobody forecast it all "
        "the same?",
        (
            "They take the wide band for a model that has not learnt. Look at the right panel.",
            "They judge by one future that came. Other points, other values: count over several.",
        ),
    ),
    controls=(
        Slider("shown", "Values shown", 10, 120, 10, 60),
        Slider("noise", "Noise", 0.0, 0.1, 0.005, 0.02),
        Slider("ahead", "Steps ahead", 2, MOST_AHEAD, 1, 15),
        Draw("draw", "Another series"),
    ),
    picture=picture,
    doors=(
        StopDoor(
            "explore", "Forecast a movement in Explore", {"model": "gallery:moves", "tab": "time"}
        ),
    ),
    source="Girard, Rasmussen, Quiñonero-Candela and Murray-Smith, *Gaussian process priors with "
    "uncertain inputs* (2003).",
)
