"""Tests of answers about fractions: the ends of their intervals are possible."""

import numpy as np
import pandas as pd
import pytest

from gplvm_core import BayesianGPLVM, Dataset
from gplvm_core.assistant.maps import MapTools
from gplvm_core.assistant.rows import RowTools
from gplvm_core.assistant.shelf import Shelf
from gplvm_core.store import Library, workspace

NAMES = ("sand", "silt", "clay")


def test_ends_of_intervals_are_from_0_to_the_whole(tmp_path, monkeypatch):
    monkeypatch.setenv("MANIFOLIO_HOME", str(tmp_path / "home"))
    time = np.arange(30.0) / 2.5
    hidden = np.column_stack([np.sin(time), np.cos(0.7 * time)])
    parts = np.exp(6.0 * np.column_stack([hidden, 0.0 * time]))
    parts *= 100.0 / parts.sum(axis=1, keepdims=True)
    table = pd.DataFrame(np.column_stack([hidden[:, 0], parts]), columns=["depth", *NAMES])
    kinds = {"depth": "number"} | dict.fromkeys(NAMES, "fraction")
    dataset = Dataset.of_table("soils", "Soils", table, kinds)
    model = BayesianGPLVM(2, 10, max_iter=20, random_state=0, kinds=dataset.kinds)
    model.fit(dataset.in_own_values())
    key = "library:" + Library(workspace() / "library").add(model, dataset, "Soils")
    gaps = RowTools(Shelf()).fill_gaps(key, [{"depth": depth} for depth in (-1.0, 0.0, 1.0)])
    there = MapTools(Shelf()).predict_at(key, [[0.0, 0.0], [3.0, 3.0]])
    found = [each for row in gaps.rows for each in row.gaps]
    values = [each for point in there.points for each in point.values]
    fractions = [each for each in (*found, *values) if each.column in NAMES]
    assert len(fractions) == 15
    assert all(0.0 <= each.low <= each.value <= each.high <= 100.0 for each in fractions)
    # Some ends would be impossible without this limit, and numbers have none.
    assert min(each.value - 1.96 * each.std for each in fractions) < 0.0
    assert min(each.low for each in values if each.column == "depth") < 0.0
    for row in gaps.rows:
        assert sum(each.value for each in row.gaps) == pytest.approx(100.0)
    rows = [dict(zip(NAMES, own, strict=True)) for own in ((50, 30, 20), (50, 30, 40))]
    placed = RowTools(Shelf()).place_rows(key, rows)
    assert placed.left_out == [2] and [each.row for each in placed.rows] == [1]
    assert "Row 2 is left out: the fractions sum to 120" in " ".join(placed.notes)
