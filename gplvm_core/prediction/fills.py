"""Compare how well a map, and the density derived from it, fill gaps in held-out rows.

Three kinds of gaps are tried: few values, many scattered values, and a block of columns. Models of
several views are also tried with a whole view missing. Both methods give a mean and a standard
deviation of every missing value. The standard deviations are then multiplied by factors from the
held-out errors (split conformal intervals; Lei et al. 2018): the 95 % quantile of |error| / std,
divided by that of a normal distribution, for each kind of gaps and each column. The factor of a
column is shrunk to the common one, and the quantile of n rows is taken at 0.95 (1 + 1/n).

The map's kernel and inducing inputs were trained on the held-out rows, too. This favours the map:
on unseen rows, the map does worse relative to the density (benchmarks/README.md, "Which method
fills a gap"). The map is therefore used only where it is better by two standard errors. Whole views
are the exception, because the map was trained to predict each view from the others. For whole
views, the density is used only where it is better by two standard errors.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, Self

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from gplvm_core.mixtures import Conditionals, Gaussians
from gplvm_core.mixtures.conditionals import MOST_DENSE
from gplvm_core.numerics import Array, BoolArray, IntArray
from gplvm_core.prediction.candidates import Report
from gplvm_core.prediction.complete import complete, reconstructed
from gplvm_core.prediction.intervals import COVERED, LEAST, NORMAL, SHRUNK, Errors
from gplvm_core.prediction.network import Network
from gplvm_core.prediction.project import ROUGH, explain

FillMethod = Literal["map", "density"]
FEW, SCATTERED, BLOCK = "few values", "scattered values", "a block"
VIEW = "a whole view"
# A row with a smaller share of missing values has few gaps.
MANY = 0.3
SHARES = {FEW: 0.1, SCATTERED: 0.5, BLOCK: 0.5}
# The most held-out rows, and the most of them that the map fills, too, which takes longer.
MOST_ROWS, MOST_BY_MAP = 300, 100
# Wider data have one factor for all columns.
MOST_COLUMNS = 256
# Each kind of gaps is tried on at least VALUES values, or MOST_TRIALS times.
VALUES, MOST_TRIALS = 300, 5


@dataclass(frozen=True)
class Fill:
    """How well one method fills one kind of gaps, measured on held-out rows.

    error: root mean square error, in units of the columns' spread. inside: the share of values
    inside their 95 % intervals before widening. widened: the factor that multiplies standard
    deviations. score: the mean continuous ranked probability score after widening, in units of the
    columns' spread. The score judges mean and interval together; lower is better. used: whether
    this method is used for gaps of this kind. factors: the factor of each column; () means the
    common one. rows: the number of held-out rows.
    """

    gaps: str
    method: str
    error: float
    inside: float
    widened: float
    score: float
    used: bool
    factors: tuple[float, ...] = ()
    rows: int = 0


@dataclass(frozen=True, eq=False)
class Fold:
    """The numbers of held-out training rows, and the map and the density of the other rows."""

    aside: IntArray
    network: Network
    density: Gaussians


def gaps_of(missing: Bool[BoolArray, "N D"], widths: Sequence[int] = ()) -> NDArray[np.str_]:
    """Return the kind of each row's gaps. widths: numbers of columns of the views, side by side."""
    share = missing.mean(axis=1)
    changes = np.count_nonzero(np.diff(missing, axis=1), axis=1)
    expected = 2.0 * share * (1.0 - share) * max(1, missing.shape[1] - 1)
    many = np.where(changes < 0.5 * expected, BLOCK, SCATTERED)
    found = np.where(share < MANY, FEW, many)
    if len(widths) < 2:
        return found
    views = np.split(missing, np.cumsum(widths)[:-1], axis=1)
    return np.where(np.any([view.all(axis=1) for view in views], axis=0), VIEW, found)


def fills_of(
    folds: Sequence[Fold],
    rows: Float[Array, "N D"],
    spread: Float[Array, " D"],
    generator: np.random.Generator,
    report: Report,
) -> tuple[Fill, ...]:
    """Measure both methods on all kinds of gaps, in the held-out rows of all folds.

    rows: all training rows. spread: the spread of each column, 0 for columns to leave out.
    """
    found = []
    widths = [edge.posterior.n_outputs for edge in folds[0].network.ends.values()]
    most, by_map_too = (-(-limit // len(folds)) for limit in (MOST_ROWS, MOST_BY_MAP))
    size = sum(len(fold.aside[:most]) for fold in folds) * rows.shape[1]
    # Whole views are tried last, so that the other trials do not depend on them.
    shares = SHARES | ({VIEW: 1.0 / len(widths)} if len(widths) > 1 else {})
    for number, (gaps, share) in enumerate(shares.items()):
        trials = min(MOST_TRIALS, -(-VALUES // max(1, round(share * size))))
        each: dict[str, list[_Trial]] = {"map": [], "density": []}
        for at, fold in enumerate(folds):
            done = (number + at / len(folds)) / len(shares)
            numbers = np.tile(fold.aside[:most], trials)
            hidden = _hidden((len(numbers), rows.shape[1]), gaps, widths, generator)
            given = np.where(hidden, np.nan, rows[numbers])
            seen = ~np.isnan(given).all(axis=1)
            given, numbers, hidden = given[seen], numbers[seen], hidden[seen]
            few = np.isin(numbers, fold.aside[:by_map_too])
            judged = hidden & ~np.isnan(rows[numbers]) & (spread > 0.0)
            for method, some in (("map", few), ("density", np.ones(len(few), dtype=bool))):
                if not judged[some].any():
                    continue
                report(done)
                fill = (
                    by_map(fold.network, given[some])
                    if method == "map"
                    else by_density(fold.density, given[some], partial(report, done))
                )
                each[method].append(
                    _Trial.of_rows(
                        fill, rows[numbers[some]], judged[some], spread, numbers=numbers[some]
                    )
                )
        if not each["map"]:
            continue
        tried = {method: _Trial.joined(parts) for method, parts in each.items()}
        of_density = tried["density"].only(np.isin(tried["density"].rows, tried["map"].rows))
        lost = _by_row(of_density.widened_scores() - tried["map"].widened_scores(), of_density.rows)
        apart = 2.0 * lost.std() / np.sqrt(len(lost))
        better = "map" if lost.mean() > (-apart if gaps == VIEW else apart) else "density"
        found += [own.measured(gaps, name, name == better) for name, own in tried.items()]
    return tuple(found)


def by_density(
    density: Gaussians, given: Float[Array, "N D"], watch: Callable[[], None]
) -> tuple[Float[Array, "N D"], Float[Array, "N D"]]:
    """Fill rows with the density; return means and variances.

    watch: called before each of the wide rows, which take long; an exception ends the work.
    """
    if given.shape[1] > MOST_DENSE:
        each = []
        for row in given:
            watch()
            each.append(density.complete(row[None]))
        mean, variance = zip(*each, strict=True)
        return np.concatenate(mean), np.concatenate(variance)
    found = Conditionals.of(density, given)  # faster for many patterns of gaps
    return found.filled, found.variance


def by_map(
    network: Network, given: Float[Array, "N D"]
) -> tuple[Float[Array, "N D"], Float[Array, "N D"]]:
    """Fill rows with the map; return means, and variances with noise, of all data side by side."""
    names = list(network.ends)
    widths = [network.ends[name].posterior.n_outputs for name in names]
    parts = np.split(given, np.cumsum(widths)[:-1], axis=1)
    outputs = dict(zip(names, parts, strict=True))
    explained = explain(network, outputs, effort=ROUGH)
    whole = reconstructed(network, explained, noise=True)
    mean, variance = (np.hstack([whole[name][at] for name in names]) for at in range(2))
    return complete(given, mean, variance)


@dataclass(frozen=True, eq=False)
class _Trial(Errors):
    """Errors of filled values. rows, columns: of each value. width: the number of columns."""

    rows: IntArray
    columns: IntArray
    width: int

    @classmethod
    def of_rows(
        cls,
        fill: tuple[Float[Array, "n D"], Float[Array, "n D"]],
        truth: Float[Array, "n D"],
        judged: Bool[BoolArray, "n D"],
        spread: Float[Array, " D"],
        *,
        numbers: IntArray,
    ) -> Self:
        """Judge filled values. fill: means and variances. numbers: the numbers of the rows."""
        rows, columns = np.nonzero(judged)
        own = Errors.of(fill[0], np.sqrt(np.maximum(fill[1], 0.0)), truth, spread, judged=judged)
        return cls(own.error, own.std, numbers[rows], columns, len(spread))

    @property
    def widened(self) -> float:
        """The factor of all columns."""
        level = min(1.0, COVERED * (1.0 + 1.0 / len(np.unique(self.rows))))
        return max(float(np.quantile(self.away, level)) / NORMAL, LEAST)

    @property
    def factors(self) -> Float[Array, " D"]:
        """The factors of the columns, shrunk to the factor of all columns."""
        common, found = self.widened, np.ones(self.width)
        if self.width > MOST_COLUMNS:
            return common * found
        again = common * NORMAL / max(float(np.quantile(self.away, COVERED)), LEAST)
        for column in range(self.width):
            own = self.columns == column
            count = len(np.unique(self.rows[own]))
            alone = again * np.quantile(self.away[own], COVERED) / NORMAL if count else common
            found[column] = (count * alone + SHRUNK * common) / (count + SHRUNK)
        return found

    def widened_scores(self) -> Float[Array, " V"]:
        """The scores of the values after widening."""
        return self.scores(self.factors[self.columns])

    def measured(self, gaps: str, method: str, used: bool) -> Fill:
        score, rows = float(self.widened_scores().mean()), len(np.unique(self.rows))
        factors = tuple(self.factors.tolist()) if self.width <= MOST_COLUMNS else ()
        return Fill(
            gaps, method, self.size, self.inside(), self.widened, score, used, factors, rows
        )


def _by_row(values: Float[Array, " V"], rows: IntArray) -> Float[Array, " R"]:
    """Return the means of the values of each row."""
    counts = np.bincount(rows)
    return np.bincount(rows, values)[counts > 0] / counts[counts > 0]


def _hidden(
    shape: tuple[int, int], gaps: str, widths: Sequence[int], generator: np.random.Generator
) -> Bool[BoolArray, "N D"]:
    """Draw one kind of gaps for rows of this shape. widths: numbers of columns of the views."""
    if gaps == VIEW:
        view = generator.integers(len(widths), size=shape[0])
        return np.asarray(np.repeat(np.arange(len(widths)), widths) == view[:, None])
    count = max(1, round(SHARES[gaps] * shape[1]))
    if gaps == BLOCK:
        first = generator.integers(shape[1], size=shape[0])
        return (np.arange(shape[1]) - first[:, None]) % shape[1] < count
    order = np.argsort(generator.random(shape), axis=1)
    return order < count
