"""Train one deep GP on one curve in a separate process, and print its quality by CPU time.

`benchmarks.deep_peers` runs this script with the Python that has the package.
"""

import argparse
import json
import os
import time
from typing import Any

import numpy as np

STEPS, DRAWS = 250, 50  # steps between evaluations of the test likelihood, and draws for each
SAMPLES, RATE = 10, 0.01  # settings of GPyTorch


def density(mean: Any, variance: Any, wanted: Any) -> float:
    """Return the mean log density of the test outputs under a mixture over the draws, S × N."""
    each = -0.5 * np.log(2.0 * np.pi * variance) - 0.5 * (wanted - mean) ** 2 / variance
    top = each.max(axis=0)
    return float(np.mean(top + np.log(np.mean(np.exp(each - top), axis=0))))


def gplvm_core(
    data: Any, n_inducing: int, budget: float, enough: float
) -> list[tuple[float, float]]:
    from gplvm_core import DeepGP

    begin = time.process_time()
    model = DeepGP((data["x"].shape[1],), n_inducing, random_state=0).fit(data["x"], data["y"])
    seconds = time.process_time() - begin
    return [(seconds, float(np.mean(model.score_samples(data["new"], data["wanted"]))))]


def gpflux(data: Any, n_inducing: int, budget: float, enough: float) -> list[tuple[float, float]]:
    """Train GPflux by Adam on all rows with a rate of 0.01, as in the package's examples.

    The time for tracing is not measured.
    """
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf
    from gpflux.architectures import Config, build_constant_input_dim_deep_gp

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.random.set_seed(0)
    np.random.seed(0)  # noqa: NPY002 (GPflux's k-means uses this)
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
    found, spent = list[tuple[float, float]](), 0.0
    while spent < budget and (not found or found[-1][1] < enough):
        begin = time.process_time()
        for _ in range(STEPS):
            train()
        spent += time.process_time() - begin
        mean, variance = np.array([draw() for _ in range(DRAWS)]).transpose(1, 0, 2, 3)[..., 0]
        wanted = data["wanted"]
        found.append((spent, density(mean * scale + centre, variance * scale**2, wanted)))
    return found


def gpytorch(data: Any, n_inducing: int, budget: float, enough: float) -> list[tuple[float, float]]:
    """Train GPyTorch by doubly stochastic training, as in the package's example.

    The hidden layer has a linear mean. Adam uses all rows, a rate of 0.01 (0.05 and 0.1 were worse)
    and ten draws per step. The start is that of Salimbeni and Deisenroth (2017), in double
    precision: the mean is the identity, the hidden layer has little variance, and the inducing
    inputs are data points.
    """
    import torch
    from gpytorch import kernels, likelihoods, means, mlls, settings, variational
    from gpytorch.distributions import MultivariateNormal
    from gpytorch.models import deep_gps

    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    centre, scale = data["y"].mean(), data["y"].std()
    x, new = torch.tensor(data["x"]), torch.tensor(data["new"])
    y = torch.tensor((data["y"] - centre) / scale)
    width, inducing = x.shape[1], x[torch.randperm(len(x))[:n_inducing]]

    class Layer(deep_gps.DeepGPLayer):  # type: ignore[misc]
        def __init__(self, n_outputs: int | None) -> None:
            batch = torch.Size([] if n_outputs is None else [n_outputs])
            q = variational.CholeskyVariationalDistribution(n_inducing, batch)
            strategy = variational.VariationalStrategy(
                self, inducing.clone().expand(*batch, -1, -1).clone(), q
            )
            super().__init__(strategy, width, n_outputs)
            if n_outputs is None:
                self.mean_module = means.ConstantMean()
            else:
                self.mean_module = means.LinearMean(width, batch)
                self.mean_module.weights.data = torch.eye(width)[:, :, None]
                self.mean_module.bias.data.zero_()
                q.chol_variational_covar.data *= 1e-2
                # otherwise the first call would set these parameters
                strategy.variational_params_initialized.fill_(1)
            rbf = kernels.RBFKernel(ard_num_dims=width, batch_shape=batch)
            self.covar_module = kernels.ScaleKernel(rbf, batch_shape=batch)

        def forward(self, points: Any) -> Any:
            return MultivariateNormal(self.mean_module(points), self.covar_module(points))

    class Deep(deep_gps.DeepGP):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.hidden, self.last = Layer(width), Layer(None)
            self.likelihood = likelihoods.GaussianLikelihood()
            self.likelihood.noise = 1e-2

        def forward(self, points: Any) -> Any:
            return self.last(self.hidden(points))

    deep = Deep()
    objective = mlls.DeepApproximateMLL(mlls.VariationalELBO(deep.likelihood, deep, len(x)))
    optimiser = torch.optim.Adam(deep.parameters(), lr=RATE)
    found, spent = list[tuple[float, float]](), 0.0
    while spent < budget and (not found or found[-1][1] < enough):
        begin = time.process_time()
        deep.train()
        with settings.num_likelihood_samples(SAMPLES):
            for _ in range(STEPS):
                optimiser.zero_grad()
                loss = -objective(deep(x), y)
                loss.backward()
                optimiser.step()
        spent += time.process_time() - begin
        deep.eval()
        with torch.no_grad(), settings.num_likelihood_samples(DRAWS):
            told = deep.likelihood(deep(new))
        mean, variance = told.mean.numpy(), told.variance.numpy()
        found.append((spent, density(mean * scale + centre, variance * scale**2, data["wanted"])))
    return found


PACKAGES = {each.__name__: each for each in (gplvm_core, gpflux, gpytorch)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("package", choices=PACKAGES)
    parser.add_argument("data")
    parser.add_argument("--inducing", type=int, required=True)
    parser.add_argument("--budget", type=float, required=True)
    parser.add_argument("--enough", type=float, required=True)
    options = parser.parse_args()
    run = PACKAGES[options.package]
    with np.load(options.data) as data:
        print(json.dumps(run(dict(data), options.inducing, options.budget, options.enough)))


if __name__ == "__main__":
    main()
