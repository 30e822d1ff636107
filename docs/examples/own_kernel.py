"""A kernel of one's own: a pendulum swings at one frequency, and the prior over time may say so."""

from dataclasses import dataclass, replace

import numpy as np

from gplvm_core import DynamicalGPLVM, Kernel, Matern52, White
from gplvm_core.kernels import positive


# A kernel is a frozen dataclass: its fields declare its parameters, and a gradient has its shape.
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
        """From ∂F/∂K of K(points) to ∂F/∂points and, kernel-shaped, to ∂F/∂parameters."""
        angle = self._angle(points, points)
        turn = -self.variance * np.sin(angle) * gram
        d_points = 4.0 * np.pi / self.period * turn.sum(axis=1, keepdims=True)
        d_variance, d_period = np.sum(gram * np.cos(angle)), -np.sum(turn * angle) / self.period
        return d_points, replace(self, variance=float(d_variance), period=float(d_period))

    def _angle(self, first, second):
        return 2.0 * np.pi / self.period * (first - second.T)


# A pendulum with friction, seen through eight sensors that know nothing of angles.
generator = np.random.default_rng(1)
times = np.arange(0.0, 8.0, 0.1)
swing = np.exp(-0.05 * times)[:, None] * np.cos(2.0 * np.pi * (times[:, None] / 2.0 - [0.0, 0.25]))
sensors = np.tanh(swing @ generator.standard_normal((2, 8)))
sensors += 0.02 * generator.standard_normal(sensors.shape)
past, future = times < 6.0, times >= 6.0

# Times a Matérn kernel it may fade and drift; the period is learnt from where it starts.
swinging = Cosine(1.0, 1.8) * Matern52(1.0, 10.0) + White(0.01)
for name, time_kernel in (("cosine × matern52", swinging), ("matern52", "matern52")):
    model = DynamicalGPLVM(
        n_components=2, n_inducing=10, time_kernel=time_kernel, max_iter=50, random_state=0
    ).fit(sensors[past], times=times[past])
    ahead = model.forecast(times[future])
    left = np.mean((ahead - sensors[future]) ** 2) / np.mean(sensors[future].var(axis=0))
    print(f"{name}: bound {model.bound_:.0f} nats; {left:.0%} of the future is not explained")
    if time_kernel is swinging:
        print(f"the period is {model.time_kernel_.parts[0].parts[0].period:.2f}, and was 2.00")
