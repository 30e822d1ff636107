"""
4. Views
========

Train on two descriptions of the same objects. Find out what the descriptions share, and predict one
from the other.

``ManifoldRelevance`` (manifold relevance determination) has one latent space for all views. Each
view uses the dimensions that it needs.
"""

import matplotlib.pyplot as plt
import numpy as np

from gplvm_core import ManifoldRelevance

# %%
# Fifty animals in two views
# --------------------------
# An animal's size influences its shape and its voice; its posture influences only its shape. Nobody
# measured size or posture.

generator = np.random.default_rng(0)
size, posture = generator.standard_normal((2, 50))
shape = np.column_stack([size, posture]) @ generator.standard_normal((2, 8))
voice = np.outer(size, generator.standard_normal(6))
views = {
    "shape": np.tanh(0.5 * shape) + 0.05 * generator.standard_normal(shape.shape),
    "voice": np.tanh(0.5 * voice) + 0.05 * generator.standard_normal(voice.shape),
}
model = ManifoldRelevance(n_components=3, n_inducing=10, max_iter=50, random_state=0).fit(views)

# %%
# Shared and private dimensions
# -----------------------------
# ``segmentation`` lists the dimensions by the views that use them. The model does not know what
# size and posture are; it found one shared dimension and one that only the shape uses.

parts = model.segmentation()
for users, dimensions in parts.items():
    who = " and ".join(sorted(users)) or "no view"
    print(f"{who}: {len(dimensions)} latent dimension{'s' * (len(dimensions) != 1)}")

# %%
# The axes of a map are not unique, so an axis may mix a shared and a private part. ``count_parts``
# counts both whatever the axes.

for users, count in model.count_parts().items():
    print(f"Whatever the axes, {' and '.join(sorted(users))}: {count}")

# %%
# ``drops_`` gives the reason: how far the bound of a view falls, in nats per row, if the view
# ignores a dimension.

fig, axes = plt.subplots(figsize=(6, 3), layout="constrained")
for at, (name, drops) in enumerate(model.drops_.items()):
    axes.bar(np.arange(len(drops)) + 0.4 * at, drops, width=0.4, label=name)
axes.set(xlabel="latent dimension", ylabel="fall of the bound\n(nats per row)")
axes.set_xticks(np.arange(3) + 0.2, range(3))
axes.legend()
plt.show()

# %%
# Predict one view from the other
# -------------------------------
# A shape determines the voice. A voice contains no information about the posture. The same voice
# fits many shapes, so most of the variance of the shape remains unexplained.

guesses = {}
for given, wanted in (("shape", "voice"), ("voice", "shape")):
    guesses[wanted] = model.transfer({given: views[given]}, to=wanted)
    rest = np.mean((guesses[wanted] - views[wanted]) ** 2) / np.mean(views[wanted].var(axis=0))
    print(f"{wanted} from {given}: {rest:.0%} of the variance is not explained")

fig, both = plt.subplots(1, 2, figsize=(8, 3.5), layout="constrained")
for axes, (wanted, guess) in zip(both, guesses.items(), strict=True):
    axes.plot(views[wanted].ravel(), guess.ravel(), ".", markersize=3)
    axes.axline((0, 0), slope=1, color="grey", linestyle=":")
    axes.set(title=f"{wanted} from the other view", xlabel="true value", ylabel="predicted")
plt.show()
