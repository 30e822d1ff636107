"""Tests that a data set describes its content, and refuses parts that do not fit together."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from scipy import sparse

from gplvm_core.readers import DataError, Dataset, Drawing, Skeleton

TARGETS = np.random.default_rng(1).normal(size=(5, 6))
PAIR = Skeleton(("root", "tip"), (-1, 0))


@pytest.fixture
def data() -> Dataset:
    return Dataset(
        "demo",
        "Demo",
        TARGETS,
        Drawing("bars", (6,)),
        labels=np.array([0, 1, 0, 1, 0]),
        label_names=("a", "b"),
        times=np.arange(5),
        sequences=np.zeros(5, int),
        empty_times=np.array([6, 7]),
        empty_sequences=np.array([0, 0]),
        covariates={"light": np.zeros((5, 3))},
    )


def test_arrays_cannot_be_written_and_the_callers_still_can(data):
    rows = data.targets, data.labels, data.times, data.sequences, data.covariates["light"]
    for array in (*rows, data.empty_times, data.empty_sequences):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    assert TARGETS.flags.writeable
    with pytest.raises(FrozenInstanceError):
        data.name = "other"


def test_sequences_of_empty_rows_are_as_many_as_their_times(data):
    with pytest.raises(
        DataError, match=r"empty sequences must be one number .* \(2,\); got .* \(3,"
    ):
        replace(data, empty_sequences=np.zeros(3, int))
    with pytest.raises(DataError, match="empty times must be finite numbers"):
        replace(data, empty_times=np.array([6.0, np.nan]))


def test_values_are_float64_for_all_types_of_targets(data):
    pixels = replace(data, targets=np.arange(30, dtype=np.uint8).reshape(5, 6))
    assert pixels.targets.dtype == np.uint8
    assert pixels.values.dtype == np.float64 and pixels.values[4, 5] == 29
    assert (data.n_points, data.n_outputs) == (5, 6)
    assert data.times.dtype == np.float64


def test_warnings_take_pixels_for_one_unit(data):
    mixed = replace(data, targets=TARGETS * [1, 1, 1, 1, 1, 1e6])
    assert any("units" in sentence for sentence in mixed.warnings)
    assert replace(mixed, drawing=Drawing("image", (2, 3))).warnings == ()


def test_gaps_are_kept_with_a_note(data):
    assert data.missing is None
    gaps = TARGETS.copy()
    gaps[1, 2] = gaps[3, 2] = np.nan
    holed = replace(data, targets=gaps)
    np.testing.assert_array_equal(np.argwhere(holed.missing), [[1, 2], [3, 2]])
    np.testing.assert_array_equal(holed.values, gaps)
    assert holed.warnings[0].startswith("2 of 30 values are missing")


def test_masked_targets_are_gaps(data):
    masked = np.ma.masked_less(TARGETS, -1.0)
    holed = replace(data, targets=masked)
    np.testing.assert_array_equal(holed.missing, TARGETS < -1.0)


def test_a_column_without_any_value_is_named(data):
    targets = TARGETS.copy()
    targets[:, 4] = np.nan
    with pytest.raises(DataError, match="no value is observed in column 'e'"):
        replace(data, targets=targets, column_names=tuple("abcdef"))
    with pytest.raises(DataError, match="no value is observed in column 'pixel 4'"):
        replace(data, targets=targets, drawing=Drawing("image", (2, 3)))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"targets": np.full((5, 6), np.nan)}, "no value is observed in 5 rows"),
        ({"targets": np.where(TARGETS > 9, 0, np.inf)}, "30 infinity in 5 of 5 rows"),
        ({"targets": np.ones((5, 6), int)}, "uint8 or floating"),
        ({"targets": sparse.csr_array(TARGETS)}, r"sparse matrix.*targets.toarray\(\)"),
        ({"targets": [[1.0, 2.0], [3.0]]}, "Give every row the same length"),
        ({"drawing": Drawing("bars", (7,))}, "6 values.*bars"),
        ({"column_names": ("a",)}, "1 column name for 6 columns"),
        ({"labels": np.zeros(4, int)}, "one number per row"),
        ({"labels": np.zeros(5)}, "whole numbers"),
        ({"labels": np.array([0, 1, 2, 0, 0])}, "0 to 2, but there are 2"),
        ({"labels": np.array([0, -2, 0, 0, 0])}, "-2 to 0"),
        ({"labels": None}, "label names, but no labels"),
        ({"times": np.array([0, 1, np.nan, 2, 3])}, "finite"),
        ({"sequences": np.zeros((5, 1), int)}, "one number per row"),
        ({"covariates": {"light": np.zeros((4, 3))}}, "covariate 'light'"),
    ],
)
def test_parts_that_do_not_fit_are_refused(data, changes, words):
    with pytest.raises(DataError, match=words):
        replace(data, **changes)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Drawing("picture", (2, 2)), "Unknown drawing 'picture'"),
        (lambda: Drawing("image", (2, 2, 4)), "cannot have the shape"),
        (lambda: Drawing("curve", (2, 2)), "cannot have the shape"),
        (lambda: Drawing("bars", (0,)), "cannot have the shape"),
        (lambda: Drawing("skeleton", (2, 3)), "needs a Skeleton"),
        (lambda: Drawing("image", (2, 3), skeleton=PAIR), "has no skeleton"),
        (lambda: Drawing("skeleton", (3, 3), skeleton=PAIR), "2 joints"),
        (lambda: Drawing("image", (2, 2), (1.0, 1.0)), "lower, higher"),
        (lambda: Skeleton(("a", "b"), (-1,)), "one parent per joint"),
        (lambda: Skeleton(("a", "b"), (1, -1)), r"Joint 0 \(a\) has the parent 1"),
    ],
)
def test_drawings_that_cannot_be_drawn_are_refused(make, words):
    with pytest.raises(DataError, match=words):
        make()


def test_short_vectors_are_bars_and_long_ones_curves():
    assert Drawing.of_vector(12).kind == "bars"
    assert Drawing.of_vector(100).kind == "curve"
