"""The node of a regression: inputs that are exact, noisy, partly missing or unknown."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.models.data.inputs import Inputs
from gplvm_core.models.problems.initialise import initial_latent
from gplvm_core.models.problems.nodes import POINT_SCALE, Believed
from gplvm_core.numerics import Array
from gplvm_core.parameters import LOG, Leaf
from gplvm_core.prediction.impute import distance_observed
from gplvm_core.priors import UncertainInputs


@dataclass(frozen=True)
class InputNode:
    """Inputs of a regression; entries that are not exact are trained and add −KL to the bound.

    Learnt variances of input noise are always optimal for q(X). Source: Damianou (2015), §4.2.
    """

    inputs: Inputs

    def prior(self, belief: Belief) -> UncertainInputs:
        """p(X), with learnt variances at their optimum for q(X)."""
        return self.inputs.prior.fitted(belief, self.inputs.groups)

    def kl_terms(self, belief: Belief) -> Float[Array, "N Q"]:
        """The KL divergence of every entry of q(X) in nats."""
        return self.prior(belief).kl_terms(belief)

    def start(self, belief: Belief, seed: int) -> Belief:
        return belief

    def notes(self, belief: Belief, seed: int) -> tuple[str, ...]:
        return ()

    def believed(self, own: Belief) -> Believed:
        kl, d_kl = self.prior(own).kl(own)

        def pullback(adjoint: Belief) -> Belief:
            return Belief(adjoint.mean - d_kl.mean, adjoint.variance - d_kl.variance)

        return Believed(own, -kl, self.kl_terms(own).mean(axis=0), pullback)

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
