"""The prior over time in O(N), for Matérn kernels; the results equal those of dense algebra.

If `supports` returns True, `smooth` replaces `temporal.smooth`. A point without a site (ν = λ = 0)
is a forecast; `covariance` gives the joint covariance of a few points. Times may be irregular and
repeated, white noise may be added, and sequences are independent. All results use the filter and
smoother of `state_space`. The pullback needs second derivatives, such as (S∘S)c and the kernel's
gradients through the marginals. These second derivatives are directional derivatives of first
derivatives, computed exactly by a complex step.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Kernel, KernelError, Matern, Sum, White
from gplvm_core.numerics import AnyNDArray, Array, IntArray, NotPositiveDefiniteError
from gplvm_core.priors.state_space import FORGOTTEN, Chain
from gplvm_core.priors.state_space import covariance as chain_covariance
from gplvm_core.priors.state_space import smooth as smooth_chain
from gplvm_core.priors.temporal import Marginals, Path, Pulled, Sites, Timeline

# The imaginary step: so small that its square does not change the real part.
TINY = 1e-100


def supports(kernel: Kernel, timeline: Timeline) -> bool:
    """Whether the O(N) algebra supports this kernel and these times."""
    return _refusal(kernel, timeline) is None


def smooth(kernel: Kernel, timeline: Timeline, sites: Sites) -> Marginals:
    """Compute `temporal.smooth`, the sites' posterior, in O(N).

    Raises KernelError for kernels and times that `supports` refuses, and
    NotPositiveDefiniteError for precisions that overflow. Source: Damianou (2015), eq. 3.29 and
    App. B.3 (the quantities); Hartikainen & Särkkä (2010), §3 (the algorithm).
    """
    line = _Line.of(kernel, timeline)
    linear, precision = sites.linear, sites.precision
    at = line.smooth(linear, precision)
    kl = 0.5 * (np.sum(at.dual * at.mean - precision * at.variance, axis=0) + at.log_determinant)

    def pullback(d_mean: Array, d_variance: Array) -> Pulled:
        # F − KL = log 𝒵 + [F − νᵀμ + ½ λᵀ(μ² + s)], where μ = ∂log 𝒵/∂ν and
        # −½(μ² + s) = ∂log 𝒵/∂λ. The gradients of the bracket are one second derivative of log 𝒵.
        by_mean, by_variance = d_mean - at.dual, d_variance + 0.5 * precision
        turned = line.smooth(
            linear + 1j * TINY * (by_mean - 2.0 * by_variance * at.mean),
            precision - 2j * TINY * by_variance,
        )
        d_linear = turned.mean.imag / TINY
        d_precision = -at.mean * d_linear - 0.5 * turned.variance.imag / TINY
        score = turned.score.real + turned.score.imag / TINY
        return Pulled(Sites(d_linear, d_precision), line.kernel_gradient(score))

    return Marginals(Belief(at.mean, at.variance), np.asarray(kl), at.dual, pullback)


def marginals(kernel: Kernel, timeline: Timeline, path: Path) -> Belief:
    """Return the marginals of q(X) from means K·dual and precisions λ, in O(N).

    Raises KernelError for kernels and times that `supports` refuses, and
    NotPositiveDefiniteError for precisions that overflow.
    """
    line = _Line.of(kernel, timeline)
    nothing = np.zeros_like(path.dual)
    # Two problems at once: the variance under λ, and Kμ̄, the posterior mean for sites with λ = 0.
    both = line.smooth(
        np.concatenate([nothing, path.dual], axis=1),
        np.concatenate([path.precision, nothing], axis=1),
    )
    n_latent = path.dual.shape[1]
    return Belief(both.mean[:, n_latent:], both.variance[:, :n_latent])


def covariance(
    kernel: Kernel,
    timeline: Timeline,
    precision: Float[Array, "N Q"],
    rows: Int[IntArray, " n"],
) -> Float[Array, "Q n n"]:
    """Return the entries of S_j = (K⁻¹ + diag λ_j)⁻¹ for n distinct rows, in O(N + n²); λ may be 0.

    Raises KernelError for kernels and times that `supports` refuses, and
    NotPositiveDefiniteError for precisions that overflow. Source: de Jong (1989).
    """
    return _Line.of(kernel, timeline).covariance(precision, rows)


@dataclass(frozen=True)
class _Found:
    """The results of `state_space.SmoothedChain`, in the caller's order and with white noise."""

    mean: AnyNDArray  # (N, C)
    variance: AnyNDArray  # (N, C)
    dual: AnyNDArray  # (N, C)
    log_determinant: AnyNDArray  # (C,)
    score: AnyNDArray  # ∂log 𝒵 / ∂(Matérn variance, lengthscale, white noise), (3, C)


@dataclass(frozen=True)
class _Line:
    """All sequences, one after the other; the rows of each are sorted by time."""

    kernel: Kernel
    matern: Matern
    white: float
    chain: Chain
    order: Int[IntArray, " N"]

    @classmethod
    def of(cls, kernel: Kernel, timeline: Timeline) -> "_Line":
        refused = _refusal(kernel, timeline)
        if refused is not None:
            raise KernelError(refused)
        parts = kernel.parts if isinstance(kernel, Sum) else (kernel,)
        matern = next(part for part in parts if isinstance(part, Matern))
        white = sum(float(part.variance) for part in parts if isinstance(part, White))
        rate = np.sqrt(2.0 * matern.smoothness) / matern.lengthscale
        order, steps = [], []
        for rows in timeline.rows:
            times = timeline.times[rows, 0]
            sorting = np.argsort(times, kind="stable")
            order.append(rows[sorting])
            # A very long first step makes each sequence start from the stationary state.
            steps.append(np.append(FORGOTTEN, rate * np.diff(times[sorting]))[: len(rows)])
        size = round(matern.smoothness + 0.5)
        chain = Chain(size, float(matern.variance), np.concatenate(steps))
        return cls(kernel, matern, white, chain, np.concatenate(order))

    def smooth(self, linear: AnyNDArray, precision: AnyNDArray) -> _Found:
        # x = Matérn + noise of variance ω: the Matérn part has the sites ν/(1+ωλ), λ/(1+ωλ).
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            spread = 1.0 + self.white * precision
            inner = smooth_chain(
                self.chain, (linear / spread)[self.order], (precision / spread)[self.order]
            )
            log_determinant = inner.log_determinant + np.log(spread).sum(axis=0)
        self._check(precision, log_determinant, inner.mean)
        mean, variance, dual = np.empty((3, *linear.shape), inner.mean.dtype)
        mean[self.order], variance[self.order] = inner.mean, inner.variance
        dual[self.order] = inner.dual
        # μ̄ and B̂ = (K + Λ⁻¹)⁻¹ equal those of the inner sites, whose Λ⁻¹ includes the noise.
        d_white = 0.5 * np.sum(inner.dual**2 - inner.inner, axis=0)
        d_length = -inner.d_log_rate / self.matern.lengthscale
        return _Found(
            mean + self.white * dual,
            (self.white + variance / spread) / spread,
            dual,
            log_determinant,
            np.array([inner.d_variance, d_length, d_white]),
        )

    def covariance(self, precision: Array, rows: Int[IntArray, " n"]) -> Array:
        place = np.argsort(self.order)[rows]
        ascending = np.argsort(place)
        back = np.argsort(ascending)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            spread = 1.0 + self.white * precision
            inner = chain_covariance(
                self.chain, (precision / spread)[self.order], place[ascending]
            )[:, back[:, None], back]
            # The check raises an error if λ𝓟 overflows; otherwise a site would be lost silently.
            most = np.sqrt(self.matern.variance * precision)
        self._check(precision, inner, most)
        # The part of the white noise that the site of a row does not explain is independent between
        # rows.
        shrunk = 1.0 / spread[rows].T
        found = inner * (shrunk[:, :, None] * shrunk[:, None, :])
        diagonal = np.arange(len(rows))
        found[:, diagonal, diagonal] += self.white * shrunk
        return np.asarray(found)

    def _check(self, precision: AnyNDArray, *found: AnyNDArray) -> None:
        """Raise NotPositiveDefiniteError if numbers overflowed."""
        if not all(np.isfinite(each).all() for each in found):
            raise NotPositiveDefiniteError(
                f"precisions up to {float(np.max(precision.real)):.1e} under a time kernel of "
                f"variance {self.matern.variance:.1e} and lengthscale "
                f"{self.matern.lengthscale:.1e} overflowed, or are negative: "
                "use precisions of at least 0 and below 1e100"
            )

    def kernel_gradient(self, score: Float[Array, "3 C"]) -> Any:
        """Return the kernel's gradient from the scores of all columns."""
        d_variance, d_length, d_white = (float(total) for total in score.sum(axis=1))

        def own(part: Kernel) -> Kernel:
            if isinstance(part, Matern):
                return replace(part, variance=d_variance, lengthscale=d_length)
            return White(d_white)

        if isinstance(self.kernel, Sum):
            return replace(self.kernel, parts=tuple(own(part) for part in self.kernel.parts))
        return own(self.kernel)


def _refusal(kernel: Kernel, timeline: Timeline) -> str | None:
    """Return the reason why the O(N) algebra cannot be used, or None."""
    parts = kernel.parts if isinstance(kernel, Sum) else (kernel,)
    others = [type(part).__name__ for part in parts if not isinstance(part, Matern | White)]
    n_matern = sum(isinstance(part, Matern) for part in parts)
    if others or n_matern != 1:
        names = " + ".join(type(part).__name__ for part in parts)
        return (
            "paths in O(N) need one Matern12, Matern32 or Matern52, with or without White; got "
            f"{names}: use priors.temporal.smooth, which supports any kernel"
        )
    if timeline.times.shape[1] != 1:
        return (
            f"paths in O(N) need times, one number for each row; got vectors of "
            f"{timeline.times.shape[1]}: use priors.temporal.smooth, which supports vectors"
        )
    return None
