"""A model of one's own: a cause, what it bends, and a connection that skips a layer."""

import numpy as np

from gplvm_core import Edge, Model

# Sixty singers. Age bends the shape of a throat; the shape alone gives the tone of a voice, shape
# and age together give its rhythm. Nobody measured age or shape.
generator = np.random.default_rng(0)
age = generator.uniform(-1.5, 1.5, 60)
throat = np.column_stack([np.sin(1.3 * age), np.cos(1.3 * age)])
tone = np.sin(throat @ generator.standard_normal((2, 6)))
rhythm = np.column_stack([throat, age]) @ generator.standard_normal((3, 4))
data = {
    "tone": tone + 0.1 * generator.standard_normal(tone.shape),
    "rhythm": rhythm + 0.1 * generator.standard_normal(rhythm.shape),
}

# Nodes have dimensions, edges are Gaussian-process layers; the rest follows from their names.
nodes = {"age": 1, "shape": 2}
edges = [
    Edge("age", "shape", n_inducing=15),
    Edge("shape", "tone", n_inducing=15),
    Edge(("shape", "age"), "rhythm", n_inducing=15),
]
model = Model(nodes, edges, max_iter=200, random_state=0).fit(data)
print(f"The bound is {model.bound_:.0f} nats.")
for layer in model.layers_.values():
    print(layer.verdict_)

# The node at the top is the age, up to its sign and scale.
order = abs(np.corrcoef(model.beliefs_["age"].mean[:, 0], age)[0, 1])
print(f"The top follows the age with a correlation of {order:.2f}.")

# A tone tells the rhythm, through both nodes; and one edge can be asked alone.
rhythm_found = model.complete({"tone": data["tone"]})["rhythm"]
left = np.mean((rhythm_found - data["rhythm"]) ** 2) / np.mean(data["rhythm"].var(axis=0))
print(f"Rhythm from tone: {left:.0%} of the variance is not explained.")
young, old = model.generate({"age": np.array([[-1.0], [1.0]])})["tone"]
print(f"Tones of two ages differ by {np.abs(young - old).mean():.1f}.")
