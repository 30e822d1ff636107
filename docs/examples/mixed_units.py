"""
Columns in mixed units
======================

If columns have different units, the model gives each its own scale and its own noise level.

The data are analyses of 178 wines: acids in grams, magnesium in milligrams, proline in hundreds.
"""

import matplotlib.pyplot as plt
import numpy as np

from gplvm_core import BayesianGPLVM, load_dataset

wine = load_dataset("wine")
train, test = wine.values[::2], wine.values[1::2]

settings = {"max_iter": 150, "random_state": 0, "second_stage": "off"}  # only maps are compared
own = BayesianGPLVM(**settings).fit(train)
one = BayesianGPLVM(scaling="global", **settings).fit(train)
print(own.notes_[-1])

# %%
# Which columns does a wine's position on the map predict, and which are noise?

share = own.noise_std_ / train.std(axis=0)
order = np.argsort(share)
for column in order:
    print(f"{wine.column_names[column]:>30}: {share[column]:.0%} of its spread is noise")

fig, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.barh([wine.column_names[column] for column in order], share[order])
axes.set(xlabel="noise, as a fraction of the column's standard deviation")
plt.show()

# %%
# With one scale for all columns, only the proline would count. The log density of wines that the
# models have not seen shows what this costs.

gain = own.score_samples(test).mean() - one.score_samples(test).mean()
print(f"Separate scales and noises score {gain:.1f} nats per wine more.")
