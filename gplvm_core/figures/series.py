"""Draw one column of a sequence over time: its values, the model's answer, and its band."""

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Bool, Float
from numpy import ndarray as Array

from gplvm_core.figures.layout import as_text, quiet_layout
from gplvm_core.figures.palette import COLOURS
from gplvm_core.figures.predicted import INTERVAL

BAND = "rgba(128, 128, 128, 0.28)"
AHEAD = "rgba(216, 122, 49, 0.10)"  # behind a forecast


def series_figure(
    times: Float[Array, " T"],
    mean: Float[Array, " T"],
    std: Float[Array, " T"],
    given: Float[Array, " T"],
    forecast: Bool[Array, " T"],
    *,
    name: str,
    time: str = "time",
    height: int = 260,
) -> go.Figure:
    """The predicted mean as a line with its band of 95 %, and the given values as dots.

    given: NaN where unknown. forecast: frames after the end of the data, on a coloured ground.
    """
    low, high = mean - INTERVAL * std, mean + INTERVAL * std
    figure = go.Figure(
        go.Scatter(
            x=np.concatenate([times, times[::-1]]),
            y=np.concatenate([high, low[::-1]]),
            fill="toself",
            fillcolor=BAND,
            line={"width": 0},
            hoverinfo="skip",
            name="95 % band",
        )
    )
    figure.add_scatter(
        x=times,
        y=mean,
        customdata=np.column_stack([low, high]),
        mode="lines",
        line={"width": 2, "color": COLOURS[0]},
        hovertemplate="%{y:,.4~r} (%{customdata[0]:,.4~r} to %{customdata[1]:,.4~r})",
        name="Prediction",
    )
    figure.add_scatter(
        x=times,
        y=given,
        mode="markers",
        marker={"size": 5, "color": COLOURS[1]},
        hovertemplate="%{y:,.4~r}",
        name="Given",
    )
    if forecast.any():
        ahead = times[forecast]
        figure.add_vrect(
            x0=float(ahead[0]), x1=float(ahead[-1]), fillcolor=AHEAD, line_width=0, layer="below"
        )
    figure.update_xaxes(title_text=as_text(time))
    figure.update_yaxes(title_text=as_text(name))
    figure.update_layout(
        hovermode="x unified",
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0.0},
    )
    return quiet_layout(figure, height=height, revision=f"series {name}")
