"""Stop 4: four maps of the same data."""

import streamlit as st

from gplvm_core.figures.lessons.four_maps import four_maps
from gplvm_core.figures.lessons.picture import Picture
from pages.ui.learn.controls import Slider, State
from pages.ui.learn.stop import Door, Look, Note, Stop


@st.cache_data(show_spinner=False)
def picture(_state: State) -> Picture:
    """Before training, which starts from PCA's map, whatever is chosen."""
    return four_maps(2)


def train(state: State, look: Look) -> Picture:
    return four_maps(int(state["dimensions"]), look)


FOUR_MAPS = Stop(
    number=4,
    name="maps",
    title="Four maps of the same data",
    words="PCA looks for directions, its dual for places: both give the same map. Bend the map and "
    "it becomes a GP-LVM, which places every digit where it is explained best; the Bayesian one "
    "averages over the places instead. Press Train, and watch the digits that are kept aside.",
    attempt="Train with 8 dimensions, then with 2. Which model is nearly free of error in what it "
    "was shown, and what does it do with hidden halves of other digits?",
    caution="A map with clear groups is not a better model. And a nonlinear one need not win: on "
    "other data plain PCA may fill in as well or better.",
    note=Note(
        "The GP-LVM has as many free numbers as places: with enough dimensions it explains its "
        "rows to the last pixel, noise included. Averaging over the places takes that away, with "
        "no penalty to be tuned.",
        "Why are the two upper maps the same? What would happen to the dual one with a curved "
        "kernel?",
        (
            "They judge by the error in what was shown. Only rows kept aside tell.",
            "They choose the model whose map looks best to them.",
        ),
    ),
    controls=(Slider("dimensions", "Dimensions", 2, 10, 1, 8, help="Of the two lower models."),),
    picture=picture,
    train=train,
    doors=(Door("explore", "Open a map of digits in Explore", {"model": "gallery:digits"}),),
    source="Lawrence, *Probabilistic non-linear principal component analysis with Gaussian process "
    "latent variable models* (2005); Titsias and Lawrence (2010).",
)
