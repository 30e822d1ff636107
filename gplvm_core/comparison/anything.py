"""Is anything here? Test whether a row's other values help to predict its hidden values.

Also here: predictions of hidden entries by random forests, as a check on what a map finds.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from scipy.stats import norm
from sklearn.base import BaseEstimator, clone

from gplvm_core.comparison.table_models import BaseRates, OfTable, exposures_of, rate_and_size
from gplvm_core.models import BayesianGPLVM
from gplvm_core.models.training.watched import Step, Watch, trainings
from gplvm_core.numerics import Array, BoolArray
from gplvm_core.readers import DataError
from gplvm_core.readers.cells import cells_of
from gplvm_core.readers.kinds import (
    TableColumn,
    coded_table,
    columns_of,
    kinds_of,
)

SETTINGS = {"n_estimators": 100, "min_samples_leaf": 3, "oob_score": True, "random_state": 0}
OWN = 0.1  # the weight of the base rates in the probabilities of words, which are never 0


def forest_gains(
    columns: Sequence[TableColumn],
    shown: Float[Array, "N C"],
    values: Float[Array, "N C"],
    hidden: Bool[BoolArray, "N C"],
) -> Float[Array, "N C"]:
    """log p of every hidden entry under a forest of the column, minus that under its base rate.

    A forest predicts a column from the shown entries of the others; gaps are filled with medians,
    and further inputs mark them. Numbers, and square roots of counts, have Gaussian errors with the
    variance of the out-of-bag predictions; base rates are Gaussians, or shares of words. In other
    rows and columns, the gain is 0.
    """
    # Imported here, because this import takes long.
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    gains = np.zeros_like(values)
    inputs = [_inputs(column, shown[:, at]) for at, column in enumerate(columns)]
    for at, column in enumerate(columns):
        seen, asked = ~np.isnan(shown[:, at]), hidden[:, at]
        if column.kind == "exposure" or not asked.any() or len(np.unique(shown[seen, at])) < 2:
            continue
        others = np.hstack([each for other, each in enumerate(inputs) if other != at])
        own = values[:, at]
        if column.is_words:
            forest = RandomForestClassifier(**SETTINGS).fit(others[seen], own[seen].astype(int))
            shares = np.array([np.mean(own[seen] == word) for word in forest.classes_])
            found = (1.0 - OWN) * forest.predict_proba(others[asked]) + OWN * shares
            places = np.searchsorted(forest.classes_, own[asked].astype(int))
            gains[asked, at] = np.log(found[np.arange(len(places)), places] / shares[places])
            continue
        own = np.sqrt(own) if column.kind == "count" else own
        regressor = RandomForestRegressor(**SETTINGS).fit(others[seen], own[seen])
        left = np.maximum(np.std(own[seen] - regressor.oob_prediction_), np.finfo(float).tiny)
        base = norm.logpdf(own[asked], own[seen].mean(), own[seen].std())
        gains[asked, at] = norm.logpdf(own[asked], regressor.predict(others[asked]), left) - base
    return gains


def _inputs(column: TableColumn, shown: Float[Array, " N"]) -> Float[Array, "N K"]:
    """A column as inputs of a forest: words as yes/no, gaps as the median and a mark."""
    missing = np.isnan(shown)
    if column.is_words:
        return np.asarray(shown[:, None] == np.arange(len(column.words)), dtype=float)
    filled = np.where(missing, np.median(shown[~missing]) if not missing.all() else 0.0, shown)
    return np.column_stack([filled, missing])


HIDDEN = 0.15  # the fraction of observed entries that are hidden
LEAST_HIDDEN, LEAST_ROWS = 20, 20
ERRORS = 2.0  # a gain must exceed this number of standard errors


@dataclass(frozen=True)
class Evidence:
    """Whether a model predicts hidden entries better than the base rate of each column.

    gain: the mean log probability of a hidden entry under the model, minus its log probability
    under the base rates, in nats; NaN if the test was stopped early. error: the standard error of
    the gain, from the scatter of the rows. shuffled: the gain of each shuffled copy that was
    tested. forest: the same for random forests; None: not tested. words: the answer as a sentence.
    answer: the same sentence with numbers.
    """

    gain: float
    error: float
    shuffled: tuple[float, ...]
    forest: "Evidence | None" = None

    @property
    def complete(self) -> bool:
        """Whether the table and at least one shuffled copy were tested."""
        return bool(self.shuffled) and np.isfinite(self.gain)

    @property
    def found(self) -> bool:
        """Whether the model or the forests predict better than the base rates."""
        return self.found_by_model or (self.forest is not None and self.forest.found_by_model)

    @property
    def found_by_model(self) -> bool:
        """Whether the model predicts better than the base rates."""
        return self.complete and self.gain - ERRORS * self.error > max(0.0, *self.shuffled)

    @property
    def words(self) -> str:
        if not self.complete:
            return (
                "The test was stopped before the table was compared with a shuffled copy: there is "
                "no answer yet."
            )
        if self.found:
            by_model = self.found_by_model
            times = float(np.exp(self.gain if by_model or not self.forest else self.forest.gain))
            more = f"{times:.1f} times as probable as the base rates do"
            if times < 2.0:
                more = f"{100.0 * (times - 1.0):.0f}\u00a0% more probable than the base rates do"
            if by_model:
                return (
                    "Yes, there is structure here: a model that knows the rest of a row finds "
                    f"hidden values {more}."
                )
            return (
                "Yes, there is structure here, but the model does not find it: random forests that "
                f"know the rest of a row find hidden values {more}, and the model does not."
            )
        if self.forest is None:
            return (
                "No structure was found: the model predicts hidden values no better than the base "
                "rate of each column does."
            )
        return (
            "No structure was found: neither the model nor random forests predict hidden values "
            "better than the base rate of each column does."
        )

    @property
    def numbers(self) -> str:
        """The gain of the table and of the shuffled copies; empty without a gain."""
        if np.isnan(self.gain):
            return ""
        table = f"{self.gain:.3f} ± {self.error:.3f} nats per value"
        if not self.shuffled:
            return table
        table += f"; {max(self.shuffled):.3f} with shuffled columns"
        return table if self.forest is None else f"{table}; random forests: {self.forest.numbers}"

    @property
    def answer(self) -> str:
        return f"{self.words} ({self.numbers})" if self.numbers else self.words


def is_anything_here(
    Y: Any,
    kinds: Any = "auto",
    *,
    model: BaseEstimator | None = None,
    n_shuffles: int = 2,
    random_state: int = 0,
    callback: Callable[[Step], None] | None = None,
) -> Evidence:
    """Test whether a model predicts hidden entries better than the columns' base rates.

    A base rate is a Gaussian for numbers, the frequencies of words, and a negative binomial for
    counts. The test is repeated on copies of the table whose columns are shuffled separately. Such
    copies have the same base rates and no relations between columns. A model that gains as much on
    the copies as on the table itself has found nothing. Random forests, one for each column, are
    tested on the same hidden entries and in the same way. The answer is "no structure" only if
    neither the model nor the forests find any. In tables with an exposure, the base rates of counts
    are multiplied by the exposure, counts in the copies are drawn from these base rates, and
    forests are not tested.

    Parameters
    ----------
    Y : array_like or DataFrame of shape (N, D)
        The table; NaN or None marks missing values.
    kinds : "auto", list or dict, default "auto"
        The kinds of the columns, as for `BayesianGPLVM`.
    model : BayesianGPLVM or BayesianPCA, optional
        The model that is copied and trained. Default: a BayesianGPLVM with six latent dimensions
        and 40 inducing inputs. If all its dimensions switch off, it also tries two dimensions and a
        linear kernel.
    n_shuffles : int, default 2
        The number of shuffled copies.
    random_state : int, default 0
        The seed of hidden entries, shuffles and models.
    callback : callable, optional
        Called with a `Step` before and during every training. If it raises StopIteration, the test
        ends with the parts that are finished.

    Returns
    -------
    Evidence
        The gain over the base rates in nats, and an answer in words.

    Raises
    ------
    DataError
        If the table has fewer than 20 rows, or too few values.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import BayesianPCA, is_anything_here
    >>> rng = np.random.default_rng(0)
    >>> Y = np.outer(rng.standard_normal(60), [1.0, -2.0, 0.5, 1.0])
    >>> Y += 0.1 * rng.standard_normal((60, 4))
    >>> is_anything_here(Y, model=BayesianPCA(1, max_iter=30), n_shuffles=1).found
    True
    """
    columns, _ = columns_of(cells_of(Y), kinds)
    values = coded_table(columns, Y)
    asked = values[:, [column.kind != "exposure" for column in columns]]
    n_hidden = HIDDEN * np.sum(~np.isnan(asked))
    if len(values) < LEAST_ROWS or n_hidden < LEAST_HIDDEN or asked.shape[1] < 2:
        raise DataError(
            f"the table has {asked.shape[0]} rows and {asked.shape[1]} columns; the test needs at "
            f"least {LEAST_ROWS} rows, 2 columns and {LEAST_HIDDEN / HIDDEN:.0f} values"
        )
    if n_shuffles < 1:
        raise ValueError(f"n_shuffles must be at least 1; got {n_shuffles}")
    if model is None:
        size = min(6, values.shape[1])
        model = BayesianGPLVM(size, min(40, len(values)), max_iter=100, scaling="columns")
    generator = np.random.default_rng(random_state)

    def train(_: int, copy: int, watch: Watch) -> tuple[OfTable, Array, BoolArray]:
        table = _unrelated(columns, values, generator) if copy else values
        hidden = _hidden(table, columns, generator)
        fresh: Any = clone(model).set_params(kinds=kinds_of(columns), random_state=0)
        # A column that the map does not explain is a valid result here, not a problem.
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            shown = np.where(hidden, np.nan, table)
            return OfTable(fresh, columns).fit(shown, watch), table, hidden

    names = ("The table itself", *(f"Shuffled copy {copy + 1}" for copy in range(n_shuffles)))
    by_model, by_forests = list[tuple[float, float]](), list[tuple[float, float]]()
    for *_, (fitted, table, hidden) in trainings([names], train, callback):
        shown = np.where(hidden, np.nan, table)
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            predicted = fitted.log_probabilities(shown, table)
        gains = predicted - BaseRates(columns).fit(shown).log_probabilities(table)
        by_model.append(_mean_and_error(np.where(hidden, gains, 0.0), hidden))
        by_forests.append(_mean_and_error(forest_gains(columns, shown, table, hidden), hidden))
    found = _evidence(by_model)
    if any(column.kind == "exposure" for column in columns) or not by_model:
        return found
    return replace(found, forest=_evidence(by_forests))


def _evidence(found: Sequence[tuple[float, float]]) -> Evidence:
    """found: the gain and its standard error for the table itself, then for the shuffled copies."""
    gain, error = found[0] if found else (np.nan, np.nan)
    return Evidence(gain, error, tuple(each for each, _ in found[1:]))


def _mean_and_error(
    gains: Float[Array, "N C"], hidden: Bool[BoolArray, "N C"]
) -> tuple[float, float]:
    """The mean gain of a hidden entry, and its standard error from the scatter of the rows."""
    count = hidden.sum()
    mean = float(gains.sum() / count)
    by_row = np.sum(gains - mean * hidden, axis=1)
    return mean, float(np.sqrt(np.sum(by_row**2)) / count)


def _hidden(
    values: Float[Array, "N C"], columns: Sequence[TableColumn], generator: np.random.Generator
) -> Bool[BoolArray, "N C"]:
    """Choose entries to hide; every row has a visible entry, and every word is visible in a row."""
    observed = ~np.isnan(values)
    hidden = observed & (generator.random(values.shape) < HIDDEN)
    for at, column in enumerate(columns):
        if column.kind == "exposure":
            hidden[:, at] = False
        for word in range(len(column.words)):
            rows = np.flatnonzero(values[:, at] == word)
            if hidden[rows, at].all():
                hidden[rows[0], at] = False
    known = np.array([column.kind == "exposure" for column in columns])
    hidden[(hidden == observed)[:, ~known].all(axis=1)] = False
    return hidden


def _unrelated(
    columns: Sequence[TableColumn], values: Float[Array, "N C"], generator: np.random.Generator
) -> Float[Array, "N C"]:
    """Copy a table and shuffle its columns; with exposures, counts are drawn from base rates."""
    kinds, exposures = [column.kind for column in columns], exposures_of(columns, values)
    copy = generator.permuted(values, axis=0)
    for at, kind in enumerate(kinds):
        own = values[:, at]
        if kind == "exposure":
            copy[:, at] = own
        elif kind == "count" and "exposure" in kinds:
            seen = ~np.isnan(own)
            rate, size = rate_and_size(own[seen], exposures[seen])
            drawn = generator.negative_binomial(size, size / (size + rate * exposures))
            copy[:, at] = np.where(seen, drawn, np.nan)
    return copy
