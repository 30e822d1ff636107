"""Tests that targets are checked first, and that warnings describe unusual targets."""

import numpy as np
import pytest
from scipy import sparse

from gplvm_core.readers import DataError, check_targets, describe
from gplvm_core.readers.checks import units_differ
from gplvm_core.readers.errors import by_count

GOOD = np.random.default_rng(0).normal(size=(6, 3))


def with_entry(value: float) -> np.ndarray:
    changed = GOOD.copy()
    changed[4, 2] = value
    return changed


def test_good_targets_come_back_as_float64():
    assert check_targets(GOOD) is GOOD
    for other in (GOOD.astype(np.float32), GOOD.tolist(), GOOD.astype(object)):
        checked = check_targets(other)
        assert checked.dtype == np.float64
        np.testing.assert_allclose(checked, GOOD, rtol=1e-6)
    np.testing.assert_array_equal(check_targets(np.array([[1], [255]], np.uint8)), [[1.0], [255.0]])
    np.testing.assert_array_equal(check_targets([[True], [False]]), [[1.0], [0.0]])


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        (GOOD[0], "1 dimension, shape"),
        (3.0, "a single number"),
        (GOOD.reshape(3, 2, 3), r"3 dimensions, shape \(3, 2, 3\).*images"),
        (GOOD[:1], "one sample leaves nothing to learn"),
        (GOOD[:0], r"0 sample\(s\)"),
        (GOOD[:, :0], r"0 feature\(s\) \(shape=\(6, 0\)\) while a minimum of 1 is required\."),
        (with_entry(-np.inf), "1 infinity in 1 of 6 rows.*row 4, column 2.*NaN marks"),
        (GOOD + 1j, "Complex data not supported"),
        (sparse.csr_array(GOOD), r"sparse.*toarray\(\)"),
        (GOOD.astype(str), "got text"),
        (np.array([["2020-01-01"], ["2020-01-02"]], "M8[D]"), "got dates"),
        ([[1.0, 2.0], [3.0]], "same length"),
    ],
)
def test_bad_targets_are_refused_with_the_reason(targets, words):
    with pytest.raises(DataError, match=words):
        check_targets(targets)


def with_gaps(*places: tuple[int | slice, int | slice]) -> np.ndarray:
    changed = GOOD.copy()
    for place in places:
        changed[place] = np.nan
    return changed


def test_missing_values_pass():
    gaps = with_gaps((0, 1), (3, 2), (4, 2))
    assert check_targets(gaps) is gaps
    masked = np.ma.masked_invalid(gaps)
    masked.data[masked.mask] = 7.0  # the reader must ignore values under a mask
    np.testing.assert_array_equal(check_targets(masked), gaps)
    whole = np.ma.masked_equal(np.arange(6).reshape(3, 2), 4)
    np.testing.assert_array_equal(check_targets(whole), [[0, 1], [2, 3], [np.nan, 5]])


ALL = slice(None)


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        (with_gaps((ALL, 1)), r"no value is observed in column 'b'.*Leave it out"),
        (with_gaps((2, ALL)), r"rows counted from 0.*no value is observed in row 2.*Leave it out"),
        (with_gaps((2, ALL), (5, ALL), (ALL, 0)), r"2 rows \(row 2, row 5\) and in column 'a'"),
        (np.full((3, 3), np.nan), r"3 rows \(row 0.*\) and in 3 columns.*Leave them out"),
        (with_entry(np.inf) + with_gaps((0, 1)), "1 infinity in 1 of 6 rows.*row 4, column 2"),
    ],
)
def test_data_without_anything_to_learn_are_refused_by_name(targets, words):
    with pytest.raises(DataError, match=words):
        check_targets(targets, column_names=["a", "b", "c"])


def test_objects_that_are_no_numbers_are_a_type_error_too():
    targets = GOOD.astype(object)
    targets[0, 0] = {"foo": "bar"}
    with pytest.raises(TypeError, match=r"argument must be .* string.* number"):
        check_targets(targets)


def test_huge_but_finite_targets_pass():
    assert np.isfinite(check_targets(np.full((4, 2), 1e308))).all()


def test_checking_does_not_change_the_targets():
    before = GOOD.copy()
    check_targets(GOOD)
    describe(GOOD)
    np.testing.assert_array_equal(GOOD, before)


def test_ordinary_targets_have_no_warnings():
    assert describe(GOOD) == ()


def test_constant_columns_are_named():
    targets = GOOD.copy()
    targets[:, 1] = 0.1
    (sentence,) = describe(targets, ["a", "b", "c"])
    assert sentence == "1 of 3 columns is constant and carries no information: b."
    assert describe(np.ones((3, 2)))[0].startswith("Every column is constant")


def test_a_column_that_varies_only_by_rounding_is_constant():
    # The end of a head that does not move, computed by rotations in every frame.
    targets = GOOD.copy()
    targets[:, 1] = 57.0 + np.spacing(57.0) * np.arange(-2, 4)
    (sentence,) = describe(targets, ["Hips y", "Head end y", "Foot y"])
    assert sentence == "1 of 3 columns is constant and carries no information: Head end y."
    targets[0, 1] = 57.0 + 1e-11  # far more than rounding
    assert all("constant" not in each for each in describe(targets))


def test_repeated_rows_are_counted():
    (sentence,) = describe(np.vstack([GOOD, GOOD[:2]]))
    assert sentence == "2 of 8 rows repeat earlier ones exactly."


def test_equal_rounded_values_of_a_series_at_different_times_are_no_repetition():
    series, times = np.array([[11.2], [11.4], [11.2], [11.9]]), np.arange(4.0)
    assert "repeats an earlier one" in describe(series)[0]
    assert describe(series, times=times) == ()
    (sentence,) = describe(series, times=np.array([0.0, 1.0, 0.0, 3.0]))
    assert sentence == "1 of 4 rows repeats an earlier one exactly."


@pytest.mark.parametrize("scale", [1e13, 1e-13])
def test_extreme_scales_are_reported(scale):
    told = describe(GOOD * scale)
    assert any("1e±12" in sentence and "column 0" in sentence for sentence in told)


def test_mixed_units_offer_a_scale_per_column():
    mixed = GOOD * [1.0, 1.0, 1e5]
    (sentence,) = describe(mixed, ["m", "s", "Pa"])
    assert "different units: Pa" in sentence and 'scaling="columns"' in sentence
    assert describe(mixed, one_unit=True) == ()


@pytest.mark.parametrize(
    "spread, differ",
    [
        ([1.0, 1.0, 20.1], True),  # more than 20 times the median
        ([1.0, 1.0, 19.9], False),
        ([1.0, 20.1], True),  # of two columns, the smaller one is the median
        ([1e-4] + [1.0] * 20, False),  # one dark corner of a picture
        ([1e-4] * 5 + [1.0] * 20, True),  # a fifth of the columns
        ([0.1] * 3 + [10.0] * 17 + [100.1], True),  # more than 1000 times the tenth percentile
        ([0.1] * 3 + [10.0] * 17 + [99.9], False),
        ([2.0], False),
        ([], False),
    ],
)
def test_units_differ_if_one_scale_hides_columns(spread, differ):
    assert units_differ(np.array(spread)) is differ


def test_missing_values_are_counted_first():
    told = describe(with_gaps((0, 1), (3, 2), (4, 2)), ["a", "b", "c"])
    assert told == ("3 of 18 values are missing (17%), in 3 of 6 rows and 2 of 3 columns.",)
    assert describe(with_gaps((0, 1)))[0].startswith("1 of 18 values is missing (6%)")


def test_a_column_with_one_observed_value_is_not_called_constant():
    told = describe(with_gaps((slice(1, None), 1)), ["a", "b", "c"])
    assert len(told) == 2
    assert "1 of 3 columns has a single observed value" in told[1] and told[1].endswith(": b.")


def test_oddities_are_judged_by_observed_entries():
    targets = GOOD * [1.0, 1.0, 1e5]
    targets[:, 1] = 4.0
    targets[[0, 2], 1] = np.nan
    targets = np.vstack([targets, targets[:1]])
    told = " ".join(describe(targets, ["m", "s", "Pa"]))
    assert "1 of 3 columns is constant" in told and "information: s." in told
    assert "1 of 7 rows repeats an earlier one" in told
    assert "different units: Pa" in told


def test_rows_that_differ_only_in_how_nan_is_written_repeat_each_other():
    targets = GOOD.copy()
    targets[1] = targets[0]
    targets[0, 0], targets[1, 0] = np.nan, -np.nan
    assert np.signbit(targets[0, 0]) != np.signbit(targets[1, 0])
    assert any("repeats an earlier one" in sentence for sentence in describe(targets))


@pytest.mark.parametrize(("count", "words"), [(1, "1 of 9 columns is"), (2, "2 of 9 columns are")])
def test_a_verb_follows_its_count(count: int, words: str) -> None:
    assert f"{count} of 9 columns {by_count(count, 'is', 'are')}" == words
