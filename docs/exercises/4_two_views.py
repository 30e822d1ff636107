"""
4. What do two views share?
===========================

Two sensors observe one pendulum. Each has a disturbance of its own.

**Exercises.** (a) Train a ``ManifoldRelevance`` on both views. Which dimensions are shared, and
which belong to one view? (b) Predict the second view of new rows from the first. (c) Why can the
prediction never be perfect?
"""

import matplotlib.pyplot as plt
import numpy as np

from gplvm_core import ManifoldRelevance

draw = np.random.default_rng(0)
times = np.linspace(0, 12, 120)
swing, left_only, right_only = np.cos(1.7 * times), np.sin(0.9 * times), np.cos(0.5 * times + 1)


def view(shared, own):
    """Return eight noisy mixtures of a shared cause and, half as strong, a private cause."""
    mixed = np.column_stack([shared, 0.5 * own]) @ draw.standard_normal((2, 8))
    return mixed + 0.05 * draw.standard_normal(mixed.shape)


views = {"left": view(swing, left_only), "right": view(swing, right_only)}
train = {name: each[::2] for name, each in views.items()}
new = {name: each[1::2] for name, each in views.items()}

# %%
# Solution
# --------
# (a) Each view has its own relevance of every dimension.

model = ManifoldRelevance(5, 20, max_iter=200, random_state=0).fit(train)
fig, axes = plt.subplots(figsize=(5, 3), layout="constrained")
for shift, (name, relevance) in zip((-0.2, 0.2), model.relevance_.items(), strict=True):
    axes.bar(np.arange(1, 6) + shift, relevance / relevance.max(), 0.4, label=name)
axes.set(title="Relevance by view", xlabel="dimension")
axes.legend()

# %%
# (b) ``transfer`` predicts one view from another. Compare the error with the spread of each column.

predicted = model.transfer({"left": new["left"]}, "right")
error = np.sqrt(np.mean((predicted - new["right"]) ** 2, axis=0)) / new["right"].std(axis=0)
print("Error in standard deviations, by column:", np.round(np.sort(error), 2))

# %%
# (c) The left sensor observes the swing, but not the disturbance of the right sensor. Columns that
# depend mostly on the swing are predicted well. For the other columns the model can only return one
# of the possible answers; its error is one standard deviation or more.
