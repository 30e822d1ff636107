"""
2. Missing data and new rows
============================

Train on a table with gaps, fill them, and judge rows that the model has not seen.

Missing values are NaN. The model leaves them out of the likelihood; nothing is imputed first.
"""

import matplotlib.pyplot as plt
import numpy as np

from gplvm_core import BayesianGPLVM

# %%
# A table with gaps
# -----------------
# Eight measurements of 60 objects that differ in one way only: their position on a circle. A fifth
# of the values was never measured.

generator = np.random.default_rng(0)
mixing = np.random.default_rng(1).standard_normal((4, 8))


def measured(angle):
    """Eight exact measurements for each angle."""
    waves = [np.cos(angle), np.sin(angle), np.cos(2 * angle), np.sin(2 * angle)]
    return np.column_stack(waves) @ mixing


angle = generator.uniform(0.0, 2.0 * np.pi, 60)
truth = measured(angle)
table = truth + 0.1 * generator.standard_normal(truth.shape)
gaps = generator.random(table.shape) < 0.2
table[gaps] = np.nan

model = BayesianGPLVM(n_components=4, n_inducing=10, max_iter=50, random_state=0).fit(table)
print(f"{model.n_effective_} of 4 dimensions are on; a circle needs two.")
print(f"Noise: {model.noise_std_[0]:.3f}; 0.100 was added.")

# %%
# Fill the gaps
# -------------
# ``complete`` returns complete rows, and a standard deviation for each missing value.

filled, deviation = model.complete(table, return_std=True)
error = np.sqrt(np.mean((filled - truth)[gaps] ** 2))
by_means = np.sqrt(np.mean((np.nanmean(table, axis=0) - truth)[gaps] ** 2))
inside = np.mean(np.abs(filled - truth)[gaps] < 2.0 * deviation[gaps])
print(f"Error in the gaps: {error:.3f}; with the column means: {by_means:.3f}")
print(f"{inside:.0%} of the true values lie within two standard deviations (95 % promised).")

fig, axes = plt.subplots(figsize=(5, 4.5), layout="constrained")
axes.errorbar(truth[gaps], filled[gaps], yerr=2 * deviation[gaps], fmt="o", markersize=3)
axes.axline((0, 0), slope=1, color="grey", linestyle=":")
axes.set(xlabel="true value", ylabel="filled in, ± 2 standard deviations")
plt.show()

# %%
# New rows
# --------
# ``complete`` also fills gaps in rows that the model has not seen. ``transform`` returns their
# positions on the map; ``score_samples`` returns their log densities in nats.

new = measured(generator.uniform(0.0, 2.0 * np.pi, 40))
new += 0.1 * generator.standard_normal(new.shape)
half = new.copy()
half[:, 4:] = np.nan
error = np.sqrt(np.mean((model.complete(half)[:, 4:] - new[:, 4:]) ** 2))
print(f"Error when half of a new row is missing: {error:.3f}")

# %%
# Find rows that do not fit
# -------------------------
# A row that combines halves of two different objects has ordinary values in every column. Its low
# log density shows that the combination is unusual.

odd = np.hstack([new[:20, :4], new[20:, 4:]])
typical, strange = model.score_samples(new), model.score_samples(odd)
found = np.mean(strange < np.quantile(typical, 0.05))
print(f"{found:.0%} of the mixed rows score below 95 % of the ordinary ones.")

fig, axes = plt.subplots(figsize=(6, 3), layout="constrained")
bins = np.linspace(-60.0, max(typical.max(), strange.max()), 40)
axes.hist(np.clip(typical, -60, None), bins, alpha=0.6, label="ordinary rows")
axes.hist(np.clip(strange, -60, None), bins, alpha=0.6, label="mixed rows")
axes.set(xlabel="log density (nats; values below −60 are drawn at −60)", ylabel="rows")
axes.legend()
plt.show()

# %%
# From wanted values to a row
# ---------------------------
# ``fit_to`` finds rows that have some wanted values, and predicts their other columns. Several
# rows have the first wanted value; with two wanted values, one row is clearly the best. Every
# answer has its point on the map, its outputs with standard deviations, and a score in nats. With
# ``through``, the wanted values belong to combinations of columns instead of single columns.

wanted = {0: float(truth[0, 0])}
for reached in model.fit_to(wanted)[:3]:
    print(f"column 2: {reached.outputs[1]:6.2f} ± {reached.std[1]:.2f}   score {reached.score:.1f}")
best = model.fit_to(wanted | {1: float(truth[0, 1])})[0]
print(f"With two values: column 3 is {best.outputs[2]:.2f}; the truth is {truth[0, 2]:.2f}.")
