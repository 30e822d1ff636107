"""A step: one Gaussian process has one smoothness everywhere, two layers need not."""

import numpy as np

from gplvm_core import DeepGP, SparseGPRegression

generator = np.random.default_rng(0)
x = np.sort(generator.uniform(-1.0, 1.0, 40))[:, None]
y = np.sign(x[:, 0]) + 0.05 * generator.standard_normal(40)

shallow = SparseGPRegression(n_inducing=40, max_iter=50, random_state=0).fit(x, y)
deep = DeepGP(n_components=(1,), n_inducing=10, max_iter=120, random_state=0).fit(x, y)
print(f"Bound: one layer {shallow.bound_:.1f} nats, two layers {deep.bound_:.1f}")

# How far the means are from the step where it is flat, on both sides of the jump.
flat = np.concatenate([np.linspace(-0.9, -0.2, 50), np.linspace(0.2, 0.9, 50)])[:, None]
ringing = {
    name: float(np.sqrt(np.mean((model.predict(flat) - np.sign(flat[:, 0])) ** 2)))
    for name, model in (("one layer", shallow), ("two layers", deep))
}
print(f"Error on the flat parts: {ringing}")

# Did depth do anything? Every layer says what became of it.
for layer in deep.layers_:
    print(layer.verdict_)

# A deep model's answer need not be Gaussian: near the jump its draws are on one side or the other.
near = deep.sample(np.array([[0.0]]), 200, random_state=0)[:, 0]
print(f"At the jump {np.mean(np.abs(near) > 0.7):.0%} of the draws are beyond ±0.7")
