"""The shapes of images that the rows of a table can be, by the number of columns."""

from math import isqrt, prod

from gplvm_core.readers.errors import DataError

LEAST_SIDE = 4
WIDEST = 4  # largest ratio of the longer side of an image to the shorter


def image_shapes(n_columns: int) -> tuple[tuple[int, ...], ...]:
    """Return the shapes of images with this many values.

    The shapes closest to a square come first, and grey images come before colour images.
    """
    found: list[tuple[int, ...]] = [(high, wide) for high, wide in _rectangles(n_columns)]
    if n_columns % 3 == 0:
        found += [(high, wide, 3) for high, wide in _rectangles(n_columns // 3)]
    return tuple(sorted(found, key=lambda shape: (len(shape), abs(shape[0] - shape[1]))))


def _rectangles(n_pixels: int) -> list[tuple[int, int]]:
    pairs = [(side, n_pixels // side) for side in range(LEAST_SIDE, isqrt(n_pixels) + 1)
             if n_pixels % side == 0 and n_pixels // side <= WIDEST * side]  # fmt: skip
    return pairs + [(wide, high) for high, wide in pairs if high != wide]


def check_image_shape(shape: tuple[int, ...], n_columns: int, name: str) -> None:
    """Raise a DataError unless rows with this many columns are images of this shape."""
    valid = len(shape) in (2, 3) and min(shape) >= 1 and (len(shape) == 2 or shape[2] == 3)
    if not valid:
        raise DataError(f"image_shape must be (height, width) or (height, width, 3); got {shape}.")
    if prod(shape) != n_columns:
        size = " × ".join(map(str, shape))
        raise DataError(
            f"{name}: images of {size} have {prod(shape)} values, but its rows have {n_columns} "
            "columns to learn."
        )
