"""Measure several views in one package; `views_speed.py` starts this script and reads its JSON.

It runs under any Python that has the package, with the repository on its path.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable

import numpy as np

from benchmarks.speed_worker import JITTER, Problem, make_problem, measure


def make_views(size: tuple[int, int, int, int], n_views: int) -> list[Problem]:
    """Return one problem per view; the problems differ only in their targets."""
    whole = make_problem(size[0], size[1] * n_views, size[2], size[3])
    return [
        whole | {"targets": np.ascontiguousarray(targets)}
        for targets in np.split(whole["targets"], n_views, axis=1)
    ]


def gplvm_core(views: list[Problem]) -> Callable[[int], float]:
    from gplvm_core import RBF
    from gplvm_core.beliefs import Belief
    from gplvm_core.bounds import Layer, evaluate_layer
    from gplvm_core.priors import StandardNormal
    from gplvm_core.statistics import Targets

    first = views[0]
    kernel = RBF(float(first["kernel_variance"]), first["lengthscale"])
    layer = Layer(kernel, first["inducing"], float(first["noise_variance"]))
    targets = [Targets.of(view["targets"]) for view in views]

    def evaluate(k: int) -> float:
        belief = Belief(first["mean"] * (1 + 1e-9 * k), first["variance"])
        kl, pulled = StandardNormal().kl(belief)
        d_mean, d_variance, value = -pulled.mean, -pulled.variance, -kl
        for own in targets:
            at = evaluate_layer(layer, belief, own, jitter=JITTER, relative=False)
            d_mean, d_variance = d_mean + at.gradients.mean, d_variance + at.gradients.variance
            value += at.value
        return float(value)

    return evaluate


def gpy(views: list[Problem]) -> Callable[[int], float]:
    import GPy
    from GPy.inference.latent_function_inference import InferenceMethodList, VarDTC

    first = views[0]
    n_latent = first["mean"].shape[1]
    methods = [VarDTC() for _ in views]
    for method in methods:
        method.const_jitter = JITTER
    model = GPy.models.MRD(
        [view["targets"] for view in views],
        n_latent,
        X=first["mean"],
        X_variance=first["variance"],
        num_inducing=len(first["inducing"]),
        kernel=[
            GPy.kern.RBF(
                n_latent,
                variance=float(first["kernel_variance"]),
                lengthscale=first["lengthscale"],
                ARD=True,
            )
            for _ in views
        ],
        likelihoods=[
            GPy.likelihoods.Gaussian(variance=float(first["noise_variance"])) for _ in views
        ],
        inference_method=InferenceMethodList(methods),
    )
    # this is GPy's choice of inducing inputs, which is not known beforehand
    model.Z[:] = first["inducing"]

    def evaluate(k: int) -> float:
        model.X.mean[:] = first["mean"] * (1 + 1e-9 * k)
        # As in a step of an optimiser, each view is set first, then all views are evaluated
        # together.
        model._trigger_params_changed()
        return float(np.squeeze(model.log_likelihood()))

    return evaluate


def gpflow(views: list[Problem]) -> Callable[[int], float]:
    """Evaluate one model per view on one belief, because GPflow has no multi-view model."""
    import gpflow
    import tensorflow as tf
    from gpflow.kullback_leiblers import gauss_kl

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    gpflow.config.set_default_jitter(JITTER)
    first = views[0]
    models = []
    for view in views:
        model = gpflow.models.BayesianGPLVM(
            view["targets"],
            X_data_mean=tf.constant(first["mean"]),
            X_data_var=tf.constant(first["variance"]),
            kernel=gpflow.kernels.SquaredExponential(
                variance=float(first["kernel_variance"]), lengthscales=first["lengthscale"]
            ),
            inducing_variable=first["inducing"],
        )
        model.likelihood.variance.assign(float(first["noise_variance"]))
        models.append(model)
    shared = models[0]
    for model in models[1:]:
        model.X_data_mean, model.X_data_var = shared.X_data_mean, shared.X_data_var
    variables = list({id(v): v for m in models for v in m.trainable_variables}.values())

    @tf.function
    def value_and_gradients():  # type: ignore[no-untyped-def]
        with tf.GradientTape() as tape:
            value = sum(model.elbo() for model in models)
            # Every model's bound contains the KL, which all views share.
            kl = gauss_kl(shared.X_data_mean, tf.sqrt(shared.X_data_var), K=None)
            value = value + (len(models) - 1) * kl
        return value, tape.gradient(value, variables)

    def evaluate(k: int) -> float:
        shared.X_data_mean.assign(first["mean"] * (1 + 1e-9 * k))
        value, gradients = value_and_gradients()
        _ = [gradient.numpy() for gradient in map(tf.convert_to_tensor, gradients)]
        return float(value)

    return evaluate


PACKAGES = {"gplvm_core": gplvm_core, "GPy": gpy, "gpflow": gpflow}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", choices=sorted(PACKAGES))
    parser.add_argument("size", type=int, nargs=4, metavar=("N", "D", "Q", "M"))
    parser.add_argument("--views", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    evaluate = PACKAGES[options.package](make_views(tuple(options.size), options.views))
    print(json.dumps(measure(evaluate, options.seconds)))
    sys.stdout.flush()
    os._exit(0)  # this exit does not wait for TensorFlow's threads


if __name__ == "__main__":
    main()
