"""The bound of rows at all nodes of a graph, with fixed layers; it is a sum over rows.

As in one layer, q(u) is fixed. A row's outputs of a hidden layer have a posterior N(m, s).
Their expected log density is added to the terms of the layers to data.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Self

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array
from gplvm_core.optimise import minimise_rows
from gplvm_core.parameters import add
from gplvm_core.prediction.network import Network, Outputs
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.row_terms import (
    ROWS_PER_TILE,
    CertainTerms,
    MixedTerms,
    RowTerms,
    UncertainTerms,
)
from gplvm_core.priors import StandardNormal
from gplvm_core.statistics import LinearMean

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class HiddenTerms:
    """⟨log p(h_n | f)⟩ of rows with uncertain outputs in the layer, and the outputs' entropy."""

    terms: UncertainTerms

    @classmethod
    def of(cls, posterior: Posterior, tile: int = ROWS_PER_TILE) -> Self:
        return cls(UncertainTerms.of(posterior, np.zeros((1, posterior.n_outputs)), tile))

    def data(self, above: Belief, below: Belief) -> tuple[Array, Belief, Belief]:
        """Return values (r,), and gradients in the posteriors of the rows' inputs and outputs."""
        posterior, rows = self.terms.posterior, np.arange(above.n_points)
        psi1, pull_psi1 = posterior.kernel.psi1(above.mean, above.variance, posterior.inducing)
        left, squares, linear = below.mean, np.zeros(len(rows)), None
        if posterior.slope is not None:
            linear = LinearMean.of(
                posterior.slope, posterior.kernel, above, posterior.inducing, psi1
            )
            left, squares = linear.left(below.mean), linear.squares
        full = np.ones(len(rows))
        here = replace(
            self.terms,
            carried=left @ posterior.weights.T,
            yy=np.sum(left**2 + below.variance, axis=1) + squares,
            count=self.terms.count[0] * full,
            level=self.terms.level[0] * full,
        )
        value, d_mean, d_variance = here.data(above.mean, above.variance, rows)
        precision = 1.0 / posterior.noise_variance
        d_left = precision * (psi1 @ posterior.weights - left)
        value = value + 0.5 * np.sum(np.log(2.0 * np.pi * np.e * below.variance), axis=1)
        if linear is not None:
            d_carried = precision * posterior.weights
            more, d_psi1, slid = linear.pullback(d_left, d_carried, -0.5 * precision)
            value, slid = value + more, slid + pull_psi1(d_psi1)
            d_mean, d_variance = d_mean + slid.mean, d_variance + slid.variance
        d_below = Belief(d_left, 0.5 / below.variance - 0.5 * precision)
        return value, Belief(d_mean, d_variance), d_below


@dataclass(frozen=True)
class Link:
    """A hidden layer from some nodes to another node.

    informed: 1 for rows with observed data below the layer, 0 for other rows, whose outputs are
    integrated out.
    """

    terms: HiddenTerms
    sources: tuple[int, ...]
    below: int
    informed: Float[Array, " N"]

    def data(self, above: Belief, below: Belief, rows: Rows) -> tuple[Array, Belief, Belief]:
        value, *slopes = self.terms.data(above, below)
        used = self.informed[rows]
        if not used.all():
            value = used * value
            slopes = [Belief(used[:, None] * b.mean, used[:, None] * b.variance) for b in slopes]
        return value, slopes[0], slopes[1]


@dataclass(frozen=True)
class RowBound:
    """The terms of all layers in the bound of rows with given outputs.

    ends: the terms of the observed data, with the source nodes and the weights of their layers.
    nodes: the inferred nodes in order. known: the rows' posteriors at all other nodes. roots: the
    nodes whose divergence from N(0, I) is subtracted.
    """

    ends: tuple[tuple[RowTerms, tuple[int, ...], float], ...]
    hidden: tuple[Link, ...]
    nodes: tuple[int, ...]
    known: Mapping[int, Belief] = field(default_factory=dict)
    roots: tuple[int, ...] = ()

    @classmethod
    def of(
        cls,
        network: Network,
        outputs: Outputs,
        inputs: Mapping[int, Float[Array, "N _Q"]] | None = None,
        *,
        roots: tuple[int, ...] = (),
        certain: bool = False,
        tile: int = ROWS_PER_TILE,
    ) -> Self:
        """Make the bound of rows with these outputs (user's units), at all nodes above data.

        certain: whether nodes have points instead of posteriors.
        """
        flags = network.informed(outputs)
        informed = dict(zip(network.free, flags.T, strict=True))
        ends = list[tuple[RowTerms, tuple[int, ...], float]]()
        for name, values in outputs.items():
            edge = network.ends[name]
            if not np.isnan(values).all():
                internal = edge.posterior.to_internal(values)
                terms: RowTerms
                if edge.posterior.row_links is not None:
                    terms = MixedTerms.of(edge.posterior, internal, tile)
                elif certain:
                    terms = CertainTerms.of(edge.posterior, internal)
                else:
                    terms = UncertainTerms.of(edge.posterior, internal, tile)
                ends.append((terms, edge.sources, edge.weight))
        links = tuple(
            Link(
                HiddenTerms.of(edge.posterior, tile),
                edge.sources,
                edge.target,
                informed[edge.target].astype(np.float64),
            )
            for edge in network.edges
            if isinstance(edge.target, int) and informed[edge.target].any()
        )
        nodes = tuple(at for at in network.free if informed[at].any())
        known = {at: Belief.certain(values) for at, values in (inputs or {}).items()}
        return cls(tuple(ends), links, nodes, known, tuple(at for at in roots if at in nodes))

    def data(self, beliefs: Sequence[Belief], rows: Rows) -> tuple[Array, list[Belief]]:
        """Return values (r,) of the rows with these numbers, and gradients in the posteriors at
        every inferred node.
        """
        value = np.zeros(len(rows))
        at = {node: known.rows(rows) for node, known in self.known.items()}
        at |= dict(zip(self.nodes, beliefs, strict=True))
        slopes = {
            node: Belief(np.zeros_like(b.mean), np.zeros_like(b.mean)) for node, b in at.items()
        }

        def joined(sources: tuple[int, ...]) -> Belief:
            return reduce(Belief.beside, (at[node] for node in sources))

        def pull(sources: tuple[int, ...], gradient: Belief) -> None:
            parts = gradient.split([at[node].n_latent for node in sources])
            for node, own in zip(sources, parts, strict=True):
                slopes[node] = add(slopes[node], own)

        for terms, sources, weight in self.ends:
            inputs = joined(sources)
            own, d_mean, d_variance = terms.data(inputs.mean, inputs.variance, rows)
            value = value + weight * own
            pull(sources, Belief(weight * d_mean, weight * d_variance))
        for link in self.hidden:
            own, above, below = link.data(joined(link.sources), at[link.below], rows)
            value = value + own
            pull(link.sources, above)
            slopes[link.below] = add(slopes[link.below], below)
        for root in self.roots:
            own, slope = _divergence(at[root])
            value, slopes[root] = value - own, add(slopes[root], slope)
        return value, [slopes[node] for node in self.nodes]


def _divergence(belief: Belief) -> tuple[Array, Belief]:
    """Return KL(q ‖ N(0, I)) of every row, and minus its gradient.

    For points without variances, the KL is replaced by −log N(x; 0, I), up to a constant.
    """
    if belief.known:
        value = 0.5 * np.sum(belief.mean**2, axis=1)
        return value, Belief(-belief.mean, belief.variance)  # all variances are 0
    _, slope = StandardNormal().kl(belief)
    own = StandardNormal().kl_terms(belief).sum(axis=1)
    return own, Belief(-slope.mean, -slope.variance)


@dataclass(frozen=True)
class Search:
    """The bound of rows as a function of one vector per row: means in units of `scale`, and
    logarithms of standard deviations, side by side for all inferred nodes.

    certain: whether points have no variances. starts: how many successive vectors belong to one
    row.
    """

    bound: RowBound
    widths: tuple[int, ...]
    scale: Float[Array, " P"]
    certain: bool = False
    starts: int = 1

    def highest(
        self, start: Belief, iterations: int, tolerance: float
    ) -> tuple[Belief, Float[Array, " R"]]:
        """Find a local maximum of each row's bound from its start; return the points and bounds."""
        mean = start.mean / self.scale
        vector = mean if self.certain else np.hstack([mean, 0.5 * np.log(start.variance)])
        found = minimise_rows(self._negative, vector, iterations, tolerance)
        return self._unpacked(found.x), -found.values

    def _unpacked(self, vector: Array) -> Belief:
        width = len(self.scale)
        mean = self.scale * vector[:, :width]
        certain = np.zeros_like(mean)
        return Belief(mean, certain if self.certain else np.exp(2.0 * vector[:, width:]))

    def _negative(self, vector: Array, rows: Rows) -> tuple[Array, Array]:
        # A step that is too long may overflow; the row's evaluation is then rejected.
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            at = self._unpacked(vector)
            value, slopes = self.bound.data(at.split(self.widths), rows // self.starts)
            slope = -self.scale * np.hstack([each.mean for each in slopes])
            if not self.certain:
                spread = np.hstack([each.variance for each in slopes])
                slope = np.hstack([slope, -2.0 * at.variance * spread])
            return -value, slope
