"""Rows added to a trained layer: placed at its q(u), whose optimum is then found from all rows."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array
from gplvm_core.prediction.adapted import AdaptedTerms
from gplvm_core.prediction.place import place
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.row_terms import Evidence
from gplvm_core.priors import StandardNormal
from gplvm_core.statistics import Executor, Statistics


@dataclass(frozen=True)
class Added:
    """A layer with rows that came after training; of those only sums are kept.

    gained: by how much the bound rose with them, in nats for the data as given. divergence: their
    KL(q ‖ p) in every dimension, summed.
    """

    trained: Posterior  # places the rows
    posterior: Posterior  # with q(u) at its optimum for all rows
    statistics: Statistics
    gained: float
    divergence: Float[Array, " Q"]
    count: int

    @classmethod
    def none(cls, posterior: Posterior, statistics: Statistics) -> Self:
        return cls(posterior, posterior, statistics, 0.0, np.zeros(posterior.n_latent), 0)

    def rows(
        self, outputs: Float[Array, "n D"], training: Belief, run: Executor
    ) -> tuple[Self, Belief]:
        """With more rows (user's units, NaN: missing), and what is believed about them."""
        new, _ = place((Evidence(self.trained, outputs),), training, run)
        terms = AdaptedTerms.of(self.trained, self.statistics, outputs)
        before = self.trained.bound(self.statistics, terms.gram).value
        statistics, value = terms.together(new)
        divergence = StandardNormal().kl_terms(new).sum(axis=0)
        observed = (~np.isnan(outputs)).sum(axis=0)
        gained = value - before - float(divergence.sum() + observed @ np.log(self.trained.scale))
        added = replace(
            self,
            posterior=terms.posterior(new),
            statistics=statistics,
            gained=self.gained + gained,
            divergence=self.divergence + divergence,
            count=self.count + len(outputs),
        )
        return added, new
