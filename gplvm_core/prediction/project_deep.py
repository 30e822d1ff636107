"""Data → the hidden and the latent points of new rows in a deep model, all layers together.

As in one layer (`project`), the layers' q(u) is held and the bound splits over rows: what a layer
says of a row whose outputs are a belief N(m, s) adds to what the last one says of the data.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from scipy.special import logsumexp

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Collapsed, collapsed, gram_factor, marginalised
from gplvm_core.numerics import Array, Factor
from gplvm_core.prediction.density import gains
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.project import THOROUGH, Effort, Projection, RowsFunction, projected
from gplvm_core.prediction.row_terms import Evidence, RowTerms, UncertainTerms, terms_of
from gplvm_core.priors import StandardNormal
from gplvm_core.statistics import HandedOn, Statistics, Targets, reduce_statistics

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class HiddenTerms:
    """⟨log p(h_n | f)⟩ of rows whose outputs in the layer are beliefs, and their entropy."""

    terms: UncertainTerms

    @classmethod
    def of(cls, posterior: Posterior) -> Self:
        return cls(UncertainTerms.of(posterior, np.zeros((1, posterior.n_outputs))))

    def data(self, above: Belief, below: Belief) -> tuple[Array, Belief, Belief]:
        """Values (r,), and gradients in the beliefs about inputs and outputs of the rows."""
        posterior, rows = self.terms.posterior, np.arange(above.n_points)
        psi1, pull_psi1 = posterior.kernel.psi1(above.mean, above.variance, posterior.inducing)
        left, squares, handed = below.mean, np.zeros(len(rows)), None
        if posterior.slope is not None:
            handed = HandedOn.of(posterior.slope, posterior.kernel, above, posterior.inducing, psi1)
            left, squares = handed.left(below.mean), handed.squares
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
        if handed is not None:
            d_carried = precision * posterior.weights
            more, d_psi1, slid = handed.pullback(d_left, d_carried, -0.5 * precision)
            value, slid = value + more, slid + pull_psi1(d_psi1)
            d_mean, d_variance = d_mean + slid.mean, d_variance + slid.variance
        d_below = Belief(d_left, 0.5 / below.variance - 0.5 * precision)
        return value, Belief(d_mean, d_variance), d_below


@dataclass(frozen=True)
class Nodes:
    """Where each node's dimensions stand among those of all nodes, the top first."""

    edges: tuple[int, ...]

    @classmethod
    def of(cls, beliefs: Sequence[Belief]) -> Self:
        return cls((0, *np.cumsum([each.n_latent for each in beliefs]).tolist()))

    def __iter__(self) -> Iterator[slice]:
        return (slice(a, b) for a, b in zip(self.edges[:-1], self.edges[1:], strict=True))

    def split(self, found: Projection) -> tuple[Projection, ...]:
        """Every node's part of explanations of all nodes together."""
        return tuple(
            Projection(found.mean[:, :, at], found.variance[:, :, at], found.bound) for at in self
        )


@dataclass(frozen=True)
class RowBound:
    """What all layers say of rows whose outputs are given: their bound but for the top's KL."""

    terms: RowTerms
    hidden: tuple[HiddenTerms, ...]

    @classmethod
    def of(cls, evidence: Sequence[Evidence], above: Sequence[Posterior]) -> Self:
        return cls(terms_of(evidence, UncertainTerms.of), tuple(map(HiddenTerms.of, above)))

    def data(self, beliefs: Sequence[Belief], rows: Rows) -> tuple[Array, list[Belief]]:
        """Values (r,), and gradients in the beliefs at every node, of the rows with these numbers
        in the evidence.
        """
        last = beliefs[-1]
        value, d_mean, d_variance = self.terms.data(last.mean, last.variance, rows)
        slopes = [Belief(np.zeros_like(b.mean), np.zeros_like(b.mean)) for b in beliefs[:-1]]
        slopes.append(Belief(d_mean, d_variance))
        for at, layer in enumerate(self.hidden):
            own, above, below = layer.data(beliefs[at], beliefs[at + 1])
            value = value + own
            slopes[at] = _sum(slopes[at], above)
            slopes[at + 1] = _sum(slopes[at + 1], below)
        return value, slopes


def project_nodes(
    evidence: Sequence[Evidence],
    above: Sequence[Posterior],
    training: Sequence[Belief],
    *,
    partial: bool = False,
    effort: Effort = THOROUGH,
) -> Projection:
    """q of all nodes of new rows side by side, the top first, each row on its own.

    evidence: outputs of the last layer, or of several on the last node. above: the hidden layers.
    training: what is believed at the nodes about the training rows, whose places the new rows start
    from. partial: there are more outputs than the evidence holds. Source: Damianou (2015), §3.4.1,
    for every layer of §6.2.
    """
    nodes, n_all = Nodes.of(training), sum(each.n_latent for each in training)
    scale = np.sqrt(np.concatenate([each.variance.mean(axis=0) for each in training]))

    def unpack(vector: Array) -> tuple[Array, Array]:
        return scale * vector[:, :n_all], np.exp(2.0 * vector[:, n_all:])

    def start(nearest: Rows) -> Array:
        mean = np.hstack([each.mean[nearest] for each in training])
        variance = np.hstack([each.variance[nearest] for each in training])
        return np.hstack([mean / scale, 0.5 * np.log(variance)])

    def objective(evidence: Sequence[Evidence], starts: int) -> RowsFunction:
        bound = RowBound.of(evidence, above)

        def negative_bound(vector: Array, rows: Rows) -> tuple[Array, Array]:
            # A step too long may overflow: that row's evaluation is rejected.
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                mean, variance = unpack(vector)
                beliefs = [Belief(mean[:, at], variance[:, at]) for at in nodes]
                value, slopes = bound.data(beliefs, rows // starts)
                prior = StandardNormal()
                _, d_kl = prior.kl(beliefs[0])
                value = value - prior.kl_terms(beliefs[0]).sum(axis=1)
                slopes[0] = _sum(slopes[0], Belief(-d_kl.mean, -d_kl.variance))
                d_means = np.hstack([each.mean for each in slopes])
                d_variances = np.hstack([each.variance for each in slopes])
                return -value, -np.hstack([scale * d_means, 2.0 * variance * d_variances])

        return negative_bound

    others = [each.mean for each in training[:-1]]
    settings = objective, start, unpack, others, effort
    return projected(evidence, training[-1].mean, partial, *settings)


def _sum(first: Belief, second: Belief) -> Belief:
    return Belief(first.mean + second.mean, first.variance + second.variance)


def log_density_deep(
    evidence: Sequence[Evidence],
    known: Sequence[Statistics],
    above: Sequence[Posterior],
    known_above: Sequence[Statistics | None],
    found: Sequence[Projection],
    *,
    mean_field: bool,
) -> Float[Array, " N"]:
    """log p(y* | Y) ≈ F(q(h*, X, x*)) − F(q(X)) of each row on its own, in nats, as `log_density`.

    evidence, known: outputs of the layers on the last node, and the training rows' statistics
    there; above: the hidden layers. Every layer gets the row's belief; explanations of a row count
    together. A hidden layer without statistics keeps its q(u), which can only lower the difference.
    """
    top, last = found[0], found[-1]
    bound = collapsed if mean_field else marginalised
    told = np.where(np.isfinite(top.bound), 0.0, -np.inf)
    n_latent = top.mean.shape[2]
    every = Belief(top.mean.reshape(-1, n_latent), top.variance.reshape(-1, n_latent))
    told -= StandardNormal().kl_terms(every).sum(axis=1).reshape(told.shape)
    for each, statistics in zip(evidence, known, strict=True):
        told += gains(each, statistics, last)
    layers = zip(above, known_above, found[:-1], found[1:], strict=True)
    for posterior, own, inputs, outputs in layers:
        if own is None:
            told += _gains_held(posterior, inputs, outputs)
        else:
            told += _hidden_gains(posterior, own, inputs, outputs, bound)
    return np.asarray(logsumexp(told, axis=1))


def _gains_held(posterior: Posterior, above: Projection, below: Projection) -> Array:
    """⟨log p(h | f)⟩ and the entropy of h, of every explanation, at the layer's q(u)."""
    found, there = np.zeros(above.bound.shape), np.isfinite(above.bound)
    inputs = Belief(above.mean[there], above.variance[there])
    own = Belief(below.mean[there], below.variance[there])
    found[there] = HiddenTerms.of(posterior).data(inputs, own)[0]
    return found


def _hidden_gains(
    posterior: Posterior,
    known: Statistics,
    above: Projection,
    below: Projection,
    bound: Callable[[Statistics, Factor, float], Collapsed],
) -> Float[Array, "N K"]:
    """By how much a row's belief about a hidden layer's outputs raises F, with its entropy."""
    kernel, inducing, noise = posterior.kernel, posterior.inducing, posterior.noise_variance
    gram = gram_factor(kernel, inducing, posterior.jitter, relative=False)
    before, found = bound(known, gram, noise).value, np.zeros(above.bound.shape)
    for n, k in zip(*np.nonzero(np.isfinite(above.bound)), strict=True):
        inputs = Belief(above.mean[n, k][None], above.variance[n, k][None])
        own = Belief(below.mean[n, k][None], below.variance[n, k][None])
        outputs = replace(Targets.believed(own), slope=posterior.slope)
        row, _ = reduce_statistics(kernel, inputs, inducing, outputs)
        found[n, k] = bound(known + row, gram, noise).value - before + own.entropy()[0]
    return found
