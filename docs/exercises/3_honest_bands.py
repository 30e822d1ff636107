"""
3. Which bands can you trust?
=============================

A model fills in the lower half of a digit and gives a 95 % band for every pixel.

**Exercises.** (a) Train a ``GPLVM`` and a ``BayesianGPLVM`` on 60 digits, hide the lower half of
30 others, and fill it in. Which model has the smaller error? (b) How many hidden pixels lie inside
the 95 % bands? (c) Which of the two models would you use?
"""

import numpy as np

from gplvm_core import GPLVM, BayesianGPLVM, load_dataset

digits = load_dataset("digits")
rows = digits.values[np.isin(digits.labels, (0, 1, 3))][:90]
rows = rows[:, rows[:60].std(axis=0) > 0.1]  # without the pixels that are always dark
train, new = rows[:60], rows[60:]
hidden = np.arange(rows.shape[1]) >= rows.shape[1] // 2

# %%
# Solution
# --------
# Coverage is the share of hidden values inside their bands. It should be 95 %.

for model in (
    GPLVM(6, max_iter=100, random_state=0),
    BayesianGPLVM(6, 20, max_iter=100, random_state=0),
):
    model.fit(train)
    filled, deviation = model.complete(np.where(hidden, np.nan, new), return_std=True)
    wrong = (filled - new)[:, hidden]
    error = np.sqrt(np.mean(wrong**2))
    coverage = np.mean(np.abs(wrong) <= 1.96 * deviation[:, hidden])
    print(f"{type(model).__name__}: error {error:.2f}, {coverage:.0%} inside")

# %%
# The ``GPLVM``, whose latent points are optimised, is too confident: its many free parameters
# reproduce the noise of the training rows, so it underestimates the noise of new rows. A prediction
# without a trustworthy band is hard to use, because you do not know which pixels are wrong.
