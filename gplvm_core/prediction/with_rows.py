"""A trained graph whose maps to data depend only on some of its training rows."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from gplvm_core.bounds import gram_factor
from gplvm_core.numerics import Array, IntArray
from gplvm_core.prediction.network import Network, TrainedEdge, inputs_of
from gplvm_core.statistics import Targets, reduce_statistics


def with_rows(network: Network, outputs: Float[Array, "n D"], chosen: IntArray) -> Network:
    """Return the graph with q(u) optimal for some training rows; other rows can then test it.

    outputs: the outputs of these rows, all data side by side, in the user's units (NaN: missing).
    Only those layers to data change whose q(u) follows from sums over rows. Kernels, noise,
    inducing inputs and the rows' points were trained on all rows, so the other rows are not
    completely unseen.
    """
    beliefs = tuple(own.rows(chosen) for own in network.beliefs)
    known, edges, first = dict(enumerate(beliefs)), dict[str, TrainedEdge](), 0
    for name, edge in network.ends.items():
        own, last = edge.posterior, first + edge.posterior.n_outputs
        if edge.statistics is not None:
            targets = Targets.whole(own.to_internal(outputs[:, first:last]))
            targets = replace(targets, slope=own.slope)
            inputs = inputs_of(edge, known)
            found, _ = reduce_statistics(own.kernel, inputs, own.inducing, targets)
            gram = gram_factor(own.kernel, own.inducing, own.jitter, relative=False)
            at = own.bound(found, gram)
            groups = np.asarray(found.groups)
            own = replace(own, weights=at.weights, gap=at.gap, each=at.each, groups=groups)
            edges[name] = replace(edge, posterior=own, statistics=found)
        first = last
    whole = tuple(edges.get(str(edge.target), edge) for edge in network.edges)
    return replace(network, edges=whole, beliefs=beliefs)
