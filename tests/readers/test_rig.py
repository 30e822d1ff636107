"""Tests that written movements have the joints, offsets and channels of the file they come from."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gplvm_core.readers import read_bvh, read_motion
from gplvm_core.readers.bodies.bvh_writer import rig_channels, write_bvh
from gplvm_core.readers.bodies.kinematics import (
    aligned_turn,
    angles_of,
    axis_rotation,
    joint_frames,
)

WALK = Path("assets/data/cmu_01_01.bvh.gz").read_bytes()


def written(poses, rows):
    positions = poses.values[rows].reshape(len(rows), -1, 3)
    return write_bvh(poses.drawing.skeleton, positions, 1 / 30).encode()


def places_of(text, poses):
    """Return the positions of the skeleton's joints in a file, as rows."""
    places = joint_frames(read_motion(text)[0])[0]
    points = poses.drawing.skeleton.rig.points
    first = [points.index(point) for point in range(max(points) + 1)]
    return places[:, first].reshape(len(places), -1)


def test_a_captured_movement_has_the_joints_channels_and_offsets_of_its_file():
    poses = read_bvh(WALK, every=20, first_frame=1)
    own, _ = read_motion(WALK)
    text = written(poses, np.arange(len(poses.values)))
    again, _ = read_motion(text)
    assert [(j.name, j.parent, j.channels) for j in again.joints] == [
        (j.name, j.parent, j.channels) for j in own.joints
    ]
    np.testing.assert_allclose(
        [j.offset for j in again.joints], [j.offset for j in own.joints], atol=1e-6
    )
    # Captured bones are rigid, so every joint is at its original position.
    np.testing.assert_allclose(places_of(text, poses), poses.values, atol=2e-4)
    assert again.frame_time == pytest.approx(1 / 30, abs=1e-6)


def test_lengths_follow_the_unit_and_bones_keep_those_of_the_file():
    poses = read_bvh(WALK, every=40, first_frame=1, unit_metres=0.05)
    stretched = poses.values * np.random.default_rng(0).uniform(0.8, 1.2, (len(poses.values), 1))
    text = written(replace(poses, targets=stretched), np.arange(len(stretched)))
    again, own = read_motion(text)[0], read_motion(WALK)[0]
    places = joint_frames(again)[0]
    for number, joint in enumerate(again.joints):
        if joint.parent < 0:
            continue
        bone = np.linalg.norm(places[:, number] - places[:, joint.parent], axis=1)
        expected = 0.05 * np.linalg.norm(own.joints[number].offset)
        np.testing.assert_allclose(bone, expected, atol=1e-5)


def test_rotations_that_positions_do_not_determine_are_near_those_of_the_file():
    own, _ = read_motion(WALK)
    poses = read_bvh(WALK, first_frame=1, every=60)
    rig = poses.drawing.skeleton.rig
    found = rig_channels(rig, poses.values.reshape(len(poses.values), -1, 3))
    frames = own.channels[1::60]
    errors = []
    start = 0
    for joint in own.joints:
        if joint.parent >= 0 and joint.channels:
            axes = slice(start, start + 3)
            mine, theirs = (_matrix(joint.channels, each[:, axes]) for each in (found, frames))
            trace = np.einsum("fij,fij->f", mine, theirs)
            errors.append(np.rad2deg(np.arccos(np.clip((trace - 1.0) / 2.0, -1.0, 1.0))))
        start += len(joint.channels)
    assert np.median(errors) < 8.0


def _matrix(channels, degrees):
    turn = np.tile(np.eye(3), (len(degrees), 1, 1))
    for channel, column in zip(channels, degrees.T, strict=True):
        turn = turn @ axis_rotation(channel[0], np.deg2rad(column))
    return turn


@pytest.mark.parametrize("axes", ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "XZ", "YX", "Z", "Y"])
def test_angles_in_any_order_give_the_rotation(axes):
    angles = np.random.default_rng(1).uniform(-1.5, 1.5, (50, len(axes)))
    angles[0] = np.pi / 2  # the first and the third axis coincide
    turn = _matrix(axes, np.rad2deg(angles))
    back = _matrix(axes, np.rad2deg(angles_of(turn, axes)))
    np.testing.assert_allclose(back, turn, atol=1e-7)


def test_an_aligned_turn_points_its_first_bone_and_turns_the_others_about_it():
    rng = np.random.default_rng(2)
    offsets = rng.normal(size=(3, 3))
    rigid = _matrix("ZYX", rng.uniform(-180.0, 180.0, (20, 3)))
    bones = np.einsum("fij,cj->fci", rigid, offsets)
    reference = _matrix("XYZ", rng.uniform(-180.0, 180.0, (20, 3)))
    np.testing.assert_allclose(aligned_turn(reference, offsets, bones), rigid, atol=1e-6)


def test_a_joint_with_one_rotation_comes_as_near_as_it_can():
    file = b"""HIERARCHY
ROOT hip
{
  OFFSET 0 0 0
  CHANNELS 6 Zposition Yposition Xposition Yrotation Xrotation Zrotation
  JOINT knee
  {
    OFFSET 0 -1 0
    CHANNELS 1 Xrotation
    End Site
    {
      OFFSET 0 -1 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.1
3 2 1 0 10 20 30
0 0 0 0 -20 5 60
0 0 0 0 0 0 0
"""
    poses = read_bvh(file)
    text = written(poses, np.arange(3))
    assert b"CHANNELS 1 Xrotation" in text
    # The thigh is exact, but the lower leg is not: a hinge has one axis, and positions do not
    # determine the thigh's turn about its own axis.
    left = np.abs(places_of(text, poses) - poses.values).reshape(3, 3, 3).max(axis=(0, 2))
    assert left[1] < 1e-5
    assert 1e-3 < left[2] < 0.1
    # The hinge cannot bend sideways, so this pose is not reached; bones keep their lengths.
    aside = poses.values.reshape(3, 3, 3).copy()
    aside[:, 2] = aside[:, 1] + [1.0, 0.0, 0.0]
    places = joint_frames(read_motion(write_bvh(poses.drawing.skeleton, aside, 0.1).encode())[0])[0]
    np.testing.assert_allclose(np.linalg.norm(places[:, 2] - places[:, 1], axis=1), 1.0, atol=1e-5)
