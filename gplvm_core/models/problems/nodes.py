"""The nodes of a model's graph: q(X) of the inputs of its layers, and their prior p(X).

A node maps its parameters to the marginals of q(X), and adds a term to the bound: −KL(q(X) ‖ p(X)),
or another term in its place. The layers return adjoints of the marginals; the node pulls them back
to its parameters.

Also here: the node of a regression: inputs that are exact, noisy, partly missing or unknown.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.models.data.inputs import Inputs
from gplvm_core.models.problems.initialise import initial_latent
from gplvm_core.numerics import Array
from gplvm_core.parameters import LOG, Leaf, log_above
from gplvm_core.prediction.impute import distance_observed
from gplvm_core.priors import StandardNormal, UncertainInputs

INITIAL_VARIANCE = 0.3
# The optimiser's scale for points that have no variance of their own.
POINT_SCALE = 0.3
# The smallest variance of a hidden point; the initial means have about unit variance.
LEAST_VARIANCE = 1e-6


@dataclass(frozen=True)
class Believed:
    """q(X) of a node at its parameters, and the pullback from its marginals to the parameters.

    belief : the marginals, N × Q means and variances, which are the inputs of the layers below.
    own : the node's term of the bound, in nats: −KL(q(X) ‖ p(X)) for a node with a separate prior,
        the entropy of q(X) for a hidden node, whose prior is the layer above.
    information : the KL divergence of every dimension (Q,) in nats per point, for progress and
        verdicts; NaN if q(X) is no distribution.
    pullback : a function from ∂(the layers' terms)/∂(mean, variance) to the gradient of the whole
        bound. Its argument contains these derivatives as a `Belief`, summed over all edges. Its
        result includes the gradient of `own`, and has the type of the node's parameters.
    """

    belief: Belief
    own: float
    information: Float[Array, " Q"]
    pullback: Callable[[Belief], Any]

    @classmethod
    def under(cls, prior: StandardNormal | UncertainInputs, own: Belief) -> Self:
        """The parameters are the marginals of q(X), and every entry has a prior of its own."""
        kl, d_kl = prior.kl(own)

        def pullback(adjoint: Belief) -> Belief:
            return Belief(adjoint.mean - d_kl.mean, adjoint.variance - d_kl.variance)

        return cls(own, -kl, prior.kl_terms(own).mean(axis=0), pullback)


class Node(Protocol):
    """q(X) of the inputs of layers, with its prior: the interface that training uses.

    A node is a frozen dataclass of fixed values (data, priors). Training changes only the
    *parameters* of a node (`own` below): a nested frozen dataclass of arrays, whose type the node
    chooses, such as a `Belief`. Training calls `start` once for every start, `believed` in every
    evaluation, and `free` and `spread` at the beginning of every phase. No method has side effects.
    """

    def start(self, belief: Belief, seed: int) -> Any:
        """Parameters whose marginals are the given starting belief (N × Q).

        seed: the seed of this start, for random draws.
        """

    def notes(self, belief: Belief, seed: int) -> tuple[str, ...]:
        """Sentences that inform the user of automatic choices in `start`; () if there are none."""

    def believed(self, own: Any) -> Believed:
        """The marginals at the parameters `own`, their term of the bound, and the pullback."""

    def free(self, prefix: str, own: Any, belief: Belief, *, refreshed: bool) -> dict[str, Leaf]:
        """The trained parameters, by their path below `prefix`, with transform and scale.

        own, belief: the parameters at the beginning of the phase and their marginals. refreshed:
        True in the last phase, in which every point may have a separate scale. A scale is about the
        standard deviation of the parameter; `Leaf(LOG, …)` keeps a parameter positive.
        """

    def spread(self, belief: Belief, *, refreshed: bool) -> Float[Array, " Q"]:
        """The scale of every dimension (Q,), for the optimiser's steps of the inducing inputs."""


@dataclass(frozen=True)
class LatentNode:
    """x_n ~ N(0, I) with a separate Gaussian q(x_n) for every point (Titsias & Lawrence 2010)."""

    def start(self, belief: Belief, seed: int) -> Belief:
        return belief

    def notes(self, belief: Belief, seed: int) -> tuple[str, ...]:
        return ()

    def believed(self, own: Belief) -> Believed:
        return Believed.under(StandardNormal(), own)

    def free(self, prefix: str, own: Belief, belief: Belief, *, refreshed: bool) -> dict[str, Leaf]:
        scale = np.sqrt(belief.variance if refreshed else belief.variance.mean(axis=0))
        return {f"{prefix}.mean": Leaf(scale=scale), f"{prefix}.variance": Leaf(LOG, 2.0)}

    def spread(self, belief: Belief, *, refreshed: bool) -> Float[Array, " Q"]:
        if refreshed:
            return np.asarray(np.sqrt(belief.variance).mean(axis=0))
        return np.asarray(np.sqrt(belief.variance.mean(axis=0)))


@dataclass(frozen=True)
class PointNode:
    """x_n ~ N(0, I) at its most probable value: log p(X) replaces −KL (Lawrence 2005).

    held: the points stay where they start.
    """

    held: bool = False

    def start(self, belief: Belief, seed: int) -> Belief:
        return Belief(belief.mean, np.zeros_like(belief.mean))

    def notes(self, belief: Belief, seed: int) -> tuple[str, ...]:
        return ()

    def believed(self, own: Belief) -> Believed:
        log_prior, d_prior = StandardNormal().log_density(own.mean)

        def pullback(adjoint: Belief) -> Belief:
            return Belief(adjoint.mean + d_prior, adjoint.variance)

        return Believed(own, log_prior, np.full(own.n_latent, np.nan), pullback)

    def free(self, prefix: str, own: Belief, belief: Belief, *, refreshed: bool) -> dict[str, Leaf]:
        return {} if self.held else {f"{prefix}.mean": Leaf(scale=POINT_SCALE)}

    def spread(self, belief: Belief, *, refreshed: bool) -> Float[Array, " Q"]:
        return np.full(belief.n_latent, POINT_SCALE)


@dataclass(frozen=True)
class HiddenNode(LatentNode):
    """The outputs of one layer and the inputs of the next; the entropy of q(X) replaces −KL.

    The prior of a hidden node is the layer above, whose F_data contains the rest of the KL term
    (Damianou 2015, §6.2 and App. C). The information of a dimension is the KL divergence per point
    from the Gaussian that best fits all points. The variances have a lower limit above rounding
    errors. Below this limit, the variances and the layer's noise would shrink together, and the
    bound would rise only by rounding errors.
    """

    def believed(self, own: Belief) -> Believed:
        entropy, d_entropy = own.entropy()

        def pullback(adjoint: Belief) -> Belief:
            return Belief(adjoint.mean, adjoint.variance + d_entropy.variance)

        spread = np.maximum(own.variance, np.finfo(float).tiny)
        together = own.mean.var(axis=0) + spread.mean(axis=0)
        information = 0.5 * (np.log(together) - np.log(spread).mean(axis=0))
        return Believed(own, entropy, information, pullback)

    def free(self, prefix: str, own: Belief, belief: Belief, *, refreshed: bool) -> dict[str, Leaf]:
        least = np.full(belief.variance.shape, LEAST_VARIANCE)
        free = super().free(prefix, own, belief, refreshed=refreshed)
        return free | {f"{prefix}.variance": Leaf(log_above(least), 2.0)}


@dataclass(frozen=True)
class InputNode:
    """Inputs of a regression; entries that are not exact are trained and add −KL to the bound.

    Learnt variances of input noise are always optimal for q(X). Source: Damianou (2015), §4.2.
    """

    inputs: Inputs

    def prior(self, belief: Belief) -> UncertainInputs:
        """p(X), with learnt variances at their optimum for q(X)."""
        return self.inputs.prior.fitted(belief, self.inputs.groups)

    def start(self, belief: Belief, seed: int) -> Belief:
        return belief

    def notes(self, belief: Belief, seed: int) -> tuple[str, ...]:
        return ()

    def believed(self, own: Belief) -> Believed:
        return Believed.under(self.prior(own), own)

    def free(self, prefix: str, own: Belief, belief: Belief, *, refreshed: bool) -> dict[str, Leaf]:
        inputs, free = self.inputs, dict[str, Leaf]()
        if inputs.free_mean.any():
            scale = np.sqrt(np.where(inputs.free_mean, belief.variance, 1.0))
            free[f"{prefix}.mean"] = Leaf(scale=scale, free=inputs.free_mean)
        if inputs.free_variance.any():
            free[f"{prefix}.variance"] = Leaf(LOG, 2.0, free=inputs.free_variance)
        return free

    def spread(self, belief: Belief, *, refreshed: bool) -> Float[Array, " Q"]:
        return np.full(belief.n_latent, POINT_SCALE)


def guess_inputs(
    inputs: Inputs, targets: Float[Array, "N D"], generator: np.random.Generator
) -> Float[Array, "N Q"]:
    """Copy each missing input from another row, in which this input is observed.

    The other row is the one with the nearest outputs. A column that is missing in all rows gets a
    principal component of the outputs.
    """
    mean = inputs.belief.mean.copy()
    latent, _ = initial_latent((targets,), mean.shape[1], "pca", generator)
    # The distance of two rows uses the outputs that are observed in both rows.
    near = distance_observed(targets, np.where(np.isnan(targets), 0.0, targets))
    component = 0
    for q in range(mean.shape[1]):
        gone = inputs.missing[:, q]
        if gone.all():
            mean[:, q] = latent[:, component]
            component += 1
        elif gone.any():
            known = np.flatnonzero(~gone)
            mean[gone, q] = mean[known[np.argmin(near[np.ix_(gone, known)], axis=1)], q]
    return mean
