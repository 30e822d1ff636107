"""A picture of panels with marks, computed words below them, as bytes for the browser.

`assets/canvas/learn` draws it: a mark is what it is (a line, bars, …), its arrays by the names of
their axes, and its look in plain numbers and words.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import ArrayLike, NDArray

from gplvm_core.figures.palette import COLOURS
from gplvm_core.numerics import Array
from gplvm_core.wire.frame import Rounded, frame

Range = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Mark:
    """One thing in a panel. title: its words in the legend."""

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
    """A curve (G), several (S × G), or several that move (frames × S × G; a loop).

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
    """What lies between two curves."""
    return Mark("band", {"x": x, "low": low, "high": high}, {"ink": ink}, title)


def dots(
    x: ArrayLike,
    y: ArrayLike,
    ink: str = "text",
    title: str = "",
    labels: Int[NDArray[Any], " N"] | None = None,
    shade: Float[Array, " N"] | None = None,
    spread: Float[Array, "N 2"] | None = None,
    **look: Any,
) -> Mark:
    """Points; labels: classes with a colour each; shade: from 0 to 1; spread: ± across and up.

    look: radius in pixels, hollow, strength.
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
    on: Bool[NDArray[np.bool_], " N"],
    ink: str = "accent",
    title: str = "",
    shift: float = 0.0,
    width: float = 0.7,
) -> Mark:
    """Bars at 1, 2, …; those that are off are grey. shift and width in units of the axis."""
    x = np.arange(1.0, len(heights) + 1.0) + shift
    arrays = {"x": x, "y": np.asarray(heights, dtype=np.float64), "on": on.astype(np.uint8)}
    return Mark("bars", arrays, {"ink": ink, "width": width}, title)


def images(
    values: Float[Array, "N D"],
    shape: tuple[int, int],
    x: ArrayLike,
    y: ArrayLike,
    size: float,
    scale: Range,
) -> Mark:
    """Small grey pictures around places, one unit apart across; size: in units of the axis up."""
    arrays = {
        "values": Rounded.of(np.asarray(values, dtype=np.float64)),
        "x": np.asarray(x, dtype=np.float64),
        "y": np.asarray(y, dtype=np.float64),
    }
    return Mark("images", arrays, {"shape": list(shape), "size": size, "scale": list(scale)})


@dataclass(frozen=True, eq=False)
class Hand:
    """What a visitor's hand does in a panel: adds to, or moves, a list of points of the state.

    The browser draws these points itself. adds: a click adds a point or takes one away. up: the
    height at which all points lie; None: they are free. most: of points.
    """

    name: str
    title: str
    adds: bool = False
    up: float | None = None
    most: int = 40


@dataclass(frozen=True, eq=False)
class Panel:
    """A box of numbers with marks. axes: names across and up; alt: for who cannot see it.

    ticks: words instead of numbers below 1, 2, …; bare: no numbers at the axes. wide: as wide as
    all the others together; tall: times the usual height. picks: a click on a dot chooses its row,
    counted from 1, beside the one before: two numbers of the state, by their names.
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


@dataclass(frozen=True, eq=False)
class LessonPicture:
    """Panels and what is to be said of them, a sentence an entry, with numbers from the arrays."""

    panels: tuple[Panel, ...]
    words: tuple[str, ...]


def pack_picture(picture: LessonPicture, **header: Any) -> bytes:
    """The bytes that the page draws; header: what else the browser is to know."""
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
    """The least and the greatest of numbers, and some room."""
    whole = np.concatenate([np.asarray(each, dtype=np.float64).ravel() for each in values])
    low, high = float(whole.min()), float(whole.max())
    more = margin * (high - low) or 0.5
    return low - more, high + more


def number(value: float, digits: int = 2) -> str:
    """For people, with a true minus sign."""
    return f"{round(float(value), digits) + 0.0:,.{digits}f}".replace("-", "−")
