"""Data → the hidden and the latent points of new rows in a deep model, all layers together."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray
from scipy.special import logsumexp

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Collapsed, collapsed, gram_factor, marginalised
from gplvm_core.numerics import Array, Factor
from gplvm_core.parameters import add
from gplvm_core.prediction.density import gains
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.project import THOROUGH, Effort, Projection, RowsFunction, projected
from gplvm_core.prediction.row_bound import HiddenTerms, RowBound
from gplvm_core.prediction.row_terms import (
    Evidence,
    rows_seen,
)
from gplvm_core.priors import StandardNormal
from gplvm_core.statistics import Statistics, Targets, reduce_statistics

Rows = NDArray[np.intp]


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


def as_seen_by(posterior: Posterior, own: Projection, top: Projection) -> Projection:
    """Explanations at a layer's node, with the top's beside them where the layer sees both."""
    if posterior.n_latent == own.mean.shape[2]:
        return own
    mean, variance = (
        np.concatenate([getattr(each, name) for each in (own, top)], axis=2)
        for name in ("mean", "variance")
    )
    return Projection(mean, variance, own.bound)


def beliefs_at(evidence: Sequence[Evidence], training: Sequence[Belief]) -> list[Belief]:
    """Of the training rows at every node that matters to the evidence: those that views share, the
    top first, and then those of each view's own layers.
    """
    return [*training, *(layer.training for each in evidence for layer in each.own)]


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
    training: what is believed at their nodes about the training rows, whose places the new rows
    start from; layers of a view's own, and their nodes, come with its evidence (`beliefs_at`).
    partial: there are more outputs than the evidence holds. Source: Damianou (2015), §3.4.1, for
    every layer of §6.2.
    """
    last, top = training[-1].mean, training[0].mean
    if evidence[0].layers[0].n_latent > last.shape[1]:
        last = np.hstack([last, top])
    training = beliefs_at(evidence, training)
    untold = _untold(evidence, sum(each.n_latent for each in training))

    def bound(some: Sequence[Evidence], rows: Rows) -> RowBound:
        return RowBound.of(some, above)

    return infer_nodes(bound, evidence, training, (0,), last, untold, partial, effort)


def infer_nodes(
    bound_of: Callable[[Sequence[Evidence], Rows], RowBound],
    evidence: Sequence[Evidence],
    training: Sequence[Belief],
    roots: Sequence[int],
    places: Array,
    untold: Bool[NDArray[np.bool_], "N P"] | None,
    partial: bool,
    effort: Effort,
) -> Projection:
    """q of all nodes of new rows side by side, each row on its own.

    bound_of: of some of the rows, by their numbers. training: what is believed at every node about
    the training rows. roots: nodes with the prior N(0, I). places: of the training rows, where
    starts are to be apart. untold: of which dimensions a row's bound says nothing.
    """
    nodes, n_all = Nodes.of(training), sum(each.n_latent for each in training)
    scale = np.sqrt(np.concatenate([each.variance.mean(axis=0) for each in training]))

    def unpack(vector: Array) -> tuple[Array, Array]:
        return scale * vector[:, :n_all], np.exp(2.0 * vector[:, n_all:])

    def start(nearest: Rows) -> Array:
        mean = np.hstack([each.mean[nearest] for each in training])
        variance = np.hstack([each.variance[nearest] for each in training])
        return np.hstack([mean / scale, 0.5 * np.log(variance)])

    def objective(evidence: Sequence[Evidence], starts: int, which: Rows) -> RowsFunction:
        bound = bound_of(evidence, which)

        def negative_bound(vector: Array, rows: Rows) -> tuple[Array, Array]:
            # A step too long may overflow: that row's evaluation is rejected.
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                mean, variance = unpack(vector)
                beliefs = [Belief(mean[:, at], variance[:, at]) for at in nodes]
                value, slopes = bound.data(beliefs, rows // starts)
                prior = StandardNormal()
                for root in roots:
                    _, d_kl = prior.kl(beliefs[root])
                    value = value - prior.kl_terms(beliefs[root]).sum(axis=1)
                    slopes[root] = add(slopes[root], Belief(-d_kl.mean, -d_kl.variance))
                d_means = np.hstack([each.mean for each in slopes])
                d_variances = np.hstack([each.variance for each in slopes])
                return -value, -np.hstack([scale * d_means, 2.0 * variance * d_variances])

        return negative_bound

    settings = objective, start, unpack, np.hstack([each.mean for each in training]), effort
    return projected(evidence, places, partial, *settings, untold)


def _untold(evidence: Sequence[Evidence], n_all: int) -> Bool[NDArray[np.bool_], "N P"] | None:
    """Which dimensions of the nodes, side by side, belong to a view that a row lacks."""
    own = [(rows_seen([each]), layer.training.n_latent) for each in evidence for layer in each.own]
    if not own:
        return None
    private = [np.repeat(~seen[:, None], width, axis=1) for seen, width in own]
    shared = n_all - sum(width for _, width in own)
    return np.hstack([np.zeros((len(own[0][0]), shared), dtype=bool), *private])


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
    there; above: the hidden layers; found: at the nodes as `beliefs_at` has them. Every layer gets
    the row's belief; explanations of a row count together. A hidden layer without statistics keeps
    its q(u), which can only lower the difference.
    """
    top, shared = found[0], len(above)
    bound = collapsed if mean_field else marginalised
    told = np.where(np.isfinite(top.bound), 0.0, -np.inf)
    n_latent = top.mean.shape[2]
    every = Belief(top.mean.reshape(-1, n_latent), top.variance.reshape(-1, n_latent))
    told -= StandardNormal().kl_terms(every).sum(axis=1).reshape(told.shape)
    layers = [*zip(above, known_above, found[:shared], found[1 : shared + 1], strict=True)]
    at = shared
    for each, statistics in zip(evidence, known, strict=True):
        seen, inputs = rows_seen([each]), found[shared]
        for layer in each.own:
            at, above_it = at + 1, replace(inputs, bound=_where(seen, inputs.bound))
            layers.append((layer.posterior, layer.statistics, above_it, found[at]))
            inputs = found[at]
        told += gains(each, statistics, as_seen_by(each.posterior, inputs, top))
    for posterior, own, inputs, outputs in layers:
        inputs = as_seen_by(posterior, inputs, top)
        if own is None:
            told += _gains_held(posterior, inputs, outputs)
        else:
            told += _hidden_gains(posterior, own, inputs, outputs, bound)
    return np.asarray(logsumexp(told, axis=1))


def _where(seen: NDArray[np.bool_], bound: Float[Array, "N K"]) -> Float[Array, "N K"]:
    """Explanations of the rows that a view has; of the others its own layers say nothing."""
    return np.where(seen[:, None], bound, -np.inf)


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
