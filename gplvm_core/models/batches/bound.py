"""The bound of a layer with q(u) explicit, from batches of its rows.

With u = Lv, LLᵀ = K, the whitened statistics R = (ψ0, L⁻¹A, L⁻¹ΦL⁻ᵀ, yy) of the data are all that
the best q(v) and the two scales hang on. With q(v) held the bound is linear in R, and where q(v)
is the best for some R it touches the collapsed bound:

    F(S; q_R) = F(R) + ⟨∂F/∂R, S − R⟩,  F(R) the collapsed bound, S what the data say.

So R stands for q(u), a batch that is scaled up to all rows estimates F without bias, and a step of
the natural gradient is a running mean, R ← (1 − ρ)R + ρS; with all rows and ρ = 1 it is the
collapsed bound. Damianou (2015), eq. 3.11–3.19; Chamberlin (2016), §2.6; MATHEMATICS.md, section 7.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from jaxtyping import Int
from numpy.typing import NDArray

from gplvm_core.beliefs import Belief
from gplvm_core.bounds.collapsed import Collapsed, Informed, collapsed
from gplvm_core.bounds.layer import Layer, gram_factor, with_gram
from gplvm_core.bounds.profiled import profile_scales
from gplvm_core.bounds.spectra import Spectra
from gplvm_core.kernels import Gradients
from gplvm_core.numerics import Factor, one_thread_a_product
from gplvm_core.statistics import Executor, Statistics, Targets, reduce_statistics
from gplvm_core.statistics.executors import serial


@dataclass(frozen=True)
class BatchValue:
    """An estimate of F_data in nats, its gradients (those of the inputs are scaled up, too), and
    the batch's whitened statistics, scaled up to all rows.
    """

    value: float
    gradients: Gradients  # mean, variance, inducing, kernel
    said: Statistics


@dataclass(frozen=True)
class Explicit:
    """A layer whose q(u) and scales are the best for whitened statistics of all rows."""

    layer: Layer
    seen: Statistics  # R, of the layer's kernel as it is
    given: Layer  # before its scales were found
    gram: Factor  # of the kernel that was given
    relative_jitter: float
    scale: float  # of the kernel
    at: Collapsed  # in the basis of L, of the scaled kernel

    @classmethod
    def of(
        cls, layer: Layer, seen: Statistics, *, jitter: float, most_ratio: float = np.inf
    ) -> Self:
        """seen: R of the kernel before its scale is found. Raises NotPositiveDefiniteError."""
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
        """F_data in nats, were R what the data say."""
        return self.at.value

    @property
    def jitter(self) -> float:
        """Absolute, as added to the scaled kernel's K."""
        return self.scale * self.gram.jitter

    @property
    def informed(self) -> Informed:
        """What predictions need of q(u)."""
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
        """F_data as some of the rows tell it; share: all rows over those. q(u) is held."""
        kernel, inducing = self.given.kernel, self.given.inducing
        statistics, pullback = reduce_statistics(kernel, belief, inducing, targets, executor)
        said = scaled_up(whitened(statistics, self.gram), share, self.seen.n_points)
        own, adjoint = _of_scaled_kernel(said, self.scale), self.at.statistics
        value = self.at.value + _product(adjoint, own) - _product(adjoint, self.seen)
        # The adjoints of the whitened statistics, before the kernel was scaled.
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
        # Through L: dL = L tril(L⁻¹ dK L⁻ᵀ), the diagonal halved, and S the adjoint of −L⁻¹dL.
        met = d_carried @ said.psi1_targets.T + 2.0 * np.sum(d_inner @ said.psi2, axis=0)
        lower = np.tril(met) - 0.5 * np.diag(np.diagonal(met))
        d_gram = self.gram.unwhiten(-0.5 * (lower + lower.T))
        gradients = with_gram(pulled, kernel, inducing, d_gram, self.relative_jitter, True)
        return BatchValue(float(value), gradients, said)


def whitened(statistics: Statistics, gram: Factor) -> Statistics:
    """The same in the basis of L: A becomes L⁻¹A, and Φ becomes L⁻¹ΦL⁻ᵀ."""
    return replace(
        statistics,
        psi1_targets=gram.solve_lower(statistics.psi1_targets),
        psi2=gram.whiten(statistics.psi2),
    )


def scaled_up(
    statistics: Statistics, share: float, n_points: Int[NDArray[np.intp], " G"]
) -> Statistics:
    """What a batch says of all rows, of which so many are observed in each group."""
    return replace(
        statistics,
        psi0=share * statistics.psi0,
        psi1_targets=share * statistics.psi1_targets,
        psi2=share * statistics.psi2,
        yy=share * statistics.yy,
        n_points=n_points,
    )


def _of_scaled_kernel(seen: Statistics, factor: float) -> Statistics:
    """Whitened statistics when the kernel, and so LLᵀ, is multiplied by a factor."""
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
