"""Train on growing samples of many rows, then place the other rows.

A few thousand rows are enough to learn the mapping's parameters. More rows mainly improve q(u),
whose cost per row, KL(q(u))/N, falls with N. The parameters are therefore trained on growing
samples. The trained mapping then places all other rows: it infers q(x_n). At the end, q(u) and the
scales are computed again from all rows.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.beliefs import Belief
from gplvm_core.models.data.scaling import Noise, Scaling
from gplvm_core.models.problems.graph import Graph, Parameters
from gplvm_core.models.problems.nodes import LatentNode
from gplvm_core.models.problems.several import several_views
from gplvm_core.models.problems.starts import Start
from gplvm_core.models.training.run import Evaluated, Phase, Work
from gplvm_core.numerics import Array, IntArray
from gplvm_core.parameters import Layout
from gplvm_core.prediction import Network
from gplvm_core.prediction.place import Watch, place_rows
from gplvm_core.readers.errors import plural
from gplvm_core.statistics import Executor

# Tables with at least this many rows are sampled.
MANY = 20_000
# The number of rows in each phase.
SAMPLES = (1000, 1000, 2500, 10_000)
# Only max_iter limits the iterations of a phase.
UNLIMITED = 10**9
# The number of inducing inputs for the first sample.
FEW_INDUCING = 50


def are_many(count: int) -> bool:
    """Whether training uses only a sample of a table with this number of rows."""
    return count >= MANY


Rows = Int[IntArray, " n"]


@dataclass(frozen=True)
class Completed:
    """The problem of all rows, in their original order, after training and placing.

    trained: the rows used for training (None: all rows). notes: sentences on how the other rows
    were handled.
    """

    problem: Graph
    parameters: Parameters
    trained: Rows | None
    notes: tuple[str, ...]


@runtime_checkable
class Sampled(Protocol):
    """A problem that trains on some of the rows and then places the other rows."""

    def work(self, max_iter: int) -> Work: ...

    def completed(self, parameters: Any, report: Callable[[str, int], bool]) -> Completed:
        """The problem of all rows. report: see `placing_watch`."""


@dataclass(frozen=True)
class ManyRows:
    """A training problem whose phases use growing samples of the rows of a table or of views.

    begin: a start with all rows (internal units, NaN: missing). The samples depend only on N and
    are nested. noises: the noise of every view. further: the number of rows in files to stream
    after these rows have been placed.
    """

    begin: Start
    jitter: float
    executor: Executor
    noises: tuple[Noise, ...]
    further: int = 0
    recipes = ("",)
    phases = (
        Phase("1,000 rows, noise held", UNLIMITED, 0.15, ratio=300.0),
        Phase("1,000 rows", UNLIMITED, 0.3),
        Phase("2,500 rows", UNLIMITED, 0.3),
        Phase("10,000 rows", UNLIMITED, 0.25),
    )

    @property
    def n_rows(self) -> int:
        return len(self.begin.outputs[0])

    @cached_property
    def order(self) -> Rows:
        """The rows in the order in which samples add them."""
        return np.random.default_rng(0).permutation(self.n_rows)

    @cached_property
    def samples(self) -> tuple[Graph, ...]:
        """The problem of each phase."""
        return tuple(self._sample(*each) for each in zip(SAMPLES, self.phases, strict=True))

    def start(self, seed: int, recipe: str = "") -> Parameters:
        return self.samples[0].start(seed)

    def notes(self, seed: int) -> tuple[str, ...]:
        return self.samples[0].notes(seed)

    def entering(
        self, parameters: Parameters, phase: Phase, ask: Callable[[], None] | None = None
    ) -> Parameters:
        size = min(SAMPLES[self.phases.index(phase)], self.n_rows)
        return self._with_rows(parameters, size, ask and (lambda _: ask() is None))[0]

    def layout(self, anchor: Parameters, phase: Phase) -> Layout:
        return self._of(phase).layout(anchor, phase)

    def evaluate(self, parameters: Parameters, phase: Phase) -> Evaluated:
        return self._of(phase).evaluate(parameters, phase)

    def describe(self, parameters: Parameters, at: Evaluated) -> tuple[Array, Array, Array]:
        """Describe the sample; the latent means of the other rows are linear predictions from
        their outputs.
        """
        relevance, information, mean = self.samples[0].describe(parameters, at)
        return relevance, information, spread_over(self.begin.outputs, self.order, mean)

    def verdicts(self, parameters: Parameters) -> tuple[str, ...]:
        return ()

    def work(self, max_iter: int) -> Work:
        return growing(max_iter, self.n_rows, self.n_rows + self.further)

    def completed(self, parameters: Parameters, report: Callable[[str, int], bool]) -> Completed:
        """Place the other rows with the trained mapping; report: see `placing_watch`."""
        trained = self._count(parameters)
        watch = placing_watch(report, self.n_rows - trained)
        grown, placed = self._with_rows(parameters, self.n_rows, watch)
        belief: Belief = grown.nodes[0]
        own = Parameters((belief.rows(np.argsort(self.order)),), grown.layers)
        note = sampled_in_words(trained, self.n_rows)
        notes = (note, *left_over(self.n_rows - trained - placed))
        return Completed(self.graph(self.begin), own, np.sort(self.order[:trained]), notes)

    def graph(self, begin: Start) -> Graph:
        """The problem of the rows in a start."""
        return several_views(begin, LatentNode(), self.jitter, self.executor, self.noises)

    def _of(self, phase: Phase) -> Graph:
        return self.samples[self.phases.index(phase)]

    @staticmethod
    def _count(parameters: Parameters) -> int:
        belief: Belief = parameters.nodes[0]
        return belief.n_points

    def _of_rows(self, rows: Rows) -> tuple[Float[Array, "n _D"], ...]:
        return tuple(each[rows] for each in self.begin.outputs)

    def _sample(self, count: int, phase: Phase) -> Graph:
        rows, given = self.order[:count], self.begin.init
        begin = replace(
            self.begin,
            outputs=self._of_rows(rows),
            n_inducing=min(FEW_INDUCING, self.begin.n_inducing),
            init=given if isinstance(given, str) else np.asarray(given)[rows],
        )
        # A graph gives every point a separate scale in its last phase. Each phase here has its own
        # graph, but only the last phase of the training may do so.
        phases = (phase,) if phase is self.phases[-1] else self.phases
        return replace(self.graph(begin), phases=phases)

    def _with_rows(
        self, parameters: Parameters, count: int, watch: Watch | None = None
    ) -> tuple[Parameters, int]:
        """Add rows, placed with q(u) of the present rows, and add the missing inducing inputs.

        Also returns how many rows were placed.
        """
        before, belief = self._count(parameters), parameters.nodes[0]
        if before >= count:
            return parameters, 0
        seen = self._of_rows(self.order[:before])
        learnt = self.graph(replace(self.begin, outputs=seen)).learnt(parameters, seen)
        coming = {str(at): own for at, own in enumerate(self._of_rows(self.order[before:count]))}
        ends = {
            name: layer.as_posterior(Scaling.none(outputs.shape[1]))
            for (name, outputs), layer in zip(coming.items(), learnt.layers, strict=True)
        }
        star = Network.star(ends, belief)
        new, placed = place_rows(star, coming, executor=self.executor, watch=watch)
        whole = belief.followed_by(new[0])
        layers = []
        for at, layer in enumerate(parameters.layers):
            missing = self.begin.n_inducing - len(layer.inducing)
            if missing > 0:
                chosen = np.random.default_rng((before, at)).permutation(count)[:missing]
                inducing = np.concatenate([layer.inducing, whole.mean[chosen]])
                layer = replace(layer, inducing=inducing)
            layers.append(layer)
        return Parameters((whole,), tuple(layers)), placed


def spread_over(outputs: Sequence[Array], rows: Rows, mean: Float[Array, "_n Q"]) -> Array:
    """Latent means of all rows, from the means of the first len(mean) rows in `rows`.

    The means of all other rows are linear predictions from their outputs.
    """
    filled, here = np.nan_to_num(np.hstack(outputs)), rows[: len(mean)]
    everywhere = filled @ np.linalg.lstsq(filled[here], mean, rcond=None)[0]
    everywhere[here] = mean
    return np.asarray(everywhere)


def sampled_in_words(trained: int, total: int) -> str:
    """The note for a model that was trained on a sample."""
    if trained == total:
        return f"the model was trained on some rows first, and then on all {total:,} rows"
    return (
        f"the model was trained on {trained:,} of {total:,} rows; the other {total - trained:,} "
        "rows were then placed on the map, and the map was updated from all rows"
    )


def placing_watch(
    report: Callable[[str, int], bool], total: int, where: str = "on the map"
) -> Watch:
    """A function that reports how many rows were placed; `report` returns False to stop."""
    return lambda done: report(f"placing rows {where}: {done:,} of {total:,}", done)


def growing(max_iter: int, n_rows: int, total: int) -> Work:
    """The work of training on growing samples of n_rows rows, and of placing the other rows.

    total: the number of all rows, including the rows of files that are streamed.
    """
    stretches, until = list[tuple[float, float]](), 0
    for count, phase in zip(SAMPLES, ManyRows.phases, strict=True):
        if until < max_iter:
            until += math.ceil(phase.share * max_iter)
            stretches.append((until, float(min(count, n_rows))))
    # The last phase is repeated until max_iter.
    *before, (_, trained) = stretches
    return Work((*before, (math.inf, trained)), total - int(trained))


def left_over(count: int) -> tuple[str, ...]:
    """The note on rows that were not placed because the user stopped."""
    if not count:
        return ()
    return (
        f"stopped while rows were placed: {plural(count, 'row')} kept the position of the nearest "
        "trained row",
    )
