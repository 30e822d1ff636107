"""Tests that views are stored on disk, and that older data sets without views can be opened."""

import numpy as np
import pytest

from gplvm_core import ManifoldRelevance
from gplvm_core.datasets import load_dataset, toy_views
from gplvm_core.store import Library, load, save
from gplvm_core.store.decoding import decode
from gplvm_core.store.encoding import encode
from gplvm_core.store.registry import known_classes


def test_views_come_back_as_they_were(tmp_path):
    bodies = load_dataset("silhouettes")
    back = load(save(bodies, tmp_path / "bodies.gplvm"))
    assert back.views == bodies.views
    np.testing.assert_array_equal(back.targets, bodies.targets)
    assert back.view("pose").drawing.skeleton == bodies.view("pose").drawing.skeleton


def test_a_data_set_written_before_there_were_views_opens():
    flow = load_dataset("flow")
    known = known_classes()
    encoded = encode(flow, known)
    del encoded.content["fields"]["views"]
    back = decode(encoded.content, encoded.arrays, known)
    assert back.views == ()
    np.testing.assert_array_equal(back.targets, flow.targets)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_library_keeps_the_projects_views_by_name_and_others_as_a_file(tmp_path, seed):
    library, signals = Library(tmp_path), toy_views(seed=seed)
    model = ManifoldRelevance(2, 5, max_iter=2, random_state=0).fit(signals.view_values)
    key = library.add(model, signals, "Signals")
    assert (library.root / key / "data.gplvm").exists() == (seed != 0)
    back = library.dataset(key)
    assert back.views == signals.views
    np.testing.assert_array_equal(back.targets, signals.targets)
