"""Tests of the bytes for the canvas with several outputs: each view is a separate model."""

from dataclasses import replace

import numpy as np
import pytest

from gplvm_core import ManifoldRelevance
from gplvm_core.datasets import Dataset, Drawing, Skeleton, View, label_view
from gplvm_core.wire.frame import unframe
from gplvm_core.wire.model import Chart
from gplvm_core.wire.views import WHOLE, ViewRows, is_label_view, pack_views

N = 24


def pairs() -> Dataset:
    rng = np.random.default_rng(0)
    hidden = rng.standard_normal((N, 2))
    labels = (hidden[:, 0] > 0).astype(int)
    curve = np.sin(hidden @ rng.standard_normal((2, 40))) + 3.0
    classes = Dataset(
        "c", "c", label_view(labels, 2), Drawing.of_vector(2), column_names=("low", "high")
    )
    return Dataset.of_views(
        "made",
        "Made",
        {"curve": (curve, Drawing("curve", (40,))), "class": classes},
        labels=labels,
        label_names=("low", "high"),
    )


def charts_of(model: ManifoldRelevance, dataset: Dataset) -> dict[str, Chart]:
    return {
        name: Chart.of(model.of_view(name), ViewRows.of(dataset, name)) for name in model.views_
    }


@pytest.fixture(scope="module")
def data() -> Dataset:
    return pairs()


@pytest.fixture(scope="module")
def model(data: Dataset) -> ManifoldRelevance:
    return ManifoldRelevance(3, n_inducing=8, max_iter=15, random_state=0).fit(data.view_values)


def test_layers_share_the_points_and_predict_their_own_outputs(data, model):
    charts = charts_of(model, data)
    header, arrays = unframe(pack_views(charts, ("curve", "class"), (2, 0), "both"))
    assert header["name"] == "both"
    assert header["layers"] == ["curve", "class"]
    assert header["dims"] == [2, 0]
    np.testing.assert_allclose(arrays["latent"], model.latent_mean_, atol=1e-6)
    largest = np.maximum(model.relevance_["curve"], model.relevance_["class"])
    np.testing.assert_allclose(header["relevance"], largest)
    for number, (name, width) in enumerate({"curve": 40, "class": 2}.items()):
        inner, layer = unframe(arrays[f"layer{number}"].tobytes())
        assert layer["weights"].shape[1] == width
        np.testing.assert_allclose(inner["relevance"], model.relevance_[name])
        np.testing.assert_allclose(layer["items"], data.view_values[name], atol=1e-5)
    assert [output["labels"] for output in header["outputs"]] == [False, True]


def test_only_the_drawn_layers_are_packed(data, model):
    header, arrays = unframe(pack_views(charts_of(model, data), ("class",), (0, 1), "one"))
    assert header["layers"] == ["class"]
    assert "layer1" not in arrays
    assert header["outputs"] == [{"title": "class", "layers": [0], "labels": True}]


def test_a_whole_row_is_drawn_from_all_layers(data, model):
    skeleton = Skeleton(tuple(f"j{j}" for j in range(14)), (-1, *range(13)))
    body = replace(
        data,
        targets=data.values[:, :42],
        drawing=Drawing("skeleton", (14, 3), skeleton=skeleton),
        column_names=None,
        views=(View("curve", Drawing("curve", (40,))), View("class", Drawing.of_vector(2))),
    )
    header, arrays = unframe(pack_views(charts_of(model, body), (WHOLE,), (0, 1), "whole"))
    assert header["layers"] == ["curve", "class"]
    (output,) = header["outputs"]
    assert output["layers"] == [0, 1]
    assert output["drawing"]["kind"] == "skeleton"
    assert {"layer0", "layer1"} <= set(arrays)


def test_views_may_be_missing_in_some_rows(data):
    targets = data.values.copy()
    targets[3, :40] = np.nan
    gappy = replace(data, targets=targets)
    rows = ViewRows.of(gappy, "curve")
    assert rows.missing is not None
    assert rows.missing[3].all()
    model = ManifoldRelevance(2, n_inducing=6, max_iter=5, random_state=0).fit(gappy.view_values)
    _, arrays = unframe(pack_views(charts_of(model, gappy), ("curve", "class"), (0, 1), "gappy"))
    _, layer = unframe(arrays["layer0"].tobytes())
    assert np.isnan(layer["items"][3]).all()


def test_a_view_of_labels_is_recognised_by_its_values(data):
    assert is_label_view(ViewRows.of(data, "class"))
    assert not is_label_view(ViewRows.of(data, "curve"))
    shifted = replace(data, targets=data.values + 0.5)
    assert not is_label_view(ViewRows.of(shifted, "class"))
