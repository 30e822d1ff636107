"""Poses from two takes of motion capture that come with the project."""

from dataclasses import replace

import numpy as np

from gplvm_core.readers.bodies.parts import in_body_parts
from gplvm_core.readers.bodies.poses import read_bvh
from gplvm_core.readers.dataset import Dataset
from gplvm_core.shipped.files import vendored

CMU_METRES = 0.0254 / 0.45
"""CMU's unit of length: inches, scaled by 0.45."""

TAKES = (
    ("cmu_01_01.bvh.gz", "jumps and turns"),
    ("cmu_01_03.bvh.gz", "climbing and swinging"),
)

CMU_SOURCE = (
    "The data used in this project was obtained from mocap.cs.cmu.edu. The database was "
    "created with funding from NSF EIA-0196217. Subject 1, takes 1 and 3; BVH conversion "
    "by B. Hahne (cgspeed). Free for use in research and commercial projects."
)

EVERY = 12
"""Every twelfth frame is used: ten of 120 per second."""


def load_poses() -> Dataset:
    """Load 606 poses of one person, ten per second; labels and sequences are the two takes.

    Raises DataError if the data files are missing.
    """
    takes = [
        read_bvh(vendored(filename), every=EVERY, first_frame=1, unit_metres=CMU_METRES)
        for filename, _ in TAKES
    ]
    which = np.repeat(np.arange(len(takes)), [take.n_points for take in takes])
    times = [take.times for take in takes if take.times is not None]
    return replace(
        takes[0],
        name="poses",
        title="Human poses",
        targets=np.concatenate([take.targets for take in takes]),
        labels=which,
        label_names=tuple(name for _, name in TAKES),
        times=np.concatenate(times),
        sequences=which,
        source=CMU_SOURCE,
        notes=(
            "Frame 0, a T-pose, is left out.",
            *dict.fromkeys(note for take in takes for note in take.notes),
        ),
    )


def load_body_parts() -> Dataset:
    """Load the poses of `load_poses` as three views: trunk, arms and legs.

    The positions of arms and legs are relative to the joint of the trunk that carries them. Raises
    DataError if the data files are missing.
    """
    return replace(in_body_parts(load_poses()), name="body_parts", title="Trunk, arms and legs")
