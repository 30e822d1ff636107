"""The tab Map: one model's latent map; move to generate, click to keep a point."""

import streamlit as st

from gplvm_core.models import LatentVariableModel
from gplvm_core.readers.errors import plural
from gplvm_core.wire.model import Chart
from pages.ui.explore.map.canvas import latent_canvas
from pages.ui.explore.map.noise import noise_of_outputs
from pages.ui.explore.map.opening import opening_here
from pages.ui.explore.map.taking import export_map
from pages.ui.shared.about import about, bullets
from pages.ui.shared.catalogue import Item, calibration
from pages.ui.shared.layer_map import chosen_layer, layer_canvas
from pages.ui.shared.map_place import linked_place, n_axes
from pages.ui.shared.plain import plain
from pages.ui.shared.words import TERMS, story_of

CALIBRATED = (
    "the same model, trained without a tenth of the rows, completed each of them from half of its "
    "values. Of intervals that are right, 95 % do."
)
LAYERS = (
    "**Layers.** Each has a map of its own; the switch above the map says whose it is. A place of "
    "the last layer, just above the data, becomes a row at once; a place of a layer above it goes "
    "through all layers below. The tab Layers describes each of them."
)


def training_in_words(model: LatentVariableModel) -> str:
    """How the training ended, and all that it had to do on the way."""
    result = model.result_
    words = f"{type(model).__name__}: {result.reason}, {plural(result.evaluations, 'evaluation')}"
    if result.rejected:
        words += f", {result.rejected} of them not finite and not used"
    if result.jitter:
        words += f"; jitter {result.jitter:.0e} of the kernel's mean variance on its diagonal"
    return f"{words}."


def latent_map(item: Item, name: str) -> None:
    """The tab for one model."""
    layers = item.model.layers_ if item.model.capabilities.layers else ()
    last = len(layers) - 1
    at = chosen_layer(item, "explore", name, last) if layers else last
    try:
        if at < last:
            layer_canvas(item, at, name)
        else:
            chart = Chart.of(item.model, item.dataset)
            latent_canvas(item, chart, name, linked_place(n_axes(chart)), opening_here(item))
            export_map(item, chart, name)
    except ValueError as error:  # a kernel, or a model, that the page cannot draw
        st.error(plain(error))
    noise_of_outputs(item, name)
    measured = calibration(item.key)
    story = story_of(item.dataset.name, item.dataset.title)
    about(
        f"{story.sentence} {story.shows}".strip(),
        *([LAYERS] if layers else []),
        f"**The map.** {TERMS['latent']} Two dimensions are shown at a time, the most "
        "relevant first. The others follow the data: each is the mean of the dots' positions, "
        "weighted by how near they are to the pointer on the map, so what is drawn stays close "
        "to real rows. Moving the slider of one of them, or switching off *Follow the data* in "
        "*More*, keeps them where they are. Dots fade when their other coordinates are far from "
        "those shown there.",
        "**The inspector** describes one place. *Here* is the pointer's place; *Kept* is the "
        "point, which a click sets. It returns when the pointer leaves the map.",
        "**The values of a table** are marks on the range of their column in all rows. The band "
        "holds 95 % of the rows that are like this place. A value beyond the range is an arrow at "
        "its end. Press a column's name to colour the map by it.",
        "**What matters.** The pictures show the place with one dimension between −2 and +2 "
        "standard deviations of the rows; drag across them to move the point. The bar is the "
        "dimension's share of what all dimensions change in the output. Names that you type "
        "are stored with a model of your own; those of a ready model stay in this browser. They "
        "are the titles of the axes and the columns, and *Share* has them in its link.",
        "**How sure.** *Well known here*: about one value in seven, or fewer, is off by more than "
        "half of the data's own spread. *A guess*: the picture explains about a fifth of what "
        "makes a row differ from the average row, or less. *Fairly sure* is between them. These "
        "limits were measured on rows of the ready models that were left out. Pixels that are a "
        "guess are blurred. The map's shading is the standard deviation of the prediction, in the "
        "units of the data.",
        "**Find rows** by number, id, label or value: `173`, `old`, `age > 0.8`.",
        "**More like this** shows sixteen variations near the point; *Anywhere* draws them from "
        "the positions of all rows, *Map* spreads them over the part in view. *Noise* adds what a "
        "real row would have. Press a picture to go there.",
        "**Keys.** Arrow keys move the point (with Shift in larger steps), Enter keeps it, + "
        "and − zoom, 0 resets, / finds a row; Ctrl+Z goes back to the place before, Ctrl+Shift+Z "
        "forward. Dragging the ring moves it; dragging elsewhere, or with Shift, moves the map. "
        "Bookmarks stay in this browser; the link leads to this place.",
        f"**Training.** {training_in_words(item.model)}",
        *([f"**Held out.** {measured}: {CALIBRATED}"] if measured else []),
        *bullets(item.model.notes_),
        f"**Data.** {plain(item.dataset.source)}",
        *bullets(item.dataset.notes),
        title="About this map and its data",
    )
