"""
5. Depth
========

Stack Gaussian-process layers, and check whether the additional layers helped.

One Gaussian process has one smoothness everywhere. Two layers can be flat in one region and steep
in another. Training two layers takes longer and does not always help; every layer reports whether
it is used.
"""

import matplotlib.pyplot as plt
import numpy as np

from gplvm_core import DeepGP, SparseGPRegression

# %%
# A step
# ------

generator = np.random.default_rng(0)
x = np.sort(generator.uniform(-1.0, 1.0, 40))[:, None]
y = np.sign(x[:, 0]) + 0.05 * generator.standard_normal(40)

shallow = SparseGPRegression(n_inducing=40, max_iter=50, random_state=0).fit(x, y)
deep = DeepGP(n_components=(1,), n_inducing=10, max_iter=120, random_state=0).fit(x, y)
print(f"Bound: one layer {shallow.bound_:.1f} nats, two layers {deep.bound_:.1f} nats")

# %%
# The prediction of one layer oscillates near the step; the prediction of two layers does not.

grid = np.linspace(-1.2, 1.2, 200)[:, None]
fig, both = plt.subplots(1, 2, figsize=(8, 3), sharey=True, layout="constrained")
for axes, (name, model) in zip(both, (("one layer", shallow), ("two layers", deep)), strict=True):
    mean, deviation = model.predict(grid, return_std=True)
    axes.plot(grid, mean)
    axes.fill_between(grid[:, 0], mean - 2 * deviation, mean + 2 * deviation, alpha=0.2)
    axes.plot(x, y, "k.", markersize=3)
    axes.set_title(name)
plt.show()

flat = np.concatenate([np.linspace(-0.9, -0.2, 50), np.linspace(0.2, 0.9, 50)])[:, None]
for name, model in (("one layer", shallow), ("two layers", deep)):
    error = np.sqrt(np.mean((model.predict(flat) - np.sign(flat[:, 0])) ** 2))
    print(f"Error on the flat parts, {name}: {error:.4f}")

# %%
# Is every layer used?
# --------------------
# Each layer reports in words whether it is on, and whether it is almost linear. A layer that is off
# or linear adds nothing; train without it.

for layer in deep.layers_:
    print(layer.verdict_)

# %%
# Predictions that are not Gaussian
# ---------------------------------
# Near the step a deep model's prediction is skewed: most draws are at the upper level, and some are
# far below it. ``predict`` returns only a mean and a standard deviation; ``sample`` draws from the
# whole distribution.

draws = deep.sample(np.array([[0.06]]), 300, random_state=0).ravel()
print(f"Mean {draws.mean():.2f}, median {np.median(draws):.2f}")
fig, axes = plt.subplots(figsize=(5, 2.5), layout="constrained")
axes.hist(draws, 40)
axes.set(xlabel="y at x = 0.06", ylabel="draws")
plt.show()

# %%
# The deep models
# ---------------
# ``DeepGP`` predicts outputs from inputs. ``DeepGPLVM`` is a map with several layers.
# ``DeepManifoldRelevance`` is a map with several layers for several views. ``Model`` connects
# layers in any other way: see the recipe *A model of your own*.
