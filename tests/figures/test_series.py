"""Tests of the figure of a column over time: the band, the values, and a forecast's background."""

import numpy as np

from gplvm_core.figures.series import series_figure

TIMES = np.arange(5.0)


def test_the_band_has_95_percent_and_the_forecast_a_ground():
    given = np.array([1.0, np.nan, 3.0, np.nan, np.nan])
    forecast = np.array([0, 0, 0, 1, 1], bool)
    figure = series_figure(
        TIMES, np.arange(5.0), np.full(5, 2.0), given, forecast, name="<b>rain", time="days"
    )
    band, mean, dots = figure.data
    np.testing.assert_allclose(band.y[:5], np.arange(5.0) + 3.92, atol=1e-3)
    np.testing.assert_allclose(band.y[5:], np.arange(5.0)[::-1] - 3.92, atol=1e-3)
    np.testing.assert_allclose(mean.y, np.arange(5.0))
    np.testing.assert_array_equal(np.isnan(dots.y), np.isnan(given))
    (ground,) = figure.layout.shapes
    assert (ground.x0, ground.x1) == (3.0, 4.0)
    assert figure.layout.yaxis.title.text == "&lt;b&gt;rain"
    assert figure.layout.xaxis.title.text == "days"


def test_without_a_forecast_there_is_no_ground():
    none = np.zeros(5, bool)
    figure = series_figure(TIMES, TIMES, np.ones(5), TIMES, none, name="rain")
    assert not figure.layout.shapes


def test_nothing_is_drawn_between_rows_that_are_far_apart():
    times = np.array([0.0, 1.0, 2.0, 9.0, 10.0])
    figure = series_figure(times, times, np.ones(5), times, np.zeros(5, bool), name="rain")
    band, mean, _ = figure.data
    np.testing.assert_array_equal(mean.y, [0.0, 1.0, 2.0, np.nan, 9.0, 10.0])
    # Two areas, each from its first to its last row and back.
    ends = np.flatnonzero(np.isnan(band.x))
    np.testing.assert_array_equal(ends, [6])
    assert set(band.x[:6]) == {0.0, 1.0, 2.0} and set(band.x[7:]) == {9.0, 10.0}


def test_a_tooltip_has_the_given_value_only_of_its_own_row():
    """With one tooltip for all lines, Plotly adds the nearest other value where a row has none."""
    given = np.array([1.0, np.nan, 3.0, np.nan, np.nan])
    forecast = np.array([0, 0, 0, 1, 1], bool)
    figure = series_figure(TIMES, TIMES, np.ones(5), given, forecast, name="rain")
    _, mean, dots = figure.data
    assert dots.hoverinfo == "skip" and dots.hovertemplate is None
    told = ["Given : %{customdata[2]:,.4~r}" in text for text in mean.hovertemplate]
    assert told == [True, False, True, False, False]
    np.testing.assert_array_equal(np.array(mean.customdata)[:, 2], given)
