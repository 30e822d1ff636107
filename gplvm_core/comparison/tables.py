"""Compare models of tables with words and counts, and plain baselines, on held-out rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from jaxtyping import Bool, Float
from sklearn.base import BaseEstimator

from gplvm_core.comparison.anything import exposures_of, log_base_rates
from gplvm_core.comparison.chained import ChainedModels
from gplvm_core.comparison.kept_aside import (
    BASE_RATES,
    CHAINED,
    DRAWN,
    FACTORS,
    FOREST,
    HeldRows,
    difference,
    on_new_rows,
)
from gplvm_core.comparison.poisson_factors import PoissonFactors
from gplvm_core.comparison.repeated import Contender, fit_map, splits_of
from gplvm_core.comparison.result import Comparison
from gplvm_core.models.estimators.second_stage import ready
from gplvm_core.models.training.watched import Step
from gplvm_core.numerics import Array, BoolArray
from gplvm_core.readers.kinds import TableColumn, coded_table, in_own_values, kinds_of

# Half of each row is hidden. After a single round, predictions would be based on gaps that are
# filled with means.
ROUNDS = 5
PLAIN = (
    "Base rates describe each column separately. Chained regressions and forests predict every "
    "column from all other columns, and can only fill gaps."
)


class OfTable(BaseEstimator):
    """A model of a table whose rows are numbers; a word is its index among the column's words."""

    def __init__(self, model: Any, columns: Sequence[TableColumn]) -> None:
        self.model = model
        self.columns = columns

    def fit(self, Y: Float[Array, "N C"], callback: Any = None) -> Self:
        fit_map(self.model, self._table(Y), callback=callback)
        return self

    def score_samples(self, Y: Float[Array, "N C"]) -> Float[Array, " N"]:
        return np.asarray(self.model.score_samples(self._table(Y)))

    def sample(self, X: int, random_state: int | None = None) -> Float[Array, "N C"]:
        return coded_table(self.columns, self.model.sample(X, random_state=random_state))

    def expected(self, Y: Float[Array, "N C"]) -> list[Array]:
        """For each column, means (N,) of numbers and counts, or probabilities of words (N × W)."""
        table = self._table(Y)
        if hasattr(self.model, "expected"):
            return self._ordered(self.model.expected(table), self.model.columns_)
        found = self.model.fitted_.expected(self.model._rows(table))
        trained = self.model.columns_.columns
        each = []
        for at, own in enumerate(trained):
            if own.kind == "exposure":
                each.append(Y[:, at])
            else:
                each.append(found.classes(at) if own.is_words else found.moments(at)[0])
        return self._ordered(each, trained)

    def _ordered(self, found: list[Array], trained: Sequence[TableColumn]) -> list[Array]:
        """Sort the probabilities of words by the order of the words in `columns`."""
        ordered = []
        for values, own, column in zip(found, trained, self.columns, strict=True):
            if column.is_words:
                whole = np.zeros((len(values), len(column.words)))
                whole[:, [column.words.index(word) for word in own.words]] = values
                values = whole
            ordered.append(values)
        return ordered

    def _table(self, values: Float[Array, "N C"]) -> Any:
        return in_own_values(self.columns, values)


class BaseRates(BaseEstimator):
    """A model of independent columns.

    Each column is a Gaussian, the frequencies of words, or a negative binomial.
    """

    def __init__(self, columns: Sequence[TableColumn]) -> None:
        self.columns = columns

    def fit(self, Y: Float[Array, "N C"]) -> Self:
        self.rows_ = np.asarray(Y, dtype=float)
        return self

    def score_samples(self, Y: Float[Array, "N C"]) -> Float[Array, " N"]:
        rates = exposures_of(self.columns, self.rows_), exposures_of(self.columns, Y)
        return np.sum(
            [
                log_base_rates(column, seen, asked, *rates)
                for column, seen, asked in zip(self.columns, self.rows_.T, Y.T, strict=True)
            ],
            axis=0,
        )

    def sample(self, X: int, random_state: int | None = None) -> Float[Array, "N C"]:
        """Draw every column independently from the training rows."""
        generator = np.random.default_rng(random_state)
        return np.column_stack([generator.choice(own, X) for own in self.rows_.T])

    def expected(self, Y: Float[Array, "N C"]) -> list[Array]:
        found = []
        trained, own = exposures_of(self.columns, self.rows_), exposures_of(self.columns, Y)
        for column, seen in zip(self.columns, self.rows_.T, strict=True):
            if column.kind == "count":
                found.append(seen.sum() / trained.sum() * own)
            elif column.is_words:
                shares = np.bincount(seen.astype(int), minlength=len(column.words)) / len(seen)
                found.append(np.tile(shares, (len(Y), 1)))
            else:
                found.append(np.full(len(Y), seen.mean()))
        return found


def compare_tables_kept_aside(
    models: Mapping[str, BaseEstimator],
    columns: Sequence[TableColumn],
    Y: Float[Array, "N C"],
    *,
    cv: Any = 4,
    random_state: int = 0,
    callback: Callable[[Step], None] | None = None,
) -> Comparison:
    """Compare models on held-out rows of tables with words and counts; see `compare_kept_aside`.

    models: models with `kinds`, such as `BayesianGPLVM(kinds=…)`. columns, Y: complete rows, in
    which a word is its index (`Dataset.columns`, `Dataset.values`). The baselines are base rates,
    chained regressions and chained forests; tables of only counts are also compared with Poisson
    factors. The error of hidden words is their Brier score divided by the Brier score of the
    column's base rate. Exposures are never hidden, because they multiply the base rates of counts.
    For tables with exposures, drawn rows are not compared. Raises DataError for rows with gaps;
    other errors: see `compare`.
    """
    asked = np.array([column.kind != "exposure" for column in columns])
    values, kinds = np.asarray(Y, dtype=float), kinds_of(columns)
    contenders = [
        Contender(name, OfTable(ready(model).set_params(kinds=kinds), columns))
        for name, model in models.items()
    ] + [
        Contender(BASE_RATES, BaseRates(columns)),
        Contender(CHAINED, OfTable(ChainedModels(kinds, rounds=ROUNDS), columns)),
        Contender(FOREST, OfTable(ChainedModels(kinds, "forest", ROUNDS, 0), columns)),
    ]
    if all(column.kind == "count" for column in columns):
        contenders.append(Contender(FACTORS, PoissonFactors(random_state=0)))

    def measures(model: Any, on: HeldRows) -> dict[str, float]:
        test, spread = values[on.test], _spreads(columns, values[on.train])
        expected = model.expected(np.where(on.hidden, np.nan, test))
        if isinstance(model, PoissonFactors):
            expected = list(expected.T)
        found = {"missing": _error(columns, expected, test, on.hidden, spread)}
        inner = getattr(model, "model", model)
        if hasattr(inner, "score_samples"):
            found["density"] = float(np.mean(model.score_samples(test)))
        if hasattr(inner, "sample") and asked.all():
            drawn = _in_units(columns, model.sample(DRAWN, random_state=on.seed), spread)
            found["drawn"] = difference(drawn, _in_units(columns, test, spread))
        return found

    found = on_new_rows(
        contenders,
        values,
        asked,
        measures,
        splits=splits_of(cv, len(values), random_state),
        random_state=random_state,
        callback=callback,
    )
    return replace(found, notes=(*found.notes, PLAIN))


def _spreads(columns: Sequence[TableColumn], rows: Float[Array, "N C"]) -> Float[Array, " C"]:
    """The variance of each column; for words, it is Σ b (1 − b) with the words' frequencies b."""
    found = np.empty(len(columns))
    for at, (column, own) in enumerate(zip(columns, rows.T, strict=True)):
        if column.is_words:
            shares = np.bincount(own.astype(int), minlength=len(column.words)) / len(own)
            found[at] = np.sum(shares * (1.0 - shares))
        else:
            found[at] = np.var(own)
    return np.maximum(found, np.finfo(float).tiny)


def _error(
    columns: Sequence[TableColumn],
    expected: list[Array],
    rows: Float[Array, "M C"],
    hidden: Bool[BoolArray, "M C"],
    spread: Float[Array, " C"],
) -> float:
    """The root mean square error of hidden values, in units of their columns' spreads."""
    total = 0.0
    for at, (column, found) in enumerate(zip(columns, expected, strict=True)):
        own, truth = hidden[:, at], rows[:, at]
        if column.is_words:
            same = truth[:, None] == np.arange(len(column.words))
            squares = np.sum((found - same) ** 2, axis=1)
        else:
            squares = (found - truth) ** 2
        total += float(np.sum(squares[own])) / spread[at]
    return float(np.sqrt(total / hidden.sum()))


def _in_units(
    columns: Sequence[TableColumn], rows: Float[Array, "N C"], spread: Float[Array, " C"]
) -> Float[Array, "N W"]:
    """Convert rows to numbers, scaled so that every column has the same weight."""
    parts = []
    for at, column in enumerate(columns):
        own = rows[:, at : at + 1]
        part = own == np.arange(len(column.words)) if column.is_words else own
        parts.append(part / np.sqrt(spread[at]))
    return np.hstack(parts)
