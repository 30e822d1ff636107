"""
2. Do more dimensions fit better?
=================================

The rows have 12 columns, which are smooth functions of two hidden numbers, plus noise.

**Exercises.** (a) Train a ``GPLVM`` with 1 to 5 dimensions. How does its likelihood change?
(b) Do the same with a ``BayesianGPLVM`` and its bound. (c) Does the likelihood or the bound reveal
the number of hidden numbers? Check your answer with held-out rows.
"""

import matplotlib.pyplot as plt
import numpy as np

from gplvm_core import GPLVM, BayesianGPLVM

draw = np.random.default_rng(0)
hidden = draw.standard_normal((80, 2))
waves = np.sin(0.5 * hidden @ draw.standard_normal((2, 30)) + draw.uniform(0, 6.28, 30))
values = waves @ draw.standard_normal((30, 12))
values = (values - values.mean(axis=0)) / values.std() + 0.2 * draw.standard_normal((80, 12))
train, new = values[:50], values[50:]
counts = range(1, 6)

# %%
# Solution
# --------
# (a) and (b) Both models start from PCA.

fitted = {
    "GP-LVM": [GPLVM(q, max_iter=200, random_state=0).fit(train) for q in counts],
    "Bayesian GP-LVM": [
        BayesianGPLVM(q, 20, max_iter=200, random_state=0).fit(train) for q in counts
    ],
}
gaps = np.where(np.arange(12) < 4, np.nan, new)  # hide four columns of the new rows
fig, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
for name, models in fitted.items():
    fits = [model.bound_ / train.size for model in models]
    errors = [np.sqrt(np.mean((model.complete(gaps) - new)[:, :4] ** 2)) for model in models]
    left.plot(counts, fits, "o-", label=name)
    right.plot(counts, errors, "o-", label=name)
    print(name, "fit:", np.round(fits, 2), "error:", np.round(errors, 2))
left.set(title="Fit, in nats a value", xlabel="dimensions", xticks=counts)
right.set(title="Error on hidden values of new rows", xlabel="dimensions", xticks=counts)
right.legend()

# %%
# (c) The likelihood of the GP-LVM rises with every dimension, because each dimension adds 50
# free parameters. The bound stops rising after two dimensions. The errors on new rows agree with
# the bound: more dimensions make the GP-LVM worse.
