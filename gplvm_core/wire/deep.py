"""Pack a layer of a deep model, and all layers below it, for the canvas.

The browser can generate from a point of any layer. The posterior mean of the layer's outputs is a
point of the next layer, and so on down to the data.
"""

from typing import Any

import numpy as np

from gplvm_core.wire.basis import mean_variance
from gplvm_core.wire.frame import frame
from gplvm_core.wire.model import Chart, as_seen, data_spread, pack_model, pack_points
from gplvm_core.wire.rows import DrawnData, DrawnRows


def pack_layers(model: Any, dataset: DrawnData, layer: int, name: str) -> bytes:
    """Pack the points of a layer, and the posteriors from this layer down to the data.

    name: key of the bytes in the browser. Raises KernelError for a kernel that the browser cannot
    evaluate.
    """
    layers = model.layers_
    hidden = (DrawnRows.of_layer(each.latent_mean_) for each in layers[layer + 1 :])
    rows: list[DrawnData] = [*hidden, dataset]
    seen = [as_seen(layers, at) for at in range(layer, len(layers))]
    charts = [Chart.of(each, outputs) for each, outputs in zip(seen, rows, strict=True)]
    arrays, described = pack_points(charts[0])
    for number, chart in enumerate(charts):
        packed = pack_model(chart, f"layer {number}")
        arrays[f"layer{number}"] = np.frombuffer(packed, np.uint8)
    header = {
        **described,
        "name": name,
        "layers": len(rows),
        "inputs": layers[0].latent_mean_.shape[1],
        "handed_on": _linear_variance(seen[0]),
        "spread": data_spread(dataset.values),
    }
    return frame(header, arrays)


def _linear_variance(layer: Any) -> float:
    """Return the variance of a layer's linear part, divided by the scale² of `mean_variance`."""
    posterior = layer.posterior_
    if posterior.slope is None:
        return 0.0
    spread = np.var(layer.latent_mean_ @ posterior.slope * posterior.scale, axis=0)
    return float(np.mean(spread)) / mean_variance(posterior)[0] ** 2
