"""Targets are checked at the door, and their oddities told."""

import numpy as np
import pytest
from scipy import sparse

from gplvm_core.datasets import DataError, check_targets, describe

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
        (with_entry(np.nan), "1 NaN in 1 of 6 rows.*row 4, column 2.*not supported yet"),
        (with_entry(-np.inf), "1 infinity in 1 of 6 rows.*row 4, column 2"),
        (GOOD + 1j, "Complex data not supported"),
        (sparse.csr_array(GOOD), r"sparse.*toarray\(\)"),
        (GOOD.astype(str), "got text"),
        (np.array([["2020-01-01"], ["2020-01-02"]], "M8[D]"), "got dates"),
        ([[1.0, 2.0], [3.0]], "same length"),
        (np.ma.masked_greater(GOOD, 0), "masked"),
    ],
)
def test_bad_targets_are_refused_with_the_reason(targets, words):
    with pytest.raises(DataError, match=words):
        check_targets(targets)


def test_objects_that_are_no_numbers_are_a_type_error_too():
    targets = GOOD.astype(object)
    targets[0, 0] = {"foo": "bar"}
    with pytest.raises(TypeError, match=r"argument must be .* string.* number"):
        check_targets(targets)


def test_huge_but_finite_targets_pass():
    assert np.isfinite(check_targets(np.full((4, 2), 1e308))).all()


def test_checking_leaves_the_targets_alone():
    before = GOOD.copy()
    check_targets(GOOD)
    describe(GOOD)
    np.testing.assert_array_equal(GOOD, before)


def test_nothing_is_said_about_ordinary_targets():
    assert describe(GOOD) == ()


def test_constant_columns_are_named():
    targets = GOOD.copy()
    targets[:, 1] = 0.1
    (sentence,) = describe(targets, ["a", "b", "c"])
    assert sentence == "1 of 3 columns is constant and carries no information: b."
    assert describe(np.ones((3, 2)))[0].startswith("Every column is constant")


def test_repeated_rows_are_counted():
    (sentence,) = describe(np.vstack([GOOD, GOOD[:2]]))
    assert sentence == "2 of 8 rows repeat earlier ones exactly."


@pytest.mark.parametrize("scale", [1e13, 1e-13])
def test_extreme_scales_are_told(scale):
    told = describe(GOOD * scale)
    assert any("1e±12" in sentence and "column 0" in sentence for sentence in told)


def test_mixed_units_offer_a_scale_per_column():
    mixed = GOOD * [1.0, 1.0, 1e5]
    (sentence,) = describe(mixed, ["m", "s", "Pa"])
    assert "different units: Pa" in sentence and 'scaling="columns"' in sentence
    assert describe(mixed, one_unit=True) == ()
