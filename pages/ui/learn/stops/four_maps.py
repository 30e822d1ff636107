"""Stop 4: four maps of the same data."""

import streamlit as st

from gplvm_core.lessons.four_maps import four_maps
from gplvm_core.lessons.picture import LessonPicture
from gplvm_core.shipped.stick_man import stick_man_file
from pages.ui.learn.controls import Slider, State
from pages.ui.learn.stop import Look, Note, Stop, StopDoor


@st.cache_data(show_spinner=False)
def picture(_state: State) -> LessonPicture:
    """Before training, which starts from PCA's map, whatever is chosen."""
    return four_maps(2)


def train(state: State, look: Look) -> LessonPicture:
    return four_maps(int(state["dimensions"]), look)


FOUR_MAPS = Stop(
    number=4,
    name="maps",
    title="Four maps of the same data",
    words="PCA looks for directions, its dual for places: both give the same map. Bend the map and "
    "it becomes a GP-LVM, which fits a place to every row; the Bayesian one averages over places "
    "instead. Press Train and watch the rows kept aside: of what is hidden there, how much lies "
    "where the model says that 95 % of it should?",
    attempt="Train. Which model has nearly no error in what it was shown, and what are its bands "
    "worth on what was hidden? Then give both other numbers of dimensions.",
    caution="A map with clear shapes is not a better model. Nor need a sure model be right, nor "
    "the one with honest bands have the least error: both are measured here, on rows kept aside.",
    note=Note(
        "The GP-LVM has as many free numbers as places: with enough dimensions it explains its "
        "rows to the last digit, noise included, takes the noise for nothing, and promises the "
        "same for new rows. Averaging over the places takes that away, with no penalty to tune.",
        "Why are the two upper maps the same? And how can a model fill in well, and yet be wrong "
        "about how well?",
        (
            "They judge by the error in what was shown. Only rows kept aside tell.",
            "They compare errors alone. A model that is wrong by little, but never says so, is "
            "overfitted as well.",
        ),
    ),
    controls=(
        Slider(
            "dimensions",
            "Dimensions",
            2,
            10,
            1,
            3 if stick_man_file() else 8,
            help="Of the two lower models.",
        ),
    ),
    picture=picture,
    train=train,
    doors=(StopDoor("explore", "Open a map of digits in Explore", {"model": "gallery:digits"}),),
    source="Lawrence, *Probabilistic non-linear principal component analysis with Gaussian process "
    "latent variable models* (2005); Titsias and Lawrence (2010).",
)
