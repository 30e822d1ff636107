"""Optimise the two scales of a layer: signal-to-noise ratio and noise variance.

If the kernel is known up to a factor, the collapsed bound is a function of r = σ_f²/σ² through
the eigenvalues of C = L⁻¹ΦL⁻ᵀ. The best σ² for a given r has a closed form.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float, Int
from scipy import optimize

from gplvm_core.bounds.collapsed import Spectra, checked_left_over
from gplvm_core.numerics import Array, IntArray, NotPositiveDefiniteError
from gplvm_core.statistics import Statistics

# The largest scale of a kernel; larger scales would overflow when squared.
HUGE = 1e150
LOG_RATIOS = np.linspace(np.log(1e-6), np.log(1e15), 85)


@dataclass(frozen=True)
class Profile:
    """The kernel's overall scale and σ² at their optimum.

    capped: whether their ratio is at its upper limit. slope: dF/d log of this limit.
    """

    scale: float
    noise_variance: float
    capped: bool = False
    slope: float = 0.0

    @property
    def ratio(self) -> float:
        return self.scale / self.noise_variance


def profile_scales(
    statistics: Statistics,
    spectra: Spectra,
    ratio: float | None = None,
    most: float = np.inf,
    noise_variance: float | None = None,
) -> Profile:
    """Return the scale and the noise variance that maximise F_data.

    If the ratio is given, only the noise is optimised; if the noise variance is given, only the
    scale.

    most: the largest allowed ratio. Without this limit, targets that can be fitted without error,
    such as class labels, would increase the ratio until rounding errors dominate C. Raises
    NotPositiveDefiniteError if the noise variance is not positive, at the optimum or at the next
    larger ratio that was tried, or as `checked_left_over` does.
    """
    problem = _Ratio.of(statistics, spectra, noise_variance)
    log_ratio = problem.best(float(np.log(most))) if ratio is None else float(np.log(ratio))
    noise = float(problem.noise_variance(np.array([log_ratio]))[0])
    # The noise variance comes from a subtraction. A noise variance below the rounding error is an
    # artefact.
    if not noise > 1e-14 * max(statistics.yy, 1e-300) / problem.n_values:
        raise NotPositiveDefiniteError(f"the profiled noise variance {noise:.1e} is not positive")
    scale = float(np.exp(log_ratio)) * noise
    # In a line search the means of hidden outputs may become arbitrarily large.
    if not scale < HUGE:
        raise NotPositiveDefiniteError(f"a kernel's scale of {scale:.1e} is too large")
    capped = ratio is None and bool(log_ratio >= np.log(most))
    return Profile(scale, noise, capped, problem.slope(log_ratio) if capped else 0.0)


@dataclass(frozen=True)
class _Ratio:
    """F_data as a function of log r, with the noise variance optimal or fixed."""

    spectrum: Float[Array, " P"]  # eigenvalues of every group's C, one group after the other
    power: Float[Array, " P"]
    columns: Int[IntArray, " P"]  # for each eigenvalue, the number of columns of its group
    yy: float
    left_over: float  # Σ_d ψ0 − tr(K⁻¹Φ), for the kernel before scaling
    n_values: int
    held: float | None  # a fixed noise variance; None: optimised

    @classmethod
    def of(cls, statistics: Statistics, spectra: Spectra, held: float | None) -> Self:
        power = [
            np.sum(spectra.carried[:, columns] ** 2, axis=1) for columns in statistics.columns()
        ]
        n_outputs = statistics.n_outputs
        return cls(
            spectra.values.ravel(),
            np.concatenate(power),
            np.repeat(n_outputs, spectra.values.shape[1]),
            statistics.yy,
            float(n_outputs @ checked_left_over(statistics.psi0, spectra.values.sum(axis=1))),
            statistics.n_values,
            held,
        )

    def unexplained(self, log_ratio: Array) -> Array:
        ratio = np.exp(log_ratio)[:, None]
        explained = np.sum(ratio * self.power / (1.0 + ratio * self.spectrum), axis=1)
        return np.asarray(self.yy - explained)

    def noise_variance(self, log_ratio: Array) -> Array:
        if self.held is not None:
            return np.full(len(log_ratio), self.held)
        return self.unexplained(log_ratio) / self.n_values

    def value(self, log_ratio: Array) -> Array:
        ratio, unexplained = np.exp(log_ratio)[:, None], self.unexplained(log_ratio)
        noise = unexplained / self.n_values if self.held is None else np.array(self.held)
        with np.errstate(invalid="ignore", divide="ignore"):
            fit = -0.5 * (self.n_values * np.log(noise) + unexplained / noise)
        fit = np.where(noise > 0.0, fit, -np.inf)
        penalty = self.left_over * ratio[:, 0] + np.log1p(ratio * self.spectrum) @ self.columns
        return np.asarray(fit - 0.5 * penalty)

    def slope(self, log_ratio: float) -> float:
        """Return dF/d log r."""
        ratio = np.exp(log_ratio)
        damped = 1.0 + ratio * self.spectrum
        noise = float(self.noise_variance(np.array([log_ratio]))[0])
        gain = 0.5 * np.sum(ratio * self.power / damped**2) / noise
        cost = self.left_over * ratio + np.sum(self.columns * ratio * self.spectrum / damped)
        return float(gain - 0.5 * cost)

    def best(self, most: float) -> float:
        """Return the best log r up to `most`: a grid's best point, refined to a zero slope."""
        grid = np.append(LOG_RATIOS[most > LOG_RATIOS], min(most, LOG_RATIOS[-1]))
        index = int(np.argmax(self.value(grid)))
        low, high = grid[max(index - 1, 0)], grid[min(index + 1, len(grid) - 1)]
        # Without rounding errors the noise variance is positive for every r. Where it is not, F has
        # a pole, and the search would end there.
        if not self.noise_variance(np.array([high]))[0] > 0.0:
            raise NotPositiveDefiniteError(
                f"rounding errors exceed the noise variance at σ_f²/σ² = {np.exp(high):.1e}"
            )
        if not self.slope(low) > 0.0 > self.slope(high):
            return float(grid[index])
        return float(optimize.brentq(self.slope, low, high, xtol=1e-13, rtol=1e-14))
