"""Draw the relevance and the information of latent dimensions as bars."""

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float
from numpy import ndarray as Array
from plotly.subplots import make_subplots

from gplvm_core.figures.dimensions import dimensions_on
from gplvm_core.figures.layout import message_figure, quiet_layout
from gplvm_core.figures.palette import OFF, ON, THRESHOLD
from gplvm_core.models import ON as ON_NATS

TITLES = ("Relevance: how fast the outputs change", "Information per row in nats: on above 0.05")
SMALLEST_SHOWN = 1e-6  # smallest bar as a fraction of the largest relevance


def relevance_figure(
    relevance: Float[Array, " Q"],
    information: Float[Array, " Q"] | None = None,
    *,
    height: int = 300,
) -> go.Figure:
    """Draw bars of w = 1/ℓ² (log axis, sorted) above bars of the KL per point with its threshold.

    Dimensions keep their number (from 1) and are sorted by decreasing w. Bars of dimensions that
    are on are solid; all other bars are grey and hatched, so that colour is not the only
    distinction. If there is no `information` (models without a KL), only w is drawn. Relevances
    below 1e-6 of the largest are drawn at the foot of the axis; the hover text gives the true
    number.
    """
    weights = np.asarray(relevance, dtype=float)
    if weights.size == 0 or not np.any(weights > 0):
        return message_figure("No relevances yet", height=height)
    order = np.argsort(-weights, kind="stable")
    names = [str(number + 1) for number in order]
    has_information = information is not None and np.all(np.isfinite(information))
    nats = np.asarray(information, dtype=float)[order] if has_information else None
    on = np.ones(len(order), dtype=bool) if nats is None else dimensions_on(nats)

    figure = make_subplots(
        rows=1 if nats is None else 2,
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.16,
        subplot_titles=TITLES[: 1 if nats is None else 2],
    )
    floor = float(weights.max()) * SMALLEST_SHOWN
    bars = {
        "x": names,
        "marker": {
            "color": [ON if used else OFF for used in on],
            "pattern": {"shape": ["" if used else "/" for used in on]},
        },
        "showlegend": False,
    }
    words = ["on" if used else "off" for used in on]
    figure.add_bar(
        **bars,
        y=np.maximum(weights[order], floor),
        customdata=list(zip(weights[order], words, strict=True)),
        hovertemplate="dimension %{x} (%{customdata[1]})<br>w = %{customdata[0]:.3g}"
        "<extra></extra>",
        row=1,
        col=1,
    )
    top = np.log10(float(weights.max()))
    figure.update_yaxes(
        type="log",
        range=[top + np.log10(SMALLEST_SHOWN), top + 0.3],
        dtick=2,
        exponentformat="power",
        row=1,
        col=1,
    )
    if nats is not None:
        _add_information(figure, bars, nats, words)
    figure.update_xaxes(type="category")
    figure.update_xaxes(title_text="latent dimension", row=1 if nats is None else 2, col=1)
    figure.update_annotations(font_size=13)
    return quiet_layout(figure, height=height, revision="relevance").update_layout(bargap=0.35)


def _add_information(
    figure: go.Figure, bars: dict[str, object], nats: Float[Array, " Q"], words: list[str]
) -> None:
    """Draw the information in the second row. bars: shared settings. words: whether on or off."""
    figure.add_bar(
        **bars,
        y=nats,
        customdata=words,
        hovertemplate="dimension %{x} (%{customdata})<br>%{y:.3g} nats a point<extra></extra>",
        row=2,
        col=1,
    )
    figure.add_hline(y=ON_NATS, line={"color": THRESHOLD, "width": 1.5, "dash": "dot"}, row=2)
    # The axis reaches at least twice the threshold, so that bars near 0 look short.
    most = max(1.05 * float(np.nanmax(nats)), 2.0 * ON_NATS)
    figure.update_yaxes(range=[0.0, most], row=2, col=1)
