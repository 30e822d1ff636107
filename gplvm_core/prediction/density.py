"""Log densities of new rows: log p(observed values of y* | Y), by bounds or by draws."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray
from scipy.special import logsumexp

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import collapsed, gram_factor, marginalised
from gplvm_core.mixtures import Gaussians
from gplvm_core.numerics import Array, BoolArray
from gplvm_core.prediction.forward import (
    MOST_POINTS,
    WIDER,
    at_each,
    beside,
    draws_of,
    log_likelihood_at,
    log_normal,
    proposed,
)
from gplvm_core.prediction.network import Network, Outputs, TrainedEdge, inputs_of
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.project import Explained, Projection
from gplvm_core.prediction.row_bound import HiddenTerms
from gplvm_core.priors import StandardNormal
from gplvm_core.readers import DataError
from gplvm_core.statistics import Statistics, Targets, reduce_statistics

# Number of draws of a row's latent point, for outputs whose bound is not a sum over rows.
DRAWS = 200
# Differences in nats that mean nothing, because the places of rows have a tolerance.
EQUAL = 1e-3

Turn = Callable[[Array], Array]


def log_density(
    network: Network,
    outputs: Outputs,
    explained: Explained,
    n_samples: int | None = None,
    random_state: int | np.random.Generator | None = None,
    latent: Gaussians | None = None,
) -> Float[Array, " N"]:
    """Return log p(y* | Y) ≈ F(q(X, x*)) − F(q(X)) of each row, in nats, in the user's units.

    Only a row's observed columns (not NaN) are used. Statistics are sums, so only the new row's
    statistics are computed. A hidden layer without statistics has a fixed q(u); this can only lower
    the difference. The densities of a row's explanations are added. The result is an approximation,
    since the difference of two lower bounds is not a bound (Titsias & Lawrence 2010, eq. 20). With
    n_samples, for outputs of several kinds or with known errors, and for outputs without
    statistics, `log_density_sampled` is used.
    """
    if n_samples is None and not all(network.ends[name].has_bound for name in outputs):
        n_samples = DRAWS
    if n_samples is not None:
        return log_density_sampled(network, outputs, explained, n_samples, random_state, latent)
    bound = explained.found[0].bound
    value: Array = np.where(np.isfinite(bound), 0.0, -np.inf)
    for at, found, informed in _nodes(explained):
        if at in network.roots:
            every = Belief(found.mean.reshape(-1, found.mean.shape[2]), _flat(found.variance))
            kl = StandardNormal().kl_terms(every).sum(axis=1).reshape(bound.shape)
            value -= np.where(informed[:, None], kl, 0.0)
    for edge in network.edges:
        if isinstance(edge.target, str):
            if edge.target in outputs:
                value += _gains(edge, outputs[edge.target], _inputs(edge, explained))
            continue
        informed = explained.informed[:, explained.nodes.index(edge.target)]
        if informed.any():
            inputs = _inputs(edge, explained)
            there = replace(inputs, bound=np.where(informed[:, None], inputs.bound, -np.inf))
            value += _hidden_gains(edge, there, explained[edge.target])
    return np.asarray(logsumexp(value, axis=1))


def log_density_sampled(
    network: Network,
    outputs: Outputs,
    explained: Explained,
    n_samples: int,
    random_state: int | np.random.Generator | None = None,
    latent: Gaussians | None = None,
) -> Float[Array, " N"]:
    """Estimate log p(observed entries | Y) in nats, in the user's units, by importance sampling.

    The points of all nodes are drawn from the rows' explanations, slightly widened. The density is
    unbiased, so its logarithm is too low on average; the bias shrinks as the number of draws grows.
    All rows have the same draws.
    latent: a density that replaces N(0, I) for the points at all roots, side by side.
    """
    value = np.empty(len(explained.informed))
    seed = int(np.random.default_rng(random_state).integers(2**63))
    weights, step = explained.weights, max(1, MOST_POINTS // n_samples)
    for number, found, _ in _nodes(explained):
        if (weights[:, :, None] * (found.variance == 0.0)).any():
            raise DataError(
                f"the points of node {network.nodes[number]!r} have no variance, so "
                "there is no distribution to draw them from; give the node one, such as Latent"
            )
    for alike, places in explained.patterns():
        for first in range(0, len(alike), step):
            rows = alike[first : first + step]
            chosen = [explained.found[place] for place in places]
            mean = np.concatenate([each.mean[rows] for each in chosen], axis=2)
            variance = WIDER * np.concatenate([each.variance[rows] for each in chosen], axis=2)
            levels, unit = draws_of(seed, n_samples, mean.shape[2])
            drawn, log_proposal = proposed(mean, variance, weights[rows], levels, unit)
            ends = np.cumsum([each.mean.shape[2] for each in chosen])
            numbers = [explained.nodes[place] for place in places]
            points = dict(zip(numbers, np.split(drawn, ends[:-1], axis=2), strict=True))
            known = points | {
                at: np.broadcast_to(own.mean[rows], (n_samples, *own.mean[rows].shape))
                for at, own in explained.known.items()
            }
            ratio = -log_proposal
            if latent is not None:
                ratio = ratio + _log_latent(latent, network, points)
            for at, own in points.items():
                edge = network.into(at)
                if edge is None and latent is not None:
                    continue
                above = (0.0, 1.0) if edge is None else at_each(edge.posterior, beside(edge, known))
                ratio = ratio + log_normal(own, *above)
            for name, values in outputs.items():
                edge = network.ends[name]
                if all(at in known for at in edge.sources):
                    there = beside(edge, known)
                    own_rows = edge.posterior.of_rows(rows)
                    ratio = ratio + log_likelihood_at(own_rows, values[rows], there)
            value[rows] = logsumexp(ratio, axis=0) - np.log(n_samples)
    return value


def log_density_at(
    posterior: Posterior, outputs: Float[Array, "N D"], points: Float[Array, "N Q"]
) -> Float[Array, " N"]:
    """Return log p(observed y | x*, Y) + log p(x*) of each row, in nats (user's units).

    This is a joint density at the points x*; it does not integrate over x*.
    """
    own = log_likelihood_at(posterior, outputs, points[None])[0]
    return own + log_normal(points, 0.0, 1.0)


def _log_latent(
    latent: Gaussians, network: Network, points: Mapping[int, Float[Array, "S n _Q"]]
) -> Float[Array, "S n"]:
    """Return the log density of draws at the roots; roots without evidence are integrated out."""
    first = next(iter(points.values()))
    beside = [
        points.get(at, np.full((*first.shape[:2], network.width(at)), np.nan))
        for at in network.roots
    ]
    whole = np.concatenate(beside, axis=2)
    return latent.score_samples(whole.reshape(-1, whole.shape[2])).reshape(whole.shape[:2])


def _nodes(explained: Explained) -> Iterator[tuple[int, Projection, NDArray[np.bool_]]]:
    return zip(explained.nodes, explained.found, explained.informed.T, strict=True)


def _flat(values: Float[Array, "N K Q"]) -> Float[Array, "R Q"]:
    return values.reshape(-1, values.shape[2])


def _inputs(edge: TrainedEdge, explained: Explained) -> Projection:
    """Return the explanations at a layer's inputs, side by side."""
    found, shape = explained.found[0].bound, explained.found[0].bound.shape
    every = {at: Belief(_flat(own.mean), _flat(own.variance)) for at, own, _ in _nodes(explained)}
    for at, own in explained.known.items():
        repeats = [np.repeat(part, shape[1], axis=0) for part in (own.mean, own.variance)]
        every[at] = Belief(repeats[0], repeats[1])
    inputs = inputs_of(edge, every)
    mean, variance = (part.reshape(*shape, -1) for part in (inputs.mean, inputs.variance))
    return Projection(mean, variance, found)


def _hidden_gains(edge: TrainedEdge, above: Projection, below: Projection) -> Float[Array, "N K"]:
    """Return how much the posterior of a hidden layer's outputs raises F, including its entropy."""
    found, there = np.zeros(above.bound.shape), np.isfinite(above.bound)
    posterior, known = edge.posterior, edge.statistics
    inputs = Belief(above.mean[there], above.variance[there])
    outputs = Belief(below.mean[there], below.variance[there])
    if known is None:
        found[there] = HiddenTerms.of(posterior).data(inputs, outputs)[0]
        return found
    bound = collapsed if edge.mean_field else marginalised
    kernel, inducing, noise = posterior.kernel, posterior.inducing, posterior.noise_variance
    gram = gram_factor(kernel, inducing, posterior.jitter, relative=False)
    before, gained = bound(known, gram, noise).value, np.empty(inputs.n_points)
    for n in range(inputs.n_points):
        one, own = inputs.rows(slice(n, n + 1)), outputs.rows(slice(n, n + 1))
        targets = replace(Targets.believed(own), slope=posterior.slope)
        row, _ = reduce_statistics(kernel, one, inducing, targets)
        gained[n] = bound(known + row, gram, noise).value - before + own.entropy()[0]
    found[there] = gained
    return found


def _gains(
    edge: TrainedEdge, outputs: Float[Array, "N D"], found: Projection
) -> Float[Array, "N K"]:
    """Return how much each row's outputs in one layer raise F_data; 0 without an explanation."""
    posterior, internal = edge.posterior, edge.posterior.to_internal(outputs)
    statistics = edge.statistics
    assert statistics is not None  # data layers with a bound have statistics
    gram = gram_factor(posterior.kernel, posterior.inducing, posterior.jitter, relative=False)
    observed = ~np.isnan(internal)

    def bound(known: Statistics, seen: Bool[BoolArray, " D"]) -> float:
        return posterior.bound(known, gram, seen).value

    raised = np.zeros(found.bound.shape)
    before: dict[bytes, tuple[Statistics, Turn, float]] = {}
    for n, k in zip(*np.nonzero(np.isfinite(found.bound)), strict=True):
        seen, pattern = observed[n], observed[n].tobytes()
        if not seen.any():
            continue
        if pattern not in before:
            known = _of_columns(statistics, seen)
            known, turn = _rotated(known) if posterior.each is None else (known, _unchanged)
            before[pattern] = known, turn, bound(known, seen)
        known, turn, value = before[pattern]
        belief = Belief(found.mean[n, k][None], found.variance[n, k][None])
        together = known + _of_row(posterior, belief, turn(internal[n, seen]), known)
        raised[n, k] = bound(together, seen) - value
    jacobian = observed.astype(np.float64) @ np.log(posterior.scale)
    return raised - jacobian[:, None]


def _of_columns(statistics: Statistics, chosen: Bool[BoolArray, " D"]) -> Statistics:
    """Return the statistics of some columns, without yy, because yy cancels in differences."""
    used, groups = np.unique(np.asarray(statistics.groups)[chosen], return_inverse=True)
    return Statistics(
        statistics.psi0[used],
        statistics.psi1_targets[:, chosen],
        statistics.psi2[used],
        0.0,
        statistics.n_points[used],
        np.bincount(groups),
        groups,
    )


def _unchanged(values: Array) -> Array:
    return values


def _rotated(statistics: Statistics) -> tuple[Statistics, Turn]:
    """Return the statistics with fewer columns, and the map from a row's outputs to these columns.

    With a shared noise variance the bound is invariant to rotations of a group's outputs. In a
    basis of the training data's A = Ψᵀ·targets, M columns contain all of A. One further column
    contains the part of a row's outputs outside this basis.
    """
    most = len(statistics.psi1_targets)
    columns = statistics.columns()
    targets = [statistics.psi1_targets[:, each] for each in columns]
    bases = [np.linalg.qr(each.T)[0] if each.shape[1] > most + 1 else None for each in targets]
    few = [
        each if basis is None else np.hstack([each @ basis, np.zeros((most, 1))])
        for each, basis in zip(targets, bases, strict=True)
    ]

    def turn(values: Array) -> Array:
        parts = []
        for each, basis in zip(columns, bases, strict=True):
            part = values[each]
            if basis is not None:
                inside = part @ basis
                part = np.append(inside, np.linalg.norm(part - basis @ inside))
            parts.append(part)
        return np.concatenate(parts)

    groups = np.repeat(np.arange(len(few)), [each.shape[1] for each in few])
    return replace(statistics, psi1_targets=np.hstack(few), groups=groups), turn


def _of_row(posterior: Posterior, belief: Belief, values: Array, like: Statistics) -> Statistics:
    """Return the statistics of one further row in the same columns and groups."""
    kernel, inducing = posterior.kernel, posterior.inducing
    psi0, _ = kernel.psi0(belief.mean, belief.variance)
    psi1, _ = kernel.psi1(belief.mean, belief.variance, inducing)
    psi2, _ = kernel.psi2(belief.mean, belief.variance, inducing)
    return Statistics(
        np.full_like(like.psi0, psi0[0]),
        np.outer(psi1[0], values),
        np.broadcast_to(psi2, like.psi2.shape),
        float(values @ values),
        np.ones_like(like.n_points),
        like.n_outputs,
        like.groups,
    )
