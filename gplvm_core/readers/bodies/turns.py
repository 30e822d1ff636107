"""Rotations that align bones, and rotations as angles in any order of axes."""

import warnings
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.spatial.transform import Rotation

from gplvm_core.numerics import Array
from gplvm_core.readers.bodies.kinematics import AXES


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
