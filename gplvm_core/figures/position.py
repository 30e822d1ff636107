"""Mark a row's position on the latent map: mean and ellipse of q(x*), and its alternatives."""

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float
from numpy import ndarray as Array

from gplvm_core.figures.palette import THRESHOLD

ELLIPSE_STEPS = 72


def mark_position(
    figure: go.Figure,
    mean: Float[Array, " Q"],
    std: Float[Array, " Q"] | None,
    others: Float[Array, "K Q"],
    weights: Float[Array, " K"],
    *,
    dimensions: tuple[int, int],
) -> go.Figure:
    """Draw q(x*) = N(mean, diag std²) onto a latent map, as a cross and a ± 2 std ellipse.

    others, weights: the alternatives' means, drawn as open rings with sizes by weight. The figure
    is changed in place and returned.
    """
    first, second = dimensions
    if len(weights) > 1:
        figure.add_scatter(
            x=others[:, first],
            y=others[:, second],
            mode="markers",
            marker={
                "symbol": "circle-open",
                "size": 10 + 16 * np.sqrt(weights),
                "color": THRESHOLD,
                "line": {"width": 2},
            },
            customdata=100 * weights,
            hovertemplate="alternative of weight %{customdata:.0f} %<extra></extra>",
            showlegend=False,
        )
    if std is not None:
        angle = np.linspace(0.0, 2.0 * np.pi, ELLIPSE_STEPS)
        figure.add_scatter(
            x=mean[first] + 2.0 * std[first] * np.cos(angle),
            y=mean[second] + 2.0 * std[second] * np.sin(angle),
            mode="lines",
            line={"color": THRESHOLD, "width": 2},
            fill="toself",
            fillcolor="rgba(213, 94, 0, 0.15)",
            hoverinfo="skip",
            showlegend=False,
        )
    figure.add_scatter(
        x=[mean[first]],
        y=[mean[second]],
        mode="markers",
        marker={
            "symbol": "x",
            "size": 13,
            "color": THRESHOLD,
            "line": {"width": 1.5, "color": "#FFFFFF"},
        },
        hovertemplate="this row<extra></extra>",
        showlegend=False,
    )
    return figure
