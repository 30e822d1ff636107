"""Draw one column of a sequence over time: its values, the model's answer, and its band."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Bool, Float
from numpy import ndarray as Array

from gplvm_core.figures.layout import ABOVE, as_text, quiet_layout
from gplvm_core.figures.palette import COLOURS
from gplvm_core.figures.predicted import INTERVAL

BAND = "rgba(128, 128, 128, 0.28)"
BROKEN = 3.5  # lines end at steps this many times as long as the median step, but not at weekends
AHEAD = "rgba(216, 122, 49, 0.10)"  # behind a forecast
ANSWER = "%{y:,.4~r} (%{customdata[0]:,.4~r} to %{customdata[1]:,.4~r})"
BESIDE = "<br>Given : %{customdata[2]:,.4~r}"


def series_figure(
    times: Float[Array, " T"],
    mean: Float[Array, " T"],
    std: Float[Array, " T"],
    given: Float[Array, " T"],
    forecast: Bool[Array, " T"],
    *,
    name: str,
    time: str = "time",
    dates: Sequence[str] = (),
) -> go.Figure:
    """The predicted mean as a line with its band of 95 %, and the given values as dots.

    Line and band are interrupted where rows are missing.

    The tooltip of a row has the given value only if the row has one.

    given: NaN where unknown. forecast: rows after the end of the data, on a coloured ground. dates:
    of the rows; they replace the times on the axis.
    """
    # A line across rows that the model does not predict would look like a prediction.
    steps = np.diff(times)
    usual = np.median(steps) if len(steps) else 0.0
    cuts = np.flatnonzero(steps > BROKEN * usual) + 1
    low, high = mean - INTERVAL * std, mean + INTERVAL * std
    at = np.array(dates, dtype="datetime64[ms]") if dates else times
    none = np.full(1, np.nan).astype(at.dtype)
    parts = [np.split(each, cuts) for each in (at, low, high)]
    around = [
        (np.concatenate([t, t[::-1], none]), np.concatenate([b, a[::-1], [np.nan]]))
        for t, a, b in zip(*parts, strict=True)
    ]
    ground = at[forecast]
    at = np.insert(at, cuts, none)
    mean, low, high, given = (np.insert(each, cuts, np.nan) for each in (mean, low, high, given))
    figure = go.Figure(
        go.Scatter(
            x=np.concatenate([x for x, _ in around])[:-1],
            y=np.concatenate([y for _, y in around])[:-1],
            fill="toself",
            fillcolor=BAND,
            line={"width": 0},
            hoverinfo="skip",
            name="95 % band",
        )
    )
    figure.add_scatter(
        x=at,
        y=mean,
        customdata=np.column_stack([low, high, given]),
        mode="lines",
        line={"width": 2, "color": COLOURS[0]},
        hovertemplate=np.where(np.isnan(given), ANSWER, ANSWER + BESIDE),
        name="Prediction",
    )
    figure.add_scatter(
        x=at,
        y=given,
        mode="markers",
        marker={"size": 5, "color": COLOURS[1]},
        hoverinfo="skip",  # beside a gap, Plotly would show the value of the nearest other row
        name="Given",
    )
    if forecast.any():
        # Plotly's shapes take a date as text.
        begin, end = ground[[0, -1]].astype(str if dates else float).tolist()
        figure.add_vrect(x0=begin, x1=end, fillcolor=AHEAD, line_width=0, layer="below")
    figure.update_xaxes(title_text=as_text(time))
    figure.update_yaxes(title_text=as_text(name))
    figure.update_layout(hovermode="x unified", legend=ABOVE)
    return quiet_layout(figure, height=260, revision=f"series {name}")
