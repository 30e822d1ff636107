"""The measures that compare models, each with an explanation for users."""

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.errors import in_digits

Better = Literal["more", "less", "near", "neither"]
NO_BREAK = "\u00a0"  # a no-break space


@dataclass(frozen=True)
class Measure:
    """A measure: one row in a table of models.

    words: its title. sentence: its explanation. better: which values are better; "near" means
    values near `target`. kept_aside: whether it is measured on held-out rows. percent: whether it
    is shown as a percentage. purpose: the key of its purpose (`PURPOSES`), or "cost".
    """

    key: str
    words: str
    sentence: str
    better: Better = "neither"
    target: float = 0.0
    kept_aside: bool = False
    percent: bool = False
    purpose: str = "cost"

    def loss(self, values: Float[Array, "..."]) -> Float[Array, "..."]:
        """Convert values so that smaller is better; NaN if neither direction is better."""
        if self.better == "neither":
            return np.full_like(values, np.nan)
        if self.better == "near":
            return np.abs(values - self.target)
        return values if self.better == "less" else -values

    def in_words(self, value: float) -> str:
        """Return the value as text, or a dash if it is not finite."""
        if not np.isfinite(value):
            return "–"
        words = in_digits(value, 3)
        if self.percent:
            words = f"{value:.1%}"
        return words.replace("%", f"{NO_BREAK}%").replace("-", "−")


# A measure of held-out rows.
OfNewRows = partial(Measure, kept_aside=True)


def _inside(percent: int) -> Measure:
    return OfNewRows(
        f"inside_{percent}",
        f"Inside {percent} % intervals",
        f"The share of hidden values inside their {percent} % interval. {percent} % is best; a "
        "smaller share means that the model is overconfident.",
        "near",
        percent / 100,
        percent=True,
        purpose="fill",
    )


AT_ONCE = (
    Measure(
        "neighbours_map",
        "Neighbour error on the map",
        "The share of rows whose nearest row on the map has another label.",
        "less",
        percent=True,
        purpose="look",
    ),
    Measure(
        "neighbours",
        "Neighbour error in all dimensions",
        "The share of rows whose nearest row in all latent dimensions has another label.",
        "less",
        percent=True,
        purpose="look",
    ),
    Measure(
        "trustworthiness",
        "Trustworthiness",
        "Whether neighbours on the map are neighbours in the data; 1 is best (Venna & Kaski).",
        "more",
        purpose="look",
    ),
    Measure(
        "continuity",
        "Continuity",
        "Whether neighbours in the data are neighbours on the map; 1 is best.",
        "more",
        purpose="look",
    ),
    Measure("on", "Dimensions on", "How many dimensions carry information.", purpose="look"),
    Measure(
        "bound",
        "Bound per value",
        "A lower bound on the log-probability of each value, in nats; a plain GP-LVM has no "
        "comparable value.",
        purpose="judge",
    ),
    Measure(
        "likelihood",
        "Log-likelihood per value",
        "The log-probability of each value at fitted weights, in nats. It is not comparable with "
        "a bound.",
        purpose="judge",
    ),
    Measure(
        "reconstruction",
        "Reconstruction error",
        "The error of the model's reconstruction of each row, as a share of the data's spread. "
        "More dimensions always look better.",
        "less",
        percent=True,
        purpose="generate",
    ),
    Measure("seconds", "Seconds", "How long the training took.", "less"),
    Measure("megabytes", "Size (MB)", "The data that a browser loads to draw the map.", "less"),
)
KEPT_ASIDE = (
    OfNewRows(
        "new_neighbours",
        "Neighbour error of new rows",
        "The share of new rows whose nearest row in all latent dimensions has another label.",
        "less",
        percent=True,
        purpose="look",
    ),
    OfNewRows(
        "missing",
        "Error of hidden values",
        "Half of each new row is hidden and filled in. The error is a share of the data's spread.",
        "less",
        percent=True,
        purpose="fill",
    ),
    *(_inside(percent) for percent in (50, 90, 95)),
    OfNewRows(
        "density",
        "Log-probability of new rows",
        "The log-probability of a new row in nats. Exact for numbers: maps use the density that is "
        "derived from them. For maps of words and counts it is an estimate.",
        "more",
        purpose="judge",
    ),
    OfNewRows(
        "density_sampled",
        "Log-probability by sampling",
        "The log-probability of a new row under the map alone, estimated by draws of latent "
        "points; it is too low on average.",
        "more",
        purpose="judge",
    ),
    OfNewRows(
        "density_bounds",
        "Log-probability by bounds",
        "The log-probability of a new row, from the difference of two bounds; it may be too high "
        "or too low.",
        purpose="judge",
    ),
    OfNewRows(
        "drawn",
        "Difference of drawn rows",
        "The difference between rows drawn from the model and new rows (energy distance); 0 % "
        "means no difference.",
        "less",
        percent=True,
        purpose="generate",
    ),
    OfNewRows(
        "seconds",
        "Seconds per training",
        "The processor time of one training on a part of the rows.",
        "less",
    ),
)
OF_PREDICTIONS = (
    OfNewRows(
        "log_likelihood",
        "Log-likelihood",
        "The log-probability of a held-out row's outputs given its inputs, in nats.",
        "more",
    ),
    OfNewRows(
        "rmse",
        "Error (RMSE)",
        "The root mean square error of predictions for held-out rows, in the units of the outputs.",
        "less",
    ),
)
OF_NEW_ROWS = {measure.key: measure for measure in (*OF_PREDICTIONS, *KEPT_ASIDE)}


@dataclass(frozen=True)
class Purpose:
    """A purpose of models.

    words: its title. doing: its activity within a sentence. sentence: its explanation. deciding:
    keys of measures; the first of these measures that has a value decides.
    """

    key: str
    words: str
    doing: str
    sentence: str
    deciding: tuple[str, ...]


PURPOSES = (
    Purpose(
        "look",
        "Look",
        "looking",
        "Are similar rows near each other on the map? Each dot is a fifth of the training rows.",
        ("neighbours_map", "trustworthiness"),
    ),
    Purpose(
        "fill",
        "Fill gaps",
        "filling gaps",
        "Half of each new row is hidden: how large is the model's error? Each dot is a split.",
        ("missing",),
    ),
    Purpose(
        "judge",
        "Judge new rows",
        "judging new rows",
        "How probable are new rows under the model? Each dot is a split.",
        ("density",),
    ),
    Purpose(
        "generate",
        "Generate",
        "generating",
        "How different are drawn rows from new rows? Each dot is a split.",
        ("drawn",),
    ),
)
