"""Training for many rows: some of them first, more as training goes on, the rest at the end.

What training learns of the mapping needs no more than some thousand rows; what many rows are good
for is q(u), whose price KL(q(u))/N falls with N. So the parameters are trained on growing samples;
every other row is then placed where q(u) says, and q(u) and the scales are found from all rows.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray

from gplvm_core.beliefs import Belief
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.problems.edges import Edge
from gplvm_core.models.problems.graph import Graph, Parameters
from gplvm_core.models.problems.nodes import LatentNode
from gplvm_core.models.problems.starts import Start
from gplvm_core.models.training.run import Evaluated, Phase
from gplvm_core.numerics import Array
from gplvm_core.parameters import Layout
from gplvm_core.prediction.place import place
from gplvm_core.statistics import Executor

# From so many rows on.
MANY = 20_000
# Rows of each phase.
SAMPLES = (1000, 1000, 2500, 10_000)
# Phases share max_iter, and have no limit of their own.
UNLIMITED = 10**9
# Of the first sample.
FEW_INDUCING = 50


@dataclass(frozen=True)
class ManyRows:
    """A training problem whose phases see ever more of the rows.

    outputs: in internal units (NaN: missing). begin: the start from all of them. edge: the layer to
    some of the outputs. The samples hang on N alone, and each holds the one before.
    """

    outputs: Float[Array, "N D"]
    begin: Start
    edge: Callable[[Array], Edge]
    jitter: float
    run: Executor
    phases = (
        Phase("1000 rows, noise held", UNLIMITED, 0.15, ratio=300.0),
        Phase("1000 rows", UNLIMITED, 0.3),
        Phase("2500 rows", UNLIMITED, 0.3),
        Phase("10,000 rows", UNLIMITED, 0.25),
    )

    @cached_property
    def order(self) -> Int[NDArray[np.intp], " N"]:
        """The rows as they come in."""
        return np.random.default_rng(0).permutation(len(self.outputs))

    @cached_property
    def samples(self) -> tuple[Graph, ...]:
        """The problem of each phase."""
        return tuple(self._sample(*each) for each in zip(SAMPLES, self.phases, strict=True))

    def start(self, seed: int) -> Parameters:
        return self.samples[0].start(seed)

    def notes(self, seed: int) -> tuple[str, ...]:
        return self.samples[0].notes(seed)

    def entering(self, parameters: Parameters, phase: Phase) -> Parameters:
        size = min(SAMPLES[self.phases.index(phase)], len(self.order))
        return self._with_rows(parameters, size)

    def layout(self, anchor: Parameters, phase: Phase) -> Layout:
        return self._of(phase).layout(anchor, phase)

    def evaluate(self, parameters: Parameters, phase: Phase) -> Evaluated:
        return self._of(phase).evaluate(parameters, phase)

    def describe(self, parameters: Parameters) -> tuple[Array, Array, Array]:
        """Rows that have not come in yet stand where a straight line from their outputs says."""
        relevance, information, mean = self.samples[0].describe(parameters)
        filled = np.nan_to_num(self.outputs)
        here = self.order[: len(mean)]
        everywhere = filled @ np.linalg.lstsq(filled[here], mean, rcond=None)[0]
        everywhere[here] = mean
        return relevance, information, everywhere

    def verdicts(self, parameters: Parameters) -> tuple[str, ...]:
        return ()

    def trained(self, parameters: Parameters) -> Int[NDArray[np.intp], " T"]:
        """The rows that training saw."""
        return np.sort(self.order[: self._count(parameters)])

    def completed(self, parameters: Parameters) -> tuple[Graph, Parameters]:
        """The problem of all rows, in their own order, with its parameters."""
        grown = self._with_rows(parameters, len(self.order))
        belief, back = grown.nodes[0], np.argsort(self.order)
        whole = Graph(
            (LatentNode(),), (self.edge(self.outputs),), self.begin, self.jitter, self.run
        )
        return whole, Parameters((belief.rows(back),), grown.layers)

    def _of(self, phase: Phase) -> Graph:
        return self.samples[self.phases.index(phase)]

    @staticmethod
    def _count(parameters: Parameters) -> int:
        belief: Belief = parameters.nodes[0]
        return belief.n_points

    def _sample(self, count: int, phase: Phase) -> Graph:
        rows = self.order[:count]
        given = self.begin.init
        begin = replace(
            self.begin,
            outputs=(self.outputs[rows],),
            n_inducing=min(FEW_INDUCING, self.begin.n_inducing),
            init=given if isinstance(given, str) else np.asarray(given)[rows],
        )
        # Only the last phase has scales of every point's own.
        phases = (phase,) if phase is self.phases[-1] else self.phases
        edge = self.edge(self.outputs[rows])
        return Graph((LatentNode(),), (edge,), begin, self.jitter, self.run, phases)

    def _with_rows(self, parameters: Parameters, count: int) -> Parameters:
        """The same with more rows, placed at the q(u) of those before, and all inducing inputs."""
        before, belief, layer = self._count(parameters), parameters.nodes[0], parameters.layers[0]
        if before >= count:
            return parameters
        seen = self.outputs[self.order[:before]]
        graph = Graph((LatentNode(),), (self.edge(seen),), self.begin, self.jitter, self.run)
        internal = Scaling.none(seen.shape[1])
        posterior = graph.learnt(parameters, (seen,)).layers[0].as_posterior(internal)
        new = place(posterior, self.outputs[self.order[before:count]], belief, self.run)
        whole = Belief(
            np.concatenate([belief.mean, new.mean]),
            np.concatenate([belief.variance, new.variance]),
        )
        missing = self.begin.n_inducing - len(layer.inducing)
        if missing > 0:
            chosen = np.random.default_rng(before).permutation(count)[:missing]
            inducing = np.concatenate([layer.inducing, whole.mean[chosen]])
            layer = replace(layer, inducing=inducing)
        return Parameters((whole,), (layer,))
