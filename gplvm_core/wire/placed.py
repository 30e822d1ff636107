"""Pack rows with positions on a map that cannot generate outputs, for the canvas."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array

from gplvm_core.wire.frame import frame
from gplvm_core.wire.model import Chart, pack_points


def pack_placed(chart: Chart, positions: Float[Array, "N 2"], axis: str, name: str) -> bytes:
    """Pack the rows of a chart at other positions; axis: the name of the two axes.

    name: key of the bytes in the browser.
    """
    placed = replace(
        chart,
        latent_mean=np.asarray(positions, dtype=float),
        latent_variance=None,
        relevance=np.ones(2),
        on=(0, 1),
        layer=None,
    )
    arrays, described = pack_points(placed)
    return frame({**described, "name": name, "axes": [f"{axis} 1", f"{axis} 2"]}, arrays)
