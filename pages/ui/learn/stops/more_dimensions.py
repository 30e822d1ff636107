"""More dimensions always fit better, until they are integrated out."""

from gplvm_core.lessons.more_dimensions import more_dimensions
from gplvm_core.lessons.picture import LessonPicture
from pages.ui.learn.controls import Slider, State
from pages.ui.learn.stop import Look, Note, Stop


def picture(state: State) -> LessonPicture:
    return more_dimensions(int(state["rows"]), state["noise"])


def train(state: State, look: Look) -> LessonPicture:
    return more_dimensions(int(state["rows"]), state["noise"], look)


MORE_DIMENSIONS = Stop(
    name="more",
    title="More dimensions always fit better",
    words="A GP-LVM fits one point to each row. Every further dimension gives it more numbers to "
    "fit, so its likelihood rises. A Bayesian GP-LVM integrates the points out: its bound stops "
    "rising when the data need no more dimensions. Press Train to compare them.",
    attempt="Train, and compare the third picture with the first: does a better likelihood mean "
    "smaller errors on new rows? Then set the noise to 1.",
    caution="The bound prefers the right number of dimensions for these rows only. With few rows "
    "or much noise it prefers fewer than the truth.",
    note=Note(
        "A likelihood with fitted points compares models with different numbers of parameters. "
        "Integrating a parameter out removes it: the bound is comparable.",
        "The likelihood of six dimensions is highest. How could you have found out without the "
        "bound that six are too many? (With held-out rows: the third picture.)",
        (
            "They take the highest likelihood for the best model.",
            "They expect that the bound falls with unneeded dimensions. It stays level, because "
            "such dimensions switch off.",
        ),
    ),
    controls=(
        Slider("rows", "Rows", 10, 60, 5, 40, help="The number of training rows."),
        Slider(
            "noise",
            "Noise",
            0.1,
            1.0,
            0.1,
            0.3,
            help="Standard deviation of the noise; that of the values is 1.",
        ),
    ),
    picture=picture,
    train=train,
    source="Titsias and Lawrence (2010); Damianou (2015), section 3.2.2.",
)
