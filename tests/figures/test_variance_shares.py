"""Tests of the bars that show what the map and the known factors explain."""

import numpy as np

from gplvm_core.figures.variance_shares import MOST_COLUMNS, variance_shares_figure


def shares_of(factors):
    factors = np.array(factors)
    left = 1.0 - factors
    return {"map": 0.5 * left, "factors": factors, "both": 0.2 * left, "noise": 0.3 * left}


def test_bars_fill_the_whole_and_the_largest_part_of_the_factor_comes_first():
    figure = variance_shares_figure(shares_of([0.1, np.nan, 0.6]), ["a", "words", "c"], "batch")
    assert [bar.name for bar in figure.data] == ["Map", "batch", "Both together", "Noise"]
    assert list(figure.layout.yaxis.ticktext) == ["c", "a"]
    np.testing.assert_allclose(figure.data[1].x, [0.6, 0.1])
    np.testing.assert_allclose(np.sum([bar.x for bar in figure.data], axis=0), 1.0)


def test_of_many_columns_those_that_the_factor_explains_most_are_drawn():
    factors = np.linspace(0.0, 0.9, 100)
    figure = variance_shares_figure(shares_of(factors), [f"c{n}" for n in range(100)], "<b>")
    assert list(figure.layout.yaxis.ticktext) == [f"c{n}" for n in range(99, 99 - MOST_COLUMNS, -1)]
    assert figure.data[1].name == "&lt;b&gt;"


def test_a_table_of_words_says_that_there_is_nothing_to_draw():
    figure = variance_shares_figure(shares_of([np.nan]), ["words"], "batch")
    assert figure.layout.annotations[0].text == "No column of numbers"
