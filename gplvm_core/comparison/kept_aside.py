"""Compare latent variable models and two baselines on held-out rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from gplvm_core.comparison.baselines import ChosenPCA
from gplvm_core.comparison.mixture import Mixture
from gplvm_core.comparison.placing import neighbours_differ, units
from gplvm_core.comparison.repeated import (
    Contender,
    Rows,
    Split,
    checked,
    compare,
    densities,
    half_hidden,
    splits_of,
)
from gplvm_core.comparison.result import Comparison
from gplvm_core.models import ProbabilisticPCA
from gplvm_core.models.estimators.second_stage import ready
from gplvm_core.models.estimators.with_known import apart_from_known
from gplvm_core.models.training.watched import Step
from gplvm_core.numerics import Array, BoolArray
from gplvm_core.prediction.intervals import Errors
from gplvm_core.readers import DataError
from gplvm_core.readers.errors import plural

PPCA, MIXTURE = "Plain PCA", "Plain mixture"  # probabilistic PCA; a mixture of Gaussians
BASE_RATES, CHAINED = "Base rates", "Chained regressions"  # for tables with words and counts
FOREST, FACTORS = "Chained forests", "Poisson factors"
BASE_LINES, OF_TABLES = (PPCA, MIXTURE), (BASE_RATES, CHAINED, FOREST, FACTORS)
MOST_JUDGED = 60  # largest number of test rows in a split
N_SAMPLES = 200  # importance samples for a row's density
DRAWN = 300  # number of rows that are drawn from a model and compared with test rows
PLAIN = (
    "Plain PCA is probabilistic PCA, and the plain mixture is a mixture of Gaussians; both choose "
    "their size on the training rows. A map derives the density of its training rows first, and "
    "fills gaps with it where that was better for these rows."
)
Scaling = Literal["global", "columns"]
ERRORS = (
    "A model is marked best only if it beats every other model by more than chance: the "
    "differences over the splits are outside the 95 % interval by Student's t (Nadeau & Bengio "
    "2003)."
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
    """Train models again on parts of the rows Y (N × D), and judge each model on the other rows.

    The measures are `KEPT_ASIDE`. Two baselines are always added: probabilistic PCA and a mixture
    of Gaussians. Their sizes are chosen on the training rows. labels: (N,), −1 for unlabelled rows.
    scaling: "global" for columns that share a unit; "columns" divides errors by each column's
    spread. n_samples: draws for the estimate of a row's density by sampling; None makes none. cv,
    callback and errors: see `compare`; also raises DataError if fewer than two columns vary.
    """
    rows = checked(Y, None)[0]
    known = None if labels is None else np.asarray(labels)
    if known is not None and known.shape != (len(rows),):
        raise DataError(
            f"labels must have one entry for each of the {plural(len(rows), 'row')}; got shape "
            f"{known.shape}"
        )
    splits = splits_of(cv, len(rows), random_state)
    # Errors are measured in units of the spread of a column in the training part, so columns that
    # are constant there are left out.
    varying = np.all([np.ptp(rows[train], axis=0) > 0.0 for train, _ in splits], axis=0)
    if varying.sum() < 2:
        raise DataError(
            f"only {int(varying.sum())} of {len(varying)} columns vary in every training part; at "
            "least two columns are needed, so that a model can fill in one from the others"
        )
    rows = rows[:, varying]

    def measures(model: Any, on: HeldRows) -> dict[str, float]:
        train, test = rows[on.train], rows[on.test]
        # A map first derives the density of its rows, with which it fills gaps.
        found = _densities(model, train, test, n_samples)
        unit = units(train, scaling == "columns")
        found |= filled(model, test, on.hidden, unit)
        if hasattr(model, "sample"):
            drawn = np.asarray(model.sample(DRAWN, random_state=on.seed))
            found["drawn"] = difference(drawn / unit, test / unit)
        if known is not None and hasattr(model, "transform"):
            found |= _neighbours(model, rows, known, on.train, on.test)
        return found

    found = on_new_rows(
        [Contender(name, ready(model)) for name, model in models.items()]
        + [Contender(PPCA, ChosenPCA(scaling)), Contender(MIXTURE, Mixture(scaling=scaling))],
        rows,
        np.ones(rows.shape[1], dtype=bool),
        measures,
        splits=splits,
        random_state=random_state,
        callback=callback,
    )
    notes = [*found.notes, PLAIN]
    if not varying.all():
        left_out = plural(int(np.sum(~varying)), "column")
        notes.append(
            f"The comparison leaves out {left_out} with constant values in a training part."
        )
    return replace(found, notes=tuple(notes))


@dataclass(frozen=True)
class HeldRows:
    """The rows of a split, which of the test rows' values are hidden, and a seed for draws."""

    train: Rows
    test: Rows
    hidden: Bool[BoolArray, "M C"]
    seed: int


def on_new_rows(
    contenders: Sequence[Contender],
    rows: Float[Array, "N C"],
    asked: Bool[BoolArray, " C"],
    measures: Callable[[Any, HeldRows], dict[str, float]],
    *,
    splits: Sequence[Split],
    random_state: int,
    callback: Callable[[Step], None] | None,
) -> Comparison:
    """Compare models on at most 60 test rows of each split, in which half of the values are hidden.

    asked: the columns whose values may be hidden. measures: measures a trained model.
    """

    def judge(model: Any, split: Split, at: int) -> dict[str, float]:
        train, test = split
        test = test[np.linspace(0, len(test) - 1, min(len(test), MOST_JUDGED)).astype(int)]
        # The seed depends only on the split, so every model gets the same hidden values.
        generator = np.random.default_rng([random_state, at])
        known = np.broadcast_to(asked, (len(test), len(asked)))
        hidden = half_hidden(known, generator, every_row=True)
        return measures(model, HeldRows(train, test, hidden, random_state + at))

    found = compare(
        contenders, rows, cv=splits, random_state=random_state, callback=callback, judge=judge
    )
    return replace(found, notes=(ERRORS,))


def refusal(model: Any) -> str | None:
    """Return the reason why a model cannot be tested on held-out rows; None if it can be tested."""
    if not hasattr(model, "fit") or not hasattr(model, "complete"):
        return "it places only the rows that it was trained on"
    if model.capabilities.views:
        return "it has several views"
    if model.capabilities.timed:
        return "its rows follow each other in time, so single rows cannot be held out"
    if not apart_from_known(model):
        return "known factors are taken out of it, so it would need them for held-out rows"
    if getattr(model, "fractions_", None):
        return "its fractions determine each other, so single ones cannot be hidden"
    return None


def _densities(
    model: Any, train: Float[Array, "N D"], test: Float[Array, "M D"], n_samples: int | None
) -> dict[str, float]:
    """Return the mean log density of test rows.

    Values that are exact, by draws, and by bounds are returned, if available. A map first derives
    the density of its rows, as after a training in the app. `complete` uses this density.
    """
    if not getattr(model, "can_have_density", False) or isinstance(model, ProbabilisticPCA):
        exact = densities(model, test, None)
        return {"density": exact["density"]} if "density" in exact else {}
    model.fit_density(train)
    found = {"density": model.score_samples(test, method="density")}
    if hasattr(model, "information_"):  # a plain GP-LVM has only a joint density with its points
        found["density_bounds"] = model.score_samples(test, method="bound")
        if n_samples is not None:
            found["density_sampled"] = model.score_samples(test, n_samples, method="sampling")
    return {key: float(np.mean(each)) for key, each in found.items()}


def filled(
    model: Any, rows: Float[Array, "M D"], hidden: BoolArray, unit: Float[Array, " D"]
) -> dict[str, float]:
    """Return the root mean square error of hidden entries in units `unit`, and the fraction of
    hidden entries inside their intervals.
    """
    mean, std = model.complete(np.where(hidden, np.nan, rows), return_std=True)
    errors = Errors.of(mean, std, rows, unit, judged=hidden)
    inside = {f"inside_{percent}": errors.inside(percent / 100) for percent in (50, 90, 95)}
    return {"missing": errors.size, **inside}


def difference(drawn: Float[Array, "N D"], rows: Float[Array, "M D"]) -> float:
    """Return the difference of two samples: at most 1, and 0 on average for equal distributions.

    The difference is the energy distance 2 E|x − y| − E|x − x'| − E|y − y'|, divided by 2 E|x − y|.
    Source: Székely & Rizzo (2013), eq. 8.
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
