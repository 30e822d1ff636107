"""Train and judge several models on repeated splits of the same rows."""

import inspect
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone

from gplvm_core.comparison.result import Comparison
from gplvm_core.models.data.rows import as_floats
from gplvm_core.models.estimators.second_stage import map_only
from gplvm_core.models.training.watched import Step, Watch, trainings
from gplvm_core.numerics import Array, BoolArray
from gplvm_core.readers import DataError
from gplvm_core.readers.errors import plural

Rows = NDArray[np.intp]
Split = tuple[Rows, Rows]
# The fraction of test rows in a split, if `cv` is a number of splits.
TEST_SHARE = 0.2
# The smallest numbers of training and test rows in a split; with fewer rows, results are
# meaningless.
LEAST_TRAINING, LEAST_TEST = 10, 2
HIDDEN = 0.5  # the fraction of a test row's values that is hidden
# The number of importance samples per row for the density of a latent variable model.
DRAWS = 500
# A function of a trained model, a split, and the number of the split (from 0). It judges the model
# on the test rows and returns the values of measures by their keys.
Judge = Callable[[Any, Split, int], dict[str, float]]


@dataclass(frozen=True)
class Contender:
    """A model and its name in words; `compare` trains a copy of the model on every split.

    Regressors need `score_samples(X, Y)`, or `predict` with return_std and noise. Density models
    need `score_samples(Y)`, in nats per row.
    """

    name: str
    estimator: BaseEstimator


def compare(
    contenders: Sequence[Contender],
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    cv: Any = 5,
    random_state: int | None = 0,
    callback: Callable[[Step], None] | None = None,
    judge: Judge | None = None,
) -> Comparison:
    """Train and judge contenders on the same splits; the first contender is the reference.

    X, y: inputs (N × Q) and outputs (N or N × D) for regressors; only rows X (N × D) for density
    models. cv: a number of random splits (a fifth of the rows is held out), a scikit-learn
    splitter, or pairs of training and test rows. callback: called with a `Step` before every fit;
    models whose `fit` has a callback also call it during the fit. If the callback raises
    StopIteration, the comparison ends with the finished splits. judge: a function that returns the
    measures of a model; missing measures are NaN. By default, the measures are the density of a
    held-out row, or the log-likelihood and error of predicted outputs. Raises DataError for rows or
    outputs that are not finite or do not match, for splits with too few rows, and if a model
    cannot be trained or judged. Raises ValueError if two contenders have the same name.
    """
    rows, outputs = checked(X, y)
    data = (rows,) if outputs is None else (rows, outputs)

    def fit(model: Any, train: Rows, watch: Watch) -> None:
        fit_map(model, *(each[train] for each in data), callback=watch)

    def own_judge(model: Any, split: Split, at: int) -> dict[str, float]:
        return _judged(model, *(each[split[1]] for each in data))

    splits = splits_of(cv, len(rows), random_state)
    judge = judge or own_judge
    return repeated(contenders, splits, fit, judge, random_state=random_state, callback=callback)


def repeated(
    contenders: Sequence[Contender],
    splits: Sequence[Split],
    fit: Callable[[Any, Rows, Watch], None],
    judge: Judge,
    *,
    random_state: int | None,
    callback: Callable[[Step], None] | None,
    failed: dict[str, str] | None = None,
) -> Comparison:
    """Hide the test rows of each split, train copies of the contenders, and judge them.

    fit(model, training rows, watch) trains a copy. The seeds of copies depend only on the split, so
    that all contenders have the same. failed: collects the first error of a contender, which then
    has no values; None raises the error. See `compare`.
    """
    names = tuple(each.name for each in contenders)
    if len(set(names)) < len(names):
        raise ValueError("two of the models have the same name: give every model its own name")

    @contextmanager
    def noted(at: int, place: int) -> Iterator[None]:
        try:
            yield
        except (ValueError, ArithmeticError) as error:
            if failed is None:
                where = f"on split {at + 1} of {len(splits)}"
                raise DataError(f"{names[place]} failed {where}: {error}") from error
            failed[names[place]] = str(error)

    def train(at: int, place: int, watch: Watch) -> tuple[Any, float]:
        model, begin = _seeded(contenders[place].estimator, random_state, at), time.thread_time()
        if not failed or names[place] not in failed:
            with noted(at, place):
                fit(model, splits[at][0], watch)
        return model, time.thread_time() - begin

    found: list[list[dict[str, float]]] = [[] for _ in splits]
    for at, place, (model, seconds) in trainings([names] * len(splits), train, callback):
        scores = dict[str, float]()
        if not failed or names[place] not in failed:
            with noted(at, place):
                scores = judge(model, splits[at], at)
        found[at].append(scores | {"seconds": seconds})
    found = [here for here in found if len(here) == len(contenders)]
    keys = dict.fromkeys(key for here in found for each in here for key in each) or ("seconds",)
    values = {
        key: np.array([[each.get(key, np.nan) for each in here] for here in found]).reshape(
            len(found), len(contenders)
        )
        for key in keys
    }
    overlap = float(np.mean([len(test) / len(train) for train, test in splits]))
    return Comparison(names, values, names[0], overlap)


def checked(X: ArrayLike, y: ArrayLike | None) -> tuple[Array, Array | None]:
    """Convert rows (N × Q) and outputs (N × D) to finite numbers; raises DataError otherwise."""
    rows = _finite(X, "X")
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise DataError(f"X must be a table of rows and columns, N × Q; got shape {rows.shape}")
    if y is None:
        return rows, None
    outputs = _finite(y, "y")
    if outputs.ndim not in (1, 2) or outputs.shape[:1] != rows.shape[:1]:
        raise DataError(
            f"y must have one output, or one row of outputs, for each of the {len(rows)} rows of "
            f"X; got shape {outputs.shape}"
        )
    return rows, outputs.reshape(len(rows), -1)


def splits_of(cv: Any, n_rows: int, random_state: int | None) -> list[Split]:
    """Return the training and test rows of each split; raises DataError for too few rows."""
    from sklearn.model_selection import ShuffleSplit, check_cv

    if isinstance(cv, int | np.integer):
        if cv < 2:
            raise ValueError(
                f"cv must be at least 2 splits, because chance is estimated from their scatter; "
                f"got {cv}"
            )
        least = int(np.ceil(max(LEAST_TRAINING / (1.0 - TEST_SHARE), LEAST_TEST / TEST_SHARE)))
        if n_rows < least:
            raise DataError(
                f"{plural(n_rows, 'row')} cannot be split into training and test rows: the "
                f"comparison needs at least {least} rows"
            )
        cv = ShuffleSplit(int(cv), test_size=TEST_SHARE, random_state=random_state)
    splits = list(check_cv(cv).split(np.empty((n_rows, 1))))
    if len(splits) < 2:
        raise ValueError(
            "cv must give at least 2 splits, because chance is estimated from their scatter; got 1"
        )
    for train, test in splits:
        if len(train) < LEAST_TRAINING or len(test) < LEAST_TEST:
            raise DataError(
                f"a split of the {plural(n_rows, 'row')} has {plural(len(train), 'training row')} "
                f"and {plural(len(test), 'test row')}; a split needs at least {LEAST_TRAINING} "
                f"training rows and {LEAST_TEST} test rows: give more rows or fewer splits"
            )
    return splits


def _finite(values: ArrayLike, name: str) -> Array:
    found = as_floats(values, name)
    missing = int(np.sum(~np.isfinite(found)))
    if missing:
        raise DataError(
            f"{missing} of {found.size} values of {name} are missing (NaN) or infinite. The "
            "baselines need complete rows: leave out the other rows"
        )
    return found


def _seeded(estimator: BaseEstimator, random_state: int | None, split: int) -> Any:
    model = clone(estimator)
    if random_state is not None:
        names = [
            name
            for name in model.get_params()
            if name == "random_state" or name.endswith("__random_state")
        ]
        model.set_params(**dict.fromkeys(names, random_state + split))
    return model


def fit_map(model: Any, *data: Any, callback: Any, **options: Any) -> Any:
    """Train a model without its second stage; one that can report progress has the callback."""
    if "callback" in inspect.signature(model.fit).parameters:
        options["callback"] = callback
    with map_only(model):
        return model.fit(*data, **options)


def _judged(model: Any, rows: Array, outputs: Array | None = None) -> dict[str, float]:
    if outputs is None:
        return densities(model, rows, DRAWS)
    if hasattr(model, "score_samples"):
        density = model.score_samples(rows, outputs)
        mean = model.predict(rows)
    else:
        mean, std = model.predict(rows, return_std=True)
        density = gaussian(outputs - mean.reshape(outputs.shape), std.reshape(outputs.shape))
    wrong = np.asarray(mean).reshape(outputs.shape) - outputs
    return {
        "log_likelihood": float(np.mean(density)),
        "rmse": float(np.sqrt(np.mean(wrong**2))),
    }


def densities(model: Any, rows: Float[Array, "M D"], n_samples: int | None) -> dict[str, float]:
    """Return the mean of log p(row) by sampling ("density") and by bounds ("density_bounds").

    Both values are equal for an exact density. The result is empty if the model has no density of
    rows.
    """
    if hasattr(model, "latent_mean_") and not hasattr(model, "information_"):
        return {}  # `score_samples` returns a joint density of the row and its latent point
    bounds = float(np.mean(model.score_samples(rows)))
    if "n_samples" not in inspect.signature(model.score_samples).parameters:
        return {"density": bounds, "density_bounds": bounds}
    if n_samples is None:
        return {"density_bounds": bounds}
    drawn = float(np.mean(model.score_samples(rows, n_samples)))
    return {"density": drawn, "density_bounds": bounds}


def half_hidden(
    known: Bool[BoolArray, "M D"], generator: np.random.Generator, *, every_row: bool = False
) -> Bool[BoolArray, "M D"]:
    """Hide about half of the known values; at least one value of every row stays visible.

    every_row: also hide at least one value of every row.
    """
    hidden = known & (generator.random(known.shape) < HIDDEN)
    lost = np.flatnonzero((hidden == known).all(axis=1) & known.any(axis=1))
    hidden[lost, np.argmax(known[lost], axis=1)] = False
    if every_row:
        whole = np.flatnonzero(~hidden.any(axis=1))
        hidden[whole, known.shape[1] - 1 - np.argmax(known[whole, ::-1], axis=1)] = True
    return hidden


def gaussian(residuals: Float[Array, "N D"], std: Float[Array, "..."]) -> Float[Array, " N"]:
    """log N(residual; 0, std²) of every row, in nats."""
    terms = np.log(2.0 * np.pi * std**2) + (residuals / std) ** 2
    return np.asarray(-0.5 * np.sum(terms, axis=1))
