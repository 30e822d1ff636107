"""Tests that files with the same rows become one data set, and that mismatches are reported."""

import numpy as np
import pytest

from gplvm_core.readers import DataError, Dataset, Drawing
from gplvm_core.readers.joined import FileView, RowsDifferError, clash_of_times, joined


def dataset(name: str, targets: np.ndarray, **facts: object) -> Dataset:
    return Dataset(name, name, targets, Drawing.of_vector(targets.shape[1]), **facts)


def part(name: str, n: int = 6, **facts: object) -> FileView:
    targets = np.random.default_rng(len(name)).normal(size=(n, 2))
    return FileView(name, f"{name}.csv", dataset(name, targets, **facts), n)


def test_joining_keeps_rows_and_takes_facts_from_whoever_has_them_all():
    left = part("left", 6, labels=np.arange(6) % 2)
    right = part("right", 8, times=np.arange(8.0))
    with pytest.raises(RowsDifferError, match=r"left\.csv has 6, right.csv has 8"):
        joined([left, right])
    trimmed = joined([left, right], "trim")
    np.testing.assert_array_equal(trimmed.view_values["right"], right.dataset.targets[:6])
    np.testing.assert_array_equal(trimmed.times, np.arange(6))
    np.testing.assert_array_equal(trimmed.labels, left.dataset.labels)
    lacking = {"empty_times": np.array([2.5]), "empty_sequences": np.array([0])}
    timed = part("timed", times=np.arange(6.0), sequences=np.zeros(6, dtype=int), **lacking)
    for name, own in lacking.items():
        np.testing.assert_array_equal(getattr(joined([left, timed]), name), own)
    filled = joined([left, right], "fill")
    assert filled.n_points == 8 and filled.labels is None
    assert np.isnan(filled.view_values["left"][6:]).all()
    assert any("left.csv are not used" in note for note in filled.notes)


def test_missing_rows_stay_in_their_place():
    gappy = FileView("a", "a.csv", dataset("a", np.ones((3, 2))), 5, np.array([0, 2, 4]))
    whole = joined([gappy, part("other", 5)])
    np.testing.assert_array_equal(np.isnan(whole.view_values["a"]).all(axis=1), [0, 1, 0, 1, 0])


def test_different_times_are_reported():
    one, other = part("a", times=np.arange(6.0)), part("b", times=np.arange(6) / 25)
    assert clash_of_times([one, other]) is not None
    assert clash_of_times([one, part("c", times=np.arange(6.0))]) is None
    assert clash_of_times([one, part("c")]) is None


def test_names_that_are_empty_or_given_twice_are_refused_with_their_files():
    twice = [part("a"), FileView("a", "other.csv", part("a").dataset, 6)]
    with pytest.raises(DataError, match=r"called “a” \(a\.csv, other\.csv\)"):
        joined(twice)
    with pytest.raises(DataError, match=r"from b\.csv has no name"):
        joined([part("a"), FileView(" ", "b.csv", part("b").dataset, 6)])


def test_files_are_joined_by_their_ids():
    names = np.array(["ash", "oak", "elm", "fir", "yew", "box"])
    left, right = part("left", row_names=names), part("right", row_names=names)
    order = np.array([3, 1, 5, 0, 2, 4])
    shuffled = FileView("right", "right.csv", right.dataset.taken(order), 6)
    by_id = joined([left, shuffled])
    np.testing.assert_array_equal(by_id.targets, joined([left, right]).targets)
    assert "The rows were joined by their ids: 6 in both files." in joined([left, right]).notes
    order_differs = "by their ids, which are not in the same order in all files: 6 in both files."
    assert by_id.notes[0].endswith(order_differs)
    shorter = FileView("right", "right.csv", right.dataset.taken(order[:4]), 4)
    with pytest.raises(RowsDifferError, match=r"4 in both files, 2 only in left\.csv \(elm, yew\)"):
        joined([left, shorter])
    filled = joined([left, shorter], "fill")
    assert np.isnan(filled.view_values["right"]).any(axis=1).tolist() == [
        n in (2, 4) for n in range(6)
    ]
    assert filled.notes[0].endswith("in all files: 4 in both files, 2 only in left.csv.")
    assert filled.row_names.tolist() == names.tolist()
    assert "right.csv: the view is missing in rows elm, yew." in filled.notes
    # Every file lacks an id, so no file knows the names of all rows.
    both = [part("left", row_names=names).dataset.taken(np.arange(1, 6)), shorter.dataset]
    lacking = [FileView(f"{n}", f"{n}.csv", each, len(each.targets)) for n, each in enumerate(both)]
    every = joined(lacking, "fill")
    assert every.row_names.tolist() == ["oak", "elm", "fir", "yew", "box", "ash"]
    assert "1.csv: the view is missing in rows elm, yew." in every.notes
    third = FileView("third", "third.csv", part("third", row_names=names).dataset, 6)
    assert (
        joined([left, shorter, third], "fill")
        .notes[0]
        .endswith(": 4 in all files, 2 in some files.")
    )
    assert joined([left, shorter], "trim").row_names.tolist() == ["ash", "oak", "fir", "box"]
    with pytest.raises(DataError, match=r"are in different orders, and other\.csv has no ids"):
        joined([left, shuffled, part("other")])
    # Numbers of rows are no ids: one file counts from 0, the other from 1.
    counted = [part(name, row_names=np.arange(n, n + 6).astype(str)) for n, name in enumerate("ab")]
    np.testing.assert_array_equal(joined(counted).view_values["b"], counted[1].dataset.targets)


def test_many_ids_in_another_order_take_no_time_for_each_pair_of_rows():
    ids = np.array([f"row {n}" for n in range(30_000)])  # took a minute
    values = np.arange(30_000.0)[:, None]
    orders = {"one": slice(None), "other": slice(None, None, -1)}
    parts = [
        FileView(name, f"{name}.csv", dataset(name, values[at], row_names=ids[at]), len(ids))
        for name, at in orders.items()
    ]
    np.testing.assert_array_equal(joined(parts).values, np.hstack([values, values]))
