"""Hide values of training rows, and learn from them how to predict a table's missing values.

The rows are predicted by a layer and by column models that have not seen them. Column models follow
the relations of single columns, and the map what all columns have in common. Each column is then
predicted by the weighted mean that predicts its hidden values best, with other weights if a row has
many gaps. The intervals of numbers are widened until they hold 95 % of the hidden values.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.stats import poisson

from gplvm_core.likelihoods import Averages, Beside, ColumnModels, TableColumns
from gplvm_core.likelihoods.column_models import FAR, LEAST_CHANCE, has_many_gaps, is_asked, typical
from gplvm_core.numerics import Array, BoolArray, IntArray
from gplvm_core.prediction.added import at_optimum, statistics_of
from gplvm_core.prediction.candidates import Report, part_of
from gplvm_core.prediction.chained import Family, chain_of
from gplvm_core.prediction.columns import Expected, expected_of
from gplvm_core.prediction.intervals import Asked, Widening
from gplvm_core.prediction.network import DATA, Network
from gplvm_core.prediction.project import explain
from gplvm_core.readers import DataError
from gplvm_core.readers.proposals import CONSTANT
from gplvm_core.readers.spread import spread_rows

MOST_ROWS, LEAST_ROWS = 250, 40
# Rows are held out in up to this many parts, and predicted without these shares of their cells.
PARTS, HIDDEN = 4, (0.2, 0.2, 0.6)
FAMILIES: tuple[Family, ...] = ("linear", "forest")
N_TREES = 50
MOST_TRAINED, MOST_INPUTS = 2000, 60  # rows and inputs of column models
FEWEST_VALUES = 20  # with fewer hidden values of a column, only the map predicts it
STEPS = 10  # shares are multiples of 1 / STEPS


@dataclass(frozen=True, eq=False)
class Tried:
    """Predictions of hidden values of n rows with C columns, by the map and by column models (K).

    truth: NaN where not hidden. found: means of numbers, and the probabilities of true words and
    counts. variance: the map's, of numbers. many: whether a row has many gaps. rows: their numbers.
    """

    truth: Float[Array, "n C"]
    found: Float[Array, "n C K"]
    variance: Float[Array, "n C"]
    many: Bool[BoolArray, " n"]
    rows: Int[IntArray, " n"]

    @classmethod
    def of(
        cls,
        expected: Expected,
        others: Sequence[list[Array]],
        truth: Float[Array, "n C"],
        many: Bool[BoolArray, " n"],
        rows: Int[IntArray, " n"],
    ) -> "Tried":
        """expected, others: what the map, and what column models predict of these rows."""
        found = np.zeros((*truth.shape, 1 + len(others)))
        variance, known = np.zeros(truth.shape), np.nan_to_num(truth)
        for at, column in enumerate(expected.columns.columns):
            each, own = [models[at] for models in others], known[:, at]
            if column.is_number:
                mean, variance[:, at] = expected.moments(at)
                parts = [mean, *each]
            elif column.kind == "count":
                chances = [np.asarray(poisson.pmf(own, mean)) for mean in each]
                parts = [expected.chance(at, own), *chances]
            elif is_asked(column):
                word = np.arange(len(own)), own.astype(int)
                parts = [chance[word] for chance in (expected.classes(at), *each)]
            else:
                continue
            found[:, at] = np.stack(parts, axis=1)
        return cls(truth, found, variance, many, rows)

    @classmethod
    def joined(cls, parts: Sequence["Tried"]) -> "Tried":
        """Join the predictions of several parts of the rows."""
        names = ("truth", "found", "variance", "many", "rows")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def with_hidden_values(
    network: Network,
    columns: TableColumns,
    outputs: Float[Array, "T D"],
    report: Report = lambda share: None,
) -> TableColumns:
    """Return a table's columns with column models beside the map, and with widths of intervals.

    outputs: the training rows, in the user's units. Raises DataError for too few rows.
    """
    if len(outputs) < LEAST_ROWS:
        raise DataError(f"the table has {len(outputs)} rows; at least {LEAST_ROWS} are needed")
    coded, chosen = columns.coded(outputs), spread_rows(len(outputs), MOST_ROWS)
    count = min(PARTS, -(-PARTS * len(chosen) // len(outputs)))
    parts, every = [chosen[at::count] for at in range(count)], np.arange(len(outputs))
    kept = [np.setdiff1d(every, part) for part in parts]
    families = [*FAMILIES] if _can_train(columns, [coded[rows] for rows in kept]) else []
    generator, tried = np.random.default_rng(0), list[Tried]()
    for at, (part, others) in enumerate(zip(parts, kept, strict=True)):
        watch = part_of(report, at, count + 1)
        watch(0.0)
        here = _without(network, outputs, others)
        models = _trained(columns, coded[others], families, watch)
        tried += [_tried(here, columns, models, outputs, part, generator, h) for h in HIDDEN]
    found = Tried.joined(tried)
    if np.isnan(found.truth).all():
        raise DataError("no value could be hidden and predicted")
    shares = np.stack([_shares(columns, found, found.many == many) for many in (False, True)])
    spreads = np.stack([_spreads(columns, found, found.many == many) for many in (False, True)])
    columns = replace(columns, widths=_widths(columns, found, shares, spreads))
    used = np.flatnonzero(shares[..., 1:].any(axis=(0, 1)))
    if not len(used):
        return columns
    beside = _trained(
        columns, coded, [families[at] for at in used], part_of(report, count, count + 1)
    )
    only = [0, *(1 + used)]
    return replace(columns, beside=Beside(tuple(beside), shares[..., only], spreads[..., only]))


def _without(network: Network, outputs: Float[Array, "T D"], kept: Int[IntArray, " n"]) -> Network:
    """Return the network whose layer has seen only some of the training rows."""
    edge, belief = network.ends[DATA], network.beliefs[0]
    internal = edge.posterior.to_internal(outputs)
    seen = statistics_of(edge.posterior, internal[kept], belief.rows(kept))
    return replace(network, edges=(replace(edge, posterior=at_optimum(edge.posterior, seen)[0]),))


def _tried(
    network: Network,
    columns: TableColumns,
    models: Sequence[ColumnModels],
    outputs: Float[Array, "T D"],
    part: Int[IntArray, " n"],
    generator: np.random.Generator,
    share: float,
) -> Tried:
    """Hide a share of the cells of some rows, and predict them; rows without a value are left
    out.
    """
    hidden = generator.random((len(part), len(columns.columns))) < share
    outputs_of = [place.stop - place.start for place in columns.places]
    rows = np.where(np.repeat(hidden, outputs_of, axis=1), np.nan, outputs[part])
    some = ~np.isnan(rows).all(axis=1)
    shown, values = rows[some], columns.coded(rows[some])
    truth = np.where(hidden, columns.coded(outputs[part]), np.nan)[some]
    untested = replace(columns, beside=None, widths=())
    expected = expected_of(network, untested, DATA, explain(network, {DATA: shown}), shown)
    others = [each.expected(values) for each in models]
    return Tried.of(expected, others, truth, has_many_gaps(values), part[some])


def _shares(
    columns: TableColumns, tried: Tried, some: Bool[BoolArray, " n"]
) -> Float[Array, "C K"]:
    """Return the shares with the smallest error of hidden numbers, or the smallest log loss.

    Robust columns have the absolute error: of squares, values far off would be almost the sum.
    """
    count = tried.found.shape[2]
    grid = np.array(
        [each for each in product(range(STEPS + 1), repeat=count) if sum(each) == STEPS]
    )
    found = np.tile(np.eye(count)[0], (len(columns.columns), 1))
    for at, column in enumerate(columns.columns):
        own = some & ~np.isnan(tried.truth[:, at])
        if own.sum() < FEWEST_VALUES or not is_asked(column):
            continue
        averages = tried.found[own, at] @ (grid / STEPS).T
        if column.kind == "robust":
            losses = np.abs(tried.truth[own, at, None] - averages)
        elif column.is_number:
            losses = (tried.truth[own, at, None] - averages) ** 2
        else:
            losses = -np.log(np.maximum(averages, LEAST_CHANCE))
        # Of equal losses, the largest share of the map.
        found[at] = grid[::-1][np.argmin(losses.mean(axis=0)[::-1])] / STEPS
    return found


def _spreads(
    columns: TableColumns, tried: Tried, some: Bool[BoolArray, " n"]
) -> Float[Array, "C K"]:
    """Return the root mean square errors of hidden values, or in robust columns the typical ones; 0
    where none is hidden.
    """
    errors = (tried.truth[..., None] - tried.found)[some]
    hidden = np.sum(~np.isnan(errors), axis=0)
    found = np.sqrt(np.nansum(errors**2, axis=0) / np.maximum(hidden, 1))
    for at, column in enumerate(columns.columns):
        if column.kind == "robust" and hidden[at].all():
            found[at] = typical(errors[:, at])
    return found


def _widths(
    columns: TableColumns,
    tried: Tried,
    shares: Float[Array, "2 C K"],
    spreads: Float[Array, "2 C K"],
) -> tuple[tuple[float, ...], ...]:
    """Return the factors of each column's standard deviations (`TableColumns.widths`)."""
    numbers = [at for at, column in enumerate(columns.columns) if column.is_number]
    widths, away = np.ones((2, len(columns.columns))), np.full_like(tried.truth, np.nan)
    groups = tried.many.astype(int)
    expected = tuple([*means.T] for means in np.moveaxis(tried.found[..., 1:], 2, 0))
    averages = Averages(expected, shares[groups], spreads[groups])
    for at in numbers:
        own = tried.found[:, at, 0], tried.variance[:, at]
        mean, variance = averages.moments(at, own, counts=False)
        error = np.abs(tried.truth[:, at] - mean)
        if columns.columns[at].kind == "robust" and not np.isnan(error).all():
            error[error > FAR * typical(error)] = np.nan  # no interval has to reach such values
        away[:, at] = error / np.sqrt(variance)
    for group in range(2):
        some = away[groups == group][:, numbers]
        if np.isfinite(some).any():
            found = Widening.of(Asked("values"), some, tried.rows[groups == group]).widened
            # The spread of averages was learnt on hidden values; the map's may only be widened.
            least = np.where(shares[group, numbers, 0] < 1.0, 0.0, 1.0)
            widths[group, numbers] = np.maximum(found, least)
    return tuple(tuple(own) for own in widths.tolist())


def _can_train(columns: TableColumns, parts: Sequence[Float[Array, "n C"]]) -> bool:
    """Whether column models can be trained on each of these parts of the rows."""
    asked = [len(column.words) or 1 for column in columns.columns if column.kind != CONSTANT]
    seen = all((~np.isnan(part)).any(axis=0).all() for part in parts)
    return seen and len(asked) > 1 and sum(asked) <= MOST_INPUTS


def _trained(
    columns: TableColumns, values: Float[Array, "n C"], families: Sequence[Family], report: Report
) -> list[ColumnModels]:
    """Train column models of some families; the rows that they predict take as long as one."""
    some, found = values[spread_rows(len(values), MOST_TRAINED)], list[ColumnModels]()
    for at, family in enumerate(families):
        watch = part_of(report, at, len(families) + 1)
        settings: dict[str, Any] = {"n_trees": N_TREES, "random_state": 0, "report": watch}
        found.append(chain_of(columns.columns, some, family, **settings))
    return found
