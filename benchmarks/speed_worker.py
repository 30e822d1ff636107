"""Measure one package at one size; `speed.py` starts this script and reads its line of JSON.

It runs under any Python that has the package, so it imports nothing else of this project. A Python
closure `evaluate(k)` computes the bound and all gradients at the k-th of a few slightly different
points: a package that caches its last result must compute it again.
"""

import argparse
import importlib.metadata
import json
import os
import resource
import sys
import time
from collections.abc import Callable

import numpy as np

JITTER = 1e-8  # the absolute jitter, the same in all packages
Problem = dict[str, np.ndarray]


def make_problem(n_points: int, n_outputs: int, n_latent: int, n_inducing: int) -> Problem:
    """Return a smooth map of Gaussian points with noise, a belief about the points, a kernel."""
    rng = np.random.default_rng(0)
    mean = rng.standard_normal((n_points, n_latent))
    waves = rng.standard_normal((n_latent, n_outputs)) / np.sqrt(n_latent)
    targets = np.sin(mean @ waves) + 0.3 * rng.standard_normal((n_points, n_outputs))
    return {
        "targets": targets - targets.mean(axis=0),
        "mean": mean + 0.1 * rng.standard_normal(mean.shape),
        "variance": rng.uniform(0.1, 0.6, mean.shape),
        "inducing": rng.standard_normal((n_inducing, n_latent)),
        "lengthscale": np.linspace(1.5, 3.0, n_latent),
        "kernel_variance": np.array(0.9),
        "noise_variance": np.array(0.1),
    }


def gplvm_core(problem: Problem, threads: int) -> Callable[[int], float]:
    from gplvm_core import RBF, evaluate_bound

    kernel = RBF(
        variance=float(problem["kernel_variance"]), lengthscale=problem["lengthscale"].copy()
    )

    def evaluate(k: int) -> float:
        value, _ = evaluate_bound(
            problem["targets"],
            problem["mean"] * (1 + 1e-9 * k),
            problem["variance"],
            problem["inducing"],
            kernel,
            float(problem["noise_variance"]),
            jitter=JITTER,
            n_jobs=threads,
        )
        return float(value)

    return evaluate


def gpy(problem: Problem, threads: int) -> Callable[[int], float]:
    import GPy

    n_latent = problem["mean"].shape[1]
    model = GPy.models.BayesianGPLVM(
        problem["targets"],
        n_latent,
        X=problem["mean"],
        X_variance=problem["variance"],
        Z=problem["inducing"],
        num_inducing=len(problem["inducing"]),
        kernel=GPy.kern.RBF(
            n_latent,
            variance=float(problem["kernel_variance"]),
            lengthscale=problem["lengthscale"],
            ARD=True,
        ),
        likelihood=GPy.likelihoods.Gaussian(variance=float(problem["noise_variance"])),
    )
    model.inference_method.const_jitter = JITTER

    def evaluate(k: int) -> float:
        model.X.mean[:] = problem["mean"] * (1 + 1e-9 * k)  # the assignment triggers the evaluation
        return float(np.squeeze(model.log_likelihood()))

    return evaluate


def gpflow(problem: Problem, threads: int) -> Callable[[int], float]:
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads)
    import gpflow

    gpflow.config.set_default_jitter(JITTER)
    model = gpflow.models.BayesianGPLVM(
        problem["targets"],
        X_data_mean=tf.constant(problem["mean"]),
        X_data_var=tf.constant(problem["variance"]),
        kernel=gpflow.kernels.SquaredExponential(
            variance=float(problem["kernel_variance"]), lengthscales=problem["lengthscale"]
        ),
        inducing_variable=problem["inducing"],
    )
    model.likelihood.variance.assign(float(problem["noise_variance"]))
    variables = model.trainable_variables

    @tf.function
    def value_and_gradients():  # type: ignore[no-untyped-def]
        with tf.GradientTape() as tape:
            value = model.elbo()
        return value, tape.gradient(value, variables)

    def evaluate(k: int) -> float:
        model.X_data_mean.assign(problem["mean"] * (1 + 1e-9 * k))
        value, gradients = value_and_gradients()
        _ = [gradient.numpy() for gradient in map(tf.convert_to_tensor, gradients)]
        return float(value)

    return evaluate


PACKAGES = {"gplvm_core": gplvm_core, "GPy": gpy, "gpflow": gpflow}


def measure(evaluate: Callable[[int], float], seconds: float) -> dict[str, float]:
    """Return median CPU and wall seconds of one evaluation, over about `seconds` of wall time."""
    bound = evaluate(0)
    cpu: list[float] = []
    wall: list[float] = []
    begin = time.perf_counter()
    while len(cpu) < 3 or (time.perf_counter() - begin < seconds and len(cpu) < 200):
        wall_before, cpu_before = time.perf_counter(), time.process_time()
        evaluate(1 + len(cpu) % 2)
        cpu.append(time.process_time() - cpu_before)
        wall.append(time.perf_counter() - wall_before)
    return {
        "bound": bound,
        "cpu_seconds": float(np.median(cpu)),
        "wall_seconds": float(np.median(wall)),
        "evaluations": len(cpu),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", choices=sorted(PACKAGES))
    parser.add_argument("size", type=int, nargs=4, metavar=("N", "D", "Q", "M"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()

    evaluate = PACKAGES[options.package](make_problem(*options.size), options.threads)
    figures = measure(evaluate, options.seconds)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    figures["peak_mb"] = peak / (1024**2 if sys.platform == "darwin" else 1024)
    distribution = "manifolio" if options.package == "gplvm_core" else options.package
    try:
        version = importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        version = "source"
    print(json.dumps({**figures, "version": version, "numpy": np.__version__}))
    sys.stdout.flush()
    os._exit(0)  # this exit does not wait for TensorFlow's threads


if __name__ == "__main__":
    main()
