"""Measure missing outputs and new rows in one package; `missing.py` reads this script's JSON.

It runs under any Python that has the package; the problem is in an .npz file.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable

import numpy as np

JITTER = 1e-6  # the absolute jitter, the same in both packages
Problem = dict[str, np.ndarray]


def own_evaluation(problem: Problem) -> Callable[[int], float]:
    from gplvm_core import RBF, evaluate_bound

    kernel = RBF(float(problem["kernel_variance"]), problem["lengthscale"])
    targets = problem["targets"] - np.nanmean(problem["targets"], axis=0)

    def evaluate(k: int) -> float:
        value, _ = evaluate_bound(
            targets,
            problem["mean"] * (1 + 1e-9 * k),
            problem["variance"],
            problem["inducing"],
            kernel,
            float(problem["noise_variance"]),
            jitter=JITTER,
        )
        return float(value)

    return evaluate


def gpy_evaluation(problem: Problem) -> Callable[[int], float]:
    import GPy
    from GPy.models.bayesian_gplvm_minibatch import BayesianGPLVMMiniBatch

    n_latent = problem["mean"].shape[1]
    model = BayesianGPLVMMiniBatch(
        problem["targets"] - np.nanmean(problem["targets"], axis=0),
        n_latent,
        X=problem["mean"],
        X_variance=problem["variance"],
        Z=problem["inducing"],
        num_inducing=len(problem["inducing"]),
        kernel=_gpy_kernel(GPy, problem),
        likelihood=GPy.likelihoods.Gaussian(variance=float(problem["noise_variance"])),
        missing_data=True,
        stochastic=False,
    )
    model.inference_method.const_jitter = JITTER

    def evaluate(k: int) -> float:
        model.X.mean[:] = problem["mean"] * (1 + 1e-9 * k)
        return float(np.squeeze(model.log_likelihood()))

    return evaluate


def own_projection(problem: Problem) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    from gplvm_core import RBF
    from gplvm_core.beliefs import Belief
    from gplvm_core.bounds import Layer, evaluate_layer
    from gplvm_core.prediction import Evidence, Posterior, project
    from gplvm_core.statistics import Targets

    kernel = RBF(float(problem["kernel_variance"]), problem["lengthscale"])
    layer = Layer(kernel, problem["inducing"], float(problem["noise_variance"]))
    belief = Belief(problem["mean"], problem["variance"])
    targets = Targets.whole(problem["targets"])
    at = evaluate_layer(layer, belief, targets, jitter=JITTER, relative=False).posterior
    ones = np.ones(problem["targets"].shape[1])
    posterior = Posterior(
        kernel,
        layer.inducing,
        at.weights,
        at.gap,
        float(layer.noise_variance),
        JITTER,
        0.0 * ones,
        ones,
    )

    def infer(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        best = project((Evidence(posterior, rows),), belief).best
        return best.mean, best.variance

    return infer


def gpy_projection(problem: Problem) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    import GPy

    n_latent = problem["mean"].shape[1]
    model = GPy.models.BayesianGPLVM(
        problem["targets"],
        n_latent,
        X=problem["mean"],
        X_variance=problem["variance"],
        Z=problem["inducing"],
        num_inducing=len(problem["inducing"]),
        kernel=_gpy_kernel(GPy, problem),
        likelihood=GPy.likelihoods.Gaussian(variance=float(problem["noise_variance"])),
    )
    model.inference_method.const_jitter = JITTER
    model.parameters_changed()

    def infer(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        # Infer rows with gaps one at a time, because GPy takes the gaps from the first row.
        parts = [rows] if not np.isnan(rows).any() else [row[None] for row in rows]
        found = [model.infer_newX(part, optimize=True)[0] for part in parts]
        mean = np.vstack([np.asarray(each.mean) for each in found])
        return mean, np.vstack([np.asarray(each.variance) for each in found])

    return infer


def _gpy_kernel(gpy: object, problem: Problem) -> object:
    return gpy.kern.RBF(  # type: ignore[attr-defined]
        problem["mean"].shape[1],
        variance=float(problem["kernel_variance"]),
        lengthscale=problem["lengthscale"],
        ARD=True,
    )


EVALUATIONS = {"gplvm_core": own_evaluation, "GPy": gpy_evaluation}
PROJECTIONS = {"gplvm_core": own_projection, "GPy": gpy_projection}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", choices=sorted(EVALUATIONS))
    parser.add_argument("task", choices=("evaluate", "project"))
    parser.add_argument("problem")
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    with np.load(options.problem) as file:
        problem = {key: file[key] for key in file.files}
    figures: dict[str, object] = {}
    if options.task == "evaluate":
        evaluate = EVALUATIONS[options.package](problem)
        figures["bound"] = evaluate(0)
        spent: list[float] = []
        begin = time.perf_counter()
        while len(spent) < 3 or (time.perf_counter() - begin < options.seconds and len(spent) < 50):
            before = time.process_time()
            evaluate(1 + len(spent) % 2)
            spent.append(time.process_time() - before)
        figures["cpu_seconds"] = float(np.median(spent))
    else:
        infer = PROJECTIONS[options.package](problem)
        for name in ("whole", "partial"):
            rows = problem[f"rows_{name}"]
            infer(rows[:2])
            before = time.process_time()
            mean, variance = infer(rows)
            figures[f"{name}_cpu_seconds_per_row"] = (time.process_time() - before) / len(rows)
            figures[f"{name}_mean"], figures[f"{name}_variance"] = mean.tolist(), variance.tolist()
            # This is a single row, as in interactive use.
            before = time.perf_counter()
            infer(rows[:1])
            figures[f"{name}_seconds_one_row"] = time.perf_counter() - before
    print(json.dumps(figures))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
