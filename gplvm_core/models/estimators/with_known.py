"""Maps that leave out known factors: their columns, and the same map at a value of the factors."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any, TypeVar, cast

import narwhals as nw
import numpy as np
from jaxtyping import Float
from sklearn.utils.validation import check_is_fitted

from gplvm_core.beliefs import Belief
from gplvm_core.models.data.known import TakenOut, apart, linear_part
from gplvm_core.numerics import Array, IntArray
from gplvm_core.prediction import Posterior, predict
from gplvm_core.prediction.added import at_optimum, statistics_of
from gplvm_core.prediction.factors import AskedFactors, at_level, at_unseen
from gplvm_core.readers import DataError, Dataset, RowFiles
from gplvm_core.readers.errors import listed, plural
from gplvm_core.readers.frames import frame_of

# The most and the fewest rows over which outputs are averaged, and outputs in memory at a time.
MOST_POINTS, FEWEST_POINTS = 1000, 100
MOST_NUMBERS = 20_000_000
# Questions whose answers have the rows on the second axis.
ROWS_SECOND = ("sample_completions", "column_quantiles")
# Residuals below this fraction of a column's largest value are rounding errors.
ROUNDING = 1e-9
TOGETHER = (
    "known factors and known errors of cells cannot be combined: leave one of them out. A map at "
    "one value of the factors, given(value), takes errors of new rows"
)
Question = TypeVar("Question", bound=Callable[..., Any])


def take_known(model: Any, Y: Any, known: Any, errors: Any = None) -> Any:
    """Set `known_` of a model before training; return the table without the factors' columns.

    Raises ValueError for settings that do not go with known factors.
    """
    chosen = columns_of(model)
    model.known_ = model.given_ = None
    if not chosen and known is None:
        return Y
    if chosen and known is not None:
        raise ValueError("known factors are columns (without=…) or given beside them (known=…)")
    if errors is not None:
        raise ValueError(TOGETHER)
    if isinstance(Y, RowFiles):
        raise ValueError("rows of files have no known factors: load the table, or fewer rows of it")
    if model.kernel != "rbf":
        raise ValueError(f'a map without known factors needs kernel="rbf"; got {model.kernel!r}')
    if model.capabilities.layers:
        raise ValueError("deep models have no known factors: use a model of one layer")
    if getattr(model, "encoder", None) is not None:
        raise ValueError("known factors cannot be combined with an encoder: leave encoder out")
    if chosen:
        Y, known = apart(Y, chosen)
    model.known_ = TakenOut.learnt(known, chosen)
    return Y


def without_linear_part(
    model: Any, outputs: Float[Array, "N D"], measured: Any = True
) -> tuple[Float[Array, "N D"], tuple[Array, Array] | None]:
    """The outputs without their linear part in the known factors, and this part.

    The part's level and slopes are 0 for outputs that are not `measured`. None without factors.
    """
    if model.known_ is None:
        return outputs, None
    points = model.known_.points
    if len(points) != len(outputs):
        raise DataError(
            f"the known factors have {plural(len(points), 'row')}, but the table has "
            f"{len(outputs):,}"
        )
    level, slopes = linear_part(outputs, points)
    level, slopes = level * measured, slopes * measured
    left = outputs - level - points @ slopes
    # What is only rounding is nothing: a column that is constant, or that repeats the factors.
    least = ROUNDING * np.nanmax(np.abs(outputs), axis=0)
    return np.where(np.abs(left) <= least, 0.0, left), (level, slopes)


def with_linear_part(posterior: Posterior, part: tuple[Array, Array] | None) -> Posterior:
    """The layer whose outputs have this part again: a mean that is linear in the factors."""
    if part is None:
        return posterior
    level, slopes = part
    still = np.zeros((posterior.n_latent - len(slopes), posterior.n_outputs))
    slope = np.vstack([still, slopes / posterior.scale])
    return replace(posterior, center=posterior.center + level, slope=slope)


def apart_from_known(model: Any) -> bool:
    """Whether no known factor was taken out, so that rows can be held out to test the map."""
    return getattr(model, "known_", None) is None and getattr(model, "given_", None) is None


def check_one_map(model: Any, question: str) -> None:
    """Raise DataError if the answer depends on known factors that are not given."""
    known: TakenOut | None = getattr(model, "known_", None)
    if known is not None:
        raise DataError(
            f"{question} depends on the known factors ({', '.join(known.names)}): ask the map at a "
            f"value, as in model.given({known.as_code()}).{question}(…)"
        )


def check_apart(model: Any, question: str) -> None:
    """Raise DataError if known factors were taken out of the map, also at one of their values."""
    if not apart_from_known(model):
        raise DataError(
            f"{question} is not possible: known factors were taken out of this map, so that rows "
            "cannot be held out from it"
        )


def columns_of(model: Any) -> tuple[str | int, ...]:
    """The columns that a model takes out."""
    own = getattr(model, "without", None)
    if own is None:
        return ()
    several = own if isinstance(own, Sequence) and not isinstance(own, str) else (own,)
    found = tuple(int(each) if isinstance(each, np.integer) else each for each in several)
    for each in found:
        if isinstance(each, bool) or not isinstance(each, str | int):
            raise ValueError(f"without must be names or numbers of columns; got {each!r}")
    return found


def taken_apart(model: Any, Y: Any) -> tuple[Any, Array | None]:
    """New rows without the columns of known factors, and these factors; warns of unknown ones.

    None if the rows have no such columns by the model's settings, or if their factors are given.
    """
    known = getattr(model, "known_", None)
    if known is None or model.given_ is not None:
        return Y, None
    if not known.chosen:
        known.warn_unknown(np.full((1, 1), np.nan))
        return Y, None
    frame = frame_of(Y)
    if frame is None:
        absent = np.shape(Y)[1:] == (model.n_features_in_,)
    else:
        absent = not set(frame.columns) & set(known.names)
    if absent:
        points = np.full((np.shape(Y)[0], known.points.shape[1]), np.nan)
    else:
        Y, factors = apart(Y, known.chosen)
        points = known.encoded(factors)
    known.warn_unknown(points)
    return Y, points


def groups_of(model: Any, points: Array) -> list[tuple[Any, IntArray]]:
    """The models that answer about rows with these factors, and the numbers of their rows.

    Rows with values that training lacked are a group of their own.
    """
    new = np.isinf(points).any(axis=1)
    known = not new.all() or not len(points)
    groups = [(_bound(model, points[~new]), np.flatnonzero(~new))] if known else []
    return [*groups, (model.unseen(), np.flatnonzero(new))] if new.any() else groups


def _some(table: Any, rows: IntArray) -> Any:
    """Some rows of a table."""
    frame = frame_of(table)
    return np.asarray(table)[rows] if frame is None else frame[rows.tolist()].to_native()


def for_rows(model: Any, rows: Any) -> Any:
    """The model for some of the rows to which it is bound; rows: a slice or an index."""
    if getattr(model, "known_", None) is None or model.given_ is None:
        return model
    own = copy.copy(model)
    own.given_ = model.given_[rows]
    return own


def for_training(model: Any, rows: IntArray, dataset: Dataset) -> Any:
    """The model for some of its training rows, which have their own known factors.

    The layer of a table without a density, of words and counts or of known factors, has not seen
    these rows, so that they are compared as new ones; only places of other rows, kernel, noise and
    inducing inputs have. dataset: all training rows.
    """
    whole = getattr(model, "_of_all_values", model)
    known: TakenOut | None = getattr(whole, "known_", None)
    own = copy.copy(whole) if known is None else _bound(whole, known.points[rows])
    if not can_hold_out(model, dataset):
        return own
    posterior, belief = own.posterior_, own._belief
    table = getattr(own, "columns_", None)
    values = dataset.values if table is None else table.recoded(dataset.columns, dataset.values)
    outputs = posterior.to_internal(values)
    if known is not None:
        if posterior.slope is not None:
            outputs = outputs - known.points @ posterior.slope[belief.n_latent :]
        belief = belief.beside(Belief(known.points, np.zeros_like(known.points)))
    kept = np.setdiff1d(np.arange(len(outputs)), rows)
    others = statistics_of(posterior, outputs[kept], belief.rows(kept))
    own.posterior_ = at_optimum(posterior, others)[0]
    return own


def can_hold_out(model: Any, dataset: Dataset) -> bool:
    """Whether `for_training` holds rows out: for one table, with all training rows in memory."""
    if getattr(model, "posteriors_", None) is not None:
        return False
    without_density = not apart_from_known(model) or model.posterior_.links is not None
    return without_density and dataset.n_points == model._belief.n_points


def can_ask_training(model: Any) -> bool:
    """Whether the training rows are at values of known factors that the model has.

    They are not for the map of a value that training lacked, and for a map at one value that was
    stored without the others.
    """
    own = getattr(model, "given_", None) is None or getattr(model, "known_", None) is not None
    return own or hasattr(model, "_of_all_values")


def of_rows(question: Question) -> Question:
    """Wrap a question about rows Y whose columns may hold the known factors."""

    @wraps(question)
    def asked(model: Any, Y: Any, *args: Any, **options: Any) -> Any:
        if options.get("errors") is not None and getattr(model, "known_", None) is not None:
            raise ValueError(TOGETHER)
        Y, points = taken_apart(model, Y)
        if points is None:
            return question(model, Y, *args, **options)
        groups = groups_of(model, points)
        if len(groups) == 1:
            return question(groups[0][0], Y, *args, **options)
        if options.get("times") is not None:
            raise DataError(
                "some rows of the sequence have known factors that were not in training: ask "
                "model.unseen() about all rows without these columns"
            )
        answers = [question(own, _some(Y, rows), *args, **options) for own, rows in groups]
        order = np.argsort(np.concatenate([rows for _, rows in groups]))
        return _joined(answers, order, int(question.__name__ in ROWS_SECOND))

    return cast(Question, asked)


def _joined(answers: Sequence[Any], order: IntArray, axis: int) -> Any:
    """Answers about all rows from those about groups of rows; axis: that of the rows."""
    if isinstance(answers[0], tuple):
        return tuple(_joined(each, order, axis) for each in zip(*answers, strict=True))
    frames: list[Any] = [frame_of(each) for each in answers]
    if frames[0] is not None:
        return nw.concat(frames)[order.tolist()].to_native()
    if np.ndim(answers[0]) > 1 and not axis:  # a row may have fewer explanations
        most = max(each.shape[1] for each in answers)
        blank = 0.0 if np.ndim(answers[0]) == 2 else np.nan
        answers = [_padded(each, most, blank) for each in answers]
    return np.take(np.concatenate(answers, axis=axis), order, axis=axis)


def _padded(values: Array, most: int, blank: float) -> Array:
    """Values with at least this many entries on the second axis."""
    short = most - values.shape[1]
    if not short:
        return values
    more = [(0, 0), (0, short), *[(0, 0)] * (values.ndim - 2)]
    return np.pad(values, more, constant_values=blank)


def _bound(model: Any, points: Array) -> Any:
    """A copy of the model that answers about rows with these known factors."""
    own = copy.copy(model)
    own.given_ = points
    return own


def factors_of(model: Any) -> AskedFactors | None:
    """The levels of the known factors and the values of the rows asked about; None without any."""
    known: TakenOut | None = getattr(model, "known_", None)
    return None if known is None else AskedFactors(known.levels, known.weights, model.given_)


def fit_transform(self: Any, X: Any, y: Any = None, **options: Any) -> Any:
    """Train the model, and infer the latent points of the same rows as `transform` does.

    Parameters
    ----------
    X : array_like of shape (N, D), or dict of them
        Outputs, or views by name; NaN marks missing values.
    y : ignored
        Not used; scikit-learn expects this argument.
    options
        Further arguments of `fit`; known errors and known factors apply to both steps.

    Returns
    -------
    ndarray of shape (N, Q)
        The posterior means.
    """
    fitted: Any = self.fit(X, y, **options)
    known = options.get("known")
    asked = {name: own for name, own in options.items() if name == "errors"}
    return (fitted if known is None else fitted.given(known)).transform(X, **asked)


def given(self: Any, *values: Any, **named: Any) -> Any:
    """Return the same map at known factors that were taken out.

    With one value for each factor, the result is an ordinary map of the same rows: its outputs,
    pictures, densities of rows and draws are those at this value. With a column of values, it
    answers about new rows with these values.

    Parameters
    ----------
    values : str, number, or array_like of shape (n,) or (n, C)
        The value of the factor, or its values in n rows; None is unknown.
    named : str or number
        The values by the factors' names.

    Returns
    -------
    estimator
        A copy; the model itself does not change.

    Raises
    ------
    DataError
        If the model has no known factors, or if a value is not one of the training rows.
    """
    known = _taken_out(self)
    if bool(values) == bool(named) or len(values) > 1:
        raise DataError("give one value, one column of values, or the values by name")
    points = known.encoded(named or values[0])
    several = any(np.ndim(each) > 0 for each in (*values, *named.values()))
    odd = np.isinf(points) if several else ~np.isfinite(points)
    if odd.any():
        rows = np.flatnonzero(odd.any(axis=1))
        what = f"the value in row {rows[0]} (counted from 0)"
        raise DataError(
            f"{what if several else repr(named or values[0])} is not a value of the known factors "
            f"in the training rows ({listed(known.in_words)}). `unseen()` is the map for other "
            "values"
        )
    if several:
        known.warn_unknown(points)
        return _bound(self, points)
    return at_value(self, points[0])


def unseen(self: Any) -> Any:
    """Return the same map for a value of the known factors that was not in training.

    Its outputs are the average over the values in training, all alike, and the scatter between
    these values is part of the noise of columns of numbers: with few values, intervals are wide.
    New rows are placed by all that this noise leaves certain. Words and counts have the average
    only.

    Returns
    -------
    estimator
        A copy; the model itself does not change.

    Raises
    ------
    DataError
        If the model has no known factors, or if all of them are numbers.
    """
    known, points = _taken_out(self), _points_of(self)
    if not known.fewest:
        raise DataError(
            f"{', '.join(known.names)}: every number is a value of a known factor of numbers, so "
            "none is unseen; rows without a value are averaged"
        )
    return _ordinary(self, lambda own: at_unseen(own, known.levels, known.fewest, points))


def at_value(model: Any, level: Array) -> Any:
    """The same map at one value of its known factors, given as inputs of the layers."""
    own = _ordinary(model, lambda posterior: at_level(posterior, level))
    own._of_all_values = model
    return own


def _ordinary(model: Any, fixed: Callable[[Posterior], Posterior]) -> Any:
    """A copy of the model whose layers have only the latent point as their input."""
    own = copy.copy(model)
    own.known_, own.given_ = None, np.empty((0, 0))  # it can never be fitted to its rows
    if hasattr(own, "posteriors_"):
        own.posteriors_ = {name: fixed(each) for name, each in own.posteriors_.items()}
    else:
        own.posterior_, own.without = fixed(own.posterior_), None
    return own


def variance_shares(self: Any) -> dict[str, Float[Array, " D"]]:
    """Return how much of each column's variance belongs to the map, to the known factors, to both.

    The mean of the outputs is taken apart into the average over the factors, the average over the
    training rows' points, and the rest (analysis of variance, with points and factors independent
    of each other, as frequent as in the training rows). Where a factor occurs only in one part of
    the map, the shares are those of the model's continuation to the other parts.

    Returns
    -------
    dict of str to ndarray of shape (D,)
        "map", "factors", "both" (what depends on both together) and "noise"; they sum to 1. NaN
        for columns of words and counts.

    Raises
    ------
    DataError
        If no known factor was taken out.
    """
    known = _taken_out(self)
    posterior, points = self.posterior_, _points_of(self)
    each = np.stack(
        [
            predict(posterior, np.hstack([points, np.tile(level, (len(points), 1))]))[0]
            for level in known.levels
        ]
    )
    weights = known.weights
    by_point, by_level = np.tensordot(weights, each, axes=1), each.mean(axis=1)
    parts = {"map": by_point.var(axis=0), "factors": _variance(by_level, weights)}
    whole = _variance(each, weights).mean(axis=0) + parts["map"]
    parts["both"] = np.maximum(whole - parts["map"] - parts["factors"], 0.0)
    parts["noise"] = posterior.noise
    if posterior.links is not None:
        parts["noise"] = np.where(posterior.links.measured, posterior.noise, np.nan)
    total = sum(parts.values())
    return {name: own / total for name, own in parts.items()}


def _points_of(model: Any) -> Float[Array, "n Q"]:
    """The places of some rows: so few that their outputs at all levels fit into memory."""
    layers = getattr(model, "posteriors_", None) or {"": model.posterior_}
    width = max(each.n_outputs for each in layers.values())
    count = MOST_NUMBERS // (width * len(model.known_.levels))
    few = min(max(count, FEWEST_POINTS), MOST_POINTS)
    return np.asarray(model._belief.thinned(few).mean)


def _variance(values: Array, weights: Float[Array, " L"]) -> Array:
    """The variance over levels with these weights."""
    mean = np.tensordot(weights, values, axes=1)
    return np.asarray(np.tensordot(weights, (values - mean) ** 2, axes=1))


def _taken_out(model: Any) -> TakenOut:
    """The known factors that a fitted map leaves out; DataError if there are none."""
    check_is_fitted(model)
    known: TakenOut | None = model.known_
    if known is None:
        raise DataError("no known factor was taken out of this map: fit it with without= or known=")
    return known
