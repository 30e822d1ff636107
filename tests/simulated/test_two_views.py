"""Tests that two simulated views share the signals that their description states."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from gplvm_core.datasets import load_dataset
from gplvm_core.readers import DataError, Dataset, Skeleton
from gplvm_core.readers.bodies.bvh import read_motion
from gplvm_core.readers.bodies.kinematics import axis_rotation, joint_frames, merge_coincident
from gplvm_core.readers.pictures.picture import shrink
from gplvm_core.shipped.files import vendored
from gplvm_core.shipped.poses import CMU_METRES, TAKES
from gplvm_core.simulated.lit_heads import AMBIENT, DIFFUSE
from gplvm_core.simulated.outline import FRAME, silhouettes
from gplvm_core.simulated.toy_views import toy_views


@pytest.fixture(scope="module")
def pairs() -> Dataset:
    return load_dataset("lit_pairs")


@pytest.fixture(scope="module")
def bodies() -> Dataset:
    return load_dataset("silhouettes")


def test_both_heads_of_a_pair_have_the_stated_light(pairs):
    with np.load(vendored("lit_heads.npz"), allow_pickle=False) as file:
        normals, albedo = file["normals"] / 127, file["albedo"] / 200
    light = pairs.covariates["light"]
    for row in (0, 50, 191):
        for view, first in (("left", 0), ("right", 3)):
            head = first + pairs.covariates[f"identity_{view}"][row]
            shade = AMBIENT + DIFFUSE * np.maximum(0, normals[head] @ light[row])
            picture = shrink(255 * np.minimum(albedo[head] * shade, 1)[None], 2)
            given = pairs.view(view).targets[row].reshape(48, 48).astype(int)
            assert np.abs(given - picture[0]).max() <= 1


def test_every_picture_occurs_once_and_identities_are_independent(pairs):
    for view in ("left", "right"):
        assert len(np.unique(pairs.view(view).targets, axis=0)) == 192
    left, right = pairs.covariates["identity_left"], pairs.covariates["identity_right"]
    meetings = np.zeros((3, 3))
    np.add.at(meetings, (left, right), 1)
    # Each of three left heads occurs with each of three right heads about 64/3 times.
    assert meetings.sum() == 192 and meetings.min() >= 12 and meetings.max() <= 30
    assert pairs.label_names[pairs.labels[0]] == f"head {left[0] + 1} and head {right[0] + 4}"


def test_toy_signals_are_in_their_stated_views():
    toy = toy_views(200, seed=3)
    parts = {"first": ("sin", "cos_squared"), "second": ("cos", "cos_squared")}
    for view, names in parts.items():
        values = toy.view_values[view]
        spectrum = np.linalg.svd(values - values.mean(0), compute_uv=False)
        assert spectrum[1] > 5 * spectrum[2]
        for name, signal in toy.covariates.items():
            told = LinearRegression().fit(values, signal).score(values, signal)
            assert (told > 0.97) if name in names else (told < 0.2)
    np.testing.assert_array_equal(toy.targets, toy_views(200, seed=3).targets)
    # Without noise, the columns of the shared signal are equal in both views.
    exact = toy_views(50, noise=0.0).view_values
    np.testing.assert_array_equal(exact["first"][:, 10:], exact["second"][:, 10:])
    assert np.linalg.matrix_rank(exact["first"]) == 2
    with pytest.raises(DataError, match=r"at least 8 points.*got 5 points"):
        toy_views(5)


def motion_at_rest() -> tuple[np.ndarray, Skeleton]:
    """Return the first frame of a recording, a T-pose, and its skeleton."""
    motion, _ = read_motion(vendored(TAKES[0][0]))
    skeleton, kept = merge_coincident(motion)
    joints, _ = joint_frames(motion)
    return (joints[:1, list(kept)] - joints[:1, :1]) * CMU_METRES, skeleton


def test_a_silhouette_is_wide_with_arms_stretched_and_as_tall_as_the_body():
    stretched, skeleton = motion_at_rest()
    names = skeleton.joint_names
    down = stretched.copy()
    for side in ("Left", "Right"):
        shoulder = names.index(f"{side}Arm")
        below = [shoulder]
        for joint in range(shoulder + 1, len(names)):
            if skeleton.parents[joint] in below:
                below.append(joint)
        reach = np.linalg.norm(down[:, below] - down[:, [shoulder]], axis=2)
        down[:, below] = down[:, [shoulder]] - reach[..., None] * [0, 1, 0]
    size = 128
    wide, narrow = silhouettes(np.concatenate([stretched, down]), skeleton, size)

    def extent(picture: np.ndarray, axis: int) -> float:
        return float((picture.max(axis=axis) > 0.5).sum() * FRAME / size)

    span = np.ptp(stretched[..., 0])
    assert extent(wide, 0) == pytest.approx(span + 0.1, abs=0.05) and span > 1.2
    assert extent(narrow, 0) < 0.7
    height = np.ptp(stretched[..., 1])
    assert extent(wide, 1) == pytest.approx(height + 0.15, abs=0.05)


def test_a_bone_is_drawn_as_a_capsule():
    bone = Skeleton(("Hips", "LeftLeg"), (-1, 0))
    ends = np.array([[[-0.3, 0.0, 0.0], [0.3, 0.0, 0.5]]])
    picture = silhouettes(ends, bone, 400)[0]
    area = picture.sum() * (FRAME / 400) ** 2
    assert area == pytest.approx(0.6 * 2 * 0.085 + np.pi * 0.085**2, rel=2e-3)
    assert set(np.unique(picture[::80])) >= {0.0} and picture.max() == 1.0


def test_silhouettes_belong_to_their_poses_and_hide_front_and_back(bodies):
    skeleton = bodies.view("pose").drawing.skeleton
    poses = bodies.view_values["pose"].reshape(606, 28, 3)
    seen = bodies.view_values["silhouette"].reshape(606, 32, 32)
    np.testing.assert_allclose(silhouettes(poses[[0, 300]], skeleton, 32), seen[[0, 300]])
    # The distance to the camera is invisible; no body leaves the picture.
    flat = poses[[0, 300]] * [1, 1, -1]
    np.testing.assert_allclose(silhouettes(flat, skeleton, 32), seen[[0, 300]])
    assert seen[:, [0, -1]].max() == 0 == seen[:, :, [0, -1]].max()
    turned = poses[:1] @ axis_rotation("Y", np.array([np.pi / 2]))[0].T
    assert silhouettes(turned, skeleton, 32).sum() < 0.8 * seen[0].sum()


def test_sequences_jump_forth_and_back_climb_and_swing(bodies):
    names = bodies.view("pose").drawing.skeleton.joint_names
    poses = bodies.view_values["pose"].reshape(606, 28, 3)
    np.testing.assert_allclose(poses[:, 0], 0, atol=1e-12)
    # The left hip has a larger x when the body faces the camera.
    left = poses[:, names.index("LeftUpLeg"), 0] - poses[:, names.index("RightUpLeg"), 0]
    faces = [np.median(left[bodies.sequences == number]) > 0 for number in range(3)]
    assert faces == [True, False, True]
    hands = poses[:, names.index("LeftHand"), 1] - poses[:, names.index("Head"), 1]
    raised = [(hands[bodies.sequences == number] > 0).mean() for number in range(7)]
    assert min(raised[4], raised[6]) > 0.3 > max(raised[:3])
    assert [bodies.label_names[bodies.labels[bodies.sequences == n][0]] for n in range(7)] == [
        *["jumping"] * 3,
        *["climbing", "swinging"] * 2,
    ]
    for number in range(7):
        times = bodies.times[bodies.sequences == number]
        np.testing.assert_allclose(times, 0.1 * np.arange(len(times)))
