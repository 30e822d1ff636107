"""A body's pose from its silhouettes (Damianou 2015, §5.3.3, Table 5.1).

    python -m benchmarks.views_silhouettes [--seeds 3] [--validate | --every-sequence]

Six of seven sequences are used for training. For the seventh (number 2, a second jump forward),
only the silhouettes are given. The error is the mean distance of the joints, without the root, in
centimetres. The multi-view models use the principal components of the silhouettes on the training
rows, because the very many pixels would outweigh the prior over time. All other methods use pixels,
because they would give the same results for all principal components. The temporal models infer the
sequence together. The published errors are for another body and other silhouettes, so only their
order is comparable: mean pose 6.16, linear regression 5.86, nearest neighbour 4.88, without
dynamics 4.67, Gaussian process 4.27, nearest neighbour of sequences 4.04, with dynamics 2.94.

Components, latent dimensions and iterations were chosen on sequences 4 and 5, each left out
together with 2 (`--validate`). With 60 components and 200 iterations, the errors of 15, 10, 8, 6
and 4 dimensions are 7.1, 7.0, 6.8, 6.7 and 7.1 on sequence 5 and 9.2, 9.0, 9.2, 8.3 and 8.2 on
sequence 4. With --every-sequence each of the seven sequences is left out in turn, with the same
settings. --defaults does the same from pixels with the constructor's defaults, with and without
weights of views (with --walker for the walker's films; with --average for the average of --seeds
starts). --noises compares one noise with
one noise per output on sequences 2, 4 and 5, each also with a mapping that the new rows update.
"""

import argparse
import sys
import time
import warnings
from itertools import product
from typing import Any, Literal

import numpy as np
from jaxtyping import Bool, Float
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import RidgeCV
from sklearn.metrics.pairwise import euclidean_distances

from benchmarks.common import table, write_row
from gplvm_core import AverageOfStarts, ManifoldRelevance
from gplvm_core.comparison.one_column import INTERVAL
from gplvm_core.datasets import Dataset, load_dataset
from gplvm_core.numerics import Array, BoolArray

TEST, VALIDATION = 2, (4, 5)
CHOSEN: dict[str, Any] = {"features": 60, "n_components": 6, "max_iter": 200}
CANDIDATES: tuple[dict[str, Any], ...] = (
    {"features": 30, "n_components": 15, "max_iter": 200},
    {"features": 30, "n_components": 15, "max_iter": 400},
    {"features": 60, "n_components": 15, "max_iter": 400},
    {"features": 60, "n_components": 15, "max_iter": 200},
    {"features": 60, "n_components": 10, "max_iter": 200},
    {"features": 60, "n_components": 8, "max_iter": 200},
    {"features": 60, "n_components": 6, "max_iter": 200},
    {"features": 60, "n_components": 4, "max_iter": 200},
)
INDUCING = 100
DEFAULTS: dict[str, dict[str, Any]] = {
    "weights 1, 50 inducing inputs": {"view_weights": {}, "n_inducing": 50},
    "weights 1, 100 inducing inputs": {"view_weights": {}, "n_inducing": 100},
    "weights by columns, 50 inducing inputs": {"n_inducing": 50},
    "weights by columns, 100 inducing inputs": {"n_inducing": 100},
}
FRAMES = (3, 5, 9)
TIME_KERNELS = {"no dynamics": None, "Matérn-3⁄2": "matern32", "RBF": "rbf"}

Rows = Bool[BoolArray, " N"]


def joint_error(found: Float[Array, "n D"], truth: Float[Array, "n D"]) -> float:
    """Return the mean distance of the joints in cm, without the root, which does not move."""
    apart = (np.asarray(found) - truth).reshape(len(truth), -1, 3)
    return float(100 * np.linalg.norm(apart, axis=2)[:, 1:].mean())


def windows(values: Array, sequences: Array, frames: int) -> Array:
    """Concatenate each frame with its neighbours in the same sequence, `frames` frames in total."""
    found = []
    for sequence in np.unique(sequences):
        own = values[sequences == sequence]
        at = np.arange(len(own))
        shifts = range(-(frames // 2), frames // 2 + 1)
        found.append(np.hstack([own[np.clip(at + shift, 0, len(own) - 1)] for shift in shifts]))
    return np.vstack(found)


def gaussian_process(inputs: Array, outputs: Array) -> GaussianProcessRegressor:
    """Predict by exact regression: one RBF kernel for all outputs, hyperparameters by the
    likelihood.
    """
    kernel = ConstantKernel(1.0) * RBF(10.0) + WhiteKernel(0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return GaussianProcessRegressor(kernel).fit(inputs, outputs)


def base_lines(data: Dataset, train: Rows, test: Rows) -> dict[str, float]:
    """Return errors of all methods except the multi-view models."""
    views, sequences = data.view_values, data.sequences
    assert sequences is not None
    silhouettes, poses = views["silhouette"], views["pose"]
    truth, known = poses[test], poses[train]
    center = known.mean(axis=0)
    scale = np.sqrt(np.mean((known - center) ** 2))

    def nearest(space: Array) -> float:
        index = euclidean_distances(space[test], space[train]).argmin(axis=1)
        return joint_error(known[index], truth)

    def regressed(regression: Any, inputs: Array) -> float:
        return joint_error(center + scale * regression.predict(inputs[test]), truth)

    scaled = (known - center) / scale
    short = windows(silhouettes, sequences, 5)
    return {
        "mean pose": joint_error(np.broadcast_to(center, truth.shape), truth),
        "ridge regression": regressed(
            RidgeCV(np.logspace(-2, 5, 15)).fit(silhouettes[train], scaled), silhouettes
        ),
        "nearest neighbour": nearest(silhouettes),
        **{
            f"nearest neighbour of {frames} frames": nearest(
                windows(silhouettes, sequences, frames)
            )
            for frames in FRAMES
        },
        "Gaussian process": regressed(gaussian_process(silhouettes[train], scaled), silhouettes),
        "Gaussian process, 5 frames": regressed(gaussian_process(short[train], scaled), short),
        "nearest pose (no method)": nearest(poses),
    }


def several_views(
    data: Dataset,
    train: Rows,
    test: Rows,
    time_kernel: str | None,
    seed: int,
    *,
    features: int,
    n_components: int,
    max_iter: int,
    noise: Literal["shared", "per_output"] = "shared",
    scaling: Literal["global", "columns"] = "global",
) -> dict[str, Any]:
    """Return errors of one model, with private dimensions from neighbours or from the prior."""
    views, times, sequences = data.view_values, data.times, data.sequences
    assert times is not None and sequences is not None
    components = PCA(features, svd_solver="full").fit(views["silhouette"][train])
    seen, poses = components.transform(views["silhouette"]), views["pose"]
    begin = time.perf_counter()
    model = ManifoldRelevance(
        n_components,
        INDUCING,
        time_kernel=time_kernel,
        scaling=scaling,
        max_iter=max_iter,
        random_state=seed,
        noise=noise,
    )
    given = {"silhouette": seen[train], "pose": poses[train]}
    if time_kernel is None:
        model.fit(given)
    else:
        model.fit(given, times=times[train], sequences=sequences[train])
    found: dict[str, Any] = {"seconds": time.perf_counter() - begin, "bound": model.bound_}
    together: dict[str, Any] = {} if time_kernel is None else {"times": times[test]}
    for private in ("nearest", "prior"):
        pose = model.transfer({"silhouette": seen[test]}, "pose", private=private, **together)
        found[private] = joint_error(np.asarray(pose), poses[test])
    if time_kernel is not None:
        pose = model.transfer({"silhouette": seen[test]}, "pose", adapt=True, **together)
        found["adapted"] = joint_error(np.asarray(pose), poses[test])
    parts = model.segmentation()
    found["shared"] = len(parts.get(frozenset({"silhouette", "pose"}), ()))
    found["private_pose"] = len(parts.get(frozenset({"pose"}), ()))
    found["time_kernel"] = repr(model.time_kernel_)
    return found


def validate(data: Dataset) -> list[dict[str, Any]]:
    """Measure the candidates on the validation sequences; the test sequence is left out."""
    sequences = data.sequences
    assert sequences is not None
    found = []
    for sequence in VALIDATION:
        test = sequences == sequence
        train = ~test & (sequences != TEST)
        found.append({"sequence": sequence, **base_lines(data, train, test)})
        print(found[-1], flush=True)
        for settings in CANDIDATES:
            own = several_views(data, train, test, "matern32", 0, **settings)
            found.append({"sequence": sequence, **settings, **own})
            print(found[-1], flush=True)
    return found


def every_sequence(data: Dataset) -> dict[str, Any]:
    """Leave out each sequence in turn, with one seed."""
    sequences = data.sequences
    assert sequences is not None
    found: dict[str, Any] = {}
    for sequence in np.unique(sequences):
        test = sequences == sequence
        errors = base_lines(data, ~test, test)
        for name in ("no dynamics", "Matérn-3⁄2"):
            own = several_views(data, ~test, test, TIME_KERNELS[name], 0, **CHOSEN)
            errors[f"several views, {name}"] = own["nearest"]
        found[f"sequence {sequence}"] = errors
        print(sequence, errors, flush=True)
    return found


def noises(data: Dataset) -> dict[str, Any]:
    """Compare three settings: one noise and one scale, one noise and a scale for each column, one
    noise per output.

    The test sequence and the two validation sequences are left out in turn, with one seed and a
    Matérn-3⁄2 kernel.
    """
    sequences = data.sequences
    assert sequences is not None
    variants = [
        {"noise": "shared", "scaling": "global"},
        {"noise": "shared", "scaling": "columns"},
        {"noise": "per_output", "scaling": "columns"},
    ]
    found: dict[str, Any] = {}
    for variant in variants:
        errors = []
        for sequence in (TEST, *VALIDATION):
            test = sequences == sequence
            settings: dict[str, Any] = {**CHOSEN, **variant}
            own = several_views(data, ~test, test, "matern32", 0, **settings)
            errors.append([own["nearest"], own["adapted"], own["seconds"]])
        name = f"{variant['noise']}, {variant['scaling']}"
        found[name] = {"nearest, adapted, seconds of each sequence": errors}
        mean = np.mean(errors, axis=0)
        print(f"{name}: {mean[0]:.2f} cm, adapted {mean[1]:.2f} cm, {mean[2]:.0f} s", flush=True)
    return found


def defaults(data: Dataset, seeds: int, every: int = 1) -> dict[str, Any]:
    """Leave out each `every`-th sequence in turn, with the settings of DEFAULTS.

    From pixels, with a Matérn-3⁄2 kernel.

    Of each result: the seed, the sequence, the error in cm, the share of values inside their 95 %
    intervals (not calibrated), and the CPU seconds of training.
    """
    views, times, sequences = data.view_values, data.times, data.sequences
    assert times is not None and sequences is not None
    found: dict[str, Any] = {}
    for name, settings in DEFAULTS.items():
        each = []
        for seed, sequence in product(range(seeds), np.unique(sequences)[::every].tolist()):
            test = sequences == sequence
            seen, poses = views["silhouette"], views["pose"]
            begin = time.process_time()
            model = ManifoldRelevance(time_kernel="matern32", random_state=seed, **settings)
            given = {"silhouette": seen[~test], "pose": poses[~test]}
            model.fit(given, times=times[~test], sequences=sequences[~test])
            seconds = time.process_time() - begin
            new = {"silhouette": seen[test]}
            mean, std = model.transfer(new, "pose", times=times[test], adapt=False, return_std=True)
            inside = np.mean(np.abs(mean - poses[test]) <= INTERVAL * std)
            error = joint_error(mean, poses[test])
            each.append([seed, sequence, error, float(inside), seconds])
            print(name, model.view_weights_, each[-1], flush=True)
        found[name] = {"seed, sequence, error, inside, seconds": each}
        by_seed = np.reshape(each, (seeds, -1, 5)).mean(axis=1)[:, 2:]
        print(name, "means of each seed:", np.round(by_seed, 3).tolist(), flush=True)
    return found


def averaged(data: Dataset, n_starts: int, every: int = 1) -> dict[str, Any]:
    """Leave out each `every`-th sequence in turn, and predict it by an average of starts.

    Of each result: the sequence, the error in cm, the shares of values inside their 95 % intervals
    before and after calibration, and the CPU seconds of training.
    """
    views, times, sequences = data.view_values, data.times, data.sequences
    assert times is not None and sequences is not None
    found: dict[str, Any] = {}
    for name, settings in DEFAULTS.items():
        if "view_weights" in settings:
            continue
        each = []
        for sequence in np.unique(sequences)[::every].tolist():
            test = sequences == sequence
            given = {key: own[~test] for key, own in views.items()}
            begin = time.process_time()
            one = ManifoldRelevance(time_kernel="matern32", **settings)
            model = AverageOfStarts(one, n_starts, random_state=0)
            model.fit(given, times=times[~test], sequences=sequences[~test])
            seconds = time.process_time() - begin
            new, truth = {"silhouette": views["silhouette"][test]}, views["pose"][test]
            options = {"times": times[test], "adapt": False, "return_std": True}
            answers = [model.transfer(new, "pose", **options)]
            answers.append(model.calibrate(given).transfer(new, "pose", **options))
            inside = [
                float(np.mean(np.abs(mean - truth) <= INTERVAL * std)) for mean, std in answers
            ]
            each.append([sequence, joint_error(answers[0][0], truth), *inside, seconds])
            print(name, each[-1], flush=True)
        found[name] = {"sequence, error, inside, inside calibrated, seconds": each}
        print(name, "means:", np.mean(each, axis=0)[1:].round(3).tolist(), flush=True)
    return found


def on_test(data: Dataset, seeds: int) -> dict[str, Any]:
    """Measure every method on the test sequence."""
    sequences = data.sequences
    assert sequences is not None
    test = sequences == TEST
    found: dict[str, Any] = {"base_lines": base_lines(data, ~test, test)}
    rows: list[tuple[str, Any, str]] = [(k, v, "") for k, v in found["base_lines"].items()]
    for name, time_kernel in TIME_KERNELS.items():
        runs = [
            several_views(data, ~test, test, time_kernel, seed, **CHOSEN) for seed in range(seeds)
        ]
        found[name] = runs
        for private in ("nearest", "prior"):
            errors = [run[private] for run in runs]
            told = ", ".join(f"{error:.2f}" for error in errors)
            rows.append((f"several views, {name}, {private}", float(np.mean(errors)), told))
    print(table(("method", "error, cm", "seeds"), rows))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--validate", action="store_true", help="show how the settings were chosen")
    parser.add_argument(
        "--every-sequence", action="store_true", help=("leave out each sequence in turn")
    )
    parser.add_argument("--defaults", action="store_true", help="the constructor's defaults")
    parser.add_argument(
        "--walker", action="store_true", help="with --defaults: four of the walker's films"
    )
    parser.add_argument(
        "--average", action="store_true", help="with --defaults: the average of --seeds starts"
    )
    parser.add_argument("--noises", action="store_true", help="noise and scale of the columns")
    options = parser.parse_args()
    data = load_dataset("walker" if options.walker else "silhouettes")
    figures: dict[str, Any]
    if options.validate:
        figures = {"validation": validate(data)}
    elif options.defaults:
        name, measure = ("averages", averaged) if options.average else ("defaults", defaults)
        every = 3 if options.walker else 1
        figures = {f"{name}, {data.name}": measure(data, options.seeds, every)}
    elif options.noises:
        figures = {"noises": noises(data)}
    elif options.every_sequence:
        figures = {"every_sequence": every_sequence(data)}
    else:
        figures = on_test(data, options.seeds)
    settings = {**CHOSEN, "n_inducing": INDUCING}
    write_row("views_silhouettes", figures, seed=list(range(options.seeds)), settings=settings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
