"""Which images the rows of a table can be, going by how many columns they have."""

from math import isqrt, prod

from gplvm_core.readers.errors import DataError

LEAST_SIDE = 4
WIDEST = 4  # the longer side of an image, in units of the shorter


def image_shapes(n_columns: int) -> tuple[tuple[int, ...], ...]:
    """Heights and widths of images of so many values, squarest first; with 3 colours last."""
    found: list[tuple[int, ...]] = [(high, wide) for high, wide in _rectangles(n_columns)]
    if n_columns % 3 == 0:
        found += [(high, wide, 3) for high, wide in _rectangles(n_columns // 3)]
    return tuple(sorted(found, key=lambda shape: (len(shape), abs(shape[0] - shape[1]))))


def _rectangles(n_pixels: int) -> list[tuple[int, int]]:
    pairs = [(side, n_pixels // side) for side in range(LEAST_SIDE, isqrt(n_pixels) + 1)
             if n_pixels % side == 0 and n_pixels // side <= WIDEST * side]  # fmt: skip
    return pairs + [(wide, high) for high, wide in pairs if high != wide]


def check_image_shape(shape: tuple[int, ...], n_columns: int, name: str) -> None:
    """Raises DataError unless rows of so many columns fill images of this shape."""
    valid = len(shape) in (2, 3) and min(shape) >= 1 and (len(shape) == 2 or shape[2] == 3)
    if not valid:
        raise DataError(f"image_shape is (height, width) or (height, width, 3); got {shape}.")
    if prod(shape) != n_columns:
        size = " × ".join(map(str, shape))
        raise DataError(
            f"{name}: images of {size} have {prod(shape)} values; its rows have {n_columns} "
            "columns to learn."
        )
