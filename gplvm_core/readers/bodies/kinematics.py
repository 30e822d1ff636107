"""Compute joint positions from joint angles, and poses relative to the root."""

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.numerics import Array, IntArray
from gplvm_core.readers.bodies.bvh import Motion
from gplvm_core.readers.drawing import Joint, Rig, Skeleton
from gplvm_core.readers.errors import DataError, plural

AXES = "XYZ"


def axis_rotation(axis: str, radians: Float[Array, " F"]) -> Float[Array, "F 3 3"]:
    """Return rotations about a coordinate axis, counterclockwise as seen from its tip."""
    after, before = (AXES.index(axis) + 1) % 3, (AXES.index(axis) + 2) % 3
    rotation = np.tile(np.eye(3), (len(radians), 1, 1))
    cosine, sine = np.cos(radians), np.sin(radians)
    rotation[:, after, after] = rotation[:, before, before] = cosine
    rotation[:, before, after], rotation[:, after, before] = sine, -sine
    return rotation


def joint_frames(motion: Motion) -> tuple[Float[Array, "F J 3"], Float[Array, "F 3 3"]]:
    """Return every joint's position in the world, y up, and the root's rotation.

    A joint's rotation is its parent's rotation times the product of its channels' rotations, in
    their order in the file. Position channels replace a joint's offset, as in motion-capture
    programs: absolute for a root, relative to the parent otherwise.
    """
    n_frames = len(motion.channels)
    positions = np.empty((n_frames, len(motion.joints), 3))
    rotations: list[Array] = []
    start = 0
    for number, joint in enumerate(motion.joints):
        values = motion.channels[:, start : start + len(joint.channels)]
        start += len(joint.channels)
        offset, rotation = local_turn(joint, values)
        if joint.parent < 0:
            positions[:, number] = offset
        else:
            parent = rotations[joint.parent]
            positions[:, number] = positions[:, joint.parent] + np.einsum(
                "fij,fj->fi", parent, offset
            )
            rotation = parent @ rotation
        rotations.append(rotation)
    return positions, rotations[0]


def local_turn(joint: Joint, values: Float[Array, "F C"]) -> tuple[Array, Array]:
    """A joint's offset (F, 3) and rotation (F, 3, 3) relative to its parent, from its channels."""
    offset = np.tile(np.array(joint.offset), (len(values), 1))
    rotation = np.tile(np.eye(3), (len(values), 1, 1))
    for channel, column in zip(joint.channels, values.T, strict=True):
        if channel.endswith("position"):
            offset[:, AXES.index(channel[0])] = column
        else:
            rotation = rotation @ axis_rotation(channel[0], np.deg2rad(column))
    return offset, rotation


def heading(rotation: Float[Array, "F 3 3"]) -> Float[Array, " F"]:
    """Return the angle, in radians, of the rotation about the vertical axis y nearest to each
    rotation.

    "Nearest" is meant in the Frobenius norm: the angle is the twist of a swing-twist decomposition.
    Unlike the direction in which a body faces, this angle is also defined for a body that lies
    flat.
    """
    return np.arctan2(rotation[:, 0, 2] - rotation[:, 2, 0], rotation[:, 0, 0] + rotation[:, 2, 2])


def poses(motion: Motion) -> Float[Array, "F J 3"]:
    """Return joint positions with the root at the origin and heading 0, y up."""
    positions, root = joint_frames(motion)
    centred = positions - positions[:, :1]
    back = axis_rotation("Y", -heading(root))
    return np.einsum("fij,fkj->fki", back, centred)


def merge_coincident(motion: Motion) -> tuple[Skeleton, tuple[int, ...]]:
    """Return the skeleton without joints that coincide with their parent, and the indices of the
    remaining joints.

    A removed joint only adds a rotation; its position equals its parent's.
    """
    merged_into: list[int] = []
    kept: list[int] = []
    for number, joint in enumerate(motion.joints):
        moves = any(channel.endswith("position") for channel in joint.channels)
        if joint.parent >= 0 and not any(joint.offset) and not moves:
            merged_into.append(merged_into[joint.parent])
        else:
            merged_into.append(len(kept))
            kept.append(number)
    parents = (motion.joints[number].parent for number in kept)
    skeleton = Skeleton(
        joint_names=tuple(motion.joints[number].name for number in kept),
        parents=tuple(merged_into[parent] if parent >= 0 else -1 for parent in parents),
    )
    return skeleton, tuple(kept)


def rig_of(motion: Motion, kept: tuple[int, ...], scale: float) -> Rig:
    """The rig of a motion. kept: the joints as `merge_coincident` returns them; scale: of lengths.

    The usual frame of the rig is the frame whose pose is nearest to the mean pose.
    """
    points: list[int] = []
    joints = []
    for number, joint in enumerate(motion.joints):
        points.append(kept.index(number) if number in kept else points[joint.parent])
        x, y, z = joint.offset
        offset = (scale * x, scale * y, scale * z)
        joints.append(Joint(joint.name, joint.parent, offset, joint.channels))
    shapes = poses(motion).reshape(len(motion.channels), -1)
    middle = int(np.argmin(np.sum((shapes - shapes.mean(axis=0)) ** 2, axis=1)))
    return Rig(tuple(joints), tuple(points), tuple(motion.channels[middle].tolist()))


def chosen_frames(count: int, every: int, first: int, name: str) -> Int[IntArray, " n"]:
    """Return the numbers of every k-th frame of a file. Raises DataError for other numbers."""
    if every < 1 or not 0 <= first < count:
        raise DataError(
            f"{name} has {plural(count, 'frame')}; got every={every} and first_frame={first}. "
            "every must be at least 1, and first_frame inside the file."
        )
    return np.arange(first, count, every)
