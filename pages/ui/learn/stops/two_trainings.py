"""Stop 11: what a map does not mean."""

import streamlit as st

from gplvm_core.lessons.picture import LessonPicture
from gplvm_core.lessons.two_trainings import COUNT, Map, trained_maps, two_trainings
from pages.ui.learn.controls import Slider, State, Switch
from pages.ui.learn.stop import Note, Stop, StopDoor


@st.cache_resource(show_spinner="Two maps are being trained; that takes a few seconds …")
def maps() -> tuple[Map, ...]:
    """Trained once in a server's life: nothing of them depends on the visitor."""
    return trained_maps()


def picture(state: State) -> LessonPicture:
    return two_trainings(maps(), int(state["from"]) - 1, int(state["to"]) - 1, state["crosses"])


TWO_TRAININGS = Stop(
    number=11,
    name="meaning",
    title="What a map does not mean",
    words="Two trainings of the same model on the same digits, from two starts. Both bounds are "
    "about as good, and yet the maps differ: distances on the paper, gaps and areas are not "
    "properties of the data. Lengths of ways through the data are measured in what comes out.",
    attempt="Click two digits on a map: how different are the straight distances on the two maps, "
    "how different the ways along the data? Show the crosses: which places are not sure?",
    caution="A gap between groups does not say that nothing lies between them, and a large group "
    "is not one of more variety. The way along the data stays nearer to itself, but is not the "
    "same either: these are two local optima.",
    note=Note(
        "A map may be turned, mirrored, stretched here and pressed there, and generate the same "
        "digits. What can be compared is what it generates, and how surely.",
        "Why does the shortest way avoid the gaps? (There the map does not know what comes out, "
        "and not knowing adds to the expected length.)",
        (
            "They read axes: “the first dimension is …”. Turn the map, and the sentence is gone.",
            "They compare areas and densities of clusters on one map, of whatever method.",
        ),
    ),
    controls=(
        Slider("from", "From digit", 1, COUNT, 1, 17),
        Slider("to", "To digit", 1, COUNT, 1, 45),
        Switch("crosses", "Show how sure places are", "Deviations of q(x)."),
    ),
    picture=picture,
    doors=(StopDoor("explore", "Walk along such a way in Explore", {"model": "gallery:digits"}),),
    source="Tosi, Hauberg, Vellido and Lawrence, *Metrics for probabilistic geometries* (2014).",
)
