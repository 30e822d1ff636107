"""The tab Time, which plays sequences, forecasts them, draws new sequences, and fills gaps."""

import streamlit as st

from pages.ui.explore.time.model import follows_time
from pages.ui.explore.time.player import player
from pages.ui.shared.about import about, bullets
from pages.ui.shared.catalogue import Item
from pages.ui.shared.words import TERMS

LAYERS = (
    "**Layers.** This model has several layers, each with its own map. The path is in the top "
    "layer; all layers together generate the pictures. The other maps are in the tab Layers."
)


def time(item: Item, name: str) -> None:
    """Show the tab for one model, or for one view of a multi-view model."""
    if not follows_time(item.model):
        st.info(
            "This model follows several observed inputs instead of time, so its rows have no "
            "order in time. See the tab Map.",
            icon=":material/timeline:",
        )
        return
    player(item, name)
    about(
        *([LAYERS] if item.model.capabilities.layers else []),
        f"**The path.** {TERMS['latent']} A model with time assumes that rows close in time are "
        "close on the map. A sequence is therefore a path, dark at its beginning and light at "
        "its end. The tube extends two standard deviations to either side; the ellipse at the "
        "ring shows two standard deviations in each dimension.",
        "**The forecast** continues the path as far as the past determines it, then returns to "
        "the prior. The curve above the track is the standard deviation of the outputs; its full "
        "height is the standard deviation of the data.",
        "**A new sequence** is a random path from the model's prior over time, which is not in "
        "the data. Outside the region of the training points, the outputs return to their mean.",
        "**Fill a gap.** The model treats the visible part as a new sequence, and infers its "
        "whole path. The mapping from path to outputs was trained on these rows, so results for "
        "new sequences are a little worse.",
        "**Between two frames** the player interpolates pictures and path linearly, to show 60 "
        "pictures per second.",
        "**Keys.** Space plays, ← and → go one frame back or forward (with Shift ten frames), "
        "and Home and End go to the ends. On a figure, the arrow keys turn the figure.",
        *bullets(item.dataset.notes),
    )
