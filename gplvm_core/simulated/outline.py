"""Draw a body's outline: its bones as capsules, seen by an orthographic camera."""

import re

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.drawing import Skeleton

RADII = (
    (r"^head end", 0.11),
    (r"^(head|neck)", 0.08),
    (r"^(hips|spine|chest)", 0.13),
    (r"upleg$", 0.12),
    (r"leg$", 0.085),
    (r"foot$", 0.06),
    (r"^(left|right)arm$", 0.09),
    (r"forearm$", 0.055),
)
"""Radius in metres of the bone that ends in a joint whose name matches the pattern."""

OTHER_RADIUS = 0.045
FRAME = 2.2
"""Width and height of a picture in metres."""

CENTRE = (0.0, -0.18)
"""The position of the centre of a picture: metres to the right of the root, and above it."""


def bone_radii(skeleton: Skeleton) -> Float[Array, " J"]:
    """Return the radius, in metres, of the bone that ends in each joint."""

    def radius(name: str) -> float:
        fits = (size for pattern, size in RADII if re.search(pattern, name.lower()))
        return next(fits, OTHER_RADIUS)

    return np.array([radius(name) for name in skeleton.joint_names])


def silhouettes(
    positions: Float[Array, "N J 3"], skeleton: Skeleton, size: int
) -> Float[Array, "N size size"]:
    """Return pictures of bodies from the front: 1 inside, 0 outside, values in between at the edge.

    positions: in metres with the root at the origin, x to the right, y up, z towards the camera.
    A pixel is inside a capsule if its distance from the projected bone is at most the radius; the
    edge is smoothed over one pixel.
    """
    pixel = FRAME / size
    along = (np.arange(size) + 0.5) * pixel - FRAME / 2
    right, up = CENTRE[0] + along[None, :], CENTRE[1] - along[:, None]
    ends = np.array([joint for joint, parent in enumerate(skeleton.parents) if parent >= 0])
    starts = np.array(skeleton.parents)[ends]
    radii = bone_radii(skeleton)[ends][:, None, None]
    pictures = np.empty((len(positions), size, size))
    # Pictures are drawn one at a time, so that all bones and pixels of a picture fit into the
    # processor's cache.
    for picture, flat in zip(pictures, positions[..., :2], strict=True):
        origin = flat[starts][:, :, None, None]
        bone = flat[ends][:, :, None, None] - origin
        x, y = right - origin[:, 0], up - origin[:, 1]
        squared = np.maximum(bone[:, 0] ** 2 + bone[:, 1] ** 2, 1e-12)
        share = np.clip((x * bone[:, 0] + y * bone[:, 1]) / squared, 0.0, 1.0)
        distance = np.hypot(x - share * bone[:, 0], y - share * bone[:, 1])
        picture[:] = np.clip(0.5 - (distance - radii).min(axis=0) / pixel, 0.0, 1.0)
    return pictures
