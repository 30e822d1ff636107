"""Family 6.2: a hidden layer's outputs h depend on its inducing outputs u.

The posterior is q(h_n^d | u^d) = N(T_n u^d + m_n, S_n). T is either free, N × M for every
dimension, or gated, T = g_d Ā with one gate for each dimension. Ā = ΨK⁻¹ maps u to the average mean
of p(h | u). The gate g = 0 is mean field, and with g = 1 h depends on u as in p(h | u). The layer
below gets the marginals N(Tμ + m, diag(TΣTᵀ) + S). Source: Chamberlin (2016), §4.3, with
corrections.

q(u) = N(μ, Σ) is the closed form that is optimal for the layer's own terms: Σ⁻¹ = K⁻¹ + βJ and
μ = −βΣΔᵀm with Δ = T − Ā and J = ΔᵀΔ + Ω − ĀᵀĀ. The layers below also depend on q(u), so the closed
form is only a parametrisation, not the optimum; any (μ, Σ) gives a bound. Sites add the
contribution of the layers below: Σ⁻¹ = K⁻¹ + βJ − 2s₂, Σ⁻¹μ = −βΔᵀm + s₁. If s₂ = g_Σ and
s₁ = g_μ − 2g_Σμ, the gradient of the whole bound with respect to (μ, Σ) is 0.

All quantities are in the basis of L, with K = LLᵀ: u = Lv, α = ΨL⁻ᵀ, C = L⁻¹ΦL⁻ᵀ. T, μ, Σ and the
sites belong to v.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds.layer import Layer, gram_factor, with_gram
from gplvm_core.kernels import Gradients
from gplvm_core.models.families.layer_result import LayerResult, Moved, informed, summed
from gplvm_core.numerics import Array, NotPositiveDefiniteError, factorise, symmetrise


@dataclass(frozen=True)
class InducingSites:
    """The contribution of the layers below to q(u), as natural parameters of Gaussian factors."""

    first: Float[Array, "D M"]
    second: Float[Array, "D M M"]


@dataclass(frozen=True)
class GivenInducing:
    """Parameters of q(h | u): m, S, and either a gate for every dimension or a free T.

    Gradients have the same type; their `sites` are the optimal sites, (g_μ − 2g_Σμ, g_Σ).
    """

    mean: Float[Array, "N D"]
    variance: Float[Array, "N D"]
    gate: Float[Array, " D"] | None = None
    transfer: Float[Array, "D N M"] | None = None
    sites: InducingSites | None = None

    def transfers(self, alpha: Float[Array, "N M"]) -> Float[Array, "D N M"]:
        """T of every dimension."""
        if self.transfer is not None:
            return self.transfer
        return np.asarray(self.gate)[:, None, None] * alpha


def given_inducing(
    layer: Layer, source: Belief, own: GivenInducing, *, jitter: float
) -> LayerResult:
    """Evaluate a layer at its given scales: F_l, its gradients, and q of the outputs.

    Raises NotPositiveDefiniteError if rounding errors make the problem meaningless, or if the
    precision of q(u) with the sites is not positive definite.
    """
    kernel, inducing, noise = layer.kernel, layer.inducing, float(layer.noise_variance)
    psi0, pull_psi0 = kernel.psi0(source.mean, source.variance)
    psi1, pull_psi1 = kernel.psi1(source.mean, source.variance, inducing)
    psi2, pull_psi2 = kernel.psi2(source.mean, source.variance, inducing)
    gram, beta = gram_factor(kernel, inducing, jitter, relative=True), 1.0 / noise
    alpha, c, eye = gram.solve_lower(psi1.T).T, gram.whiten(psi2), np.eye(len(inducing))
    (n_points, n_outputs), left_over = own.mean.shape, float(psi0.sum() - np.trace(c))
    if not left_over >= 0.0:
        raise NotPositiveDefiniteError(
            f"ψ0 − tr(K⁻¹Φ) = {left_over:.1e} is negative: the jitter is too small"
        )
    # The function f explains the outputs minus the layer's linear mean.
    linear = layer.linear_mean(source)
    m = own.mean - linear
    transfer = own.transfers(alpha)
    delta = transfer - alpha
    spread = np.swapaxes(delta, 1, 2) @ delta + (c - alpha.T @ alpha)
    inner = eye + beta * symmetrise(spread)
    shift = -beta * np.einsum("dnm,nd->dm", delta, m)
    first, second = np.zeros_like(shift), np.zeros_like(inner)
    if own.sites is not None:
        first, second = own.sites.first, own.sites.second
    factors = [factorise(each) for each in inner - 2.0 * second]
    covariance = np.stack([factor.inverse() for factor in factors])
    mean = np.einsum("dij,dj->di", covariance, shift + first)
    squares = covariance + mean[:, :, None] * mean[:, None, :]
    log_determinants = sum(factor.log_determinant for factor in factors)
    unexplained = float(np.sum(m**2) + np.sum(own.variance)) + n_outputs * left_over
    n_values = n_points * n_outputs
    value = -0.5 * (n_values * np.log(2.0 * np.pi * noise) + beta * unexplained)
    value += float(np.sum(shift * mean)) - 0.5 * float(np.vdot(inner, squares))
    value += 0.5 * (n_outputs * len(inducing) - log_determinants)
    carried = transfer @ covariance
    belief = Belief(
        np.einsum("dnm,dm->nd", transfer, mean) + own.mean,
        np.sum(carried * transfer, axis=2).T + own.variance,
    )
    entropy, d_entropy = Belief(own.mean, own.variance).entropy()

    def pullback(adjoint: Belief) -> Moved:
        # The part of the gradient through q(u): the gradient of the layers below with respect to
        # (μ, Σ), minus the gradient of the sites' term.
        d_mean = np.einsum("dnm,nd->dm", transfer, adjoint.mean)
        d_covariance = np.swapaxes(transfer, 1, 2) @ (adjoint.variance.T[:, :, None] * transfer)
        g_mean = d_mean - first - 2.0 * np.einsum("dij,dj->di", second, mean)
        through = np.einsum("dij,dj->di", covariance, g_mean)
        d_shift = mean + through
        outer = symmetrise(through[:, :, None] * mean[:, None, :])
        d_inner = -0.5 * squares - outer - covariance @ (d_covariance - second) @ covariance
        # J = ΔᵀΔ + C − αᵀα and Δ = T − α.
        shifted = np.einsum("dnm,dm->nd", delta, d_shift)
        d_delta = 2.0 * beta * delta @ d_inner - beta * m.T[:, :, None] * d_shift[:, None, :]
        d_transfer = d_delta + adjoint.mean.T[:, :, None] * mean[:, None, :]
        d_transfer += 2.0 * adjoint.variance.T[:, :, None] * carried
        total = d_inner.sum(axis=0)
        d_c = beta * total + 0.5 * beta * n_outputs * eye
        d_alpha = -2.0 * beta * alpha @ total - d_delta.sum(axis=0)
        d_gate = None
        if own.transfer is None:
            d_gate = np.einsum("dnm,nm->d", d_transfer, alpha)
            d_alpha += np.tensordot(np.asarray(own.gate), d_transfer, axes=1)
        d_beta = 0.5 * (n_values * noise - unexplained) + float(np.vdot(d_inner, spread))
        d_beta -= float(np.sum(m * shifted))
        # L depends on K: dL = L lower(L⁻¹ dK L⁻ᵀ), with half the diagonal in `lower`.
        turned = 2.0 * d_c @ c + d_alpha.T @ alpha
        lower = np.tril(turned, -1)
        d_gram = -0.5 * gram.unwhiten(lower + lower.T + np.diag(np.diagonal(turned)))
        pulled = pull_psi1(gram.solve_lower_transposed(d_alpha.T).T)
        pulled = pulled + pull_psi2(gram.unwhiten(d_c))
        direct = pull_psi0(np.full(n_points, -0.5 * beta * n_outputs))
        pulled = pulled + Gradients(direct[0], direct[1], np.zeros_like(inducing), direct[2])
        pulled = with_gram(pulled, kernel, inducing, d_gram, jitter, relative=True)
        return Moved(
            Belief(pulled.mean, pulled.variance),
            Layer(pulled.kernel, pulled.inducing, -(beta**2) * d_beta),
            GivenInducing(
                adjoint.mean - beta * (m + shifted),
                adjoint.variance - 0.5 * beta + d_entropy.variance,
                d_gate,
                None if own.transfer is None else d_transfer,
                InducingSites(
                    d_mean - 2.0 * np.einsum("dij,dj->di", d_covariance, mean), d_covariance
                ),
            ),
        )

    left = belief.mean - linear
    statistics = summed(psi0.sum(), psi1, psi2, left, float(np.sum(belief.variance)))
    posterior = informed(gram, value, mean, covariance)
    return LayerResult(belief, layer, posterior, statistics, gram.jitter, entropy, pullback)
