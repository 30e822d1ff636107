"""Reduce rows of data to small pictures for the canvas."""

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array

from gplvm_core.readers.drawing import Drawing
from gplvm_core.wire.rows import DrawnData

MOST_ITEM_BYTES = 3_000_000  # largest size of all small pictures; larger ones are reduced
MISSING_PIXEL = 255  # code of a missing pixel in images with gaps; observed pixels are smaller


def items_of(
    dataset: DrawnData, ends: tuple[float, float]
) -> tuple[Array, list[int], list[int] | None, int | None]:
    """Return rows small enough to send (N × …), a row's shape, the range, and the missing code.

    ends: the values drawn as black and white. Images become uint8, averaged over blocks; long
    curves keep every k-th column. Missing values are NaN in floating-point rows. In images with
    gaps, missing pixels have the code MISSING_PIXEL, and observed pixels are smaller. For other
    data, the code is None.
    """
    drawing, values = dataset.drawing, dataset.values
    if drawing.kind == "image":
        complete = dataset.missing is None
        white = 255 if complete else MISSING_PIXEL - 1
        items, shape = as_pictures(drawing, values, ends, white)
        return items, shape, [0, white], None if complete else MISSING_PIXEL
    if drawing.kind == "curve":
        values = values[:, :: max(1, int(np.ceil(values.size * 4 / MOST_ITEM_BYTES)))]
        return values.astype(np.float32), [values.shape[1]], None, None
    return values.astype(np.float32), list(drawing.shape), None, None


def as_pictures(
    drawing: Drawing, values: Float[Array, "N D"], ends: tuple[float, float], white: int
) -> tuple[Array, list[int]]:
    """Return images as uint8 (N, …) and the shape of one; large data are averaged over blocks.

    Values 0 to `white` cover the range; MISSING_PIXEL marks a block without observed pixels.
    """
    low, high = ends
    images = np.clip((values - low) * (white / (high - low)), 0.0, white)
    images = images.reshape(len(values), drawing.shape[0], drawing.shape[1], -1)
    block = max(1, int(np.ceil(np.sqrt(images.size / MOST_ITEM_BYTES))))
    rows, columns = images.shape[1] // block, images.shape[2] // block
    images = images[:, : rows * block, : columns * block]
    images = images.reshape(len(values), rows, block, columns, block, -1)
    counts, sums = np.sum(~np.isnan(images), axis=(2, 4)), np.nansum(images, axis=(2, 4))
    means = np.where(counts > 0, sums / np.maximum(counts, 1), MISSING_PIXEL)
    items = np.rint(means).astype(np.uint8).reshape(len(values), -1)
    return items, [rows, columns, *drawing.shape[2:]]


SMALL_PART = 0.1  # fraction of the common axis


def value_range(dataset: DrawnData) -> tuple[float, float]:
    """Return the values drawn as black and white, or the ends of the axis."""
    if dataset.drawing.value_range is not None:
        return dataset.drawing.value_range
    low, high = float(np.nanmin(dataset.values)), float(np.nanmax(dataset.values))
    margin = 0.0 if dataset.drawing.kind == "image" else 0.06 * (high - low)
    return (low - margin, high + margin) if high > low else (low - 0.5, high + 0.5)


def own_ranges(dataset: DrawnData) -> list[list[float]] | None:
    """Return the ends of the axis of each column, or None if one axis serves all columns.

    In a table with mixed units, each column has its own axis. On a common axis, the bars of a
    column with a small range would all look the same.
    """
    if dataset.drawing.kind != "bars" or dataset.column_names is None:
        return None
    low, high = np.nanmin(dataset.values, axis=0), np.nanmax(dataset.values, axis=0)
    widths = high - low
    start, end = value_range(dataset)
    varying = widths[widths > 0.0]
    if not len(varying) or varying.min() > SMALL_PART * (end - start):
        return None
    margins = np.where(widths > 0.0, 0.06 * widths, 0.5)
    return [[float(a), float(b)] for a, b in zip(low - margins, high + margins, strict=True)]
