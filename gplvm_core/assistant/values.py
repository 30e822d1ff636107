"""Values with intervals of a given probability: of gaps in rows, and at points of a map."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.stats import norm

from gplvm_core.assistant.schema import Value, number
from gplvm_core.assistant.shelf import Opened
from gplvm_core.new_rows import Answers
from gplvm_core.new_rows.places import rows_for
from gplvm_core.numerics import Array
from gplvm_core.readers.kinds import FRACTION, TableColumn

MOST_VALUES = 20_000  # of an answer
MOST_WORDS = 5  # of which probabilities are shown
NO_INTERVALS = "Words and counts of models with several views have no intervals here."


def check_size(rows: int, columns: int) -> None:
    """Raise ValueError if an answer would be too long."""
    if rows * columns > MOST_VALUES:
        raise ValueError(
            f"The answer would have {rows * columns:,} values; one call returns up to "
            f"{MOST_VALUES:,}. Ask about fewer rows or neighbours, or name the columns that matter."
        )


def gaps_of(
    opened: Opened,
    model: Any,
    rows: Float[Array, "n D"],
    found: Answers,
    *,
    probability: float,
    asked: Sequence[int],
) -> tuple[list[list[Value]], list[str]]:
    """Return the values of each row's gaps in the asked columns, and notes on values without an
    interval.
    """
    wide, missing = norm.ppf(0.5 + probability / 2), np.isnan(rows)
    check_size(1, int(missing[:, asked].sum()))
    columns, views = opened.dataset.all_columns, model.capabilities.views
    values: list[list[Value]] = [[] for _ in rows]
    for d in [d for d in asked if missing[:, d].any()]:
        at, column = np.flatnonzero(missing[:, d]), columns[d]
        mean, std = found.filled[at, d], found.std[at, d]
        low, high = _possible(opened, d, mean - wide * std), _possible(opened, d, mean + wide * std)
        chances = np.full((len(at), len(column.words)), np.nan)
        if column.is_words and not views and len(column.words) > 1:
            given = rows_for(model, opened.dataset, rows[at])
            chances = model.class_probabilities(given, d)
        elif opened.dataset.columns and not views and column.kind == "count":
            ends = 0.5 - probability / 2, 0.5 + probability / 2
            given = rows_for(model, opened.dataset, rows[at])
            low, high = model.column_quantiles(given, d, ends)
        elif not column.is_number:
            low = high = np.full(len(at), np.nan)
        words = model.class_words(d) if np.isfinite(chances).all() and chances.size else ()
        for n, row in enumerate(at):
            values[row].append(
                Value(
                    column=opened.names[d],
                    value=_shown(column, mean[n]),
                    low=number(low[n]),
                    high=number(high[n]),
                    std=number(std[n]),
                    probabilities=_likely(words, chances[n]),
                )
            )
    unsure = views and any(not each.is_number for each in columns)
    return values, [NO_INTERVALS] if unsure else []


def at_points(
    opened: Opened, points: Float[Array, "n Q"], probability: float, asked: Sequence[int]
) -> list[list[Value]]:
    """Return the asked columns of new rows at points of the map, with noise."""
    check_size(len(points), len(asked))
    wide = norm.ppf(0.5 + probability / 2)
    means, deviations = opened.model.inverse_transform(points, noise=True, return_std=True)
    mean, std = _beside(means), _beside(deviations).astype(float)
    columns, plain = opened.dataset.all_columns, not opened.model.capabilities.views
    chances = {
        d: (opened.model.class_words(d), opened.model.class_probabilities_at(points, d))
        for d in asked
        if plain and len(columns[d].words) > 1
    }

    def value(n: int, d: int, column: TableColumn) -> Value:
        numeric = column.is_number
        words, own = chances.get(d, ((), np.zeros((len(points), 0))))
        return Value(
            column=opened.names[d],
            value=str(mean[n, d]) if column.is_words else number(mean[n, d]),
            low=number(_possible(opened, d, mean[n, d] - wide * std[n, d])) if numeric else None,
            high=number(_possible(opened, d, mean[n, d] + wide * std[n, d])) if numeric else None,
            std=number(std[n, d]),
            probabilities=_likely(words, own[n]),
        )

    return [[value(n, d, columns[d]) for d in asked] for n in range(len(points))]


def _possible(opened: Opened, column: int, ends: Any) -> Any:
    """Return ends of intervals; those of a fraction are from 0 to the whole."""
    kind = opened.dataset.all_columns[column]
    wholes = [
        parts.whole
        for parts in opened.model.fitted_.fractions.values()
        if kind.kind == FRACTION and kind.name in parts.names
    ]
    return np.clip(ends, 0.0, wholes[0]) if wholes else ends


def _beside(found: Any) -> Any:
    """Return outputs as one array; those of views are beside each other."""
    if isinstance(found, Mapping):
        return np.hstack([np.asarray(each, dtype=object) for each in found.values()])
    return np.asarray(found)


def _shown(column: TableColumn, value: float) -> float | str | None:
    if column.is_words and not np.isnan(value):
        return str(column.words[int(value)])
    return number(value)


def _likely(words: Iterable[Any], chances: Float[Array, " C"]) -> dict[str, float]:
    """Return the probabilities of the most probable words."""
    pairs = sorted(zip(chances, map(str, words), strict=False), key=lambda each: -each[0])
    return {word: float(f"{chance:.4g}") for chance, word in pairs[:MOST_WORDS]}
