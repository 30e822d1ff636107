"""How well a map places rows; and placings beside it that cannot generate."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from jaxtyping import Float, Int
from sklearn.base import is_regressor

from gplvm_core.comparison.measures import AT_ONCE
from gplvm_core.models import ProbabilisticPCA
from gplvm_core.numerics import Array
from gplvm_core.prediction import Posterior, predict
from gplvm_core.readers import DataError

Placing = Literal["isomap", "tsne"]
NEIGHBOURS = 5  # of a row, for trustworthiness and continuity
MOST_ROWS = 2000  # whose distances are all looked at; of more, as many spread evenly
MOST_PLACED = 5000  # rows that Isomap and t-SNE can be asked for
PRINCIPAL = 50  # components that t-SNE starts from


@dataclass(frozen=True, eq=False)
class Placed:
    """Rows on a map.

    latent: N × Q; relevance: (Q,), how much each dimension counts in distances; pair: the two that
    are shown. posterior: what generates from latent points, if the model can. bound, likelihood:
    see `evidence_of`; on: how many dimensions are.
    """

    name: str
    latent: Float[Array, "N Q"]
    relevance: Float[Array, " Q"]
    pair: tuple[int, int]
    posterior: Posterior | None = None
    bound: float | None = None
    likelihood: float | None = None
    on: int | None = None
    seconds: float | None = None
    megabytes: float | None = None

    @property
    def weighted(self) -> Float[Array, "N Q"]:
        """In units in which distances mean the same in every dimension."""
        return np.asarray(self.latent * np.sqrt(self.relevance))

    @property
    def shown(self) -> Float[Array, "N P"]:
        """The dimensions shown, in the same units; of a single one that alone."""
        return self.weighted[:, [q for q in self.pair if q < self.latent.shape[1]]]


def evidence_of(model: Any) -> dict[str, float]:
    """What a model's `bound_` says of the data, in nats, under the name that it has in `Placed`.

    A bound compares with bounds alone: the likelihood of probabilistic PCA is at fitted weights. A
    joint density with fitted points, or of outputs given inputs, is neither.
    """
    if not hasattr(model, "information_") or is_regressor(model):
        return {}
    return {"likelihood" if isinstance(model, ProbabilisticPCA) else "bound": float(model.bound_)}


def measured(
    placed: Placed,
    rows: Float[Array, "N D"],
    labels: Int[Array, " N"] | None = None,
    *,
    by_column: bool = False,
) -> dict[str, float]:
    """What is known at once of a map of these rows (NaN: missing), by the keys of `AT_ONCE`.

    labels: −1 where a row has none. by_column: each column counts by its own spread, for tables of
    mixed units. Measures that the model or the data do not have are left out.
    """
    count = int(np.sum(~np.isnan(rows)))
    found: dict[str, float | None] = {
        "bound": None if placed.bound is None else placed.bound / count,
        "likelihood": None if placed.likelihood is None else placed.likelihood / count,
        "on": placed.on,
        "seconds": placed.seconds,
        "megabytes": placed.megabytes,
    }
    if labels is not None and len(np.unique(labels[labels >= 0])) > 1:
        known = labels >= 0
        for key, points in (("neighbours_map", placed.shown), ("neighbours", placed.weighted)):
            found[key] = neighbour_error(points[known], labels[known])
    unit = _units(rows, by_column)
    whole = np.flatnonzero(~np.isnan(rows).any(axis=1))
    chosen = whole[np.linspace(0, len(whole) - 1, min(len(whole), MOST_ROWS)).astype(int)]
    if len(chosen) > 2 * NEIGHBOURS + 1:
        data, points = rows[chosen] / unit, placed.shown[chosen]
        found["trustworthiness"] = trustworthiness(data, points)
        found["continuity"] = trustworthiness(points, data)
    if placed.posterior is not None:
        drawn = predict(placed.posterior, placed.latent)[0]
        found["reconstruction"] = float(np.sqrt(np.nanmean(((rows - drawn) / unit) ** 2)))
    keys = [measure.key for measure in AT_ONCE]
    return {key: float(found[key]) for key in keys if found.get(key) is not None}  # type: ignore[arg-type]


def _units(rows: Float[Array, "N D"], by_column: bool) -> Float[Array, " D"]:
    """What a column's deviations are counted in: its own spread, or that of all; 1 of none."""
    std = np.nanstd(rows, axis=0)
    unit = std if by_column else np.full_like(std, np.sqrt(np.mean(std**2)))
    return np.where(unit > 0.0, unit, 1.0)


def trustworthiness(data: Float[Array, "N D"], points: Float[Array, "N P"]) -> float:
    """Whether the five nearest points of a point are near in the data, too; 1 at best.

    With the two exchanged it is the continuity. Source: Venna & Kaski (2001), eq. 1.
    """
    from sklearn.manifold import trustworthiness as scikit_learn

    return float(scikit_learn(data, points, n_neighbors=NEIGHBOURS))


def neighbour_error(
    points: Float[Array, "N P"],
    labels: Int[Array, " N"],
    new: Float[Array, "M P"] | None = None,
    new_labels: Int[Array, " M"] | None = None,
) -> float:
    """The share of points whose nearest other point has another label; or of new points."""
    from sklearn.neighbors import NearestNeighbors

    near = NearestNeighbors(n_neighbors=1).fit(points)
    if new is None or new_labels is None:
        return float(np.mean(labels[near.kneighbors()[1][:, 0]] != labels))
    return float(np.mean(labels[near.kneighbors(new)[1][:, 0]] != new_labels))


def place(
    how: Placing, rows: Float[Array, "N D"], *, by_column: bool = False, random_state: int = 0
) -> Float[Array, "N 2"]:
    """Rows in two dimensions, in units of their spread; no way leads back to rows.

    by_column: every column counts the same. Raises DataError for rows with gaps, or too many.
    """
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE, Isomap

    missing = np.logical_not(np.isfinite(rows).all(axis=1))
    if missing.any():
        raise DataError(
            f"{int(missing.sum())} of {len(rows)} rows have missing values. Isomap and t-SNE need "
            "whole rows; the other models do not."
        )
    if len(rows) > MOST_PLACED:
        raise DataError(
            f"{len(rows):,} rows are too many: Isomap and t-SNE look at every pair of rows, of "
            f"{MOST_PLACED:,} at most."
        )
    if len(rows) < 3:
        raise DataError(f"at least 3 rows are needed to place them; got {len(rows)}")
    given = (rows - rows.mean(axis=0)) / _units(rows, by_column)
    model: Any
    if how == "isomap":
        model = Isomap(n_neighbors=min(10, len(rows) - 1), n_components=2)
    else:
        if min(given.shape) > PRINCIPAL:
            given = PCA(PRINCIPAL, random_state=random_state).fit_transform(given)
        perplexity = min(30.0, (len(rows) - 1) / 3.0)
        model = TSNE(2, perplexity=perplexity, init="pca", random_state=random_state)
    placed = np.asarray(model.fit_transform(given), dtype=float)
    return np.asarray((placed - placed.mean(axis=0)) / max(float(placed.std()), 1e-12))
