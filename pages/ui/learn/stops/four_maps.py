"""The stop that compares four maps of the same data."""

import streamlit as st

from gplvm_core.lessons.four_maps import four_maps
from gplvm_core.lessons.picture import LessonPicture, Look
from pages.ui.learn.controls import Slider, State
from pages.ui.learn.stop import Note, Stop, StopDoor


@st.cache_data(show_spinner=False)
def picture(_state: State) -> LessonPicture:
    """Return the picture before training: every map starts from PCA."""
    return four_maps(2)


def train(state: State, look: Look) -> LessonPicture:
    return four_maps(int(state["dimensions"]), look)


FOUR_MAPS = Stop(
    name="maps",
    title="Four maps of the same data",
    words="PCA finds directions in the table, dual PCA a position for each row. Both follow from "
    "one decomposition, so they give the same map. A GP-LVM bends the map and fits one position "
    "to each row; a Bayesian GP-LVM averages over possible positions. New rows with hidden parts "
    "test the models: each model fills in the values and states 95 % bands.",
    attempt="Press Train. Which model has the smallest error on its training rows, and how many "
    "hidden values of new rows are inside its bands? Then change the number of dimensions.",
    caution="A map with clear shapes is not a better model. A confident model can be wrong. "
    "Only new rows show how large the error is, and whether the bands are wide enough.",
    note=Note(
        "The GP-LVM fits every position. With enough dimensions it reproduces even the noise of "
        "its training rows, and expects almost no noise in new rows. An average over positions "
        "prevents this, without a penalty that someone must tune.",
        "Why are the two upper maps the same? How can a model fill gaps well, and still be wrong "
        "about its own error?",
        "Directions and positions are the two halves of one decomposition of the same table. A "
        "good mean and a wrong variance are compatible: the fitted positions count as exact, so "
        "the bands are too narrow.",
        (
            "They judge by the error on training rows. Only held-out rows show the error on new "
            "data.",
            "They compare only errors. A model with small errors and much too narrow bands is "
            "overfitted, too.",
        ),
    ),
    controls=(
        Slider(
            "dimensions",
            "Dimensions",
            2,
            10,
            1,
            6,
            help="The number of latent dimensions of the two lower models.",
        ),
    ),
    picture=picture,
    train=train,
    doors=(StopDoor("explore", "Open a map of digits in Explore", {"model": "gallery:digits"}),),
    source="Lawrence, *Probabilistic non-linear principal component analysis with Gaussian process "
    "latent variable models* (2005); Titsias and Lawrence (2010).",
)
