"""Tests that joint rotations become joint positions; invalid bodies and motions are refused."""

import json

import numpy as np
import pytest

from gplvm_core.datasets import load_dataset, optional_datasets
from gplvm_core.readers import DataError
from gplvm_core.shipped.motions import motions_of, positions_of, read_body, read_take

JOINT = (
    '<joint name="{child}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
    '<origin xyz="{offset}"/>{axis}</joint>'
)
LINK = '<link name="{name}"><inertial><origin xyz="{centre}"/></inertial></link>'
BODY = (
    "<robot>"
    + "".join(
        LINK.format(name=name, centre=centre)
        for name, centre in (
            ("base", "0 0 0"),
            ("root", "0 1 0"),
            ("neck", "0 0.8 0"),
            ("right_knee", "0 -1 0"),
            ("right_ankle", "0.4 0 0"),
        )
    )
    + "".join(
        JOINT.format(child=child, kind=kind, parent=parent, offset=offset, axis=axis)
        for child, kind, parent, offset, axis in (
            ("root", "fixed", "base", "0 0 0", ""),
            ("neck", "spherical", "root", "0 4 0", ""),
            ("right_knee", "revolute", "root", "0 -4 0.8", '<axis xyz="0 0 1"/>'),
            ("right_ankle", "spherical", "right_knee", "0 -4 0", ""),
        )
    )
    + "</robot>\0"
).encode()
NO_TURN = [1.0, 0.0, 0.0, 0.0]


def frame(
    duration: float = 0.5,
    root: list[float] = NO_TURN,
    neck: list[float] = NO_TURN,
    knee: float = 0.0,
    place: tuple[float, float, float] = (0.0, 2.0, 0.0),
) -> list[float]:
    return [duration, *place, *root, *neck, knee, *NO_TURN]


def motion(*frames: list[float]) -> bytes:
    return json.dumps({"Loop": "wrap", "Frames": frames}).encode()


def about(axis: str, degrees: float) -> list[float]:
    half = np.deg2rad(degrees) / 2
    return [np.cos(half), *(np.sin(half) * (np.array(list("xyz")) == axis))]


def test_a_body_in_metres_with_its_ends():
    parts = read_body(BODY, "body")
    assert [part.name for part in parts] == [
        "root",
        "neck",
        "right_knee",
        "right_ankle",
        "head",
        "right_foot",
    ]
    assert [part.parent for part in parts] == [-1, 0, 0, 2, 1, 3]
    assert parts[1].offset == (0.0, 1.0, 0.0)


def test_a_standing_body_faces_along_z():
    parts = read_body(BODY, "body")
    take = read_take(motion(frame(), frame(place=(3.0, 2.5, 1.0))), "stand", parts)
    expected = [[0, 0, 0], [0, 1, 0], [-0.2, -1, 0], [-0.2, -2, 0], [0, 1.2, 0], [-0.2, -2, 0.1]]
    for positions in positions_of(take, parts):
        np.testing.assert_allclose(positions, expected, atol=1e-12)
    np.testing.assert_array_equal(take.root, [[0, 2, 0], [3, 2.5, 1]])


def test_headings_are_taken_out_and_tilts_stay():
    parts = read_body(BODY, "body")
    stand = positions_of(read_take(motion(frame(), frame()), "stand", parts), parts)[0]
    turned = read_take(motion(frame(root=about("y", 70)), frame(root=about("y", -100))), "", parts)
    for positions in positions_of(turned, parts):
        np.testing.assert_allclose(positions, stand, atol=1e-12)
    # Bodies in the files look along x, so a positive turn about z lays a body on its back.
    lying = read_take(motion(frame(root=about("z", 90)), frame()), "", parts)
    np.testing.assert_allclose(positions_of(lying, parts)[0, 1], [0, 0, -1], atol=1e-12)


def test_joints_rotate_everything_attached_to_them():
    parts = read_body(BODY, "body")
    bent = read_take(motion(frame(knee=-np.pi / 2), frame(neck=about("x", 90))), "bend", parts)
    knee, neck = positions_of(bent, parts)
    # The knee bends backwards: the ankle is behind the knee, and the foot points down.
    np.testing.assert_allclose(knee[3] - knee[2], [0, 0, -1], atol=1e-12)
    np.testing.assert_allclose(knee[5] - knee[3], [0, -0.1, 0], atol=1e-12)
    # The neck is turned about the viewing direction, so the head is on the right shoulder.
    np.testing.assert_allclose(neck[4] - neck[1], [-0.2, 0, 0], atol=1e-12)


def test_takes_become_sequences_with_times_and_labels():
    parts = read_body(BODY, "body")
    takes = [
        read_take(motion(frame(0.5), frame(0.25), frame(0.0)), "walk", parts),
        read_take(motion(frame(0.1), frame(0.1)), "jump", parts),
    ]
    data = motions_of(takes, parts)
    assert data.targets.shape == (5, 18)
    np.testing.assert_allclose(data.times, [0, 0.5, 0.75, 0, 0.1])
    np.testing.assert_array_equal(data.sequences, [0, 0, 0, 1, 1])
    assert data.label_names == ("walk", "jump")
    assert data.column_names[3:6] == ("neck x", "neck y", "neck z")
    assert data.covariates["root"].shape == (5, 3)
    assert "5 frames of 2 motions" in data.notes[1]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"{", "cannot be read"),
        (b"{}", "cannot be read"),
        (motion(frame()[:-1], frame()[:-1]), r"frames of 17 numbers; got shape \(2, 16\)"),
        (motion(frame()), "at least 2 frames"),
        (motion(frame(-1.0), frame()), "duration of 0 or less"),
        (motion(frame(root=[0.0] * 4), frame()), "invalid rotations"),
    ],
)
def test_files_without_a_motion_are_refused(data: bytes, words: str):
    with pytest.raises(DataError, match=words):
        read_take(data, "strange", read_body(BODY, "body"))


@pytest.mark.parametrize(
    "data",
    [
        b"no xml",
        BODY.replace(b"spherical", b"planar"),
        BODY.replace(b"0 4 0", b"0 4"),
        BODY.replace(b'<parent link="right_knee"/>', b""),
        BODY.replace(b'<parent link="right_knee"/>', b'<parent link="tail"/>'),
    ],
)
def test_files_without_the_body_are_refused(data: bytes):
    with pytest.raises(DataError, match=r"humanoid\.urdf is not the body"):
        read_body(data, "humanoid.urdf")


def test_the_motions_of_pybullet():
    if optional_datasets()["motions"]:
        pytest.skip("pybullet not installed (optional data)")
    data = load_dataset("motions")
    names = data.drawing.skeleton.joint_names
    joints = data.values.reshape(-1, *data.drawing.shape)
    assert len(data.label_names) == 20
    walk = joints[data.labels == data.label_names.index("walk")]
    assert np.median(walk[:, names.index("head"), 1] - walk[:, names.index("left_foot"), 1]) > 1.3
    assert (walk[:, names.index("left_hip"), 0] > 0).all()
    ahead = walk[:, names.index("left_foot"), 2] - walk[:, names.index("left_ankle"), 2]
    assert np.median(ahead) > 0
