"""The stop that shows what a map does not mean."""

import streamlit as st

from gplvm_core.lessons.picture import LessonPicture
from gplvm_core.lessons.two_trainings import COUNT, Map, trained_maps, two_trainings
from pages.ui.learn.controls import Slider, State, Switch
from pages.ui.learn.stop import Note, Stop, StopDoor


@st.cache_resource(show_spinner="Training two maps, for a few seconds …")
def maps() -> tuple[Map, ...]:
    """Train both maps once per server: they are the same for all visitors."""
    return trained_maps()


def picture(state: State) -> LessonPicture:
    return two_trainings(maps(), int(state["from"]) - 1, int(state["to"]) - 1, state["crosses"])


TWO_TRAININGS = Stop(
    name="meaning",
    title="What a map does not mean",
    words="The same model was trained twice on the same digits, from two starts. The bounds are "
    "almost equal, but the maps differ: straight distances, gaps and areas on a map are not "
    "properties of the data. The length of a path adds up the changes of the generated picture "
    "instead. Where the model is unsure of the picture, it expects larger changes.",
    attempt="Click two digits on a map. How much do the straight distances differ between the "
    "maps, and how much do the path lengths? Then choose “Show uncertainty”: which positions are "
    "uncertain?",
    caution="A gap between groups does not mean that no data exist between them, and a large "
    "group need not be more varied. Path lengths agree better but not exactly, because the "
    "trainings ended in two local optima.",
    note=Note(
        "A map can be rotated, mirrored or stretched in places, and still generate the same "
        "digits. Compare what the maps generate, and how certain the generated digits are.",
        "Why does the shortest path avoid the gaps?",
        "In the gaps the model is uncertain about the picture, and this uncertainty adds to the "
        "expected length.",
        (
            "They interpret the axes: “the first dimension is …”. Rotate the map, and this is no "
            "longer true.",
            "They compare areas and densities of clusters on a map. No method makes such "
            "comparisons meaningful.",
        ),
    ),
    controls=(
        Slider("from", "From digit", 1, COUNT, 1, 17),
        Slider("to", "To digit", 1, COUNT, 1, 45),
        Switch("crosses", "Show uncertainty", "Crosses show the standard deviations of q(x)."),
    ),
    picture=picture,
    doors=(StopDoor("explore", "Walk along a path in Explore", {"model": "gallery:digits"}),),
    source="Tosi, Hauberg, Vellido and Lawrence, *Metrics for probabilistic geometries* (2014).",
)
