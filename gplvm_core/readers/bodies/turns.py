"""Rotations that align bones, and rotations as angles in any order of axes."""

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.bodies.kinematics import AXES

FULL = 1.0 - 1e-9  # the sine above which the first and the third axis coincide


def shortest_turn(start: Float[Array, "F 3"], end: Float[Array, "F 3"]) -> Float[Array, "F 3 3"]:
    """The smallest rotations from one direction to another (Rodrigues)."""
    u, v = (a / np.maximum(np.linalg.norm(a, axis=1, keepdims=True), 1e-12) for a in (start, end))
    cosine = np.sum(u * v, axis=1)
    # For opposite directions, half a turn about any perpendicular axis is used.
    across = np.cross(u, np.eye(3)[np.argmin(np.abs(u), axis=1)])
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-12)
    half = 2.0 * across[:, :, None] * across[:, None, :] - np.eye(3)
    cross = _cross(np.cross(u, v))
    flat = cosine < -1.0 + 1e-9
    share = 1.0 / np.where(flat, 1.0, 1.0 + cosine)
    turn = np.eye(3) + cross + share[:, None, None] * (cross @ cross)
    return np.where(flat[:, None, None], half, turn)


def _cross(axis: Float[Array, "F 3"]) -> Float[Array, "F 3 3"]:
    """The matrices of the cross products with vectors."""
    x, y, z = axis.T
    zero = np.zeros_like(x)
    return np.stack([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)


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
    cross = _cross(axis)
    sines, rest = np.sin(angle)[:, None, None], (1.0 - np.cos(angle))[:, None, None]
    return np.asarray((np.eye(3) + sines * cross + rest * (cross @ cross)) @ turn)


def angles_of(rotation: Float[Array, "F 3 3"], axes: str) -> Float[Array, "F A"]:
    """Angles in radians about some axes, such as "ZYX", whose rotations in this order give the
    product. With fewer than three axes, the product is only close to the rotation.
    """
    if len(axes) == 1:
        a = AXES.index(axes)
        b, c = (a + 1) % 3, (a + 2) % 3
        sine, cosine = rotation[:, c, b] - rotation[:, b, c], rotation[:, b, b] + rotation[:, c, c]
        return np.arctan2(sine, cosine)[:, None]
    order = [AXES.index(axis) for axis in axes]
    a, b, c = [*order, *(set(range(3)) - set(order))]
    sign = 1.0 if (b - a) % 3 == 1 else -1.0
    sine = np.clip(sign * rotation[:, a, c], -1.0, 1.0)
    flat = np.abs(sine) > FULL
    first = np.where(
        flat,
        np.arctan2(sign * rotation[:, c, b], rotation[:, b, b]),
        np.arctan2(-sign * rotation[:, b, c], rotation[:, c, c]),
    )
    third = np.where(flat, 0.0, np.arctan2(-sign * rotation[:, a, b], rotation[:, a, a]))
    return np.stack([first, np.arcsin(sine), third], axis=1)[:, : len(axes)]
