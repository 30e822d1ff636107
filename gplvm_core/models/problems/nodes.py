"""The nodes of a model's graph: what is believed about the inputs of its layers, and their prior.

A node turns parameters that move into the marginals of q(X), adds −KL(q(X) ‖ p(X)) (or what takes
its place) to the bound, and pulls the layers' adjoints of the marginals back to the parameters.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array
from gplvm_core.parameters import LOG, Leaf, log_above
from gplvm_core.priors import StandardNormal

INITIAL_VARIANCE = 0.3
# Points have no variance of their own to be scaled by.
POINT_SCALE = 0.3
# Of a hidden point; all points together start with about unit variance.
LEAST_VARIANCE = 1e-6


@dataclass(frozen=True)
class Believed:
    """q(X) of a node: its marginals, what the node itself adds to the bound, and the way back.

    own: −KL in nats, or what takes its place. information: KL per point of every dimension in
    nats, nan without one. pullback: the layers' adjoints of the marginals, belief-shaped → the
    gradient of the bound, shaped like the node's parameters, `own` included.
    """

    belief: Belief
    own: float
    information: Float[Array, " Q"]
    pullback: Callable[[Belief], Any]


class Node(Protocol):
    """A kind of belief."""

    def start(self, belief: Belief, seed: int) -> Any:
        """Parameters from where the belief starts."""

    def notes(self, belief: Belief, seed: int) -> tuple[str, ...]:
        """What had to be decided about that start."""

    def believed(self, own: Any) -> Believed:
        """The belief at the node's parameters."""

    def free(self, prefix: str, own: Any, belief: Belief, *, refreshed: bool) -> dict[str, Leaf]:
        """The free parameters at their scales (refreshed: every point its own)."""

    def spread(self, belief: Belief, *, refreshed: bool) -> Float[Array, " Q"]:
        """The scale on which points, and inducing inputs among them, are moved."""


@dataclass(frozen=True)
class LatentNode:
    """x_n ~ N(0, I), q(x_n) a Gaussian of its own for every point (Titsias & Lawrence 2010)."""

    def start(self, belief: Belief, seed: int) -> Belief:
        return belief

    def notes(self, belief: Belief, seed: int) -> tuple[str, ...]:
        return ()

    def believed(self, own: Belief) -> Believed:
        prior = StandardNormal()
        kl, d_kl = prior.kl(own)

        def pullback(met: Belief) -> Belief:
            return Belief(met.mean - d_kl.mean, met.variance - d_kl.variance)

        return Believed(own, -kl, prior.kl_terms(own).mean(axis=0), pullback)

    def free(self, prefix: str, own: Belief, belief: Belief, *, refreshed: bool) -> dict[str, Leaf]:
        scale = np.sqrt(belief.variance if refreshed else belief.variance.mean(axis=0))
        return {f"{prefix}.mean": Leaf(scale=scale), f"{prefix}.variance": Leaf(LOG, 2.0)}

    def spread(self, belief: Belief, *, refreshed: bool) -> Float[Array, " Q"]:
        if refreshed:
            return np.asarray(np.sqrt(belief.variance).mean(axis=0))
        return np.asarray(np.sqrt(belief.variance.mean(axis=0)))


@dataclass(frozen=True)
class PointNode:
    """x_n ~ N(0, I) at its most probable place: log p(X) in the place of −KL (Lawrence 2005)."""

    def start(self, belief: Belief, seed: int) -> Belief:
        return Belief(belief.mean, np.zeros_like(belief.mean))

    def notes(self, belief: Belief, seed: int) -> tuple[str, ...]:
        return ()

    def believed(self, own: Belief) -> Believed:
        log_prior, d_prior = StandardNormal().log_density(own.mean)

        def pullback(met: Belief) -> Belief:
            return Belief(met.mean + d_prior, met.variance)

        return Believed(own, log_prior, np.full(own.n_latent, np.nan), pullback)

    def free(self, prefix: str, own: Belief, belief: Belief, *, refreshed: bool) -> dict[str, Leaf]:
        return {f"{prefix}.mean": Leaf(scale=POINT_SCALE)}

    def spread(self, belief: Belief, *, refreshed: bool) -> Float[Array, " Q"]:
        return np.full(belief.n_latent, POINT_SCALE)


@dataclass(frozen=True)
class HiddenNode(LatentNode):
    """The outputs of one layer and the inputs of the next: its entropy in the place of −KL.

    Its prior is the layer above, whose F_data has the rest (Damianou 2015, §6.2 and App. C). The
    information of a dimension is the KL per point from the Gaussian that best fits the beliefs
    about all points. Variances stay above what rounding can tell from 0: below, they and the
    layer's noise would fall together for a gain that is not there.
    """

    def believed(self, own: Belief) -> Believed:
        entropy, d_entropy = own.entropy()

        def pullback(met: Belief) -> Belief:
            return Belief(met.mean, met.variance + d_entropy.variance)

        spread = np.maximum(own.variance, np.finfo(float).tiny)
        together = own.mean.var(axis=0) + spread.mean(axis=0)
        information = 0.5 * (np.log(together) - np.log(spread).mean(axis=0))
        return Believed(own, entropy, information, pullback)

    def free(self, prefix: str, own: Belief, belief: Belief, *, refreshed: bool) -> dict[str, Leaf]:
        least = np.full(belief.variance.shape, LEAST_VARIANCE)
        free = super().free(prefix, own, belief, refreshed=refreshed)
        return free | {f"{prefix}.variance": Leaf(log_above(least), 2.0)}
