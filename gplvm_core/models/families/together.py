"""Families for small models, whose hidden dimensions or inducing outputs are correlated.

In family 6.3 (MATHEMATICS.md), all dimensions of a layer depend jointly on the inducing outputs. In
the full family 6.5, every output depends on all inputs of the layer. In family 6.6, the inducing
outputs depend on the inducing outputs of the layer above, through a full or low-rank matrix. Layers
pass full covariances to the layers below.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, Scales
from gplvm_core.kernels.tilted import as_rbf
from gplvm_core.models.families.chained import InducingGivenAbove, chained, chained_to_data
from gplvm_core.models.families.correlated import Correlated, to_data
from gplvm_core.models.families.given_inputs_full import FullyGivenInputs, given_inputs_full
from gplvm_core.models.families.graph import Following
from gplvm_core.models.families.joint import JointlyGivenInducing, joint
from gplvm_core.models.families.layer_result import AtLayer, LayerResult, at_data, best_scales
from gplvm_core.models.families.reverse import needs_autograd
from gplvm_core.models.problems.edges import LayerEdge, Settled
from gplvm_core.models.problems.graph import Graph, Parameters
from gplvm_core.models.training.run import Phase
from gplvm_core.numerics import Array
from gplvm_core.statistics import Targets

# The largest allowed size of a layer's arrays: of an expectation, and of the covariance of the
# stacked inducing outputs. The pullback needs several copies of such arrays (40 MB each).
MOST_NUMBERS = 5_000_000
RANK = 2


@dataclass(frozen=True)
class JointFamily(Following):
    """Family 6.3: outputs depend on the inducing outputs of all dimensions, by a gate matrix."""

    def graph(self, plain: Graph) -> Graph:
        if len(plain.nodes) > 1 and any(edge.per_output for edge in plain.edges):
            raise ValueError(
                f"family={self.name!r} does not support noise='per_output': use noise='shared'"
            )
        return super().graph(plain)

    def check(self, edges: Sequence[LayerEdge], begun: Parameters) -> None:
        needs_autograd()
        for edge, layer in zip(edges, begun.layers, strict=True):
            as_rbf(layer.kernel)
            self._check_size(edge, layer, begun.nodes[1].n_points)

    def _check_size(
        self, edge: LayerEdge, layer: Layer, n_rows: int, *, squared: bool = False
    ) -> None:
        n_inducing, n_inputs = layer.inducing.shape
        power = 2 if squared else 1
        if n_rows * n_inducing**2 * n_inputs**power > MOST_NUMBERS:
            raise ValueError(
                f"family={self.name!r} is for small models: {n_rows} rows × {n_inducing}² "
                f"inducing inputs × {n_inputs}{'²' if squared else ''} dimensions of a layer's "
                f"inputs are more than {MOST_NUMBERS:,}. Use fewer inducing inputs, or "
                "family='gated'"
            )

    def seen(self, top: Belief) -> Correlated:
        return Correlated.of(top)

    def start(self, own: Belief, inducing: Array) -> Any:
        return JointlyGivenInducing.independent(own)

    def profiled(self, edge: LayerEdge) -> bool:
        return not edge.ends_in_node

    def hidden(self, seen: AtLayer, own: Any) -> LayerResult[Correlated]:
        found = joint(seen.layer, seen.source, own, jitter=seen.jitter)
        # `above` is left out: only layers of the chained family (6.6) need it.
        return replace(found, belief=replace(found.belief, above=None))

    def to_data(self, seen: AtLayer, phase: Phase) -> LayerResult[Any]:
        scales, data = best_scales(seen.jitter, phase.ratio), seen.edge.data
        at = to_data(seen.layer, seen.source, data, scales, jitter=seen.jitter)
        return at_data(at, at.targets[0])

    def settled(self, seen: AtLayer, found: LayerResult[Any], whole: Targets) -> Settled:
        at = to_data(found.layer, seen.source, whole, Scales(), jitter=seen.jitter)
        return replace(at_data(at, None).settled, capped=found.capped)


@dataclass(frozen=True)
class FullFamily(JointFamily):
    """Family 6.5, full: every hidden output depends on all inputs."""

    independent: bool = True
    summarised: bool = True

    def start(self, own: Belief, inducing: Array) -> FullyGivenInputs:
        none = np.zeros((*own.mean.shape, inducing.shape[1]))
        return FullyGivenInputs(own.mean, own.variance, none)

    def profiled(self, edge: LayerEdge) -> bool:
        return True

    def hidden(self, seen: AtLayer, own: FullyGivenInputs) -> LayerResult[Correlated]:
        scales = best_scales(seen.jitter)
        return given_inputs_full(seen.layer, seen.source, own, scales, jitter=seen.jitter)


@dataclass(frozen=True)
class ChainFamily(JointFamily):
    """Family 6.6: like the joint family, but inducing outputs also depend on the layer above.

    They depend on the inducing outputs of the layer above through a full matrix.
    """

    def check(self, edges: Sequence[LayerEdge], begun: Parameters) -> None:
        super().check(edges, begun)
        for edge in edges:
            if not edge.ends_in_node:
                self._check_data(edge.data)

    def _check_size(
        self, edge: LayerEdge, layer: Layer, n_rows: int, *, squared: bool = False
    ) -> None:
        below = edge.source > 0
        super()._check_size(edge, layer, n_rows, squared=below)
        if edge.ends_in_node or not below:
            return
        width, n_inducing = edge.data.n_outputs, len(layer.inducing)
        if (width * n_inducing) ** 2 > MOST_NUMBERS:
            raise ValueError(
                f"family={self.name!r} is for small models: the {width} outputs × {n_inducing} "
                f"inducing inputs of a layer, squared, are more than {MOST_NUMBERS:,}. Use fewer "
                "inducing inputs, or family='joint'"
            )

    def _check_data(self, data: Targets) -> None:
        if data.patterns is not None or data.values.shape[1] != data.n_outputs:
            raise ValueError(
                f"family={self.name!r} needs outputs without missing values, with at most as many "
                "columns as rows: use family='joint'"
            )

    def across(self, size: int, above: int) -> InducingGivenAbove:
        return InducingGivenAbove(np.zeros((size, above)))

    def profiled(self, edge: LayerEdge) -> bool:
        return False

    def hidden(self, seen: AtLayer, own: JointlyGivenInducing) -> LayerResult[Correlated]:
        if seen.across is None:
            return joint(seen.layer, seen.source, own, jitter=seen.jitter)
        return chained(seen.layer, seen.source, seen.across, own, jitter=seen.jitter)

    def to_data(self, seen: AtLayer, phase: Phase) -> LayerResult[Any]:
        assert seen.across is not None  # in a deep model, a layer to data is below a hidden layer
        values = seen.edge.data.values
        return chained_to_data(seen.layer, seen.source, seen.across, values, jitter=seen.jitter)

    def settled(self, seen: AtLayer, found: LayerResult[Any], whole: Targets) -> Settled:
        return found.settled


@dataclass(frozen=True)
class LowRankChainFamily(ChainFamily):
    """Family 6.6 with a matrix of low rank."""

    def across(self, size: int, above: int) -> InducingGivenAbove:
        rank = min(RANK, size, above)
        right = np.linalg.qr(np.random.default_rng(0).normal(size=(above, rank)))[0].T
        return InducingGivenAbove(None, np.zeros((size, rank)), np.ascontiguousarray(right))
