"""Draw rows of data as small pictures (Pillow), readable on light and dark pages.

Missing values (NaN): a pixel is hatched, a joint and its bones are omitted, a bar becomes a pale
band, a curve has a gap.

Also here: reduce the pattern of missing values to a small grid for a picture.

Also here: draw a row of a table with words as a small picture (Pillow), as the canvas draws it.
"""

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from numpy import ndarray as Array
from PIL import Image, ImageColor, ImageDraw

from gplvm_core.figures.palette import BONE_INKS, COLOURS, FAINT, INK, MISSING_INK, label_colour
from gplvm_core.readers import Drawing
from gplvm_core.readers.kinds import TableColumn
from gplvm_core.readers.spread import row_order

MOST_ROWS, MOST_COLUMNS = 120, 200


def missing_grid(missing: Bool[Array, "N D"]) -> Float[Array, "R C"]:
    """Return the missing share (0 to 1) of each cell of a grid.

    A cell is a group of neighbouring rows and columns. The grid has at most 120 rows and 200
    columns.
    """
    sums = missing.astype(float)
    sizes = []
    for axis, most in ((0, MOST_ROWS), (1, MOST_COLUMNS)):
        length = missing.shape[axis]
        edges = np.linspace(0, length, min(length, most) + 1).round().astype(int)
        sums = np.add.reduceat(sums, edges[:-1], axis=axis)
        sizes.append(np.diff(edges))
    return sums / np.outer(*sizes)


MAP_INKS = ((INK, 90), (MISSING_INK, 255))  # colour and opacity of observed and missing values
MOST_DOTS = 3000  # largest number of points on a small map
OVERSAMPLING = 3
VIEW_DEGREES = 40


@dataclass(frozen=True)
class Frame:
    """The common range of all pictures of one data set, so that the pictures are comparable.

    low, high: range of the values; for skeletons, the range of the height; for bars of unknown
    range, one range per column (D,). wide: a skeleton's width.
    """

    low: float | Array
    high: float | Array
    wide: float = 1.0


def common_frame(drawing: Drawing, rows: Array) -> Frame:
    """Return the common range of all pictures of these rows (n, D)."""
    values = np.asarray(rows, dtype=float)
    if drawing.kind == "skeleton":
        across, upwards = oblique_view(values.reshape(-1, 3))
        widest = np.abs(across).max(initial=0.0, where=~np.isnan(across))
        return Frame(float(np.nanmin(upwards)), float(np.nanmax(upwards)), 2 * float(widest))
    if drawing.value_range is not None:
        return Frame(float(drawing.value_range[0]), float(drawing.value_range[1]))
    if drawing.kind == "bars":
        # Columns may differ in unit, so every column gets its own range.
        lows, highs = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
        return Frame(lows, np.where(highs > lows, highs, lows + 1.0))
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    return Frame(low, high if high > low else low + 1.0)


def row_picture(drawing: Drawing, row: Array, frame: Frame, size: int = 120) -> Image.Image:
    """Draw one row (D,) by the data set's drawing; the longer side has `size` pixels (RGBA)."""
    values = np.asarray(row, dtype=float)
    if drawing.kind == "image":
        return image_picture(drawing, values, frame, size)
    if drawing.kind == "skeleton":
        return skeleton_picture(drawing, values, frame, size)
    return plot_picture(drawing.kind, values, frame, size)


def image_picture(drawing: Drawing, values: Array, frame: Frame, size: int) -> Image.Image:
    scaled = np.clip((values - frame.low) / (frame.high - frame.low), 0.0, 1.0)
    pixels = (255 * np.nan_to_num(scaled)).round().astype(np.uint8).reshape(drawing.shape)
    picture = Image.fromarray(pixels).convert("RGBA")
    missing = np.isnan(values).reshape(*drawing.shape[:2], -1).any(axis=2)
    if missing.any():
        picture.putalpha(Image.fromarray(np.where(missing, 0, 255).astype(np.uint8)))
    factor = size / max(picture.size)
    # Tiny images keep sharp pixels; larger images are smoothed.
    method = Image.Resampling.NEAREST if max(picture.size) <= 20 else Image.Resampling.LANCZOS
    extent = (max(1, round(picture.width * factor)), max(1, round(picture.height * factor)))
    picture = picture.resize(extent, method)
    return Image.alpha_composite(hatching(extent), picture) if missing.any() else picture


def hatching(extent: tuple[int, int]) -> Image.Image:
    """Draw diagonal lines: the background of missing pixels."""
    width, height = extent
    picture = Image.new("RGBA", extent)
    pen = ImageDraw.Draw(picture)
    for start in range(-height, width, 5):
        pen.line((start, height, start + height, 0), fill=FAINT + "B0")
    return picture


def oblique_view(joints: Array) -> tuple[Array, Array]:
    """Project joints (J, 3) obliquely from the front; return horizontal and vertical positions."""
    turn = np.deg2rad(VIEW_DEGREES)
    return joints[:, 0] * np.cos(turn) + joints[:, 2] * np.sin(turn), joints[:, 1]


def sides(names: Sequence[str]) -> list[str | None]:
    """Guess the side of the body from each joint's name: "left", "right" or None.

    A side is written out, or it is a first letter for which the other side has a joint, too:
    "lfemur" beside "rfemur", but not "leg".
    """
    small = [name.lower() for name in names]

    def side(name: str) -> str | None:
        for word, other in (("left", "r"), ("right", "l")):
            if name.startswith(word) or (name[:1] == word[0] and other + name[1:] in small):
                return word
        return None

    return [side(name) for name in small]


def skeleton_picture(drawing: Drawing, values: Array, frame: Frame, size: int) -> Image.Image:
    """Draw a stick figure; bones on the body's left and right have different colours."""
    across, upwards = oblique_view(values.reshape(-1, 3))
    side = size * OVERSAMPLING
    picture = Image.new("RGBA", (side, side))
    pen = ImageDraw.Draw(picture)
    scale = 0.92 * side / max(frame.high - frame.low, frame.wide)
    x = side / 2 + scale * across
    y = side / 2 - scale * (upwards - 0.5 * (frame.low + frame.high))
    assert drawing.skeleton is not None  # `Drawing` ensures this for its kind
    width = max(2, round(side / 45))
    known = ~(np.isnan(x) | np.isnan(y))
    inks = [BONE_INKS.get(side or "", FAINT) for side in sides(drawing.skeleton.joint_names)]
    for joint, parent in enumerate(drawing.skeleton.parents):
        if parent >= 0 and known[parent] and known[joint]:
            pen.line((x[parent], y[parent], x[joint], y[joint]), fill=inks[joint], width=width)
    for at in np.flatnonzero(known):
        pen.circle((x[at], y[at]), 0.7 * width, fill=inks[at])
    return picture.resize((size, size), Image.Resampling.LANCZOS)


def plot_picture(kind: str, values: Array, frame: Frame, size: int) -> Image.Image:
    """Draw a curve through the columns, or one bar per column."""
    known = ~np.isnan(values)
    side = size * OVERSAMPLING
    picture = Image.new("RGBA", (side, side))
    pen = ImageDraw.Draw(picture)
    margin = 0.08 * side
    height = side - 2 * margin
    shares = np.clip((values - frame.low) / (frame.high - frame.low), 0.0, 1.0)
    y = side - margin - height * shares
    if kind == "curve":
        x = np.linspace(margin, side - margin, len(values))
        width = max(3, side // 60)
        for run in runs_of(known):
            points = list(zip(x[run], y[run], strict=True))
            if len(points) == 1:
                pen.circle(points[0], width, fill=INK)
            pen.line(points, fill=INK, width=width)
    else:
        floor = side - margin
        edges = np.linspace(margin, side - margin, len(values) + 1)
        gap = 0.12 * (edges[1] - edges[0])
        for left, right, top, is_known in zip(edges[:-1], edges[1:], y, known, strict=True):
            if is_known:
                pen.rectangle((left + gap, min(top, floor - 2), right - gap, floor), fill=INK)
            else:
                pen.rectangle((left + gap, margin, right - gap, floor), fill=FAINT + "38")
        pen.line((margin, floor, side - margin, floor), fill=FAINT, width=2)
    return picture.resize((size, size), Image.Resampling.LANCZOS)


def runs_of(known: Array) -> list[slice]:
    """Return a slice for each run of True in flags (n,)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], known.astype(int), [0]])))
    return [slice(int(start), int(end)) for start, end in edges.reshape(-1, 2)]


def missing_picture(missing: Array) -> Image.Image:
    """Draw the missing values of a table (N, D), reduced to cells.

    The more entries of a cell are missing, the stronger the cell's colour; even a single missing
    entry is visible.
    """
    share = missing_grid(missing)[:, :, None]
    strength = np.where(share > 0, 0.35 + 0.65 * share, 0.0)
    there, gone = (np.array([*ImageColor.getrgb(ink), alpha]) for ink, alpha in MAP_INKS)
    cells = Image.fromarray((there + strength * (gone - there)).round().astype(np.uint8))
    return cells.resize(
        (cells.width * max(1, 240 // cells.width), cells.height * max(1, 120 // cells.height)),
        Image.Resampling.NEAREST,
    )


def beside(pictures: Sequence[Image.Image]) -> Image.Image:
    """Arrange pictures in two columns, centred on a square; return a single picture unchanged."""
    if len(pictures) == 1:
        return pictures[0]
    cell = max(max(picture.size) for picture in pictures)
    step = cell + max(2, cell // 25)
    lines = -(-len(pictures) // 2)
    side = step * max(lines, 2)
    ground = Image.new("RGBA", (side, side))
    left, top = (side - 2 * step) // 2, (side - lines * step) // 2
    for number, picture in enumerate(pictures):
        column, line = number % 2, number // 2
        x = left + column * step + (step - picture.width) // 2
        y = top + line * step + (step - picture.height) // 2
        ground.paste(picture, (x, y))
    return ground


def reel(pictures: Sequence[Image.Image]) -> Image.Image:
    """Stack pictures of one size vertically, as the film strip of a CSS animation."""
    width, height = pictures[0].size
    film = Image.new("RGBA", (width, height * len(pictures)))
    for number, picture in enumerate(pictures):
        film.paste(picture, (0, number * height))
    return film


def map_picture(
    points: Array, labels: Array | None, *, size: int = 240
) -> tuple[Image.Image, Array, Array]:
    """Draw points (N, 2), thinned evenly to `MOST_DOTS`; also return offset and scale.

    Offset and scale map points to the unit square with its origin at the top left, as in a browser:
    position = (point - offset) * scale, then y is flipped.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    offset = low - 0.09 * span
    scale = 1.0 / (1.18 * span)
    side = size * OVERSAMPLING
    picture = Image.new("RGBA", (side, side))
    pen = ImageDraw.Draw(picture)
    radius = side / 62 if len(points) <= 600 else side / 85
    drawn = np.arange(len(points))
    if len(points) > MOST_DOTS:
        drawn = np.sort(row_order(len(points))[:MOST_DOTS])
    places = unit_positions(points[drawn], offset, scale) * side
    for number, (x, y) in zip(drawn, places, strict=True):
        colour = COLOURS[0] if labels is None else label_colour(int(labels[number]))
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour + "D0")
    return picture.resize((size, size), Image.Resampling.LANCZOS), offset, scale


def unit_positions(points: Array, offset: Array, scale: Array) -> Array:
    """Map points (n, 2) to positions in the unit square, with y downwards."""
    places = (points - offset) * scale
    return np.column_stack([places[:, 0], 1.0 - places[:, 1]])


def picture_uri(picture: Image.Image, *, exact: bool = False) -> str:
    """Return the picture as a data URI (WebP), which needs no further request.

    exact: compress without loss.
    """
    buffer = io.BytesIO()
    picture.save(buffer, format="WEBP", quality=86, method=2, lossless=exact)
    return "data:image/webp;base64," + base64.b64encode(buffer.getvalue()).decode()


THICK = 0.72  # height of a bar, as a fraction of the height per column


def table_card(
    columns: Sequence[TableColumn], values: Array, row: Array, size: int = 120
) -> Image.Image:
    """Draw a bar for each column: the length shows a number or count, the colour a word.

    values: all rows (N, C), for the ranges of numbers and counts.
    """
    side = size * OVERSAMPLING
    picture = Image.new("RGBA", (side, side))
    pen = ImageDraw.Draw(picture)
    margin = 0.06 * side
    step, wide = (side - 2 * margin) / len(columns), side - 2 * margin
    for c, (column, value) in enumerate(zip(columns, row, strict=True)):
        top = margin + (c + 0.5 * (1.0 - THICK)) * step
        bottom = top + THICK * step
        pen.rectangle((margin, top, side - margin, bottom), fill=FAINT + "38")
        if np.isnan(value):
            continue
        share, ink = 1.0, label_colour(int(value)) if column.is_words else FAINT
        if not column.is_words:
            low, high = np.nanmin(values[:, c]), np.nanmax(values[:, c])
            share = 0.5
            if high > low:  # values of new rows may be outside the range
                share = float(np.clip((value - low) / (high - low), 0.02, 1.0))
        pen.rectangle((margin, top, margin + share * wide, bottom), fill=ink)
    return picture.resize((size, size), Image.Resampling.LANCZOS)
