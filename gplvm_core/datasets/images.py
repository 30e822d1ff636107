"""A zip of images: one row an image, folders are labels."""

import io
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gplvm_core.datasets.dataset import Dataset, Drawing
from gplvm_core.datasets.errors import DataError, listed
from gplvm_core.datasets.sources import Archive, Source, open_archive, read_source, stem

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "BMP", "GIF", "TIFF", "WEBP", "PPM")
MOST_PIXELS = 50_000_000
MOST_PIXELS_TOGETHER = 1_000_000_000
LARGEST_SIDE = 64

Size = tuple[int, int]


@dataclass(frozen=True)
class _Loaded:
    """One image in memory, at most as large as wanted, and what was done to it."""

    pixels: NDArray[np.uint8]  # height × width × 3
    size: Size  # width, height as given
    changes: tuple[str, ...]

    @property
    def is_grey(self) -> bool:
        red, green, blue = np.moveaxis(self.pixels, -1, 0)
        return bool((red == green).all() and (green == blue).all())


def read_images(
    source: Source, *, max_side: int = LARGEST_SIDE, colour: bool | None = None
) -> Dataset:
    """Images from a zip file, in the natural order of their names ("2" before "10").

    Images of other sizes are stretched to the most common one; all are then shrunk so that no side
    exceeds `max_side`. `colour`: True or False, or None for colour when any image has some.
    Rows are uint8, 0 to 255, row by row from the top left. When the images lie in two or more
    folders, the folders' names are the labels. Needs the package Pillow.
    Raises DataError for archives that are unsafe, too large, damaged, or hold anything else.
    """
    if max_side < 1:
        raise DataError(f"max_side must be at least 1 pixel, got {max_side}.")
    _require_pillow()
    data, filename = read_source(source, "a zip file of images")
    archive = open_archive(data, filename)
    members = sorted(archive.members, key=_natural)
    common, notes = _survey(archive, members, filename)
    size = _shrunk(common, max_side)
    loaded = [_load(archive.read(member), member, size) for member in members]
    notes += _what_was_done(loaded, common, size)
    if archive.skipped:
        notes.append(f"Skipped what the system had added: {listed(archive.skipped)}.")
    in_colour = any(not image.is_grey for image in loaded) if colour is None else colour
    pixels = np.stack([image.pixels for image in loaded])
    if not in_colour:
        if not all(image.is_grey for image in loaded):
            notes.append("Colour images were turned to grey.")
        pixels = _luma(pixels)
    labels, label_names = _labels(members)
    return Dataset(
        name=stem(filename),
        title=stem(filename).replace("_", " "),
        targets=pixels.reshape(len(pixels), -1),
        drawing=Drawing("image", pixels.shape[1:], (0.0, 255.0)),
        labels=labels,
        label_names=label_names,
        source=f"{filename}, a zip file of {len(pixels)} images.",
        notes=tuple(notes),
    )


def _require_pillow() -> None:
    try:
        import PIL  # noqa: F401
    except ImportError as error:
        raise DataError(
            "Reading images needs the package Pillow, which is not installed. "
            "Install it: pip install pillow."
        ) from error


def _natural(member: str) -> list[tuple[int, str]]:
    """Digits compare as numbers, the rest as text."""
    parts = re.split(r"(\d+)", member.lower())
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts] + [(-2, member)]


def _survey(archive: Archive, members: list[str], filename: str) -> tuple[Size, list[str]]:
    """The most common size, from the images' headers alone, and notes; refuses what is no image."""
    sizes: Counter[Size] = Counter()
    others: list[str] = []
    together = 0
    for member in members:
        image = _open(archive.read(member), member)
        if image is None:
            others.append(member)
            continue
        width, height = image.size
        together += width * height
        if width * height > MOST_PIXELS or together > MOST_PIXELS_TOGETHER:
            raise DataError(
                f"{filename} was refused at {member}, {width} × {height} pixels: up to "
                f"{MOST_PIXELS / 1e6:.0f} million pixels an image and "
                f"{MOST_PIXELS_TOGETHER / 1e6:.0f} million together are read. "
                "Use smaller or fewer images."
            )
        sizes[(height, width) if _orientation(image, member) > 4 else (width, height)] += 1
    if others:
        raise DataError(
            f"{len(others)} of {len(members)} files in {filename} are not images that can be read "
            f"({', '.join(FORMATS)}): {listed(others)}. Leave them out of the zip."
        )
    if len(members) < 2:
        raise DataError(f"{filename} holds one image; at least 2 are needed.")
    (width, height), count = sizes.most_common(1)[0]
    if count == len(members):
        return (width, height), []
    return (width, height), [
        f"{len(members) - count} of {len(members)} images had other sizes and were stretched to "
        f"the most common one, {width} × {height}."
    ]


def _open(data: bytes, member: str) -> "Image | None":
    """The image, its header read; None when it is none."""
    from PIL import Image, UnidentifiedImageError

    bombs = (Image.DecompressionBombError, Image.DecompressionBombWarning)
    try:
        return Image.open(io.BytesIO(data), formats=FORMATS)
    except bombs as error:
        raise DataError(f"{member} was refused: {error}. Make it smaller.") from error
    except UnidentifiedImageError:
        return None
    except Exception as error:  # decoders raise many kinds for damaged headers
        raise DataError(f"{member} is damaged: {error}. Save it again.") from error


def _orientation(image: "Image", member: str) -> int:
    """What the camera noted: 1 is upright, above 4 lies on its side."""
    try:
        noted = image.getexif().get(0x0112, 1)
    except Exception as error:  # some formats decode their pixels to find it
        raise DataError(f"{member} is damaged or cut off: {error}. Save it again.") from error
    return noted if noted in range(1, 9) else 1


def _shrunk(size: Size, max_side: int) -> Size:
    scale = min(1.0, max_side / max(size))
    return (max(1, round(size[0] * scale)), max(1, round(size[1] * scale)))


def _load(data: bytes, member: str, size: Size) -> _Loaded:
    from PIL import Image, ImageOps

    opened = _open(data, member)
    if opened is None:  # read once already
        raise DataError(f"{member} is damaged. Save it again.")
    changes: list[str] = []
    if getattr(opened, "n_frames", 1) > 1:
        changes.append("moving or with several pages: only the first picture is used")
    if _orientation(opened, member) != 1:
        changes.append("turned upright as their camera noted")
    try:
        image = ImageOps.exif_transpose(opened)
    except Exception as error:  # decoders raise many kinds for damaged pixels
        raise DataError(f"{member} is damaged or cut off: {error}. Save it again.") from error
    if image.mode.startswith("I;16"):
        changes.append("16 bits a pixel reduced to 8")
        image = Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    elif image.mode in ("I", "F"):
        raise DataError(
            f"{member} has 32 bits a pixel (mode {image.mode}), whose range is unknown. "
            "Save it with 8 or 16 bits, or put the values in an NPZ file."
        )
    if image.has_transparency_data:
        changes.append("with transparency, placed on white")
        image = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    given = image.size
    image = image.convert("RGB")
    if given != size:
        image = image.resize(size, Image.Resampling.LANCZOS)
    return _Loaded(np.asarray(image, dtype=np.uint8), given, tuple(changes))


def _what_was_done(loaded: list[_Loaded], common: Size, size: Size) -> list[str]:
    notes = []
    if common != size:
        notes.append(f"Shrunk from {common[0]} × {common[1]} to {size[0]} × {size[1]} pixels.")
    changes = Counter(change for image in loaded for change in image.changes)
    notes += [f"{count} of {len(loaded)} images: {change}." for change, count in changes.items()]
    return notes


def _luma(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Grey values by ITU-R BT.601, rounded; a grey pixel keeps its value."""
    grey = pixels.astype(np.float64) @ np.array([0.299, 0.587, 0.114])
    return np.floor(grey + 0.5).clip(0, 255).astype(np.uint8)


def _labels(members: list[str]) -> tuple[NDArray[np.int64] | None, tuple[str, ...]]:
    folders = [str(PurePosixPath(member).parent) for member in members]
    names = sorted(set(folders), key=_natural)
    if len(names) < 2:
        return None, ()
    numbers = np.array([names.index(folder) for folder in folders], dtype=np.int64)
    short = [PurePosixPath(name).name or "top folder" for name in names]
    return numbers, tuple(short if len(set(short)) == len(short) else names)
