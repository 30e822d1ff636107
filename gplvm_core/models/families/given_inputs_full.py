"""Family 6.5, full: every hidden output depends on all inputs of the layer.

The posterior is q(h_n | h⁻_n) = N(a_n + T_n (h⁻_n − a⁻_n), diag S_n). As in the diagonal family,
the parameter is the marginals' mean a = Ta⁻ + m. q(u) is independent of q(h) and optimal: the bound
is the collapsed bound with A = Σ_n (κ1_n T_nᵀ + κ0_n a_nᵀ), where κ1 uses inputs relative to their
mean, and yy = Σ_n (‖a_n‖² + tr Γ_n). The layer below gets a and the full covariance
Γ = TΓ⁻Tᵀ + diag S. T has no effect for exactly known inputs. The family is for small models.
Source: Chamberlin (2016), §4.6.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds.layer import Layer, Scales, evaluate_statistics
from gplvm_core.models.families.correlated import Correlated, correlated_statistics
from gplvm_core.models.families.layer_result import LayerResult, Moved
from gplvm_core.numerics import Array, symmetrise
from gplvm_core.statistics import Targets


@dataclass(frozen=True)
class FullyGivenInputs:
    """Parameters of q(h | h⁻): the marginals' mean a, S, and T; gradients have this type, too."""

    mean: Float[Array, "N D"]
    variance: Float[Array, "N D"]
    follows: Float[Array, "N D Q"]


def given_inputs_full(
    layer: Layer, source: Correlated, own: FullyGivenInputs, scales: Scales, *, jitter: float
) -> LayerResult[Correlated]:
    """Evaluate a layer: F_l, its gradients, and q of the outputs.

    scales: which scales of the layer are optimised. Raises NotPositiveDefiniteError, and
    KernelError for kernels other than RBF.
    """
    follows, turned = own.follows, np.swapaxes(own.follows, 1, 2)
    diagonal = own.variance[:, :, None] * np.eye(own.mean.shape[1])
    covariance = follows @ source.covariance @ turned + diagonal
    mean = own.mean - layer.linear_mean(source.marginals)
    entropy, d_entropy = Belief(own.mean, own.variance).entropy()
    spread = float(np.trace(covariance, axis1=1, axis2=2).sum())
    reduced = correlated_statistics(layer, source, Targets.whole(mean), follows, spread)
    at = evaluate_statistics(layer, *reduced, scales, jitter=jitter, mean_field=True)

    def pullback(adjoint: Correlated) -> Moved:
        d_source, d_mean, d_follows, d_yy = at.targets
        d_covariance = symmetrise(adjoint.covariance) + d_yy * np.eye(own.mean.shape[1])
        d_variance = np.diagonal(d_covariance, axis1=1, axis2=2) + d_entropy.variance
        d_noise = at.noise_variance if at.profile is None else 0.0
        return Moved(
            Correlated(d_source.mean, d_source.covariance + turned @ d_covariance @ follows),
            Layer(at.gradients.kernel, at.gradients.inducing, d_noise),
            FullyGivenInputs(
                adjoint.mean + d_mean,
                d_variance,
                d_follows + 2.0 * d_covariance @ follows @ source.covariance,
            ),
        )

    capped = 0 if at.profile is None else int(at.profile.capped)
    return LayerResult(
        Correlated(own.mean, covariance),
        at.layer,
        at.posterior,
        at.statistics,
        at.jitter,
        entropy,
        pullback,
        capped,
    )
