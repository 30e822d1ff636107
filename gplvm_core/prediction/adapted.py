"""Update the mapping with new rows, by the joint bound of new and training rows.

Damianou (2015), App. B.4, with fixed kernel, noise and q(X) of the training rows. For every q of
the new rows, q(u) is at its optimum for all rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Collapsed, gram_factor
from gplvm_core.numerics import Array, Factor
from gplvm_core.prediction.network import TrainedEdge
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.statistics import (
    Patterns,
    Statistics,
    StatisticsPullback,
    Targets,
    reduce_statistics,
)


def adapted_terms(
    edges: Sequence[TrainedEdge], outputs: Sequence[Float[Array, "n _D"]]
) -> tuple["AdaptedTerms", ...]:
    """Return the terms of each layer for the new outputs; the edges need training statistics."""
    found = list[AdaptedTerms]()
    for edge, values in zip(edges, outputs, strict=True):
        assert (
            edge.statistics is not None
        )  # only layers on a path are adapted, and these have statistics
        found.append(AdaptedTerms.of(edge.posterior, edge.statistics, values, edge.weight))
    return tuple(found)


@dataclass(frozen=True)
class AdaptedTerms:
    """F_data of training and new rows as a function of q of the new rows."""

    before: Posterior
    statistics: Statistics  # of the training rows
    targets: Targets  # of the new rows
    gram: Factor
    weight: float = 1.0  # how much the layer counts in inference

    @classmethod
    def of(
        cls,
        posterior: Posterior,
        statistics: Statistics,
        outputs: Float[Array, "n D"],
        weight: float = 1.0,
    ) -> Self:
        """Make the terms from new rows (user's units, NaN: missing) and training statistics.

        Statistics are sums, so only the new rows' statistics are computed. Columns that are
        observed in the same training rows and the same new rows form a group.
        """
        observed = ~np.isnan(outputs)
        split = statistics.split(Patterns.of(observed).groups)
        groups = np.asarray(split.groups)
        _, first = np.unique(groups, return_index=True)
        patterns = Patterns(groups, observed[:, first].astype(np.float64))
        values = np.where(observed, posterior.to_internal(outputs), 0.0)
        gram = gram_factor(posterior.kernel, posterior.inducing, posterior.jitter, relative=False)
        return cls(posterior, split, Targets(values, values.shape[1], patterns), gram, weight)

    def data(self, belief: Belief) -> tuple[float, Array, Array]:
        """Return F_data in nats (internal units), and its gradients in mean and variance (n, Q).

        All are multiplied by the weight.
        """
        at, pullback = self._together(belief)
        gradients, weight = pullback(at.statistics).inputs, self.weight
        return weight * at.value, weight * gradients.mean, weight * gradients.variance

    def posterior(self, belief: Belief) -> Posterior:
        """Return the layer with q(u) at its optimum for all rows."""
        at, _ = self._together(belief)
        groups = np.asarray(self.statistics.groups)
        return replace(self.before, weights=at.weights, gap=at.gap, groups=groups, each=at.each)

    def together(self, belief: Belief) -> tuple[Statistics, float]:
        """Return the statistics of all rows, and F_data in nats (internal units)."""
        before = self.before
        new, _ = reduce_statistics(before.kernel, belief, before.inducing, self.targets)
        whole = self.statistics + new
        return whole, before.bound(whole, self.gram).value

    def _together(self, belief: Belief) -> tuple[Collapsed, StatisticsPullback]:
        before = self.before
        new, pullback = reduce_statistics(before.kernel, belief, before.inducing, self.targets)
        return before.bound(self.statistics + new, self.gram), pullback
