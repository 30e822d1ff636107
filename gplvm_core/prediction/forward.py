"""Predict from the points of some nodes of a trained graph to all nodes and data below them.

The outputs of a hidden layer are noisy functions of its inputs, so its noise is always included.

Also here: importance sampling over a row's explanations: draws and their log densities.
"""

from collections.abc import Collection, Iterator, Mapping

import numpy as np
from jaxtyping import Float
from scipy.special import logsumexp, ndtr, ndtri

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array
from gplvm_core.prediction.generate import predict, predict_at, refuse_kinds, sample
from gplvm_core.prediction.network import Network, Outputs, TrainedEdge, inputs_of
from gplvm_core.prediction.posterior import Posterior

# The variances of q are multiplied by this factor in the proposal, because q is too narrow.
WIDER = 1.3


def draws_of(
    random_state: int | np.random.Generator | None, n_samples: int, width: int
) -> tuple[Float[Array, " S"], Float[Array, "S 1 Q"]]:
    """Numbers from 0 to 1 that choose an explanation, and standard normal numbers, for all rows.

    All rows have the same draws, so that the answer about a row does not depend on the rows beside
    it. The draws are stratified, each dimension separately (a Latin hypercube).
    """
    generator, strata = np.random.default_rng(random_state), np.arange(n_samples)
    levels = (strata + generator.random()) / n_samples
    order = generator.permuted(np.tile(strata[:, None], (1, width)), axis=0)
    unit = ndtri((order + generator.random((n_samples, width))) / n_samples)
    return levels, np.asarray(unit)[:, None]


def proposed(
    mean: Float[Array, "N K Q"],
    variance: Float[Array, "N K Q"],
    weights: Float[Array, "N K"],
    levels: Float[Array, " S"],
    unit: Float[Array, "S 1 Q"],
) -> tuple[Float[Array, "S N Q"], Float[Array, "S N"]]:
    """Draw from every row's mixture of explanations; also return the draws' log densities.

    levels, unit: see `draws_of`.
    """
    upper = np.cumsum(weights, axis=1)[:, :-1]
    which = np.sum(levels[:, None, None] > upper, axis=2)
    at = np.arange(len(mean)), which
    drawn = mean[at] + np.sqrt(variance[at]) * unit
    with np.errstate(divide="ignore"):
        log_weights = np.log(weights)
    each = [
        log_weights[:, k] + log_normal(drawn, mean[:, k], variance[:, k])
        for k in range(mean.shape[1])
    ]
    return drawn, np.asarray(logsumexp(each, axis=0))


def log_normal(
    values: Float[Array, "... D"], mean: Array | float, variance: Array | float
) -> Float[Array, "..."]:
    """Return Σ log N(value; mean, variance) over the last axis, without missing values."""
    terms = np.log(2.0 * np.pi * variance) + (values - mean) ** 2 / variance
    # Only missing values are left out. A NaN in mean or variance is an error that the result must
    # show.
    return np.asarray(-0.5 * np.sum(np.where(np.isnan(values), 0.0, terms), axis=-1))


# The largest product of rows and draws in one batch.
MOST_POINTS = 20_000
# This number of bisections shortens an interval to a billionth of its length.
BISECTIONS = 30

Given = Mapping[int, Belief]
Moments = dict[str, tuple[Float[Array, "N _D"], Float[Array, "N _D"]]]


def following(
    network: Network, given: Collection[int], ends: Collection[str] | None = None
) -> Iterator[tuple[int, TrainedEdge]]:
    """Yield the nodes below the given nodes (and above these ends), each with its incoming edge."""
    known = set(given)
    for node in range(len(network.nodes)):
        edge = network.into(node)
        if node in known or edge is None or not known.issuperset(edge.sources):
            continue
        if ends is None or not network.below(node).isdisjoint(ends):
            known.add(node)
            yield node, edge


def _reached(network: Network, known: Collection[int]) -> dict[str, TrainedEdge]:
    """Return the layers to data whose inputs are all known."""
    return {
        name: edge for name, edge in network.ends.items() if all(at in known for at in edge.sources)
    }


def followed(
    network: Network, given: Given, ends: Collection[str] | None = None
) -> dict[int, Belief]:
    """Return the posteriors at the given nodes and at all nodes below them (and above these ends).

    The first two moments are propagated from layer to layer, as if nodes were independent. Source:
    Damianou (2015), §6.2; Girard et al. (2003).
    """
    known = dict(given)
    for node, edge in following(network, given, ends):
        known[node] = Belief(*_moments(edge, known, noise=True))
    return known


def with_priors(network: Network, given: Given) -> dict[int, Belief]:
    """Return the given posteriors, and the prior N(0, I) at all other roots."""
    count = next(iter(given.values())).n_points
    others = [root for root in network.roots if root not in given]
    nothing = {root: np.zeros((count, network.width(root))) for root in others}
    return dict(given) | {root: Belief(own, own + 1.0) for root, own in nothing.items()}


def moments(
    network: Network, given: Given, *, noise: bool, ends: Collection[str] | None = None
) -> Moments:
    """Return mean and variance of the data (`ends`; None: all) below nodes with given points.

    The points may be exact or uncertain. Data that also need other nodes are left out.

    The moments are exact for one layer, and for two layers at exact points; deeper distributions
    are approximated by Gaussians.
    """
    known = followed(network, given, ends)
    return {
        name: _moments(edge, known, noise=noise)
        for name, edge in _reached(network, known).items()
        if ends is None or name in ends
    }


def _moments(edge: TrainedEdge, known: Given, *, noise: bool) -> tuple[Array, Array]:
    inputs = inputs_of(edge, known)
    spread = None if inputs.known else inputs.variance
    return predict_at(edge.posterior, inputs.mean, spread, noise=noise)


def at_each(
    posterior: Posterior, at: Float[Array, "S N Q"], *, noise: bool = True
) -> tuple[Float[Array, "S N D"], Float[Array, "S N D"]]:
    """Return mean and variance of the outputs at every draw of every row."""
    flat = predict(posterior, at.reshape(-1, at.shape[2]), noise=noise)
    mean, variance = (each.reshape(*at.shape[:2], -1) for each in flat)
    return mean, variance


def log_likelihood_at(
    posterior: Posterior, outputs: Float[Array, "N D"], at: Float[Array, "S N Q"]
) -> Float[Array, "S N"]:
    """Return log p(observed outputs of each row | every draw of its point) in the user's units."""
    links = posterior.links
    known = 0.0 if posterior.errors is None else posterior.errors**2
    if links is None:
        mean, variance = at_each(posterior, at)
        return log_normal(outputs, mean, variance + known)
    mean, variance = at_each(posterior, at, noise=False)
    noisy = variance + posterior.layer_noise + known
    numbers = links.numbers
    each = log_normal(outputs[:, numbers], mean[..., numbers], noisy[..., numbers])
    return each + links.log_probabilities(outputs, mean, variance)


def beside(edge: TrainedEdge, known: Mapping[int, Array]) -> Float[Array, "*S R"]:
    """Return the points of a layer's inputs, side by side."""
    return np.concatenate([known[at] for at in edge.sources], axis=-1)


def draw_hidden(
    network: Network, given: Mapping[int, Float[Array, "S N _Q"]], generator: np.random.Generator
) -> dict[int, Float[Array, "S N _Q"]]:
    """Draw points at all nodes below the given draws, independently for each row."""
    known = dict(given)
    for node, edge in following(network, given):
        known[node] = _drawn(edge, known, generator)
    return known


def draws(
    network: Network,
    given: Mapping[int, Float[Array, "S N _Q"]],
    generator: np.random.Generator,
    *,
    noise: bool = True,
    outputs: Mapping[str, Float[Array, "N _D"]] | None = None,
) -> dict[str, Float[Array, "S N _D"]]:
    """Draw all data below the given draws, independently for each row.

    outputs: the rows' observed values, whose exposures apply to the draws.
    """
    known = draw_hidden(network, given, generator)
    return {
        name: _drawn(edge, known, generator, noise=noise, rows=(outputs or {}).get(name))
        for name, edge in _reached(network, known).items()
    }


def _drawn(
    edge: TrainedEdge,
    known: Mapping[int, Array],
    generator: np.random.Generator,
    *,
    noise: bool = True,
    rows: Float[Array, "N D"] | None = None,
) -> Float[Array, "S N D"]:
    posterior, links = edge.posterior, edge.posterior.links
    if links is None:
        mean, variance = at_each(posterior, beside(edge, known), noise=noise)
        return mean + np.sqrt(variance) * generator.standard_normal(mean.shape)
    mean, variance = at_each(posterior, beside(edge, known), noise=False)
    variance = variance + noise * posterior.layer_noise
    functions = mean + np.sqrt(variance) * generator.standard_normal(mean.shape)
    if not noise:
        return functions
    return links.draw(functions, generator, None if rows is None else links.known(rows))


def draw_prior(
    network: Network,
    n_samples: int,
    generator: np.random.Generator,
    inputs: Mapping[int, Float[Array, "N _Q"]] | None = None,
) -> dict[str, Float[Array, "S _D"]]:
    """Draw rows of all data with noise; the points of all roots are drawn from N(0, I)."""
    given = {at: values[None] for at, values in (inputs or {}).items()}
    for root in network.roots:
        given[root] = generator.standard_normal((1, n_samples, network.width(root)))
    return {name: values[0] for name, values in draws(network, given, generator).items()}


def draw_jointly(
    network: Network,
    given: Given,
    n_samples: int,
    random_state: int | np.random.Generator | None = None,
    *,
    noise: bool = True,
) -> dict[str, Float[Array, "S N _D"]]:
    """Draw all data below the given nodes jointly.

    In a draw every layer is one function, evaluated at the draw of the layer above.
    """
    generator = np.random.default_rng(random_state)
    hidden = list(following(network, given))
    ends = _reached(network, {*given, *(node for node, _ in hidden)})
    if not hidden and all(belief.known for belief in given.values()):
        points = {at: belief.mean for at, belief in given.items()}
        return {
            name: sample(edge.posterior, beside(edge, points), n_samples, generator, noise=noise)
            for name, edge in ends.items()
        }
    drawn = {at: repeated(belief, n_samples, generator) for at, belief in given.items()}
    found: dict[str, list[Array]] = {name: [] for name in ends}
    for s in range(n_samples):
        known = {at: each[s] for at, each in drawn.items()}
        for node, edge in hidden:
            known[node] = sample(edge.posterior, beside(edge, known), 1, generator)[0]
        for name, edge in ends.items():
            inputs = beside(edge, known)
            found[name].append(sample(edge.posterior, inputs, 1, generator, noise=noise)[0])
    return {name: np.stack(each) for name, each in found.items()}


def quantiles(
    network: Network,
    given: Given,
    levels: Float[Array, " K"],
    n_samples: int,
    random_state: int | np.random.Generator | None = None,
    *,
    noise: bool = True,
) -> dict[str, Float[Array, "K N _D"]]:
    """Return quantiles of each output at these levels, in the user's units.

    The distribution is a mixture of Gaussians, one for each draw of the hidden nodes. Bisection
    finds its quantile between the smallest and largest quantile of the components.
    """
    count = next(iter(given.values())).n_points
    found = dict[str, Array]()
    for rows, parts in _at_draws(network, given, n_samples, random_state, noise=noise):
        for name, (mean, variance) in parts.items():
            std = np.sqrt(variance)
            own = found.setdefault(name, np.empty((len(levels), count, mean.shape[2])))
            for k, level in enumerate(levels):
                each = mean + std * ndtri(level)
                low, high = each.min(axis=0), each.max(axis=0)
                for _ in range(BISECTIONS):
                    middle = 0.5 * (low + high)
                    below = ndtr((middle - mean) / std).mean(axis=0) < level
                    low, high = np.where(below, middle, low), np.where(below, high, middle)
                own[k, rows] = 0.5 * (low + high)
    return found


def log_density_below(
    network: Network,
    given: Given,
    outputs: Outputs,
    n_samples: int,
    random_state: int | np.random.Generator | None = None,
) -> Float[Array, " N"]:
    """Return log p(observed outputs | points of given nodes) of each row in nats (user's units).

    The density is a mean over draws of the hidden nodes, so its logarithm is too low on average.
    """
    found = np.empty(next(iter(given.values())).n_points)
    for rows, parts in _at_draws(network, given, n_samples, random_state, noise=True):
        density = sum(log_normal(own[rows], *parts[name]) for name, own in outputs.items())
        found[rows] = logsumexp(density, axis=0) - np.log(n_samples)
    return found


def _at_draws(
    network: Network,
    given: Given,
    n_samples: int,
    random_state: int | np.random.Generator | None,
    *,
    noise: bool,
) -> Iterator[tuple[slice, dict[str, tuple[Array, Array]]]]:
    """Yield batches of rows, with moments of all data at draws of hidden nodes, S × rows × D."""
    for edge in network.ends.values():
        refuse_kinds(edge.posterior, "a mixture of Gaussians")
    generator = np.random.default_rng(random_state)
    step = max(1, MOST_POINTS // n_samples)
    for first in range(0, next(iter(given.values())).n_points, step):
        rows = slice(first, first + step)
        at = {node: repeated(each.rows(rows), n_samples, generator) for node, each in given.items()}
        known = draw_hidden(network, at, generator)
        yield (
            rows,
            {
                name: at_each(edge.posterior, beside(edge, known), noise=noise)
                for name, edge in _reached(network, known).items()
            },
        )


def repeated(
    belief: Belief, n_samples: int, generator: np.random.Generator
) -> Float[Array, "S N Q"]:
    """Draw points from their posterior."""
    points = np.repeat(belief.mean[None], n_samples, axis=0)
    if belief.known:
        return points
    return points + np.sqrt(belief.variance) * generator.standard_normal(points.shape)
