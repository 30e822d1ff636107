"""
Single cells
============

Put cells on a map from counts of molecules, without logarithms or pseudocounts.

The data are simulated: 150 cells along a path that branches, and 40 genes. The cells differ in the
number of captured molecules. ``data = read_h5ad("cells.h5ad", counts=True)`` reads real cells as
such a table: fit a model with ``kinds=data.kinds`` to ``data.in_own_values()``. Choose some tens to
a few hundred variable genes, because training computes the expectations over the latent points
separately for every column of counts.
"""

import matplotlib.pyplot as plt
import numpy as np

from gplvm_core import BayesianGPLVM

generator = np.random.default_rng(0)
age, branch = generator.uniform(0.0, 1.0, 150), generator.integers(0, 2, 150)
later = np.maximum(age - 0.5, 0.0) * np.where(branch == 1, 1.0, -1.0)
effects = generator.normal(size=(2, 40))
shares = np.exp(3.0 * (age - 0.5)[:, None] * effects[0] + 5.0 * later[:, None] * effects[1])
captured = generator.lognormal(6.0, 0.4, 150)
counts = generator.poisson(captured[:, None] * shares / shares.sum(axis=1, keepdims=True))

# %%
# The number of captured molecules describes the experiment, not the cell. Without correction it
# would be the main dimension of the map. As an exposure, this number multiplies the expected counts
# of its cell, and the map explains only the remaining differences.

sizes = counts.sum(axis=1)
table = np.column_stack([counts, sizes]).astype(float)

# %%
# Every gene has its own signal variance, and counts may vary more than under a Poisson
# distribution.

kinds = ["count"] * counts.shape[1] + ["exposure"]
model = BayesianGPLVM(4, 20, kinds=kinds, max_iter=60, random_state=0).fit(table)
first = np.argsort(-model.relevance_)[:2]
fig, axes = plt.subplots(figsize=(5, 4), layout="constrained")
axes.scatter(*model.latent_mean_[:, first].T, c=age, s=15)
axes.set_title("cells by age")

# %%
# Does the map show the age of the cells, but not their library size? Each is estimated from the
# five nearest cells.

places = model.latent_mean_ * model.latent_scale_
apart = np.sum((places[:, None] - places) ** 2, axis=2)
np.fill_diagonal(apart, np.inf)
near = np.argsort(apart, axis=1)[:, :5]


def explained(values: np.ndarray) -> float:
    return 1.0 - np.var(values - values[near].mean(axis=1)) / np.var(values)


print(f"The map explains {explained(age):.0%} of the age.")
print(f"It explains {max(explained(np.log(captured)), 0.0):.0%} of the captured molecules.")

# %%
# Predict a gene that was not measured: hide it in half of the cells, and compute its quantiles.

hidden = table.copy()
gene = int(np.argmax(np.var(counts, axis=0)))
hidden[::2, gene] = np.nan
low, high = model.column_quantiles(hidden, gene, (0.05, 0.95))
inside = (low <= counts[:, gene]) & (counts[:, gene] <= high)
print(f"{inside[::2].mean():.0%} of the hidden counts are between their 5 % and 95 % quantiles.")
