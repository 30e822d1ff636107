"""A stick man who runs: joint positions from angles of the hips, knees, shoulders and elbows."""

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.drawing import Skeleton

N_FRAMES, N_STRIDES = 55, 3.4
BONES = {
    "pelvis": None,
    "neck": "pelvis",
    "head": "neck",
    "left hip": "pelvis",
    "left knee": "left hip",
    "left ankle": "left knee",
    "left toe": "left ankle",
    "right hip": "pelvis",
    "right knee": "right hip",
    "right ankle": "right knee",
    "right toe": "right ankle",
    "left shoulder": "neck",
    "left elbow": "left shoulder",
    "left hand": "left elbow",
    "right shoulder": "neck",
    "right elbow": "right shoulder",
    "right hand": "right elbow",
}
"""The joints and their parents."""

LEG_JOINTS = ("knee", "ankle", "toe")
THIGH, SHIN, FOOT, TRUNK, NECK, UPPER_ARM, FOREARM = 44.0, 43.0, 16.0, 52.0, 22.0, 30.0, 27.0
HIP_WIDTH, SHOULDER_WIDTH = 10.0, 19.0


def runner_skeleton() -> Skeleton:
    """Return the runner's joints and bones."""
    names = tuple(BONES)
    parents = (-1 if parent is None else names.index(parent) for parent in BONES.values())
    return Skeleton(names, tuple(parents))


def runner() -> Float[Array, "55 17 3"]:
    """Return 55 frames of a run of 3.4 strides, in cm: x forward, y up, z to the right.

    The pelvis moves up and down, but not forward. The strides grow a little, so that no two of them
    are equal. The model for this motion is the run of 55 frames in Lawrence (2005), section 4.
    """
    step = np.linspace(0.0, 1.0, N_FRAMES)
    phase = 2.0 * np.pi * N_STRIDES * step
    reach = 0.85 + 0.3 * step
    places = {"pelvis": _at(0.0 * phase, 97.0 + 3.0 * np.cos(2.0 * phase), 0.0 * phase)}
    lean = np.radians(8.0 + 3.0 * step)
    places["neck"] = places["pelvis"] + TRUNK * _along(lean, up=1.0)
    places["head"] = places["neck"] + NECK * _along(0.6 * lean, up=1.0)
    for name, side, own in (("left", -1.0, phase), ("right", 1.0, phase + np.pi)):
        twist = np.radians(9.0) * np.sin(own) * side
        sideways = _at(np.sin(twist), 0.0 * phase, np.cos(twist))
        hip = places["pelvis"] + side * HIP_WIDTH * sideways
        thigh = np.radians(12.0 + 36.0 * reach * np.cos(own))
        bent = np.radians(22.0 + 80.0 * reach * (0.5 + 0.5 * np.cos(own - 4.4)) ** 1.5)
        places[f"{name} hip"] = hip
        places[f"{name} knee"] = knee = hip + THIGH * _along(thigh)
        places[f"{name} ankle"] = ankle = knee + SHIN * _along(thigh - bent)
        places[f"{name} toe"] = ankle + FOOT * _along(thigh - bent + np.radians(80.0))
        shoulder = places["neck"] + side * SHOULDER_WIDTH * (sideways * np.array([-1.0, 1.0, 1.0]))
        arm = np.radians(-10.0 - 38.0 * reach * np.cos(own))
        elbow = shoulder + UPPER_ARM * _along(arm)
        fold = np.radians(85.0 - 15.0 * np.cos(own))
        places[f"{name} shoulder"], places[f"{name} elbow"] = shoulder, elbow
        places[f"{name} hand"] = elbow + FOREARM * _along(arm + fold)
    return np.stack([places[name] for name in BONES], axis=1)


def _at(x: Array, y: Array, z: Array) -> Float[Array, "F 3"]:
    return np.stack([x, y, z], axis=-1)


def _along(forward: Float[Array, " F"], up: float = -1.0) -> Float[Array, "F 3"]:
    """Return unit vectors at an angle to the vertical; up: 1 or −1 (down)."""
    return _at(np.sin(forward), up * np.cos(forward), 0.0 * forward)
