"""Read poses from BVH motion-capture files."""

from dataclasses import replace

import numpy as np

from gplvm_core.readers.bodies.bvh import Motion, read_motion
from gplvm_core.readers.bodies.kinematics import chosen_frames, merge_coincident, poses, rig_of
from gplvm_core.readers.bodies.upright import turned_upright
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing, Skeleton
from gplvm_core.readers.errors import DataError, in_digits
from gplvm_core.readers.sources import Source, named


def read_bvh(
    source: Source,
    *,
    every: int = 1,
    first_frame: int = 0,
    unit_metres: float | None = None,
    up: str | None = None,
    encoding: str | None = None,
) -> Dataset:
    """Read poses from a BVH file, plain or gzipped: a row is J × 3 joint positions, y up.

    The root is moved to the origin and its heading to 0. The skeleton keeps the file's hierarchy,
    offsets and channels, so that exported movements have the same ones. `every` = k selects every
    k-th frame, starting with frame `first_frame` (1 leaves out a T-pose at the start).
    `unit_metres` is the file's unit of length in metres; None does not convert lengths. `up` is the
    file's vertical axis, "x", "y" or "z"; None measures it from the skeleton and the poses, and
    `notes` says which axis it is. Other axes than y are turned to y, in the skeleton too.
    `encoding` is that of the text, as for `read_table`. Raises a DataError that names the line for
    a file that is not BVH or that is cut off.

    Examples
    --------
    >>> from gplvm_core import read_bvh
    >>> file = b'''HIERARCHY
    ... ROOT Hips
    ... {
    ...   OFFSET 0 0 0
    ...   CHANNELS 3 Zrotation Yrotation Xrotation
    ...   End Site
    ...   {
    ...     OFFSET 0 2 0
    ...   }
    ... }
    ... MOTION
    ... Frames: 2
    ... Frame Time: 0.1
    ... 0 0 0
    ... 90 0 0
    ... '''
    >>> poses = read_bvh(file)
    >>> poses.values.round(2)
    array([[ 0.,  0.,  0.,  0.,  2.,  0.],
           [ 0.,  0.,  0., -2.,  0.,  0.]])
    >>> poses.times
    array([0. , 0.1])
    """
    motion, filename = read_motion(source, encoding)
    motion, which_up = turned_upright(motion, up)
    if unit_metres is not None and not 0 < unit_metres < np.inf:
        raise DataError(f"unit_metres must be a length above 0, got {unit_metres}.")
    chosen = chosen_frames(len(motion.channels), every, first_frame, filename)
    if len(chosen) < 2:
        raise DataError(
            f"{filename} leaves {len(chosen):,} of {len(motion.channels)} frames with "
            f"every={every} and first_frame={first_frame}; at least 2 are needed."
        )
    skeleton, kept = merge_coincident(motion)
    used = replace(motion, channels=motion.channels[chosen])
    scale = 1.0 if unit_metres is None else unit_metres
    positions = scale * poses(used)[:, list(kept)]
    skeleton = replace(skeleton, rig=rig_of(used, kept, scale))
    return Dataset(
        **named(filename, "a BVH motion-capture file"),
        targets=positions.reshape(len(chosen), -1),
        drawing=Drawing("skeleton", positions.shape[1:], skeleton=skeleton),
        column_names=coordinate_names(skeleton),
        times=chosen.astype(np.float64) * motion.frame_time,
        sequences=np.zeros(len(chosen), dtype=np.int64),
        notes=(
            *_notes(motion, skeleton, every, first_frame, len(chosen), unit_metres),
            which_up,
            *motion.notes,
        ),
    )


def coordinate_names(skeleton: Skeleton) -> tuple[str, ...]:
    """Return the column names of flattened joint positions, such as "Head x"."""
    return tuple(f"{joint} {axis}" for joint in skeleton.joint_names for axis in "xyz")


def _notes(
    motion: Motion,
    skeleton: Skeleton,
    every: int,
    first_frame: int,
    n_chosen: int,
    unit_metres: float | None,
) -> tuple[str, ...]:
    notes = [
        "Joint positions with the root at the origin and heading 0: the person's position in the "
        "room and direction are left out.",
    ]
    if n_chosen < len(motion.channels):
        start = f" from frame {first_frame} on" if first_frame else ""
        notes.append(
            f"{n_chosen} of {len(motion.channels)} frames are used: one in {every}{start}, "
            f"{in_digits(1 / (every * motion.frame_time), 3)} per second."
        )
    merged = len(motion.joints) - len(skeleton.joint_names)
    if merged:
        notes.append(
            f"{len(skeleton.joint_names)} points, including the ends of the last bones; {merged} "
            "joints that coincide with their parent are left out."
        )
    notes.append(
        "Lengths are in the file's unit."
        if unit_metres is None
        else f"Lengths were multiplied by {in_digits(unit_metres, 5)}, to metres."
    )
    return tuple(notes)
