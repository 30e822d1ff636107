"""Compare how well a map, and the density derived from it, fill gaps in held-out rows.

Three kinds of gaps are tried: few values, many scattered values, and a block of columns. Models of
several views are also tried with a whole view missing. Both methods give a mean and a standard
deviation of every missing value. All standard deviations are multiplied by one factor, so that 95 %
of the values are inside their 95 % intervals.

The map's kernel and inducing inputs were trained on the held-out rows, too. This favours the map:
on unseen rows, the map does worse relative to the density (benchmarks/README.md, "Which method
fills a gap"). The map is therefore used only where it is better by two standard errors. Whole views
are the exception, because the map was trained to predict each view from the others. For whole
views, the density is used only where it is better by two standard errors.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from gplvm_core.mixtures import Gaussians
from gplvm_core.numerics import Array, BoolArray, IntArray
from gplvm_core.prediction.complete import complete, reconstructed
from gplvm_core.prediction.intervals import LEAST, crps, inside, widened
from gplvm_core.prediction.network import Network
from gplvm_core.prediction.project import explain

FillMethod = Literal["map", "density"]
FEW, SCATTERED, BLOCK = "few values", "scattered values", "a block"
VIEW = "a whole view"
# A row with a smaller share of missing values has few gaps.
MANY = 0.3
SHARES = {FEW: 0.1, SCATTERED: 0.5, BLOCK: 0.5}
MOST_ROWS = 60
# Each kind of gaps is tried on at least VALUES values, or MOST_TRIALS times.
VALUES, MOST_TRIALS = 300, 5


@dataclass(frozen=True)
class Fill:
    """How well one method fills one kind of gaps, measured on held-out rows.

    error: root mean square error, in units of the columns' spread. inside: the share of values
    inside their 95 % intervals before widening. widened: the factor that multiplies standard
    deviations. score: the mean continuous ranked probability score after widening, in units of the
    columns' spread. The score judges mean and interval together; lower is better. used: whether
    this method is used for gaps of this kind.
    """

    gaps: str
    method: str
    error: float
    inside: float
    widened: float
    score: float
    used: bool


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
    network: Network,
    density: Gaussians,
    rows: Float[Array, "N D"],
    spread: Float[Array, " D"],
    generator: np.random.Generator,
    report: Callable[[float], None],
) -> tuple[Fill, ...]:
    """Measure both methods on all kinds of gaps.

    rows: rows that neither the map nor the density uses. spread: the spread of each column, 0 for
    columns to leave out. report: called with the fraction of the kinds that have been tried.
    """
    found, rows = [], rows[:MOST_ROWS]
    widths = [edge.posterior.n_outputs for edge in network.ends.values()]
    # Whole views are tried last, so that the other trials do not depend on them.
    shares = SHARES | ({VIEW: 1.0 / len(widths)} if len(widths) > 1 else {})
    for number, (gaps, share) in enumerate(shares.items()):
        report(number / len(shares))
        trials = min(MOST_TRIALS, -(-VALUES // max(1, round(share * rows.size))))
        whole = np.tile(rows, (trials, 1))
        hidden = _hidden(whole.shape, gaps, widths, generator)
        given = np.where(hidden, np.nan, whole)
        seen = ~np.isnan(given).all(axis=1)
        given, whole = given[seen], whole[seen]
        judged = hidden[seen] & ~np.isnan(whole) & (spread > 0.0)
        if not judged.any():
            continue
        units, rows_of = np.broadcast_to(spread, whole.shape)[judged], np.nonzero(judged)[0]
        tried = {}
        for method, filled in (
            ("map", by_map(network, given)),
            ("density", density.complete(given)),
        ):
            mean, variance = (each[judged] for each in filled)
            std = np.sqrt(np.maximum(variance, LEAST**2)) / units
            tried[method] = _Trial((mean - whole[judged]) / units, std)
        lost = _by_row(tried["density"].scores - tried["map"].scores, rows_of)
        apart = 2.0 * lost.std() / np.sqrt(len(lost))
        better = "map" if lost.mean() > (-apart if gaps == VIEW else apart) else "density"
        found += [own.measured(gaps, name, name == better) for name, own in tried.items()]
    return tuple(found)


def by_map(
    network: Network, given: Float[Array, "N D"]
) -> tuple[Float[Array, "N D"], Float[Array, "N D"]]:
    """Fill rows with the map; return means, and variances with noise, of all data side by side."""
    names = list(network.ends)
    widths = [network.ends[name].posterior.n_outputs for name in names]
    parts = np.split(given, np.cumsum(widths)[:-1], axis=1)
    explained = explain(network, dict(zip(names, parts, strict=True)))
    whole = reconstructed(network, explained, noise=True)
    mean, variance = (np.hstack([whole[name][at] for name in names]) for at in range(2))
    return complete(given, mean, variance)


@dataclass(frozen=True)
class _Trial:
    """Errors of filled values, and predicted standard deviations, in units of columns' spread."""

    error: Float[Array, " V"]
    std: Float[Array, " V"]

    @property
    def away(self) -> Float[Array, " V"]:
        return np.abs(self.error) / self.std

    @property
    def widened(self) -> float:
        return widened(self.away)

    @property
    def scores(self) -> Float[Array, " V"]:
        """The scores of the values after widening."""
        return crps(self.error, self.widened * self.std)

    def measured(self, gaps: str, method: str, used: bool) -> Fill:
        error = float(np.sqrt(np.mean(self.error**2)))
        score = float(self.scores.mean())
        return Fill(gaps, method, error, inside(self.away), self.widened, score, used)


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
