"""The common layout of figures: no background, faint grid, a zoom that survives live updates."""

from html import escape

import plotly.graph_objects as go

from gplvm_core.figures.palette import GRID

ABOVE = {"orientation": "h", "x": 0.0, "y": 1.0, "yanchor": "bottom"}
"""The place of a legend: one line above the figure."""


def quiet_layout(figure: go.Figure, *, height: int, revision: str) -> go.Figure:
    """Style a figure in place and return it; updates with the same `revision` keep the zoom."""
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 24, "b": 4},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        uirevision=revision,
        hoverlabel={"align": "left"},
        font={"size": 13},
        # A figure that is redrawn every second must not animate each time.
        transition={"duration": 0},
    )
    figure.update_xaxes(gridcolor=GRID, zerolinecolor=GRID, automargin=True)
    figure.update_yaxes(gridcolor=GRID, zerolinecolor=GRID, automargin=True)
    return figure


def as_text(name: str) -> str:
    """Escape a name so that Plotly shows it literally: no HTML tags, no %{…} templates."""
    return escape(name, quote=False).replace("%{", "%\u2060{")


def message_figure(text: str, *, height: int) -> go.Figure:
    """Return an empty figure with a text that explains why nothing is drawn yet."""
    figure = go.Figure()
    figure.add_annotation(
        text=text, showarrow=False, x=0.5, y=0.5, xref="paper", yref="paper", opacity=0.7
    )
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return quiet_layout(figure, height=height, revision="empty")
