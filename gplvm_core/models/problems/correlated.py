"""Chains whose hidden dimensions, or inducing outputs, hang together: families for small models.

All dimensions of a layer jointly (MATHEMATICS.md, 6.3), q(h | h⁻) with every output following all
inputs (full 6.5), and inducing outputs that follow those of the layer above (6.6), whole or of low
rank. Trained as the conditional families are; what a layer hands down are full covariances.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, LayerValue, Scales
from gplvm_core.bounds.families import (
    Correlated,
    FullyGivenInputs,
    Handed,
    InducingGivenAbove,
    JointlyGivenInducing,
    Moved,
    chained,
    chained_to_data,
    given_inputs_full,
    joint,
    to_data,
)
from gplvm_core.kernels.tilted import as_rbf
from gplvm_core.models.problems.conditional import (
    TRANSFER_SCALE,
    ConditionalGraph,
    settled_as,
)
from gplvm_core.models.problems.edges import FREE, LayerEdge, Settled
from gplvm_core.models.problems.graph import Parameters
from gplvm_core.models.training.run import Phase
from gplvm_core.numerics import needs_autograd
from gplvm_core.parameters import Layout, Leaf, leaves
from gplvm_core.statistics import Targets

# Numbers of an expectation of one layer, or of the covariance of its stacked inducing outputs,
# of which the way back keeps several copies: 40 MB each.
MOST_NUMBERS = 5_000_000
RANK = 2


@dataclass(frozen=True)
class ChainParameters(Parameters):
    """With R of every layer, of the first none."""

    across: tuple[InducingGivenAbove | None, ...] = ()


@dataclass(frozen=True)
class CorrelatedGraph(ConditionalGraph):
    """A conditional graph whose layers hand full covariances down."""

    def start(self, seed: int) -> Parameters:
        needs_autograd()
        begun = super().start(seed)
        for edge, layer in zip(self.edges, begun.layers, strict=True):
            as_rbf(layer.kernel)
            self._check_size(edge, layer, begun.nodes[1].n_points)
            if self._chained and not edge.ends_in_node:
                self._check_data(edge.data)
        return begun

    @property
    def _chained(self) -> bool:
        return self.family in ("chain", "low_rank_chain")

    def _check_size(self, edge: LayerEdge, layer: Layer, n_rows: int) -> None:
        (n_inducing, n_inputs), chain = layer.inducing.shape, self._chained and edge.source > 0
        squared = "²" if chain else ""
        numbers = n_rows * n_inducing**2 * n_inputs ** (2 if chain else 1)
        if numbers > MOST_NUMBERS:
            raise ValueError(
                f"family={self.family!r} is for small models: {n_rows} rows × {n_inducing}² "
                f"inducing inputs × {n_inputs}{squared} dimensions of a layer's inputs are more "
                f"than {MOST_NUMBERS:,}. Use fewer inducing inputs, or family='gated'"
            )
        width = edge.data.n_outputs if not edge.ends_in_node else None
        if width is not None and chain and (width * n_inducing) ** 2 > MOST_NUMBERS:
            raise ValueError(
                f"family={self.family!r} is for small models: the {width} outputs × {n_inducing} "
                f"inducing inputs of a layer, squared, are more than {MOST_NUMBERS:,}. Use fewer "
                "inducing inputs, or family='joint'"
            )

    def _check_data(self, data: Targets) -> None:
        if data.patterns is not None or data.values.shape[1] != data.n_outputs:
            raise ValueError(
                f"family={self.family!r} is for outputs without missing values, and no more of "
                "them than rows: use family='joint'"
            )

    def _following(self, own: Belief, width: tuple[int, int]) -> Any:
        if self.family == "full":
            none = np.zeros((*own.mean.shape, width[1]))
            return FullyGivenInputs(own.mean, own.variance, none)
        return JointlyGivenInducing.independent(own)

    def _conditioned(self, parameters: Parameters) -> Parameters:
        found = super()._conditioned(parameters)
        if not self._chained:
            return found
        layers, across = list(found.layers), list[InducingGivenAbove | None]()
        sizes = [self._stacked(e, found) for e in range(len(self.edges))]
        for e, at in enumerate(self.values(parameters, FREE)):
            # Those of data, too, are functions of R.
            layers[e] = at.layer
            source = self.edges[e].source
            above = [i for i, edge in enumerate(self.edges) if edge.outputs == source]
            across.append(self._silent(sizes[e], sizes[above[0]]) if above else None)
        return ChainParameters(found.nodes, tuple(layers), tuple(across))

    def _stacked(self, e: int, parameters: Parameters) -> int:
        """How many inducing outputs a layer has."""
        outputs = self.edges[e].outputs
        width = outputs.n_outputs if isinstance(outputs, Targets) else _width(parameters, outputs)
        return width * len(parameters.layers[e].inducing)

    def _silent(self, size: int, above: int) -> InducingGivenAbove:
        """R = 0, from where it can move."""
        if self.family == "chain":
            return InducingGivenAbove(np.zeros((size, above)))
        rank = min(RANK, size, above)
        right = np.linalg.qr(np.random.default_rng(0).normal(size=(above, rank)))[0].T
        return InducingGivenAbove(None, np.zeros((size, rank)), np.ascontiguousarray(right))

    def layout(self, anchor: Parameters, phase: Phase) -> Layout:
        layout = super().layout(anchor, phase)
        if not isinstance(anchor, ChainParameters):
            return layout
        paths = leaves(anchor.across, "across")
        return replace(
            layout, free={**layout.free, **{path: Leaf(scale=TRANSFER_SCALE) for path in paths}}
        )

    def _seen(self, top: Belief) -> Correlated:
        return Correlated.of(top)

    def _profiled(self, edge: LayerEdge) -> bool:
        return self.family == "full" or (self.family == "joint" and not edge.ends_in_node)

    def _value(
        self, e: int, parameters: Parameters, source: Correlated, phase: Phase
    ) -> Handed[Any] | LayerValue:
        edge, layer, jitter = self.edges[e], parameters.layers[e], self.jitter
        across = parameters.across[e] if isinstance(parameters, ChainParameters) else None
        if not self._profiled(edge):
            self._check_ratio(layer)
        if isinstance(edge.outputs, int):
            own = parameters.nodes[edge.outputs]
            if isinstance(own, FullyGivenInputs):
                return given_inputs_full(layer, source, own, self._scales(), jitter=jitter)
            if across is not None:
                return chained(layer, source, across, own, jitter=jitter)
            found = joint(layer, source, own, jitter=jitter)
            return found if self._chained else _alone(found)
        if across is not None:
            return chained_to_data(layer, source, across, edge.data.values, jitter=jitter)
        scales = replace(self._scales(), ratio=phase.ratio)
        return to_data(layer, source, edge.data, scales, jitter=jitter)

    def _scales(self) -> Scales:
        return Scales(profile=True, most_ratio=1.0 / self.jitter)

    def _moved(self, at: Handed[Any] | LayerValue, met: Any) -> Moved:
        if isinstance(at, Handed):
            return at.pullback(met)
        layer = Layer(at.gradients.kernel, at.gradients.inducing, 0.0)
        return Moved(at.targets[0], layer, None)

    def _gradient(
        self, nodes: tuple[Any, ...], layers: tuple[Layer, ...], found: Sequence[Moved]
    ) -> Parameters:
        if not self._chained:
            return Parameters(nodes, layers)
        return ChainParameters(nodes, layers, tuple(moved.across for moved in found))

    def _settled(
        self, e: int, parameters: Parameters, source: Correlated, whole: Targets
    ) -> Settled:
        at = self._value(e, parameters, source, FREE)
        if isinstance(at, Handed):
            return settled_as(at)
        again = to_data(at.layer, source, whole, Scales(), jitter=self.jitter)
        capped = 0 if at.profile is None else int(np.sum(at.profile.capped))
        return settled_as(again, capped)


def _alone(handed: Handed[Correlated]) -> Handed[Correlated]:
    """Without what only a chain below would need."""
    return replace(handed, belief=Correlated(handed.belief.mean, handed.belief.covariance))


def _width(parameters: Parameters, node: int) -> int:
    return int(parameters.nodes[node].mean.shape[1])
