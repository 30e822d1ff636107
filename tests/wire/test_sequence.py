"""Tests that the player's bytes match the model's predictions."""

from dataclasses import replace

import numpy as np
import pytest

from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.wire.frame import unframe
from gplvm_core.wire.items import MOST_ITEM_BYTES, as_pictures
from gplvm_core.wire.sequence import Cue, Reel, SequencePanel, pack_reel, spread_share, usual_step


@pytest.fixture
def film() -> Dataset:
    pixels = np.random.default_rng(0).uniform(0, 255, (12, 6 * 8))
    return Dataset("film", "A film", pixels, Drawing("image", (6, 8), (0.0, 255.0)))


@pytest.fixture
def table() -> Dataset:
    values = np.random.default_rng(1).normal(size=(50, 3)) * [1.0, 10.0, 100.0]
    return Dataset("table", "A table", values, Drawing.of_vector(3))


def test_values_are_packed_unchanged(table):
    times = np.array([0.0, 0.1, 0.25, 0.3])
    mean, std = table.values[:4], np.full((4, 3), 0.5)
    reel = Reel(
        "four",
        times,
        (SequencePanel("model", mean, std, "words"), SequencePanel("data", table.values[4:8])),
        latent_mean=np.arange(8.0).reshape(4, 2),
        forecast=np.array([0, 0, 1, 1], bool),
    )
    header, arrays = unframe(pack_reel(reel, table, "store", "id 1", Cue(0.1)))
    assert (header["name"], header["id"]) == ("store", "id 1")
    assert (header["start"], header["play"]) == (0.1, False)
    assert [panel["title"] for panel in header["panels"]] == ["model", "data"]
    assert [panel["spread"] for panel in header["panels"]] == [True, False]
    np.testing.assert_array_equal(arrays["times"], times)
    np.testing.assert_allclose(arrays["values0"], mean, rtol=1e-6)
    np.testing.assert_allclose(arrays["std0"], std)
    np.testing.assert_allclose(arrays["values1"], table.values[4:8], rtol=1e-6)
    np.testing.assert_array_equal(arrays["forecast"], [0, 0, 1, 1])
    np.testing.assert_array_equal(arrays["hidden"], np.zeros(4))
    np.testing.assert_allclose(arrays["latent_mean"], reel.latent_mean)
    assert "latent_variance" not in arrays


def test_pixels_are_packed_as_bytes_over_the_range(film):
    values = film.values.copy()
    values[0, 0] = np.nan
    values[1, 1] = 300.0  # a prediction may leave the range
    reel = Reel("film", np.arange(12.0), (SequencePanel("seen", values),))
    header, arrays = unframe(pack_reel(reel, film, "store", "id", Cue()))
    sent = arrays["values0"]
    assert sent.dtype == np.uint8
    assert header["panels"][0]["shape"] == [6, 8]
    assert sent[0, 0] == header["white"] + 1
    assert sent[1, 1] == header["white"]
    back = sent * (255.0 / header["white"])
    known = np.ones_like(values, bool)
    known[0, 0] = known[1, 1] = False
    np.testing.assert_allclose(back[known], values[known], atol=0.51)


def test_standard_deviations_of_pixels_have_their_own_range(film):
    std = np.linspace(0, 7, film.values.size).reshape(film.values.shape)
    reel = Reel("film", np.arange(12.0), (SequencePanel("unsure", film.values, std, heat=True),))
    header, arrays = unframe(pack_reel(reel, film, "store", "id", Cue()))
    assert header["panels"][0]["heat"] == [0.0, 7.0]
    np.testing.assert_allclose(arrays["values0"] * (7.0 / header["white"]), std, atol=0.02)


def test_many_large_pictures_are_averaged_over_blocks():
    frames = np.random.default_rng(2).uniform(0, 1, (10, 900 * 700))
    small, shape = as_pictures(Drawing("image", (900, 700)), frames, (0.0, 1.0), 254)
    assert small.size <= MOST_ITEM_BYTES
    assert shape == [450, 350]
    corner = frames[3].reshape(900, 700)[-2:, -2:].mean()
    assert small[3, -1] == pytest.approx(254 * corner, abs=0.51)


def test_a_row_drawn_at_random_is_as_uncertain_as_the_data(table, film):
    for data in (table, film):
        own = np.tile(data.values.std(axis=0), (2, 1))
        np.testing.assert_allclose(spread_share(own, data), 1.0)
        np.testing.assert_allclose(spread_share(0.25 * own, data), 0.25)
    # Columns with different units have equal weight; all pixels have one unit.
    only_last = np.array([[0.0, 0.0, table.values[:, 2].std()]])
    assert spread_share(only_last, table)[0] == pytest.approx(np.sqrt(1 / 3))


def test_constant_columns_do_not_count_in_the_share(table):
    values = np.column_stack([table.values, np.ones(50)])
    data = replace(table, targets=values, drawing=Drawing.of_vector(4))
    std = np.column_stack([np.tile(table.values.std(axis=0), (1, 1)), [[5.0]]])
    assert spread_share(std, data)[0] == pytest.approx(1.0)


def test_times_that_look_like_seconds_are_played_as_seconds():
    panel = (SequencePanel("nothing", np.zeros((3, 1))),)
    assert Reel("", np.array([0.0, 0.1, 0.2]), panel).rate == 1.0
    days = Reel("", np.array([0.0, 1.0, 2.0]), panel)
    assert days.rate == pytest.approx(20.0)  # the film has twenty frames per second
    assert usual_step(np.array([0.0, 1.0, 2.0, 30.0])) == 1.0
    assert usual_step(np.array([4.0])) == 1.0
