"""The future of a series, one step after the other: every prediction enters the next input.

A graph has no circles, so a forecast is a loop around the layer's predictions and no question to a
graph. Draws need one function for a whole future, where `generate.sample` draws every point alone.
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
    """Mean and variance of the next outputs, observation noise included (user's units).

    Inputs are the window, oldest first, in internal units (· − center)/scale. variance: of what
    is in the window; the predictions' own enter it in their turn, as if entries were independent
    (Girard et al. 2003, without the covariances of one window; Damianou 2015, §4.3.2). None: only
    means are fed back.
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
    """Whole futures, each of a function of its own: u ~ q(u) is drawn once for each of them.

    So what is not known of the function stays the same along a future, and what is not known of
    the state goes on in it without any Gaussian in between. Given u every step has its own
    conditional variance k** − k*ᵀ K⁻¹ k* and noise.
    """
    length, n_outputs = window.shape
    gram = gram_factor(posterior.kernel, posterior.inducing, posterior.jitter, relative=False)
    inverse = gram.inverse()
    weights = np.empty((n_samples, *posterior.weights.shape))
    variances = posterior.variances
    ratios = np.array([variances.ratio(d) for d in range(n_outputs)])
    for d in range(n_outputs):
        # K⁻¹u_d ~ N(V_d, P), P = K⁻¹ − gap, of the prior variance that the output has.
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
