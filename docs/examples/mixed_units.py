"""A table of mixed units: every column gets a noise of its own, and no scale has to be chosen."""

import numpy as np

from gplvm_core import BayesianGPLVM, load_dataset

# Acids in grams, magnesium in milligrams, proline in hundreds: analyses of 178 wines.
wine = load_dataset("wine")
train, test = wine.values[::2], wine.values[1::2]

own = BayesianGPLVM(noise="per_output", max_iter=150, random_state=0).fit(train)
one = BayesianGPLVM(noise="shared", max_iter=150, random_state=0).fit(train)

# Which columns does the place on the map tell, and which are noise to it?
share = own.noise_std_ / train.std(axis=0)
for column in np.argsort(share):
    print(f"{wine.column_names[column]:>30}: {share[column]:.0%} of its spread is noise")

# How well wines that it never saw are expected, in nats each.
gain = own.score_samples(test).mean() - one.score_samples(test).mean()
print(f"Noise per output is {gain:.1f} nats a wine ahead.")
