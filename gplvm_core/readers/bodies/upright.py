"""Find the vertical axis of a motion, and turn the motion so that y is up.

BVH files do not say which axis is up: most programs write y, Blender and some others z. The axis is
measured, because the heading is a rotation about it.
"""

from dataclasses import replace

import numpy as np
from jaxtyping import Float
from scipy.spatial import cKDTree

from gplvm_core.numerics import Array
from gplvm_core.readers.bodies.bvh import Motion
from gplvm_core.readers.bodies.kinematics import AXES, joint_frames
from gplvm_core.readers.drawing import Joint
from gplvm_core.readers.errors import DataError

LOOKED_AT = 200  # most frames that are used
CLEAR = 1.5  # how many times the extent along the next axis a body's height must be
MIRRORED = 0.05  # largest mean distance from mirrored joints, as a fraction of the extent


def turned_upright(motion: Motion, up: str | None) -> tuple[Motion, str]:
    """Return the motion with y up, and a note. up: "x", "y" or "z"; None measures the axis.

    Raises DataError for another `up`.
    """
    if up is not None and up.upper() not in tuple(AXES):
        raise DataError(f'up must be "x", "y", "z" or None, got {up!r}.')
    axis = up.upper() if up else vertical(motion)
    if axis is None:
        return motion, (
            "The file does not say which axis is up, and its poses do not show it: y was assumed. "
            "In scripts, up= names another axis."
        )
    how = "as given" if up else "measured: skeleton and poses are longest along it"
    if axis == "Y":
        return motion, f"The y axis is up ({how})."
    note = f"The file's {axis.lower()} axis is up ({how}); the motion was turned so that y is up."
    return _turned(motion, axis), note


def vertical(motion: Motion) -> str | None:
    """Return the axis along which both the skeleton and the mean pose are clearly longest.

    The axis along which left and right mirror each other is not considered, because arms that
    are held out are as long as a body is tall. None if the two differ, or none is clearly longest.
    """
    offsets = np.array([joint.offset for joint in motion.joints])
    parents = [joint.parent for joint in motion.joints]
    skeleton = np.zeros_like(offsets)
    for number, parent in enumerate(parents):
        if parent >= 0:
            skeleton[number] = skeleton[parent] + offsets[number]
    sides = _sides(skeleton)
    some = motion.channels[:: max(1, len(motion.channels) // LOOKED_AT)]
    places, _ = joint_frames(replace(motion, channels=some))
    pose = (places - places[:, :1]).mean(axis=0)
    found = {_longest(points, sides) for points in (skeleton, pose)}
    return found.pop() if len(found) == 1 else None


def _sides(points: Float[Array, "J 3"]) -> str:
    """Return the axis along which left and right mirror each other, or ""."""
    points = np.unique(points, axis=0)
    best, sides = MIRRORED, ""
    for number, axis in enumerate(AXES):
        extent = np.ptp(points[:, number])
        mirror = np.where(np.arange(3) == number, -1.0, 1.0)
        if extent > 0:
            apart = float(np.mean(cKDTree(points).query(points * mirror)[0]) / extent)
            if apart < best:
                best, sides = apart, axis
    return sides


def _longest(points: Float[Array, "J 3"], sides: str) -> str | None:
    """Return the axis with clearly the largest extent among those that are not the sides'."""
    extents = {axis: float(np.ptp(points[:, AXES.index(axis)])) for axis in AXES if axis != sides}
    longest, second = sorted(extents, key=lambda axis: -extents[axis])[:2]
    clear = extents[longest] > CLEAR * extents[second]
    return longest if clear else None


def _turned(motion: Motion, up: str) -> Motion:
    """Return the motion, turned by 90° so that an axis becomes y: the axis to y, and y to −axis.

    Offsets, channels and their order stay those of the file, with other names of the axes.
    """
    from_y, to_y = AXES.index("Y"), AXES.index(up)
    swapped = str.maketrans(f"Y{up}", f"{up}Y")

    def turned(joint: Joint) -> Joint:
        offset = list(joint.offset)
        offset[from_y], offset[to_y] = offset[to_y], -offset[from_y]
        channels = tuple(each[0].translate(swapped) + each[1:] for each in joint.channels)
        return replace(joint, offset=(offset[0], offset[1], offset[2]), channels=channels)

    named = [channel for joint in motion.joints for channel in joint.channels]
    signs = np.array([-1.0 if channel[0] == "Y" else 1.0 for channel in named])
    joints = tuple(turned(joint) for joint in motion.joints)
    return replace(motion, joints=joints, channels=motion.channels * signs)
