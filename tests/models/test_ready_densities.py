"""Tests of the log densities that are stored with the ready models, against the models."""

import numpy as np
import pytest

from gplvm_core.new_rows.without_density import scored_rows
from pages.ui.explore.fill.model import ready_densities
from pages.ui.shared.catalogue import gallery_items, open_item


@pytest.mark.slow
def test_the_densities_that_come_with_a_ready_model_are_its_own():
    stored = 0
    for listed in gallery_items():
        item = open_item(listed.key)
        ready = ready_densities(f"{listed.key}|{item.version}")
        if ready is None:
            continue
        stored += 1
        rows = scored_rows(item.dataset, np.zeros(item.dataset.n_outputs, dtype=bool))
        assert len(ready) == len(rows)
        some = [0, len(rows) // 2]
        np.testing.assert_allclose(
            ready[some], item.model.score_samples(item.dataset.values[rows[some]]), rtol=1e-5
        )
        assert ready_densities(f"{listed.key}|0") is None
    assert stored >= 5
