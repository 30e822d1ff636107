"""Draw which views use which latent dimensions: bars for a few views, a heat map for many."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float, Int
from numpy import ndarray as Array
from plotly.colors import sequential
from scipy.cluster.hierarchy import leaves_list, linkage

from gplvm_core.figures.layout import ABOVE, as_text, message_figure, quiet_layout
from gplvm_core.figures.palette import COLOURS, GRID, SYMBOLS, THRESHOLD
from gplvm_core.figures.view_parts import Part
from gplvm_core.readers.drawing import Skeleton

SHARED = "#7A828A"
BAND = 0.13  # opacity of the background of a group of dimensions
DECADES_BELOW = 1.7  # the axis continues for at most this many decades below the threshold


def view_colour(number: int) -> str:
    """Return the colour of a view by its number."""
    return COLOURS[number % len(COLOURS)]


def part_colour(part: Part, names: Sequence[str]) -> str | None:
    """Return a part's background: grey if shared, the view's colour if private, None if unused."""
    if not part.views:
        return None
    return SHARED if part.shared else view_colour(list(names).index(part.views[0]))


def name_of(q: int, names: Sequence[str]) -> str:
    """Return the name of a dimension (counted from 0), or its number."""
    return as_text(names[q]) if q < len(names) and names[q] else str(q + 1)


def segmentation_figure(
    values: Mapping[str, Float[Array, " Q"]],
    parts: Sequence[Part],
    line: float,
    *,
    unit: str,
    height: int = 300,
    names: Sequence[str] = (),
) -> go.Figure:
    """Draw grouped bars on a log axis: one bar per latent dimension and view, ordered by part.

    values: one array for each view. line: the threshold above which a view uses a dimension. unit:
    the unit of the values. names: names of the dimensions. Bars above the line are solid and bars
    below it hatched, so that colour is not the only distinction. Values too small for the axis are
    drawn at its foot; the hover text gives the true number.
    """
    order = [(part, q) for part in parts for q in part.dimensions]
    if not values or not order:
        return message_figure("No dimensions yet", height=height)
    largest = max(float(np.max(view)) for view in values.values())
    foot = _foot(values, line)
    figure = go.Figure()
    hover = [(name_of(q, names), as_text(part.title.lower())) for part, q in order]
    for number, (view, drop) in enumerate(values.items()):
        name, heights = as_text(view), np.array([float(drop[q]) for _, q in order])
        for used in (True, False):
            chosen = np.flatnonzero((heights > line) == used)
            figure.add_bar(
                x=chosen,
                y=np.maximum(heights[chosen], foot),
                name=name,
                offsetgroup=name,
                legendgroup=name,
                # Only the solid bars are in the legend, so each view appears once.
                showlegend=used and len(values) > 1,
                marker={
                    "color": view_colour(number),
                    "opacity": 1.0 if used else 0.45,
                    "pattern": {"shape": "" if used else "/"},
                },
                customdata=[(hover[i][0], f"{heights[i]:.3g}", hover[i][1]) for i in chosen],
                hovertemplate=f"dimension %{{customdata[0]}} (%{{customdata[2]}})<br>{name}: "
                f"%{{customdata[1]}} {unit}<extra></extra>",
            )
    _bands(figure, parts, list(values))
    figure.add_hline(y=line, line={"color": THRESHOLD, "width": 1.5, "dash": "dot"})
    top = np.log10(max(largest, line)) + 0.12
    figure.update_yaxes(
        type="log",
        range=[np.log10(foot), top],
        dtick=1,
        exponentformat="power",
        title_text=unit,
    )
    figure.update_xaxes(
        tickvals=list(range(len(order))),
        ticktext=[name_of(q, names) for _, q in order],
        title_text="latent dimension",
        range=[-0.5, len(order) - 0.5],
        showgrid=False,
    )
    figure.update_layout(bargap=0.28, barmode="group", legend=ABOVE)
    return quiet_layout(figure, height=height, revision=f"segmentation {unit}")


def _foot(values: Mapping[str, Float[Array, " Q"]], line: float) -> float:
    """Return the start of the log axis: below all values, but not far below the threshold."""
    positive = [float(v) for view in values.values() for v in view if v > 0.0]
    least = min([*positive, line / 2.0])
    return float(10 ** max(np.log10(least) - 0.1, np.log10(line) - DECADES_BELOW))


def _bands(figure: go.Figure, parts: Sequence[Part], names: Sequence[str]) -> None:
    start = 0
    for part in parts:
        end = start + len(part.dimensions)
        colour = part_colour(part, names)
        if colour is not None and end > start:
            figure.add_vrect(
                x0=start - 0.5,
                x1=end - 0.5,
                fillcolor=colour,
                opacity=BAND,
                line_width=0,
                layer="below",
            )
        if 0 < start < end:
            figure.add_vline(x=start - 0.5, line={"color": GRID, "width": 1})
        start = end


def profiles(drops: Mapping[str, Float[Array, " Q"]]) -> Float[Array, "V Q"]:
    """Return the loss of each view without each dimension, as fractions that sum to 1 (zeros if
    there is no loss).
    """
    rows = np.array([np.maximum(np.asarray(drop, dtype=float), 0.0) for drop in drops.values()])
    totals = rows.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(rows, totals, out=np.zeros_like(rows), where=totals > 0.0))


def dendrogram_order(rows: Float[Array, "V Q"]) -> Int[Array, " V"]:
    """Order rows so that similar rows are adjacent: the leaves of an average-linkage dendrogram."""
    if len(rows) < 3:
        return np.arange(len(rows))
    return np.asarray(leaves_list(linkage(rows, "average", optimal_ordering=True)))


def clusters(rows: Float[Array, "V Q"], n_clusters: int) -> Int[Array, " V"]:
    """Cluster rows by k-means; clusters are numbered by decreasing size. Raises ValueError without
    rows.
    """
    from sklearn.cluster import KMeans

    n_clusters = min(n_clusters, len(np.unique(rows, axis=0)))
    found = KMeans(n_clusters, n_init=10, random_state=0).fit_predict(rows)
    sizes = np.bincount(found, minlength=n_clusters)
    rank = np.empty(n_clusters, dtype=int)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(n_clusters)
    return rank[found]


def heat_map_figure(
    drops: Mapping[str, Float[Array, " Q"]],
    parts: Sequence[Part],
    threshold: float,
    *,
    titles: Sequence[str] = (),
) -> go.Figure:
    """Draw a heat map (views × dimensions) of each view's loss without the dimension, log scale.

    Similar views are adjacent; cells below the threshold are grey. titles: names of dimensions.
    """
    dimensions = [q for part in parts for q in part.dimensions]
    if not drops or not dimensions:
        return message_figure("No dimensions yet", height=300)
    names = list(drops)
    order = dendrogram_order(profiles(drops))
    table = np.array([np.asarray(drops[names[v]], dtype=float)[dimensions] for v in order])
    decades = np.log10(np.maximum(table, threshold * 1e-1) / threshold)
    top = max(float(decades.max()), 0.5)
    least = 1.0 / (1.0 + top)  # position of the threshold between −1 and top
    steps = np.linspace(least, 1.0, len(sequential.Cividis)).tolist()
    ticks = list(range(int(np.floor(top)) + 1))
    figure = go.Figure(
        go.Heatmap(
            z=np.maximum(decades, -1.0),
            x=[name_of(q, titles) for q in dimensions],
            y=[as_text(names[v]) for v in order],
            zmin=-1.0,
            zmax=top,
            xgap=1,
            ygap=1 if len(names) <= 40 else 0,
            colorscale=[
                (0.0, "rgba(127,127,127,0.16)"),
                (least, "rgba(127,127,127,0.16)"),
                *zip(steps, sequential.Cividis, strict=True),
            ],
            colorbar={
                "title": {"text": "nats per row"},
                "tickvals": ticks,
                "ticktext": [f"{threshold * 10**t:.3g}" for t in ticks],
                "thickness": 12,
            },
            customdata=table,
            hovertemplate="%{y}, dimension %{x}<br>%{customdata:.3g} nats per row<extra></extra>",
        )
    )
    figure.update_xaxes(type="category", title_text="latent dimension", showgrid=False)
    figure.update_yaxes(type="category", autorange="reversed", showgrid=False, dtick=1)
    height = int(np.clip(90 + 18 * len(names), 260, 900))
    return quiet_layout(figure, height=height, revision="views heat map")


def body_figure(
    across: Float[Array, " J"],
    upwards: Float[Array, " J"],
    skeleton: Skeleton,
    groups: Int[Array, " J"],
) -> go.Figure:
    """Draw a body as seen from one side; each group of joints has a colour and a marker shape."""
    figure = go.Figure()
    bones = [(joint, parent) for joint, parent in enumerate(skeleton.parents) if parent >= 0]

    def ends(values: Array) -> list[object]:
        return [each for j, p in bones for each in (float(values[j]), float(values[p]), None)]

    figure.add_scatter(
        x=ends(across),
        y=ends(upwards),
        mode="lines",
        line={"color": SHARED, "width": 2},
        hoverinfo="skip",
        showlegend=False,
    )
    for group in np.unique(groups):
        chosen = np.flatnonzero(groups == group)
        figure.add_scatter(
            x=across[chosen],
            y=upwards[chosen],
            mode="markers",
            name=f"group {group + 1}",
            marker={
                "size": 12,
                "color": view_colour(int(group)),
                "symbol": SYMBOLS[int(group) % len(SYMBOLS)],
                "line": {"width": 1, "color": "rgba(127,127,127,0.8)"},
            },
            customdata=[as_text(skeleton.joint_names[joint]) for joint in chosen],
            hovertemplate=f"%{{customdata}}<br>group {group + 1}<extra></extra>",
        )
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False, scaleanchor="x")
    figure.update_layout(legend=ABOVE)
    return quiet_layout(figure, height=420, revision="body")
