"""Tests of columns divided into views: by names, by choice, in blocks; labels as a view."""

from dataclasses import replace

import numpy as np
import pandas
import pandas as pd
import pytest

from gplvm_core.datasets import load_dataset
from gplvm_core.readers import DataError, Dataset, Drawing
from gplvm_core.readers.divided import (
    in_blocks,
    in_groups,
    label_column,
    name_groups,
    relabelled,
    with_labels,
)


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


def test_labels_as_a_view_are_a_category_with_gaps():
    digits = load_dataset("digits")
    partly = np.where(np.arange(len(digits.labels)) % 3 == 0, -1, digits.labels)
    labelled = with_labels(replace(digits, labels=partly))
    assert [view.name for view in labelled.views] == ["pixels", "labels"]
    assert labelled.kinds == {"labels": ["category"]}
    words = labelled.views_in_own_values()["labels"]["label"].tolist()
    assert words == [None if n < 0 else digits.label_names[n] for n in partly]
    # The labels have the numbers of the words, so that both have the same colours.
    assert [labelled.label_word(n) for n in range(6)] == words[:6]
    column = labelled.views[1].columns[0]
    assert labelled.label_names == column.words
    np.testing.assert_array_equal(labelled.view_values["pixels"], digits.values)
    with pytest.raises(DataError, match="does not have labels"):
        with_labels(dataset("plain", np.ones((3, 2))))
    with pytest.raises(DataError, match="101 classes"):
        with_labels(dataset("many", np.arange(202.0).reshape(101, 2), labels=np.arange(101)))


def birds(kinds: dict[str, str]) -> Dataset:
    table = {
        "body mass": [3.1, 4.2, 5.0, 3.3],
        "body eggs": [0, 2, 1, 3],
        "place island": ["Biscoe", "Dream", "Dream", None],
        "place hours": [1.0, 2.0, 1.5, 1.0],
    }
    return Dataset.of_table("birds", "Birds", pandas.DataFrame(table), kinds)


def test_a_table_with_words_can_be_divided_into_views():
    table = birds({"body eggs": "count", "place island": "category"})
    divided = in_groups(table, name_groups(table.column_names))
    assert divided.kinds == {"body": ["number", "count"], "place": ["category", "number"]}
    own = divided.views_in_own_values()["place"]
    assert own["place island"].tolist() == ["Biscoe", "Dream", "Dream", None]
    assert divided.view("body").kinds == ["number", "count"]
    alone = in_blocks(table, table.column_names, 1)
    assert alone.kinds == {"body eggs": ["count"], "place island": ["category"]}
    exposed = birds({"body eggs": "count", "body mass": "exposure", "place hours": "exposure"})
    with pytest.raises(DataError, match="“place” has no counts for “place hours”"):
        in_groups(exposed, name_groups(table.column_names))
    with pytest.raises(DataError, match="“b” has no counts for “body mass”, “place hours”"):
        in_groups(exposed, {"a": [1, 2], "b": [0, 3]})


def test_other_labels_are_in_the_view_of_labels():
    digits = load_dataset("digits")
    some = np.where(np.arange(len(digits.labels)) % 2 == 0, digits.labels, -1)
    once = relabelled(digits, some)  # the labels become a view
    assert [view.name for view in once.views] == ["pixels", "labels"]
    whole = [once.label_names.index(digits.label_names[n]) for n in digits.labels]
    twice = relabelled(once, whole)
    words = twice.views_in_own_values()["labels"]["label"].tolist()
    assert words == [digits.label_names[n] for n in digits.labels]
    np.testing.assert_array_equal(twice.labels, whole)
    np.testing.assert_array_equal(np.isnan(once.view_values["labels"]).all(axis=1), some < 0)


def test_other_labels_are_in_the_column_with_their_words():
    table = pd.DataFrame({"size": np.arange(6.0), "kind": ["a", "b", None, "a", None, "b"]})
    labels = {"labels": [0, 1, -1, 0, -1, 1], "label_names": ("a", "b")}
    data = Dataset.of_table("things", "Things", table, **labels)
    found = relabelled(data, [0, 1, 1, 0, -1, 1])
    assert found.in_own_values()["kind"].tolist()[:4] == ["a", "b", "b", "a"]
    assert np.isnan(found.values[4, 1]) and found.labels[2] == 1


def test_the_column_of_the_labels_is_found_in_a_table_and_in_views():
    table = pd.DataFrame({"size": np.arange(6.0), "kind": ["a", "b", None, "a", None, "b"]})
    facts = {"labels": np.array([1, 0, -1, 1, -1, 0]), "label_names": ("b", "a")}
    data = Dataset.of_table("things", "Things", table, **facts)
    assert label_column(data) == 1
    views = in_groups(data, {"kinds": [1], "sizes": [0]})
    assert label_column(views) == 0
    assert relabelled(views, [0, 1, 1, 0, -1, 1]).view_values["kinds"][:3, 0].tolist() == [0, 1, 1]
    # Columns of numbers have no words, and labels without names are not their words.
    assert label_column(replace(data, labels=np.zeros(6, dtype=int), label_names=())) is None
    assert label_column(load_dataset("digits")) is None
