"""Pictures of panels with marks and computed sentences, packed into bytes for the browser.

`assets/canvas/learn` draws the pictures. A mark has a kind (line, bars, …), arrays named by their
axes, and a look: numbers and words for its width, ink and so on.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import ArrayLike

from gplvm_core.figures.palette import COLOURS
from gplvm_core.numerics import AnyNDArray, Array, BoolArray
from gplvm_core.wire.frame import Rounded, frame

Range = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Mark:
    """A line, band or other element in a panel. title: the text in the legend."""

    kind: str
    arrays: Mapping[str, Any]
    look: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""


def line(
    x: Float[Array, " G"],
    y: Float[Array, "*lines G"],
    ink: str = "accent",
    title: str = "",
    **look: Any,
) -> Mark:
    """Return a curve (G), several curves (S × G), or a loop of moving curves (frames × S × G).

    ink: accent, warm, green, muted or text. look: width in pixels, strength from 0 to 1, dashed.
    """
    y = np.asarray(y, dtype=np.float64)
    moving = {"frames": y.shape[0]} if y.ndim == 3 else {}
    arrays = {"x": x, "y": Rounded.of(y.reshape(-1, y.shape[-1])) if moving else y}
    return Mark("line", arrays, {"ink": ink, **moving, **look}, title)


def band(
    x: Float[Array, " G"],
    low: Float[Array, " G"],
    high: Float[Array, " G"],
    ink: str = "accent",
    title: str = "",
) -> Mark:
    """Return the area between two curves."""
    return Mark("band", {"x": x, "low": low, "high": high}, {"ink": ink}, title)


def dots(
    x: ArrayLike,
    y: ArrayLike,
    ink: str = "text",
    title: str = "",
    labels: Int[AnyNDArray, " N"] | None = None,
    shade: Float[Array, " N"] | None = None,
    spread: Float[Array, "N 2"] | None = None,
    **look: Any,
) -> Mark:
    """Return points, optionally with colours and error bars.

    labels: the class of each point; points of one class share a colour. shade: the colour of each
    point, from 0 (dark) to 1 (light). spread: half-widths of the error bars along x and y. look:
    radius in pixels, hollow, strength.
    """
    arrays = {"x": np.asarray(x, dtype=np.float64), "y": np.asarray(y, dtype=np.float64)}
    if labels is not None:
        arrays["labels"] = np.asarray(labels, dtype=np.int32)
    if shade is not None:
        arrays["shade"] = shade
    if spread is not None:
        arrays["spread"] = spread
    return Mark("dots", arrays, {"ink": ink, **look}, title)


def bars(
    heights: Float[Array, " N"],
    on: Bool[BoolArray, " N"],
    ink: str = "accent",
    title: str = "",
    shift: float = 0.0,
    width: float = 0.7,
) -> Mark:
    """Return bars at 1, 2, …; bars that are not `on` are grey. shift, width: in axis units."""
    x = np.arange(1.0, len(heights) + 1.0) + shift
    arrays = {"x": x, "y": np.asarray(heights, dtype=np.float64), "on": on.astype(np.uint8)}
    return Mark("bars", arrays, {"ink": ink, "width": width}, title)


def figures(
    bodies: Float[Array, "N J 2"], parents: Sequence[int], x: ArrayLike, y: ArrayLike
) -> Mark:
    """Return stick figures of equal size beside the places (x, y).

    bodies: joint positions; the y axis points upwards. parents: the parent of each joint; −1 for a
    root.
    """
    low, high = bodies.min(axis=(0, 1)), bodies.max(axis=(0, 1))
    joints = (bodies - 0.5 * (low + high)) / float((high - low)[1])
    arrays = {
        "joints": joints.reshape(-1),
        "x": np.asarray(x, dtype=np.float64),
        "y": np.asarray(y, dtype=np.float64),
    }
    return Mark("figures", arrays, {"parents": list(parents)})


def bodies(
    joints: Float[Array, "N J 2"],
    parents: Sequence[int],
    ink: str = "accent",
    title: str = "",
    **look: Any,
) -> Mark:
    """Return bodies in the units of the axes; parents: the parent of each joint, −1 for a root."""
    return Mark(
        "bodies",
        {"joints": joints.reshape(-1)},
        {"parents": list(parents), "ink": ink, **look},
        title,
    )


@dataclass(frozen=True, eq=False)
class Hand:
    """A list of points that a visitor edits in a panel.

    The list is part of the lesson's state, and the browser draws the points. adds: a click adds or
    removes a point; otherwise points can only be moved. up: the common height of all points; None
    if the heights differ. most: the largest number of points.
    """

    name: str
    title: str
    adds: bool = False
    up: float | None = None
    most: int = 40


@dataclass(frozen=True, eq=False)
class Panel:
    """A plot with marks. across, up: ranges of x and y. alt: description for screen readers.

    axes: titles of x and y. ticks: words instead of numbers at x = 1, 2, …. bare: no axis numbers.
    wide: the panel spans all columns. tall: its height as a multiple of the default. picks: names
    of two numbers in the lesson's state. A click on a dot stores the row of the dot (from 1) in the
    second number, and the previously chosen row in the first number.
    """

    title: str
    across: Range
    up: Range
    marks: tuple[Mark, ...]
    alt: str
    axes: tuple[str, str] = ("", "")
    hand: Hand | None = None
    picks: tuple[str, str] | None = None
    ticks: tuple[str, ...] = ()
    bare: bool = False
    wide: bool = False
    tall: float = 1.0


def map_panel(
    title: str,
    x: Float[Array, " N"],
    y: Float[Array, " N"],
    marks: Sequence[Mark],
    alt: str,
    **look: Any,
) -> Panel:
    """Return a panel without axis numbers that has room for all points (x, y)."""
    return Panel(title, room(x), room(y), tuple(marks), alt, bare=True, **look)


def pictures_panel(
    title: str,
    pictures: ArrayLike,
    shape: tuple[int, int],
    scale: Range,
    alt: str,
    ticks: tuple[str, ...],
    **look: Any,
) -> Panel:
    """Return a panel with small grey pictures (N, D) in a row. scale: the ends of their values."""
    values = np.asarray(pictures, dtype=np.float64)
    count = len(values)
    arrays = {
        "values": Rounded.of(values),
        "x": np.arange(1.0, count + 1.0),
        "y": np.zeros(count),
    }
    mark = Mark("images", arrays, {"shape": list(shape), "size": 1.0, "scale": list(scale)})
    return Panel(title, (0.4, count + 0.6), (-0.62, 0.62), (mark,), alt, ticks=ticks, **look)


@dataclass(frozen=True, eq=False)
class LessonPicture:
    """Panels, and sentences about them with numbers computed from the data."""

    panels: tuple[Panel, ...]
    words: tuple[str, ...]


Look = Callable[[LessonPicture, int, int], None]
"""A function that a training calls with a picture, the step, and the largest number of steps.

It waits while the visitor pauses, and raises StopIteration when nobody needs the training any more.
"""


def pack_picture(picture: LessonPicture, **header: Any) -> bytes:
    """Pack a picture into bytes for the browser; header: further entries of the header."""
    arrays: dict[str, Any] = {}
    panels = []
    for p, panel in enumerate(picture.panels):
        marks = []
        for m, mark in enumerate(panel.marks):
            names = {name: f"{p}_{m}_{name}" for name in mark.arrays}
            arrays |= {names[name]: array for name, array in mark.arrays.items()}
            marks.append({"kind": mark.kind, "arrays": names, "title": mark.title, **mark.look})
        hand = panel.hand
        panels.append(
            {
                "title": panel.title,
                "across": [float(end) for end in panel.across],
                "up": [float(end) for end in panel.up],
                "alt": panel.alt,
                "axes": list(panel.axes),
                "picks": panel.picks,
                "ticks": list(panel.ticks),
                "bare": panel.bare,
                "wide": panel.wide,
                "tall": panel.tall,
                "hand": None if hand is None else vars(hand),
                "marks": marks,
            }
        )
    words = {"panels": panels, "words": list(picture.words), "palette": list(COLOURS)}
    return frame(header | words, arrays)


def room(*values: ArrayLike, margin: float = 0.06) -> Range:
    """Return the range of all values, widened on both sides by `margin` of its width."""
    whole = np.concatenate([np.asarray(each, dtype=np.float64).ravel() for each in values])
    low, high = float(whole.min()), float(whole.max())
    more = margin * (high - low) or 0.5
    return low - more, high + more


def number(value: float, digits: int = 2) -> str:
    """Format a number for readers, with a true minus sign."""
    return f"{round(float(value), digits) + 0.0:,.{digits}f}".replace("-", "−")
