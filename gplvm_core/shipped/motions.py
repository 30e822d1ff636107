"""Human motions from the package pybullet: joint rotations of pybullet's body model."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.bodies.kinematics import axis_rotation, heading
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing, Skeleton
from gplvm_core.readers.errors import DataError
from gplvm_core.readers.packages import files_of, require_packages

PACKAGE = "pybullet"
METRES = 0.25
"""The unit of length of the body, in metres."""

# The number of values per frame for each kind of joint: a quaternion (w, x, y, z), or an angle
# about one axis.
NUMBERS = {"spherical": 4, "revolute": 1, "fixed": 0}
# Parts without a joint at their end, and the names of their centres of mass.
ENDS = {"neck": "head", "right_ankle": "right_foot", "left_ankle": "left_foot"}
# A frame begins with its duration, and the root's position and rotation.
BEFORE_JOINTS = 1 + 3 + 4


@dataclass(frozen=True)
class BodyPart:
    """A part of a body, its parent joint, and its offset in metres along the parent's axes."""

    name: str
    parent: int
    kind: str
    offset: tuple[float, ...]
    axis: tuple[float, ...] = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Take:
    """One motion: times in seconds, the root's position in metres, rotations of the parts."""

    name: str
    times: Float[Array, " F"]
    root: Float[Array, "F 3"]
    rotations: tuple[Float[Array, "F 3 3"], ...]


def load_motions() -> Dataset:
    """Load joint positions of one body that walks, jumps, kicks, rolls, and so on.

    Every motion is a sequence with a label. `covariates` hold the root's position ("root", in
    metres, y up). Raises DataError if pybullet, which includes the files, is not installed.
    """
    require_packages("The human motions", (PACKAGE,))
    body = files_of(PACKAGE, r"pybullet_data/humanoid/humanoid\.urdf")[()]
    parts = read_body(body.read_bytes(), body.name)
    files = files_of(PACKAGE, r"data/motions/(?:(walker)/0?|humanoid3d_)(\w+)\.txt")
    takes = [
        read_take(path.read_bytes(), " ".join(filter(None, key)).replace("_", " "), parts)
        for key, path in sorted(files.items())
    ]
    return motions_of(takes, parts)


def motions_of(takes: Sequence[Take], parts: Sequence[BodyPart]) -> Dataset:
    """Make one data set of several takes of one body."""
    counts = [len(take.times) for take in takes]
    steps = [float(np.median(np.diff(take.times))) for take in takes]
    which = np.repeat(np.arange(len(takes)), counts)
    skeleton = Skeleton(tuple(p.name for p in parts), tuple(p.parent for p in parts))
    positions = np.concatenate([positions_of(take, parts) for take in takes])
    return Dataset(
        name="motions",
        title="Human motions",
        targets=positions.reshape(len(positions), -1),
        drawing=Drawing("skeleton", positions.shape[1:], skeleton=skeleton),
        labels=which,
        label_names=tuple(take.name for take in takes),
        column_names=tuple(f"{part.name} {axis}" for part in parts for axis in "xyz"),
        times=np.concatenate([take.times for take in takes]),
        sequences=which,
        source=(
            "Motions in the format of DeepMimic (X. B. Peng et al., 2018) and their humanoid body, "
            "as shipped by the Python package pybullet (zlib licence)."
        ),
        notes=(
            "Joint positions in metres with the root at the origin and heading 0: the person's "
            "position in the room and direction are left out.",
            f"All {len(positions)} frames of {len(takes)} motions with different rates, "
            f"{1 / max(steps):.0f} to {1 / min(steps):.0f} per second.",
        ),
        covariates={"root": np.concatenate([take.root for take in takes])},
    )


def read_body(data: bytes, name: str) -> tuple[BodyPart, ...]:
    """Read the parts of a body (URDF) in the order of its joints, the root first.

    Head and feet have no joint at their end, so their centre of mass is used as the end. Raises
    DataError for other files.
    """
    try:
        # The file in the package ends with a null byte.
        robot = ET.fromstring(data.rstrip(b"\0"))  # noqa: S314 (a file of an installed package)
        joints = [joint for joint in robot.findall("joint") if _link(joint, "parent") != "base"]
        centres = {
            link.attrib["name"]: _numbers(link.find("inertial/origin"), "xyz")
            for link in robot.findall("link")
        }
        parts = [BodyPart("root", -1, "spherical", (0.0, 0.0, 0.0))]
        for joint in joints:
            names = [part.name for part in parts]
            own = _link(joint, "child")
            kind = joint.attrib["type"]
            if kind not in NUMBERS:
                raise ValueError(f"the joint {own} is {kind}")
            axis = joint.find("axis")
            parts.append(
                BodyPart(
                    own,
                    names.index(_link(joint, "parent")),
                    kind,
                    _numbers(joint.find("origin"), "xyz"),
                    (0.0, 0.0, 1.0) if axis is None else _numbers(axis, "xyz", 1.0),
                )
            )
    except (ET.ParseError, KeyError, ValueError, AttributeError) as error:
        raise DataError(
            f"{name} is not the body of the motions: {error}. Install pybullet again."
        ) from error
    for number, part in enumerate(tuple(parts)):
        if part.name in ENDS:
            parts.append(BodyPart(ENDS[part.name], number, "fixed", centres[part.name]))
    return tuple(parts)


def _link(joint: ET.Element, end: str) -> str:
    found = joint.find(end)
    if found is None:
        raise ValueError(f"the joint {joint.get('name')} has no {end}")
    return found.attrib["link"]


def _numbers(element: ET.Element | None, key: str, scale: float = METRES) -> tuple[float, ...]:
    if element is None:
        raise ValueError(f"a part has no {key}")
    found = tuple(scale * float(number) for number in element.attrib[key].split())
    if len(found) != 3 or not np.isfinite(found).all():
        raise ValueError(f"{key} = {element.attrib[key]!r}")
    return found


def read_take(data: bytes, name: str, parts: Sequence[BodyPart]) -> Take:
    """Read a motion (JSON): frames with a duration, the root's position and the joints' rotations.

    Raises DataError for other files.
    """
    width = BEFORE_JOINTS + sum(NUMBERS[part.kind] for part in parts[1:])
    try:
        frames = np.array(json.loads(data)["Frames"], dtype=np.float64)
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"The motion {name!r} cannot be read: {error}.") from error
    if frames.ndim != 2 or frames.shape[1] != width or len(frames) < 2:
        raise DataError(
            f"The motion {name!r} needs at least 2 frames of {width} numbers; got shape "
            f"{frames.shape}."
        )
    if not np.isfinite(frames).all() or (frames[:-1, 0] <= 0).any():
        raise DataError(f"The motion {name!r} has a duration of 0 or less, or an infinite number.")
    # The duration of the last frame does not matter.
    times = np.append(0.0, np.cumsum(frames[:-1, 0]))
    rotations = [_of_quaternions(frames[:, 4:8], name)]
    start = BEFORE_JOINTS
    for part in parts[1:]:
        own = frames[:, start : start + NUMBERS[part.kind]]
        start += NUMBERS[part.kind]
        rotations.append(_rotation(part, own, name))
    return Take(name, times, frames[:, 1:4], tuple(rotations))


def _rotation(part: BodyPart, numbers: Array, name: str) -> Float[Array, "F 3 3"]:
    if part.kind == "spherical":
        return _of_quaternions(numbers, name)
    if part.kind == "revolute":
        half = 0.5 * numbers
        return _of_quaternions(np.hstack([np.cos(half), np.sin(half) * np.array(part.axis)]), name)
    return np.tile(np.eye(3), (len(numbers), 1, 1))


def _of_quaternions(numbers: Float[Array, "F 4"], name: str) -> Float[Array, "F 3 3"]:
    size = np.linalg.norm(numbers, axis=1, keepdims=True)
    if (size < 0.1).any():
        raise DataError(f"The motion {name!r} has invalid rotations (all numbers 0).")
    w, x, y, z = (numbers / size).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def positions_of(take: Take, parts: Sequence[BodyPart]) -> Float[Array, "F J 3"]:
    """Return the parts' joint positions: the root at the origin, heading 0, facing z, y up."""
    # In the files, bodies face x.
    turned = axis_rotation("Y", -heading(take.rotations[0]) - 0.5 * np.pi)
    whole = [turned @ take.rotations[0]]
    found = [np.zeros((len(take.times), 3))]
    for part, rotation in zip(parts[1:], take.rotations[1:], strict=True):
        parent = whole[part.parent]
        found.append(found[part.parent] + parent @ np.array(part.offset))
        whole.append(parent @ rotation)
    return np.stack(found, axis=1)
