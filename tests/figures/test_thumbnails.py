"""Tests of rows as small pictures: every kind of drawing, with and without missing values."""

import numpy as np
import pytest

from gplvm_core.datasets import Drawing, Skeleton
from gplvm_core.figures.thumbnails import common_frame, missing_picture, row_picture, sides


def test_a_joint_has_a_side_if_its_name_says_so_or_the_other_side_has_such_a_joint() -> None:
    names = ["root", "lfemur", "rfemur", "LeftArm", "R_Hip", "L_Hip", "leg", "ribs", "lowerback"]
    assert sides(names) == [None, "left", "right", "left", "right", "left", None, None, None]


@pytest.mark.parametrize(
    "drawing",
    [
        Drawing("image", (2, 3), (0.0, 1.0)),
        Drawing("image", (1, 2, 3)),
        Drawing("skeleton", (2, 3), skeleton=Skeleton(("Hips", "LeftLeg"), (-1, 0))),
        Drawing("curve", (6,)),
        Drawing("bars", (6,)),
    ],
)
def test_every_kind_of_row_is_drawn(drawing: Drawing):
    rows = np.random.default_rng(0).uniform(size=(4, 6))
    picture = row_picture(drawing, rows[0], common_frame(drawing, rows), 40)
    assert max(picture.size) == 40
    assert np.ptp(np.asarray(picture), axis=(0, 1)).max() > 0


@pytest.mark.parametrize(
    ("drawing", "hidden"),
    [
        (Drawing("image", (4, 6), (0.0, 1.0)), slice(0, 12)),
        (Drawing("image", (2, 4, 3)), slice(0, 12)),
        (Drawing("skeleton", (8, 3), skeleton=Skeleton(tuple("abcdefgh"), (-1, *[0] * 7))), 1),
        (Drawing("curve", (24,)), slice(6, 18)),
        (Drawing("bars", (24,)), slice(6, 18)),
    ],
)
def test_missing_values_are_not_drawn(drawing: Drawing, hidden: int | slice):
    rows = np.random.default_rng(0).uniform(0.2, 1.0, size=(4, 24))
    frame = common_frame(drawing, rows)
    whole = np.asarray(row_picture(drawing, rows[0], frame, 48), dtype=float)
    holed = rows.copy()
    holed[0, hidden] = np.nan
    picture = np.asarray(row_picture(drawing, holed[0], common_frame(drawing, holed), 48), float)
    assert picture.shape == whole.shape
    solid = [np.count_nonzero(shown[..., 3] > 230) for shown in (whole, picture)]
    assert 0 < solid[1] < solid[0]


def test_observed_values_look_the_same_with_and_without_gaps():
    drawing = Drawing("image", (4, 4), (0.0, 1.0))
    row = np.random.default_rng(1).uniform(size=16)
    holed = np.where(np.arange(16) < 8, np.nan, row)
    frame = common_frame(drawing, row[None])
    whole, picture = (np.asarray(row_picture(drawing, r, frame, 40)) for r in (row, holed))
    np.testing.assert_array_equal(picture[20:], whole[20:])
    # the missing part is hatched
    assert (picture[:20, :, 3] == 0).any() and (picture[:20, :, 3] > 0).any()


def test_the_map_of_missing_values_shows_even_a_single_one():
    missing = np.zeros((3000, 12), bool)
    missing[1500, 4] = True
    picture = np.asarray(missing_picture(missing)).astype(int)
    observed = picture[0, 0]
    differing = np.argwhere(np.abs(picture - observed).sum(axis=2) > 60)
    assert len(differing)
    np.testing.assert_allclose(
        differing.mean(axis=0) / picture.shape[:2], [0.5, 4.5 / 12], atol=0.02
    )


def test_bars_of_different_units_are_all_visible():
    rows = np.array([[1.0, 1000.0], [2.0, 3000.0]])
    frame = common_frame(Drawing("bars", (2,)), rows)
    np.testing.assert_allclose((rows[1] - frame.low) / (frame.high - frame.low), [1.0, 1.0])
