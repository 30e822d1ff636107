"""Which latent dimensions each view uses: shared, private and unused parts of the latent space.

A view uses a dimension if its bound falls when the dimension's ARD weight is set to 0. Damianou
(2015), §5.2.1, uses only the weight, but a dimension with a small weight may still matter.
"""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import gram_factor, layer_term
from gplvm_core.models.problems.edges import Settled
from gplvm_core.numerics import Array
from gplvm_core.statistics import Executor, Targets, reduce_statistics
from gplvm_core.statistics.executors import serial

# A view uses a dimension if its bound falls by more than this without it, in nats per row.
LEAST_DROP = 0.05
# Damianou's rule: a weight above this fraction of the view's largest.
LEAST_WEIGHT = 1e-3

Segments = dict[frozenset[str], tuple[int, ...]]


def drops(
    settled: Settled,
    targets: Targets,
    belief: Belief,
    executor: Executor = serial,
    *,
    mean_field: bool = False,
) -> Float[Array, " Q"]:
    """By how much F_v falls, in nats per row, when the view's layer ignores each dimension.

    Rows that the view lacks do not count. The kernel's scale, the noise and everything else do not
    change. mean_field: the layer's setting, if the targets are a distribution.
    """
    layer, found = settled.layer, np.empty(belief.n_latent)
    for q in range(belief.n_latent):
        kernel = layer.kernel.without(q)
        statistics, _ = reduce_statistics(kernel, belief, layer.inducing, targets, executor)
        gram = gram_factor(kernel, layer.inducing, settled.jitter, relative=False)
        found[q] = layer_term(layer, statistics, gram, targets, mean_field=mean_field)
    return np.asarray((settled.posterior.value - found) / np.sum(targets.seen))


def segments(uses: Mapping[str, Bool[NDArray[np.bool_], " Q"]]) -> Segments:
    """The dimensions used by exactly each set of views; frozenset(): unused dimensions."""
    n_latent = len(next(iter(uses.values())))
    found: dict[frozenset[str], list[int]] = {}
    for q in range(n_latent):
        users = frozenset(name for name, used in uses.items() if used[q])
        found.setdefault(users, []).append(q)
    return {users: tuple(dimensions) for users, dimensions in found.items()}


def used_by_weight(
    relevance: Mapping[str, Float[Array, " Q"]], delta: float
) -> dict[str, Bool[NDArray[np.bool_], " Q"]]:
    """The dimensions that each view uses by Damianou's rule: w/max w > δ."""
    return {name: weight / weight.max() > delta for name, weight in relevance.items()}
