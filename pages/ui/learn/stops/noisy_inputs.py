"""Stop 7: uncertain and missing inputs."""

from gplvm_core.lessons.noisy_inputs import noisy_inputs
from gplvm_core.lessons.picture import LessonPicture
from pages.ui.learn.controls import ChoiceControl, Draw, Slider, State
from pages.ui.learn.stop import Look, Note, Stop


def picture(state: State) -> LessonPicture:
    return noisy_inputs(state["kind"], state["error"], state["share"], state["draw"])


def train(state: State, look: Look) -> LessonPicture:
    return noisy_inputs(state["kind"], state["error"], state["share"], state["draw"], look)


NOISY_INPUTS = Stop(
    number=7,
    name="inputs",
    title="Uncertain and missing inputs",
    words="Some of the inputs were read off badly, and it is known which. Who takes them as they "
    "are sees a scatter of outputs and flattens the curve. The other model keeps every input as a "
    "belief, as wide as was told, and learns both: curve and inputs. Press Train.",
    attempt="While it trains, watch the points on the right walk to where the curve wants them. "
    "Then let the inputs be missing, and see where the left model has to put them.",
    caution="The points' new places are beliefs, not measurements: a point that lies well on the "
    "curve may have been pulled there. And with large errors both may end beside the truth.",
    note=Note(
        "It is the same bound as of the Bayesian GP-LVM: there all inputs are unknown, here some "
        "are known nearly. The prior of an input is a Gaussian around what was told.",
        "Why does an error of the input flatten the curve, while one of the output only scatters?",
        (
            "They add the input's error to the noise of the output. That widens the band where the "
            "curve is flat, too, and keeps the slope wrong.",
            "They think a missing input is no information. Its output still says where it may be; "
            "with one input it adds little, with several it adds much.",
        ),
    ),
    controls=(
        ChoiceControl("kind", "Inputs are", (("noisy", "uncertain"), ("missing", "missing"))),
        Slider("error", "Deviation", 0.1, 0.8, 0.05, 0.6, help="Of an input known poorly."),
        Slider("share", "Share", 0.1, 0.7, 0.1, 0.5, help="Of such inputs."),
        Draw("draw", "Other points"),
    ),
    picture=picture,
    train=train,
    source="Damianou, *Deep Gaussian Processes and Variational Propagation of Uncertainty* (2015), "
    "sections 4.2 and 4.3.",
)
