"""The stop on uncertain and missing inputs."""

from gplvm_core.lessons.noisy_inputs import noisy_inputs
from gplvm_core.lessons.picture import LessonPicture, Look
from pages.ui.learn.controls import ChoiceControl, Draw, Slider, State
from pages.ui.learn.stop import Note, Stop


def picture(state: State, look: Look | None = None) -> LessonPicture:
    """Return the picture before training; with `look`, train and return the last picture."""
    return noisy_inputs(state["kind"], state["error"], state["share"], state["draw"], look)


NOISY_INPUTS = Stop(
    name="inputs",
    title="Uncertain and missing inputs",
    words="Some inputs were measured badly, and we know which. The left model treats all inputs "
    "as exact, sees scattered outputs and flattens the curve. The right model describes every "
    "uncertain input by a Gaussian that is as wide as the input's error, and learns the curve "
    "together with the inputs. Press Train.",
    attempt="During training, watch the points on the right move towards the curve. Then choose "
    "missing inputs, and see where the left model puts them.",
    caution="The new positions are estimates, not measurements: where the learnt curve is wrong, "
    "the positions are wrong, too. If the errors are large, both models may be wrong.",
    note=Note(
        "The bound has the same formula as for the Bayesian GP-LVM. There all inputs are "
        "unknown; here some are known with an error, and their prior is a Gaussian around the "
        "measured value.",
        "Why does an error in the input flatten the curve, while an error in the output only "
        "scatters the points?",
        "An error in the input mixes the outputs of neighbouring inputs, and their average is "
        "flatter than the curve. Errors in the output have the average 0 at every input.",
        (
            "They add the input's error to the output's noise. This widens the band even where "
            "the curve is flat, and the slope is still wrong.",
            "They think that a row without its input contains no information. The row's output "
            "still limits where the input can be; this helps little with one input, but much "
            "with several.",
        ),
    ),
    controls=(
        ChoiceControl("kind", "Inputs are", (("noisy", "uncertain"), ("missing", "missing"))),
        Slider(
            "error",
            "Deviation",
            0.1,
            0.8,
            0.05,
            0.6,
            help="The standard deviation of the uncertain inputs.",
        ),
        Slider(
            "share",
            "Share",
            0.1,
            0.7,
            0.1,
            0.5,
            help="The probability that an input is uncertain or missing.",
        ),
        Draw("draw", "Other points"),
    ),
    picture=picture,
    train=picture,
    source="Damianou, *Deep Gaussian Processes and Variational Propagation of Uncertainty* (2015), "
    "sections 4.2 and 4.3.",
)
