"""Decode a picture to 8-bit pixels of a given size, and record the changes made (Pillow); shrink
images by a whole factor, with the same result on every machine.
"""

import io
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Shaped, UInt8

from gplvm_core.numerics import AnyNDArray, ByteArray
from gplvm_core.readers.errors import DataError, parsing
from gplvm_core.readers.limits import MOST_PIXELS, MOST_VALUES

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "BMP", "GIF", "TIFF", "WEBP", "PPM")
LARGEST_SIDE = 64
NEEDS = ("Images", ("pillow",))
FEW_SHADES = 16  # below this largest value, pictures of 8 bits are masks or labels, not photographs

Size = tuple[int, int]


@dataclass(frozen=True)
class Picture:
    """One picture in memory, shrunk to the given size, and the changes made to it."""

    pixels: UInt8[ByteArray, "H W _C"]  # 3 colours, or 1 if the three are equal everywhere
    size: Size  # width and height before shrinking
    changes: tuple[str, ...]

    @property
    def is_grey(self) -> bool:
        return self.pixels.shape[2] == 1


def check_side(max_side: int) -> None:
    """Raise a DataError for a side below one pixel."""
    if max_side < 1:
        raise DataError(f"max_side must be at least 1 pixel, got {max_side}.")


def open_picture(data: bytes, name: str, formats: tuple[str, ...] = FORMATS) -> "Image | None":
    """Open a picture and read its header; None if it has none of these formats."""
    from PIL import Image, UnidentifiedImageError

    bombs = (Image.DecompressionBombError, Image.DecompressionBombWarning)
    with parsing(name):
        try:
            image = Image.open(io.BytesIO(data), formats=formats)
        except UnidentifiedImageError:
            return None
        except bombs as error:
            raise DataError(f"{name} was refused: {error}. Make it smaller.") from error
    width, height = image.size
    if not 0 < width * height <= MOST_PIXELS:
        raise DataError(
            f"{name} was refused: it has {width:,} × {height:,} pixels; up to "
            f"{MOST_PIXELS / 1e6:.0f} million are read. Make it smaller."
        )
    return image


def check_kept(count: int, size: Size, name: str) -> None:
    """Raise a DataError if `count` pictures of this size have too many pixels in total."""
    pixels = count * size[0] * size[1]
    if pixels > MOST_VALUES:
        side = max(size) * math.sqrt(MOST_VALUES / pixels)
        raise DataError(
            f"{name} was refused: {count:,} pictures of {size[0]} × {size[1]} have {pixels:,} "
            f"pixels; up to {MOST_VALUES:,} are read. Use at most "
            f"{MOST_VALUES // (size[0] * size[1]):,} pictures, or a longer side of at most "
            f"{int(side)} pixels."
        )


def moving(image: "Image") -> bool:
    """Whether a file has more than one picture."""
    return bool(getattr(image, "is_animated", False))


def orientation(image: "Image", name: str) -> int:
    """Return the EXIF orientation that the camera recorded: 1 is upright, values above 4 are on
    their side.
    """
    with parsing(name):  # some formats decode their pixels for this
        noted = image.getexif().get(0x0112, 1)
    return noted if noted in range(1, 9) else 1


def shrunk(size: Size, max_side: int) -> Size:
    """Return the size with the same proportions and no side above `max_side`."""
    scale = min(1.0, max_side / max(size))
    return (max(1, round(size[0] * scale)), max(1, round(size[1] * scale)))


def as_bytes(
    image: "Image",
    name: str,
    size: Size,
    changes: tuple[str, ...] = (),
    *,
    white: int | None = None,
) -> Picture:
    """Convert the current picture of an opened file: upright, opaque and of a given size.

    changes: the changes made before. white: the value of white in grey pictures of 16 bits; None
    for the largest. Raises DataError for damaged pixels.
    """
    if image.mode in ("I", "F") and not _is_scaled(image):
        raise DataError(
            f"{name} has 32 bits per pixel (mode {image.mode}), whose range is unknown. "
            "Save it with 8 or 16 bits, or put the values in an NPZ file."
        )
    if orientation(image, name) != 1:
        changes += ("turned upright, as their camera recorded",)
    with parsing(name):
        return _converted(image, size, changes, white)


def has_16_bits(image: "Image") -> bool:
    """Whether a picture is grey and has more than 8 bits per pixel."""
    return image.mode.startswith("I;16") or _is_scaled(image)


def _is_scaled(image: "Image") -> bool:
    """Whether Pillow has scaled a picture to 16 bits, as it does for PGM files of 9 to 16 bits."""
    return image.mode == "I" and image.format == "PPM"


def largest_value(image: "Image", name: str) -> int:
    """Return the largest value of a grey picture."""
    with parsing(name):
        return int(np.asarray(image).max())


def _scaled(pixels: AnyNDArray, white: int) -> ByteArray:
    """Return pixels as bytes: 0 stays 0, `white` becomes 255."""
    shades = pixels.astype(np.float64) * (255.0 / white)
    return np.floor(shades + 0.5).clip(0, 255).astype(np.uint8)


def _converted(image: "Image", size: Size, changes: tuple[str, ...], white: int | None) -> Picture:
    from PIL import Image, ImageOps

    many_bits = has_16_bits(image)
    image = ImageOps.exif_transpose(image)
    if many_bits:
        changes += ("16 bits per pixel reduced to 8",)
        image = Image.fromarray(_scaled(np.asarray(image), white or 65_535))
    if image.has_transparency_data:
        changes += ("with transparency, placed on white",)
        image = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    given = image.size
    image = image.convert("RGB")
    if given != size:
        image = image.resize(size, Image.Resampling.LANCZOS)
    pixels = np.asarray(image, dtype=np.uint8)
    grey = bool((pixels[..., :2] == pixels[..., 1:]).all())
    return Picture(pixels[..., :1] if grey else pixels, given, changes)


def what_was_done(loaded: Sequence[Picture], given: Size, size: Size, what: str) -> list[str]:
    """Return notes on the changes; given: the size before shrinking; what: "images" or "frames"."""
    shrunk = f"Shrunk from {given[0]} × {given[1]} to {size[0]} × {size[1]} pixels."
    changes = Counter(change for picture in loaded for change in picture.changes)
    return [
        *([shrunk] if given != size else []),
        *(f"{count} of {len(loaded)} {what}: {change}." for change, count in changes.items()),
    ]


def stacked(pictures: Sequence[Picture], colour: bool | None) -> tuple[ByteArray, tuple[str, ...]]:
    """Stack pictures: pixels (N, H, W, 3), or (N, H, W) in grey, and notes. Masks and labels, with
    few shades near black, get a scale up to white.

    colour: whether to preserve colour; None preserves it if any picture has colour.
    """
    notes: tuple[str, ...] = ()
    grey = all(picture.is_grey for picture in pictures) if colour is None else not colour
    if grey:
        if not all(picture.is_grey for picture in pictures):
            notes = ("Colour images were converted to grey.",)
        pixels = np.stack([_luma(picture.pixels) for picture in pictures])
    else:
        whole = (*pictures[0].pixels.shape[:2], 3)
        pixels = np.stack([np.broadcast_to(picture.pixels, whole) for picture in pictures])
    top = int(pixels.max())
    if 0 < top < FEW_SHADES:
        notes += (
            f"The pictures have values up to {top}. All have one scale: 0 is black, {top} is white "
            "(255).",
        )
        pixels = _scaled(pixels, top)
    return pixels, notes


def _luma(pixels: UInt8[ByteArray, "H W _C"]) -> UInt8[ByteArray, "H W"]:
    """Return grey values by ITU-R BT.601, rounded; grey pixels do not change."""
    if pixels.shape[2] == 1:
        return pixels[..., 0]
    grey = pixels.astype(np.float64) @ np.array([0.299, 0.587, 0.114])
    return np.floor(grey + 0.5).clip(0, 255).astype(np.uint8)


def shrink(images: Shaped[AnyNDArray, "N H W"], factor: int) -> UInt8[ByteArray, "N h w"]:
    """Return means over factor × factor blocks of pixels in 0…255, rounded; H and W are multiples
    of the factor.

    Stored models refer to a data set by its name, so the pixels must not depend on the version of
    an image library.
    """
    n_images, height, width = images.shape
    blocks = images.reshape(n_images, height // factor, factor, width // factor, factor)
    means = blocks.mean(axis=(2, 4), dtype=np.float64)
    return np.floor(np.clip(means, 0, 255) + 0.5).clip(0, 255).astype(np.uint8)
