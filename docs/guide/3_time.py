"""
3. Time
=======

Train on a time series, fill a gap in the recording, and forecast.

``DynamicalGPLVM`` connects the latent positions of a sequence by a smooth path over time.
``StateSpaceGPLVM`` learns how each position leads to the next one.
"""

import matplotlib.pyplot as plt
import numpy as np

from gplvm_core import DynamicalGPLVM, StateSpaceGPLVM
from gplvm_core.comparison import back_test

# %%
# A pendulum seen through eight sensors
# -------------------------------------
# No sensor measures the angle. The recording has a gap of one second, and its end is held out for
# the forecast.

generator = np.random.default_rng(1)
times = np.arange(0.0, 8.0, 0.1)
swing = np.exp(-0.05 * times)[:, None] * np.cos(2.0 * np.pi * (times[:, None] / 2.0 - [0.0, 0.25]))
truth = np.tanh(swing @ generator.standard_normal((2, 8)))
sensors = truth + 0.02 * generator.standard_normal(truth.shape)
gap, future = (times > 2.95) & (times < 3.95), times >= 6.0
seen = ~gap & ~future

# %%
# Train with times
# ----------------
# Times need not be evenly spaced. ``time_kernel`` is the prior of the path: "rbf" for smooth paths,
# "matern32" for rougher paths, "periodic" for paths that repeat. By default, training tries "rbf"
# and two Matérn kernels for some iterations, and continues with the one that has the highest bound.
# The path has one time scale, which is learnt from the data.

model = DynamicalGPLVM(n_components=3, n_inducing=15, max_iter=100, random_state=0)
model.fit(sensors[seen], times=times[seen])
print(f"The bound is {model.bound_:.0f} nats; {model.n_effective_} dimensions are on.")
print(next(note for note in model.notes_ if "kernel over time" in note))

# %%
# Between and beyond the recording
# --------------------------------
# ``forecast`` predicts the sensors at any times. After the end, the model and simple rules compete:
# ``fit`` tests all of them on the last rows, and the best continues the recording.

print(model.forecaster_.reason)

# %%
# ``method="model"`` asks the model itself. Its standard deviation grows with the distance from the
# recording.

mean, deviation = model.forecast(times, method="model", return_std=True)
soon = future & (times < 6.25)
for name, rows in (("the gap", gap), ("0.3 s ahead", soon), ("2 s ahead", future)):
    rest = np.mean((mean - truth)[rows] ** 2) / np.mean(truth.var(axis=0))
    print(f"{name}: {rest:.0%} of the variance is not explained")

fig, axes = plt.subplots(figsize=(8, 3), layout="constrained")
for sensor, colour in ((0, "C0"), (4, "C1")):
    axes.plot(times[seen], sensors[seen, sensor], ".", color=colour, markersize=4)
    axes.plot(times, truth[:, sensor], ":", color="grey", linewidth=1)
    axes.plot(times, mean[:, sensor], color=colour)
    low, high = (mean[:, sensor] + sign * 2 * deviation[:, sensor] for sign in (-1, 1))
    axes.fill_between(times, low, high, color=colour, alpha=0.2)
axes.set(xlabel="time (s)", ylabel="two sensors; dotted: the truth")
plt.show()

# %%
# A rule instead of a path
# ------------------------
# A path continues for about one time scale. ``StateSpaceGPLVM`` learns the rule that leads from one
# state to the next, here that of the pendulum, and applies it step after step. It needs rows in
# equal steps of time; some frames may be missing.

ruled = StateSpaceGPLVM(n_components=3, n_inducing=15, max_iter=150, random_state=0)
ruled.fit(sensors[~future], times=times[~future])
ahead = ruled.forecast(times[future], method="model")
rest = np.mean((ahead - truth[future]) ** 2) / np.mean(truth.var(axis=0))
print(f"2 s ahead, by the rule: {rest:.2%} of the variance is not explained")

# %%
# How good are forecasts?
# -----------------------
# ``back_test`` is this test: it holds out the end of the recording three times, trains a copy of
# the model without it, and compares the forecasts with simple rules.

result = back_test(model, sensors[seen], times[seen], horizon=5)
print(result.sentence())

# %%
# A new sequence with gaps
# ------------------------
# ``complete`` with times infers all frames of a new sequence together. Here half of the sensors
# fail for a second. In the app: *Time*, *New sequence*. If a simple rule continues the
# series, ``gplvm_core.comparison.fill_sequence`` also tries the rule for rows without any value.

later = np.exp(-0.05 * times)[:, None] * np.cos(2.0 * np.pi * (times[:, None] / 2.0 + [0.1, -0.15]))
walk = np.tanh(later @ np.linalg.lstsq(swing, np.arctanh(truth), rcond=None)[0])[:40]
holes = walk + 0.02 * generator.standard_normal(walk.shape)
holes[15:25, :4] = np.nan
whole, deviation = model.complete(holes, times=times[:40], return_std=True)
missed = np.isnan(holes)
inside = np.abs(whole - walk)[missed] < 1.96 * deviation[missed]
print(f"{missed.sum()} values were filled; {inside.mean():.0%} are inside their 95 % intervals")

# %%
# Invented sequences
# ------------------
# ``sample_sequence`` draws sequences that the model considers possible.

drawn = model.sample_sequence(times[:40], n_samples=3, random_state=0)
fig, axes = plt.subplots(figsize=(8, 2.5), layout="constrained")
axes.plot(times[:40], drawn[:, :, 0].T)
axes.set(xlabel="time (s)", ylabel="sensor 0, three draws")
plt.show()

# %%
# What a time kernel can do
# -------------------------
# With a Matérn or RBF kernel, a forecast is useful for about one time scale of the kernel and then
# returns to the mean. A kernel that oscillates forecasts further: see the recipe *A kernel of your
# own*. To train on several sequences, pass ``sequences``, one label per row.
