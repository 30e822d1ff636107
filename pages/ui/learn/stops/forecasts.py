"""The stop on forecasts of many steps."""

from gplvm_core.lessons.forecasts import MOST_AHEAD, forecasts
from gplvm_core.lessons.picture import LessonPicture
from pages.ui.learn.controls import Draw, Slider, State
from pages.ui.learn.stop import Note, Stop, StopDoor


def picture(state: State) -> LessonPicture:
    return forecasts(int(state["shown"]), state["noise"], int(state["ahead"]), state["draw"])


FORECASTS = Stop(
    name="forecasts",
    title="Forecasts of many steps",
    words="To forecast many steps, the model uses each forecast as the input of the next. If the "
    "model uses only the forecast's mean, it ignores possible errors, and its band remains "
    "narrow. If it uses the whole Gaussian, the band widens: this series is chaotic, so small "
    "errors grow.",
    attempt="For how many steps does the narrow band contain the real values? Lower the noise: "
    "for how many more steps are the forecasts good? Then give the model fewer training values.",
    caution="A wide band does not mean that the model is wrong: it states honestly from which step "
    "on nobody should use the forecast. The band is a Gaussian, so it cannot show that values "
    "outside 0 to 1 never occur.",
    note=Note(
        "The wide band is computed as in the stop “A Gaussian through a bend”: ⟨k⟩ gives the "
        "mean and variance of a process at an uncertain input. The grey futures are random draws "
        "and assume no Gaussian.",
        "The model learns the rule of this series almost without error. Why can nobody forecast "
        "its distant future?",
        "Every step of the rule enlarges small errors, and the present value is never known "
        "exactly.",
        (
            "They think that a wide band shows a poor model. The right panel shows how well the "
            "model learnt the rule.",
            "They judge by one observed future. Press “Another series”, and count over several "
            "futures.",
        ),
    ),
    controls=(
        Slider("shown", "Training values", 10, 120, 10, 60),
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
