"""Tests of bodies that are divided into trunk, arms and legs, and put together again."""

from dataclasses import replace

import numpy as np
import pytest

from gplvm_core import load_dataset
from gplvm_core.datasets import Dataset, Drawing, Skeleton
from gplvm_core.readers.bodies.parts import body_parts, in_body_parts, whole_body
from gplvm_core.readers.errors import DataError


@pytest.mark.parametrize("name", ["poses", "walker"])
def test_the_parts_make_the_same_body(name: str) -> None:
    dataset = load_dataset(name)
    dataset = dataset.view("pose") if dataset.views else dataset
    parts = in_body_parts(dataset)
    assert [view.name for view in parts.views] == ["trunk", "arms", "legs"]
    for name in ("arms", "legs"):
        assert not parts.view_values[name][:, :3].any()  # the joint that carries the part
    whole = whole_body(parts)
    assert whole is not None
    skeleton = dataset.drawing.skeleton
    order = [skeleton.joint_names.index(joint) for joint in whole.skeleton.joint_names]
    assert sorted(order) == list(range(len(order)))
    joints = dataset.values.reshape(dataset.n_points, -1, 3)[:, order]
    together = whole.rows(list(parts.view_values.values()))
    np.testing.assert_allclose(together, joints, atol=1e-12)
    bones = {(skeleton.joint_names[p], skeleton.joint_names[j]) for j, p in
             enumerate(skeleton.parents) if p >= 0}  # fmt: skip
    names, parents = whole.skeleton.joint_names, whole.skeleton.parents
    assert bones == {(names[p], names[j]) for j, p in enumerate(parents) if p >= 0}
    np.testing.assert_array_equal(parts.times, dataset.times)


def test_a_moved_trunk_carries_the_arms_and_leaves_the_legs() -> None:
    parts = in_body_parts(load_dataset("walker").view("pose"))
    whole = whole_body(parts)
    assert whole is not None
    rows = [values[:1].copy() for values in parts.view_values.values()]
    before = whole.rows(rows)
    chest = parts.views[0].drawing.skeleton.joint_names.index("Chest")
    rows[0][0, 3 * chest : 3 * chest + 3] += (0.1, 0.2, 0.3)
    moved = (whole.rows(rows) - before)[0]
    for at, joint in enumerate(whole.skeleton.joint_names):
        arm = joint == "Chest" or any(word in joint for word in ("Arm", "Hand"))
        np.testing.assert_allclose(moved[at], (0.1, 0.2, 0.3) if arm else (0, 0, 0), atol=1e-12)


def test_what_is_no_body_has_no_parts() -> None:
    chain = Skeleton(("a", "b", "c"), (-1, 0, 1))
    assert body_parts(chain) == {}
    rows = Dataset("c", "Chain", np.random.default_rng(0).normal(size=(5, 9)),
                   Drawing("skeleton", (3, 3), skeleton=chain))  # fmt: skip
    with pytest.raises(DataError, match="no trunk, arms and legs"):
        in_body_parts(rows)
    assert whole_body(replace(rows, views=())) is None
    assert whole_body(load_dataset("toy_views")) is None


def test_limbs_of_different_roots_are_no_parts_of_a_body() -> None:
    names = ("left", "right", "LeftArm", "LeftLeg", "RightLeg")
    skeleton = Skeleton(names, (-1, -1, 0, 0, 1))
    assert body_parts(skeleton) == {}
    values = np.random.default_rng(0).standard_normal((4, 15))
    halves = Dataset("halves", "Halves", values, Drawing("skeleton", (5, 3), skeleton=skeleton))
    with pytest.raises(DataError, match="Choose other views"):
        in_body_parts(halves)
