"""Family 6.3: all dimensions of a hidden layer's outputs h depend jointly on u.

The posterior is q(h_n | u) = N(T_n u + m_n, S_n), with u stacked as [u¹; …; u^D]. T_n is D × DM,
either free or gated: G ⊗ Ā_n with a D × D matrix G of gates. A diagonal G gives family 6.2.
S_n = U diag(s) Uᵀ with a unit lower-triangular U. The layer below gets the full covariance
T_nΣT_nᵀ + S_n.

q(u) = N(μ, Σ), of size DM, is the closed form that is optimal for the layer's own terms:
Σ⁻¹ = I ⊗ K⁻¹ + βJ and μ = −βΣ Σ_n Δ_nᵀm_n with Δ_n = T_n − I ⊗ Ā_n and
J = Σ_n Δ_nᵀΔ_n + I ⊗ (Ω − ĀᵀĀ). Sites and the basis of L are the same as in 6.2. The family is for
small models, because autograd computes the gradients. Source: Chamberlin (2016), §4.4.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds.layer import Layer, gram_factor
from gplvm_core.models.families.correlated import Above, Correlated, of_inputs, to_inputs
from gplvm_core.models.families.layer_result import LayerResult, Moved, informed, summed
from gplvm_core.models.families.reverse import inverse_factor, numpy_of, pulled
from gplvm_core.models.families.tilted import tilted, tilted_pairs
from gplvm_core.numerics import Array, NotPositiveDefiniteError, symmetrise


@dataclass(frozen=True)
class JointSites:
    """The contribution of the layers below to the stacked q(u), in natural parameters (6.2)."""

    first: Float[Array, " P"]
    second: Float[Array, "P P"]


@dataclass(frozen=True)
class JointlyGivenInducing:
    """Parameters of q(h | u): m, S and T; their gradients have this type, too.

    S is given by s (`variance`) and U's entries below the diagonal, row by row (`mixes`). T is
    given by a matrix of gates, or as a free matrix with P = DM columns.
    """

    mean: Float[Array, "N D"]
    variance: Float[Array, "N D"]
    mixes: Float[Array, "N _B"]
    gate: Float[Array, "D D"] | None = None
    transfer: Float[Array, "N D P"] | None = None
    sites: JointSites | None = None

    @classmethod
    def independent(cls, belief: Belief) -> "JointlyGivenInducing":
        """Start with outputs that are independent of u."""
        n_points, size = belief.mean.shape
        none = np.zeros((n_points, size * (size - 1) // 2))
        return cls(belief.mean, belief.variance, none, np.zeros((size, size)))

    @property
    def covariance(self) -> Float[Array, "N D D"]:
        """S."""
        return np.asarray(spread_of(self.variance, self.mixes))

    def arguments(self, size: int) -> tuple[Array, ...]:
        """The parameters as arrays; missing sites are 0. size: the size of the stacked u."""
        sites = self.sites or JointSites(np.zeros(size), np.zeros((size, size)))
        how = self.gate if self.transfer is None else self.transfer
        return (self.mean, self.variance, self.mixes, np.asarray(how), sites.first, sites.second)

    def moved(
        self, gradients: tuple[Array, ...], at: Above, adjoint: Correlated
    ) -> "JointlyGivenInducing":
        """The gradients of the parameters, and the optimal sites.

        gradients: the gradients of `arguments`, without the entropy.
        """
        d_mean, d_variance, d_mixes, d_how = gradients[:4]
        d_entropy = Belief(self.mean, self.variance).entropy()[1]
        g_mean = np.einsum("ndp,nd->p", at.transfer, adjoint.mean)
        half = np.swapaxes(at.transfer, 1, 2) @ adjoint.covariance
        g_covariance = symmetrise(np.einsum("npd,ndq->pq", half, at.transfer))
        if adjoint.above is not None:
            g_mean = g_mean + adjoint.above.mean
            g_covariance = g_covariance + symmetrise(adjoint.above.covariance)
        return JointlyGivenInducing(
            d_mean,
            d_variance + d_entropy.variance,
            d_mixes,
            d_how if self.transfer is None else None,
            None if self.transfer is None else d_how,
            JointSites(g_mean - 2.0 * g_covariance @ at.mean, g_covariance),
        )


def joint(
    layer: Layer, source: Correlated, own: JointlyGivenInducing, *, jitter: float
) -> LayerResult[Correlated]:
    """Evaluate a layer at its given scales: F_l, its gradients, and q of the outputs.

    Raises NotPositiveDefiniteError, and KernelError for kernels other than RBF.
    """
    n_outputs, n_inducing = own.mean.shape[1], len(layer.inducing)
    linear = layer.linear_mean(source.marginals)

    def together(
        variance: Any, lengthscale: Any, inducing: Any, mean: Any, covariance: Any, *rest: Any
    ) -> tuple[Any, ...]:
        noise, m, s, mixes, how, first, second = rest
        xp, m = numpy_of(variance), m - linear
        inputs = variance, lengthscale, mean, covariance, inducing
        (psi1,), (phi,) = tilted(*inputs, 0), tilted_pairs(*inputs, 0)
        psi2, low = xp.sum(phi, axis=0), whitening(variance, lengthscale, inducing, jitter)
        alpha, c = xp.matmul(psi1, low.T), xp.matmul(xp.matmul(low, psi2), low.T)
        transfer, delta, spread = around(alpha, c, how, n_outputs)
        inner = np.eye(len(spread)) + spread / noise
        shift = -xp.matmul(delta.T, xp.ravel(m)) / noise
        root = inverse_factor(inner - 2.0 * second)
        u_covariance = xp.matmul(root.T, root)
        u_mean = xp.matmul(u_covariance, shift + first)
        own_spread = spread_of(s, mixes)
        left_over = n_outputs * (len(mean) * variance - xp.trace(c))
        unexplained = xp.sum(m**2) + xp.sum(own_spread * np.eye(n_outputs)) + left_over
        value = -0.5 * (m.size * xp.log(2.0 * np.pi * noise) + unexplained / noise)
        value = value + xp.sum(shift * u_mean)
        value = value - 0.5 * xp.sum(inner * (u_covariance + xp.outer(u_mean, u_mean)))
        value = value + 0.5 * len(spread) + xp.sum(xp.log(xp.diag(root)))
        of_u = xp.matmul(xp.matmul(transfer, u_covariance), xp.swapaxes(transfer, 1, 2))
        a = xp.matmul(transfer, u_mean) + m + linear
        return value, a, of_u + own_spread, u_mean, u_covariance, transfer, left_over, psi1, psi2

    noise = np.asarray(layer.noise_variance)
    arguments = (*of_inputs(layer, source), noise, *own.arguments(n_outputs * n_inducing))
    (value, a, gamma, mean, whole, transfer, left_over, psi1, psi2), pull = pulled(
        together, arguments
    )
    if not left_over >= 0.0:
        raise NotPositiveDefiniteError("ψ0 − tr(K⁻¹Φ) is negative: the jitter is too small")
    above = Above(mean, whole, transfer)

    def pullback(adjoint: Correlated) -> Moved:
        below: list[Array | None] = [None, None, None]
        if adjoint.above is not None:
            below = [adjoint.above.mean, adjoint.above.covariance, adjoint.above.transfer]
        found = pull([np.ones(1), adjoint.mean, adjoint.covariance, *below, None, None, None])
        d_source, d_layer = to_inputs(layer, found[:5], float(found[5]))
        return Moved(d_source, d_layer, own.moved(found[6:], above, adjoint))

    belief = Correlated(a, gamma, above)
    return as_result(layer, source, own, belief, float(value), (psi1, psi2), pullback, jitter)


def as_result(
    layer: Layer,
    source: Correlated,
    own: JointlyGivenInducing,
    belief: Correlated,
    value: float,
    psi: tuple[Array, Array],
    pullback: Callable[[Correlated], Moved],
    jitter: float,
) -> LayerResult[Correlated]:
    """Collect the result of a layer; predictions use a separate q(u) for every output."""
    assert belief.above is not None
    (n_points, size), n_inducing = belief.mean.shape, len(layer.inducing)
    blocks = belief.above.covariance.reshape(size, n_inducing, size, n_inducing)
    inverse = np.stack([blocks[d, :, d] for d in range(size)])
    gram = gram_factor(layer.kernel, layer.inducing, jitter, relative=True)
    mean = belief.mean - layer.linear_mean(source.marginals)
    psi0, spread = n_points * layer.kernel.diag(layer.inducing)[:1], belief.marginals.variance
    statistics = summed(psi0, *psi, mean, float(np.sum(spread)))
    posterior = informed(gram, value, belief.above.mean.reshape(size, n_inducing), inverse)
    entropy, _ = Belief(own.mean, own.variance).entropy()
    return LayerResult(belief, layer, posterior, statistics, gram.jitter, entropy, pullback)


def whitening(variance: Any, lengthscale: Any, inducing: Any, jitter: float) -> Any:
    """L⁻¹ of an RBF kernel's K = LLᵀ, with a relative jitter."""
    xp = numpy_of(variance, inducing)
    apart = (inducing[:, None] - inducing) / lengthscale
    gram = xp.exp(-0.5 * xp.sum(apart**2, axis=2))
    return inverse_factor(gram, jitter) / xp.sqrt(variance)


def around(alpha: Any, c: Any, how: Any, n_outputs: int) -> tuple[Any, Any, Any]:
    """Compute T, Δ (a row for each point and output) and J; how: the gates or a free T."""
    xp, eye, (n_points, size) = numpy_of(alpha, how), np.eye(n_outputs), alpha.shape
    shape = n_points, n_outputs, n_outputs * size

    def of_gates(gates: Any) -> Any:
        return xp.reshape(gates[None, :, :, None] * alpha[:, None, None, :], shape)

    transfer = how if how.ndim == 3 else of_gates(how)
    delta = xp.reshape(transfer - of_gates(eye), (-1, shape[2]))
    own = c - xp.matmul(alpha.T, alpha)
    apart = xp.reshape(eye[:, None, :, None] * own[None, :, None, :], (shape[2], shape[2]))
    return transfer, delta, xp.matmul(delta.T, delta) + apart


def spread_of(variance: Any, mixes: Any) -> Any:
    """S = U diag(s) Uᵀ of every point."""
    xp, size = numpy_of(variance, mixes), variance.shape[1]
    rows, columns = np.tril_indices(size, -1)
    picks = np.zeros((len(rows), size, size))
    picks[np.arange(len(rows)), rows, columns] = 1.0
    unit = np.eye(size) + xp.tensordot(mixes, picks, 1)
    return xp.matmul(unit * variance[:, None, :], xp.swapaxes(unit, 1, 2))
