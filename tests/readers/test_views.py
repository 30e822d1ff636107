"""Tests of several views of the same items: joined, separated, refused if their rows differ."""

from dataclasses import replace

import numpy as np
import pytest

from gplvm_core.datasets import load_dataset
from gplvm_core.readers import DataError, Dataset, Drawing, EmptyRowsError, View, label_view

PIXELS = np.arange(24, dtype=np.uint8).reshape(4, 6)
NUMBERS = np.random.default_rng(2).normal(size=(4, 2))
IMAGE, BARS = Drawing("image", (2, 3), (0.0, 255.0)), Drawing("bars", (2,))


@pytest.fixture
def pair() -> Dataset:
    return Dataset.of_views(
        "pair",
        "Pair",
        {"picture": (PIXELS, IMAGE), "size": (NUMBERS, BARS)},
        labels=np.array([0, 1, 1, 0]),
        label_names=("a", "b"),
        times=np.arange(4.0),
        sequences=np.array([0, 0, 1, 1]),
        notes=("kept",),
        covariates={"light": np.eye(4)},
    )


def test_views_are_joined_and_separated_again(pair):
    np.testing.assert_array_equal(pair.targets, np.hstack([PIXELS, NUMBERS]))
    assert pair.drawing == Drawing.of_vector(8)
    assert list(pair.view_values) == ["picture", "size"]
    np.testing.assert_array_equal(pair.view_values["picture"], PIXELS)
    np.testing.assert_array_equal(pair.view_values["size"], NUMBERS)
    assert all(values.dtype == np.float64 for values in pair.view_values.values())


def test_one_view_is_a_data_set_with_the_same_facts(pair):
    size = pair.view("size")
    np.testing.assert_array_equal(size.targets, NUMBERS)
    assert (size.drawing, size.title, size.views) == (BARS, "Pair: size", ())
    for fact in ("labels", "times", "sequences"):
        np.testing.assert_array_equal(getattr(size, fact), getattr(pair, fact))
    assert (size.label_names, size.notes) == (pair.label_names, pair.notes)
    np.testing.assert_array_equal(size.covariates["light"], np.eye(4))
    assert pair.view("picture").drawing == IMAGE


def test_only_pixels_stay_bytes():
    views = {"left": (PIXELS, IMAGE), "right": (PIXELS[::-1], IMAGE)}
    assert Dataset.of_views("two", "Two", views).targets.dtype == np.uint8


def test_data_sets_can_be_views_and_keep_their_columns_names():
    flow = load_dataset("flow")
    kinds = (label_view(flow.labels, 3), Drawing("bars", (3,), (-1.0, 1.0)))
    both = Dataset.of_views("both", "Both", {"beams": flow, "kind": kinds}, labels=flow.labels)
    assert both.view("beams").column_names == flow.column_names
    assert both.column_names[0] == f"beams: {flow.column_names[0]}"
    assert both.column_names[-1] == "kind: column 2"
    np.testing.assert_array_equal(both.view("beams").values, flow.values)


def test_a_data_set_without_views_has_none():
    flow = load_dataset("flow")
    assert (flow.views, flow.view_values) == ((), {})
    with pytest.raises(DataError, match="flow has no view 'left': it has no views"):
        flow.view("left")


@pytest.mark.parametrize(
    ("views", "words"),
    [
        (
            {"a": (PIXELS, IMAGE), "b": (NUMBERS[:3], BARS)},
            "different numbers of rows: a has 4, b has 3",
        ),
        ({}, "no views were given"),
        ({"a": (PIXELS.reshape(4, 2, 3), IMAGE)}, r"'a' must be a table.*\(4, 2, 3\).*reshape"),
        ({"a": (np.full((4, 2), "x"), BARS), "b": (NUMBERS, BARS)}, "must hold numbers"),
        ({"a": (PIXELS, BARS), "b": (NUMBERS, BARS)}, r"2 \(a\) \+ 2 \(b\) = 4 .*targets 8"),
        ({" ": (NUMBERS, BARS)}, "needs a name, got ' '"),
    ],
)
def test_views_that_do_not_fit_are_refused(views, words):
    with pytest.raises(DataError, match=words):
        Dataset.of_views("x", "X", views)


def test_views_of_one_name_and_unknown_names_are_refused(pair):
    with pytest.raises(DataError, match="several of the 2 views are called 'size'"):
        replace(pair, views=(View("size", IMAGE), View("size", BARS)))
    with pytest.raises(DataError, match="pair has no view 'sizes'; choose one of picture, size"):
        pair.view("sizes")
    with pytest.raises(DataError, match="'size' has 1 column name for 2 columns"):
        View("size", BARS, ("a",))


def test_a_missing_description_is_missing_in_that_view_only(pair):
    numbers = NUMBERS.copy()
    numbers[1] = np.nan
    gaps = Dataset.of_views("gaps", "Gaps", {"picture": (PIXELS, IMAGE), "size": (numbers, BARS)})
    assert np.isnan(gaps.view_values["size"][1]).all()
    assert gaps.view("picture").missing is None
    with pytest.raises(EmptyRowsError, match="row 1"):
        gaps.view("size")
    masked = np.ma.masked_invalid(numbers)
    same = Dataset.of_views("gaps", "Gaps", {"picture": (PIXELS, IMAGE), "size": (masked, BARS)})
    np.testing.assert_array_equal(same.values, gaps.values)


def test_columns_are_named_by_view(pair):
    targets = pair.values.copy()
    targets[:, 7] = np.nan
    with pytest.raises(DataError, match="column 'size: column 1'"):
        replace(pair, targets=targets)
    targets = pair.values.copy()
    targets[:, 4] = 1.0
    assert any("picture: pixel 4" in words for words in replace(pair, targets=targets).warnings)


def test_units_may_differ_between_views_but_not_within_one(pair):
    def warned(*factors: float) -> tuple[str, ...]:
        return replace(pair, targets=pair.values * np.array([1.0] * 6 + list(factors))).warnings

    assert pair.warnings == warned(1e6, 1e6) == ()
    (sentence,) = warned(1.0, 1e6)
    assert sentence.startswith("In the view 'size'") and 'scaling="columns"' in sentence
    assert "The view 'size' is constant" in " ".join(warned(0.0, 0.0))


def test_labels_as_a_view():
    partly = [[1, -1, -1], [-1, -1, 1], [np.nan] * 3]
    np.testing.assert_array_equal(label_view([0, 2, -1], 3), partly)
    several = np.array([[True, True], [False, False]])
    np.testing.assert_array_equal(label_view(several, 2), [[1, 1], [-1, -1]])


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([0, 3], "0 to 3; with 3 classes they are 0 to 2"),
        ([-2, 0], "-2 to 0"),
        ([0.5, 1.0], "whole number per row.*float64"),
        (np.zeros((2, 3)), r"shape \(2, 3\)"),
        (np.zeros((2, 2), bool), "2 columns for 3 classes"),
    ],
)
def test_labels_that_are_none_are_refused(labels, words):
    with pytest.raises(DataError, match=words):
        label_view(labels, 3)


def test_views_without_a_common_row_are_reported():
    left, right, third = (np.random.default_rng(n).normal(size=(6, 2)) for n in range(3))
    left[:3] = right[3:] = np.nan
    views = {"left": (left, BARS), "right": (right, BARS)}
    (warning,) = Dataset.of_views("pair", "Pair", views).warnings[1:]
    assert warning.startswith("No row has values both in 'right' and in 'left': nothing links")
    linked = Dataset.of_views("all", "All", {**views, "third": (third, BARS)})
    assert not any("nothing links" in each for each in linked.warnings)


def test_a_masked_label_is_unknown() -> None:
    hidden = np.ma.array([[True, False], [False, True]], mask=[[0, 0], [1, 1]])
    np.testing.assert_array_equal(label_view(hidden, 2), [[1, -1], [np.nan, np.nan]])
    few = np.ma.array([0, 1], mask=[0, 1], dtype=np.uint8)
    assert np.isnan(label_view(few, 2)[1]).all()
