"""Where training starts: latent means, their relevance, and inducing inputs."""

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.manifold import Isomap

from gplvm_core.numerics import Array

LEAST_SPREAD = 0.1


def initial_latent(
    targets: Float[Array, "N D"],
    n_latent: int,
    how: str | ArrayLike,
    generator: np.random.Generator,
) -> tuple[Float[Array, "N Q"], tuple[str, ...]]:
    """Latent means whose first dimension has standard deviation 1, and notes on what was done.

    how: "pca", "isomap", "random", or the means themselves (N × Q), taken as they are.
    """
    n_points = len(targets)
    if not isinstance(how, str):
        given = np.array(how, dtype=np.float64)
        if given.shape != (n_points, n_latent) or not np.isfinite(given).all():
            raise ValueError(
                f"init must be a finite array of shape {(n_points, n_latent)}; got {given.shape}"
            )
        return given, ()
    if how == "random":
        return generator.standard_normal((n_points, n_latent)), ()
    if how == "pca":
        scores = principal_scores(targets)[:, :n_latent]
    elif how == "isomap":
        n_kept = min(n_latent, n_points - 1)
        scores = Isomap(n_neighbors=min(10, n_points - 1), n_components=n_kept).fit_transform(
            targets
        )
    else:
        raise ValueError(f"init must be pca, isomap, random or an array; got {how!r}")
    latent = scores / scores[:, 0].std()
    missing = n_latent - latent.shape[1]
    if missing <= 0:
        return latent, ()
    extra = LEAST_SPREAD * generator.standard_normal((n_points, missing))
    note = f"{missing} of {n_latent} latent dimensions start at random: {how} has no more"
    return np.hstack([latent, extra]), (note,)


def principal_scores(targets: Float[Array, "N D"]) -> Float[Array, "N K"]:
    """Principal component scores of centred targets, largest first, null directions left out."""
    left, values, _ = np.linalg.svd(targets, full_matrices=False)
    kept = values > 1e-10 * values[0]
    left, values = left[:, kept], values[kept]
    # The sign of a component is arbitrary: its largest entry is made positive.
    signs = np.sign(left[np.argmax(np.abs(left), axis=0), np.arange(left.shape[1])])
    return np.asarray(left * signs * values)


def initial_lengthscale(latent: Float[Array, "N Q"]) -> Float[Array, " Q"]:
    """1/ℓ_q = the dimension's spread relative to the widest, and at least 0.1."""
    spread = latent.std(axis=0)
    return 1.0 / np.maximum(spread / spread.max(), LEAST_SPREAD)


def initial_inducing(
    latent: Float[Array, "N Q"], n_inducing: int, generator: np.random.Generator
) -> tuple[Float[Array, "M Q"], tuple[str, ...]]:
    """A random subset of the latent means, at most N of them (said in the notes)."""
    n_points = len(latent)
    notes: tuple[str, ...] = ()
    if n_inducing > n_points:
        notes = (f"n_inducing = {n_inducing} is capped at the {n_points} points",)
    chosen = generator.permutation(n_points)[: min(n_inducing, n_points)]
    return latent[np.sort(chosen)].copy(), notes
