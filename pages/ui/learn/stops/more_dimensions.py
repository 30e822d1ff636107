"""The stop that shows why more dimensions always fit better, unless points are integrated out."""

from gplvm_core.lessons.more_dimensions import more_dimensions
from gplvm_core.lessons.picture import LessonPicture, Look
from pages.ui.learn.controls import Slider, State
from pages.ui.learn.stop import Note, Stop


def picture(state: State, look: Look | None = None) -> LessonPicture:
    """Return the picture before training; with `look`, train and return the last picture."""
    return more_dimensions(int(state["rows"]), state["noise"], look)


MORE_DIMENSIONS = Stop(
    name="more",
    title="More dimensions always fit better",
    words="A GP-LVM fits one latent position to each row. Every further dimension adds numbers "
    "that it can fit, so its likelihood rises. A Bayesian GP-LVM averages over the positions "
    "instead; the bound on its likelihood stops rising when the data need no more dimensions. "
    "Press Train to compare them.",
    attempt="Train, and compare the third picture with the first: does a better likelihood mean "
    "smaller errors on new rows? Then set the noise to 1.",
    caution="The bound shows how many dimensions these rows support. With few rows or much noise, "
    "this can be fewer dimensions than the data really have.",
    note=Note(
        "Likelihoods with fitted positions are not comparable, because the models have different "
        "numbers of parameters. The bound is comparable, because integrating the positions out "
        "removes these parameters.",
        "Six dimensions have the highest likelihood. Without the bound, how could you find out "
        "that six are too many?",
        "With held-out rows, as in the third picture.",
        (
            "They think that the highest likelihood marks the best model.",
            "They expect that unneeded dimensions lower the bound. The bound stays the same, "
            "because such dimensions switch off.",
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
            help="The standard deviation of the noise; the values have a standard deviation of 1.",
        ),
    ),
    picture=picture,
    train=picture,
    source="Titsias and Lawrence (2010); Damianou (2015), section 3.2.2.",
)
