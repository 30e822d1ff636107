"""A packed model in 16 bits where nobody can see the difference, and how large it is."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array

from gplvm_core.figures.cells import column_std
from gplvm_core.prediction import predict
from gplvm_core.wire.frame import Rounded, frame, unframe
from gplvm_core.wire.model import Chart
from gplvm_core.wire.rows import DrawnData

MOST = 1e-3  # of the data's spread
MOST_GREY = 0.5  # of a picture's 256 grey levels
BLOCK = 256  # rows at a time


@dataclass(frozen=True)
class Precision:
    """Bits of the weights, and how far off the outputs are at the training points, at most.

    share: of the data's spread; grey: in grey levels, of pictures.
    """

    bits: int
    share: float
    grey: float | None = None

    def in_words(self) -> str:
        size = f"{100 * self.share:.1g} % of the data’s spread"
        if self.grey is not None:
            size = f"{self.grey:.1g} grey levels ({size})"
        return f"Numbers in {self.bits} bits: at the data’s own points off by {size} at most."

    @property
    def unseen(self) -> bool:
        return self.share <= MOST and (self.grey is None or self.grey <= MOST_GREY)


def rounded(chart: Chart, packed: bytes) -> tuple[bytes, Precision]:
    """Bytes of `pack_model` with 16-bit weights if that stays unseen, else as they are."""
    header, arrays = unframe(packed)
    del header["arrays"]
    weights = Rounded.of(arrays["weights"])
    small = _precision(chart, arrays | {"weights": weights.numbers}, 16)
    if small.unseen:
        return frame(header, arrays | {"weights": weights}), small
    return packed, _precision(chart, arrays, 32)


def _precision(chart: Chart, arrays: dict[str, Array], bits: int) -> Precision:
    """How far the browser's numbers are from those of the posterior, in double precision."""
    posterior, latent = chart.posterior, chart.latent_mean
    worst = np.zeros(posterior.n_outputs)
    for begin in range(0, len(latent), BLOCK):
        points = latent[begin : begin + BLOCK]
        row = posterior.kernel.K(points, posterior.inducing)
        shown = arrays["center"] + row @ arrays["transform"].T @ arrays["weights"]
        error = np.abs(shown - predict(posterior, points)[0])
        worst = np.maximum(worst, error.max(axis=0))
    grey = None
    if chart.dataset.drawing.kind == "image" and chart.dataset.drawing.value_range is not None:
        low, high = chart.dataset.drawing.value_range
        grey = float(worst.max()) * 255 / (high - low)
    return Precision(bits, float(np.max(worst / spread(chart.dataset))), grey)


def spread(dataset: DrawnData) -> Float[Array, " D"]:
    """The data's standard deviation: one number, but of each column where units may differ."""
    own = column_std(dataset.values)
    shared = float(np.sqrt(np.mean(own**2))) or 1.0
    if dataset.drawing.kind != "bars":
        return np.full(len(own), shared)
    return np.where(own > 0, own, shared)
