"""Train on a table with gaps, and fill them: what is missing is left out, not made up."""

import numpy as np

from gplvm_core import BayesianGPLVM

# Eight measurements of 60 things that differ in one way only: where they stand on a circle.
generator = np.random.default_rng(0)
angle = generator.uniform(0.0, 2.0 * np.pi, 60)
waves = np.column_stack([np.cos(angle), np.sin(angle), np.cos(2 * angle), np.sin(2 * angle)])
truth = waves @ generator.standard_normal((4, 8))
table = truth + 0.1 * generator.standard_normal(truth.shape)

# A fifth of the entries was never measured. NaN says so, in training as in new rows.
gaps = generator.random(table.shape) < 0.2
table[gaps] = np.nan

model = BayesianGPLVM(n_components=4, n_inducing=10, max_iter=50, random_state=0).fit(table)
print(f"The bound is {model.bound_:.0f} nats for {np.sum(~gaps)} measured entries.")
print(f"{model.n_effective_} of 4 latent dimensions are used; noise {model.noise_std_[0]:.3f}.")

# Every gap comes back with a mean and a standard deviation, which is honest where it counts.
filled, deviation = model.complete(table, return_std=True)
error = np.sqrt(np.mean((filled - truth)[gaps] ** 2))
by_means = np.sqrt(np.mean((np.nanmean(table, axis=0) - truth)[gaps] ** 2))
within = np.mean(np.abs(filled - truth)[gaps] < 2.0 * deviation[gaps])
print(f"Error in the gaps: {error:.3f}; with the columns' means: {by_means:.3f}.")
print(f"{within:.0%} of the true values are within two standard deviations.")
