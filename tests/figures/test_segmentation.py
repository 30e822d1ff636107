"""Tests of shared, private and unused dimensions: names of parts, figures, groups of joints."""

import numpy as np
import pytest

from gplvm_core.datasets import Skeleton
from gplvm_core.figures.segmentation import (
    body_figure,
    clusters,
    dendrogram_order,
    heat_map_figure,
    part_colour,
    profiles,
    segmentation_figure,
)
from gplvm_core.figures.view_parts import Part, leading_plane, parts_of

DROPS = {
    "left": np.array([0.0, 3.0, 200.0, 0.001, 8.0]),
    "right": np.array([5.0, 9.0, 0.0, -0.002, 1.0]),
}
SEGMENTS = {
    frozenset({"left", "right"}): (1, 4),
    frozenset({"left"}): (2,),
    frozenset({"right"}): (0,),
    frozenset(): (3,),
}


def bars(figure, name):
    """Return the height and fill of one view's bars by their dimension (from 1)."""
    found = {}
    for trace in figure.data:
        if trace.name == name:
            for custom, height in zip(trace.customdata, trace.y, strict=True):
                found[int(custom[0])] = (height, trace.marker.pattern.shape == "")
    return found


def test_parts_are_shared_then_private_then_unused():
    parts = parts_of(SEGMENTS, DROPS)
    assert [part.title for part in parts] == ["Shared", "Only left", "Only right", "Unused"]
    # Within a part, the first dimension is the one whose loss lowers the bounds most.
    assert [part.dimensions for part in parts] == [(1, 4), (2,), (0,), (3,)]
    assert [part.used for part in parts] == [True, True, True, False]
    assert [part.shared for part in parts] == [True, False, False, False]
    assert [part.subject for part in parts] == [
        "the shared part",
        "the private part of left",
        "the private part of right",
        "the unused part",
    ]
    assert leading_plane(parts, 5) == (1, 4)


def test_a_view_without_private_dimensions_has_an_empty_part():
    parts = parts_of({frozenset({"left", "right"}): (0, 1, 2, 3, 4)}, DROPS)
    assert [(part.id, len(part.dimensions)) for part in parts] == [
        ("shared", 5),
        ("only left", 0),
        ("only right", 0),
        ("unused", 0),
    ]


def test_three_views_name_what_two_of_them_share():
    drops = {name: np.ones(4) for name in "abc"}
    segments = {
        frozenset("abc"): (0,),
        frozenset("ac"): (1,),
        frozenset("b"): (2,),
        frozenset(): (3,),
    }
    parts = parts_of(segments, drops)
    assert [part.title for part in parts] == [
        "Shared",
        "Shared by a and c",
        "Only a",
        "Only b",
        "Only c",
        "Unused",
    ]
    assert parts[0].words == "All views use it"


def test_many_views_have_three_parts():
    names = [f"v{i}" for i in range(6)]
    drops = {name: np.ones(4) for name in names}
    segments = {
        frozenset(names): (2,),
        frozenset(names[:2]): (0,),
        frozenset(names[5:]): (1,),
        frozenset(): (3,),
    }
    parts = parts_of(segments, drops)
    assert [(part.id, part.dimensions) for part in parts] == [
        ("shared", (0, 2)),
        ("private", (1,)),
        ("unused", (3,)),
    ]


def test_one_latent_dimension_is_shown_against_the_rows():
    parts = parts_of({frozenset({"left"}): (0,)}, {"left": np.ones(1)})
    assert leading_plane(parts, 1) == (0, 1)


def test_bars_are_ordered_by_part_and_solid_if_used():
    parts = parts_of(SEGMENTS, DROPS)
    figure = segmentation_figure(DROPS, parts, 0.05, unit="nats per row")
    assert list(figure.layout.xaxis.ticktext) == ["2", "5", "3", "1", "4"]
    left, right = bars(figure, "left"), bars(figure, "right")
    assert left[3] == (200.0, True)
    assert right[1] == (5.0, True)
    assert not left[4][1]
    # Values below the axis are drawn at the end of the axis; the hover text has the true value.
    foot = 10 ** figure.layout.yaxis.range[0]
    assert left[4][0] == pytest.approx(max(foot, 0.001))
    told = [custom for trace in figure.data for custom in trace.customdata if custom[0] == "4"]
    assert {custom[1] for custom in told} == {"0.001", "-0.002"}
    assert {custom[2] for custom in told} == {"unused"}
    # The names that a visitor gave to dimensions replace their numbers, as plain text.
    names = ["", "<b>smile</b>"]
    titled = segmentation_figure(DROPS, parts, 0.05, unit="nats per row", names=names)
    assert list(titled.layout.xaxis.ticktext)[:2] == ["&lt;b&gt;smile&lt;/b&gt;", "5"]
    # Shared and private parts have a background; the unused part has none.
    assert sum(shape.type == "rect" for shape in figure.layout.shapes) == 3


def test_every_view_is_in_the_legend_once():
    figure = segmentation_figure(DROPS, parts_of(SEGMENTS, DROPS), 0.05, unit="nats per row")
    assert sorted(trace.name for trace in figure.data if trace.showlegend) == ["left", "right"]


def test_shared_and_private_parts_have_different_colours():
    parts = parts_of(SEGMENTS, DROPS)
    colours = [part_colour(part, ["left", "right"]) for part in parts]
    assert colours[-1] is None
    assert len(set(colours)) == 4


def test_empty_input_gives_a_message():
    figure = segmentation_figure({}, (), 0.05, unit="nats per row")
    assert figure.layout.annotations[0].text == "No dimensions yet"
    assert heat_map_figure({}, (), 0.05).layout.annotations[0].text == "No dimensions yet"


def test_profiles_are_shares_and_ignore_negative_drops():
    shares = profiles({**DROPS, "still": np.zeros(5)})
    np.testing.assert_allclose(shares.sum(axis=1), [1.0, 1.0, 0.0])
    assert shares.min() == 0.0
    np.testing.assert_allclose(shares[1], np.array([5.0, 9.0, 0.0, 0.0, 1.0]) / 15.0)


def test_the_heat_map_groups_similar_views_and_shows_numbers():
    alike = np.array([4.0, 0.0, 1.0])
    other = np.array([0.0, 7.0, 0.001])
    drops = {"a": alike, "b": other, "c": 1.1 * alike, "d": 0.9 * other}
    order = dendrogram_order(profiles(drops)).tolist()
    assert abs(order.index(0) - order.index(2)) == 1
    assert abs(order.index(1) - order.index(3)) == 1
    part = Part("shared", "Shared", "", tuple(drops), (0, 1, 2))
    figure = heat_map_figure(drops, (part,), 0.05)
    table = figure.data[0]
    row = list(table.y).index("b")
    np.testing.assert_allclose(table.customdata[row], other)
    np.testing.assert_allclose(table.z[row], [-1.0, np.log10(7.0 / 0.05), -1.0])


def test_clusters_find_views_with_similar_losses():
    rng = np.random.default_rng(0)
    centres = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    truth = np.repeat([0, 1, 2], [6, 5, 4])
    found = clusters(centres[truth] + 0.01 * rng.standard_normal((15, 2)), 3)
    # The clusters are numbered by decreasing size.
    np.testing.assert_array_equal(found, truth)
    assert set(clusters(centres[[0, 0, 1]], 5)) == {0, 1}


def test_the_body_names_its_joints():
    skeleton = Skeleton(("hip", "knee", "foot"), (-1, 0, 1))
    at = np.array([0.0, 0.1, 0.2])
    figure = body_figure(at, -at, skeleton, np.array([0, 1, 1]))
    bones, *groups = figure.data
    assert [value for value in bones.x if value is not None] == [0.1, 0.0, 0.2, 0.1]
    assert [list(group.customdata) for group in groups] == [["hip"], ["knee", "foot"]]
    assert groups[0].marker.symbol != groups[1].marker.symbol


def test_a_views_name_is_escaped_in_hover_texts():
    name = '<a href="http://b.example">%{x}'
    drops = {name: np.array([4.0, 5.0]), "other": np.array([5.0, 4.0])}
    parts = parts_of({frozenset({name}): (0,), frozenset({"other"}): (1,)}, drops)
    figure = segmentation_figure(drops, parts, 1e-2, unit="nats")
    said = str([(trace.name, trace.hovertemplate, trace.customdata) for trace in figure.data])
    assert "only &lt;a href" in said and "<a" not in said
