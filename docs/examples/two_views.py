"""Two descriptions of the same things: what do they share, and what does one say of the other?"""

import numpy as np

from gplvm_core import ManifoldRelevance

# Fifty animals, say: how large they are shows in their shape and in their voice, how they stand
# shows in the shape alone. Nobody measured size or posture.
generator = np.random.default_rng(0)
size, posture = generator.standard_normal((2, 50))
shape = np.column_stack([size, posture]) @ generator.standard_normal((2, 8))
voice = np.outer(size, generator.standard_normal(6))
views = {
    "shape": np.tanh(0.5 * shape) + 0.05 * generator.standard_normal(shape.shape),
    "voice": np.tanh(0.5 * voice) + 0.05 * generator.standard_normal(voice.shape),
}

model = ManifoldRelevance(n_components=3, n_inducing=10, max_iter=50, random_state=0).fit(views)

# Which view uses which latent dimension is found, not told.
for users, dimensions in model.segmentation().items():
    who = " and ".join(sorted(users)) or "no view"
    print(f"{who}: {len(dimensions)} latent dimension{'s' * (len(dimensions) != 1)}")

# A shape tells the voice. A voice leaves the posture open: what comes back is one of several
# shapes that go with it.
for given, wanted in (("shape", "voice"), ("voice", "shape")):
    guess = model.transfer({given: views[given]}, to=wanted)
    left = np.mean((guess - views[wanted]) ** 2) / np.mean(views[wanted].var(axis=0))
    print(f"{wanted} from {given}: {left:.0%} of the variance is not explained")
