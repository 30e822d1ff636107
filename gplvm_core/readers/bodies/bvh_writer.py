"""Write joint positions as a BVH file, with the hierarchy of their file or one of their own.

A joint's rotation determines the directions of its bones; if a joint has several bones, only the
first bone's direction is exact. Positions do not determine the rotation about a bone's own axis;
the rotation nearest to that in a usual frame of the file is used. For joints with fewer than three
rotations, the written bones are as close to the positions as these rotations allow.

Without a file, bones have their mean lengths. Several bones that start at one joint may move
relative to each other. Each of these bones therefore gets an additional joint of length 0, as in
motion-capture programs for hips.
"""

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.bodies.kinematics import AXES, aligned_turn, angles_of, local_turn
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
    rig = skeleton.rig or _rig(skeleton, positions)
    lines = ["HIERARCHY", *_described(rig, 0, ""), "MOTION"]
    lines += [f"Frames: {len(positions)}", f"Frame Time: {frame_time:.7f}"]
    lines += [" ".join(f"{value:.6f}" for value in row) for row in rig_channels(rig, positions)]
    return "\n".join(lines) + "\n"


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


def rig_channels(rig: Rig, positions: Float[Array, "F J 3"]) -> Float[Array, "F C"]:
    """All channels of the file, for joint positions in the world; rotations in degrees."""
    points = positions[:, list(rig.points)]
    still = np.tile(np.eye(3), (len(positions), 1, 1))
    turns: list[Array] = []
    columns: list[Array] = [np.zeros((len(positions), 0))]
    start = 0
    for number, joint in enumerate(rig.joints):
        before = turns[joint.parent] if joint.parent >= 0 else still
        usual = np.array([rig.usual[start : start + len(joint.channels)]])
        start += len(joint.channels)
        turn = before @ local_turn(joint, usual)[1]
        if aims := _aims(rig, number):
            offsets = np.array([rig.joints[aim].offset for aim in aims])
            turn = aligned_turn(turn, offsets, points[:, aims] - points[:, [number]])
        here = points[:, number]
        if joint.parent >= 0:
            here = np.einsum("fji,fj->fi", before, here - points[:, joint.parent])
        values = _values(joint, here, np.swapaxes(before, 1, 2) @ turn)
        turns.append(before @ local_turn(joint, values)[1])
        columns.append(values)
    return np.hstack(columns)


def _aims(rig: Rig, number: int) -> list[int]:
    """The joints whose directions a joint's rotation determines.

    If the joint has no bones of its own, the bones of joints at the same place.
    """
    children = [child for child, joint in enumerate(rig.joints) if joint.parent == number]
    fixed = [child for child in children if not rig.joints[child].moves]
    bones = [child for child in fixed if any(rig.joints[child].offset)]
    return bones or [aim for child in fixed for aim in _aims(rig, child)]


def _values(joint: Joint, place: Array, local: Array) -> Array:
    """A joint's channels (F, C), from its place and rotation relative to its parent."""
    axes = "".join(channel[0] for channel in joint.channels if channel.endswith("rotation"))
    angles = np.rad2deg(np.unwrap(angles_of(local, axes), axis=0)) if axes else local[:, :0, 0]
    turned = iter(angles.T)
    columns = [
        place[:, AXES.index(channel[0])] if channel.endswith("position") else next(turned)
        for channel in joint.channels
    ]
    return np.stack(columns, axis=1) if columns else np.zeros((len(place), 0))


def _described(rig: Rig, number: int, indent: str) -> list[str]:
    """The lines of a joint and all joints below it."""
    joint = rig.joints[number]
    inside = indent + "  "
    children = [child for child, other in enumerate(rig.joints) if other.parent == number]
    end = not joint.channels and not children and joint.parent >= 0
    kind = "End Site" if end else f"{'JOINT' if indent else 'ROOT'} {joint.name}"
    channels = [] if end else [" ".join(["CHANNELS", str(len(joint.channels)), *joint.channels])]
    return [
        f"{indent}{kind}",
        f"{indent}{{",
        f"{inside}OFFSET " + " ".join(f"{value:.6f}" for value in joint.offset),
        *[f"{inside}{line}" for line in channels],
        *[line for child in children for line in _described(rig, child, inside)],
        f"{indent}}}",
    ]
