"""The tab Map: one model's latent map; move to generate, click to keep a point."""

import streamlit as st

from gplvm_core.models import LatentVariableModel
from gplvm_core.readers.errors import plural
from gplvm_core.wire.model import Chart
from pages.ui.explore.map.canvas import latent_canvas
from pages.ui.explore.map.noise import noise_of_outputs
from pages.ui.shared.about import about, bullets
from pages.ui.shared.catalogue import Item, calibration
from pages.ui.shared.layer_map import chosen_layer, layer_canvas
from pages.ui.shared.map_place import linked_place, n_axes
from pages.ui.shared.opening import opening_here
from pages.ui.shared.plain import plain
from pages.ui.shared.words import TERMS, story_of

CALIBRATED = (
    "For this test, the same model was trained without a tenth of the rows, then completed each of "
    "these rows from half of its values."
)
BODY = (
    "**The body.** Drag a joint, and the rest follows: the model finds the most probable body with "
    "the joint there. Press a joint to pin it. The circles show how free each joint still is. "
    "Small pictures are other bodies for the same joints. *Possible poses* draws eight random "
    "bodies that respect what you hold. Drag beside the body to turn it. "
    "With the keyboard, Tab chooses a joint, arrow keys move it, P pins it, A shows another body, "
    "and Escape lets go."
)
PICTURE = (
    "**The picture.** Paint on it with a grey value, or darker or lighter than it is, and the rest "
    "follows: the model finds the most probable picture with these values. Erase to free pixels. "
    "A line surrounds what is painted. Small pictures are other pictures for the same paint. "
    "*How sure* and *Unsure pixels* then refer to what the paint leaves open. With the keyboard, "
    "arrow keys move the brush, Space paints or erases, brackets change its size, A shows another "
    "picture, and Escape lets go."
)
WORDS = (
    "**Words and counts.** Each word has its probability at this place. Press a word to shade the "
    "map by it: the colour is strong where the word is probable. A count has its mean and a "
    "95 % interval. The shading *Uncertainty* is a fraction of the data's standard deviation, "
    "since columns of words have no unit. To find rows, type `sex = male` or just a word."
)
LAYERS = (
    "**Layers.** Each layer has its own map; the switch above the map chooses the layer. A place "
    "in the last layer, just above the data, becomes a row directly; a place in a higher layer "
    "goes through all layers below it. The tab Layers describes each layer."
)


def training_in_words(model: LatentVariableModel) -> str:
    """How the training ended: reason, evaluations, rejected evaluations, jitter."""
    result = model.result_
    words = f"{type(model).__name__}: {result.reason}, {plural(result.evaluations, 'evaluation')}"
    if result.rejected:
        words += f", {result.rejected} of them not finite and discarded"
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
    except ValueError as error:  # a kernel, or a model, that the page cannot draw
        st.error(plain(error))
    noise_of_outputs(item, name)
    measured = calibration(item.key)
    story = story_of(item.dataset.name, item.dataset.title)
    about(
        f"{story.sentence} {story.shows}".strip(),
        *([LAYERS] if layers else []),
        f"**The map.** {TERMS['latent']} Two dimensions are shown at a time, the most "
        "relevant first. Hidden dimensions follow the data: each takes the mean over the dots near "
        "the pointer, so the output stays close to real rows. To hold them fixed, move the slider "
        "of one of them, or switch off *Follow the data* in *More*. Dots fade when their hidden "
        "coordinates are far from the current ones.",
        "**The inspector** describes one place. *Here* is the pointer's place. *Kept* is the "
        "point that you clicked; it is shown again when the pointer leaves the map.",
        "**The values of a table** are marks; each line is the range of a column over all rows. "
        "The band is the model's 95 % interval for a row at this place. A value beyond the range "
        "is an arrow at its end. Press a column's name to colour the map by it.",
        *([WORDS] if item.dataset.columns else []),
        *([BODY] if item.dataset.drawing.kind == "skeleton" else []),
        *([PICTURE] if item.dataset.drawing.kind == "image" else []),
        "**What matters.** Each strip varies one dimension from −2 to +2 standard deviations of "
        "the rows and keeps the others. Drag across it to move the point. The bar is the "
        "dimension's share of the change that all dimensions cause in the output: the average "
        "squared effect of moving from −1 to +1 standard deviation. The names that you type become "
        "the titles of axes and columns. They are stored with your own models; for ready models "
        "they stay in this browser. *Share* includes them in its link.",
        "**How sure.** *Well known here*: at most about one value in seven is off by more than "
        "half the data's standard deviation. *A guess*: the picture explains at most about a fifth "
        "of a row's difference from the average row. *Fairly sure* is between them. These limits "
        "were measured on held-out rows of the ready models. Pixels that are a guess are blurred. "
        "The map's shading is the standard deviation of the prediction, in the units of the data.",
        "**Find rows** by number, id, label or value: `173`, `old`, `age > 0.8`.",
        "**What if.** In a table, drag a column's mark or type a number to hold the column. The "
        "other columns follow, with the intervals that remain. *Let go* frees it.",
        "**Key frames.** *Add key frame* keeps the point; two or more become a movement through "
        "them. It plays, loops, and is saved as GIF, PNG pictures, table and, for bodies, BVH.",
        "**More like this** shows sixteen variations near the point; *Anywhere* draws new "
        "places from the surroundings of rows. *Map* spreads them over the visible "
        "part. *Noise* adds the noise of a real row. Press a picture to go there.",
        "**Keys.** Arrow keys move the point (with Shift in larger steps), Enter keeps it, + "
        "and − zoom, 0 resets, / finds a row; Ctrl+Z goes back to the previous place, Ctrl+Shift+Z "
        "forward. Drag the ring to move it; drag elsewhere, or with Shift, to move the map. "
        "Bookmarks stay in this browser; the page's address leads to this place.",
        f"**Training.** {training_in_words(item.model)}",
        *([f"**Held out.** {measured}. {CALIBRATED}"] if measured else []),
        *bullets(item.model.notes_),
        f"**Data.** {plain(item.dataset.source)}",
        *bullets(item.dataset.notes),
        title="About this map and its data",
    )
