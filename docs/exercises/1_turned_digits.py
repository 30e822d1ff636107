"""
1. How many numbers make a turned digit?
========================================

Rotate one digit in steps of six degrees. One number, the angle, generates all 60 pictures.

**Exercises.** (a) How many principal components explain 95 % of the variance of the pictures?
(b) How many dimensions of a Bayesian GP-LVM stay on if you start with six? (c) Explain the
difference.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.ndimage import rotate, zoom

from gplvm_core import BayesianGPLVM, load_dataset

digits = load_dataset("digits")
four = digits.values[np.flatnonzero(digits.labels == 4)[0]].reshape(8, 8) / 16
upright = np.clip(np.pad(zoom(four, 1.75, order=3), 3), 0, 1)
angles = np.arange(0, 360, 6)
pictures = np.array([rotate(upright, angle, reshape=False, order=1).ravel() for angle in angles])
pictures = pictures[:, pictures.std(axis=0) > 0.01]  # without the pixels that are always dark
pictures += 0.1 * np.random.default_rng(0).standard_normal(pictures.shape)  # a camera's noise

# %%
# Solution
# --------
# (a) The components of PCA are straight directions. The loop bends through many of them.

sizes = np.linalg.svd(pictures - pictures.mean(axis=0), compute_uv=False) ** 2
explained = np.cumsum(sizes) / sizes.sum()
print(f"{np.argmax(explained > 0.95) + 1} components explain 95 % of the variance")

# %%
# (b) The Bayesian GP-LVM switches off the dimensions that the pictures do not need.

model = BayesianGPLVM(6, 30, max_iter=300, random_state=0).fit(pictures)
print(f"{model.n_effective_} of 6 dimensions are on")

first, second = np.argsort(model.information_)[::-1][:2]
fig, axes = plt.subplots(figsize=(4.5, 4), layout="constrained")
dots = axes.scatter(*model.latent_mean_[:, [first, second]].T, c=angles, cmap="twilight")
axes.set(title="The map of 60 angles", xlabel="first dimension", ylabel="second dimension")
fig.colorbar(dots, label="degrees")

# %%
# (c) The pictures have one cause. A linear map needs a direction for every bend of the loop. A
# nonlinear map needs fewer dimensions: a curve with two ends would need one, and a loop needs two.
