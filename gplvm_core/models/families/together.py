"""Families for small models, whose hidden dimensions or inducing outputs are correlated.

In family 6.3 (MATHEMATICS.md), all dimensions of a layer depend jointly on the inducing outputs. In
the full family 6.5, every output depends on all inputs of the layer. In family 6.6, the inducing
outputs depend on the inducing outputs of the layer above, through a full or low-rank matrix. Layers
pass full covariances to the layers below.

Also here: a layer of the full family 6.5. The posterior is q(h_n | h⁻_n) = N(a_n + T_n (h⁻_n −
a⁻_n), diag S_n). As in the diagonal family, the parameter is the marginals' mean a = Ta⁻ + m. q(u)
is independent of q(h) and optimal: the bound is the collapsed bound with A = Σ_n (κ1_n T_nᵀ + κ0_n
a_nᵀ), where κ1 uses inputs relative to their mean, and yy = Σ_n (‖a_n‖² + tr Γ_n). The layer below
gets a and the full covariance Γ = TΓ⁻Tᵀ + diag S. T has no effect for exactly known inputs. Source:
Chamberlin (2016), §4.6.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds.layer import Layer, Scales, evaluate_statistics
from gplvm_core.kernels.tilted import as_rbf
from gplvm_core.models.families.chained import InducingGivenAbove, chained, chained_to_data
from gplvm_core.models.families.correlated import Correlated, correlated_statistics, to_data
from gplvm_core.models.families.graph import Following
from gplvm_core.models.families.joint import JointlyGivenInducing, joint
from gplvm_core.models.families.layer_result import (
    AtLayer,
    LayerResult,
    Moved,
    at_data,
    best_scales,
)
from gplvm_core.models.families.reverse import needs_autograd
from gplvm_core.models.problems.edges import LayerEdge, Settled
from gplvm_core.models.problems.graph import Graph, Parameters
from gplvm_core.models.training.run import Phase
from gplvm_core.numerics import Array, symmetrise
from gplvm_core.statistics import Targets


@dataclass(frozen=True)
class FullyGivenInputs:
    """Parameters of q(h | h⁻): the marginals' mean a, S, and T; gradients have this type, too."""

    mean: Float[Array, "N D"]
    variance: Float[Array, "N D"]
    follows: Float[Array, "N D Q"]


def given_inputs_full(
    layer: Layer, source: Correlated, own: FullyGivenInputs, scales: Scales, *, jitter: float
) -> LayerResult[Correlated]:
    """Evaluate a layer: F_l, its gradients, and q of the outputs.

    scales: which scales of the layer are optimised. Raises NotPositiveDefiniteError, and
    KernelError for kernels other than RBF.
    """
    follows, turned = own.follows, np.swapaxes(own.follows, 1, 2)
    diagonal = own.variance[:, :, None] * np.eye(own.mean.shape[1])
    covariance = follows @ source.covariance @ turned + diagonal
    mean = own.mean - layer.linear_mean(source.marginals)
    entropy, d_entropy = Belief(own.mean, own.variance).entropy()
    spread = float(np.trace(covariance, axis1=1, axis2=2).sum())
    reduced = correlated_statistics(layer, source, Targets.whole(mean), follows, spread)
    at = evaluate_statistics(layer, *reduced, scales, jitter=jitter, mean_field=True)

    def pullback(adjoint: Correlated) -> Moved:
        d_source, d_mean, d_follows, d_yy = at.targets
        d_covariance = symmetrise(adjoint.covariance) + d_yy * np.eye(own.mean.shape[1])
        d_variance = np.diagonal(d_covariance, axis1=1, axis2=2) + d_entropy.variance
        d_noise = at.noise_variance if at.profile is None else 0.0
        return Moved(
            Correlated(d_source.mean, d_source.covariance + turned @ d_covariance @ follows),
            Layer(at.gradients.kernel, at.gradients.inducing, d_noise),
            FullyGivenInputs(
                adjoint.mean + d_mean,
                d_variance,
                d_follows + 2.0 * d_covariance @ follows @ source.covariance,
            ),
        )

    capped = 0 if at.profile is None else int(at.profile.capped)
    return LayerResult(
        Correlated(own.mean, covariance),
        at.layer,
        at.posterior,
        at.statistics,
        at.jitter,
        entropy,
        pullback,
        capped,
    )


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
                f"family={self.name!r} is for small models: {n_rows} rows × {n_inducing}² inducing "
                f"inputs × {n_inputs}{'²' if squared else ''} dimensions of a layer's inputs are "
                f"more than {MOST_NUMBERS:,}. Use fewer inducing inputs, or family='gated'"
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
