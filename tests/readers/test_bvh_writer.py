"""Tests that positions do not change when they are written as BVH and read again."""

import numpy as np
import pytest

from gplvm_core import load_dataset
from gplvm_core.readers import DataError, Skeleton, read_motion
from gplvm_core.readers.bodies.bvh_writer import write_bvh
from gplvm_core.readers.bodies.kinematics import joint_frames, merge_coincident

CHAIN = Skeleton(("hips", "knee", "ankle", "toe"), (-1, 0, 1, 2))


def read_back(text):
    """Read a file; return positions (F, J, 3), joint names and seconds per frame."""
    motion, _ = read_motion(text.encode())
    skeleton, kept = merge_coincident(motion)
    return joint_frames(motion)[0][:, list(kept)], skeleton, motion.frame_time


def test_captured_poses_come_back():
    poses = load_dataset("poses")
    positions = poses.values[200:330].reshape(130, -1, 3)
    skeleton = poses.drawing.skeleton
    back, read, seconds = read_back(write_bvh(skeleton, positions, 0.1))
    assert seconds == pytest.approx(0.1)
    assert len(read.joint_names) == len(skeleton.joint_names)
    # The file lists the joints in a different order.
    order = [int(np.argmin(np.abs(back[0] - joint).sum(axis=1))) for joint in positions[0]]
    assert len(set(order)) == len(order)
    # in metres; the bones are rigid
    np.testing.assert_allclose(back[:, order], positions, atol=1e-4)


def test_a_chain_of_rigid_bones_is_exact():
    generator = np.random.default_rng(0)
    directions = generator.normal(size=(40, 3, 3))
    directions /= np.linalg.norm(directions, axis=2, keepdims=True)
    root = generator.normal(size=(40, 1, 3))
    bones = directions * np.array([2.0, 1.0, 0.5])[:, None]
    positions = np.concatenate([root, root + np.cumsum(bones, axis=1)], axis=1)
    back, _, _ = read_back(write_bvh(CHAIN, positions, 1 / 30))
    np.testing.assert_allclose(back, positions, atol=1e-4)


def test_a_bone_may_turn_right_round():
    up, down = np.array([0.0, 1.0, 0.0]), np.array([0.0, -1.0, 0.0])
    positions = np.array([[0 * up, up, 2 * up, 3 * up], [0 * up, down, 2 * down, 3 * down]])
    back, _, _ = read_back(write_bvh(CHAIN, positions, 0.1))
    np.testing.assert_allclose(back, positions, atol=1e-5)


def test_unwritable_data_are_reported():
    missing = np.zeros((2, 4, 3))
    missing[1, 2] = np.nan
    with pytest.raises(DataError, match="fill the gaps first"):
        write_bvh(CHAIN, missing, 0.1)
    with pytest.raises(DataError, match="has 2"):
        write_bvh(Skeleton(("a", "b"), (-1, -1)), np.zeros((2, 2, 3)), 0.1)
