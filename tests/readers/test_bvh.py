"""Tests of BVH files: parsing, errors that name the line, kinematics against SciPy's rotations."""

import gzip

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gplvm_core.readers import DataError, read_bvh, read_motion
from gplvm_core.readers.bodies.kinematics import heading, joint_frames, merge_coincident, poses
from gplvm_core.shipped.files import vendored
from tests.readers.small_bvh import ANGLES, bvh


def test_the_hierarchy_is_parsed():
    motion, name = read_motion(bvh().encode())
    assert name == "upload" and motion.frame_time == 0.1
    assert [joint.name for joint in motion.joints] == ["Hips", "Leg", "Foot", "Foot end"]
    assert [joint.parent for joint in motion.joints] == [-1, 0, 1, 2]
    assert motion.joints[2].offset == (0.0, -4.0, 0.5)
    np.testing.assert_array_equal(motion.channels, ANGLES)


def test_positions_agree_with_scipys_rotations_along_a_chain():
    motion, _ = read_motion(bvh().encode())
    positions, _ = joint_frames(motion)
    # Capital letters mean intrinsic rotations: each turns about axes that the previous rotations
    # have turned.
    hips = Rotation.from_euler("ZYX", ANGLES[:, 3:6], degrees=True)
    leg = hips * Rotation.from_euler("XYZ", ANGLES[:, 6:9], degrees=True)
    foot = leg * Rotation.from_euler("YZX", ANGLES[:, 9:12], degrees=True)
    at_foot = ANGLES[:, :3] + leg.apply([0, -4, 0.5])
    np.testing.assert_allclose(positions[:, 2], at_foot, atol=1e-12)
    np.testing.assert_allclose(positions[:, 3], at_foot + foot.apply([0, 0, 1.5]), atol=1e-12)


def test_a_quarter_turn_by_hand():
    channels = np.zeros((2, 12))
    channels[1, 3] = 90  # a turn about z, which takes −y to +x
    positions, _ = joint_frames(read_motion(bvh(channels).encode())[0])
    np.testing.assert_allclose(positions[0, 2], [0, -4, 0.5], atol=1e-12)
    np.testing.assert_allclose(positions[1, 2], [4, 0, 0.5], atol=1e-12)


def test_position_and_heading_do_not_change_the_pose():
    turned = ANGLES.copy()
    turned[:, :3] += [10.0, -2.0, 5.0]
    # An additional turn about the vertical is applied outside the root's own rotation.
    own = Rotation.from_euler("ZYX", ANGLES[:, 3:6], degrees=True)
    further = Rotation.from_rotvec(np.outer(np.linspace(20, 300, 6), [0, 1, 0]), degrees=True)
    turned[:, 3:6] = (further * own).as_euler("ZYX", degrees=True)
    here, there = (poses(read_motion(bvh(c).encode())[0]) for c in (ANGLES, turned))
    np.testing.assert_allclose(there, here, atol=1e-9)
    np.testing.assert_array_equal(here[:, 0], 0.0)


def test_heading_is_the_turn_about_the_vertical():
    angles = np.linspace(-3, 3, 7)
    turn = Rotation.from_rotvec(np.outer(angles, [0, 1, 0]))
    np.testing.assert_allclose(heading(turn.as_matrix()), angles, atol=1e-12)
    lean = Rotation.from_euler("x", 1.2)
    np.testing.assert_allclose(heading((turn * lean).as_matrix()), angles, atol=1e-12)


def test_joints_on_their_parent_are_merged():
    skeleton, kept = merge_coincident(read_motion(bvh().encode())[0])
    assert skeleton.joint_names == ("Hips", "Foot", "Foot end") and kept == (0, 2, 3)
    assert skeleton.parents == (-1, 0, 1)


def test_read_bvh_notes_its_changes():
    data = read_bvh(bvh().encode(), every=2, first_frame=1, unit_metres=0.5)
    assert data.targets.shape == (3, 9) and data.drawing.kind == "skeleton"
    np.testing.assert_allclose(data.times, [0.1, 0.3, 0.5])
    assert data.column_names[3:6] == ("Foot x", "Foot y", "Foot z")
    whole = read_bvh(bvh().encode())
    np.testing.assert_allclose(data.targets, whole.targets[1::2] / 2)
    said = " ".join(data.notes)
    for words in ("3 of 6 frames", "one in 2 from frame 1", "1 joints", "multiplied by 0.5"):
        assert words in said
    assert "in the file's unit" in " ".join(whole.notes)


@pytest.mark.parametrize("take", ["cmu_01_01.bvh.gz", "cmu_01_03.bvh.gz"])
def test_bones_keep_their_length(take):
    data = read_bvh(vendored(take), every=40)
    joints = data.targets.reshape(-1, *data.drawing.shape)
    for joint, parent in enumerate(data.drawing.skeleton.parents[1:], start=1):
        lengths = np.linalg.norm(joints[:, joint] - joints[:, parent], axis=1)
        assert lengths.min() > 0.1
        np.testing.assert_allclose(lengths, lengths[0], rtol=1e-9)


def cut(marker: str, extra: int = 0) -> str:
    text = bvh()
    return text[: text.index(marker) + extra]


def edited(old: str, new: str) -> str:
    assert old in bvh()
    return bvh().replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("a,b\n1,2\n", 'line 1: expected "HIERARCHY"'),
        (cut("JOINT Foot"), "ends after line 10.*cut off"),
        (cut("JOINT Foot", len("JOINT Foot")), 'line 10, where "{" after Foot'),
        (cut("MOTION"), "ends after line 20.*MOTION.*cut off"),
        (cut("Frame Time"), "Frame Time"),
        (bvh()[:-60], "line 29: a frame has 12 numbers, got .*cut off there"),
        (bvh(ANGLES[:4], announced=6), "declares 6 frames but has 4: the file is cut off"),
        (bvh(ANGLES, announced=4), "declares 4 frames but has 6: its Frames: line"),
        (edited("OFFSET 0 -4 0.5", "OFFSET 0 -4"), "line 12: expected OFFSET of Foot"),
        (edited("OFFSET 0 -4 0.5", "OFFSET 0 x 1"), "line 12: expected OFFSET of Foot"),
        (edited("CHANNELS 3 Yrot", "CHANNELS 4 Yrot"), "line 13: expected CHANNELS of Foot"),
        (
            edited("3 Yrotation Zrotation", "3 Up Down"),
            "out of Xpo",
        ),
        (edited("JOINT Leg", "BONE Leg"), "line 6: expected a JOINT"),
        (edited("Frame Time: 0.1", "Frame Time: 0"), "above 0"),
        (edited("Frames: 6", "Frames: six"), "expected Frames:"),
        (bvh().replace(repr(float(ANGLES[2, 3])), "oops"), "line 26: 'oops' is not a finite"),
        (bvh().replace(repr(float(ANGLES[2, 3])), "nan"), "line 26: 'nan' is not a finite"),
    ],
)
def test_bad_files_are_refused_with_their_line(text, words):
    with pytest.raises(DataError, match=words):
        read_bvh(text.encode())


def test_binary_files_and_cut_or_damaged_gzip_are_refused():
    with pytest.raises(DataError, match="not a text file"):
        read_bvh(b"\x00\x01")
    whole = gzip.compress(bvh().encode())
    np.testing.assert_array_equal(read_bvh(whole).targets, read_bvh(bvh().encode()).targets)
    with pytest.raises(DataError, match="cut off in the middle"):
        read_bvh(whole[:-40])
    with pytest.raises(DataError, match="damaged gzip"):
        read_bvh(whole[:-8] + bytes(8))


@pytest.mark.parametrize(
    "options", [{"every": 0}, {"first_frame": 6}, {"every": 6}, {"unit_metres": 0.0}]
)
def test_impossible_choices_are_refused(options):
    with pytest.raises(DataError):
        read_bvh(bvh().encode(), **options)
