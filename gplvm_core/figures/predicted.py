"""Draw predictions of held-out rows beside the true values, their calibration, and their errors."""

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float
from numpy import ndarray as Array
from scipy.special import ndtri

from gplvm_core.figures.layout import as_text, quiet_layout
from gplvm_core.figures.palette import COLOURS, FAINT
from gplvm_core.readers.spread import spread_rows

INTERVAL = float(ndtri(0.975))
LEVELS = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95])
MOST_ROWS = 500
HEIGHT = 320  # pixels
DIAGONAL = {"mode": "lines", "line": {"color": FAINT, "dash": "dot"}, "hoverinfo": "skip"}


def predicted_figure(
    truth: Float[Array, " H"],
    mean: Float[Array, " H"],
    std: Float[Array, " H"],
    *,
    target: str,
    height: int = HEIGHT,
) -> go.Figure:
    """Draw predictions with 95 % intervals over the true values, and the line of equality."""
    some = spread_rows(len(truth), MOST_ROWS)
    truth, mean, std = truth[some], mean[some], std[some]
    ends = [float(min(truth.min(), mean.min())), float(max(truth.max(), mean.max()))]
    figure = go.Figure(layout_showlegend=False)
    figure.add_scatter(x=ends, y=ends, **DIAGONAL)
    figure.add_scatter(
        x=truth,
        y=mean,
        mode="markers",
        marker={"color": COLOURS[0], "size": 6},
        error_y={
            "array": INTERVAL * std,
            "thickness": 1,
            "width": 0,
            "color": "rgba(0,114,178,.3)",
        },
        hovertemplate="predicted %{y:,.4~r}<br>true %{x:,.4~r}<extra></extra>",
    )
    figure.update_xaxes(title_text=f"true {as_text(target)}")
    figure.update_yaxes(title_text="predicted")
    return quiet_layout(figure, height=height, revision="predicted")


def calibration_figure(
    truth: Float[Array, " H"], mean: Float[Array, " H"], std: Float[Array, " H"]
) -> go.Figure:
    """Draw the share of rows inside intervals of 10 to 95 % over the promised share."""
    away = np.abs(truth - mean) / std
    inside = [float(np.mean(away <= ndtri(0.5 + level / 2))) for level in LEVELS]
    figure = go.Figure(layout_showlegend=False)
    figure.add_scatter(x=[0, 100], y=[0, 100], **DIAGONAL)
    figure.add_scatter(
        x=100 * LEVELS,
        y=100 * np.array(inside),
        mode="lines+markers",
        line={"color": COLOURS[0], "width": 2.5},
        hovertemplate="%{x:.0f} % promised<br>%{y:.0f} % inside<extra></extra>",
    )
    figure.update_xaxes(title_text="promised, %", range=[0, 100])
    figure.update_yaxes(title_text="inside, %", range=[0, 101])
    return quiet_layout(figure, height=HEIGHT, revision="calibration")


def residual_figure(
    truth: Float[Array, " H"], mean: Float[Array, " H"], std: Float[Array, " H"]
) -> go.Figure:
    """Draw errors in units of the predicted deviation; 95 of 100 are between −2 and 2."""
    figure = go.Figure(layout_showlegend=False)
    figure.add_hrect(y0=-INTERVAL, y1=INTERVAL, fillcolor="rgba(0,114,178,.12)", line_width=0)
    figure.add_scatter(
        x=mean,
        y=(truth - mean) / std,
        mode="markers",
        marker={"color": COLOURS[0], "size": 6},
        hovertemplate="predicted %{x:,.4~r}<br>error %{y:.2f} deviations<extra></extra>",
    )
    figure.update_xaxes(title_text="predicted")
    figure.update_yaxes(title_text="error in deviations")
    return quiet_layout(figure, height=HEIGHT, revision="residuals")
