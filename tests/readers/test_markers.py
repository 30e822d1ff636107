"""Tests of motion capture in C3D files, written by the package c3d."""

import io
import warnings

import c3d
import numpy as np
import pytest

from gplvm_core.readers import DataError, NamedBytes, read_c3d
from gplvm_core.readers import packages as packages_module
from gplvm_core.readers.bodies.markers import rigid_tree
from gplvm_core.readers.files import read_file
from tests.attacks.bombs import MOTIONS

NAMES = ["HEAD", "NECK", "HIP", "KNEE"]


def walk(frames: int = 30) -> np.ndarray:
    """Return a straight back above a swinging thigh, walking along x, in millimetres with z up."""
    angle = 0.5 * np.sin(np.linspace(0.0, 6.0, frames))
    hip = np.stack([np.linspace(0, 3000, frames), np.zeros(frames), np.full(frames, 900)], axis=1)
    knee = hip + 400 * np.stack([np.sin(angle), 0 * angle, -np.cos(angle)], axis=1)
    up = np.array([0.0, 0.0, 1.0])
    return np.stack([hip + 700 * up, hip + 500 * up, hip, knee], axis=1)


def test_rigid_parts_are_joined():
    order, parents = rigid_tree(walk())
    names = [NAMES[joint] for joint in order]
    bones = {frozenset((names[j], names[p])) for j, p in enumerate(parents) if p >= 0}
    assert bones == {frozenset(pair) for pair in (NAMES[:2], NAMES[1:3], NAMES[2:])}
    assert all(parent < joint for joint, parent in enumerate(parents))


def file_of(points: np.ndarray) -> bytes:
    writer = c3d.Writer(point_rate=50.0)
    rows = np.zeros((*points.shape[:2], 5), dtype=np.float32)
    rows[:, :, :3] = np.nan_to_num(points)
    rows[:, :, 3] = np.where(np.isnan(points[..., 0]), -1.0, 0.0)
    writer.add_frames([(row, np.zeros((0, 0))) for row in rows])
    writer.set_point_labels([*NAMES, "LOST"][: points.shape[1]])
    file = io.BytesIO()
    with warnings.catch_warnings(action="ignore"):
        writer.write(file)
    return file.getvalue()


def test_markers_come_back_with_y_up_in_metres_and_gaps():
    points = np.concatenate([walk(), np.full((30, 1, 3), np.nan)], axis=1)
    points[4, 3] = np.nan
    data = read_file(NamedBytes("walk.c3d", file_of(points)), every=2)
    names = data.drawing.skeleton.joint_names
    assert sorted(names) == sorted(NAMES)
    assert any("LOST" in note for note in data.notes)
    np.testing.assert_allclose(data.times, np.arange(0, 30, 2) / 50.0)
    found = data.values.reshape(15, 4, 3)[:, [names.index(name) for name in NAMES]]
    places = walk()[::2] / 1000.0
    np.testing.assert_allclose(found[:, :3, 1], places[:, :3, 2], atol=1e-4)
    bone = found[:, 2] - found[:, 3]
    assert np.isnan(bone[2]).all() and np.isnan(bone).sum() == 3
    length = np.linalg.norm(np.delete(bone, 2, axis=0), axis=1)
    np.testing.assert_allclose(length, 0.4, atol=1e-4)
    # Three markers are seen in every frame; their mean is at 0.
    np.testing.assert_allclose(found[:, :3, [0, 2]].mean(axis=1), 0.0, atol=1e-4)


def test_unreadable_files_are_reported(monkeypatch):
    whole = file_of(walk())
    with pytest.raises(DataError, match=r"^cut\.c3d"):
        read_c3d(NamedBytes("cut.c3d", whole[:700]))
    with pytest.raises(DataError, match="has 30 frames"):
        read_c3d(whole, first_frame=30)
    monkeypatch.setattr(packages_module, "not_installed", tuple)
    with pytest.raises(DataError, match="pip install c3d"):
        read_c3d(whole)


@pytest.mark.parametrize("place", [-1e20, 1e30])
def test_markers_that_are_too_far_away_are_refused(place):
    points = walk()
    points[3, 1, 0] = place
    with pytest.raises(DataError, match="markers beyond"):
        read_c3d(file_of(points))


def test_frames_without_any_marker_are_left_out_with_a_note():
    points = walk()
    points[7] = np.nan
    data = read_c3d(file_of(points))
    np.testing.assert_allclose(data.times, np.delete(np.arange(30), 7) / 50.0)
    assert any("left out: 1" in note for note in data.notes)


def test_a_motion_may_be_longer_than_a_header_can_count():
    """The header has 16 bits for the last frame; longer motions have a parameter for it."""
    data = read_c3d(NamedBytes("long.c3d", MOTIONS["65,536 frames"]()))
    assert data.n_points == 65_536
