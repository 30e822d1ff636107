"""How much the data count beside other views, a prior over time, or the rule of a sequence.

A layer to D columns assumes that their residuals are independent. Residuals of neighbouring pixels
are not, so pictures would dominate small views, the prior over time, and the rule that leads from
one state to the next. A weight w multiplies the term of the data in the bound, in training and for
new rows: p(Y | X) is raised to the power w. Composite likelihoods of dependent parts are adjusted
in the same way (Pauli, Racugno & Ventura 2011). MATHEMATICS.md, sections 5 and 6.8.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from jaxtyping import Float, Shaped

from gplvm_core.numerics import AnyNDArray, Array

Weights = dict[str, float]

# A view is wide if it has more than this many times the columns of the narrowest view. Views of
# similar width cannot dominate each other, and keep the exact bound as their objective. The rows of
# one table are wide if they have more than this many times as many columns as dimensions.
WIDE = 2.0
# Rows whose `roughness` is at least this number do not follow paths.
ROUGH = 0.5


def balanced(views: Mapping[str, Float[Array, "N _D"]], n_components: int) -> Weights:
    """Weight every wide view by the share of its columns that count as independent.

    A view is wide if it has more than twice as many columns as the narrowest view. A wide view
    counts for no more columns than the narrowest view has; all other views have the weight 1.
    Missing entries count as the mean of their column.
    """
    least = min(each.shape[1] for each in views.values())
    return {
        name: min(least, effective_columns(each, n_components)) / each.shape[1]
        if each.shape[1] > WIDE * least
        else 1.0
        for name, each in views.items()
    }


def in_sequence(values: Float[Array, "N D"], n_components: int) -> float:
    """The weight of a sequence's rows beside a prior of n_components dimensions that links them.

    The columns count as independent ones, but at least as twice the number of dimensions. Narrow
    rows (D ≤ 2 n_components) thus have the weight 1.
    """
    width = values.shape[1]
    least = WIDE * n_components
    if width <= least:
        return 1.0
    return min(1.0, max(effective_columns(values, n_components), least) / width)


def on_paths(
    values: Float[Array, "N D"],
    n_components: int,
    times: Float[Array, "N P"],
    sequences: Shaped[AnyNDArray, " N"],
) -> float:
    """The weight of rows beside a prior over time of n_components dimensions (`in_sequence`).

    Rows that are as far from the rows before them as from any other row do not follow paths: a
    prior over time would switch all dimensions off, so such rows have the weight 1. So have rows
    whose prior follows several inputs instead of time.
    """
    follow = times.shape[1] == 1 and roughness(values, n_components, times[:, 0], sequences) < ROUGH
    return in_sequence(values, n_components) if follow else 1.0


def roughness(
    values: Float[Array, "N D"],
    n_components: int,
    times: Float[Array, " N"],
    sequences: Shaped[AnyNDArray, " N"],
) -> float:
    """The mean squared step from row to row, divided by that between two random rows.

    The distances are those of the first principal components. The number is near 0 for smooth
    paths and near 1 for rows in random order (von Neumann 1941). It is 1 if no row follows another.
    """
    label = np.unique(sequences, return_inverse=True)[1]
    order = np.lexsort((times, label))
    scores = _scores(_centred(values), n_components)[order]
    follows = label[order][1:] == label[order][:-1]
    spread = 2.0 * np.mean(np.sum(scores**2, axis=1))
    if not follows.any() or spread == 0.0:
        return 1.0
    return float(np.mean(np.sum(np.diff(scores, axis=0)[follows] ** 2, axis=1)) / spread)


def effective_columns(values: Float[Array, "N D"], n_components: int) -> float:
    """The effective number of independent columns in the residuals of principal components.

    (tr S)² / tr S² for the covariance S of the residuals of n_components components, corrected for
    the number of rows: a sample covariance of n rows has an effective rank of at most n. The result
    is between 1 and D.
    """
    n_rows, width = values.shape
    centred = _centred(values)
    # The smaller Gram matrix has the same eigenvalues.
    gram = centred @ centred.T if n_rows < width else centred.T @ centred
    power = np.linalg.eigvalsh(gram)[::-1]
    left = np.maximum(power[min(n_components, len(power) - 1) :], 0.0)
    free = n_rows - 1 - n_components
    if free < 2 or left.sum() <= np.finfo(float).eps * power[0] * len(power):
        return float(width)  # nothing is known about the residuals
    inverse = np.sum(left**2) / left.sum() ** 2 - 1.0 / free
    return float(width) if inverse * width <= 1.0 else float(1.0 / inverse)


def _centred(values: Float[Array, "N D"]) -> Float[Array, "N D"]:
    """The rows minus their mean; 0 for missing values."""
    return np.where(np.isnan(values), 0.0, values - np.nanmean(values, axis=0))


def _scores(centred: Float[Array, "N D"], count: int) -> Float[Array, "N Q"]:
    """The rows on the first principal components."""
    if len(centred) < centred.shape[1]:
        power, vectors = np.linalg.eigh(centred @ centred.T)
        return np.asarray((vectors * np.sqrt(np.maximum(power, 0.0)))[:, -count:])
    return np.asarray(centred @ np.linalg.eigh(centred.T @ centred)[1][:, -count:])


def weights_in_words(weights: Mapping[str, float]) -> tuple[str, ...]:
    """Return a note on the weights; empty if all are 1."""
    less = [f"{name} {weight:.2g}" for name, weight in weights.items() if weight < 1.0]
    if not less:
        return ()
    return (
        "some views count less when latent points are inferred, so that their many dependent "
        f"columns do not dominate the other views: {', '.join(less)}",
    )


def weight_in_words(weight: float, width: int, outweighed: str) -> tuple[str, ...]:
    """Return a note on the weight of a sequence's rows; empty if it is 1.

    outweighed: what the rows would outweigh with the weight 1.
    """
    if weight == 1.0:
        return ()
    return (
        f"the {width:,} columns depend on each other, so they count as {weight * width:.0f} when "
        f"latent points are inferred; otherwise they would outweigh {outweighed}",
    )


def weight_of_rows(given: Any, automatic: Callable[[], float]) -> float:
    """Return the setting `data_weight` as a number; `automatic` computes it for "auto"."""
    if isinstance(given, str):
        if given != "auto":
            raise ValueError(f'data_weight must be "auto" or a number; got {given!r}')
        return automatic()
    try:
        return checked_weight(given)
    except ValueError as error:
        raise ValueError(f"data_weight {error}") from None


def checked_weight(given: Any) -> float:
    """Return the user's weight; raises ValueError unless it is above 0 and at most 1."""
    number = isinstance(given, int | float | np.integer | np.floating)
    if not number or isinstance(given, bool) or not 0.0 < given <= 1.0:
        raise ValueError(f"must be above 0 and at most 1; got {given!r}")
    return float(given)


def checked_weights(given: Any, names: tuple[str, ...]) -> Weights:
    """The user's weights; 1 for views without one. Raises ValueError for wrong names or values."""
    if not isinstance(given, Mapping):
        raise ValueError(f'view_weights must be "auto" or a dict by view name; got {given!r}')
    unknown = [name for name in given if name not in names]
    if unknown:
        raise ValueError(f"view_weights has no view {unknown[0]!r}; the views are {list(names)}")
    found = dict.fromkeys(names, 1.0)
    for name, weight in given.items():
        try:
            found[name] = checked_weight(weight)
        except ValueError as error:
            raise ValueError(f"the weight of view {name!r} {error}") from None
    return found
