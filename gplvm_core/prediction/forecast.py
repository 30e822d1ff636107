"""Forecast a series step by step: every prediction enters the next input.

A graph of layers has no cycles, so a forecast is a loop that predicts with one layer again and
again. A drawn future needs one function for all its steps; `generate.sample` would draw a function
for every step.
"""

import numpy as np
from jaxtyping import Float

from gplvm_core.bounds import gram_factor
from gplvm_core.numerics import Array
from gplvm_core.prediction.generate import predict, predict_uncertain
from gplvm_core.prediction.posterior import Posterior


def forecast(
    posterior: Posterior,
    center: Float[Array, " Q"],
    scale: Float[Array, " Q"],
    window: Float[Array, "W D"],
    variance: Float[Array, "W D"] | None,
    steps: int,
) -> tuple[Float[Array, "T D"], Float[Array, "T D"]]:
    """Return mean and variance of the next outputs, observation noise included (user's units).

    Inputs are the values of the window, the oldest first, in internal units (· − center)/scale.
    variance: the variances of the values in the window. The variances of predictions enter later
    windows, as if values were independent (Girard et al. 2003, without covariances within a window;
    Damianou 2015, §4.3.2). If `variance` is None, only means are fed back.
    """
    length = len(window)
    mean, spread = np.empty((steps, window.shape[1])), np.empty((steps, window.shape[1]))
    values = np.vstack([window, mean])
    doubts = np.zeros_like(values)
    if variance is not None:
        doubts[:length] = variance
    for step in range(steps):
        point = (values[step : step + length].ravel() - center) / scale
        if variance is None:
            found = predict(posterior, point[None], noise=True)
        else:
            doubt = doubts[step : step + length].ravel() / scale**2
            found = predict_uncertain(posterior, point[None], doubt[None], noise=True)
        mean[step], spread[step] = found[0][0], found[1][0]
        values[length + step], doubts[length + step] = mean[step], spread[step]
    return mean, spread


def sample_forecast(
    posterior: Posterior,
    center: Float[Array, " Q"],
    scale: Float[Array, " Q"],
    window: Float[Array, "W D"],
    variance: Float[Array, "W D"],
    steps: int,
    n_samples: int,
    generator: np.random.Generator,
) -> Float[Array, "S T D"]:
    """Draw complete futures, with one draw u ~ q(u) of the function for each future.

    The uncertainty of the function is therefore constant along a future, and the uncertainty of the
    state propagates without Gaussian approximations. Given u, every step adds the conditional
    variance k** − k*ᵀ K⁻¹ k* and noise.
    """
    length, n_outputs = window.shape
    gram = gram_factor(posterior.kernel, posterior.inducing, posterior.jitter, relative=False)
    inverse = gram.inverse()
    weights = np.empty((n_samples, *posterior.weights.shape))
    variances = posterior.variances
    ratios = np.array([variances.ratio(d) for d in range(n_outputs)])
    for d in range(n_outputs):
        # K⁻¹u_d ~ N(V_d, P), P = K⁻¹ − gap, with the prior variance of the output.
        values, vectors = np.linalg.eigh(ratios[d] * inverse - variances.gap(d))
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        unit = generator.standard_normal((n_samples, len(root)))
        weights[:, :, d] = posterior.weights[:, d] + unit @ root.T
    drawn = np.empty((n_samples, length + steps, n_outputs))
    start = generator.standard_normal((n_samples, length, n_outputs))
    drawn[:, :length] = window + np.sqrt(variance) * start
    for step in range(steps):
        window_now = drawn[:, step : step + length].reshape(n_samples, -1)
        points = (window_now - center) / scale
        cross = posterior.kernel.K(points, posterior.inducing)
        left = posterior.kernel.diag(points) - np.sum((cross @ inverse) * cross, axis=1)
        spread = np.sqrt(np.maximum(left, 0.0)[:, None] * ratios + posterior.noise_variance)
        noise = spread * generator.standard_normal((n_samples, n_outputs))
        mean = np.einsum("sm,smd->sd", cross, weights)
        drawn[:, length + step] = posterior.center + posterior.scale * (mean + noise)
    return drawn[:, length:]
