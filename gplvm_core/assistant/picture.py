"""Draw a map as a PNG picture (matplotlib, whose axes and legends need little code here)."""

import io
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Ellipse

from gplvm_core.figures.palette import ON, label_colour, label_symbol
from gplvm_core.numerics import Array, IntArray
from gplvm_core.readers.errors import shortened

MARKS = {
    "circle": "o",
    "square": "s",
    "triangle-up": "^",
    "diamond": "D",
    "cross": "X",
    "triangle-down": "v",
}
MOST_LABELS = 14  # in the legend
MOST_NUMBERED = 40  # new rows with their numbers
WIDTH, HEIGHT, DOTS = 9.0, 7.0, 100  # inches, and pixels per inch
NEW = "#D55E00"


@dataclass(frozen=True, eq=False)
class MapPicture:
    """What the picture shows.

    points: the training rows in two dimensions. labels: their labels, −1 for none; None if no row
    has one. shade: predictive standard deviations on a grid, from the lower left, with its ends
    left, right, bottom and top. new, std: places of new rows and their standard deviations.
    """

    title: str
    across: str
    up: str
    points: Float[Array, "N 2"]
    labels: Int[IntArray, " N"] | None = None
    label_names: dict[int, str] = field(default_factory=dict)
    shade: Float[Array, "R C"] | None = None
    ends: tuple[float, float, float, float] = (0.0, 1.0, 0.0, 1.0)
    new: Float[Array, "n 2"] = field(default_factory=lambda: np.empty((0, 2)))
    std: Float[Array, "n 2"] = field(default_factory=lambda: np.empty((0, 2)))
    numbers: tuple[int, ...] = ()

    def png(self) -> bytes:
        """Return the picture, 900 × 700 pixels."""
        figure = Figure(figsize=(WIDTH, HEIGHT), dpi=DOTS, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        axes.set_title(shortened(self.title, 70), parse_math=False, loc="left", fontsize=13)
        axes.set_xlabel(self.across, parse_math=False, fontsize=11)
        axes.set_ylabel(self.up, parse_math=False, fontsize=11)
        if self.shade is not None:
            shown = axes.imshow(
                self.shade, cmap="Greys", extent=self.ends, origin="lower", aspect="auto",
                interpolation="bilinear", alpha=0.55,
            )  # fmt: skip
            bar = figure.colorbar(shown, ax=axes, fraction=0.04, pad=0.015)
            bar.set_label("predicted standard deviation / spread of the data", fontsize=10)
        marks = self._points(axes)
        marks += self._new(axes)
        axes.set_xlim(self.ends[:2])
        axes.set_ylim(self.ends[2:])
        if marks:
            names = [str(mark.get_label()) for mark in marks]
            # A name that begins with "_" would be left out, so the names are set afterwards.
            legend = figure.legend(
                marks, [f"{n}" for n in range(len(marks))], loc="outside lower center",
                ncols=min(5, len(marks)), frameon=False, fontsize=10,
                markerscale=1.3,
            )  # fmt: skip
            for text, name in zip(legend.get_texts(), names, strict=True):
                text.set_parse_math(False)
                text.set_text(name)
        file = io.BytesIO()
        figure.savefig(file, format="png")
        return file.getvalue()

    def _points(self, axes: Axes) -> list[Line2D]:
        size = 6.0 if len(self.points) <= 700 else 4.0
        groups = np.zeros(len(self.points), int) if self.labels is None else self.labels
        marks: list[Line2D] = []
        for label in np.unique(groups).tolist():
            own = self.points[groups == label]
            colour = ON if self.labels is None else label_colour(label)
            name = shortened(self.label_names.get(label, "no label"), 24)
            mark = Line2D(
                own[:, 0], own[:, 1], linestyle="", label=name, marker=MARKS[label_symbol(label)],
                markersize=size, color=colour, markeredgecolor="white", markeredgewidth=0.4,
            )  # fmt: skip
            axes.add_line(mark)
            marks.append(mark)
        if self.labels is None:
            return []
        more = len(marks) - MOST_LABELS
        rest = [Line2D([], [], linestyle="", label=f"and {more} more")] if more > 0 else []
        return [*marks[:MOST_LABELS], *rest]

    def _new(self, axes: Axes) -> list[Line2D]:
        """Draw new rows as numbered diamonds, with ellipses of two standard deviations."""
        if not len(self.new):
            return []
        for place, std, row in zip(self.new, self.std, self.numbers, strict=True):
            axes.add_patch(Ellipse(place, *(4.0 * std), fill=False, edgecolor=NEW, linewidth=1.2))
            if len(self.new) <= MOST_NUMBERED:
                axes.annotate(
                    str(row), place, xytext=(7, 7), textcoords="offset points", fontsize=11,
                    color="black",
                )  # fmt: skip
        mark = Line2D(
            self.new[:, 0], self.new[:, 1], linestyle="", marker="D", markersize=9, color=NEW,
            markeredgecolor="black", label="new rows (± 2 standard deviations)", zorder=5,
        )  # fmt: skip
        axes.add_line(mark)
        return [mark]
