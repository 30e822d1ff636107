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
    """q(X) of a node at its parameters, and the way back from its marginals to these.

    belief : the marginals, N × Q means and variances, which the layers below take as inputs.
    own : what the node itself adds to the bound, in nats: −KL(q(X) ‖ p(X)) for a node with a prior
        of its own, the entropy of q(X) for a hidden one, whose prior is the layer above.
    information : KL in nats a point of every dimension (Q,), for progress and verdicts; NaN where
        there is none.
    pullback : takes ∂(the layers' terms)/∂(mean, variance) as a `Belief` of that shape, summed
        over all edges, and returns the gradient of the whole bound, `own` included, shaped like
        the node's parameters.
    """

    belief: Belief
    own: float
    information: Float[Array, " Q"]
    pullback: Callable[[Belief], Any]


class Node(Protocol):
    """A belief about the inputs of layers, with its prior: what training needs of it.

    A node is a frozen dataclass that holds what does not move (data, priors). What moves are its
    *parameters*, `own` below: a nested frozen dataclass of arrays, of any kind that the node
    chooses, such as a `Belief`. Training calls `start` once for every start, then `believed` in
    every evaluation and `free` and `spread` at the beginning of every phase. All methods are pure.
    """

    def start(self, belief: Belief, seed: int) -> Any:
        """Parameters for the marginals that training starts from.

        belief: N × Q. seed: of this start, for whatever is drawn.
        """

    def notes(self, belief: Belief, seed: int) -> tuple[str, ...]:
        """Sentences for the user on what had to be decided in `start`; () for none."""

    def believed(self, own: Any) -> Believed:
        """The marginals at the parameters `own`, their term of the bound, and the way back."""

    def free(self, prefix: str, own: Any, belief: Belief, *, refreshed: bool) -> dict[str, Leaf]:
        """Which parameters move, by their path below `prefix`, with transform and scale.

        own, belief: the parameters at the beginning of the phase and their marginals. refreshed:
        the last phase, in which every point may have a scale of its own. A scale is about the
        standard deviation of the parameter; `Leaf(LOG, …)` keeps a parameter positive.
        """

    def spread(self, belief: Belief, *, refreshed: bool) -> Float[Array, " Q"]:
        """The scale of every dimension, on which inducing inputs among the points are moved."""


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
