"""Tests of the figures that show each output's noise: values, order, and omitted cells."""

import numpy as np
import pytest

from gplvm_core.figures.cells import column_std
from gplvm_core.figures.noise import MOST_COLUMNS, CellNoise, noise_figure
from gplvm_core.readers.drawing import Drawing, Skeleton


def columns(noise, spread, names=None):
    names = names or tuple(f"c{d}" for d in range(len(noise)))
    drawing = Drawing("bars", (len(noise),))
    return CellNoise.of(np.asarray(noise), np.asarray(spread), drawing, names)


def bars(figure):
    """Return label, length and hover text of every bar."""
    (data,) = figure.data
    return list(figure.layout.yaxis.ticktext), np.asarray(data.x), list(data.customdata)


def test_bars_are_shares_of_the_spread_and_the_noisiest_is_first():
    noise = columns([0.1, 3.0, 0.4], [1.0, 4.0, 0.5], ("ash", "malic_acid", "hue"))
    labels, lengths, facts = bars(noise_figure(noise))
    assert labels == ["hue", "malic_acid", "ash"]
    np.testing.assert_allclose(lengths, [0.8, 0.75, 0.1])
    assert [(name, float(std)) for name, std in facts] == [
        ("hue", 0.4),
        ("malic_acid", 3.0),
        ("ash", 0.1),
    ]
    figure = noise_figure(noise)
    assert list(figure.data[0].text) == ["80%", "75%", "10%"]
    # The first bar is at the top, and the axis ranges from 0 to 1.
    assert figure.layout.yaxis.autorange == "reversed"
    assert figure.layout.xaxis.range == (0.0, 1.0)
    assert figure.layout.title.text is None


def test_the_noisiest_columns_are_drawn_and_the_others_counted():
    share = np.random.default_rng(0).permutation(64) / 64
    share[share == 0] = 0.999
    figure = noise_figure(columns(2.0 * share, np.full(64, 2.0)))
    labels, lengths, _ = bars(figure)
    wanted = sorted(range(64), key=lambda d: -share[d])[:MOST_COLUMNS]
    assert labels == [f"c{d}" for d in wanted]
    np.testing.assert_allclose(lengths, share[wanted])
    assert figure.layout.title.text == "The noisiest 20 of 64"


def test_columns_without_variance_are_left_out_and_counted():
    noise = columns([0.1, 0.2, 0.3, 0.4], [0.0, 1.0, 0.0, 1.0])
    figure = noise_figure(noise)
    assert bars(figure)[0] == ["c3", "c1"]
    assert noise.left_out == "2 of 4 columns do not vary and are left out."
    assert columns([0.1, 0.2], [0.0, 1.0]).left_out == (
        "1 of 2 columns does not vary and is left out."
    )
    assert columns([0.1], [1.0]).left_out == ""


def test_a_constant_table_gives_a_message():
    figure = noise_figure(columns([0.1, 0.2], [0.0, 0.0]))
    assert not figure.data
    assert figure.layout.annotations[0].text == "Nothing varies"


def test_more_noise_than_spread_stays_on_the_axis():
    assert noise_figure(columns([3.0, 1.0], [2.0, 2.0])).layout.xaxis.range[1] == 1.5


def test_equal_names_keep_their_bars_and_long_names_are_cut():
    long = "a very long name of a column, with its unit"
    labels, lengths, facts = bars(noise_figure(columns([0.2, 0.3], [1.0, 1.0], (long, long))))
    assert len(lengths) == len(labels) == 2
    assert labels[0] == labels[1] and labels[0].endswith("…") and len(labels[0]) < 30
    assert facts[0][0] == long


def test_a_picture_has_the_shape_of_the_images():
    height, width = 3, 5
    spread = np.random.default_rng(1).uniform(1.0, 2.0, height * width)
    noise = np.random.default_rng(2).uniform(0.0, 1.0, height * width)
    spread[7] = 0.0
    cells = CellNoise.of(noise, spread, Drawing("image", (height, width)), ())
    figure = noise_figure(cells)
    (data,) = figure.data
    assert np.shape(data.z) == (height, width)
    for row in range(height):
        for column in range(width):
            d = row * width + column
            wanted = np.nan if d == 7 else noise[d] / spread[d]
            assert data.z[row][column] == pytest.approx(wanted, nan_ok=True)
            assert data.text[row][column] == f"row {row + 1}, column {column + 1}"
    assert (data.zmin, data.zmax) == (0.0, 1.0)
    assert figure.layout.yaxis.autorange == "reversed"  # row 1 is at the top
    assert cells.left_out == "1 of 15 pixels does not vary and is left out."


def test_a_coloured_pixel_is_the_mean_over_its_colours_that_vary():
    noise = np.array([0.1, 0.2, 0.6, 0.3, 0.3, 0.3])
    spread = np.array([1.0, 1.0, 2.0, 0.0, 0.5, 0.0])
    cells = CellNoise.of(noise, spread, Drawing("image", (1, 2, 3)), ())
    np.testing.assert_allclose(cells.share, [(0.1 + 0.2 + 0.3) / 3, 0.6])
    np.testing.assert_allclose(cells.std, [0.3, 0.3])
    assert np.shape(noise_figure(cells).data[0].z) == (1, 2)


def test_a_joint_is_the_root_mean_square_over_its_coordinates():
    skeleton = Skeleton(("hips", "knee", "foot"), (-1, 0, 1))
    drawing = Drawing("skeleton", (3, 3), skeleton=skeleton)
    noise = np.array([0.5, 0.5, 0.5, 1.0, 2.0, 2.0, 0.1, 0.1, 0.7])
    spread = np.array([0.0, 0.0, 0.0, 2.0, 4.0, 4.0, 3.0, 4.0, 0.0])
    cells = CellNoise.of(noise, spread, drawing, ())
    labels, lengths, facts = bars(noise_figure(cells))
    assert labels == ["knee", "foot"]
    # The knee: noise √(9/3), spread √(36/3). Two coordinates of the foot vary: √(0.02/2), √(25/2).
    np.testing.assert_allclose(lengths, [0.5, 0.1 / 12.5**0.5])
    np.testing.assert_allclose([float(std) for _, std in facts], [3**0.5, 0.1])
    assert cells.left_out == "1 of 3 joints does not vary and is left out."


def test_all_joints_are_drawn_for_any_number():
    count = 2 * MOST_COLUMNS
    skeleton = Skeleton(tuple(f"j{j}" for j in range(count)), (-1, *range(count - 1)))
    drawing = Drawing("skeleton", (count, 3), skeleton=skeleton)
    spread = np.random.default_rng(3).uniform(1.0, 2.0, 3 * count)
    figure = noise_figure(CellNoise.of(np.ones(3 * count), spread, drawing, ()))
    assert len(figure.data[0].x) == count
    assert figure.layout.height > noise_figure(columns([1.0], [1.0])).layout.height


def test_the_spread_ignores_missing_values_and_is_zero_for_constants():
    values = np.array(
        [[1.0, 0.1, 5.0, 0.3], [3.0, 0.1, np.nan, 0.1 + 0.2], [np.nan, 0.1, 5.0, 0.3],
         [5.0, 0.1, np.nan, 0.3]]
    )  # fmt: skip
    spread = column_std(values)
    assert spread[0] == pytest.approx(np.sqrt(8 / 3))
    np.testing.assert_array_equal(spread[1:], 0.0)
