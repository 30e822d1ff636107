"""Draw a row of a table with words as a small picture (Pillow), as the canvas draws it."""

from collections.abc import Sequence

import numpy as np
from numpy import ndarray as Array
from PIL import Image, ImageDraw

from gplvm_core.figures.palette import FAINT, label_colour
from gplvm_core.figures.thumbnails import OVERSAMPLING
from gplvm_core.readers.kinds import TableColumn

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
