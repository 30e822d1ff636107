"""One deep GP on one curve, in a process of its own; prints how good it is after how much CPU.

Run by `benchmarks.deep_peers`, with the Python that has the package.
"""

import argparse
import json
import os
import time
from typing import Any

import numpy as np

STEPS, DRAWS = 250, 50  # between two looks at the test likelihood, and for each of them


def density(mean: Any, variance: Any, wanted: Any) -> float:
    """Mean log density of the wanted outputs under a mixture over the draws, S × N × 1."""
    each = -0.5 * np.log(2.0 * np.pi * variance) - 0.5 * (wanted - mean) ** 2 / variance
    top = each.max(axis=0)
    return float(np.mean(top + np.log(np.mean(np.exp(each - top), axis=0))))


def gplvm_core(data: Any, n_inducing: int, budget: float) -> list[tuple[float, float]]:
    from gplvm_core import DeepGP

    begin = time.process_time()
    model = DeepGP((data["x"].shape[1],), n_inducing, random_state=0).fit(data["x"], data["y"])
    seconds = time.process_time() - begin
    return [(seconds, float(np.mean(model.score_samples(data["new"], data["wanted"]))))]


def gpflux(data: Any, n_inducing: int, budget: float) -> list[tuple[float, float]]:
    """Adam on all rows, its rate 0.01, as its own examples have it; tracing does not count."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf
    from gpflux.architectures import Config, build_constant_input_dim_deep_gp

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.random.set_seed(0)
    np.random.seed(0)  # noqa: NPY002 (what its k-means draws from)
    centre, scale = data["y"].mean(), data["y"].std()
    x, y = data["x"], (data["y"][:, None] - centre) / scale
    deep = build_constant_input_dim_deep_gp(x, 2, Config(n_inducing, 1e-5, 1e-2, whiten=True))
    layers = (*deep.f_layers, deep.likelihood_layer)
    free = [each for layer in layers for each in layer.trainable_variables]
    optimiser = tf.optimizers.Adam(0.01)
    rows, outputs, new = tf.constant(x), tf.constant(y), tf.constant(data["new"])

    @tf.function
    def train() -> None:
        with tf.GradientTape() as tape:
            deep.call(rows, targets=outputs, training=True)
            loss = tf.add_n([each for layer in layers for each in layer.losses])
        optimiser.apply_gradients(zip(tape.gradient(loss, free), free, strict=True))

    @tf.function
    def draw() -> Any:
        told = deep.call(new)
        return told.y_mean, told.y_var

    train(), draw()
    found, spent = [], 0.0
    while spent < budget:
        begin = time.process_time()
        for _ in range(STEPS):
            train()
        spent += time.process_time() - begin
        mean, variance = np.array([draw() for _ in range(DRAWS)]).transpose(1, 0, 2, 3)[..., 0]
        wanted = data["wanted"]
        found.append((spent, density(mean * scale + centre, variance * scale**2, wanted)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("package", choices=("gplvm_core", "gpflux"))
    parser.add_argument("data")
    parser.add_argument("--inducing", type=int, required=True)
    parser.add_argument("--budget", type=float, required=True)
    options = parser.parse_args()
    run = {"gplvm_core": gplvm_core, "gpflux": gpflux}[options.package]
    with np.load(options.data) as data:
        print(json.dumps(run(dict(data), options.inducing, options.budget)))


if __name__ == "__main__":
    main()
