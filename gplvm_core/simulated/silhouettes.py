"""Poses and their silhouettes from one side. A silhouette does not determine the pose."""

import numpy as np

from gplvm_core.numerics import Array
from gplvm_core.readers.bodies.bvh import read_motion
from gplvm_core.readers.bodies.kinematics import joint_frames, merge_coincident
from gplvm_core.readers.bodies.poses import coordinate_names
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.shipped.files import vendored
from gplvm_core.shipped.poses import CMU_METRES, CMU_SOURCE, EVERY, TAKES
from gplvm_core.simulated.outline import FRAME, silhouettes

SIZE = 32
SECONDS = EVERY / 120
"""Time between two rows: the takes have 120 frames per second."""

MOVEMENTS = ("jumping", "climbing", "swinging")

SEQUENCES = (
    ((1, 0), (1080, 0), (2040, 0)),
    ((1, 1), (1560, 2), (2400, 1), (3480, 2)),
)
"""For each take, the first frame and the movement of each sequence."""


def load_silhouettes() -> Dataset:
    """Load 606 poses and their silhouettes, ten per second, in seven sequences of one person.

    Views "silhouette" (32 × 32 pixels, 1 inside the body, 0 outside) and "pose" (28 × 3 joint
    positions in metres, the root at the origin). The camera is fixed in front, so the body turns in
    both views; a silhouette does not distinguish front from back. Sequences: jumping forth, back
    and forth again (0, 1, 2; sequence 2 is suitable for tests), climbing (3), swinging (4),
    climbing and swinging again (5, 6). The labels are the movements; times start at 0 in each
    sequence. Raises DataError if the data files are missing. Source: after Damianou (2015), §5.3.3.
    """
    parts: list[Array] = []
    movements: list[int] = []
    for (filename, _), cuts in zip(TAKES, SEQUENCES, strict=True):
        motion, _ = read_motion(vendored(filename))
        skeleton, kept = merge_coincident(motion)
        joints, _ = joint_frames(motion)
        centred = (joints - joints[:, :1])[:, list(kept)] * CMU_METRES
        ends = [start for start, _ in cuts[1:]] + [len(joints)]
        for (start, movement), end in zip(cuts, ends, strict=True):
            parts.append(centred[start:end:EVERY])
            movements.append(movement)
    lengths = [len(part) for part in parts]
    bodies = np.concatenate(parts)
    pictures = silhouettes(bodies, skeleton, SIZE)
    pose = Dataset(
        name="pose",
        title="Pose",
        targets=bodies.reshape(len(bodies), -1),
        drawing=Drawing("skeleton", bodies.shape[1:], skeleton=skeleton),
        column_names=coordinate_names(skeleton),
    )
    drawing = Drawing("image", pictures.shape[1:], (0.0, 1.0))
    return Dataset.of_views(
        "silhouettes",
        "Silhouettes and poses",
        {
            "silhouette": (pictures.reshape(len(bodies), -1), drawing),
            "pose": pose,
        },
        labels=np.repeat(movements, lengths),
        label_names=MOVEMENTS,
        times=np.concatenate([np.arange(length) for length in lengths]) * SECONDS,
        sequences=np.repeat(np.arange(len(parts)), lengths),
        source=CMU_SOURCE,
        notes=(
            f"One frame in {EVERY} of two takes (frame 0 of each, a T-pose, is left out), cut into "
            f"{len(parts)} sequences.",
            "Joint positions in metres with the root at the origin; the body's direction is not "
            "changed. The camera looks along −z.",
            f"Silhouettes are drawn from the poses: a capsule along every bone, {SIZE} × {SIZE} "
            f"pixels for {FRAME} × {FRAME} m. Histograms of gradients predict the poses about "
            "as well, but cannot be viewed as pictures.",
        ),
    )
