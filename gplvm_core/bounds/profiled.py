"""The two scales of a layer at their optimum: signal-to-noise ratio and noise variance.

With the kernel known up to a factor, the collapsed bound is a function of r = σ_f²/σ² through
the eigenvalues of C = L⁻¹ΦL⁻ᵀ, and the best σ² for a given r has a closed form.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray
from scipy import optimize

from gplvm_core.bounds.spectra import Spectra
from gplvm_core.numerics import Array, NotPositiveDefiniteError
from gplvm_core.statistics import Statistics

# Of a kernel's scale: its square must not overflow.
HUGE = 1e150
# ψ0 − tr(K⁻¹Φ) is a difference, which rounding moves by this share of ψ0 where K is near singular.
ROUNDING = 1e-7
LOG_RATIOS = np.linspace(np.log(1e-6), np.log(1e15), 85)


@dataclass(frozen=True)
class Profile:
    """The kernel's overall scale and σ² at their optimum."""

    scale: float
    noise_variance: float
    capped: bool = False  # their ratio stands at the most that is allowed

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
    """The scale and the noise variance that maximise F_data.

    With a ratio given, the noise that does; with a noise variance given, the scale.

    most: the largest ratio allowed. Targets that can be fitted without error, such as class
    labels, would drive it to where rounding is all that C has. Raises NotPositiveDefiniteError
    where rounding has made the problem meaningless: a noise variance that is not positive, or
    ψ0 − tr(K⁻¹Φ) below what rounding leaves of 0. An optimiser must not profit from those.
    """
    problem = _Ratio.of(statistics, spectra, noise_variance)
    if problem.left_over < -ROUNDING * float(statistics.n_outputs @ statistics.psi0):
        raise NotPositiveDefiniteError(
            f"ψ0 − tr(K⁻¹Φ) = {problem.left_over:.1e} is negative: the jitter is too small"
        )
    problem = replace(problem, left_over=max(problem.left_over, 0.0))
    log_ratio = problem.best(float(np.log(most))) if ratio is None else float(np.log(ratio))
    noise = float(problem.noise_variance(np.array([log_ratio]))[0])
    # Below the rounding error of the subtraction that makes it, the noise is an artefact.
    if not noise > 1e-14 * max(statistics.yy, 1e-300) / problem.n_values:
        raise NotPositiveDefiniteError(f"the profiled noise variance {noise:.1e} is not positive")
    scale = float(np.exp(log_ratio)) * noise
    # A line search may take outputs that are a belief anywhere.
    if not scale < HUGE:
        raise NotPositiveDefiniteError(f"a kernel's scale of {scale:.1e} is too large")
    capped = ratio is None and bool(log_ratio >= np.log(most))
    return Profile(scale, noise, capped)


@dataclass(frozen=True)
class _Ratio:
    """F_data as a function of log r, the noise variance at its optimum, or held."""

    spectrum: Float[Array, " P"]  # of every group's C, one after the other
    power: Float[Array, " P"]
    columns: Int[NDArray[np.intp], " P"]  # how many columns the group has
    yy: float
    left_over: float  # Σ_d ψ0 − tr(K⁻¹Φ), of the kernel before scaling
    n_values: int
    held: float | None  # the noise variance

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
            float(n_outputs @ (statistics.psi0 - spectra.values.sum(axis=1))),
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
        """dF/d log r."""
        ratio = np.exp(log_ratio)
        damped = 1.0 + ratio * self.spectrum
        noise = float(self.noise_variance(np.array([log_ratio]))[0])
        gain = 0.5 * np.sum(ratio * self.power / damped**2) / noise
        cost = self.left_over * ratio + np.sum(self.columns * ratio * self.spectrum / damped)
        return float(gain - 0.5 * cost)

    def best(self, most: float) -> float:
        """The best log r up to `most`: the best of a grid, then the zero of the slope beside it."""
        grid = np.append(LOG_RATIOS[most > LOG_RATIOS], min(most, LOG_RATIOS[-1]))
        index = int(np.argmax(self.value(grid)))
        low, high = grid[max(index - 1, 0)], grid[min(index + 1, len(grid) - 1)]
        if not self.slope(low) > 0.0 > self.slope(high):
            return float(grid[index])
        return float(optimize.brentq(self.slope, low, high, xtol=1e-13, rtol=1e-14))
