"""Families whose hidden dimensions are independent of each other: gated, free and diagonal."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer
from gplvm_core.kernels.tilted import as_rbf
from gplvm_core.models.families.chained import InducingGivenAbove
from gplvm_core.models.families.given_inducing import GivenInducing, given_inducing
from gplvm_core.models.families.given_inputs import GivenInputs, given_inputs
from gplvm_core.models.families.graph import Following, best_scales
from gplvm_core.models.families.handed import Handed
from gplvm_core.models.problems.edges import LayerEdge
from gplvm_core.models.problems.graph import Parameters
from gplvm_core.numerics import Array


@dataclass(frozen=True)
class GatedFamily(Following):
    """6.2 with one gate for each dimension: hidden outputs follow the inducing outputs."""

    def start(self, own: Belief, inducing: Array) -> GivenInducing:
        return GivenInducing(own.mean, own.variance, np.zeros(own.n_latent))

    def profiled(self, edge: LayerEdge) -> bool:
        return not edge.ends_in_node

    def hidden(
        self,
        layer: Layer,
        source: Belief,
        own: GivenInducing,
        across: InducingGivenAbove | None,
        jitter: float,
    ) -> Handed[Belief]:
        return given_inducing(layer, source, own, jitter=jitter)


@dataclass(frozen=True)
class FreeFamily(GatedFamily):
    """6.2 with a free matrix for each dimension."""

    def start(self, own: Belief, inducing: Array) -> GivenInducing:
        transfer = np.zeros((own.n_latent, own.n_points, len(inducing)))
        return GivenInducing(own.mean, own.variance, transfer=transfer)


@dataclass(frozen=True)
class DiagonalFamily(Following):
    """6.5: every hidden output follows the input of its own number."""

    independent: bool = True
    summarised: bool = True

    def check(self, edges: Any, begun: Parameters) -> None:
        for edge, layer in zip(edges, begun.layers, strict=True):
            if edge.ends_in_node:
                as_rbf(layer.kernel)

    def start(self, own: Belief, inducing: Array) -> GivenInputs:
        common = min(inducing.shape[1], own.n_latent)
        return GivenInputs(own.mean, own.variance, np.zeros((own.n_points, common)))

    def profiled(self, edge: LayerEdge) -> bool:
        return True

    def hidden(
        self,
        layer: Layer,
        source: Belief,
        own: GivenInputs,
        across: InducingGivenAbove | None,
        jitter: float,
    ) -> Handed[Belief]:
        return given_inputs(layer, source, own, best_scales(jitter), jitter=jitter)
