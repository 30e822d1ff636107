"""Add rows to a trained layer: infer their points at its q(u), then update q(u) from all rows.

The update needs only sums over rows. The sums can be computed part by part, on threads, or on the
machines that store the files, as in the map-reduce of Damianou (2015), §2.3.3 and §3.3.7.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import (
    MixedOutputs,
    collapsed_per_output,
    factor_statistics,
    gram_factor,
)
from gplvm_core.likelihoods import TableColumns
from gplvm_core.numerics import Array, IntArray
from gplvm_core.prediction.network import DATA, Network
from gplvm_core.prediction.place import STARTING_POINTS, place_rows
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.project import QUICK
from gplvm_core.prediction.row_terms import MixedTerms
from gplvm_core.priors import StandardNormal
from gplvm_core.readers import RowFiles
from gplvm_core.statistics import Executor, Statistics, Targets, reduce_statistics
from gplvm_core.statistics.reduce import serial

AT_ONCE = 1024  # rows of one sum: a request to pause waits for two of them
# Rows of which only sums are stored: a row with gaps has one more start, not five.
SUMMED = replace(QUICK, starts_of_partial=2)


@dataclass(frozen=True)
class Sums:
    """Sums over rows: statistics, KL(q ‖ p) in every dimension, and counts.

    observed: the number of rows in which each output is observed.
    """

    statistics: Statistics
    divergence: Float[Array, " Q"]
    observed: Int[IntArray, " D"]
    count: int

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(
            self.statistics.joined(other.statistics),
            self.divergence + other.divergence,
            self.observed + other.observed,
            self.count + other.count,
        )

    @classmethod
    def of(
        cls,
        posterior: Posterior,
        outputs: Float[Array, "n D"],
        belief: Belief,
        executor: Executor = serial,
    ) -> "Sums":
        """Return the sums of rows (user's units, NaN: missing) with these posteriors.

        Words, counts and robust numbers have the Gaussian factors that are best at q(u).
        """
        statistics = statistics_of(posterior, posterior.to_internal(outputs), belief, executor)
        divergence = StandardNormal().kl_terms(belief).sum(axis=0)
        observed = np.count_nonzero(~np.isnan(outputs), axis=0)
        return cls(statistics, divergence, observed, len(outputs))


def statistics_of(
    posterior: Posterior, internal: Float[Array, "n D"], belief: Belief, executor: Executor = serial
) -> Statistics:
    """Return the statistics of rows in internal units; words, counts and robust numbers have the
    Gaussian factors that are best at q(u).
    """
    layer = posterior.kernel, belief, posterior.inducing
    if posterior.links is None:
        return reduce_statistics(*layer, Targets.whole(internal), executor)[0]
    factors = MixedTerms.of(posterior, internal).factors(belief)
    given = MixedOutputs(internal, posterior.links)
    return factor_statistics(*layer, given, factors, executor)


@dataclass(frozen=True)
class Passed:
    """The sums over all rows before row `until`; None if none of them was summed."""

    until: int = 0
    sums: Sums | None = None

    def then(self, later: "Passed") -> "Passed":
        """Add the rows that follow."""
        found = [each.sums for each in (self, later) if each.sums is not None]
        return Passed(later.until, reduce(Sums.__add__, found) if found else None)


@dataclass(frozen=True)
class StreamedPart:
    """Computes the sums over one part of the rows in files, with q(u) fixed.

    A part is (first row, last row + 1). The task is a pure function that contains M × M and M × D
    numbers and a few starting points. It can run on any machine that can read the files, and can be
    repeated after a failure. but: the rows to leave out.
    table: the columns of words, counts and numbers that the model has learnt.
    """

    files: RowFiles
    posterior: Posterior
    training: Belief
    but: Int[IntArray, " K"]
    table: TableColumns | None = None

    def __call__(self, part: tuple[int, int]) -> Passed:
        return reduce(Passed.then, map(self.of, self.files.chunks(AT_ONCE, *part)))

    def of(self, chunk: tuple[int, Float[Array, "n D"]]) -> Passed:
        """Return the sums of some rows, of which the first has this number."""
        begin, rows = chunk
        numbers = np.arange(begin, begin + len(rows))
        own = np.isin(numbers, self.but, invert=True)
        if not own.any():
            return Passed(begin + len(rows))
        outputs = rows[own]
        if self.table is not None:
            outputs = self.table.recoded(self.files.columns, outputs)
        network = Network.star({DATA: self.posterior}, self.training)
        beliefs, _ = place_rows(network, {DATA: outputs}, effort=SUMMED)
        return Passed(begin + len(rows), Sums.of(self.posterior, outputs, beliefs[0]))


def streamed_sums(
    files: RowFiles,
    posterior: Posterior,
    training: Belief,
    but: Int[IntArray, " K"],
    executor: Executor = serial,
    *,
    table: TableColumns | None = None,
    elsewhere: bool = False,
    first: int = 0,
) -> Iterator[Passed]:
    """Yield sums of the rows from number `first` on, in their order.

    elsewhere: the executor's machines read the files, a part at a time. By default this process
    reads them, a few rows at a time: threads share the parts of a file that is not divided.
    """
    task = StreamedPart(files, posterior, training.thinned(STARTING_POINTS), but, table)
    if elsewhere:
        parts = [(max(begin, first), end) for begin, end in files.parts() if end > first]
        yield from executor(task, parts)
    else:
        yield from executor(task.of, files.chunks(AT_ONCE, first))


def at_optimum(trained: Posterior, statistics: Statistics) -> tuple[Posterior, float]:
    """Return a layer with q(u) at its optimum for these statistics, and its bound there."""
    gram = gram_factor(trained.kernel, trained.inducing, trained.jitter, relative=False)
    if trained.each is not None and trained.links is not None:
        found = collapsed_per_output(statistics, gram, trained.each.ratio)
    else:
        found = trained.bound(statistics, gram)
    own = replace(trained, weights=found.weights, gap=found.gap, each=found.each)
    return replace(own, groups=np.asarray(statistics.groups)), found.value


@dataclass(frozen=True)
class Added:
    """A layer with q(u) at its optimum for more rows.

    gained: the change of the bound, in nats for the data as given.
    """

    posterior: Posterior
    statistics: Statistics
    gained: float

    @classmethod
    def of(cls, trained: Posterior, statistics: Statistics, new: Sums) -> "Added":
        """Update q(u) of a layer. statistics: the statistics of the previous rows."""
        whole = statistics.joined(new.statistics)
        before, (posterior, value) = at_optimum(trained, statistics)[1], at_optimum(trained, whole)
        # Words and counts have no units.
        measured = slice(None) if trained.links is None else trained.links.measured
        units = float(new.observed[measured] @ np.log(trained.scale[measured]))
        return cls(
            posterior,
            whole,
            value - before - float(new.divergence.sum()) - units,
        )
