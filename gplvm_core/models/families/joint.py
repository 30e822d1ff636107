"""6.3: q(h_n | u) = N(T_n u + m_n, S_n), all dimensions of the outputs together.

u is stacked as [u¹; …; u^D], T_n is D × DM: gated, G ⊗ Ā_n with a D × D matrix of gates (diagonal G
is 6.2's), or free. S_n = U diag(s) Uᵀ with a unit lower triangle U, handed down is the full
covariance T_nΣT_nᵀ + S_n. q(u) = N(μ, Σ) of size DM, by the closed form that is best for the
layer's own terms, Σ⁻¹ = I ⊗ K⁻¹ + βJ and μ = −βΣ Σ_n Δ_nᵀm_n with Δ_n = T_n − I ⊗ Ā_n and
J = Σ_n Δ_nᵀΔ_n + I ⊗ (Ω − ĀᵀĀ), with sites as in 6.2. In the basis of L as there. For small models:
the way back is autograd's. Chamberlin (2016), §4.4.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds.layer import Layer, gram_factor
from gplvm_core.models.families.correlated import Above, Correlated, of_inputs, to_inputs
from gplvm_core.models.families.handed import Handed, Moved, informed, summed
from gplvm_core.models.families.reverse import inverse_factor, numpy_of, pulled
from gplvm_core.models.families.tilted import tilted, tilted_pairs
from gplvm_core.numerics import Array, NotPositiveDefiniteError, symmetrise


@dataclass(frozen=True)
class JointSites:
    """What the layers below say of q(u), stacked, as in 6.2."""

    first: Float[Array, " P"]
    second: Float[Array, "P P"]


@dataclass(frozen=True)
class JointlyGivenInducing:
    """q(h | u): m, S as s and U's entries below its diagonal, row by row, and T, P = DM, as a
    matrix of gates or free; also the shape of their gradients.
    """

    mean: Float[Array, "N D"]
    variance: Float[Array, "N D"]
    mixes: Float[Array, "N _B"]
    gate: Float[Array, "D D"] | None = None
    transfer: Float[Array, "N D P"] | None = None
    sites: JointSites | None = None

    @classmethod
    def independent(cls, belief: Belief) -> "JointlyGivenInducing":
        """Outputs that follow nothing, as a start."""
        n_points, size = belief.mean.shape
        none = np.zeros((n_points, size * (size - 1) // 2))
        return cls(belief.mean, belief.variance, none, np.zeros((size, size)))

    @property
    def covariance(self) -> Float[Array, "N D D"]:
        """S."""
        return np.asarray(spread_of(self.variance, self.mixes))

    def arguments(self, size: int) -> tuple[Array, ...]:
        """What q(h | u) is a function of; size: of stacked u."""
        sites = self.sites or JointSites(np.zeros(size), np.zeros((size, size)))
        how = self.gate if self.transfer is None else self.transfer
        return (self.mean, self.variance, self.mixes, np.asarray(how), sites.first, sites.second)

    def moved(
        self, gradients: tuple[Array, ...], at: Above, met: Correlated
    ) -> "JointlyGivenInducing":
        """Gradients of `arguments`, with the entropy's and the sites that the layers below have."""
        d_mean, d_variance, d_mixes, d_how = gradients[:4]
        d_entropy = Belief(self.mean, self.variance).entropy()[1]
        g_mean = np.einsum("ndp,nd->p", at.transfer, met.mean)
        half = np.swapaxes(at.transfer, 1, 2) @ met.covariance
        g_covariance = symmetrise(np.einsum("npd,ndq->pq", half, at.transfer))
        if met.above is not None:
            g_mean = g_mean + met.above.mean
            g_covariance = g_covariance + symmetrise(met.above.covariance)
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
) -> Handed[Correlated]:
    """F_l with its gradients, at the layer's own two scales, and what is handed down.

    Raises NotPositiveDefiniteError, and KernelError for other kernels than RBF.
    """
    n_outputs, n_inducing = own.mean.shape[1], len(layer.inducing)
    handed_on = layer.handed_on(source.marginals)

    def together(
        variance: Any, lengthscale: Any, inducing: Any, mean: Any, covariance: Any, *rest: Any
    ) -> tuple[Any, ...]:
        noise, m, s, mixes, how, first, second = rest
        xp, m = numpy_of(variance), m - handed_on
        inputs = variance, lengthscale, mean, covariance, inducing
        (psi1,), (phi,) = tilted(*inputs, 0), tilted_pairs(*inputs, 0)
        psi2, low = xp.sum(phi, axis=0), whitening(variance, lengthscale, inducing, jitter)
        alpha, c = xp.matmul(psi1, low.T), xp.matmul(xp.matmul(low, psi2), low.T)
        transfer, delta, spread = around(alpha, c, how, n_outputs)
        inner = np.eye(len(spread)) + spread / noise
        shift = -xp.matmul(delta.T, xp.ravel(m)) / noise
        root = inverse_factor(inner - 2.0 * second)
        told = xp.matmul(root.T, root)
        told_mean = xp.matmul(told, shift + first)
        own_spread = spread_of(s, mixes)
        left_over = n_outputs * (len(mean) * variance - xp.trace(c))
        unexplained = xp.sum(m**2) + xp.sum(own_spread * np.eye(n_outputs)) + left_over
        value = -0.5 * (m.size * xp.log(2.0 * np.pi * noise) + unexplained / noise)
        value = value + xp.sum(shift * told_mean)
        value = value - 0.5 * xp.sum(inner * (told + xp.outer(told_mean, told_mean)))
        value = value + 0.5 * len(spread) + xp.sum(xp.log(xp.diag(root)))
        handed = xp.matmul(xp.matmul(transfer, told), xp.swapaxes(transfer, 1, 2)) + own_spread
        seen = xp.matmul(transfer, told_mean) + m + handed_on
        return value, seen, handed, told_mean, told, transfer, left_over, psi1, psi2

    noise = np.asarray(layer.noise_variance)
    arguments = (*of_inputs(layer, source), noise, *own.arguments(n_outputs * n_inducing))
    (value, a, gamma, mean, told, transfer, left_over, psi1, psi2), pull = pulled(
        together, arguments
    )
    if not left_over >= 0.0:
        raise NotPositiveDefiniteError("ψ0 − tr(K⁻¹Φ) is negative: the jitter is too small")
    above = Above(mean, told, transfer)

    def pullback(met: Correlated) -> Moved:
        below: list[Array | None] = [None, None, None]
        if met.above is not None:
            below = [met.above.mean, met.above.covariance, met.above.transfer]
        found = pull([np.ones(1), met.mean, met.covariance, *below, None, None, None])
        d_source, d_layer = to_inputs(layer, found[:5], float(found[5]))
        return Moved(d_source, d_layer, own.moved(found[6:], above, met))

    belief = Correlated(a, gamma, above)
    return as_handed(layer, source, own, belief, float(value), (psi1, psi2), pullback, jitter)


def as_handed(
    layer: Layer,
    source: Correlated,
    own: JointlyGivenInducing,
    belief: Correlated,
    value: float,
    psi: tuple[Array, Array],
    pullback: Callable[[Correlated], Moved],
    jitter: float,
) -> Handed[Correlated]:
    """With q(u) of every output on its own, which is what predictions take."""
    assert belief.above is not None
    (n_points, size), n_inducing = belief.mean.shape, len(layer.inducing)
    blocks = belief.above.covariance.reshape(size, n_inducing, size, n_inducing)
    inverse = np.stack([blocks[d, :, d] for d in range(size)])
    gram = gram_factor(layer.kernel, layer.inducing, jitter, relative=True)
    mean = belief.mean - layer.handed_on(source.marginals)
    psi0, spread = n_points * layer.kernel.diag(layer.inducing)[:1], belief.marginals.variance
    statistics = summed(psi0, *psi, mean, float(np.sum(spread)))
    posterior = informed(gram, value, belief.above.mean.reshape(size, n_inducing), inverse)
    entropy, _ = Belief(own.mean, own.variance).entropy()
    return Handed(belief, layer, posterior, statistics, gram.jitter, entropy, pullback)


def whitening(variance: Any, lengthscale: Any, inducing: Any, jitter: float) -> Any:
    """L⁻¹ of an RBF kernel's K = LLᵀ, its jitter relative."""
    xp = numpy_of(variance, inducing)
    apart = (inducing[:, None] - inducing) / lengthscale
    gram = xp.exp(-0.5 * xp.sum(apart**2, axis=2))
    return inverse_factor(gram, jitter) / xp.sqrt(variance)


def around(alpha: Any, c: Any, how: Any, n_outputs: int) -> tuple[Any, Any, Any]:
    """T of a matrix of gates, or free; Δ with the points' outputs as rows; and J."""
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
