"""Family 6.6: each layer's inducing outputs depend on the inducing outputs of the layer above.

The posterior is q(u¹) Π q(u^l | u^(l−1)) Π q(h_n^l | u^l). In the basis of L, and stacked as in
6.3, q(v^l | v^(l−1)) = N(R v^(l−1) + r, Θ), and q(h_n | v) is the same as in 6.3. A layer's inputs
x and its inducing outputs are correlated through the layer above: v | x is
N(μ + 𝓑(x − a), Σ − 𝓑Γ𝓑ᵀ) with 𝓑 = RΣ⁻T⁻ᵀΓ⁻¹. The expectations over x need κ1, κ2, φ1 and φ2.

For a given R, a closed form is optimal for the layer's own terms, as in 6.3 with an additional
shift: Θ⁻¹ = I + βJ and μ = −βΘ Σ⟨(T − α)ᵀ(m + (T − α)𝓑(x − a))⟩. Hidden layers add sites. For a
layer to data, T = 0 and m = y, and the closed form is the optimum. R = 0 gives family 6.3.

The family is for small models, because autograd computes the gradients. Source: Chamberlin (2016),
§4.7–4.9, with corrections.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.bounds.layer import Layer, gram_factor
from gplvm_core.models.families.correlated import Above, Correlated, of_inputs, to_inputs
from gplvm_core.models.families.joint import (
    JointlyGivenInducing,
    around,
    as_result,
    spread_of,
    whitening,
)
from gplvm_core.models.families.layer_result import LayerResult, Moved, informed, summed
from gplvm_core.models.families.reverse import inverse_factor, numpy_of, pulled
from gplvm_core.models.families.tilted import tilted, tilted_pairs
from gplvm_core.numerics import Array, NotPositiveDefiniteError


@dataclass(frozen=True)
class InducingGivenAbove:
    """R of q(v^l | v^(l−1)), full or of low rank (R = left right); its gradients have this type."""

    whole: Float[Array, "P O"] | None = None
    left: Float[Array, "P K"] | None = None
    right: Float[Array, "K O"] | None = None

    @property
    def across(self) -> Float[Array, "P O"]:
        """R."""
        if self.left is None or self.right is None:
            return np.asarray(self.whole)
        return self.left @ self.right

    def moved(self, d_across: Float[Array, "P O"]) -> "InducingGivenAbove":
        """The gradients of these parameters from the gradient of R."""
        if self.left is None or self.right is None:
            return InducingGivenAbove(d_across)
        return InducingGivenAbove(None, d_across @ self.right.T, self.left.T @ d_across)


def chained(
    layer: Layer,
    source: Correlated,
    own: InducingGivenAbove,
    outputs: JointlyGivenInducing,
    *,
    jitter: float,
) -> LayerResult[Correlated]:
    """Evaluate a hidden layer below another layer (`source.above`).

    The result has F_l, its gradients, and q of the layer's outputs.
    Raises NotPositiveDefiniteError.
    """
    n_outputs = outputs.mean.shape[1]

    def together(*given: Any) -> tuple[Any, ...]:
        noise, r, *above, m, s, mixes, how, first, second = given[5:]
        xp, seen = numpy_of(noise), _Seen(given[:5], above, r, jitter, n_outputs)
        transfer, delta, spread = around(seen.alpha, seen.c, how, n_outputs)
        inner = np.eye(len(spread)) + spread / noise
        # τ is the derivative of E[h | x] with respect to x; c is ⟨α 𝓑(x − a)⟩.
        tau = xp.matmul(transfer, seen.slopes)
        c = xp.matmul(seen.bend, seen.kappa1[:, :, None])[:, :, 0]
        by_input = xp.reshape(seen.kappa1, (len(m), -1, tau.shape[2]))
        turned = xp.sum(xp.matmul(tau, xp.swapaxes(by_input, 1, 2)), axis=0)
        bent = xp.matmul(seen.curved - turned, seen.low.T)
        flat = xp.reshape(transfer, delta.shape)
        shift = xp.matmul(delta.T, xp.ravel(m)) - xp.matmul(flat.T, xp.ravel(c))
        shift = -(shift + xp.ravel(bent)) / noise
        root = inverse_factor(inner - 2.0 * second)
        theta = xp.matmul(root.T, root)
        mean = xp.matmul(theta, shift + first)
        whole = xp.matmul(xp.matmul(r, above[1]), r.T) + theta
        own_spread = spread_of(s, mixes)
        a = xp.matmul(transfer, mean) + m
        gamma = xp.matmul(xp.matmul(transfer, whole), xp.swapaxes(transfer, 1, 2)) + own_spread
        size = len(seen.low)
        b = xp.matmul(xp.reshape(mean, (n_outputs, size)), seen.low)
        held = xp.matmul(transfer, whole) * np.kron(np.eye(n_outputs), np.ones(size))
        held = xp.matmul(xp.reshape(held, (len(m), n_outputs, n_outputs, size)), seen.low)
        held = xp.sum(held, axis=2) - xp.matmul(seen.bend_gamma, tau[..., None])[..., 0]
        cross = xp.sum(seen.kappa0[:, None] * (held + b * a[:, :, None])) + xp.sum(c * a)
        cross = cross + xp.sum(b * turned)
        two = xp.reshape(seen.kappa2, (len(m), -1, tau.shape[2]))
        cross = cross + xp.sum(xp.matmul(seen.bend, two) * tau)
        squares = xp.sum(a**2) + xp.sum(gamma * np.eye(n_outputs))
        blocks = xp.reshape(whole, (n_outputs, size, n_outputs, size))
        blocks = xp.sum(blocks * np.eye(n_outputs)[:, None, :, None], axis=(0, 2))
        quadratic = seen.quadratic(xp.reshape(mean, (n_outputs, size)), b, blocks)
        unexplained = squares - 2.0 * cross + quadratic + seen.left_over
        value = -0.5 * (a.size * xp.log(2.0 * np.pi * noise) + unexplained / noise)
        prior = xp.trace(whole) + xp.sum(mean**2) - len(spread)
        value = value - 0.5 * prior + xp.sum(xp.log(xp.diag(root)))
        of_u = mean, whole, transfer
        return value, a, gamma, *of_u, seen.left_over, seen.kappa0, seen.psi2

    across, above = own.across, source.above
    assert above is not None
    head = _head(layer, source, above, across)
    found, pull = pulled(together, (*head, *outputs.arguments(len(across))))
    value, a, gamma, mean, whole, transfer, left_over, psi1, psi2 = found
    _check(float(left_over))
    own_above = Above(mean, whole, transfer)

    def pullback(adjoint: Correlated) -> Moved:
        below = adjoint.above or Above(np.zeros_like(mean), np.zeros_like(whole), 0.0 * transfer)
        adjoints = adjoint.mean, adjoint.covariance, below.mean, below.covariance, below.transfer
        found = pull((np.ones(1), *adjoints, None, None, None))
        moved = outputs.moved(found[10:], own_above, adjoint)
        return _moved(layer, own, found, moved)

    belief = Correlated(a, gamma, own_above)
    return as_result(layer, source, outputs, belief, float(value), (psi1, psi2), pullback, jitter)


def chained_to_data(
    layer: Layer,
    source: Correlated,
    own: InducingGivenAbove,
    values: Float[Array, "N D"],
    *,
    jitter: float,
) -> LayerResult[None]:
    """Evaluate a layer to data that is below another layer; q(v | v⁻) is optimal.

    The result has F_l and its gradients.
    Raises NotPositiveDefiniteError.
    """
    n_points, n_outputs = values.shape

    def together(*given: Any) -> tuple[Any, ...]:
        noise, r, *above = given[5:]
        xp, seen = numpy_of(noise), _Seen(given[:5], above, r, jitter, n_outputs)
        size = seen.low.shape[0]
        inner = np.eye(size) + seen.c / noise
        root = inverse_factor(inner)
        theta = xp.matmul(root.T, root)
        bent = xp.matmul(seen.curved, seen.low.T)
        mean = xp.matmul((xp.matmul(values.T, seen.alpha) - bent) / noise, theta)
        b, by_output = xp.matmul(mean, seen.low), xp.reshape(r, (n_outputs, size, -1))
        half = xp.reshape(xp.matmul(r, above[1]), by_output.shape)
        blocks = xp.matmul(half, xp.swapaxes(by_output, 1, 2)) + theta
        cross = xp.sum(xp.matmul(values.T, seen.kappa0) * b)
        c = xp.matmul(seen.bend, seen.kappa1[:, :, None])[:, :, 0]
        cross = cross + xp.sum(c * values)
        quadratic = seen.quadratic(mean, b, xp.sum(blocks, axis=0))
        unexplained = np.sum(values**2) - 2.0 * cross + quadratic + seen.left_over
        value = -0.5 * (values.size * xp.log(2.0 * np.pi * noise) + unexplained / noise)
        prior = xp.sum(blocks * np.eye(size)) + xp.sum(mean**2) - n_outputs * size
        value = value - 0.5 * prior + n_outputs * xp.sum(xp.log(xp.diag(root)))
        return value, mean, blocks, seen.left_over, seen.kappa0, seen.psi2

    across, above = own.across, source.above
    assert above is not None
    found, pull = pulled(together, _head(layer, source, above, across))
    value, mean, blocks, left_over, psi1, psi2 = found
    _check(float(left_over))

    def pullback(adjoint: None) -> Moved:
        found = pull((np.ones(1), None, None, None, None, None))
        return _moved(layer, own, found, None)

    gram = gram_factor(layer.kernel, layer.inducing, jitter, relative=True)
    psi0 = n_points * layer.kernel.diag(layer.inducing)[:1]
    statistics = summed(psi0, psi1, psi2, values)
    posterior = informed(gram, float(value), mean, blocks)
    return LayerResult(None, layer, posterior, statistics, gram.jitter, 0.0, pullback)


class _Seen:
    """Moments of a layer's inputs x, and the regression of v on x.

    slopes: 𝓑 (N × P × Q). bend: K⁻¹𝓑 in the basis of u (N × D × MQ); its last axis joins the axes
    of inducing inputs and inputs. Sums are written as matrix products, which are many times faster
    than einsum.
    """

    def __init__(self, inputs: Any, above: Any, across: Any, jitter: float, n_outputs: int) -> None:
        variance, lengthscale, inducing, mean, covariance = inputs
        xp, (size, n_latent), n_points = numpy_of(variance), inducing.shape, len(mean)
        order = variance, lengthscale, mean, covariance, inducing
        kappa, phi = tilted(*order, 2), tilted_pairs(*order, 2)
        self.xp, self.kappa0, self.kappa2 = xp, kappa[0], kappa[2]
        self.kappa1 = xp.reshape(kappa[1], (n_points, -1))
        self.low = whitening(variance, lengthscale, inducing, jitter)
        self.alpha, self.psi2 = xp.matmul(kappa[0], self.low.T), xp.sum(phi[0], axis=0)
        self.c = xp.matmul(xp.matmul(self.low, self.psi2), self.low.T)
        self.left_over = n_outputs * (n_points * variance - xp.trace(self.c))
        # 𝓑 = RΣ⁻T⁻ᵀΓ⁻¹.
        carried = xp.matmul(above[2], above[1])
        carried = xp.matmul(xp.linalg.inv(covariance), carried)
        slopes = xp.matmul(xp.reshape(carried, (-1, across.shape[1])), across.T)
        self.slopes = xp.swapaxes(xp.reshape(slopes, (n_points, n_latent, -1)), 1, 2)
        by_output = xp.reshape(self.slopes, (n_points, n_outputs, size, n_latent))
        bend = xp.matmul(self.low.T, by_output)
        flat = n_points, n_outputs, size * n_latent
        self.bend = xp.reshape(bend, flat)
        self.bend_gamma = xp.matmul(bend, covariance[:, None])
        # Σ φ1 𝓑 for every output, and φ2 𝓑 − φ0 𝓑Γ for every point.
        one = xp.reshape(xp.swapaxes(phi[1], 0, 1), (size, -1))
        self.curved = xp.matmul(xp.reshape(xp.swapaxes(self.bend, 0, 1), (n_outputs, -1)), one.T)
        two = xp.reshape(xp.transpose(phi[2], (0, 1, 3, 2, 4)), (n_points, flat[2], flat[2]))
        spread = xp.reshape(xp.matmul(phi[0][:, None], self.bend_gamma), flat)
        self.bowed = xp.matmul(self.bend, two) - spread

    def quadratic(self, mean: Any, b: Any, blocks: Any) -> Any:
        """Σ⟨(αv)²⟩ over the outputs; blocks: the covariances of v of all outputs, summed."""
        xp = self.xp
        found = xp.sum(self.c * (blocks + xp.matmul(mean.T, mean)))
        return found + 2.0 * xp.sum(b * self.curved) + xp.sum(self.bend * self.bowed)


def _head(layer: Layer, source: Correlated, above: Above, across: Array) -> tuple[Array, ...]:
    noise = np.asarray(layer.noise_variance)
    of_v = above.mean, above.covariance, above.transfer
    return (*of_inputs(layer, source), noise, across, *of_v)


def _moved(layer: Layer, own: InducingGivenAbove, found: tuple[Array, ...], outputs: Any) -> Moved:
    d_source, d_layer = to_inputs(layer, found[:5], float(found[5]))
    d_source = Correlated(d_source.mean, d_source.covariance, Above(*found[7:10]))
    return Moved(d_source, d_layer, outputs, own.moved(found[6]))


def _check(left_over: float) -> None:
    if not left_over >= 0.0:
        raise NotPositiveDefiniteError("ψ0 − tr(K⁻¹Φ) is negative: the jitter is too small")
