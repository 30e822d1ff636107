"""Latent variable models on rows that they have not seen, always beside two base lines."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri
from sklearn.base import BaseEstimator, clone

from gplvm_core.comparison.baselines import ChosenPCA
from gplvm_core.comparison.mixture import Mixture
from gplvm_core.comparison.placing import neighbours_differ
from gplvm_core.comparison.repeated import (
    Contender,
    Judge,
    Split,
    Step,
    checked,
    compare,
    densities,
    splits_of,
)
from gplvm_core.comparison.result import Comparison
from gplvm_core.numerics import Array
from gplvm_core.readers import DataError
from gplvm_core.readers.errors import plural

PPCA, MIXTURE = "Plain PCA", "Plain mixture"  # probabilistic, of the best size; of Gaussians
BASE_LINES = (PPCA, MIXTURE)
MOST_JUDGED = 60  # rows of a split that are kept aside and asked about
N_SAMPLES = 200  # draws for a row's density
HIDDEN = 0.5  # of a row
DRAWN = 300  # rows that a model draws, to hold them against those kept aside
PLAIN = (
    "Plain PCA is probabilistic PCA and the plain mixture is one of Gaussians; both choose their "
    "size on the training rows."
)
Scaling = Literal["global", "columns"]
ERRORS = (
    "A best is marked only where it beats every other by more than chance over the splits: beyond "
    "the 95 % interval of the difference by Student's t (Nadeau & Bengio 2003)."
)


def compare_kept_aside(
    models: Mapping[str, BaseEstimator],
    Y: ArrayLike,
    labels: ArrayLike | None = None,
    *,
    scaling: Scaling = "global",
    cv: Any = 4,
    n_samples: int | None = N_SAMPLES,
    random_state: int = 0,
    callback: Callable[[Step], None] | None = None,
) -> Comparison:
    """Models by name, trained anew on parts of the rows Y (N × D) and judged by the others.

    Measures: those of `KEPT_ASIDE`. Probabilistic PCA of a size that the rows choose and a mixture
    of Gaussians are always among them. labels: (N,), −1 where there is none. scaling: "global" for
    columns that share a unit; else errors count by each column's spread. n_samples: draws for a
    row's density, where a model offers that; None: by bounds alone. cv, callback and errors: see
    `compare`; DataError, too, where fewer than two columns change.
    """
    rows = checked(Y, None)[0]
    known = None if labels is None else np.asarray(labels)
    if known is not None and known.shape != (len(rows),):
        raise DataError(f"one label for each of the {len(rows)} rows; got shape {known.shape}")
    splits = splits_of(cv, len(rows), random_state)
    # What is the same in a whole training part has no unit there, in which new rows would differ.
    varying = np.all([np.ptp(rows[train], axis=0) > 0.0 for train, _ in splits], axis=0)
    if varying.sum() < 2:
        raise DataError(
            f"{plural(int(varying.sum()), 'column')} of {len(varying)} change in every part of the "
            "rows that is learnt from; at least two are needed to fill in one from others"
        )
    rows = rows[:, varying]
    entered = [Contender(name, ready(model)) for name, model in models.items()]
    base = [Contender(PPCA, ChosenPCA(scaling)), Contender(MIXTURE, Mixture(scaling=scaling))]
    judge = judge_of(rows, known, scaling, n_samples, random_state)
    found = compare(
        [*entered, *base],
        rows,
        cv=splits,
        random_state=random_state,
        callback=callback,
        judge=judge,
    )
    notes = [ERRORS, PLAIN]
    if not varying.all():
        left_out = plural(int(np.sum(~varying)), "column")
        notes.append(f"Left out: {left_out} without a change in some part that is learnt from.")
    return replace(found, notes=tuple(notes))


def refusal(model: Any) -> str | None:
    """Why a model cannot be tried on rows kept aside here; None where it can."""
    if not hasattr(model, "fit") or not hasattr(model, "complete"):
        return "it only places the rows that it has seen"
    if model.capabilities.views:
        return "it has several views"
    if model.capabilities.timed:
        return "its rows follow each other in time, so single rows cannot be kept aside"
    return None


def ready(model: Any) -> BaseEstimator:
    """The same settings for other rows: an array of starting points does not fit those."""
    settings = model.get_params()
    fresh = clone(model) if not isinstance(settings.get("init"), np.ndarray) else None
    return fresh or type(model)(**(settings | {"init": "pca"}))


def judge_of(
    rows: Float[Array, "N D"],
    labels: Array | None,
    scaling: Scaling = "global",
    n_samples: int | None = N_SAMPLES,
    random_state: int = 0,
) -> Judge:
    """Measures a trained model on the rows of a split that were kept aside."""

    def judge(model: Any, split: Split, at: int) -> dict[str, float]:
        train, test = split
        test = test[np.linspace(0, len(test) - 1, min(len(test), MOST_JUDGED)).astype(int)]
        found = densities(model, rows[test], n_samples)
        std = rows[train].std(axis=0)
        unit = std if scaling == "columns" else np.full(len(std), np.sqrt(np.mean(std**2)))
        # The same for every model of a split.
        generator = np.random.default_rng([random_state, at])
        hidden = generator.random(rows[test].shape) < HIDDEN
        # Of every row something is seen, and something is asked.
        hidden[hidden.all(axis=1), 0] = False
        hidden[~hidden.any(axis=1), -1] = True
        found |= filled(model, rows[test], hidden, unit)
        if hasattr(model, "sample"):
            drawn = np.asarray(model.sample(DRAWN, random_state=random_state + at))
            found["drawn"] = difference(drawn / unit, rows[test] / unit)
        if labels is not None and hasattr(model, "transform"):
            found |= _neighbours(model, rows, labels, train, test)
        return found

    return judge


def filled(
    model: Any, rows: Float[Array, "M D"], hidden: Array, unit: Float[Array, " D"]
) -> dict[str, float]:
    """Error of the hidden entries in these units, and how many lie inside their intervals."""
    mean, std = model.complete(np.where(hidden, np.nan, rows), return_std=True)
    away = ((rows - mean) / unit)[hidden]
    deviations = np.abs(rows - mean)[hidden] / np.maximum(std[hidden], np.finfo(float).tiny)
    inside = {
        f"inside_{percent}": float(np.mean(deviations <= ndtri(0.5 + percent / 200)))
        for percent in (50, 90, 95)
    }
    return {"missing": float(np.sqrt(np.mean(away**2))), **inside}


def difference(drawn: Float[Array, "N D"], rows: Float[Array, "M D"]) -> float:
    """How different two samples are: 0 of one distribution, in the mean, and 1 at most.

    The energy distance 2 E|x − y| − E|x − x'| − E|y − y'| as a share of 2 E|x − y|. Source:
    Székely & Rizzo (2013), eq. 8.
    """
    from scipy.spatial.distance import cdist, pdist

    across = 2.0 * float(cdist(drawn, rows).mean())
    within = float(pdist(drawn).mean() + pdist(rows).mean())
    return (across - within) / across if across > 0.0 else 0.0


def _neighbours(
    model: Any, rows: Array, labels: Array, train: NDArray[np.intp], test: NDArray[np.intp]
) -> dict[str, float]:
    old, new = train[labels[train] >= 0], test[labels[test] >= 0]
    several = len(np.unique(labels[old])) > 1
    if not several or not len(new) or not hasattr(model, "relevance_"):
        return {}
    placed, known = model.latent_mean_ * model.latent_scale_, labels[train] >= 0
    points = model.transform(rows[new], scaled=True)
    differ = neighbours_differ(placed[known], labels[old], points, labels[new])
    return {"new_neighbours": float(differ.mean())}
