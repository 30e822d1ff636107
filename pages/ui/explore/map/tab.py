"""The tab Map: one model's latent map; move to generate outputs, click to choose a point."""

import streamlit as st

from gplvm_core.models import LatentVariableModel
from gplvm_core.readers.errors import in_digits, plural
from gplvm_core.readers.kinds import FRACTION
from pages.ui.explore.known import chart_of, what_was_taken_out
from pages.ui.explore.map.canvas import latent_canvas
from pages.ui.explore.map.labels import partly_labelled, rows_without_label
from pages.ui.explore.map.noise import noise_of_outputs
from pages.ui.explore.map.own_labels import rows_with_own_label
from pages.ui.shared.about import about, bullets
from pages.ui.shared.catalogue import Item, calibration
from pages.ui.shared.doors import open_own_file
from pages.ui.shared.layer_map import chosen_layer, layer_canvas
from pages.ui.shared.map_place import linked_place, n_axes
from pages.ui.shared.opening import opening_here
from pages.ui.shared.plain import plain
from pages.ui.shared.telling import errors_told
from pages.ui.shared.words import TERMS, story_of

CALIBRATED = (
    "For this test, the model was trained again without a tenth of the rows. It then completed "
    "each of these rows from half of its values."
)
BODY = (
    "**The body.** Drag a joint, and the rest follows: the model finds the most probable body "
    "with the joint there. Press a joint to pin it. A larger circle means that the joint can move "
    "more. The small pictures show other bodies with the same pinned joints. *Possible poses* "
    "draws eight random bodies with these joints. Drag beside the body to turn it. With the "
    "keyboard, Tab chooses a joint, arrow keys move it, P pins it, A shows another body, and "
    "Escape releases all joints."
)
PICTURE = (
    "**The picture.** Paint a grey value, or make pixels darker or lighter, and the rest follows: "
    "the model finds the most probable picture with these values. Erase to release pixels. A line "
    "surrounds the painted pixels. *Copy* paints with the pixels of another picture: search a row "
    "by number, name or label; or press *This picture*, and then go back to yours. The small "
    "pictures show other possibilities with the same painted pixels. *How sure* and *Unsure "
    "pixels* then describe the pixels that are not painted. With the keyboard, arrow keys move "
    "the brush, Space paints or erases, brackets change the brush's size, A shows another "
    "picture, and Escape removes all paint."
)
WORDS = (
    "**Words and counts.** Each word has its probability at this place. Press a word to shade the "
    "map by its probability: the colour is strong where the word is probable. A count is shown "
    "with its mean and a 95 % interval. The shading *Uncertainty* is a fraction of the data's "
    "standard deviation, since columns of words have no unit. To find rows, type `sex = male` or "
    "just a word."
)
FRACTIONS = (
    "**Fractions** have the same sum everywhere, and none is negative. Three of them are a point "
    "in the triangle: at a corner, the fraction of its name is the whole. Grey dots are the rows "
    "of the data; the circle is the row at this place."
)
LABELS = (
    "**Rows without a label.** A logistic regression on the rows' positions predicts their labels. "
    "The row to label next is the row whose label would most reduce the uncertainty of the other "
    "labels. This assumes that rows close together on the map tend to have the same label."
)
LAYERS = (
    "**Layers.** Each layer has its own map; the switch above the map chooses the layer. The last "
    "layer, just above the data, converts a place directly into a row; a place in a higher layer "
    "passes through all layers below. The tab Layers describes each layer."
)
PLACE = (
    f"**The map.** {TERMS['latent']} Two dimensions are shown at a time, the most relevant "
    "first. Hidden dimensions follow the data: each has the mean of the dots near the "
    "pointer, so the output stays close to real rows. To fix hidden dimensions, move one of "
    "their sliders, or switch off *Follow the data* in *More*. Dots fade if their hidden "
    "coordinates are far from the current coordinates.",
    "**The inspector** describes one place. *Here* is the pointer's place. *Kept* is the "
    "point that you clicked; the inspector shows this point again when the pointer leaves "
    "the map.",
    "**The values of a table** are marks on lines; each line is the range of a column over "
    "all rows. The band is the model's 95 % interval for a row at this place. An arrow at "
    "the end of a line is a value beyond the range. Press a column's name to colour the map "
    "by that column.",
)
HOW_SURE = (
    "**What matters.** Each strip varies one dimension from −2 to +2 standard deviations of "
    "the rows; the other dimensions do not change. Drag across a strip to move the point. The "
    "bar is the dimension's share of the changes in the output: its average squared effect "
    "from −1 to +1 standard deviation, relative to all dimensions. The names that you type "
    "become the titles of axes and columns. Names are stored with your own models; for ready "
    "models, only this browser stores them. *Share* adds the names to its link.",
    "**How sure.** *Well known here*: at most about one value in seven is wrong by more than "
    "half the data's standard deviation. *A guess*: the picture explains at most about a "
    "fifth of a row's difference from the average row. *Fairly sure* is between these "
    "limits, which were measured on held-out rows of the ready models. Unsure pixels are "
    "blurred. The map's shading is the standard deviation of the prediction, in the units of "
    "the data.",
)
WORK = (
    "**The table** lists all rows. Press a column's name to sort. Drag over a histogram to "
    "select the rows in this range; several histograms select the rows in all of their ranges. "
    "Rows inside a line on the map are listed too. The pointer on a line shows its row.",
    "**Your labels.** Select rows, and press *Keep as label*. The map then has your labels in "
    "place of those of the data; the menu *Colour* has both. Compare shows them too, and a new "
    "training can learn them.",
    "**Find rows** by number, id, label or value: `173`, `old`, `age > 0.8`.",
    "**What if.** In a table, drag a column's mark or type a number to hold the column, or "
    "choose a word from its menu *Hold*. The other columns follow, with their new "
    "intervals and probabilities. *Let go* frees the column.",
    "**Key frames.** *Add key frame* keeps the point, or the body as you dragged it; two or "
    "more become a movement through them. It plays, loops, and is saved as GIF, PNG pictures, "
    "table and, for bodies, BVH.",
    "**More like this** shows sixteen variations near the point. *Anywhere* draws sixteen "
    "random places near rows of the data, and *Map* spreads sixteen places over the visible "
    "map. *Noise* adds the random variation of real rows. Press a picture to go to its place.",
    "**Keys.** Arrow keys move the point (with Shift in larger steps), Enter keeps it, + and "
    "− zoom, 0 resets, / finds a row. While *Select rows* is on, Enter selects the nearest "
    "row, or lets go of it. Ctrl+Z goes back to the previous place, Ctrl+Shift+Z "
    "forward. Drag the ring to move the point; drag elsewhere, or with Shift, to move the "
    "map. Only this browser stores bookmarks; the page's address always opens the current "
    "place.",
)


def training_in_words(model: LatentVariableModel) -> str:
    """Describe how the training ended: reason, evaluations, rejected evaluations, jitter."""
    result = model.result_
    words = f"{type(model).__name__}: {result.reason}, {plural(result.evaluations, 'evaluation')}"
    if result.rejected:
        words += f", {result.rejected} of these discarded as not finite"
    if result.jitter:
        words += (
            f"; jitter {in_digits(result.jitter, 1)} of the kernel's mean variance on its diagonal"
        )
    more = getattr(model, "more_inducing_", None)  # files of earlier versions lack it
    return f"{words}." if more is None else f"{words}. {more.sentence()}"


def _at_coordinates(item: Item) -> None:
    """Say that the positions are given, and lead to a training."""
    if getattr(item.model, "latent", None) != "given":
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            "The positions are coordinates of your file. No map was trained.", width="content"
        )
        if st.button("Train a map of the columns", icon=":material/model_training:"):
            open_own_file()


def latent_map(item: Item, name: str) -> None:
    """Show the tab for one model."""
    _at_coordinates(item)
    layers = item.model.layers_ if item.model.capabilities.layers else ()
    last = len(layers) - 1
    at = chosen_layer(item, "explore", name, last) if layers else last
    with errors_told():  # the browser may be unable to draw the kernel or the model
        if at < last:
            layer_canvas(item, at, name)
        else:
            chart = chart_of(item)
            # The same bytes serve all values of known factors, except for one that is not known.
            of_all = item.visit if chart.switched else name
            latent_canvas(item, chart, of_all, linked_place(n_axes(chart)), opening_here(item))
    if item.dataset.times is not None and not item.model.capabilities.timed:
        st.caption(
            "These rows follow each other in time, which this model does not use. To play and "
            "continue them, train a dynamical GP-LVM: *Train*, *Continue a series*."
        )
    noise_of_outputs(item, name)
    what_was_taken_out(item)
    rows_without_label(item, name)
    rows_with_own_label(item, name)
    measured = calibration(item.key)
    story = story_of(item.dataset.name, item.dataset.title)
    about(
        f"{story.sentence} {story.shows}".strip(),
        *([LAYERS] if layers else []),
        *PLACE,
        *([WORDS] if any(not column.is_number for column in item.dataset.columns) else []),
        *([FRACTIONS] if any(c.kind == FRACTION for c in item.dataset.columns) else []),
        *([BODY] if item.dataset.drawing.kind == "skeleton" else []),
        *([PICTURE] if item.dataset.drawing.kind == "image" else []),
        *HOW_SURE,
        *([LABELS] if partly_labelled(item.dataset) else []),
        *WORK,
        f"**Training.** {training_in_words(item.model)}",
        *([f"**Held out.** {measured}. {CALIBRATED}"] if measured else []),
        *bullets(item.model.notes_),
        f"**Data.** {plain(item.dataset.source)}",
        *bullets(item.dataset.notes),
        title="About this map and its data",
    )
