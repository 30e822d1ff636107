"""The tab Time: a model of sequences is played, continued, sampled, and asked to fill gaps."""

import streamlit as st

from pages.ui.explore.time.model import follows_time
from pages.ui.explore.time.player import player
from pages.ui.shared.about import about, bullets
from pages.ui.shared.catalogue import Item
from pages.ui.shared.words import TERMS

LAYERS = (
    "**Layers.** This model has several, each with a map of its own. The path is that of the top "
    "one; what is played, foretold, drawn and filled in has gone through all of them. The other "
    "maps are in the tab Layers."
)


def time(item: Item, name: str) -> None:
    """The tab for one model; of several views, for one of them."""
    if not follows_time(item.model):
        st.info(
            "This model follows several observed inputs instead of the time, so there is no order "
            "in which it could be played. See the tab Map.",
            icon=":material/timeline:",
        )
        return
    player(item, name)
    about(
        *([LAYERS] if item.model.capabilities.layers else []),
        f"**The path.** {TERMS['latent']} A model with time expects that rows close in time "
        "lie close on the map: a sequence becomes a path, dark at its beginning and light at "
        "its end. The tube around it is two standard deviations wide on either side; dimension "
        "by dimension, as the ellipse at the ring shows.",
        "**The forecast** follows the path as far as the past tells about it, then returns to "
        "what the model knows of any time. The curve above the track is the standard deviation "
        "of the outputs; at its full height nothing is known but what rows are like in general.",
        "**A new sequence** is a path drawn from the model's prior in time: it never happened. "
        "Where it leaves the region of the training points, the outputs return to their mean.",
        "**Fill a gap.** What is left is given to the model as a sequence that it has not "
        "seen, and the whole path is inferred from it. The mapping from path to outputs was "
        "trained on these very rows: truly new sequences come out a little worse.",
        "**Between two frames** pictures and path are drawn on a straight line from one to the "
        "other; so are 60 pictures a second possible.",
        "**Keys.** Space plays, ← and → go frame by frame (with Shift by ten), Home and End to "
        "the ends. On a figure, the arrow keys turn it.",
        *bullets(item.dataset.notes),
    )
