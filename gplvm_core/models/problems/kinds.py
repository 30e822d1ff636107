"""Layers to columns of any kind in a table or in views, and their training in alternating steps.

A Gaussian factor replaces the likelihood of each yes/no entry and count. With fixed factors the
problem is Gaussian, with exact gradients: L-BFGS trains the other parameters for a few iterations.
Sweeps of updates then set the factors to their optimum. Both steps increase F.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import (
    LEAST_SIGNAL,
    Layer,
    LayerValue,
    MixedOutputs,
    evaluate_mixed,
    mixed_term,
    updated,
)
from gplvm_core.kernels import Kernel
from gplvm_core.likelihoods import Links, Number, TableColumns, WithErrors
from gplvm_core.models.data.kinds import columns_in_words
from gplvm_core.models.data.scaling import Noise, Scaling
from gplvm_core.models.problems.edges import FREE, NO_SIGNAL, LayerEdge, Settled, all_noise, to_data
from gplvm_core.models.problems.graph import Graph, Parameters
from gplvm_core.models.problems.many_rows import are_many
from gplvm_core.models.problems.nodes import Node
from gplvm_core.models.problems.several import shared_out
from gplvm_core.models.problems.starts import Start
from gplvm_core.models.training.run import Phase
from gplvm_core.prediction import Posterior
from gplvm_core.statistics import Executor, Targets
from gplvm_core.statistics.reduce import serial

# Number of L-BFGS iterations between two updates, and number of sweeps in an update.
ITERATIONS, SWEEPS = 10, 3
# At first the noise of views of numbers is fixed, and other columns have at least this signal.
# Otherwise, columns of few labels would be explained as noise before the map is good. In tables
# that also have other kinds of columns, the noise of numbers is never fixed, because fixing it led
# to lower bounds.
FIRST_SIGNAL = 30.0
HELD = tuple(Phase("noise held", ITERATIONS, ratio=300.0) for _ in range(5))
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
            least_signal=_least_signal(phase),
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
        """F_data with fixed factors at the best scales and biases, and all its gradients."""
        return evaluate_mixed(
            layer,
            source,
            self.given,
            jitter=jitter,
            profile=True,
            least_signal=_least_signal(phase),
            most_ratio=1.0 / jitter,
            executor=self.executor,
        )

    def settled(
        self, layer: Layer, source: Belief, seen: Targets, whole: Targets, jitter: float
    ) -> "KindsSettled":
        """Evaluate the layer with its best scales; the result is what a fitted model stores."""
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
        return KindsSettled(
            at.layer, at.statistics, at.posterior, at.jitter, capped, outputs=self.given
        )

    def value_with(
        self, kernel: Kernel, settled: Settled, source: Belief, targets: Targets
    ) -> float:
        layer = replace(settled.layer, kernel=kernel)
        return mixed_term(layer, source, self.given, jitter=settled.jitter, executor=self.executor)


def _least_signal(phase: Phase) -> float:
    """The smallest signal variance of outputs that are not numbers."""
    return LEAST_SIGNAL if phase.ratio is None else FIRST_SIGNAL


@dataclass(frozen=True)
class KindsSettled(Settled):
    """A trained layer to outputs of any kind; `of_columns` returns notes with columns' names."""

    outputs: MixedOutputs | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    def of_columns(self, columns: TableColumns, scaling: Scaling) -> tuple[str, ...]:
        """Notes on columns that the map does not explain or that may dominate the map."""
        assert self.outputs is not None
        assert self.layer.local is not None
        links, ratio = self.outputs.linked(self.layer.local.links), np.asarray(self.layer.ratio)
        own = links.measured & links.others
        ratio = np.where(own, ratio / np.where(own, links.noise, 1.0), ratio)
        silent = ratio <= NO_SIGNAL
        return columns_in_words(columns, self.outputs.values, scaling, ratio, silent)

    def silent_in_words(self) -> tuple[str, ...]:
        """A note on columns without names that the map does not explain."""
        assert self.outputs is not None and self.layer.local is not None
        links, ratio = self.outputs.linked(self.layer.local.links), np.asarray(self.layer.ratio)
        silent = int(np.sum(ratio <= NO_SIGNAL * np.where(links.numbers, 1.0, links.noise)))
        if not silent:
            return ()
        return (all_noise(silent, len(ratio)),)

    def as_posterior(self, scaling: Scaling) -> Posterior:
        layer = self.layer
        assert self.outputs is not None and layer.bias is not None and layer.local is not None
        units = replace(scaling, center=scaling.center + scaling.scale * layer.bias)
        links = self.outputs.linked(layer.local.links).in_units(scaling.scale)
        found = replace(super().as_posterior(units), links=links)
        return found if self.outputs.errors is None else _without_errors(found)


def _without_errors(found: Posterior) -> Posterior:
    """The posterior for rows without known errors: numbers, whose unit is their column's noise."""
    assert found.links is not None and found.each is not None
    own = np.array([isinstance(column, WithErrors) for column in found.links.columns])
    unit, each, groups = np.ones(len(own)), found.each, np.asarray(found.groups)
    unit[own] = np.sqrt(found.links.noise[own]) / found.scale[own]
    shares = each.shares / unit[:, None] ** 2
    gap = [
        (basis * np.mean(shares[groups == g], axis=0)) @ basis.T
        for g, basis in enumerate(each.basis)
    ]
    numbers = own | found.links.numbers
    columns = (
        Number() if number else column
        for number, column in zip(numbers, found.links.columns, strict=True)
    )
    return replace(
        found,
        weights=found.weights / unit,
        gap=np.stack(gap),
        scale=found.scale * unit,
        each=replace(each, ratio=each.ratio / unit**2, shares=shares),
        links=None if numbers.all() else Links(tuple(columns)),
    )


@dataclass(frozen=True)
class KindsGraph(Graph):
    """A graph whose layers to data may have outputs of several kinds."""

    phases: Sequence[Phase] = PHASES

    def start(self, seed: int, recipe: str = "") -> Parameters:
        return self._with_factors(super().start(seed, recipe), self.phases[0])

    def entering(
        self, parameters: Parameters, phase: Phase, ask: Callable[[], None] | None = None
    ) -> Parameters:
        return self._with_factors(super().entering(parameters, phase, ask), phase)

    def _with_factors(self, parameters: Parameters, phase: Phase) -> Parameters:
        """The parameters with Gaussian factors that are optimal for the phase."""
        nodes, layers = self.believed(parameters), []
        for edge, layer in zip(self.edges, parameters.layers, strict=True):
            if isinstance(edge, KindsEdge):
                for _ in range(SWEEPS):
                    source = self.source(edge, nodes)
                    layer = edge.updated(layer, source, self.jitter, phase)
            layers.append(layer)
        return replace(parameters, layers=tuple(layers))


def any_kinds(
    node: Node, begin: Start, jitter: float, executor: Executor, noises: Sequence[Noise]
) -> KindsGraph:
    """The training problem of a table, or of several views, with columns of any kind.

    noises: the noise of every view that has only numbers.
    """
    within, across = shared_out(executor, len(begin.mixed))
    edges = tuple(
        to_data(values, within, noise) if own is None else KindsEdge.of(own, within)
        for values, own, noise in zip(begin.outputs, begin.mixed, noises, strict=True)
    )
    phases = PHASES if all(begin.mixed) else HELD + PHASES
    return KindsGraph((node,), edges, begin, jitter, across, phases)


def all_rows_in_words(count: int) -> tuple[str, ...]:
    """A note for tables so large that a model of numbers would train only on a sample."""
    if not are_many(count):
        return ()
    return (
        f"training used all {count:,} rows: views with words or counts, such columns beside known "
        "factors, and known errors do not train on a sample. To train on fewer rows, pass fewer",
    )
