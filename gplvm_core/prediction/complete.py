"""Partial rows → complete rows: all data of a row, given its observed values.

A prediction is the weighted mixture of a row's explanations (see `project`). An ambiguous row has
several explanations. Titsias & Lawrence (2010), §4; Damianou (2015), §3.4.1.
"""

from collections.abc import Collection

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array, IntArray
from gplvm_core.prediction.forward import Moments, draws, followed, moments
from gplvm_core.prediction.generate import predict_covariance
from gplvm_core.prediction.network import Network, Outputs, inputs_of
from gplvm_core.prediction.project import Explained

# Explanations with a smaller weight have no visible effect.
NEGLIGIBLE = 1e-6


def complete(
    outputs: Float[Array, "N D"], mean: Float[Array, "N D"], spread: Float[Array, "N D *E"]
) -> tuple[Float[Array, "N D"], Float[Array, "N D *E"]]:
    """Fill in missing outputs (NaN) with their means; also return their variances.

    Observed outputs are unchanged, with variance 0. spread: the outputs' variances, or each row's
    covariance matrix.
    """
    missing = np.isnan(outputs)
    both = missing if spread.ndim == 2 else missing[:, :, None] & missing[:, None, :]
    return np.where(missing, mean, outputs), np.where(both, spread, 0.0)


def reconstructed(
    network: Network,
    explained: Explained,
    *,
    noise: bool,
    ends: Collection[str] | None = None,
) -> Moments:
    """Return the mean and variance of each row's data, as a mixture over its explanations.

    ends: the names of the data to compute; None: all data of the network.

    A node without observed data below it is predicted from the nodes above it, a root from its
    prior.
    """
    weights = _weights(explained)
    each: list[Moments] = []
    for k in range(weights.shape[1]):
        found: Moments = {}
        for rows, given in _given(network, explained, weights, k):
            for name, parts in moments(network, given, noise=noise, ends=ends).items():
                size = len(weights), parts[0].shape[1]
                whole = found.setdefault(name, (np.zeros(size), np.zeros(size)))
                for filled, part in zip(whole, parts, strict=True):
                    filled[rows] = part
        each.append(found)
    mixture: Moments = {}
    for name in each[0]:
        share = zip(each, weights.T[:, :, None], strict=True)
        there = [(found[name], weight) for found, weight in share if name in found]
        mean = sum(weight * own for (own, _), weight in there)
        spread = sum(weight * (within + (own - mean) ** 2) for (own, within), weight in there)
        mixture[name] = np.asarray(mean), np.asarray(spread)
    return mixture


def functions(
    network: Network, explained: Explained, end: str
) -> tuple[Float[Array, "N K"], Float[Array, "N K D"], Float[Array, "N K D"]]:
    """Return each explanation's weight, and the mean and variance of `end`'s functions given it."""
    weights, edge = _weights(explained), network.ends[end]
    shape = (*weights.shape, edge.posterior.n_outputs)
    # Unused slots for explanations get finite moments and weight 0.
    mean, variance = np.zeros(shape), np.ones(shape)
    for k in range(weights.shape[1]):
        for rows, given in _given(network, explained, weights, k):
            found = moments(network, given, noise=False, ends={end})[end]
            mean[rows, k], variance[rows, k] = found
    return weights, mean, variance


def reconstructed_jointly(
    network: Network, explained: Explained, end: str
) -> tuple[Float[Array, "N D"], Float[Array, "N D D"]]:
    """Compute `reconstructed` for one end, with the full covariance of each row and noise."""
    weights, edge = _weights(explained), network.ends[end]
    shape = (*weights.shape, edge.posterior.n_outputs)
    mean, covariance = np.zeros(shape), np.zeros((*shape, shape[-1]))
    for k in range(weights.shape[1]):
        for rows, given in _given(network, explained, weights, k):
            inputs = inputs_of(edge, followed(network, given, {end}))
            for n, point, spread in zip(rows, inputs.mean, inputs.variance, strict=True):
                own = predict_covariance(edge.posterior, point, spread, noise=True)
                mean[n, k], covariance[n, k] = own
    whole = np.einsum("nk,nkd->nd", weights, mean)
    apart = mean - whole[:, None]
    within = np.einsum("nk,nkde->nde", weights, covariance)
    return whole, within + np.einsum("nk,nkd,nke->nde", weights, apart, apart)


def draw_rows(
    network: Network,
    explained: Explained,
    n_samples: int,
    generator: np.random.Generator,
    outputs: Outputs,
) -> dict[str, Float[Array, "S N _D"]]:
    """Draw complete rows with noise: first an explanation, then points of nodes, then the data.

    outputs: the rows' observed values, whose exposures apply to the draws.
    """
    weights = _weights(explained)
    levels = generator.random((n_samples, len(weights)))
    chosen = np.sum(levels[:, :, None] > np.cumsum(weights, axis=1)[:, :-1], axis=2)
    shape = {name: edge.posterior.n_outputs for name, edge in network.ends.items()}
    found = {name: np.empty((*chosen.shape, width)) for name, width in shape.items()}
    for rows, places in explained.patterns():
        each = [explained.given(network, rows, places, k) for k in range(weights.shape[1])]
        pick = chosen[:, rows], np.arange(len(rows))
        points = {}
        for at in each[0]:
            mean = np.stack([given[at].mean for given in each])[pick]
            spread = np.stack([given[at].variance for given in each])[pick]
            points[at] = mean + np.sqrt(spread) * generator.standard_normal(mean.shape)
        own_rows = {name: own[rows] for name, own in outputs.items()}
        for name, own in draws(network, points, generator, outputs=own_rows).items():
            found[name][:, rows] = own
    return found


def alternatives(
    network: Network, outputs: Outputs, explained: Explained, count: int
) -> tuple[
    Float[Array, "N K"], dict[int, Float[Array, "N K _Q"]], dict[str, Float[Array, "N K _D"]]
]:
    """Return weights, means at every node and completed rows of each row's explanations.

    The best explanation comes first.

    Weights of a row sum to 1. If a row has fewer explanations, the other weights are 0 and the
    other numbers NaN.
    """
    weights = explained.weights[:, :count]
    weights = weights / weights.sum(axis=1, keepdims=True)
    there = weights[:, :, None] > 0.0
    nodes = {
        at: np.where(there & seen[:, None, None], found.mean[:, :count], np.nan)
        for at, found, seen in zip(
            explained.nodes, explained.found, explained.informed.T, strict=True
        )
    }
    rows = {
        name: np.full((*weights.shape, edge.posterior.n_outputs), np.nan)
        for name, edge in network.ends.items()
    }
    for k in range(weights.shape[1]):
        for chosen, given in _given(network, explained, weights, k):
            for name, (mean, _) in moments(network, given, noise=False).items():
                if name in outputs:
                    own = outputs[name][chosen]
                    mean = np.where(np.isnan(own), mean, own)
                rows[name][chosen, k] = mean
    return weights, nodes, rows


def _weights(explained: Explained) -> Float[Array, "N K"]:
    """Return the weights of each row's explanations. They sum to 1; negligible weights are 0."""
    weights = np.where(explained.weights > NEGLIGIBLE, explained.weights, 0.0)
    return weights / weights.sum(axis=1, keepdims=True)


def _given(
    network: Network, explained: Explained, weights: Float[Array, "N K"], k: int
) -> list[tuple[IntArray, dict[int, Belief]]]:
    """Return groups of rows that have an explanation k, with its posteriors at the nodes."""
    groups = ((rows[weights[rows, k] > 0.0], places) for rows, places in explained.patterns())
    return [
        (rows, explained.given(network, rows, places, k)) for rows, places in groups if len(rows)
    ]
