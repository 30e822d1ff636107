"""Optimise every output's signal-to-noise ratio and noise variance, for all outputs at once.

In the eigenvectors of C = L⁻¹ΦL⁻ᵀ each output is an independent problem in one variable, r_d. The
best noise variance for a given r_d has a closed form.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from gplvm_core.bounds.collapsed import Spectra, checked_left_over
from gplvm_core.numerics import Array, BoolArray, NotPositiveDefiniteError
from gplvm_core.statistics import Statistics

# The search for log r starts from a grid that is fine enough to separate two optima.
LEAST_RATIO, MOST_RATIO, STEPS = 1e-6, 1e15, 40
# The search stops when dF/d log r is below this tolerance, in nats per row, or after this many
# steps.
TOLERANCE, MOST_STEPS = 1e-11, 60
# A column whose mean square is below this fraction of the average varies only by rounding.
NOTHING = 1e-24


@dataclass(frozen=True)
class OutputProfile:
    """The optimal ratio and noise variance of every output.

    capped: whether the ratio is at its upper limit. slope: dF/d log of this limit.
    """

    ratio: Float[Array, " D"]
    noise_variance: Float[Array, " D"]
    capped: Bool[BoolArray, " D"]
    slope: float = 0.0


def profile_outputs(
    statistics: Statistics,
    spectra: Spectra,
    squares: Float[Array, " D"],
    ratio: float | None = None,
    most: float = np.inf,
    usual: float | None = None,
) -> OutputProfile:
    """Return the ratios and noise variances that maximise F_data; a given ratio is used for all
    outputs.

    squares: Σ_n y² of each output. most: the largest allowed ratio. usual: the mean square of a
    usual output, by default the average. A column without variance gets ratio 0. The data do not
    determine the noise of such a column; it is set to the usual mean square divided by `most`.
    Raises NotPositiveDefiniteError in the same cases as `profile_scales`.
    """
    most = min(most, MOST_RATIO)
    problem = _Outputs.of(statistics, spectra, squares)
    level = squares / problem.count
    usual = level.mean() if usual is None else usual
    flat = level <= NOTHING * usual
    top = float(np.log(most)) if ratio is None else float(np.log(ratio))
    log_ratio = np.full(len(squares), top) if ratio is not None else problem.best(top)
    noise = problem.noise_variance(log_ratio)
    # The noise variance comes from a subtraction. A noise variance below the rounding error is an
    # artefact.
    if not (noise > 1e-14 * level)[~flat].all():
        least = noise[~flat].min()
        raise NotPositiveDefiniteError(f"a profiled noise variance, {least:.1e}, is not positive")
    capped = ~flat & (log_ratio >= top) if ratio is None else np.zeros_like(flat)
    return OutputProfile(
        np.where(flat, 0.0, np.exp(log_ratio)),
        np.where(flat, usual / most, noise),
        capped,
        float(problem.slope(log_ratio)[0][capped].sum()),
    )


@dataclass(frozen=True)
class _Outputs:
    """F_data of every output as a function of its log r, with the optimal noise variance."""

    spectrum: Float[Array, "M _D"]  # eigenvalues by output; one column if all share a group
    power: Float[Array, "M D"]
    squares: Float[Array, " D"]
    count: Float[Array, " D"]
    left_over: Float[Array, " D"]  # ψ0 − tr(K⁻¹Φ)

    @classmethod
    def of(cls, statistics: Statistics, spectra: Spectra, squares: Array) -> "_Outputs":
        groups = np.asarray(statistics.groups)
        one = len(spectra.values) == 1
        return cls(
            spectra.values.T if one else spectra.values.T[:, groups],
            spectra.carried**2,
            squares,
            statistics.n_points[groups].astype(np.float64),
            checked_left_over(statistics.psi0, spectra.values.sum(axis=1))[groups],
        )

    def noise_variance(self, log_ratio: Array) -> Array:
        ratio = np.exp(log_ratio)
        explained = np.sum(ratio * self.power / (1.0 + ratio * self.spectrum), axis=0)
        return (self.squares - explained) / self.count

    def value(self, log_ratio: float) -> Array:
        """Return F_data of every output at the same log r."""
        ratio = np.exp(log_ratio)
        damping = ratio / (1.0 + ratio * self.spectrum)
        one = damping.shape[1] == 1
        explained = damping[:, 0] @ self.power if one else np.sum(damping * self.power, axis=0)
        noise = (self.squares - explained) / self.count
        with np.errstate(invalid="ignore", divide="ignore"):
            fit = np.where(noise > 0.0, -0.5 * self.count * np.log(noise), -np.inf)
        penalty = ratio * self.left_over + np.sum(np.log1p(ratio * self.spectrum), axis=0)
        return np.asarray(fit - 0.5 * penalty)

    def slope(self, log_ratio: Array) -> tuple[Array, Array]:
        """Return the first and second derivative of every output's F_data with respect to log r."""
        ratio = np.exp(log_ratio)
        free = 1.0 / (1.0 + ratio * self.spectrum)
        bound = 1.0 - free  # rλ/(1 + rλ)
        carried = ratio * self.power * free
        noise = (self.squares - carried.sum(axis=0)) / self.count
        carried *= free
        gain = carried.sum(axis=0)
        bend = gain - 2.0 * np.sum(carried * bound, axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            rise = 0.5 * gain / noise
            first = rise - 0.5 * (ratio * self.left_over + bound.sum(axis=0))
            second = 0.5 * bend / noise + 2.0 * rise**2 / self.count
        return first, second - 0.5 * (ratio * self.left_over + np.sum(bound * free, axis=0))

    def best(self, top: float) -> Array:
        """Return every output's best log r: a grid's best point, refined by Newton's method."""
        grid = np.linspace(np.log(LEAST_RATIO), top, STEPS)
        index = np.argmax([self.value(at) for at in grid], axis=0)
        low, high = grid[np.maximum(index - 1, 0)], grid[np.minimum(index + 1, STEPS - 1)]
        level = self.squares / self.count
        # Without rounding errors the noise variance is positive for every r. Where it is not, F has
        # a pole, and the search would end there.
        if (self.noise_variance(high) < 0.0)[level > NOTHING * level.mean()].any():
            raise NotPositiveDefiniteError(
                "rounding errors exceed the noise variance of an output: the jitter is too small"
            )
        found, left, problem = grid[index], np.arange(len(index)), self
        for _ in range(MOST_STEPS):
            at = found[left]
            first, second = problem.slope(at)
            low[left], high[left] = np.where(first > 0.0, (at, high[left]), (low[left], at))
            with np.errstate(invalid="ignore", divide="ignore"):
                step = at - first / second
            inside = (second < 0.0) & (step > low[left]) & (step < high[left])
            going = np.abs(first) > TOLERANCE * problem.count
            middle = 0.5 * (low[left] + high[left])
            found[left] = np.where(going, np.where(inside, step, middle), at)
            going &= found[left] != at
            if not going.any():
                break
            if going.sum() < 0.7 * len(left):
                left, problem = left[going], problem.columns(going)
        return found

    def columns(self, chosen: Bool[BoolArray, " D"]) -> "_Outputs":
        """Return the problem for some of the outputs."""
        one = self.spectrum.shape[1] == 1
        return _Outputs(
            self.spectrum if one else self.spectrum[:, chosen],
            self.power[:, chosen],
            self.squares[chosen],
            self.count[chosen],
            self.left_over[chosen],
        )
