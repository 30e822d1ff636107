"""Draw the course of a training: the bound over the seconds."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go
from numpy import ndarray as Array

from gplvm_core.figures.layout import message_figure, quiet_layout
from gplvm_core.figures.palette import COLOURS
from gplvm_core.readers.spread import spread_rows

MOST_POINTS = 600  # largest number of points of a curve, to keep a live figure small


def trace_figure(trace: Mapping[str, Array], *, height: int = 300) -> go.Figure:
    """Draw the bound over the seconds; `trace` contains arrays of equal length by name.

    The vertical range leaves out the first steep climb (values below the tenth percentile); zooming
    out shows it. A note gives the first value.
    """
    values = np.asarray(trace["bound"], dtype=float)
    if values.size < 2:
        return message_figure("The curve appears after the first steps", height=height)
    shown = thinned(values.size)
    figure = go.Figure(
        go.Scatter(
            x=onward(np.asarray(trace["seconds"], dtype=float))[shown],
            y=values[shown],
            mode="lines",
            line={"width": 2.5, "color": COLOURS[0]},
            hovertemplate="%{y:,.4g}<br>%{x:,.4g} seconds",
            name="",
        )
    )
    figure.update_xaxes(title_text="seconds")
    figure.update_yaxes(title_text="bound in nats", tickformat=",")
    clip_steep_start(figure, values)
    return quiet_layout(figure, height=height, revision="trace bound seconds")


def onward(recorded: Array) -> Array:
    """Return rising seconds, although each stage of a training counts from 0."""
    ends = np.where(np.diff(recorded) < 0.0, recorded[:-1], 0.0)
    return recorded + np.append(0.0, np.cumsum(ends))


def thinned(count: int) -> Array:
    """Return at most 600 of `count` indices, with the first and the last."""
    return spread_rows(count, MOST_POINTS)


def clip_steep_start(figure: go.Figure, values: Array) -> None:
    """Set the range to the values after the first steep climb, and annotate the first value."""
    finite = values[np.isfinite(values)]
    low, high = float(np.quantile(finite, 0.1)), float(finite.max())
    if finite.size < 20 or high <= low or finite.min() >= low - 2 * (high - low):
        return
    margin = 0.06 * (high - low)
    figure.update_yaxes(range=[low - margin, high + margin])
    figure.add_annotation(
        text=f"starts at {finite[0]:,.0f}".replace("-", "−"),
        x=0.99,
        y=0.04,
        xref="paper",
        yref="paper",
        showarrow=False,
        opacity=0.7,
        xanchor="right",
        yanchor="bottom",
    )
