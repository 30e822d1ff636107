"""Tests of the SVG placeholder pictures: positions of the rows, and a small size for any data."""

import re

import numpy as np
import pytest

from gplvm_core.figures.light import MOST_POINTS, SIZE, bars, dots, line, principal_places


def places_in(picture: str) -> np.ndarray:
    return np.array(re.findall(r"M(\d+) (\d+)h0", picture), dtype=float)


def test_places_are_the_leading_principal_components():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((60, 2)) * [5.0, 2.0] @ rng.standard_normal((2, 9))
    places, rows = principal_places(values)
    centred = values - values.mean(axis=0)
    np.testing.assert_allclose(places @ places.T, centred @ centred.T, atol=1e-8)
    np.testing.assert_array_equal(rows, np.arange(60))


@pytest.mark.parametrize("shape", [(2, 1), (5, 1), (1, 4), (3000, 3)])
def test_every_table_has_places_and_gaps_do_not_matter(shape):
    values = np.random.default_rng(1).standard_normal(shape)
    values[0, 0] = np.nan
    places, rows = principal_places(values)
    assert places.shape == (len(rows), 2) and np.isfinite(places).all()
    assert len(rows) == min(shape[0], MOST_POINTS) and rows[-1] == shape[0] - 1


def test_dots_keep_the_order_of_places_and_the_colours_of_labels():
    picture = dots(np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 1.0]]), np.array([0, 0, -1]))
    assert len(re.findall("<path", picture)) == 2
    found = places_in(picture)
    found = found[np.argsort(found[:, 0])]
    assert found[0][1] > found[2][1] > found[1][1], "up is up"
    assert found.min() >= 0 and found.max() <= SIZE


def test_a_constant_table_a_flat_line_and_bars_without_height_are_drawn():
    assert len(places_in(dots(np.zeros((3, 2))))) == 3
    assert "NaN" not in line([0.0, 1.0], [5.0, 5.0]) + bars(np.zeros(3))
