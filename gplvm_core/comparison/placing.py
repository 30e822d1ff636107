"""Measure the quality of maps, and make maps by Isomap and t-SNE, which cannot generate rows."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from jaxtyping import Bool, Float, Int
from sklearn.base import is_regressor

from gplvm_core.comparison.measures import AT_ONCE
from gplvm_core.models import ProbabilisticPCA
from gplvm_core.numerics import Array
from gplvm_core.prediction import Posterior, predict
from gplvm_core.readers import DataError

Placing = Literal["isomap", "tsne"]
NEIGHBOURS = 5  # number of neighbours of a row for trustworthiness and continuity
MOST_ROWS = 2000  # largest number of rows for all pairwise distances; more rows are thinned evenly
MOST_PLACED = 5000  # largest number of rows for Isomap and t-SNE
PARTS = 5  # number of parts of the rows; their scatter estimates chance
PRINCIPAL = 50  # principal components that t-SNE starts from


@dataclass(frozen=True, eq=False)
class Placed:
    """Rows on a map.

    latent: positions N × Q. relevance: the weight of each dimension in distances (Q,). pair: the
    two dimensions of the map. posterior: the layer that generates rows from latent points; None if
    the model cannot generate rows. bound, likelihood: see `evidence_of`. on: the number of
    dimensions that are on.
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
        """Positions in units that make distances comparable between dimensions."""
        return np.asarray(self.latent * np.sqrt(self.relevance))

    @property
    def shown(self) -> Float[Array, "N P"]:
        """Positions on the map, in the units of `weighted`; one column for a single dimension."""
        return self.weighted[:, [q for q in self.pair if q < self.latent.shape[1]]]


def evidence_of(model: Any) -> dict[str, float]:
    """Return a model's `bound_` in nats, with its field name in `Placed`: "bound" or "likelihood".

    Probabilistic PCA has a likelihood at fitted weights; it is not comparable with bounds. For
    models with fitted points (whose `bound_` is a joint density) and for regressions, returns {}.
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
    """Return the measures `AT_ONCE` of a map of these rows (NaN: missing), by their keys.

    labels: −1 for unlabelled rows. by_column: divide each column by its own standard deviation, for
    tables with mixed units. Measures that are not defined for the model or the data are omitted.
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
            found[key] = float(neighbours_differ(points[known], labels[known]).mean())
    unit, chosen = units(rows, by_column), _whole(rows)
    if len(chosen) > 2 * NEIGHBOURS + 1:
        data, points = rows[chosen] / unit, placed.shown[chosen]
        found["trustworthiness"] = float(trustworthiness(data, points).mean())
        found["continuity"] = float(trustworthiness(points, data).mean())
    if placed.posterior is not None:
        drawn = predict(placed.posterior, placed.latent)[0]
        found["reconstruction"] = float(np.sqrt(np.nanmean(((rows - drawn) / unit) ** 2)))
    keys = [measure.key for measure in AT_ONCE]
    return {key: float(found[key]) for key in keys if found.get(key) is not None}  # type: ignore[arg-type]


def looked_at(
    placed: Placed,
    rows: Float[Array, "N D"],
    labels: Int[Array, " N"] | None = None,
    *,
    by_column: bool = False,
) -> tuple[str, Float[Array, " P"]] | None:
    """Measure how near similar rows are on a map, on five random parts of the rows.

    Returns the key of the measure (`AT_ONCE`) and its value on each part; None if there are too few
    rows. The measure is the neighbour error if rows have labels, else the trustworthiness.
    Arguments: see `measured`.
    """
    if labels is not None and len(np.unique(labels[labels >= 0])) > 1:
        known = labels >= 0
        key, each = "neighbours_map", neighbours_differ(placed.shown[known], labels[known])
    else:
        chosen = _whole(rows)
        if len(chosen) <= 2 * NEIGHBOURS + 1:
            return None
        data = rows[chosen] / units(rows, by_column)
        key, each = "trustworthiness", trustworthiness(data, placed.shown[chosen])
    if len(each) < PARTS:
        return None
    parts = np.array_split(np.random.default_rng(0).permutation(len(each)), PARTS)
    return key, np.array([each[part].mean() for part in parts])


def _whole(rows: Float[Array, "N D"]) -> Int[Array, " n"]:
    """Return the indices of rows without gaps, thinned evenly to `MOST_ROWS`."""
    whole = np.flatnonzero(~np.isnan(rows).any(axis=1))
    return whole[np.linspace(0, len(whole) - 1, min(len(whole), MOST_ROWS)).astype(int)]


def units(rows: Float[Array, "N D"], by_column: bool) -> Float[Array, " D"]:
    """Return each column's unit for errors: its standard deviation, or a common one of all columns.

    A standard deviation of 0 is replaced by 1.
    """
    std = np.nanstd(rows, axis=0)
    unit = std if by_column else np.full_like(std, np.sqrt(np.nanmean(std**2)))
    return np.where(unit > 0.0, unit, 1.0)


def trustworthiness(data: Float[Array, "N D"], points: Float[Array, "N P"]) -> Float[Array, " N"]:
    """Score for each row whether its five nearest points on the map are near in the data.

    The best score is 1. The mean over the rows is the trustworthiness of a map. If the two
    arguments are exchanged, the mean is the continuity. Source: Venna & Kaski (2001), eq. 1.
    """
    from sklearn.metrics import pairwise_distances
    from sklearn.neighbors import NearestNeighbors

    count = len(data)
    apart = pairwise_distances(data)
    np.fill_diagonal(apart, np.inf)
    ranks = np.empty((count, count), dtype=int)
    np.put_along_axis(ranks, apart.argsort(axis=1), np.arange(1, count + 1)[None], axis=1)
    near = NearestNeighbors(n_neighbors=NEIGHBOURS).fit(points).kneighbors()[1]
    beyond = np.maximum(np.take_along_axis(ranks, near, axis=1) - NEIGHBOURS, 0)
    worst = NEIGHBOURS * (2.0 * count - 3.0 * NEIGHBOURS - 1.0) / 2.0
    return np.asarray(1.0 - beyond.sum(axis=1) / worst)


def neighbours_differ(
    points: Float[Array, "N P"],
    labels: Int[Array, " N"],
    new: Float[Array, "M P"] | None = None,
    new_labels: Int[Array, " M"] | None = None,
) -> Bool[Array, " _N"]:
    """Return for each point, or each new point, whether its nearest point has another label."""
    from sklearn.neighbors import NearestNeighbors

    near = NearestNeighbors(n_neighbors=1).fit(points)
    if new is None or new_labels is None:
        return np.asarray(labels[near.kneighbors()[1][:, 0]] != labels)
    return np.asarray(labels[near.kneighbors(new)[1][:, 0]] != new_labels)


def place(
    how: Placing, rows: Float[Array, "N D"], *, by_column: bool = False, random_state: int = 0
) -> Float[Array, "N 2"]:
    """Place rows in two dimensions by Isomap or t-SNE; positions have a standard deviation of 1.

    by_column: every column has the same weight. Raises DataError for rows with gaps, for too many
    rows, and for fewer than 3 rows.
    """
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE, Isomap

    missing = np.logical_not(np.isfinite(rows).all(axis=1))
    if missing.any():
        raise DataError(
            f"{int(missing.sum())} of {len(rows)} rows have missing values. Isomap and t-SNE need "
            "complete rows; the other models do not."
        )
    if len(rows) > MOST_PLACED:
        raise DataError(
            f"{len(rows):,} rows are too many: Isomap and t-SNE compare every pair of rows, so the "
            f"limit is {MOST_PLACED:,} rows."
        )
    if len(rows) < 3:
        raise DataError(f"Isomap and t-SNE need at least 3 rows; got {len(rows)}")
    given = (rows - rows.mean(axis=0)) / units(rows, by_column)
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
