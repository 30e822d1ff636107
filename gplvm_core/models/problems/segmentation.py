"""Which latent dimensions each view uses: shared, private and unused parts of the latent space.

A view uses a dimension if its bound falls when the dimension's ARD weight is set to 0. Damianou
(2015), §5.2.1, uses only the weight, but a dimension with a small weight may still matter.
"""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Bool, Float

from gplvm_core.beliefs import Belief
from gplvm_core.models.problems.edges import LayerEdge, Settled
from gplvm_core.numerics import Array, BoolArray
from gplvm_core.statistics import Targets

# A view uses a dimension if removing the dimension lowers the view's bound by more than this (in
# nats per row).
LEAST_DROP = 0.05
# Damianou's rule: a view uses a dimension if its weight exceeds this fraction of the view's largest
# weight.
LEAST_WEIGHT = 1e-3

Segments = dict[frozenset[str], tuple[int, ...]]


def drops(
    edge: LayerEdge, settled: Settled, targets: Targets, belief: Belief
) -> Float[Array, " Q"]:
    """How much F_v falls, in nats per row of the view, if the view's layer ignores one dimension.

    Rows that the view lacks are not counted. All other parameters, including the kernel's scale and
    the noise, do not change.
    """
    kernel = settled.layer.kernel
    found = [
        edge.value_with(kernel.without(q), settled, belief, targets) for q in range(belief.n_latent)
    ]
    return np.asarray((settled.posterior.value - np.array(found)) / np.sum(targets.seen))


def segments(uses: Mapping[str, Bool[BoolArray, " Q"]]) -> Segments:
    """For each set of views, the dimensions that exactly these views use.

    frozenset(): the unused dimensions.
    """
    n_latent = len(next(iter(uses.values())))
    found: dict[frozenset[str], list[int]] = {}
    for q in range(n_latent):
        users = frozenset(name for name, used in uses.items() if used[q])
        found.setdefault(users, []).append(q)
    return {users: tuple(dimensions) for users, dimensions in found.items()}


def used_by_weight(
    relevance: Mapping[str, Float[Array, " Q"]], delta: float
) -> dict[str, Bool[BoolArray, " Q"]]:
    """The dimensions that each view uses by Damianou's rule: w/max w > δ."""
    return {name: weight / weight.max() > delta for name, weight in relevance.items()}
