"""Family 6.5, diagonal: each hidden output depends on the layer's input with the same index.

The posterior is q(h_nd | h⁻_n) = N(a_nd + t_nd (h⁻_nd − a⁻_nd), S_nd). h⁻ are the layer's inputs,
with q = N(a⁻, Γ⁻). Outputs without an input of the same index depend on no input. The parameter is
the marginals' mean a = Ta⁻ + m, so t has no effect for known inputs. q(u) is independent of q(h)
and optimal: the bound is the collapsed bound with A = Σ_n κ0_n (a_n + (m̂_n − a⁻_n) t_n), where
m̂ − a⁻ is the kernel's shift of the inputs' mean. The layer below gets the marginals
N(a, TΓ⁻T + S). t = 0 is mean field (6.0). Source: Chamberlin (2016), §4.6, with corrections.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds.layer import Layer, Scales, evaluate_statistics
from gplvm_core.kernels import Gradients
from gplvm_core.kernels.tilted import as_rbf
from gplvm_core.models.families.layer_result import LayerResult, Moved
from gplvm_core.models.families.tilted import pull
from gplvm_core.numerics import Array
from gplvm_core.statistics import PulledBack, Statistics, StatisticsPullback


@dataclass(frozen=True)
class GivenInputs:
    """Parameters of q(h | h⁻): a, S, and t; their gradients have this type, too.

    t belongs to the C dimensions that inputs and outputs have in common.
    """

    mean: Float[Array, "N D"]
    variance: Float[Array, "N D"]
    follows: Float[Array, "N C"]


def given_inputs(
    layer: Layer, source: Belief, own: GivenInputs, scales: Scales, *, jitter: float
) -> LayerResult:
    """Evaluate a layer: F_l, its gradients, and q of the outputs.

    scales: which scales of the layer are optimised. Raises NotPositiveDefiniteError, and
    KernelError for kernels other than RBF.
    """
    common = own.follows.shape[1]
    follows = np.zeros_like(own.mean)
    follows[:, :common] = own.follows
    above = np.zeros_like(own.mean)
    above[:, :common] = source.variance[:, :common]
    belief = Belief(own.mean, follows**2 * above + own.variance)
    entropy, d_entropy = Belief(own.mean, own.variance).entropy()
    reduced = _statistics(layer, source, own, belief)
    at = evaluate_statistics(layer, *reduced, scales, jitter=jitter, mean_field=True)
    d_own: GivenInputs = at.targets

    def pullback(adjoint: Belief) -> Moved:
        d_variance = adjoint.variance + d_own.variance
        d_follows = d_own.follows + (2.0 * follows * above * d_variance)[:, :common]
        d_above = at.gradients.variance.copy()
        d_above[:, :common] += (follows**2 * d_variance)[:, :common]
        d_noise = at.noise_variance if at.profile is None else 0.0
        return Moved(
            Belief(at.gradients.mean, d_above),
            Layer(at.gradients.kernel, at.gradients.inducing, d_noise),
            GivenInputs(adjoint.mean + d_own.mean, d_variance + d_entropy.variance, d_follows),
        )

    capped = 0 if at.profile is None else int(at.profile.capped)
    return LayerResult(
        belief, at.layer, at.posterior, at.statistics, at.jitter, entropy, pullback, capped
    )


def _statistics(
    layer: Layer, source: Belief, own: GivenInputs, belief: Belief
) -> tuple[Statistics, StatisticsPullback]:
    """The statistics of all points; the pullback's targets are the gradients of (a, Γ, t)."""
    kernel, inducing, common = as_rbf(layer.kernel), layer.inducing, own.follows.shape[1]
    mean = own.mean - layer.linear_mean(source)
    psi0, pull_psi0 = kernel.psi0(source.mean, source.variance)
    psi1, pull_psi1 = kernel.psi1(source.mean, source.variance, inducing)
    psi2, pull_psi2 = kernel.psi2(source.mean, source.variance, inducing)
    tilt, pull_tilt = pull(kernel, source.mean, source.variance, inducing)
    tilt = tilt[:, :, :common]
    carried = psi1.T @ mean
    carried[:, :common] += np.einsum("nm,nmc,nc->mc", psi1, tilt, own.follows)
    statistics = Statistics(
        psi0.sum(keepdims=True),
        carried,
        psi2[None],
        float(np.sum(mean**2) + np.sum(belief.variance)),
        np.array([len(mean)]),
        np.array([mean.shape[1]]),
    )

    def pullback(adjoint: Statistics) -> PulledBack:
        d_carried = adjoint.psi1_targets
        d_tilt = np.zeros((*psi1.shape, source.n_latent))
        d_tilt[:, :, :common] = psi1[:, :, None] * d_carried[:, :common] * own.follows[:, None, :]
        d_psi1 = mean @ d_carried.T
        d_psi1 += np.einsum("nmc,mc,nc->nm", tilt, d_carried[:, :common], own.follows)
        direct = pull_psi0(np.full(len(mean), float(adjoint.psi0[0])))
        through = pull_psi1(d_psi1) + pull_psi2(adjoint.psi2[0]) + pull_tilt(d_tilt)
        d_own = GivenInputs(
            2.0 * adjoint.yy * mean + psi1 @ d_carried,
            np.full_like(mean, adjoint.yy),
            np.einsum("nm,nmc,mc->nc", psi1, tilt, d_carried[:, :common]),
        )
        alone = Gradients(direct[0], direct[1], np.zeros_like(inducing), direct[2])
        return PulledBack(through + alone, d_own)

    return statistics, pullback
