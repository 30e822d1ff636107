"""Starting values of latent means, lengthscales and inducing inputs."""

import warnings
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from scipy.sparse import SparseEfficiencyWarning

from gplvm_core.bounds.linear_gaussian import infer
from gplvm_core.models.data.rows import as_floats
from gplvm_core.models.problems.principal import fit_partial
from gplvm_core.numerics import Array
from gplvm_core.readers.errors import by_count

LEAST_SPREAD = 0.1
RECIPES = {"pca": "PCA", "isomap": "Isomap", "pca_each": "PCA of each view"}
# Limits for the fit of components to rows with gaps; a start does not need the exact maximum.
MOST_ITERATIONS = 100
TOLERANCE = 1.0


def initial_latent(
    outputs: Sequence[Float[Array, "N _D"]],
    n_latent: int,
    how: str | ArrayLike,
    generator: np.random.Generator,
    *,
    by_observed: bool = False,
) -> tuple[Float[Array, "N Q"], tuple[str, ...]]:
    """Return latent means and notes; the first dimension of the means has standard deviation 1.

    outputs: centred matrices with the same rows (NaN: missing). how: "pca" or "isomap" scale each
    output to the same total variance, and use all outputs together. "pca_each" concatenates the
    leading components of each output (Damianou 2015, §5.2.3). "random" draws the means. An array of
    means (N × Q) is used unchanged. For rows with gaps, probabilistic PCA replaces PCA and fills
    the gaps for "isomap". by_observed: the total variance of an output is proportional to the
    fraction of observed entries, so that a view with few labels does not determine the start.
    """
    if isinstance(how, str) and how == "pca_each":
        return _components_of_each(outputs, n_latent, generator)
    if len(outputs) == 1:
        return _components(outputs[0], n_latent, how, generator)
    levels = [
        np.sqrt(np.nanmean(each**2) * each.size if by_observed else np.nansum(each**2))
        for each in outputs
    ]
    joined = np.hstack([each / level for each, level in zip(outputs, levels, strict=True)])
    return _components(joined, n_latent, how, generator)


def _components(
    targets: Float[Array, "N D"],
    n_latent: int,
    how: str | ArrayLike,
    generator: np.random.Generator,
) -> tuple[Float[Array, "N Q"], tuple[str, ...]]:
    n_points = len(targets)
    if not isinstance(how, str):
        given = as_floats(how, "init").copy()
        if given.shape != (n_points, n_latent) or not np.isfinite(given).all():
            raise ValueError(
                f"init must be a finite array of shape {(n_points, n_latent)}; got {given.shape}"
            )
        return given, ()
    if how == "random":
        return generator.standard_normal((n_points, n_latent)), ()
    notes: tuple[str, ...] = ()
    if how == "pca":
        if np.isnan(targets).any():
            scores, _ = partial_scores(targets, n_latent)
        else:
            scores = principal_scores(targets)[:, :n_latent]
    elif how == "isomap":
        from sklearn.manifold import Isomap

        if np.isnan(targets).any():
            _, targets = partial_scores(targets, n_latent)
            notes = ("isomap used rows whose gaps were filled in by probabilistic PCA",)
        n_kept = min(n_latent, n_points - 1)
        with warnings.catch_warnings():
            # Isomap warns when it joins separate groups of neighbours at their nearest points. A
            # start needs such a joint graph, so the warning is suppressed.
            warnings.filterwarnings("ignore", "The number of connected components")
            warnings.simplefilter("ignore", SparseEfficiencyWarning)
            scores = Isomap(n_neighbors=min(10, n_points - 1), n_components=n_kept).fit_transform(
                targets
            )
    else:
        raise ValueError(f"init must be pca, isomap, random or an array; got {how!r}")
    latent, note = _filled_up(_in_spreads(scores), n_latent, how, generator)
    return latent, notes + note


def _components_of_each(
    views: Sequence[Float[Array, "N _D"]], n_latent: int, generator: np.random.Generator
) -> tuple[Float[Array, "N Q"], tuple[str, ...]]:
    if n_latent < len(views):
        raise ValueError(
            f"init='pca_each' gives every view a separate dimension: {len(views)} views need "
            f"n_components of at least {len(views)}, but got {n_latent}; or use init='pca'"
        )
    each = []
    for v, view in enumerate(views):
        share = n_latent // len(views) + (v < n_latent % len(views))
        whole = not np.isnan(view).any()
        scores = principal_scores(view) if whole else partial_scores(view, share)[0]
        each.append(_in_spreads(scores)[:, :share])
    return _filled_up(np.hstack(each), n_latent, "pca_each", generator)


def _in_spreads(scores: Float[Array, "N K"]) -> Float[Array, "N K"]:
    """Scores in units of the first one's spread; columns without shared rows may have no scores."""
    return scores / scores[:, 0].std() if scores.shape[1] else scores


def _filled_up(
    latent: Float[Array, "N K"], n_latent: int, how: str, generator: np.random.Generator
) -> tuple[Float[Array, "N Q"], tuple[str, ...]]:
    """Add random dimensions, and a note, if the method `how` found too few components."""
    missing = n_latent - latent.shape[1]
    if missing <= 0:
        return latent, ()
    extra = LEAST_SPREAD * generator.standard_normal((len(latent), missing))
    found = latent.shape[1]
    verb = by_count(missing, "starts", "start")
    note = (
        f"{missing} of {n_latent} latent dimensions {verb} at random: {RECIPES[how]} found {found}"
    )
    return np.hstack([latent, extra]), (note,)


def principal_scores(targets: Float[Array, "N D"]) -> Float[Array, "N K"]:
    """Principal component scores of centred targets, the largest first, without null directions."""
    left, values, _ = np.linalg.svd(targets, full_matrices=False)
    kept = values > 1e-10 * values[0]
    left, values = left[:, kept], values[kept]
    return np.asarray(left * _signs(left) * values)


def partial_scores(
    targets: Float[Array, "N D"], n_latent: int
) -> tuple[Float[Array, "N K"], Float[Array, "N D"]]:
    """Expected scores of centred rows with gaps (NaN), the largest first, and the filled rows.

    Probabilistic PCA is fitted to the observed entries. If the data allow fewer than n_latent
    components, there are fewer scores.
    """
    n_kept = min(n_latent, len(targets) - 1)
    factors, _ = fit_partial(targets, n_kept, MOST_ITERATIONS, TOLERANCE)
    mean = infer(factors, targets).mean
    filled = np.where(np.isnan(targets), factors.center + mean @ factors.weights, targets)
    gains = np.linalg.norm(factors.weights, axis=1)
    kept = gains > 1e-5 * gains[0]
    scores = mean[:, kept] * gains[kept]
    return scores * _signs(scores), filled


def _signs(scores: Float[Array, "N K"]) -> Float[Array, " K"]:
    """Signs that make the largest entry of each component positive."""
    return np.sign(scores[np.argmax(np.abs(scores), axis=0), np.arange(scores.shape[1])])


def initial_lengthscale(latent: Float[Array, "N Q"]) -> Float[Array, " Q"]:
    """Lengthscales ℓ_q: 1/ℓ_q is dimension q's spread over the largest spread, at least 0.1."""
    spread = latent.std(axis=0)
    return 1.0 / np.maximum(spread / spread.max(), LEAST_SPREAD)


def initial_inducing(
    latent: Float[Array, "N Q"], n_inducing: int, generator: np.random.Generator
) -> tuple[Float[Array, "M Q"], tuple[str, ...]]:
    """A random subset of n_inducing latent means; a note if there are fewer latent means."""
    n_points = len(latent)
    notes: tuple[str, ...] = ()
    if n_inducing > n_points:
        notes = (f"n_inducing = {n_inducing} is capped at the number of points, {n_points}",)
    chosen = generator.permutation(n_points)[: min(n_inducing, n_points)]
    return latent[np.sort(chosen)].copy(), notes
