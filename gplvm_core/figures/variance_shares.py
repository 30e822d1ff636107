"""Draw how much of each column's variance belongs to the map, and how much to known factors."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float
from numpy import ndarray as Array

from gplvm_core.figures.layout import ABOVE, as_text, message_figure, quiet_layout
from gplvm_core.figures.palette import COLOURS, OFF

MOST_COLUMNS = 30
LINE, AROUND = 22, 90  # pixels: the height of a bar, and of the legend with the axis


def variance_shares_figure(
    shares: Mapping[str, Float[Array, " D"]], names: Sequence[str], factors: str
) -> go.Figure:
    """Draw a bar for each column: the parts of its variance, those with the largest part of the
    factors first.

    shares: the result of `variance_shares`. names: of the D columns. factors: the names of the
    known factors. Columns without shares are left out, and of many only the first 30 are drawn.
    """
    order = shown_columns(shares)
    if not len(order):
        return message_figure("No column of numbers", height=AROUND)
    parts = {
        "map": ("Map", COLOURS[0], ""),
        "factors": (as_text(factors), COLOURS[1], "/"),
        "both": ("Both together", COLOURS[3], "x"),
        "noise": ("Noise", OFF, "."),
    }
    figure = go.Figure()
    titles = [as_text(names[at]) for at in order]
    for part, (title, colour, pattern) in parts.items():
        figure.add_bar(
            orientation="h",
            # Numbers, because columns may have equal names.
            y=list(range(len(order))),
            x=np.asarray(shares[part])[order],
            name=title,
            customdata=titles,
            # The patterns distinguish the parts without colours.
            marker={
                "color": colour,
                "pattern": {"shape": pattern, "fillmode": "overlay", "size": 6},
            },
            hovertemplate="%{customdata}<br>" + title + ": %{x:.0%}<extra></extra>",
        )
    figure.update_layout(barmode="stack", bargap=0.25)
    figure.update_yaxes(tickvals=list(range(len(order))), ticktext=titles, autorange="reversed")
    figure.update_xaxes(range=[0.0, 1.0], tickformat=".0%")
    quiet_layout(figure, height=AROUND + LINE * len(order), revision="variance shares")
    return figure.update_layout(margin={"t": 40}, legend={**ABOVE, "traceorder": "normal"})


def shown_columns(shares: Mapping[str, Float[Array, " D"]]) -> list[int]:
    """Return the numbers of the columns that are drawn, in their order."""
    own = np.asarray(shares["factors"])
    order = np.argsort(-np.nan_to_num(own, nan=-1.0), kind="stable")
    return [int(at) for at in order[:MOST_COLUMNS] if not np.isnan(own[at])]
