"""The stop that compares forecasts by a path over time and by a rule from state to state."""

from gplvm_core.lessons.path_or_rule import path_or_rule
from gplvm_core.lessons.picture import LessonPicture, Look
from pages.ui.learn.controls import Draw, Slider, State
from pages.ui.learn.stop import Note, Stop, StopDoor


def picture(state: State, look: Look | None = None) -> LessonPicture:
    """Return the picture before training; with `look`, train and return the last picture."""
    return path_or_rule(
        state["shown"], state["ahead"], state["noise"], state["friction"], state["draw"], look
    )


PATH_OR_RULE = Stop(
    name="rule",
    title="A path or a rule?",
    words="Eight sensors see a pendulum. Two models explain them by a few latent numbers. The "
    "first knows only that these numbers change smoothly, as a path over time. The second learns "
    "a rule that leads from one state to the next. Press Train, and compare how they continue.",
    attempt="Press Train. For how many seconds does the path follow the truth? Then lengthen the "
    "forecast, and make the sensors noisier: which forecast suffers first?",
    caution="A rule is not better for every movement. If a person decides to jump, no rule knows "
    "it, and a forecast that follows a rule can be worse than the average.",
    note=Note(
        "A smooth path forgets its past after about a lengthscale, and its forecast returns to the "
        "average. A rule needs only the present state: it applies the same function step after "
        "step. The states of a pendulum are its angle and its speed; no sensor measures them.",
        "Why does the rule need two latent dimensions, although only one angle moves?",
        "The angle alone does not say in which direction the pendulum moves. Angle and speed "
        "together determine what follows.",
        (
            "They think that the wide band of the path shows a bad model. The path model fills "
            "gaps well; it does not know what follows.",
            "They think that the rule is exact. It is learnt, and its errors grow with every step.",
        ),
    ),
    controls=(
        Slider("shown", "Recorded", 2.0, 8.0, 0.5, 6.0, " s", "The length of the recording."),
        Slider("ahead", "Forecast", 0.5, 6.0, 0.5, 2.0, " s", "The seconds after the recording."),
        Slider("noise", "Noise", 0.01, 0.3, 0.01, 0.02, help="The sensors' standard deviation."),
        Slider("friction", "Friction", 0.0, 0.3, 0.05, 0.05, help="How fast the swings fade."),
        Draw("draw", "Another recording"),
    ),
    picture=picture,
    train=picture,
    doors=(
        StopDoor(
            "explore",
            "A rule learnt from films of a pendulum",
            {"model": "gallery:pendulum", "tab": "time"},
        ),
        StopDoor("train", "Train on a series of your own", {"goal": "series"}),
    ),
    source="Damianou, Titsias and Lawrence, *Variational Gaussian process dynamical systems* "
    "(2011); Frigola, Chen and Rasmussen, *Variational Gaussian process state-space models* "
    "(2014).",
)
