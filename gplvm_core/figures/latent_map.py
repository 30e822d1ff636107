"""Training points in two latent dimensions, coloured by label."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float, Int
from numpy import ndarray as Array

from gplvm_core.figures.layout import ABOVE, as_text, message_figure, quiet_layout
from gplvm_core.figures.palette import ON, label_colour, label_symbol
from gplvm_core.readers.spread import spread_rows

MOST_POINTS = 2000  # largest number of points drawn, to keep a live figure small
MOST_LEGEND_ENTRIES = 12


def _called(row: int, row_names: Sequence[str] | None) -> str:
    name = "" if row_names is None else str(row_names[row])
    return f"row {row + 1}, {as_text(name)}" if name else f"row {row + 1}"


def dimension_name(q: int, names: Sequence[str] = ()) -> str:
    """Return the given name of a dimension (counted from 0), or its number."""
    name = names[q] if q < len(names) else ""
    return as_text(name) if name else f"latent dimension {q + 1}"


def latent_map_figure(
    latent_mean: Float[Array, "N Q"],
    labels: Int[Array, " N"] | None = None,
    label_names: Sequence[str] = (),
    *,
    dimensions: tuple[int, int] = (0, 1),
    height: int = 380,
    row_names: Sequence[str] | None = None,
    names: Sequence[str] = (),
) -> go.Figure:
    """Draw a scatter plot of the latent means in two dimensions (counted from 0).

    Each label has a trace with its colour and marker shape. Up to twelve labels have a legend; the
    hover text always names the row and its label. If there are more than 2000 points, an even
    sample is drawn, and the title of the axis across gives both numbers. A single latent dimension
    is drawn against the row number. names: names of the dimensions, used as titles of the axes.
    """
    points = np.asarray(latent_mean, dtype=float)
    if points.ndim != 2 or points.size == 0:
        return message_figure("The map appears after the first step", height=height)
    first, second = dimensions
    one_dimensional = points.shape[1] == 1 or first == second
    rows = spread_rows(len(points), MOST_POINTS)
    if row_names is not None and len(row_names) != len(points):
        row_names = None  # the points are a sample, so the rows' names do not match them
    groups = np.zeros(len(points), dtype=int) if labels is None else np.asarray(labels, dtype=int)

    figure = go.Figure()
    present = np.unique(groups[rows])
    for label in present:
        chosen = rows[groups[rows] == label]
        name = "unlabelled" if label < 0 else str(label)
        if 0 <= label < len(label_names):
            name = as_text(label_names[label])
        figure.add_scatter(
            x=points[chosen, first],
            y=chosen + 1 if one_dimensional else points[chosen, second],
            mode="markers",
            marker={
                "size": 7,
                "opacity": 0.85,
                "color": ON if labels is None else label_colour(int(label)),
                "symbol": "circle" if labels is None else label_symbol(int(label)),
                "line": {"width": 0.5, "color": "rgba(127,127,127,0.6)"},
            },
            name="" if labels is None else name,
            customdata=[_called(n, row_names) for n in chosen],
            hovertemplate="%{customdata}" + ("" if labels is None else f"<br>{name}"),
        )
    across, up = (dimension_name(q, names) for q in dimensions)
    if len(rows) < len(points):  # a title of the figure would cover the legend
        across += f" ({len(rows):,} of {len(points):,} points)"
    figure.update_xaxes(title_text=across, zeroline=False)
    figure.update_yaxes(title_text="row" if one_dimensional else up, zeroline=False)
    has_legend = labels is not None and 1 < len(present) <= MOST_LEGEND_ENTRIES
    figure.update_layout(showlegend=has_legend, legend=ABOVE)
    return quiet_layout(figure, height=height, revision=f"map {first} {second}")
