"""A layer of a deep model, and all that is below it, as the bytes that its canvas reads.

The browser generates from a point of any layer: the posterior mean of its outputs, which is a point
of the next layer, and so on down to the data.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array

from gplvm_core.datasets.drawing import Drawing
from gplvm_core.figures.frame import frame
from gplvm_core.figures.pack import Chart, data_spread, pack_model, pack_points
from gplvm_core.figures.rows import Rows


@dataclass(frozen=True, eq=False)
class HiddenRows:
    """The outputs of a hidden layer as rows: numbers without a picture of their own."""

    values: Float[Array, "N D"]
    missing: None = None
    column_names: None = None
    labels: None = None
    label_names: tuple[str, ...] = ()
    sequences: None = None
    times: None = None

    @property
    def drawing(self) -> Drawing:
        return Drawing("bars", (self.values.shape[1],))

    @property
    def covariates(self) -> Mapping[str, Array]:
        return {}


def pack_layers(model: Any, dataset: Rows, layer: int, name: str) -> bytes:
    """The points of a layer, and the posteriors from there down to the data.

    name: under which the view finds the bytes. Raises KernelError for a kernel that the browser
    cannot evaluate, ValueError for a layer that hands its inputs on by a linear map.
    """
    layers = model.layers_
    if any(each.posterior_.slope is not None for each in layers[layer:]):
        raise ValueError(
            "A layer of this model hands its inputs on by a linear map, which the page does not "
            "draw. generate(h, layer=…) goes on from any layer."
        )
    below = [HiddenRows(each.latent_mean_) for each in layers[layer + 1 :]]
    rows: list[Rows] = [*below, dataset]
    arrays, described = pack_points(Chart.of(layers[layer], dataset))
    for number, (each, outputs) in enumerate(zip(layers[layer:], rows, strict=True)):
        packed = pack_model(Chart.of(each, outputs), f"layer {number}")
        arrays[f"layer{number}"] = np.frombuffer(packed, np.uint8)
    header = {
        **described,
        "name": name,
        "layers": len(rows),
        "spread": data_spread(dataset.values),
    }
    return frame(header, arrays)
