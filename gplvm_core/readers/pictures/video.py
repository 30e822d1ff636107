"""Read a video from an animated GIF: a frame is a row with its time."""

from typing import Any

import numpy as np

from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.errors import DataError, by_count, parsing
from gplvm_core.readers.limits import MOST_MEMBERS, MOST_PIXELS_TOGETHER
from gplvm_core.readers.packages import require_packages
from gplvm_core.readers.pictures.picture import (
    LARGEST_SIDE,
    NEEDS,
    Picture,
    as_bytes,
    check_kept,
    check_side,
    open_picture,
    shrunk,
    stacked,
    what_was_done,
)
from gplvm_core.readers.sources import Source, named, read_source

UNTIMED = 0.1
"""Seconds for which browsers show a frame that has no duration."""

Frame = tuple[Picture, float]  # a frame with its duration in seconds, 0 if not given


def read_video(
    source: Source, *, max_side: int = LARGEST_SIDE, colour: bool | None = None
) -> Dataset:
    """Read the frames of an animated GIF as rows with times in seconds, as one sequence.

    A frame's time is the sum of the durations before it. Frames are shrunk so that no side exceeds
    `max_side`. `colour`: True, False, or None for colour if any frame has colour. Rows are uint8,
    0 to 255, row by row from the top left. Needs the package Pillow.
    Raises DataError for other files, and for GIFs that have a single frame, are too large, or are
    damaged.

    Examples
    --------
    >>> import io
    >>> from PIL import Image
    >>> from gplvm_core import read_video
    >>> first, *others = [Image.new("L", (4, 3), grey) for grey in (0, 100, 200)]
    >>> file = io.BytesIO()
    >>> first.save(file, "GIF", save_all=True, append_images=others, duration=500)
    >>> film = read_video(file.getvalue())
    >>> film.values.shape, film.times
    ((3, 12), array([0. , 0.5, 1. ]))
    """
    check_side(max_side)
    require_packages(*NEEDS)
    data, filename = read_source(source, "an animated GIF")
    frames = _frames(data, filename, max_side)
    notes = []
    if not data.rstrip(b"\0").endswith(b";"):
        notes.append("The file has no end mark: frames may have been cut off.")
    pictures = [frame for frame, _ in frames]
    height, width, _ = pictures[0].pixels.shape
    notes += what_was_done(pictures, pictures[0].size, (width, height), "frames")
    pixels, colour_notes = stacked(pictures, colour)
    durations = np.array([duration for _, duration in frames])
    untimed = int((durations == 0).sum())
    if untimed:
        notes.append(
            f"{untimed} of {len(frames)} frames {by_count(untimed, 'has', 'have')} no duration: "
            f"{UNTIMED:g} s each, as browsers show them."
        )
    durations[durations == 0] = UNTIMED
    return Dataset(
        **named(filename, f"an animated GIF of {len(pixels)} frames"),
        targets=pixels.reshape(len(pixels), -1),
        drawing=Drawing("image", pixels.shape[1:], (0.0, 255.0)),
        times=np.concatenate([[0.0], np.cumsum(durations[:-1])]),
        sequences=np.zeros(len(pixels), dtype=np.int64),
        notes=(*notes, *colour_notes),
    )


def _frames(data: bytes, filename: str, max_side: int) -> list[Frame]:
    """Return all frames, shrunk. Refuses files above the limits before unpacking them."""
    image: Any = open_picture(data, filename, ("GIF",))
    if image is None:
        raise DataError(
            f"{filename} is not a GIF. Save the video as an animated GIF, or its frames as images "
            "in a zip."
        )
    width, height = image.size
    most = min(MOST_MEMBERS, MOST_PIXELS_TOGETHER // (width * height))
    size = shrunk((width, height), max_side)
    with parsing(filename):
        count = image.n_frames  # by their headers, without unpacking any
    if count > most:
        raise DataError(
            f"{filename} was refused: it has {count:,} frames of {width} × {height} pixels; up to "
            f"{most:,} of this size are read ({MOST_MEMBERS:,} frames, "
            f"{MOST_PIXELS_TOGETHER / 1e6:.0f} million pixels together). Use fewer or smaller "
            "frames."
        )
    check_kept(count, size, filename)
    found: list[Frame] = []
    while True:
        name = f"Frame {len(found) + 1} of {filename}"
        with parsing(name):
            try:
                image.seek(len(found))
            except EOFError:
                break
        found.append((as_bytes(image, name, size), float(image.info.get("duration", 0)) / 1000))
    if len(found) < 2:
        raise DataError(
            f"{filename} has a single picture; a video needs at least 2 frames. Pack several "
            "pictures into a zip."
        )
    return found
