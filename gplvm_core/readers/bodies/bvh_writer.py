"""Write joint positions as a BVH file, with the hierarchy of their file or one of their own.

Without a file, bones have their mean lengths. Several bones that start at one joint may move
relative to each other. Each of these bones therefore gets an additional joint of length 0, as in
motion-capture programs for hips.
"""

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.bodies.rig_writer import rig_bvh
from gplvm_core.readers.drawing import Joint, Rig, Skeleton
from gplvm_core.readers.errors import DataError

ROTATIONS = ("Zrotation", "Xrotation", "Yrotation")
POSITIONS = ("Xposition", "Yposition", "Zposition")


def write_bvh(skeleton: Skeleton, positions: Float[Array, "F J 3"], frame_time: float) -> str:
    """Return the text of a BVH file; y is up, lengths have the unit of the positions.

    A skeleton with a rig is written with the joints, offsets and channels of the file it was read
    from.

    frame_time: seconds. Raises DataError for missing positions, and for a skeleton with several
    roots.
    """
    roots = [joint for joint, parent in enumerate(skeleton.parents) if parent < 0]
    if len(roots) != 1:
        raise DataError(f"A BVH file can have only one root; this skeleton has {len(roots)}.")
    if not np.isfinite(positions).all():
        raise DataError("A BVH file cannot store missing joint positions: fill the gaps first.")
    return rig_bvh(skeleton.rig or _rig(skeleton, positions), positions, frame_time)


def _offsets(skeleton: Skeleton, positions: Array) -> Array:
    """Return bones (J, 3) with the first frame's directions and mean lengths; 0 for the root."""
    offsets = np.zeros(positions.shape[1:])
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0:
            bones = positions[:, joint] - positions[:, parent]
            length = float(np.linalg.norm(bones, axis=1).mean())
            first = bones[0] / max(float(np.linalg.norm(bones[0])), 1e-12)
            offsets[joint] = length * first
    return offsets


def _rig(skeleton: Skeleton, positions: Array) -> Rig:
    """Return a hierarchy in which each bone can turn on its own."""
    offsets = _offsets(skeleton, positions)
    names = ["_".join(name.split()) for name in skeleton.joint_names]
    joints: list[Joint] = []
    points: list[int] = []

    def add(joint: int, above: int) -> None:
        children = [child for child, parent in enumerate(skeleton.parents) if parent == joint]
        channels = (POSITIONS if above < 0 else ()) + (ROTATIONS if children else ())
        x, y, z = offsets[joint].tolist()
        own = len(joints)
        joints.append(Joint(names[joint], above, (x, y, z), channels))
        points.append(joint)
        for child in children:
            if len(children) > 1:
                hinge = f"{names[joint]}_to_{names[child]}"
                joints.append(Joint(hinge, own, (0.0, 0.0, 0.0), ROTATIONS))
                points.append(joint)
            add(child, len(joints) - 1 if len(children) > 1 else own)

    add(0, -1)
    usual = (0.0,) * sum(len(joint.channels) for joint in joints)
    return Rig(tuple(joints), tuple(points), usual)
