"""Read a zip of images: an image is a row, folders are labels; or the frames of a video."""

from collections import Counter
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray

from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.errors import DataError, by_count, listed
from gplvm_core.readers.limits import MOST_PIXELS_TOGETHER
from gplvm_core.readers.packages import require_packages
from gplvm_core.readers.pictures.picture import (
    FORMATS,
    LARGEST_SIDE,
    NEEDS,
    Picture,
    Size,
    as_bytes,
    check_kept,
    check_side,
    has_16_bits,
    largest_value,
    moving,
    open_picture,
    orientation,
    shrunk,
    stacked,
    what_was_done,
)
from gplvm_core.readers.proposals import natural
from gplvm_core.readers.sources import Archive, Source, named, open_archive, read_source

CHANGED_SIZE = "stretched to the most common one"  # in the note on images of several sizes


def read_images(
    source: Source,
    *,
    max_side: int = LARGEST_SIDE,
    colour: bool | None = None,
    frame_rate: float | None = None,
) -> Dataset:
    """Read images from a zip file, in the natural order of their names ("2" before "10").

    Images of other sizes are stretched to the most common size; all are then shrunk so that no side
    exceeds `max_side`. `colour`: True, False, or None for colour if any image has colour.
    Rows are uint8, 0 to 255, row by row from the top left, named after their files. If the images
    are in two or more folders, the folders' names are the labels. With `frame_rate`, in frames per
    second, the images are frames of a video: rows get times in seconds, and each folder is a
    sequence. Needs the package Pillow.
    Raises DataError for archives that are unsafe, too large, damaged, or contain other files.

    Examples
    --------
    >>> import io, zipfile
    >>> from PIL import Image
    >>> from gplvm_core import read_images
    >>> file = io.BytesIO()
    >>> with zipfile.ZipFile(file, "w") as archive:
    ...     for name, grey in (("dark.png", 20), ("light.png", 230)):
    ...         with archive.open(name, "w") as entry:
    ...             Image.new("L", (4, 3), grey).save(entry, "PNG")
    >>> pictures = read_images(file.getvalue())
    >>> pictures.values.shape, pictures.drawing.shape, pictures.row_names
    ((2, 12), (3, 4), array(['dark.png', 'light.png'], dtype='<U9'))
    """
    check_side(max_side)
    if frame_rate is not None and not 0 < frame_rate < np.inf:
        raise DataError(f"frame_rate must be above 0 frames per second, got {frame_rate}.")
    require_packages(*NEEDS)
    data, filename = read_source(source, "a zip file of images")
    archive = open_archive(data, filename)
    members = sorted(archive.members, key=natural)
    common, notes, white = _survey(archive, members, filename)
    size = shrunk(common, max_side)
    check_kept(len(members), size, filename)
    loaded = [_load(archive.read(member), member, size, white) for member in members]
    notes += what_was_done(loaded, common, size, "images")
    if archive.skipped:
        notes.append(f"Files added by the system were skipped: {listed(archive.skipped)}.")
    pixels, colour_notes = stacked(loaded, colour)
    labels, label_names = _labels(members)
    times = sequences = None
    if frame_rate is not None:
        sequences = np.zeros(len(members), dtype=np.int64) if labels is None else labels
        times = _place_in_sequence(sequences) / frame_rate
        notes.append(f"Frames in the order of their names, {frame_rate:g} per second.")
    return Dataset(
        **named(filename, f"a zip file of {len(pixels)} images"),
        targets=pixels.reshape(len(pixels), -1),
        drawing=Drawing("image", pixels.shape[1:], (0.0, 255.0)),
        labels=labels,
        label_names=label_names,
        row_names=np.array(members, dtype=np.str_),
        times=times,
        sequences=sequences,
        notes=(*notes, *colour_notes),
    )


def _survey(
    archive: Archive, members: list[str], filename: str
) -> tuple[Size, list[str], int | None]:
    """Return the most common size of the images, notes, and the value of white in 16 bits.

    Refuses other files.
    """
    sizes: Counter[Size] = Counter()
    others: list[str] = []
    tops: dict[int, int] = {}  # the largest value of grey images of 16 bits; 8 bits: all others
    together = 0
    for member in members:
        image = open_picture(archive.read(member), member)
        if image is None:
            others.append(member)
            continue
        width, height = image.size
        together += width * height
        if together > MOST_PIXELS_TOGETHER:
            raise DataError(
                f"{filename} was refused at {member}: the images up to there have {together:,} "
                f"pixels; up to {MOST_PIXELS_TOGETHER / 1e6:.0f} million together are read. "
                "Use smaller or fewer images."
            )
        bits = 16 if has_16_bits(image) else 8
        tops[bits] = max(tops.get(bits, 0), largest_value(image, member) if bits == 16 else 0)
        sizes[(height, width) if orientation(image, member) > 4 else (width, height)] += 1
    if others:
        raise DataError(
            f"{len(others)} of {len(members)} files in {filename} "
            f"{by_count(len(others), 'is not an image', 'are not images')} of a known format ("
            f"{', '.join(FORMATS)}): {listed(others)}. Leave "
            f"{by_count(len(others), 'it', 'them')} out of the zip."
        )
    if len(members) < 2:
        raise DataError(f"{filename} has one image; at least 2 are needed.")
    (width, height), count = sizes.most_common(1)[0]
    white, notes = _white(tops)
    if count < len(members):
        unusual = listed([f"{w} × {h}" for (w, h), _ in sizes.most_common()[1:]], 3)
        notes.insert(
            0,
            f"{len(members) - count} of {len(members)} images had "
            f"{by_count(len(members) - count, 'another size', 'other sizes')} ({unusual}) and "
            f"{by_count(len(members) - count, 'was', 'were')} {CHANGED_SIZE}, {width} × {height}.",
        )
    return (width, height), notes, white


def _white(tops: dict[int, int]) -> tuple[int | None, list[str]]:
    """Return the value of white in grey images of 16 bits, one for all, and notes.

    tops: the largest value by bits per pixel.
    """
    top = tops.get(16, 0)
    if not top:
        return None, []
    # Beside other images, white is the largest value of the camera's 10 to 16 bits.
    white = 2 ** next(n for n in (8, 10, 12, 14, 16) if top < 2**n) - 1 if 8 in tops else top
    return white, [
        f"Images of 16 bits have values up to {top:,}. All have one scale: 0 is black, {white:,} "
        "is white (255)."
    ]


def _load(data: bytes, member: str, size: Size, white: int | None) -> Picture:
    image = open_picture(data, member)
    assert image is not None  # `_survey` has already read it
    changes = (
        "of a moving image, or one with several pages, only the first picture is used",
    ) * moving(image)
    return as_bytes(image, member, size, changes, white=white)


def _labels(members: list[str]) -> tuple[NDArray[np.int64] | None, tuple[str, ...]]:
    folders = [str(PurePosixPath(member).parent) for member in members]
    names = sorted(set(folders), key=natural)
    if len(names) < 2:
        return None, ()
    numbers = np.array([names.index(folder) for folder in folders], dtype=np.int64)
    short = [PurePosixPath(name).name or "top folder" for name in names]
    return numbers, tuple(short if len(set(short)) == len(short) else names)


def _place_in_sequence(sequences: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return numbers 0, 1, 2… of the rows within each sequence."""
    place = np.empty(len(sequences))
    for number in np.unique(sequences):
        rows = np.flatnonzero(sequences == number)
        place[rows] = np.arange(len(rows))
    return place
