"""Tests of the cells, masks and figures of the tab Fill in."""

import numpy as np
import plotly.graph_objects as go
import pytest

from gplvm_core.datasets import Drawing, Skeleton
from gplvm_core.figures.cells import cells_of, choices, columns_of, n_cells
from gplvm_core.figures.position import mark_position
from gplvm_core.figures.typicality import share_below, typicality_figure
from gplvm_core.wire.completion import mask_of_text, mask_text

BODY = Skeleton(
    ("Hips", "LeftUpLeg", "LeftFoot", "Spine", "LeftArm", "LeftHand", "RightArm", "Lumbar"),
    (-1, 0, 1, 0, 3, 4, 3, 3),
)
DRAWINGS = [
    Drawing("image", (3, 4)),
    Drawing("image", (3, 4, 3)),
    Drawing("skeleton", (8, 3), skeleton=BODY),
    Drawing("curve", (50,)),
    Drawing("bars", (5,)),
]


@pytest.mark.parametrize("drawing", DRAWINGS, ids=lambda drawing: f"{drawing.kind}{drawing.shape}")
def test_cells_cover_their_columns_and_nothing_else(drawing):
    count = n_cells(drawing)
    for cell in range(count):
        alone = np.arange(count) == cell
        columns = columns_of(drawing, alone)
        assert columns.sum() == np.prod(drawing.shape) // count
        np.testing.assert_array_equal(cells_of(drawing, columns), alone)
        one = np.zeros_like(columns)
        one[np.flatnonzero(columns)[-1]] = True
        np.testing.assert_array_equal(cells_of(drawing, one), alone)


@pytest.mark.parametrize("drawing", DRAWINGS, ids=lambda drawing: f"{drawing.kind}{drawing.shape}")
def test_every_choice_hides_some_cells_and_leaves_some(drawing):
    for cells in choices(drawing).values():
        assert 0 < cells.sum() < n_cells(drawing)


def test_limbs_are_found_by_name_with_their_descendants():
    parts = choices(Drawing("skeleton", (8, 3), skeleton=BODY))
    assert np.flatnonzero(parts["Legs"]).tolist() == [1, 2]
    assert np.flatnonzero(parts["Arms"]).tolist() == [4, 5, 6]
    assert np.flatnonzero(parts["Left side"]).tolist() == [1, 2, 4, 5]
    unnamed = Skeleton(("a", "b", "c"), (-1, 0, 1))
    assert choices(Drawing("skeleton", (3, 3), skeleton=unnamed))["Last half"].tolist() == [
        False,
        True,
        True,
    ]


def test_halves_of_an_image():
    parts = choices(Drawing("image", (4, 4)))
    assert parts["Left half"].reshape(4, 4)[:, :2].all()
    assert parts["Lower half"].reshape(4, 4)[2:].all()
    assert parts["Left half"].sum() == parts["Lower half"].sum() == 8


def test_masks_are_restored_from_text():
    drawing = Drawing("curve", (19,))
    mask = np.random.default_rng(0).uniform(size=19) < 0.5
    np.testing.assert_array_equal(mask_of_text(mask_text(mask), drawing), mask)
    for wrong in ("", "AA==", "not base64", "AAAAAAAA"):
        with pytest.raises(ValueError, match="not a mask of 19 columns"):
            mask_of_text(wrong, drawing)


def test_share_below_counts_ties_half_and_ignores_infinite_values():
    densities = np.array([1.0, 2.0, 2.0, 3.0, -np.inf, np.nan])
    assert share_below(densities, 2.0) == pytest.approx(0.5)
    assert share_below(densities, 9.0) == 1.0


def test_typicality_counts_every_row_once_and_marks_the_item():
    densities = np.random.default_rng(0).normal(-100, 10, 300)
    figure = typicality_figure(densities, -150.0)
    assert np.sum(figure.data[0].y) == 300
    assert figure.layout.shapes[0].x0 == -150.0
    assert [note.text for note in figure.layout.annotations] == ["this row"]
    assert np.sum(typicality_figure(np.full(7, 3.0), 3.0).data[0].y) == 7
    assert not typicality_figure(np.array([np.nan]), 0.0).data


def test_the_ellipse_is_two_standard_deviations_in_the_shown_dimensions():
    mean, std = np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.3])
    weights, others = np.array([0.7, 0.3]), np.array([mean, mean + 1.0])
    figure = mark_position(go.Figure(), mean, std, others, weights, dimensions=(2, 0))
    rings, ellipse, cross = figure.data
    np.testing.assert_allclose([np.ptp(ellipse.x), np.ptp(ellipse.y)], [1.2, 0.4], rtol=1e-3)
    assert (cross.x[0], cross.y[0]) == (3.0, 1.0)
    np.testing.assert_allclose(rings.customdata, [70.0, 30.0])
    certain = mark_position(go.Figure(), mean, None, others[:1], np.ones(1), dimensions=(0, 1))
    assert len(certain.data) == 1
