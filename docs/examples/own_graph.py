"""
A model of your own
===================

Connect Gaussian-process layers in any acyclic graph. Here the graph has a hidden cause, a second
hidden variable that depends on it, and a connection that skips a layer.

A singer's age determines the shape of the throat. The shape determines the tone of the voice; shape
and age together determine its rhythm. Nobody measured age or shape.
"""

import numpy as np

from gplvm_core import Edge, Model

generator = np.random.default_rng(0)
age = generator.uniform(-1.5, 1.5, 60)
throat = np.column_stack([np.sin(1.3 * age), np.cos(1.3 * age)])
tone = np.sin(throat @ generator.standard_normal((2, 6)))
rhythm = np.column_stack([throat, age]) @ generator.standard_normal((3, 4))
data = {
    "tone": tone + 0.1 * generator.standard_normal(tone.shape),
    "rhythm": rhythm + 0.1 * generator.standard_normal(rhythm.shape),
}

# %%
# Nodes are hidden variables with a number of dimensions. Edges are Gaussian-process layers. An edge
# names its target: a node, or a table of the data.

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

# %%
# The node at the top is the age, up to its sign and scale.

order = abs(np.corrcoef(model.beliefs_["age"].mean[:, 0], age)[0, 1])
print(f"The top node correlates with the age: {order:.2f}")

# %%
# A tone predicts the rhythm through both nodes. ``generate`` starts from any node instead.

predicted = model.complete({"tone": data["tone"]})["rhythm"]
rest = np.mean((predicted - data["rhythm"]) ** 2) / np.mean(data["rhythm"].var(axis=0))
print(f"Rhythm from tone: {rest:.0%} of the variance is not explained.")
young, old = model.generate({"age": np.array([[-1.0], [1.0]])})["tone"]
print(f"The tones of two ages differ by {np.abs(young - old).mean():.1f}.")
