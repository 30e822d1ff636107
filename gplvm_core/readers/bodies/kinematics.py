"""Compute joint positions from joint angles, and poses relative to the root; rotations that align
bones, and rotations as angles in any order of axes.
"""

import warnings
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy.spatial.transform import Rotation

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
        if joint.parent >= 0 and not any(joint.offset) and not joint.moves:
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


def shortest_turn(start: Float[Array, "F 3"], end: Float[Array, "F 3"]) -> Float[Array, "F 3 3"]:
    """The smallest rotations from one direction to another."""
    u, v = (a / np.maximum(np.linalg.norm(a, axis=1, keepdims=True), 1e-12) for a in (start, end))
    cosine = np.sum(u * v, axis=1)
    # For opposite directions, half a turn about any perpendicular axis is used.
    across = np.cross(u, np.eye(3)[np.argmin(np.abs(u), axis=1)])
    axis = np.where(cosine[:, None] < -1.0 + 1e-9, across, np.cross(u, v))
    axis /= np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-12)
    return turns_about(axis, np.arctan2(np.linalg.norm(np.cross(u, v), axis=1), cosine))


def turns_about(axis: Float[Array, "F 3"], angle: Float[Array, " F"]) -> Float[Array, "F 3 3"]:
    """Rotations by angles in radians about unit vectors."""
    return np.asarray(Rotation.from_rotvec(angle[:, None] * axis).as_matrix())


def aligned_turn(
    reference: Float[Array, "F 3 3"], offsets: Float[Array, "C 3"], bones: Float[Array, "F C 3"]
) -> Float[Array, "F 3 3"]:
    """The rotations nearest to a reference that give the first bone its direction, and then the
    others as closely as possible."""
    turn = shortest_turn(reference @ offsets[0], bones[:, 0]) @ reference
    length = np.linalg.norm(bones[:, :1], axis=2)
    axis = bones[:, 0] / np.maximum(length, 1e-12)
    start = np.einsum("fij,cj->fci", turn, offsets[1:])
    others = bones[:, 1:]
    sine = np.einsum("fci,fci->f", np.cross(axis[:, None], start), others)
    cosine = np.einsum("fci,fci->f", start, others)
    cosine -= np.einsum("fci,fi,fcj,fj->f", start, axis, others, axis)
    angle = np.arctan2(sine, cosine)
    return turns_about(axis, angle) @ turn


def angles_of(rotation: Float[Array, "F 3 3"], axes: str) -> Float[Array, "F A"]:
    """Angles in radians about some axes, such as "ZYX", whose rotations in this order give the
    product. With fewer than three axes, the product is only close to the rotation.
    """
    if len(axes) == 1:
        a = AXES.index(axes)
        b, c = (a + 1) % 3, (a + 2) % 3
        sine, cosine = rotation[:, c, b] - rotation[:, b, c], rotation[:, b, b] + rotation[:, c, c]
        return np.arctan2(sine, cosine)[:, None]
    order: Any = axes + "".join(axis for axis in AXES if axis not in axes)
    with warnings.catch_warnings(action="ignore"):  # where the first and the third axis coincide
        angles = Rotation.from_matrix(rotation).as_euler(order)
    return np.asarray(angles[:, : len(axes)])
