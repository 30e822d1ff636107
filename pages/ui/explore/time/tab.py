"""The tab Time: play sequences, forecast, draw new ones, fill gaps, and upload sequences."""

import streamlit as st

from gplvm_core import StateSpaceGPLVM
from pages.ui.explore.time.model import follows_time
from pages.ui.explore.time.player import player
from pages.ui.shared.about import about, bullets
from pages.ui.shared.catalogue import Item
from pages.ui.shared.words import TERMS

LAYERS = (
    "**Layers.** This model has several layers, each with its own map. The path is in the top "
    "layer; all layers together generate the pictures. The other maps are in the tab Layers."
)

# What the path assumes, how it continues, and how a new one is drawn.
SMOOTH = (
    "A model with time assumes that rows close in time are close on the map.",
    "continues the path as far as the past determines it, then returns to the prior. Most models "
    "can forecast for about one time scale of their path.",
    "draws a path from the model's prior over time; it is not in the data.",
)
RULE = (
    "This model learns how each point leads to the next one.",
    "applies the learnt rule step after step, in 200 possible futures, and shows their average.",
    "starts at a random training row and applies the learnt rule, with its noise, step after step.",
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
    path, forecast, invented = RULE if isinstance(item.model, StateSpaceGPLVM) else SMOOTH
    about(
        *([LAYERS] if item.model.capabilities.layers else []),
        f"**The path.** {TERMS['latent']} {path} A sequence is a path, dark at its "
        "beginning and light at its end. The tube extends two standard deviations to either "
        "side; the ellipse at the ring shows two standard deviations in each dimension.",
        "**Steps without a row.** Steps that the data lack are filled. They are hatched above the "
        "track, and have *filled* in the column *kind* of the exported table. A state-space model "
        "fills only short gaps. If a simple rule forecasts the sequence, it also fills empty rows, "
        "from the rows before and after them, unless the model is better on hidden gaps of the "
        "same length.",
        f"**The forecast** {forecast} The curve above the track is the standard deviation of the "
        "outputs, on a scale from zero to at least the standard deviation of the data. Training "
        "tests the model on the last rows. If a simple rule forecasts them better, the rule "
        "continues the sequence, and the map shows where the model places its rows.",
        "**How good are forecasts?** The model is trained three times without the last rows, and "
        "forecasts what follows. *As last time* repeats the last row; *as one period before* "
        "repeats the last period, if the series has one; *trend and season* smooths level, trend "
        "and season exponentially; *linear autoregression* predicts a row from the 5 to 25 rows "
        "before it.",
        f"**Invent** {invented} Outside the region of the training points, the outputs "
        "return to their mean.",
        "**Fill a gap.** The model treats the visible rest as a new sequence and infers its whole "
        "path. The mapping from path to outputs was trained on these rows, so results for new "
        "sequences are a little worse.",
        "**New sequence.** The model infers all rows of your table together, as one path over "
        "time, and fills the empty cells from it. The check hides known values in the same way, at "
        "other rows, and fills them, too. If fewer than 95 % are inside their intervals, the "
        "model's intervals are widened by one factor, until 95 % are. A real gap may still be "
        "harder than the checked ones.",
        "**Between two rows** the player interpolates pictures and path linearly, to show 60 "
        "pictures per second.",
        "**Keys.** Space plays, ← and → go one step back or forward (with Shift ten steps), "
        "and Home and End go to the ends. On a figure, the arrow keys turn the figure.",
        *bullets(item.dataset.notes),
    )
