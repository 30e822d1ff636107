"""The bound of a layer with an explicit q(u), from batches of its rows.

With u = Lv and LLᵀ = K, the optimal q(v) and the two scales depend only on the whitened statistics
R = (ψ0, L⁻¹A, L⁻¹ΦL⁻ᵀ, yy) of the data. For a fixed q(v) the bound is linear in the statistics S of
the data. If q(v) = q_R is optimal for some R, the bound is the tangent of the collapsed bound F:

    F(S; q_R) = F(R) + ⟨∂F/∂R, S − R⟩.

R therefore parametrises q(u), and a batch that is scaled up to all rows gives an unbiased estimate
of the bound. A natural-gradient step is a running mean, R ← (1 − ρ)R + ρS; with all rows and ρ = 1
the result is the collapsed bound. Damianou (2015), eq. 3.11–3.19; Chamberlin (2016), §2.6;
MATHEMATICS.md, section 7.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from jaxtyping import Int

from gplvm_core.beliefs import Belief
from gplvm_core.bounds.collapsed import Collapsed, Informed, collapsed
from gplvm_core.bounds.layer import Layer, gram_factor, with_gram
from gplvm_core.bounds.profiled import profile_scales
from gplvm_core.bounds.spectra import Spectra
from gplvm_core.kernels import Gradients
from gplvm_core.numerics import Factor, IntArray, one_thread_a_product
from gplvm_core.statistics import Executor, Statistics, Targets, reduce_statistics
from gplvm_core.statistics.executors import serial


@dataclass(frozen=True)
class BatchValue:
    """An estimate of F_data in nats, its gradients, and the batch's whitened statistics.

    All three are scaled up to all rows, including the gradients with respect to the batch's inputs.
    """

    value: float
    gradients: Gradients  # mean, variance, inducing, kernel
    statistics: Statistics


@dataclass(frozen=True)
class Explicit:
    """A layer whose q(u) and scales are optimal for whitened statistics of all rows."""

    layer: Layer
    seen: Statistics  # R, for the kernel of `layer`
    given: Layer  # the layer before its scales were optimised
    gram: Factor  # Cholesky factor of K for the kernel of `given`
    relative_jitter: float
    scale: float  # the kernel of `layer` is `scale` times the kernel of `given`
    at: Collapsed  # the collapsed bound at `seen`, in the basis of L

    @classmethod
    def of(
        cls, layer: Layer, seen: Statistics, *, jitter: float, most_ratio: float = np.inf
    ) -> Self:
        """Optimise q(u) and the scales; raises NotPositiveDefiniteError.

        seen: R, for the kernel before its scale is optimised.
        """
        gram = gram_factor(layer.kernel, layer.inducing, jitter, relative=True)
        unit = Factor(np.eye(len(gram.lower)), 0.0)
        spectra = Spectra.of(seen, unit)
        found = profile_scales(seen, spectra, None, most_ratio)
        best = replace(
            layer, kernel=layer.kernel.scaled(found.scale), noise_variance=found.noise_variance
        )
        own = _of_scaled_kernel(seen, found.scale)
        at = collapsed(own, unit, found.noise_variance, spectra.scaled(found.scale))
        return cls(best, own, layer, gram, jitter, found.scale, at)

    @property
    def value(self) -> float:
        """F_data in nats, if R holds the statistics of the data."""
        return self.at.value

    @property
    def jitter(self) -> float:
        """The absolute jitter, as added to the scaled kernel's K."""
        return self.scale * self.gram.jitter

    @property
    def informed(self) -> Informed:
        """The terms of q(u) that predictions need."""
        gram = Factor(np.sqrt(self.scale) * self.gram.lower, self.jitter)
        return Informed(
            self.at.value,
            gram.solve_lower_transposed(self.at.weights),
            gram.unwhiten(self.at.gap),
            self.at.inverse,
        )

    @one_thread_a_product()
    def batch(
        self, belief: Belief, targets: Targets, share: float, executor: Executor = serial
    ) -> BatchValue:
        """Estimate F_data from a batch, with q(u) fixed; share: number of all rows / batch rows."""
        kernel, inducing = self.given.kernel, self.given.inducing
        statistics, pullback = reduce_statistics(kernel, belief, inducing, targets, executor)
        whole = scaled_up(whitened(statistics, self.gram), share, self.seen.n_points)
        own, adjoint = _of_scaled_kernel(whole, self.scale), self.at.statistics
        value = self.at.value + _product(adjoint, own) - _product(adjoint, self.seen)
        # The adjoints of the whitened statistics for the unscaled kernel.
        d_carried = np.sqrt(self.scale) * adjoint.psi1_targets
        d_inner = self.scale * adjoint.psi2
        pulled = pullback(
            replace(
                adjoint,
                psi0=share * self.scale * adjoint.psi0,
                psi1_targets=share * self.gram.solve_lower_transposed(d_carried),
                psi2=share * self.gram.unwhiten(d_inner),
                yy=share * adjoint.yy,
            )
        ).inputs
        # The adjoint of K, through L: dL = L tril(L⁻¹ dK L⁻ᵀ) with half the diagonal. `turned` is
        # the adjoint of −L⁻¹dL.
        turned = d_carried @ whole.psi1_targets.T + 2.0 * np.sum(d_inner @ whole.psi2, axis=0)
        lower = np.tril(turned) - 0.5 * np.diag(np.diagonal(turned))
        d_gram = self.gram.unwhiten(-0.5 * (lower + lower.T))
        gradients = with_gram(pulled, kernel, inducing, d_gram, self.relative_jitter, True)
        return BatchValue(float(value), gradients, whole)


def whitened(statistics: Statistics, gram: Factor) -> Statistics:
    """The statistics in the basis of L: A becomes L⁻¹A, and Φ becomes L⁻¹ΦL⁻ᵀ."""
    return replace(
        statistics,
        psi1_targets=gram.solve_lower(statistics.psi1_targets),
        psi2=gram.whiten(statistics.psi2),
    )


def scaled_up(statistics: Statistics, share: float, n_points: Int[IntArray, " G"]) -> Statistics:
    """Scale a batch's statistics up to all rows; n_points: the groups' row counts."""
    return replace(
        statistics,
        psi0=share * statistics.psi0,
        psi1_targets=share * statistics.psi1_targets,
        psi2=share * statistics.psi2,
        yy=share * statistics.yy,
        n_points=n_points,
    )


def _of_scaled_kernel(seen: Statistics, factor: float) -> Statistics:
    """The whitened statistics after the kernel, and thus LLᵀ, was multiplied by a factor."""
    return replace(
        seen,
        psi0=factor * seen.psi0,
        psi1_targets=np.sqrt(factor) * seen.psi1_targets,
        psi2=factor * seen.psi2,
    )


def _product(adjoint: Statistics, of: Statistics) -> float:
    return (
        float(adjoint.psi0 @ of.psi0)
        + float(np.vdot(adjoint.psi1_targets, of.psi1_targets))
        + float(np.vdot(adjoint.psi2, of.psi2))
        + adjoint.yy * of.yy
    )
