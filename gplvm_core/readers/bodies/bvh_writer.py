"""Write joint positions as a BVH file: the mean lengths of the bones, and rotations that align the
bones.

Positions do not determine a bone's rotation about its own axis. Many rotations give a bone its
direction; the writer uses the one that is nearest to the parent's rotation. Several bones that
start at one joint may move relative to each other. Each of these bones therefore gets an additional
joint of length 0, as in motion-capture programs for hips.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.bodies.rig_writer import rig_bvh
from gplvm_core.readers.bodies.turns import shortest_turn
from gplvm_core.readers.drawing import Skeleton
from gplvm_core.readers.errors import DataError

ROTATIONS = ("Zrotation", "Xrotation", "Yrotation")
POSITIONS = ("Xposition", "Yposition", "Zposition")


@dataclass(frozen=True, eq=False)
class BvhJoint:
    """A joint of the file. rotation: (F, 3, 3) in world coordinates; None for the end of a bone."""

    name: str
    offset: Float[Array, " 3"]
    rotation: Float[Array, "F 3 3"] | None
    children: tuple["BvhJoint", ...] = ()


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
    if skeleton.rig is not None:
        return rig_bvh(skeleton.rig, positions, frame_time)
    offsets = _offsets(skeleton, positions)
    still = np.tile(np.eye(3), (len(positions), 1, 1))
    root = _node(skeleton, positions, offsets, 0, still)
    columns = [positions[:, 0], *_channels(root, still)]
    lines = ["HIERARCHY", *_described(root, ""), "MOTION"]
    lines += [f"Frames: {len(positions)}", f"Frame Time: {frame_time:.7f}"]
    lines += [" ".join(f"{value:.6f}" for value in row) for row in np.hstack(columns)]
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


def _node(
    skeleton: Skeleton, positions: Array, offsets: Array, joint: int, before: Array
) -> BvhJoint:
    """Return a joint with all joints below it.

    before: the rotation of the joint's parent.
    """
    name = "_".join(skeleton.joint_names[joint].split())
    children = [child for child, parent in enumerate(skeleton.parents) if parent == joint]
    if not children:
        return BvhJoint(name, offsets[joint], None)
    bones = positions[:, children] - positions[:, [joint]]

    def pointed(number: int, start: Array) -> Array:
        return shortest_turn(start @ offsets[children[number]], bones[:, number]) @ start

    def below(child: int, rotation: Array) -> BvhJoint:
        return _node(skeleton, positions, offsets, child, rotation)

    if len(children) == 1:
        own = pointed(0, before)
        return BvhJoint(name, offsets[joint], own, (below(children[0], own),))
    own = _best(np.einsum("fij,cj->fci", before, offsets[children]), bones) @ before
    hinges = []
    for number, child in enumerate(children):
        turned = pointed(number, own)
        hinge = f"{name}_to_{'_'.join(skeleton.joint_names[child].split())}"
        hinges.append(BvhJoint(hinge, np.zeros(3), turned, (below(child, turned),)))
    return BvhJoint(name, offsets[joint], own, tuple(hinges))


def _channels(node: BvhJoint, before: Array) -> list[Array]:
    """Return angles (F, 3) in degrees of a joint and all joints below it, in the file's order."""
    if node.rotation is None:
        return []
    local = np.swapaxes(before, 1, 2) @ node.rotation
    further = [each for child in node.children for each in _channels(child, node.rotation)]
    return [np.rad2deg(_angles(local)), *further]


def _described(node: BvhJoint, indent: str) -> list[str]:
    """Return the lines of a joint and all joints below it."""
    offset = " ".join(f"{value:.6f}" for value in node.offset)
    inside = indent + "  "
    if node.rotation is None:
        return [f"{indent}End Site", f"{indent}{{", f"{inside}OFFSET {offset}", f"{indent}}}"]
    channels = ROTATIONS if indent else (*POSITIONS, *ROTATIONS)
    return [
        f"{indent}{'JOINT' if indent else 'ROOT'} {node.name}",
        f"{indent}{{",
        f"{inside}OFFSET {offset}",
        f"{inside}CHANNELS {len(channels)} {' '.join(channels)}",
        *[line for child in node.children for line in _described(child, inside)],
        f"{indent}}}",
    ]


def _best(start: Float[Array, "F C 3"], end: Float[Array, "F C 3"]) -> Float[Array, "F 3 3"]:
    """Return the rotations that best align several start directions with end directions (Kabsch
    1976).
    """
    left, _, right = np.linalg.svd(np.einsum("fci,fcj->fij", end, start))
    sign = np.linalg.det(left @ right)
    left[:, :, 2] *= sign[:, None]
    return np.asarray(left @ right)


def _angles(rotation: Float[Array, "F 3 3"]) -> Float[Array, "F 3"]:
    """Return the angles about z, x, y, in radians, whose rotations in this order give
    `rotation`.
    """
    about_x = np.arcsin(np.clip(rotation[:, 2, 1], -1.0, 1.0))
    about_z = np.arctan2(-rotation[:, 0, 1], rotation[:, 1, 1])
    about_y = np.arctan2(-rotation[:, 2, 0], rotation[:, 2, 2])
    return np.stack([about_z, about_x, about_y], axis=1)
