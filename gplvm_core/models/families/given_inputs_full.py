"""6.5, full: q(h_n | h⁻_n) = N(a_n + T_n (h⁻_n − a⁻_n), diag S_n), outputs that follow all inputs.

Written by the marginals' mean a = Ta⁻ + m, as the diagonal one. q(u) is independent of q(h) and at
its optimum: the collapsed bound with A = Σ_n (κ1_n T_nᵀ + κ0_n a_nᵀ), κ1 of inputs measured from
their mean, and yy = Σ_n (‖a_n‖² + tr Γ_n). Handed down: a and Γ = TΓ⁻Tᵀ + diag S, whose dimensions
hang together. Of inputs known exactly T says nothing. For small models. Chamberlin (2016), §4.6.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds.layer import Layer, Scales, evaluate_statistics
from gplvm_core.models.families.correlated import Correlated, correlated_statistics
from gplvm_core.models.families.handed import Handed, Moved
from gplvm_core.numerics import Array, symmetrise
from gplvm_core.statistics import Targets


@dataclass(frozen=True)
class FullyGivenInputs:
    """q(h | h⁻): the marginals' mean a, S, and T; also the shape of their gradients."""

    mean: Float[Array, "N D"]
    variance: Float[Array, "N D"]
    follows: Float[Array, "N D Q"]


def given_inputs_full(
    layer: Layer, source: Correlated, own: FullyGivenInputs, scales: Scales, *, jitter: float
) -> Handed[Correlated]:
    """F_l with its gradients, at its best scales or its own, and what is handed down.

    Raises NotPositiveDefiniteError, and KernelError for other kernels than RBF.
    """
    follows, turned = own.follows, np.swapaxes(own.follows, 1, 2)
    diagonal = own.variance[:, :, None] * np.eye(own.mean.shape[1])
    covariance = follows @ source.covariance @ turned + diagonal
    mean = own.mean - layer.handed_on(source.marginals)
    entropy, d_entropy = Belief(own.mean, own.variance).entropy()
    spread = float(np.trace(covariance, axis1=1, axis2=2).sum())
    reduced = correlated_statistics(layer, source, Targets.whole(mean), follows, spread)
    at = evaluate_statistics(layer, *reduced, scales, jitter=jitter, mean_field=True)

    def pullback(met: Correlated) -> Moved:
        d_source, d_mean, d_follows, d_yy = at.targets
        d_covariance = symmetrise(met.covariance) + d_yy * np.eye(own.mean.shape[1])
        d_variance = np.diagonal(d_covariance, axis1=1, axis2=2) + d_entropy.variance
        d_noise = at.noise_variance if at.profile is None else 0.0
        return Moved(
            Correlated(d_source.mean, d_source.covariance + turned @ d_covariance @ follows),
            Layer(at.gradients.kernel, at.gradients.inducing, d_noise),
            FullyGivenInputs(
                met.mean + d_mean,
                d_variance,
                d_follows + 2.0 * d_covariance @ follows @ source.covariance,
            ),
        )

    capped = 0 if at.profile is None else int(at.profile.capped)
    return Handed(
        Correlated(own.mean, covariance),
        at.layer,
        at.posterior,
        at.statistics,
        at.jitter,
        entropy,
        pullback,
        capped,
    )
