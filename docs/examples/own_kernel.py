"""
A kernel of your own
====================

Write a covariance function, check its gradients, and use it as the prior over time.

A pendulum swings at one frequency. A kernel that oscillates can forecast it; a Matérn kernel
returns to the mean.
"""

from dataclasses import dataclass, replace

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import approx_fprime

from gplvm_core import DynamicalGPLVM, Kernel, Matern52, White, positive

# %%
# A kernel is a frozen dataclass. Its fields declare the parameters; a gradient is an object of the
# same class, with a derivative in every field.


@dataclass(frozen=True, repr=False)
class Cosine(Kernel):
    """k(t, t') = variance · cos(2π (t − t') / period): one pure oscillation."""

    variance: float = positive(1.0, overall=True)
    period: float = positive(1.0)

    def K(self, first, second=None):
        return self.variance * np.cos(self._angle(first, first if second is None else second))

    def diag(self, points):
        return np.full(len(points), float(self.variance))

    def K_pullback(self, points, gram):
        """Map ∂F/∂K of K(points) to ∂F/∂points, and to ∂F/∂parameters as a `Cosine`."""
        angle = self._angle(points, points)
        slope = -self.variance * np.sin(angle) * gram
        d_points = 4.0 * np.pi / self.period * slope.sum(axis=1, keepdims=True)
        d_variance, d_period = np.sum(gram * np.cos(angle)), -np.sum(slope * angle) / self.period
        return d_points, replace(self, variance=float(d_variance), period=float(d_period))

    def _angle(self, first, second):
        return 2.0 * np.pi / self.period * (first - second.T)


# %%
# Check the gradients against finite differences of F = Σ G ∘ K, for a symmetric G.

some_times = np.array([0.0, 0.2, 0.5, 0.9])
weights = np.arange(16.0).reshape(4, 4)
weights = weights + weights.T


def total(numbers):
    """F as a function of four times, the variance and the period."""
    return np.sum(weights * Cosine(numbers[4], numbers[5]).K(numbers[:4, None]))


d_times, d_kernel = Cosine(1.3, 0.7).K_pullback(some_times[:, None], weights)
exact = np.array([*d_times[:, 0], d_kernel.variance, d_kernel.period])
numeric = approx_fprime(np.array([*some_times, 1.3, 0.7]), total, 1e-7)
error = np.max(np.abs(exact - numeric)) / np.max(np.abs(exact))
print(f"Largest relative error of a gradient: {error:.0e}")

# %%
# The data: a pendulum with friction, recorded by eight sensors that do not measure the angle.

generator = np.random.default_rng(1)
times = np.arange(0.0, 8.0, 0.1)
swing = np.exp(-0.05 * times)[:, None] * np.cos(2.0 * np.pi * (times[:, None] / 2.0 - [0.0, 0.25]))
sensors = np.tanh(swing @ generator.standard_normal((2, 8)))
sensors += 0.02 * generator.standard_normal(sensors.shape)
past, future = times < 6.0, times >= 6.0

# %%
# Multiplied by a Matérn kernel, the oscillation can fade and drift. The model learns the period;
# its starting value is 1.8.

swinging = Cosine(1.0, 1.8) * Matern52(1.0, 10.0) + White(0.01)
fig, axes = plt.subplots(figsize=(8, 3), layout="constrained")
axes.plot(times, sensors[:, 0], "k.", markersize=4)
for name, time_kernel in (("cosine × Matérn 5/2", swinging), ("Matérn 5/2", "matern52")):
    model = DynamicalGPLVM(
        n_components=2, n_inducing=10, time_kernel=time_kernel, max_iter=50, random_state=0
    ).fit(sensors[past], times=times[past])
    ahead = model.forecast(times[future], method="model")
    rest = np.mean((ahead - sensors[future]) ** 2) / np.mean(sensors[future].var(axis=0))
    print(f"{name}: bound {model.bound_:.0f} nats; {rest:.0%} of the future is not explained")
    if time_kernel is swinging:
        print(
            f"The period is {model.time_kernel_.parts[0].parts[0].period:.2f}; the true one is 2."
        )
    axes.plot(times[future], ahead[:, 0], label=name)
axes.set(xlabel="time (s)", ylabel="sensor 0")
axes.legend()
plt.show()
