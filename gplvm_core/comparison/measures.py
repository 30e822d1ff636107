"""What unsupervised models are compared by, each with a sentence for people."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array

Better = Literal["more", "less", "near", "neither"]
TOGETHER = "\u00a0"  # a space at which no line breaks


@dataclass(frozen=True)
class Measure:
    """One row of a table of models.

    better: which values are; "near" to target. kept_aside: of rows that the model has not seen.
    percent: whether it is a share.
    """

    key: str
    words: str
    sentence: str
    better: Better = "neither"
    target: float = 0.0
    kept_aside: bool = False
    percent: bool = False

    def loss(self, values: Float[Array, "..."]) -> Float[Array, "..."]:
        """Smaller is better; NaN where nothing is better."""
        if self.better == "neither":
            return np.full_like(values, np.nan)
        if self.better == "near":
            return np.abs(values - self.target)
        return values if self.better == "less" else -values

    def in_words(self, value: float) -> str:
        """The value, or a dash where the model has none."""
        if not np.isfinite(value):
            return "–"
        words = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
        if self.percent:
            words = f"{value:.1%}"
        return words.replace("%", f"{TOGETHER}%").replace("-", "−")


def _inside(percent: int) -> Measure:
    return Measure(
        f"inside_{percent}",
        f"Inside {percent} % intervals",
        f"The share of the filled-in values whose {percent} % interval holds the truth; best is "
        f"{percent} %, less means too sure.",
        "near",
        percent / 100,
        kept_aside=True,
        percent=True,
    )


AT_ONCE = (
    Measure(
        "bound",
        "Bound per value",
        "A lower bound on the log-probability of the data, in nats, divided by how many values "
        "there are. It compares between the models that have one. None has a GP-LVM without "
        "integrated positions, whose joint density with them is something else, nor a model that "
        "predicts from inputs.",
    ),
    Measure(
        "likelihood",
        "Log-likelihood per value",
        "The log-probability of the data itself, at weights that were fitted to them, of "
        "probabilistic PCA. It does not compare with a bound, which pays for weights that are "
        "not certain.",
    ),
    Measure("on", "Dimensions on", "How many latent dimensions carry information."),
    Measure(
        "neighbours_map",
        "Neighbour error on the map",
        "The share of rows whose nearest row in the two dimensions shown has another label.",
        "less",
        percent=True,
    ),
    Measure(
        "neighbours",
        "Neighbour error in all dimensions",
        "The same in all latent dimensions, weighted as the model weights them.",
        "less",
        percent=True,
    ),
    Measure(
        "trustworthiness",
        "Trustworthiness",
        "Whether rows that are near on the map are near in the data, 1 at best (Venna & Kaski); "
        "beyond 2,000 rows, of so many spread evenly.",
        "more",
    ),
    Measure(
        "continuity",
        "Continuity",
        "Whether rows that are near in the data stay near on the map, 1 at best.",
        "more",
    ),
    Measure(
        "reconstruction",
        "Reconstruction error",
        "How far each row is from what the model draws at its place, as a share of the data's "
        "spread; of rows that the model has learnt from, so more dimensions look better.",
        "less",
        percent=True,
    ),
    Measure("seconds", "Seconds", "What the training took, where that is known.", "less"),
    Measure("megabytes", "Size (MB)", "What a browser fetches to draw the map.", "less"),
)
KEPT_ASIDE = (
    Measure(
        "density",
        "Density of new rows",
        "Log-probability of a row kept aside, in nats: exact of probabilistic PCA and the mixture, "
        "of the others by sampling, which is low on average.",
        "more",
        kept_aside=True,
    ),
    Measure(
        "density_bounds",
        "Density by bounds",
        "The same by the difference of the bounds with and without the row: an approximation that "
        "may be too high or too low; exact values stand as they are.",
        kept_aside=True,
    ),
    Measure(
        "missing",
        "Error of missing parts",
        "Half of each row kept aside is hidden and filled in: how far off that is, as a share of "
        "the data's spread.",
        "less",
        kept_aside=True,
        percent=True,
    ),
    *(_inside(percent) for percent in (50, 90, 95)),
    Measure(
        "new_neighbours",
        "Neighbour error of new rows",
        "The share of rows kept aside whose nearest row, in all latent dimensions, has another "
        "label.",
        "less",
        kept_aside=True,
        percent=True,
    ),
    Measure(
        "seconds",
        "Seconds a training",
        "Of the processor, for training on a part of the rows.",
        "less",
        kept_aside=True,
    ),
)
OF_PREDICTIONS = (
    Measure(
        "log_likelihood",
        "Log-likelihood",
        "Log-probability of the outputs of a row kept aside given its inputs, in nats.",
        "more",
        kept_aside=True,
    ),
    Measure(
        "rmse",
        "Error (RMSE)",
        "How far predictions of rows kept aside are off, in the units of the outputs.",
        "less",
        kept_aside=True,
    ),
)
OF_NEW_ROWS = {measure.key: measure for measure in (*OF_PREDICTIONS, *KEPT_ASIDE)}
