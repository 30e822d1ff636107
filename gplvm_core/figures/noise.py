"""Draw the noise of each pixel, joint or column as a fraction of its spread."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float, Int
from numpy import ndarray as Array

from gplvm_core.figures.cells import cell_word, n_cells
from gplvm_core.figures.layout import as_text, message_figure, quiet_layout
from gplvm_core.figures.palette import ON
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.errors import plural

MOST_COLUMNS = 20
MOST_LETTERS = 24  # longest name beside a bar
BAR_HEIGHT = 24  # pixels
PICTURE_HEIGHT = 420
SHARE = "noise as a fraction of the spread"


@dataclass(frozen=True, eq=False)
class CellNoise:
    """The noise of a row's cells: its pixels (all colours together), joints or columns.

    std: the noise's standard deviation, in the data's units. share: std divided by the data's
    standard deviation; NaN where the data are constant.
    """

    drawing: Drawing
    names: tuple[str, ...]
    std: Float[Array, " C"]
    share: Float[Array, " C"]

    @classmethod
    def of(
        cls,
        noise_std: Float[Array, " D"],
        data_std: Float[Array, " D"],
        drawing: Drawing,
        column_names: Sequence[str],
    ) -> Self:
        """Compute the noise of cells from standard deviations per column (D,).

        A pixel has the mean over its colours, a joint the root mean square over its coordinates.
        Columns without variance are ignored.
        """
        varies = (data_std > 0.0).reshape(n_cells(drawing), -1)
        noise, spread = noise_std.reshape(varies.shape), data_std.reshape(varies.shape)
        if drawing.kind == "skeleton":
            std, whole = _root_mean_square(noise, varies), _root_mean_square(spread, varies)
            share = np.divide(std, whole, out=np.full_like(std, np.nan), where=whole > 0.0)
        else:
            each = np.divide(noise, spread, out=np.zeros_like(noise), where=varies)
            std, share = _mean(noise, varies), _mean(each, varies)
        return cls(drawing, _names(drawing, column_names), std, share)

    @property
    def order(self) -> Int[Array, " K"]:
        """The indices of the varying cells, the noisiest first."""
        return np.argsort(-self.share, kind="stable")[: np.isfinite(self.share).sum()]

    @property
    def left_out(self) -> str:
        """A sentence with the number of cells without variance; empty if there are none."""
        constant, (one, many) = int(np.isnan(self.share).sum()), cell_word(self.drawing)
        if not constant:
            return ""
        does = "does not vary and is" if constant == 1 else "do not vary and are"
        return f"{constant:,} of {plural(len(self.share), one, many)} {does} left out."


def noise_figure(noise: CellNoise) -> go.Figure:
    """Draw a heat map for images, bars for all joints, or bars for at most 20 columns.

    Shares are 0 to 1; the hover text gives the noise in the data's units. Cells without variance
    are not drawn; see `left_out`.
    """
    if not len(noise.order):
        return message_figure("Nothing varies", height=PICTURE_HEIGHT)
    return _heat_map(noise) if noise.drawing.kind == "image" else _bars(noise)


def _heat_map(noise: CellNoise) -> go.Figure:
    height, width = noise.drawing.shape[:2]
    figure = go.Figure(
        go.Heatmap(
            z=noise.share.reshape(height, width),
            zmin=0.0,
            zmax=1.0,
            colorscale="Cividis",
            colorbar={
                "orientation": "h",
                "y": 0.0,
                "yanchor": "top",
                "tickformat": ".0%",
                "dtick": 0.25,
                "thickness": 12,
                "title": {"text": SHARE, "side": "bottom"},
            },
            customdata=noise.std.reshape(height, width),
            text=np.reshape([as_text(name) for name in noise.names], (height, width)),
            hovertemplate="%{text}<br>%{z:.0%} of its spread<br>"
            "± %{customdata:,.3~r} in the data's units<extra></extra>",
            hoverongaps=False,
        )
    )
    figure.update_xaxes(visible=False, constrain="domain")
    figure.update_yaxes(visible=False, constrain="domain", autorange="reversed", scaleanchor="x")
    return quiet_layout(figure, height=PICTURE_HEIGHT, revision="noise")


def _bars(noise: CellNoise) -> go.Figure:
    whole = noise.order if noise.drawing.kind == "skeleton" else noise.order[:MOST_COLUMNS]
    names, share = [noise.names[cell] for cell in whole], noise.share[whole]
    places = np.arange(len(whole))
    figure = go.Figure(
        go.Bar(
            x=share,
            y=places,
            orientation="h",
            marker={"color": ON},
            text=[f"{each:.0%}" for each in share],
            textangle=0,
            textfont_size=12,
            textposition="outside",
            cliponaxis=False,
            customdata=list(zip(map(as_text, names), noise.std[whole], strict=True)),
            hovertemplate="%{customdata[0]}<br>%{x:.1%} of its spread<br>"
            "± %{customdata[1]:,.3~r} in the data's units<extra></extra>",
        )
    )
    figure.update_xaxes(
        range=[0.0, max(1.0, float(share.max()))],
        dtick=0.25,
        tickformat=".0%",
        title_text=SHARE,
        showgrid=True,
    )
    # Two cells may have the same name, so the axis uses their numbers.
    figure.update_yaxes(
        tickvals=places,
        ticktext=[as_text(_short(name)) for name in names],
        autorange="reversed",
        showgrid=False,
        zeroline=False,
    )
    figure.update_layout(bargap=0.25)
    quiet_layout(figure, height=80 + BAR_HEIGHT * len(whole), revision="noise")
    figure.update_layout(margin_r=44)  # room for the number beside a full bar
    if len(whole) < len(noise.order):
        title = f"The noisiest {len(whole)} of {len(noise.order)}"
        figure.update_layout(title={"text": title, "font_size": 13}, margin_t=36)
    return figure


def _names(drawing: Drawing, column_names: Sequence[str]) -> tuple[str, ...]:
    """Return the name of every cell."""
    if drawing.kind == "image":
        places = np.ndindex(drawing.shape[:2])
        return tuple(f"row {row + 1}, column {column + 1}" for row, column in places)
    if drawing.skeleton is not None:
        return drawing.skeleton.joint_names
    return tuple(column_names)


def _short(name: str) -> str:
    return name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1]}…"


def _mean(parts: Float[Array, "C P"], counted: Array) -> Float[Array, " C"]:
    """Return the mean over the counted columns of each cell; NaN if a cell has none."""
    return np.ma.array(parts, mask=~counted).mean(axis=1).filled(np.nan)


def _root_mean_square(parts: Float[Array, "C P"], counted: Array) -> Float[Array, " C"]:
    return np.sqrt(_mean(parts**2, counted))
