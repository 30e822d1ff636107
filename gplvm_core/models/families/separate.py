"""Families whose hidden dimensions are independent of each other: gated, free and diagonal."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gplvm_core.beliefs import Belief
from gplvm_core.kernels.tilted import as_rbf
from gplvm_core.models.families.given_inducing import GivenInducing, given_inducing
from gplvm_core.models.families.given_inputs import GivenInputs, given_inputs
from gplvm_core.models.families.graph import Following
from gplvm_core.models.families.layer_result import AtLayer, LayerResult, best_scales
from gplvm_core.models.problems.edges import LayerEdge
from gplvm_core.models.problems.graph import Parameters
from gplvm_core.numerics import Array


@dataclass(frozen=True)
class GatedFamily(Following):
    """Family 6.2 with one gate for each dimension: hidden outputs depend on inducing outputs."""

    def start(self, own: Belief, inducing: Array) -> GivenInducing:
        return GivenInducing(own.mean, own.variance, np.zeros(own.n_latent))

    def profiled(self, edge: LayerEdge) -> bool:
        return not edge.ends_in_node

    def hidden(self, seen: AtLayer, own: GivenInducing) -> LayerResult[Belief]:
        return given_inducing(seen.layer, seen.source, own, jitter=seen.jitter)


@dataclass(frozen=True)
class FreeFamily(GatedFamily):
    """Family 6.2 with a free matrix for each dimension."""

    def start(self, own: Belief, inducing: Array) -> GivenInducing:
        transfer = np.zeros((own.n_latent, own.n_points, len(inducing)))
        return GivenInducing(own.mean, own.variance, transfer=transfer)


@dataclass(frozen=True)
class DiagonalFamily(Following):
    """Family 6.5, diagonal: every hidden output depends on the input with the same index."""

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

    def hidden(self, seen: AtLayer, own: GivenInputs) -> LayerResult[Belief]:
        scales = best_scales(seen.jitter)
        return given_inputs(seen.layer, seen.source, own, scales, jitter=seen.jitter)
