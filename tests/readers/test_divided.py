"""Tests of columns divided into views: by names, by choice, in blocks; labels as a view."""

import numpy as np
import pandas as pd
import pytest

from gplvm_core.datasets import load_dataset
from gplvm_core.readers import DataError, Dataset, Drawing
from gplvm_core.readers.divided import in_blocks, in_groups, name_groups, relabelled, with_labels


def dataset(name: str, targets: np.ndarray, **facts: object) -> Dataset:
    return Dataset(name, name, targets, Drawing.of_vector(targets.shape[1]), **facts)


def test_names_define_groups_of_columns():
    assert name_groups(["x1", "y1", "x2", "y2"]) == {"x": [0, 2], "y": [1, 3]}
    assert name_groups(["left_x", "left_y", "w"]) == {"left": [0, 1], "w": [2]}
    assert name_groups(["a", "b", "c"]) == {}
    assert name_groups(["x1", "x2"]) == {}


def test_groups_reorder_columns_and_keep_their_names():
    table = dataset("t", np.arange(12.0).reshape(3, 4), column_names=("x1", "y1", "x2", "y2"))
    divided = in_groups(table, name_groups(table.column_names))
    np.testing.assert_array_equal(divided.view_values["y"], table.targets[:, [1, 3]])
    assert divided.views[1].column_names == ("y1", "y2")


def test_constant_columns_join_a_neighbour_so_that_the_row_is_drawn_as_before():
    poses = load_dataset("poses")
    joints = in_blocks(poses, poses.drawing.skeleton.joint_names, 3)
    assert joints.drawing == poses.drawing
    # the first joint is the root, which does not move
    assert joints.views[0].name == poses.drawing.skeleton.joint_names[1]
    assert [view.n_outputs for view in joints.views] == [6, *[3] * 26]
    assert all(type(n) is int for view in joints.views for n in view.drawing.shape)
    assert not any("constant" in warning and "view" in warning for warning in joints.warnings)
    with pytest.raises(DataError, match="fewer than two"):
        in_blocks(dataset("still", np.column_stack([np.ones(4), np.arange(4.0)])), ["a", "b"], 1)


def test_labels_as_a_view_are_plus_and_minus_one():
    digits = load_dataset("digits")
    labelled = with_labels(digits)
    assert [view.name for view in labelled.views] == ["pixels", "labels"]
    assert labelled.views[1].column_names == digits.label_names
    given = labelled.view_values["labels"]
    np.testing.assert_array_equal(given.argmax(axis=1), digits.labels)
    assert set(np.unique(given)) == {-1.0, 1.0}
    with pytest.raises(DataError, match="does not have labels"):
        with_labels(dataset("plain", np.ones((3, 2))))


def test_other_labels_are_in_the_labels_and_in_their_view():
    digits = load_dataset("digits")
    some = np.where(np.arange(digits.n_points) % 3 == 0, digits.labels, -1)
    once = relabelled(digits, some)  # the labels become a view
    assert [view.name for view in once.views] == ["pixels", "labels"]
    twice = relabelled(once, digits.labels)
    np.testing.assert_array_equal(twice.labels, digits.labels)
    whole = with_labels(digits)
    np.testing.assert_array_equal(twice.view_values["labels"], whole.view_values["labels"])
    np.testing.assert_array_equal(np.isnan(once.view_values["labels"]).all(axis=1), some < 0)


def test_other_labels_are_in_the_column_with_their_words():
    table = pd.DataFrame({"size": np.arange(6.0), "kind": ["a", "b", None, "a", None, "b"]})
    labels = {"labels": [0, 1, -1, 0, -1, 1], "label_names": ("a", "b")}
    data = Dataset.of_table("things", "Things", table, **labels)
    found = relabelled(data, [0, 1, 1, 0, -1, 1])
    assert found.in_own_values()["kind"].tolist()[:4] == ["a", "b", "b", "a"]
    assert np.isnan(found.values[4, 1]) and found.labels[2] == 1
