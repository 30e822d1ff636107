"""Tests of the bytes of a tree of maps: which layer joins which maps, and the parts of one body."""

import numpy as np
import pytest

from gplvm_core import DeepManifoldRelevance, load_dataset
from gplvm_core.readers.bodies.parts import in_body_parts
from gplvm_core.wire.frame import unframe
from gplvm_core.wire.tree import is_tree, pack_tree


@pytest.fixture(scope="module")
def signals() -> tuple[DeepManifoldRelevance, object]:
    dataset = load_dataset("toy_views")
    model = DeepManifoldRelevance(
        (1, 2), 8, view_components={"first": (3, 2)}, max_iter=10, random_state=0
    )
    return model.fit(dataset.view_values), dataset


def test_every_map_hangs_below_the_map_that_generates_it(signals):
    model, dataset = signals
    assert is_tree(model)
    header, arrays = unframe(pack_tree(model, dataset, "tree"))
    maps = [(each["title"], each.get("above")) for each in header["maps"]]
    assert maps == [("All together", None), ("Level 2", 0), ("first", 1), ("first", 2)]
    ways = [(each["from"], each["to"], each["view"]) for each in header["branches"]]
    assert ways == [
        (0, 1, None), (1, 2, "first"), (2, 3, "first"), (3, None, "first"), (1, None, "second")
    ]  # fmt: skip
    assert header["body"] is None
    widths = [model.layers_[0].latent_mean_, model.latent_mean_, *(each.latent_mean_ for each in
              (*model.own_layers_["first"][1:], model.view_layers_["first"])),
              model.latent_mean_]  # fmt: skip
    for number, expected in enumerate(widths):
        _, inner = unframe(arrays[f"layer{number}"].tobytes())
        np.testing.assert_allclose(inner["latent"][:, : expected.shape[1]], expected, rtol=1e-5)


def test_a_model_whose_views_share_the_lowest_map_is_no_tree(signals):
    model, _ = signals
    assert not is_tree(model.of_view("second"))


def test_parts_of_a_body_are_drawn_as_one_body():
    parts = in_body_parts(load_dataset("walker").view("pose"))
    model = DeepManifoldRelevance((2,), 5, view_components=2, max_iter=3, random_state=0)
    rows = {name: values[::30] for name, values in parts.view_values.items()}
    few = parts.of_views(
        "few", "Few", {view.name: (rows[view.name], view.drawing) for view in parts.views}
    )
    header, _ = unframe(pack_tree(model.fit(rows), few, "tree"))
    assert [each["title"] for each in header["maps"]] == ["All together", "trunk", "arms", "legs"]
    assert header["body"]["drawing"]["shape"] == [19, 3]
    assert header["body"]["carried"] == [False, True, True]
