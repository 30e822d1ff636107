"""Tests of large data: the sample of rows and the columns of all rows match the model."""

from dataclasses import replace

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.figures.thumbnails import map_picture, unit_positions
from gplvm_core.offline.explorer import OfflineExplorer
from gplvm_core.wire.columns import pack_columns
from gplvm_core.wire.crowd import MOST_WHOLE, row_order, sample_of
from gplvm_core.wire.frame import unframe
from gplvm_core.wire.model import Chart, pack_model

N = 7000


@pytest.fixture(scope="module")
def chart() -> Chart:
    rng = np.random.default_rng(3)
    values = rng.standard_normal((N, 4)) @ rng.standard_normal((4, 6))
    dataset = Dataset(
        name="many",
        title="Many",
        targets=values,
        drawing=Drawing("bars", (6,)),
        labels=np.arange(N) % 3,
        label_names=("a", "b", "c"),
        covariates={"weight": rng.standard_normal(N)},
    )
    model = BayesianGPLVM(2, n_inducing=10, max_iter=3, random_state=0).fit(values[:60])
    latent = np.column_stack([np.linspace(-3, 2, N), np.sin(np.arange(N))])
    return Chart(
        model.posterior_, dataset, latent, np.full((N, 2), 0.1), np.array([1, 2.0]), (0, 1)
    )


@pytest.mark.parametrize("n_rows", [1, 2, 3, 10, 5001, 99_991, 100_000])
def test_the_order_has_every_row_once_and_evenly_spread_prefixes(n_rows):
    order = row_order(n_rows)
    np.testing.assert_array_equal(np.sort(order), np.arange(n_rows))
    first = np.sort(order[: max(1, n_rows // 20)])
    gaps = np.diff(np.concatenate([first, [first[0] + n_rows]]))
    assert gaps.max() <= 3 * n_rows / len(first)


def test_few_rows_need_no_sample_and_wide_rows_have_a_smaller_one():
    assert sample_of(MOST_WHOLE, 10) is None
    assert len(sample_of(20_000, 10)) == MOST_WHOLE
    assert 1000 <= len(sample_of(20_000, 1000)) < MOST_WHOLE


def test_the_sample_is_the_beginning_of_the_columns(chart):
    header, arrays = unframe(pack_model(chart, "many"))
    crowd = header["crowd"]
    rows = (np.arange(N) * crowd["stride"]) % N
    assert crowd["count"] == N and crowd["labels"] == [0, 1, 2]
    columns = {key: unframe(data)[1]["values"] for key, data in pack_columns(chart).items()}
    assert set(columns) == {"0", "1", "labels", "fact 0"}
    for q in range(2):
        np.testing.assert_allclose(columns[f"{q}"], chart.latent_mean[rows, q], rtol=1e-6)
        np.testing.assert_allclose(crowd["ranges"][q][0], chart.latent_mean[:, q].min())
    np.testing.assert_array_equal(columns["labels"], chart.dataset.labels[rows])
    np.testing.assert_allclose(columns["fact 0"], chart.dataset.covariates["weight"][rows], 1e-6)
    np.testing.assert_array_equal(arrays["latent"][:, 0], columns["0"][:MOST_WHOLE])
    np.testing.assert_array_equal(arrays["labels"], columns["labels"][:MOST_WHOLE])
    assert arrays["items"].shape == (MOST_WHOLE, 6)
    np.testing.assert_allclose(arrays["items"], chart.dataset.values[rows[:MOST_WHOLE]], rtol=1e-5)
    middle = chart.latent_mean[rows[header["start"]]]
    assert np.abs(middle - np.median(chart.latent_mean, axis=0)).max() < 0.1


def test_the_exported_file_contains_only_the_sample(chart):
    assert len(OfflineExplorer(chart, "Many").packed) < 600_000


def test_few_rows_need_no_columns(chart):
    few = Chart(
        chart.posterior,
        chart.dataset,
        chart.latent_mean[:100],
        None,
        chart.relevance,
        chart.on,
    )
    assert pack_columns(few) == {}


def test_a_small_map_of_many_rows_draws_a_sample_at_the_same_positions():
    points = np.random.default_rng(0).standard_normal((50_000, 2))
    points[7] = [9.0, -9.0]  # the picture does not show this row, but its range includes the row
    _, offset, scale = map_picture(points, np.zeros(50_000, dtype=int), size=60)
    places = unit_positions(points, offset, scale)
    assert places.min() > 0 and places.max() < 1


def test_names_match_their_rows(chart):
    assert "row_names" not in unframe(pack_model(chart, "many"))[0]
    named = replace(chart.dataset, row_names=np.array([f"r{n}" for n in range(N)]))
    header, _ = unframe(pack_model(replace(chart, dataset=named), "many"))
    rows = (np.arange(N) * header["crowd"]["stride"]) % N
    assert header["row_names"] == [f"r{n}" for n in rows]
