"""Pack a tree of maps for the canvas: a shared map, and a map below it for every view.

A point of a map generates points of all maps below it, down to the views.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy import ndarray as Array

from gplvm_core.readers.bodies.parts import whole_body
from gplvm_core.readers.dataset import Dataset
from gplvm_core.wire.frame import frame
from gplvm_core.wire.model import Chart, drawing_header, pack_model
from gplvm_core.wire.rows import DrawnData, DrawnRows
from gplvm_core.wire.views import ViewRows

TOP = "All together"


@dataclass(frozen=True)
class Branch:
    """A layer of the tree: from a map to a map below it, or to a view.

    source, end: the numbers of the maps; end None: the layer generates a view.
    """

    layer: Any
    source: int
    end: int | None
    view: str | None = None


def is_tree(model: Any) -> bool:
    """Return whether the model has a separate map for some views, below a shared map."""
    return any(getattr(model, "own_layers_", {}).values())


def branches_of(model: Any) -> tuple[tuple[str, ...], tuple[Branch, ...]]:
    """Return the titles of the maps, the top first, and the branches between them.

    model: a fitted `DeepManifoldRelevance` with `view_components`.
    """
    titles = [TOP, *(f"Level {at + 2}" for at in range(len(model.layers_)))]
    found = [Branch(layer, at, at + 1) for at, layer in enumerate(model.layers_)]
    for view in model.views_:
        at = len(model.layers_)
        for layer, _ in pairwise((*model.own_layers_.get(view, ()), model.view_layers_[view])):
            titles.append(view)
            found.append(Branch(layer, at, len(titles) - 1, view))
            at = len(titles) - 1
        found.append(Branch(model.view_layers_[view], at, None, view))
    return tuple(titles), tuple(found)


def pack_tree(model: Any, dataset: Dataset, name: str) -> bytes:
    """Pack all maps of the tree and the layers between them.

    name: key of the bytes in the browser. Raises KernelError for a kernel that the browser cannot
    evaluate.
    """
    titles, branches = branches_of(model)
    points: dict[int, Array] = {each.source: each.layer.latent_mean_ for each in branches}
    arrays: dict[str, Array] = {}
    maps: list[dict[str, Any]] = [{"title": title} for title in titles]
    for number, each in enumerate(branches):
        if each.end is None:
            rows: DrawnData = ViewRows.of(dataset, str(each.view))
        else:
            maps[each.end]["above"] = each.source
            rows = DrawnRows.of_layer(
                points[each.end], labels=dataset.labels, label_names=dataset.label_names
            )
        chart = Chart.of(each.layer, rows)
        arrays[f"layer{number}"] = np.frombuffer(pack_model(chart, f"layer {number}"), np.uint8)
        maps[each.source].setdefault("relevance", []).append(chart.relevance)
    for described in maps:
        relevance = np.max(described.pop("relevance"), axis=0)
        leading = np.argsort(-relevance, kind="stable")[:2].tolist()
        described["dims"] = leading if len(leading) == 2 else [0, 1]  # 1: the order of the rows
    header: dict[str, Any] = {
        "name": name,
        "maps": maps,
        "branches": [{"from": b.source, "to": b.end, "view": b.view} for b in branches],
        "body": _body(dataset),
    }
    return frame(header, arrays)


def _body(dataset: Dataset) -> dict[str, Any] | None:
    """Return how the views are drawn as one body; None if they are not parts of a body."""
    whole = whole_body(dataset)
    if whole is None:
        return None
    return {
        "drawing": drawing_header(whole.dataset(dataset)),
        "joints": [list(each) for each in whole.joints],
        "carried": list(whole.carried),
    }
