"""Show how typical a row is: its log density among the training rows' log densities."""

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float
from numpy import ndarray as Array

from gplvm_core.figures.layout import message_figure, quiet_layout
from gplvm_core.figures.palette import ON, THRESHOLD
from gplvm_core.prediction.density import EQUAL

MOST_BINS = 30


def share_below(densities: Float[Array, " N"], value: float) -> float:
    """Return the fraction of rows with a lower density than `value`; ties count half.

    Densities whose difference is below the tolerance of places (EQUAL) are ties.
    """
    known = densities[np.isfinite(densities)]
    ties = np.abs(known - value) <= EQUAL
    return float(np.mean((known < value) & ~ties) + 0.5 * np.mean(ties))


def typicality_figure(
    densities: Float[Array, " N"], value: float, *, height: int = 260
) -> go.Figure:
    """Draw a histogram of log densities in nats, with a line at the item's `value`."""
    known = np.asarray(densities, dtype=float)
    known = known[np.isfinite(known)]
    if len(known) == 0:
        return message_figure("No log densities yet", height=height)
    counts, edges = np.histogram(known, bins=_edges(known))
    figure = go.Figure()
    figure.add_bar(
        x=0.5 * (edges[:-1] + edges[1:]),
        y=counts,
        width=np.diff(edges),
        marker={"color": ON, "opacity": 0.75},
        hovertemplate="%{y} rows near %{x:.4g} nats<extra></extra>",
        showlegend=False,
    )
    if np.isfinite(value):
        figure.add_vline(x=value, line={"color": THRESHOLD, "width": 3})
        # Put the text on the side with more room.
        left_side = value > 0.5 * (min(edges[0], value) + max(edges[-1], value))
        figure.add_annotation(
            x=value,
            y=1.0,
            yref="paper",
            yanchor="bottom",
            xanchor="right" if left_side else "left",
            showarrow=False,
            text="this row",
            font={"color": THRESHOLD},
        )
    figure.update_layout(bargap=0.02)
    figure.update_xaxes(title_text="log density in nats", zeroline=False)
    figure.update_yaxes(title_text="training rows", rangemode="tozero")
    return quiet_layout(figure, height=height, revision="typicality")


def _edges(known: Array) -> Array:
    """Return 5 to 30 bins by the Freedman–Diaconis rule; one bin if all values are equal."""
    low, high = float(known.min()), float(known.max())
    if high <= low:
        return np.array([low - 0.5, low + 0.5])
    found = len(np.histogram_bin_edges(known, "fd")) - 1
    return np.linspace(low, high, int(np.clip(found, 5, MOST_BINS)) + 1)
