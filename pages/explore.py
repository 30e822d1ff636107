"""Explore: one model's latent map; move to generate, click to keep a point."""

import streamlit as st

from gplvm_core.figures.pack import Chart
from gplvm_core.kernels import KernelError
from gplvm_core.models import LatentVariableModel
from pages.ui.canvas import forget_place, latent_canvas, n_axes, starting_place
from pages.ui.catalogue import Item
from pages.ui.model_head import chosen_key, model_head, opened
from pages.ui.routes import enter_through_app
from pages.ui.words import TERMS, plural, story_of

LAST_MODEL = "explore_model"


def nothing_chosen() -> None:
    """What the page is for, and the one button that starts."""
    st.title("Explore", anchor=False)
    st.html(
        '<p class="mf-lead">Here a model becomes a map: every dot is one row of its data, and '
        "similar rows lie close together. Move over the map and the model draws what belongs to "
        "the place; click, and it says how sure it is and which rows are nearest.</p>"
    )
    if st.button("Choose a model", type="primary", icon=":material/grid_view:"):
        st.switch_page("pages/gallery.py")


def training_in_words(model: LatentVariableModel) -> str:
    """How the training ended, and all that it had to do on the way."""
    result = model.result_
    words = f"{type(model).__name__}: {result.reason}, {plural(result.evaluations, 'evaluation')}"
    if result.rejected:
        words += f", {result.rejected} of them not finite and not used"
    if result.jitter:
        words += f"; jitter {result.jitter:.0e} of the kernel's mean variance on its diagonal"
    return f"{words}."


def about(item: Item) -> None:
    """What the words mean, and where the data come from."""
    with st.expander("About this map and its data", icon=":material/info:"):
        story = story_of(item.dataset.name, item.dataset.title)
        st.markdown(f"{story.sentence} {story.shows}".strip())
        st.markdown(
            f"**The map.** {TERMS['latent']} Two dimensions are shown at a time, the most "
            "relevant first; the sliders hold the others. Dots fade when their other coordinates "
            "are far from where the sliders stand."
        )
        st.markdown(
            "**The shading** is the standard deviation of the prediction: light where the model is "
            "sure, in shadow where it is not; the numbers beside the scale are in the data's "
            "units, like every number behind ±. The uncertainty picture goes further: it says how "
            "much every output varies if the point were only as well known as its nearest "
            "training point."
        )
        st.markdown(
            "**Keys.** Arrow keys move the point (with Shift in larger steps), Enter keeps it, + "
            "and − zoom, 0 resets. Dragging the ring moves it; dragging elsewhere, or with Shift, "
            "moves the map."
        )
        st.markdown(f"**Training.** {training_in_words(item.model)}")
        for note in item.model.notes_:
            st.markdown(f"- {note}")
        st.markdown(f"**Data.** {item.dataset.source}")
        for note in item.dataset.notes:
            st.markdown(f"- {note}")


def explore(key: str) -> None:
    """The page for one model."""
    item = opened(key, "Explore", LAST_MODEL)
    if item is None:
        return
    model_head(item, "explore", forget_place)
    chart = Chart.of(item.model, item.dataset)
    version = item.version
    try:
        latent_canvas(chart, key, version, starting_place(n_axes(chart), key, version))
    except KernelError as error:
        st.error(str(error))
    about(item)


enter_through_app()
current = chosen_key(LAST_MODEL)
if current is None:
    nothing_chosen()
else:
    explore(current)
