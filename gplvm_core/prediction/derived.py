"""The density of rows that was derived from a trained graph: its parts, and the choices behind it.

`derivation.py` derives it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.mixtures import Gaussians
from gplvm_core.numerics import Array
from gplvm_core.prediction.fills import FEW, VIEW, Fill, FillMethod, gaps_of
from gplvm_core.prediction.generate import refuse_kinds
from gplvm_core.prediction.network import Network, Outputs
from gplvm_core.prediction.typicality import Typicality
from gplvm_core.readers import DataError


@dataclass(frozen=True)
class Clusters:
    """The part of a density that starts from clusters of rows: the number of Gaussians of each
    start, the number of rows that a covariance counts as, and the share of the weight.
    """

    size: int
    strength: float
    share: float


@dataclass(frozen=True)
class Recipe:
    """The choices that were made with held-out rows.

    size: the number of Gaussians of each start from the map. strength: the number of rows that a
    covariance of the map counts as. fills: which method fills which gaps. clusters: the part that
    starts from clusters of rows; None for recipes of older versions, which have no such part.
    """

    size: int
    strength: float
    fills: tuple[Fill, ...]
    clusters: Clusters | None = None


@dataclass(frozen=True)
class DerivedDensity:
    """A mixture of Gaussians that is derived from a map, and the exact density of rows under it.

    The mixture's density is neither a bound on the model's density nor an estimate of it.

    rows: the mixture in the user's units, all data side by side; its last Gaussian is a wide
    background. latent: the mixture of the points at the roots, side by side. data: the names of the
    data with their numbers of columns. strength: the number of rows that a covariance of the map
    counts as. tried: candidates (number of Gaussians, strength) for a start from the map, with the
    mean log density of the held-out rows. clusters: the part of the density that starts from
    clusters of rows. fills: how well the map and the density fill gaps in these rows. notes: which
    rows were used. typicality: the out-of-fold scores of training rows, if they were requested.
    """

    rows: Gaussians
    latent: Gaussians
    data: tuple[tuple[str, int], ...]
    strength: float
    tried: tuple[tuple[int, float, float], ...] = ()
    fills: tuple[Fill, ...] = ()
    notes: tuple[str, ...] = ()
    typicality: Typicality | None = None
    clusters: Clusters | None = None

    @property
    def recipe(self) -> Recipe:
        """The choices made with held-out rows, for reuse with the same model and rows."""
        return Recipe(len(self.latent.weights), self.strength, self.fills, self.clusters)

    def beside(self, outputs: Outputs) -> Float[Array, "N D"]:
        """Put all data side by side; data that are not given are missing."""
        count = len(next(iter(outputs.values())))
        nothing = {name: np.full((count, width), np.nan) for name, width in self.data}
        return np.hstack([outputs.get(name, nothing[name]) for name, _ in self.data])

    def score_samples(self, outputs: Outputs) -> Float[Array, " N"]:
        """Return log p of each row's observed values in nats; data that are not given are
        missing.
        """
        return self.rows.score_samples(self.beside(outputs))

    def chosen_fills(
        self, rows: Float[Array, "N D"], method: FillMethod | None = None
    ) -> list[Fill]:
        """Return how each row's gaps are filled; method None chooses the better method."""
        known = {
            fill.gaps: fill
            for fill in self.fills
            if (fill.used if method is None else fill.method == method)
        }
        unknown = {
            gaps: Fill(gaps, method or other, np.nan, np.nan, 1.0, np.nan, used=True)
            for gaps, other in ((FEW, "density"), (VIEW, "map"))
        }
        kinds = gaps_of(np.isnan(rows), [width for _, width in self.data])
        return [known.get(gaps, unknown[VIEW if gaps == VIEW else FEW]) for gaps in kinds]

    def factors(self, fills: Sequence[Fill]) -> Float[Array, "N D"]:
        """Return the factors of the standard deviations of rows with these fills."""
        width = sum(width for _, width in self.data)
        each = [fill.factors or (fill.widened,) * width for fill in fills]
        return np.array(each).reshape(len(fills), width)

    def apart(self, rows: Float[Array, "*S D"]) -> dict[str, Float[Array, "*S _D"]]:
        """Split rows into the columns of each of the data."""
        ends = np.cumsum([width for _, width in self.data])[:-1]
        names = [name for name, _ in self.data]
        return dict(zip(names, np.split(rows, ends, axis=-1), strict=True))


def refuse_density(network: Network) -> None:
    """Raise DataError if the rows of a trained graph have no density by a mixture of Gaussians."""
    if network.known:
        raise DataError("a model with observed inputs has no density of rows without their inputs")
    for edge in network.ends.values():
        refuse_kinds(edge.posterior, "a density by a mixture of Gaussians")
