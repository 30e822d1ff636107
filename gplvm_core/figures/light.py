"""Figures as small SVG pictures, shown until the interactive figures have loaded.

The pictures stretch to fill their box, but dots and lines keep their size. The pictures contain no
text.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int
from numpy import ndarray as Array
from sklearn.utils.extmath import randomized_svd

from gplvm_core.figures.palette import ON, label_colour
from gplvm_core.readers.spread import spread_rows

MOST_POINTS = 2000
SIZE = 1000  # width and height of a picture in SVG units
MARGIN = 0.05
DOT, LINE = 7, 2.5  # pixels


def principal_places(
    values: Float[Array, "N D"],
) -> tuple[Float[Array, "n 2"], Int[Array, " n"]]:
    """Return two principal components of at most 2000 evenly spread rows, and the rows' indices.

    NaN counts as the column's mean. The method is fast, because the picture is drawn before the
    first training step.
    """
    rows = spread_rows(len(values), MOST_POINTS)
    some = np.asarray(values[rows], dtype=float)
    known = ~np.isnan(some)
    means = np.where(known, some, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    centred = np.where(known, some - means, 0.0)
    if min(centred.shape) < 2:
        return np.column_stack([centred[:, 0], np.zeros(len(some))]), rows
    left, singular, _ = randomized_svd(centred, 2, n_iter=3, random_state=0)
    return left * singular, rows


def dots(places: Float[Array, "N 2"], labels: Int[Array, " N"] | None = None) -> str:
    """Draw points in two dimensions as an SVG picture, one colour per label."""
    x, y = (scaled(places[:, axis]) for axis in (0, 1))
    groups = np.zeros(len(places), dtype=int) if labels is None else np.asarray(labels, dtype=int)
    strokes = []
    for label in np.unique(groups):
        colour = ON if labels is None else label_colour(int(label))
        spots = zip(x[groups == label], SIZE - y[groups == label], strict=True)
        path = "".join(f"M{across:.0f} {down:.0f}h0" for across, down in spots)
        strokes.append(stroke(path, colour, DOT))
    return picture("".join(strokes))


def line(across: Sequence[float], up: Sequence[float]) -> str:
    """Draw a curve as an SVG picture, which may cut off the lowest tenth of the values."""
    heights = np.asarray(up, dtype=float)
    low, high = float(np.quantile(heights, 0.1)), float(heights.max())
    x, y = scaled(np.asarray(across, dtype=float)), scaled(heights, (low, high))
    points = " ".join(f"{a:.0f},{SIZE - b:.0f}" for a, b in zip(x, y, strict=True))
    return picture(stroke(f"M{points}", ON, LINE))


def bars(heights: Float[Array, " Q"]) -> str:
    """Draw bars as an SVG picture; heights must not be negative."""
    count, most = len(heights), max(float(np.max(heights)), 1e-300)
    wide = SIZE / count
    path = "".join(
        f"M{(at + 0.18) * wide:.0f} {SIZE}v{-SIZE * max(height, 0.0) / most:.0f}"
        f"h{0.64 * wide:.0f}V{SIZE}z"
        for at, height in enumerate(heights)
    )
    return picture(f'<path d="{path}" fill="{ON}"/>')


def scaled(values: Float[Array, " N"], ends: tuple[float, float] | None = None) -> Array:
    """Scale values from `ends` (default: their range) to SVG units inside the margins."""
    low, high = ends or (float(values.min()), float(values.max()))
    share = (values - low) / (high - low) if high > low else np.full(len(values), 0.5)
    return SIZE * (MARGIN + (1 - 2 * MARGIN) * np.clip(share, -1.0, 2.0))


def stroke(path: str, colour: str, width: float) -> str:
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-opacity=".85" '
        f'stroke-width="{width}" stroke-linecap="round" vector-effect="non-scaling-stroke"/>'
    )


def picture(content: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" '
        f'preserveAspectRatio="none">{content}</svg>'
    )
