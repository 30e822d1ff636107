"""
1. A first map
==============

Train a model on a table, draw its map, and read off what matters.

The data are 600 simulated measurements of oil, water and gas that flow through a pipe. Each row
has twelve readings. The flow has one of three forms, which the model does not see.
"""

import matplotlib.pyplot as plt
import numpy as np

from gplvm_core import BayesianGPLVM, load_dataset

flow = load_dataset("flow")
train, new = flow.values[::2], flow.values[1::2]
print(f"{len(train)} rows to train on, {train.shape[1]} columns each")

# %%
# Train
# -----
# ``n_components`` is an upper limit: training switches off the dimensions that the data do not
# need. ``n_inducing`` determines how detailed the mapping can be, and most of the cost.

model = BayesianGPLVM(n_components=10, n_inducing=30, max_iter=300, random_state=0).fit(train)
print(f"The bound on the log evidence is {model.bound_:.0f} nats.")
print(f"{model.n_effective_} of {model.n_components} dimensions are on.")

# %%
# What matters most
# -----------------
# ``relevance_`` orders the dimensions: a large value means that the data change quickly along
# that dimension. ``information_`` is the information of the data about each coordinate, in nats per
# row; a dimension below 0.05 is off.

order = np.argsort(model.relevance_)[::-1]
fig, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
left.bar(range(len(order)), model.relevance_[order])
left.set(title="Relevance", xlabel="dimension, in order")
right.bar(range(len(order)), model.information_[order])
right.axhline(0.05, color="grey", linestyle=":")
right.set(title="Information (nats per row)", xlabel="dimension, in order")
plt.show()

# %%
# The map
# -------
# Draw the two most relevant dimensions. Colours show the form of the flow, which the model has not
# seen. The background shows the uncertainty of the prediction at each position, with all other
# coordinates at zero. It is light where the model has data, and dark where it has none.

first, second = order[:2]
mean = model.latent_mean_
classes = flow.labels[::2]
sides = [
    np.linspace(mean[:, at].min() - 0.5, mean[:, at].max() + 0.5, 40) for at in (first, second)
]
grid = np.zeros((1600, model.n_components))
grid[:, [first, second]] = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
_, uncertain = model.inverse_transform(grid, return_std=True)

fig, axes = plt.subplots(figsize=(6, 4.5), layout="constrained")
shade = np.log(uncertain.mean(axis=1)).reshape(40, 40)
axes.pcolormesh(*sides, shade, cmap="Greys", vmax=shade.max() + 2.0, shading="gouraud")
for label, name in enumerate(flow.label_names):
    axes.plot(*mean[classes == label][:, [first, second]].T, "o", markersize=4, label=name)
axes.set(xlabel=f"dimension {first}", ylabel=f"dimension {second}")
fig.legend(loc="outside upper center", ncols=3)
plt.show()

# %%
# From the map to the data
# ------------------------
# ``inverse_transform`` predicts the row that belongs to a position, with its standard deviation.
# Far from the training data the standard deviation grows: the model reports its uncertainty.

path = np.tile(mean[:1], (100, 1))
path[:, first] = np.linspace(mean[:, first].min() - 3.0, mean[:, first].max() + 3.0, 100)
rows, spread = model.inverse_transform(path, return_std=True)
fig, axes = plt.subplots(figsize=(6, 3), layout="constrained")
for column in (0, 6):
    axes.plot(path[:, first], rows[:, column], label=flow.column_names[column])
    low, high = rows[:, column] - 2 * spread[:, column], rows[:, column] + 2 * spread[:, column]
    axes.fill_between(path[:, first], low, high, alpha=0.2)
axes.set(xlabel=f"dimension {first}", ylabel="reading")
axes.legend()
plt.show()

# %%
# Distances on the map
# --------------------
# Latent coordinates have no common unit. Use ``scaled=True`` before you measure a distance or look
# for neighbours. Here the nearest training row predicts the form of the flow in new rows.

known, unseen = model.transform(train, scaled=True), model.transform(new, scaled=True)
distance = np.linalg.norm(unseen[:, None] - known[None], axis=2)
right = np.mean(classes[np.argmin(distance, axis=1)] == flow.labels[1::2])
print(f"The nearest neighbour has the right form of flow for {right:.1%} of the new rows.")

# %%
# Save the model
# --------------
# ``model.save("flow.gplvm")`` writes one file, and ``gplvm_core.load`` reads it.
# ``gplvm_core.explorer(model, flow)`` shows an interactive map in a notebook; with
# anywidget, Python reads the visitor's point and selected rows, and moves the map.
