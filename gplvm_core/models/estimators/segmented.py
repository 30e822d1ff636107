"""Which latent dimensions each view uses: what a fitted model of several views says of itself."""

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from gplvm_core.models.estimators.generative import GenerativeViews
from gplvm_core.models.problems.segmentation import (
    LEAST_DROP,
    LEAST_WEIGHT,
    Segments,
    segments,
    used_by_weight,
)
from gplvm_core.numerics import Array


class Segmented(GenerativeViews):
    """An estimator whose views use parts of the latent space: shared, private and unused ones."""

    relevance_: dict[str, Float[Array, " Q"]]
    drops_: dict[str, Float[Array, " Q"]]  # of F_v in nats a row, without the dimension

    def segmentation(self, threshold: float = LEAST_DROP) -> Segments:
        """The latent dimensions that each set of views uses, and no other; frozenset(): none.

        A view uses a dimension when setting its weight to 0 lowers F_v by more than the
        threshold, in nats a row.
        """
        return segments(self._uses(threshold))

    def segmentation_by_weight(self, delta: float = LEAST_WEIGHT) -> Segments:
        """The same by the sources' rule: w/max w > δ (Damianou 2015, §5.2.2)."""
        self._check_fitted()
        return segments(used_by_weight(self.relevance_, delta))

    def agreement(self, threshold: float = LEAST_DROP, delta: float = LEAST_WEIGHT) -> float:
        """The share of pairs of view and dimension on which the two rules agree."""
        by_drop, by_weight = self._uses(threshold), used_by_weight(self.relevance_, delta)
        return float(np.mean([by_drop[name] == by_weight[name] for name in self.views_]))

    def _uses(self, threshold: float) -> dict[str, Bool[NDArray[np.bool_], " Q"]]:
        self._check_fitted()
        return {name: self.drops_[name] > threshold for name in self.views_}
