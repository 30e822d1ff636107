"""Write joint positions with the joints, offsets and channels of a motion file.

Bones have the lengths of the file. A joint's rotation determines the directions of its bones; if a
joint has several bones, only the first bone's direction is exact. Positions do not determine the
rotation about a bone's own axis; the rotation nearest to that in a usual frame of the file is used.
For joints with fewer than three rotations, the written bones are as close to the positions as these
rotations allow.
"""

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.bodies.kinematics import AXES, local_turn
from gplvm_core.readers.bodies.turns import aligned_turn, angles_of
from gplvm_core.readers.drawing import Joint, Rig


def rig_bvh(rig: Rig, positions: Float[Array, "F J 3"], frame_time: float) -> str:
    """The text of a BVH file with the file's own hierarchy and channels."""
    lines = ["HIERARCHY", *_described(rig, 0, ""), "MOTION"]
    lines += [f"Frames: {len(positions)}", f"Frame Time: {frame_time:.7f}"]
    lines += [" ".join(f"{value:.6f}" for value in row) for row in rig_channels(rig, positions)]
    return "\n".join(lines) + "\n"


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
    fixed = [child for child in children if not _moves(rig.joints[child])]
    bones = [child for child in fixed if any(rig.joints[child].offset)]
    return bones or [aim for child in fixed for aim in _aims(rig, child)]


def _moves(joint: Joint) -> bool:
    """Whether a joint has a position of its own in every frame."""
    return any(channel.endswith("position") for channel in joint.channels)


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
