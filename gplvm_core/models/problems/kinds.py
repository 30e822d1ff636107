"""The problem of a table of several kinds, whose training alternates between two steps.

Each yes/no entry and count is a Gaussian factor. L-BFGS moves the other parameters for a few
iterations with fixed factors, which is a Gaussian problem with exact gradients. Sweeps of updates
then put the factors at their optimum. F rises in both steps.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, LayerValue, MixedOutputs, evaluate_mixed, updated
from gplvm_core.models.problems.edges import FREE, LayerEdge, Settled
from gplvm_core.models.problems.graph import Begun, Graph, Parameters
from gplvm_core.models.problems.nodes import Node
from gplvm_core.models.problems.starts import Start
from gplvm_core.models.training.run import Phase
from gplvm_core.statistics import Executor, Targets
from gplvm_core.statistics.executors import serial

# Iterations of L-BFGS between two updates, and sweeps in an update. The noise of the numbers is
# free from the start: holding it at first led to lower bounds on mixed tables.
ITERATIONS, SWEEPS = 10, 3
PHASES = (
    *(Phase("all free", ITERATIONS) for _ in range(5)),
    Phase("refining", ITERATIONS),
)


@dataclass(frozen=True)
class KindsEdge(LayerEdge):
    """The layer from the first node to outputs of several kinds."""

    mixed: MixedOutputs | None = None

    @property
    def given(self) -> MixedOutputs:
        """The outputs with their kinds."""
        assert self.mixed is not None
        return self.mixed

    @classmethod
    def of(cls, outputs: MixedOutputs, executor: Executor = serial) -> "KindsEdge":
        return cls((0,), Targets.whole(outputs.values), executor, per_output=True, mixed=outputs)

    def updated(self, layer: Layer, source: Belief, jitter: float, phase: Phase) -> Layer:
        """The layer with its Gaussian factors at their optimum for its q(u)."""
        return updated(
            layer,
            source,
            self.given,
            jitter=jitter,
            ratio=phase.ratio,
            most_ratio=1.0 / jitter,
            executor=self.executor,
        )

    def value(
        self,
        layer: Layer,
        source: Belief,
        targets: Targets,
        jitter: float,
        phase: Phase = FREE,
    ) -> LayerValue:
        """F_data at the best scales and biases with the factors fixed, and all gradients."""
        return evaluate_mixed(
            layer,
            source,
            self.given,
            jitter=jitter,
            profile=True,
            ratio=phase.ratio,
            most_ratio=1.0 / jitter,
            executor=self.executor,
        )

    def settled(
        self, layer: Layer, source: Belief, seen: Targets, whole: Targets, jitter: float
    ) -> Settled:
        """The layer at its best scales, evaluated in the way the stored model will be."""
        best = self.value(layer, source, seen, jitter)
        at = evaluate_mixed(
            best.layer,
            source,
            self.given,
            jitter=best.jitter,
            relative=False,
            executor=self.executor,
        )
        capped = 0 if best.profile is None else int(np.sum(best.profile.capped))
        return Settled(at.layer, at.statistics, at.posterior, at.jitter, capped)


@dataclass(frozen=True)
class KindsGraph(Graph):
    """A graph whose layers to data may have outputs of several kinds."""

    phases: Sequence[Phase] = PHASES

    def start(self, seed: int, recipe: str = "") -> Parameters:
        return self.entering(super().start(seed, recipe), self.phases[0])

    def entering(self, parameters: Parameters, phase: Phase) -> Parameters:
        """The parameters with the Gaussian factors at their optimum for the phase."""
        beliefs = [node.belief for node in self.believed(parameters)]
        layers = []
        for edge, layer in zip(self.edges, parameters.layers, strict=True):
            if isinstance(edge, KindsEdge):
                for _ in range(SWEEPS):
                    layer = edge.updated(layer, beliefs[edge.source], self.jitter, phase)
            layers.append(layer)
        return replace(parameters, layers=tuple(layers))


@dataclass(frozen=True)
class KindsStart:
    """Start training at the principal components of the columns, encoded as numbers."""

    begin: Start
    outputs: MixedOutputs

    def __call__(self, seed: int, /) -> Begun:
        begun, local = self.begin(seed), self.outputs.started()
        return replace(begun, layers=tuple(replace(each, local=local) for each in begun.layers))


def any_kinds(node: Node, begin: KindsStart, jitter: float, executor: Executor) -> KindsGraph:
    """The problem of a table with columns of several kinds."""
    edge = KindsEdge.of(begin.outputs, executor)
    return KindsGraph((node,), (edge,), begin, jitter)
