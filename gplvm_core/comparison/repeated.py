"""Contenders on repeated splits of the same rows: every one is trained and judged on each."""

import inspect
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone

from gplvm_core.comparison.result import Comparison
from gplvm_core.numerics import Array
from gplvm_core.optimise import Progress
from gplvm_core.readers import DataError

Split = tuple[NDArray[np.intp], NDArray[np.intp]]
# Of a number of splits, so much of the rows is kept aside each time.
TEST_SHARE = 0.2
# With fewer rows to train on, or to judge by, the numbers mean nothing.
LEAST_TRAINING, LEAST_TEST = 10, 2
# Of the importance sampling of a latent variable model's density, per row.
DRAWS = 500
# How a model that was trained on the first rows of a split does on the others: numbers by measure.
# The last argument counts the splits from 0.
Judge = Callable[[Any, Split, int], dict[str, float]]


@dataclass(frozen=True)
class Contender:
    """A model by its name in words; it is cloned and trained anew on every split.

    Regressors have `score_samples(X, Y)`, or `predict` with return_std and noise; models of density
    have `score_samples(Y)`: nats a row.
    """

    name: str
    estimator: BaseEstimator


@dataclass(frozen=True)
class Step:
    """What a comparison tells its observer: which model is trained on which split (from 1).

    share: of the whole work, by the number of fits. seconds: since the start.
    """

    name: str
    split: int
    n_splits: int
    share: float
    seconds: float

    @property
    def message(self) -> str:
        return (
            f"Split {self.split} of {self.n_splits}: {self.name}"
            if self.n_splits > 1
            else self.name
        )


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
    """Train and judge contenders on the same splits; the first is the reference of the others.

    X, y: inputs (N × Q) and outputs (N or N × D) for regressors; rows (N × D) alone for models of
    density. cv: a number of random splits with a fifth kept aside, a splitter of scikit-learn, or
    pairs of training and test rows. callback(step) is called before every fit and, by models that
    tell, in it; StopIteration raised in it ends the comparison with the splits finished so far.
    judge: what is measured, unless it is the density of a held-out row or, where outputs are
    predicted, their log-likelihood and error; what it does not say of a model is NaN.
    Raises DataError for rows or outputs that are not finite numbers or do not fit each other, for
    splits that leave too few rows, and where a model cannot be trained; ValueError for names that
    are not distinct.
    """
    rows, outputs = checked(X, y)
    if len({each.name for each in contenders}) < len(contenders):
        raise ValueError("two of the models have the same name; each needs its own")
    splits = splits_of(cv, len(rows), random_state)
    watch = _Watch(callback, len(splits), len(contenders))
    found: list[list[dict[str, float]]] = []
    for at, (train, test) in enumerate(splits):
        here: list[dict[str, float]] = []
        for place, contender in enumerate(contenders):
            watch.enter(contender.name, at, place)
            if watch.stopped:
                break
            model = _seeded(contender.estimator, random_state, at)
            begin = time.thread_time()
            try:
                _fit(model, rows[train], None if outputs is None else outputs[train], watch)
            except (ValueError, ArithmeticError) as error:
                where = f"on split {at + 1} of {len(splits)}"
                raise DataError(f"{contender.name} failed {where}: {error}") from error
            seconds = time.thread_time() - begin
            if watch.stopped:
                break
            if judge is None:
                told = _judged(model, rows[test], None if outputs is None else outputs[test])
            else:
                told = judge(model, (train, test), at)
            here.append(told | {"seconds": seconds})
        if watch.stopped:
            break
        found.append(here)
    keys = dict.fromkeys(key for here in found for each in here for key in each) or ("seconds",)
    values = {
        key: np.array([[each.get(key, np.nan) for each in here] for here in found]).reshape(
            len(found), len(contenders)
        )
        for key in keys
    }
    names = tuple(each.name for each in contenders)
    overlap = float(np.mean([len(test) / len(train) for train, test in splits]))
    return Comparison(names, values, names[0], overlap)


def checked(X: ArrayLike, y: ArrayLike | None) -> tuple[Array, Array | None]:
    """Rows (N × Q) and outputs (N × D) as finite numbers; DataError, saying what is wrong."""
    rows = _finite(X, "X")
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise DataError(f"X must be a table of rows and columns, N × Q; got shape {rows.shape}")
    if y is None:
        return rows, None
    outputs = _finite(y, "y")
    if outputs.ndim not in (1, 2) or outputs.shape[:1] != rows.shape[:1]:
        raise DataError(
            f"y must have one output, or one row of them, for each of the {len(rows)} rows of X; "
            f"got shape {outputs.shape}"
        )
    return rows, outputs.reshape(len(rows), -1)


def splits_of(cv: Any, n_rows: int, random_state: int | None) -> list[Split]:
    """Training and test rows; DataError where they are too few."""
    from sklearn.model_selection import ShuffleSplit, check_cv

    if isinstance(cv, int | np.integer):
        if cv < 2:
            raise ValueError(f"cv must be at least 2 splits, to tell chance from more; got {cv}")
        least = int(np.ceil(max(LEAST_TRAINING / (1.0 - TEST_SHARE), LEAST_TEST / TEST_SHARE)))
        if n_rows < least:
            raise DataError(
                f"{n_rows} rows are too few to keep some aside and learn from the others: "
                f"at least {least} are needed"
            )
        cv = ShuffleSplit(int(cv), test_size=TEST_SHARE, random_state=random_state)
    splits = list(check_cv(cv).split(np.empty((n_rows, 1))))
    if len(splits) < 2:
        raise ValueError("cv must give at least 2 splits, to tell chance from more; got 1")
    for train, test in splits:
        if len(train) < LEAST_TRAINING or len(test) < LEAST_TEST:
            raise DataError(
                f"a split of the {n_rows} rows has {len(train)} to learn from and {len(test)} to "
                f"judge by; at least {LEAST_TRAINING} and {LEAST_TEST} are needed: give more rows "
                "or fewer splits"
            )
    return splits


def _finite(values: ArrayLike, name: str) -> Array:
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be numbers: {error}") from error
    missing = int(np.sum(~np.isfinite(found)))
    if missing:
        raise DataError(
            f"{name} has {missing} of {found.size} values missing (NaN) or infinite. The base "
            "lines need whole rows: leave out the others"
        )
    return found


class _Watch:
    """Passes on what is being done, and remembers that the observer wanted an end."""

    def __init__(
        self, callback: Callable[[Step], None] | None, n_splits: int, n_contenders: int
    ) -> None:
        self.callback, self.n_splits, self.n_contenders = callback, n_splits, n_contenders
        self.begin, self.stopped = time.perf_counter(), False
        self.name, self.split, self.place = "", 0, 0

    def enter(self, name: str, split: int, place: int) -> None:
        self.name, self.split, self.place = name, split, place
        self.tell(0.0)

    def tell(self, part: float) -> None:
        """part: of the present fit."""
        if self.callback is None:
            return
        done = self.split * self.n_contenders + self.place + part
        share = done / (self.n_splits * self.n_contenders)
        seconds = time.perf_counter() - self.begin
        try:
            self.callback(Step(self.name, self.split + 1, self.n_splits, share, seconds))
        except StopIteration:
            self.stopped = True

    def __call__(self, progress: Progress) -> None:
        """The callback of a model's training."""
        self.tell(progress.share)
        if self.stopped:
            raise StopIteration


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


def _fit(model: Any, rows: Array, outputs: Array | None, watch: _Watch) -> None:
    data = (rows,) if outputs is None else (rows, outputs)
    tells = "callback" in inspect.signature(model.fit).parameters
    model.fit(*data, **({"callback": watch} if tells else {}))


def _judged(model: Any, rows: Array, outputs: Array | None) -> dict[str, float]:
    if outputs is None:
        return densities(model, rows, DRAWS)
    if hasattr(model, "score_samples"):
        density = model.score_samples(rows, outputs)
        mean = model.predict(rows)
    else:
        mean, std = model.predict(rows, return_std=True, noise=True)
        density = gaussian(outputs - mean.reshape(outputs.shape), std.reshape(outputs.shape))
    wrong = np.asarray(mean).reshape(outputs.shape) - outputs
    return {
        "log_likelihood": float(np.mean(density)),
        "rmse": float(np.sqrt(np.mean(wrong**2))),
    }


def densities(model: Any, rows: Float[Array, "M D"], n_samples: int | None) -> dict[str, float]:
    """Means of log p(row), where the model has a density of rows: by draws, and by bounds.

    An exact one is both.
    """
    if hasattr(model, "latent_mean_") and not hasattr(model, "information_"):
        return {}  # a joint density with the row's point
    bounds = float(np.mean(model.score_samples(rows)))
    if "n_samples" not in inspect.signature(model.score_samples).parameters:
        return {"density": bounds, "density_bounds": bounds}
    if n_samples is None:
        return {"density_bounds": bounds}
    drawn = float(np.mean(model.score_samples(rows, n_samples)))
    return {"density": drawn, "density_bounds": bounds}


def gaussian(residuals: Float[Array, "N D"], std: Float[Array, "..."]) -> Float[Array, " N"]:
    """log N(residual; 0, std²) of every row, in nats."""
    terms = np.log(2.0 * np.pi * std**2) + (residuals / std) ** 2
    return np.asarray(-0.5 * np.sum(terms, axis=1))
