"""Compare models of tables with words and counts, and plain baselines, on held-out rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from sklearn.base import BaseEstimator

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
from gplvm_core.comparison.repeated import Contender, splits_of
from gplvm_core.comparison.result import Comparison
from gplvm_core.comparison.table_models import BaseRates, OfTable, shares_of
from gplvm_core.models.estimators.second_stage import ready
from gplvm_core.models.training.watched import Step
from gplvm_core.numerics import Array, BoolArray
from gplvm_core.readers.kinds import TableColumn, kinds_of

# Half of each row is hidden. After a single round, predictions would be based on gaps that are
# filled with means.
ROUNDS = 5
PLAIN = (
    "Base rates describe each column separately. Chained regressions and forests predict every "
    "column from all other columns, and can only fill gaps."
)


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
    found = [
        np.sum(shares_of(column, own) * (1.0 - shares_of(column, own)))
        if column.is_words
        else np.var(own)
        for column, own in zip(columns, rows.T, strict=True)
    ]
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
