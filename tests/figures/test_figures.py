"""Tests of the live figures: content, order, and notes about omitted points."""

import numpy as np
import pytest

from gplvm_core.figures.dimensions import dimensions_on, leading_pair
from gplvm_core.figures.latent_map import MOST_POINTS, latent_map_figure
from gplvm_core.figures.palette import COLOURS, label_colour, label_symbol
from gplvm_core.figures.relevance import SMALLEST_SHOWN, relevance_figure
from gplvm_core.figures.trace import MOST_POINTS as MOST_STEPS
from gplvm_core.figures.trace import trace_figure


def words_of(figure):
    return " ".join(annotation.text for annotation in figure.layout.annotations)


def test_relevance_bars_are_sorted_and_keep_their_dimensions_number():
    figure = relevance_figure(np.array([0.1, 3.0, 1.0]), np.array([0.2, 1.0, 0.6]))
    assert list(figure.data[0].x) == ["2", "3", "1"]
    np.testing.assert_allclose(figure.data[0].y, [3.0, 1.0, 0.1])
    np.testing.assert_allclose(figure.data[1].y, [1.0, 0.6, 0.2])


def test_relevance_figure_names_both_measures():
    words = words_of(relevance_figure(np.ones(2), np.ones(2)))
    assert "Relevance: how fast the outputs change" in words
    assert "Information per row in nats: on above 0.05" in words


def test_dimensions_without_information_have_no_visible_bars():
    figure = relevance_figure(np.ones(2), np.array([1e-6, 2e-6]))
    assert max(figure.data[1].y) < 1e-3 * figure.layout.yaxis2.range[1]


def test_on_and_off_are_decided_by_information_not_by_relevance():
    relevance, information = np.array([1e-6, 1.0]), np.array([2.0, 0.01])
    np.testing.assert_array_equal(dimensions_on(information), [True, False])
    bars = relevance_figure(relevance, information).data[0]
    # The bars are sorted by relevance. Dimension 2 is first, but off, so it is hatched in another
    # colour.
    assert bars.marker.color[0] != bars.marker.color[1]
    assert list(bars.marker.pattern.shape) == ["/", ""]


def test_tiny_relevances_stay_on_the_axis_and_keep_their_true_number():
    bars = relevance_figure(np.array([1.0, 1e-11]), np.array([1.0, 0.0])).data[0]
    assert bars.y[1] == pytest.approx(SMALLEST_SHOWN)
    assert bars.customdata[1][0] == pytest.approx(1e-11)


def test_relevance_without_information_draws_one_measure():
    figure = relevance_figure(np.array([2.0, 1.0]), None)
    assert len(figure.data) == 1
    assert "KL" not in words_of(figure)


@pytest.mark.parametrize("relevance", [np.empty(0), np.zeros(3)])
def test_relevance_figure_without_relevances_gives_a_message(relevance):
    figure = relevance_figure(relevance, relevance)
    assert not figure.data
    assert "No relevances yet" in words_of(figure)


def test_the_time_of_a_second_stage_follows_that_of_the_first():
    trace = {"bound": np.array([1.0, 2.0, 5.0, 6.0]), "seconds": np.array([0.5, 1.5, 0.25, 1.0])}
    np.testing.assert_allclose(trace_figure(trace).data[0].x, [0.5, 1.5, 1.75, 2.5])


def test_long_trace_is_thinned_and_keeps_both_ends():
    bound = np.arange(10_000.0)
    line = trace_figure({"bound": bound, "seconds": bound}).data[0]
    assert len(line.x) <= MOST_STEPS
    assert (line.y[0], line.y[-1]) == (0.0, 9999.0)


def test_a_steep_start_is_cut_off_and_annotated():
    bound = np.concatenate([[-1e7], np.linspace(-100, 0, 99)])
    figure = trace_figure({"bound": bound, "seconds": np.arange(100.0)})
    assert figure.layout.yaxis.range[0] > -1000
    assert "starts at −10,000,000" in words_of(figure)


def test_a_short_trace_gives_a_message():
    figure = trace_figure({"bound": np.array([-1.0]), "seconds": np.array([0.0])})
    assert "after the first steps" in words_of(figure)


def test_latent_map_has_one_named_trace_per_label():
    points = np.arange(12.0).reshape(6, 2)
    labels = np.array([0, 0, 1, 1, 2, 2])
    figure = latent_map_figure(points, labels, ("cat", "dog", "owl"))
    assert [trace.name for trace in figure.data] == ["cat", "dog", "owl"]
    np.testing.assert_allclose(figure.data[1].x, [4.0, 6.0])
    np.testing.assert_allclose(figure.data[1].y, [5.0, 7.0])
    assert figure.layout.showlegend


def test_latent_map_draws_the_wanted_dimensions_and_counts_them_from_one():
    points = np.random.default_rng(0).normal(size=(5, 4))
    figure = latent_map_figure(points, dimensions=(3, 1))
    np.testing.assert_allclose(figure.data[0].x, points[:, 3])
    assert figure.layout.xaxis.title.text == "latent dimension 4"
    assert figure.layout.yaxis.title.text == "latent dimension 2"


def test_latent_map_of_one_dimension_is_drawn_against_the_row():
    figure = latent_map_figure(np.array([[3.0], [1.0]]), dimensions=(0, 0))
    np.testing.assert_allclose(figure.data[0].y, [1, 2])
    assert figure.layout.yaxis.title.text == "row"


def test_many_points_are_thinned_and_counted_in_the_title():
    figure = latent_map_figure(np.zeros((5000, 2)))
    assert len(figure.data[0].x) == MOST_POINTS
    assert "2,000 of 5,000" in figure.layout.xaxis.title.text


def test_forty_labels_differ_in_colour_or_shape():
    looks = {(label_colour(label), label_symbol(label)) for label in range(40)}
    assert len(looks) == 40
    assert label_colour(-1) not in COLOURS


def test_leading_pair_is_the_two_most_relevant():
    assert leading_pair(np.array([0.1, 5.0, 2.0])) == (1, 2)
    assert leading_pair(np.array([1.0])) == (0, 0)
