"""
Spike trains
============

Find the path that a population of neurons follows, using only spike counts.

The data are simulated, so the path is known. The rates of 30 neurons depend on a position in two
dimensions, and the data are Poisson counts in windows of a tenth of a second. Every third window is
for testing.
"""

import matplotlib.pyplot as plt
import numpy as np

from gplvm_core import BayesianGPLVM, is_anything_here
from gplvm_core.comparison import PoissonFactors
from gplvm_core.simulated.spikes import load_spikes

spikes = load_spikes(n_points=180, n_neurons=30, mean_count=3.0)
test = np.arange(180) % 3 == 1
counts, new = spikes.values[~test], spikes.values[test]
path = np.column_stack([spikes.covariates["x"], spikes.covariates["y"]])[~test]
kinds = ["count"] * counts.shape[1]

# %%
# Is there anything to find? ``is_anything_here`` predicts hidden counts. It compares these
# predictions with the mean rate of each neuron. It repeats this on tables in which the counts of
# every neuron are shuffled separately.

model = BayesianGPLVM(4, 20, max_iter=60, random_state=0)
print(is_anything_here(counts, kinds, model=model, n_shuffles=1).answer)

# %%
# An unnecessary latent dimension does no harm: dimensions without information are switched off.

model.set_params(kinds=kinds).fit(counts)
on = np.flatnonzero(model.information_ > 0.05)
print(f"{len(on)} dimensions are on.")

# %%
# The map is the path up to rotation, reflection and smooth stretching. A line through the windows
# in their order shows it; the model does not use the order.

first = np.argsort(-model.relevance_)[:2]
fig, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for axes, places, title in (
    (left, path, "the path"),
    (right, model.latent_mean_[:, first], "the map"),
):
    axes.plot(*places.T, color="0.8")
    axes.scatter(*places.T, c=np.arange(len(places)), s=12)
    axes.set_title(title)

# %%
# How much of the path does the map explain? The estimate of each position is the mean position of
# the five windows that are nearest on the map.

places = (model.latent_mean_ * model.latent_scale_)[:, on]
apart = np.sum((places[:, None] - places) ** 2, axis=2)
np.fill_diagonal(apart, np.inf)
near = np.argsort(apart, axis=1)[:, :5]
left_over = np.var(path - path[near].mean(axis=1), axis=0) / np.var(path, axis=0)
print(f"The map explains {1.0 - left_over.mean():.0%} of the path.")

# %%
# Silent electrodes: hide five neurons in the test windows, and predict their counts. Poisson factor
# analysis, the usual linear model of log rates, is the baseline.

seen = new.copy()
seen[:, 25:] = np.nan
chances = [model.count_probabilities(seen, neuron, int(new.max())) for neuron in range(25, 30)]
rows = np.arange(len(new))
own = [chance[rows, new[:, 25 + k].astype(int)] for k, chance in enumerate(chances)]
factors = PoissonFactors(random_state=0).fit(counts)
linear = factors.log_probabilities(new, seen)[:, 25:]
print(f"{-np.mean(np.log(own)):.3f} nats a hidden count; {-linear.mean():.3f} by linear factors.")
