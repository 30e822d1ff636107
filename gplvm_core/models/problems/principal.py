"""Maximum likelihood for probabilistic PCA: in closed form, or numerically for rows with gaps."""

import numpy as np
from jaxtyping import Float
from scipy import linalg

from gplvm_core.bounds.linear_gaussian import Factors, Gaps, likelihood
from gplvm_core.numerics import Array
from gplvm_core.optimise import LBFGS, Result

METHODS = ("auto", "primal", "dual")
# Limits of the fit: the most iterations, and the final slope in nats per standard deviation of a
# parameter.
MOST_ITERATIONS = 2000
TOLERANCE = 1e-5
# The smallest noise variance, relative to the mean square of the targets. Without this limit, the
# likelihood has no maximum if the components can fit every observed entry.
LEAST_NOISE = 1e-6


def fit_factors(
    targets: Float[Array, "N D"], n_components: int, method: str
) -> tuple[Factors, Result, tuple[str, ...]]:
    """Fit centred rows, complete or with gaps; returns factors, the result and notes."""
    notes: tuple[str, ...] = ()
    if np.isnan(targets).any():
        # With as many components as rows, the fit would leave no noise.
        factors, result = fit_partial(targets, min(n_components, len(targets) - 1))
        if result.status != "converged":
            notes += (f"the likelihood's maximum was not reached: {result.reason}",)
        if factors.noise_variance < 2.0 * LEAST_NOISE * float(np.nanmean(targets**2)):
            notes += (
                "the noise variance ended at its smallest allowed value: the components can fit "
                "every observed entry; use fewer components",
            )
    else:
        factors = fit_whole(targets, n_components, method)
        result = Result("converged", "solved in closed form", 0, 1, 0, 0.0)
    kept = len(factors.weights)
    if kept < n_components:
        notes += (f"n_components = {n_components} is capped at {kept} for these data",)
    return factors, result, notes


def fit_whole(targets: Float[Array, "N D"], n_components: int, method: str = "auto") -> Factors:
    """Maximum likelihood for complete, centred rows, with at most n_components components.

    method: "primal" uses the eigenvectors of the D × D covariance, "dual" the eigenvectors of the
    N × N inner products (Lawrence 2005), and "auto" the smaller of both matrices. Raises ValueError
    for any other method.
    """
    n_outputs = targets.shape[1]
    values, directions = _principal(targets, method)
    # At least one direction must remain for the noise, whose variance would otherwise be 0.
    most = max(min(n_outputs - 1, len(values) - (n_outputs > len(values))), 1)
    kept = min(n_components, most, len(values))
    left_over = max(float(np.mean(np.sum(targets**2, axis=1))) - float(values[:kept].sum()), 0.0)
    noise = left_over / max(n_outputs - kept, 1)
    noise = max(noise, 1e-12 * float(values[0]))
    gains = np.sqrt(np.maximum(values[:kept] - noise, 0.0))
    return Factors(gains[:, None] * directions[:, :kept].T, np.zeros(n_outputs), noise)


def fit_partial(
    targets: Float[Array, "N D"],
    n_components: int,
    most_iterations: int = MOST_ITERATIONS,
    tolerance: float = TOLERANCE,
) -> tuple[Factors, Result]:
    """Maximum likelihood from the observed entries of roughly centred rows; also fits the center.

    L-BFGS starts from the closed form with gaps filled by 0. It has converged if no slope exceeds
    `tolerance`, in nats per standard error of a parameter (estimated before the fit).
    """
    gaps = Gaps.of(targets)
    n_observed = int(gaps.observed.sum())
    begin = fit_whole(gaps.filled, n_components)
    least = LEAST_NOISE * float(np.sum(gaps.filled**2)) / n_observed
    n_latent, n_outputs = begin.weights.shape
    size = n_latent * n_outputs
    noise = max(begin.noise_variance, 2.0 * least)
    entry_scale, noise_scale = np.sqrt(noise / len(targets)), np.sqrt(2.0 / n_observed)

    def unpack(vector: Array) -> Factors:
        weights = entry_scale * vector[:size].reshape(n_latent, n_outputs)
        center = entry_scale * vector[size:-1]
        return Factors(weights, center, least + float(np.exp(noise_scale * vector[-1])))

    def objective(vector: Array) -> tuple[float, Array]:
        factors = unpack(vector)
        value, slope = likelihood(factors, gaps)
        d_level = noise_scale * (factors.noise_variance - least) * slope.noise_variance
        entries = entry_scale * np.concatenate([slope.weights.ravel(), slope.center])
        return -value, -np.append(entries, d_level)

    optimiser = LBFGS(gradient_tolerance=tolerance)
    packed = np.concatenate([begin.weights.ravel(), begin.center]) / entry_scale
    state = optimiser.start(np.append(packed, np.log(noise - least) / noise_scale), objective)
    while state.status == "running" and state.iteration < most_iterations:
        state = optimiser.step(state, objective)
    counts = (state.iteration, state.evaluations, state.rejected, 0.0)
    if state.status == "running":
        result = Result("limit", f"{most_iterations} iterations were made.", *counts)
    else:
        result = Result(state.status, state.reason, *counts)
    return unpack(state.x).canonical, result


def _principal(targets: Array, method: str) -> tuple[Array, Array]:
    """Eigenvalues of the covariance, largest first, with unit eigenvectors (D × K)."""
    n_points, n_outputs = targets.shape
    if method not in METHODS:
        raise ValueError(f"method must be {', '.join(METHODS[:-1])} or dual; got {method!r}")
    if method == "primal" or (method == "auto" and n_outputs <= n_points):
        values, vectors = linalg.eigh(targets.T @ targets / n_points)
        return np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    values, scores = linalg.eigh(targets @ targets.T / n_points)
    values, scores = np.maximum(values[::-1], 0.0), scores[:, ::-1]
    kept = values > 1e-12 * values[0]
    values, scores = values[kept], scores[:, kept]
    return values, targets.T @ scores / np.sqrt(n_points * values)
