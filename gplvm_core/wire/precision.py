"""Round a packed model to 16 bits if the difference is invisible, and measure the difference."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array

from gplvm_core.figures.cells import column_std
from gplvm_core.prediction import predict
from gplvm_core.wire.frame import Rounded, frame, unframe
from gplvm_core.wire.model import Chart
from gplvm_core.wire.rows import DrawnData

MOST = 1e-3  # largest invisible error, as a fraction of the data's spread
MOST_GREY = 0.5  # largest invisible error of a pixel, in 256 grey levels
BLOCK = 256  # rows at a time


@dataclass(frozen=True)
class Precision:
    """Bits of the weights, and the largest error of the outputs at the training points.

    share: the error as a fraction of the data's spread; grey: the error in grey levels, for
    pictures.
    """

    bits: int
    share: float
    grey: float | None = None

    def in_words(self) -> str:
        size = f"{100 * self.share:.1g} % of the data’s spread"
        if self.grey is not None:
            size = f"{self.grey:.1g} grey levels ({size})"
        return f"Numbers in {self.bits} bits: the error at the training points is at most {size}."

    @property
    def unseen(self) -> bool:
        return self.share <= MOST and (self.grey is None or self.grey <= MOST_GREY)


def rounded(chart: Chart, packed: bytes) -> tuple[bytes, Precision]:
    """Round the weights of `pack_model` to 16 bits if the error is invisible; return the error,
    too.
    """
    header, arrays = unframe(packed)
    del header["arrays"]
    weights = Rounded.of(arrays["weights"])
    small = _precision(chart, arrays | {"weights": weights.numbers}, 16)
    if small.unseen:
        return frame(header, arrays | {"weights": weights}), small
    return packed, _precision(chart, arrays, 32)


def _precision(chart: Chart, arrays: dict[str, Array], bits: int) -> Precision:
    """Compare the browser's outputs with the posterior in double precision; return the error."""
    posterior, latent = chart.seen, chart.latent_mean
    worst = np.zeros(posterior.n_outputs)
    fade = arrays["level_fades"][chart.levels.first] if chart.levels and chart.switched else 1.0
    for begin in range(0, len(latent), BLOCK):
        points = latent[begin : begin + BLOCK]
        row = posterior.kernel.K(points, posterior.inducing) * fade
        shown = arrays["center"] + row @ arrays["transform"].T @ arrays["weights"]
        error = np.abs(shown - predict(posterior, points)[0])
        worst = np.maximum(worst, error.max(axis=0))
    grey = None
    if chart.dataset.drawing.kind == "image" and chart.dataset.drawing.value_range is not None:
        low, high = chart.dataset.drawing.value_range
        grey = float(worst.max()) * 255 / (high - low)
    # The functions of words and counts have no units.
    own = spread(chart.dataset) if chart.columns is None else 1.0
    return Precision(bits, float(np.max(worst / own)), grey)


def spread(dataset: DrawnData) -> Float[Array, " D"]:
    """Return the data's standard deviation (D,): one per column for bars, else a common one."""
    own = column_std(dataset.values)
    shared = float(np.sqrt(np.mean(own**2))) or 1.0
    if dataset.drawing.kind != "bars":
        return np.full(len(own), shared)
    return np.where(own > 0, own, shared)
