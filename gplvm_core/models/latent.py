"""Latent inputs and their outputs as a training problem: Bayesian, or its MAP cousin."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from gplvm_core.beliefs import Belief
from gplvm_core.models.layers import DataTerm, Parameters
from gplvm_core.models.run import Evaluated, Phase
from gplvm_core.numerics import Array
from gplvm_core.parameters import LOG, Layout, Leaf
from gplvm_core.priors import StandardNormal

Term = TypeVar("Term", bound=DataTerm)

INITIAL_VARIANCE = 0.3
# Points have no variance of their own to be scaled by.
POINT_SCALE = 0.3
PHASES = (
    Phase("noise held", 50, 0.1, ratio=300.0),
    Phase("all free", 100, 0.2),
    Phase("refining", 100),
)


@dataclass(frozen=True)
class LatentProblem(Generic[Term]):
    """F_data − KL(q(X) ‖ p(X)), or with certain points F_data + log p(X), scales profiled."""

    data: Term
    certain: bool = False
    phases: Sequence[Phase] = PHASES

    def start(self, seed: int) -> Parameters:
        return self.data.start(seed, 0.0 if self.certain else INITIAL_VARIANCE)

    def layout(self, anchor: Parameters, phase: Phase) -> Layout:
        belief, n_points = anchor.belief, anchor.belief.n_points
        spread = self._spread(belief, refreshed=phase is self.phases[-1])
        free: dict[str, Leaf] = {"belief.mean": Leaf(scale=spread)}
        if not self.certain:
            free["belief.variance"] = Leaf(LOG, 2.0)
        spread = np.broadcast_to(spread, belief.mean.shape).mean(axis=0)
        return Layout(anchor, free | self.data.free(anchor.layer, spread, n_points))

    def _spread(self, belief: Belief, *, refreshed: bool) -> float | Array:
        """The scale of the means: their standard deviations, shared by all points at first."""
        if self.certain:
            return POINT_SCALE
        if refreshed:
            return np.sqrt(belief.variance)
        return np.sqrt(belief.variance.mean(axis=0))

    def evaluate(self, parameters: Parameters, phase: Phase) -> Evaluated:
        at = self.data.value(parameters, phase.ratio)
        belief = parameters.belief
        if self.certain:
            log_prior, d_mean = StandardNormal().log_density(belief.mean)
            d_variance = np.zeros_like(belief.variance)
        else:
            kl, d_kl = StandardNormal().kl(belief)
            log_prior, d_mean, d_variance = -kl, -d_kl.mean, -d_kl.variance
        moved = Belief(at.belief.mean + d_mean, at.belief.variance + d_variance)
        return Evaluated(at.value + log_prior, Parameters(moved, at.layer), at.noise_variance)

    def describe(self, parameters: Parameters) -> tuple[Array, Array, Array]:
        belief = parameters.belief
        relevance = self.data.relevance(parameters.layer, belief.n_latent)
        if self.certain:
            return relevance, np.full(belief.n_latent, np.nan), belief.mean
        return relevance, StandardNormal().kl_terms(belief).mean(axis=0), belief.mean
