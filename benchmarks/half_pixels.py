"""Frey faces, half of the pixels missing at random (Titsias & Lawrence 2010, §5.2).

    python -m benchmarks.half_pixels [--seeds 0 1 2 3 4] [--components 50] [--inducing 200]

Training uses 1000 of the 1965 complete images of 28 × 20 pixels. In each of the other 965 images, a
random half of the pixels is hidden and predicted. Published mean absolute errors of the hidden
pixels: 7.40 (30 latent dimensions) and 9.73 (the best sparse GP-LVM, whose latent points are
optimised).

All settings are chosen on the last 200 training images, with gaps of the same kind, after training
on the other 800. The final models train on all 1000. The settings of the baselines are chosen in
every run; "no map, same fit" is the fit of `fit_density` from clusters of images, whose settings
are chosen by the density of held-out folds. The settings of BayesianGPLVM were chosen once. With
(30, 50), (30, 100), (50, 100), (100, 100) and (50, 200) latent dimensions and inducing inputs, the
errors of the map were 7.14, 6.27, 6.11, 6.21 and 5.46 on half of these images (250 iterations; 150
for the last pair). The paired t-tests compare the images' mean errors. --keep: a folder for the
figures of every seed; seeds that are already there are read, so that an interrupted run continues.
"""

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray
from scipy import linalg
from scipy.special import softmax
from scipy.stats import ttest_rel
from sklearn.metrics.pairwise import nan_euclidean_distances
from sklearn.mixture import GaussianMixture

from benchmarks.common import DataAbsent, benchmark_data, skip, table, write_row
from benchmarks.density_base_lines import STARTS, Validated, without_a_map
from gplvm_core import BayesianGPLVM, ProbabilisticPCA
from gplvm_core.numerics import Array, BoolArray

N_TRAIN, N_VALIDATION = 1000, 200
ITERATIONS = 150
MAP, OURS = "BayesianGPLVM, map", "BayesianGPLVM, derived density"

# A function of training images and images with gaps, which returns whole images.
Method = Callable[[Array, Array], Array]


def hidden_half(shape: tuple[int, int], generator: np.random.Generator) -> NDArray[np.bool_]:
    """Hide half of the pixels of every image, a different half in each image."""
    return np.argsort(np.argsort(generator.random(shape), axis=1), axis=1) < shape[1] // 2


def error(whole: Array, truth: Array, hidden: Bool[BoolArray, "N D"]) -> float:
    """Return the mean absolute error of the hidden pixels, in grey levels."""
    return float(np.mean(np.abs(whole - truth)[hidden]))


def neighbours(count: int) -> Method:
    """Predict hidden pixels from the nearest training images, weighted by inverse distance."""

    def fill(train: Array, gaps: Array) -> Array:
        distance = nan_euclidean_distances(gaps, train)
        nearest = np.argsort(distance, axis=1)[:, :count]
        weight = 1.0 / np.maximum(np.take_along_axis(distance, nearest, axis=1), 1e-12)
        weight /= weight.sum(axis=1, keepdims=True)
        return np.einsum("nk,nkd->nd", weight, train[nearest])

    return fill


def ppca(n_components: int) -> Method:
    """Predict by probabilistic PCA: the exact conditional mean."""
    return lambda train, gaps: np.asarray(ProbabilisticPCA(n_components).fit(train).complete(gaps))


def mixture(n_components: int, ridge: float) -> Method:
    """Predict by a mixture of full Gaussians: the exact conditional mean."""

    def fill(train: Array, gaps: Array) -> Array:
        model = GaussianMixture(n_components, reg_covar=ridge, random_state=0).fit(train)
        return np.stack([_conditional_mean(model, row) for row in gaps])

    return fill


def _conditional_mean(model: GaussianMixture, row: Float[Array, " D"]) -> Float[Array, " D"]:
    seen = ~np.isnan(row)
    means, logs = [], []
    for weight, mean, covariance in zip(
        model.weights_, model.means_, model.covariances_, strict=True
    ):
        factor = linalg.cho_factor(covariance[np.ix_(seen, seen)], lower=True)
        apart = row[seen] - mean[seen]
        solved = linalg.cho_solve(factor, apart)
        logs.append(np.log(weight) - np.sum(np.log(np.diag(factor[0]))) - 0.5 * apart @ solved)
        means.append(mean[~seen] + covariance[np.ix_(~seen, seen)] @ solved)
    whole = row.copy()
    whole[~seen] = softmax(logs) @ np.array(means)
    return whole


BASE_LINES: dict[str, dict[str, Method]] = {
    "nearest neighbours": {f"{k}": neighbours(k) for k in (1, 2, 3, 5, 8)},
    "PPCA": {f"{q} dimensions": ppca(q) for q in (30, 50, 100, 150, 200, 300)},
    "Gaussian mixture": {
        f"{k} components, ridge {ridge}": mixture(k, ridge)
        for k in (1, 2, 4, 8)
        for ridge in (10.0, 30.0, 100.0)
    },
}


def bayesian(
    train: Array, gaps: Array, truth: Array, seed: int, options: argparse.Namespace
) -> dict[str, dict[str, Any]]:
    """Return the figures of BayesianGPLVM before and after `fit_density`."""
    begin = time.process_time()
    with warnings.catch_warnings():
        # A pixel at the border may be constant.
        warnings.simplefilter("ignore", UserWarning)
        model = BayesianGPLVM(
            options.components,
            options.inducing,
            max_iter=options.iterations,
            random_state=seed,
            noise=options.noise,
        ).fit(train)
    trained = time.process_time() - begin
    chosen = f"{options.components} dimensions, {options.inducing} inducing inputs"
    found = {}
    for method in (MAP, OURS):
        begin = time.process_time()
        if method == OURS:
            model.fit_density(train)
        derived = time.process_time() - begin
        whole, std = model.complete(gaps, return_std=True)
        found[method] = figures(whole, truth, gaps, chosen, std) | {
            "bound": model.bound_,
            "dimensions_on": model.n_effective_,
            "training_seconds": derived if method == OURS else trained,
            "completion_seconds": time.process_time() - begin - derived,
        }
    return found


def figures(
    whole: Array, truth: Array, gaps: Array, chosen: str, std: Array | None = None
) -> dict[str, Any]:
    hidden = np.isnan(gaps)
    away = np.abs(whole - truth)
    images = np.sum(np.where(hidden, away, 0.0), axis=1) / hidden.sum(axis=1)
    own: dict[str, Any] = {
        "error": error(whole, truth, hidden),
        "chosen": chosen,
        "images": [float(f"{each:.4g}") for each in images],
    }
    if std is not None:
        own["inside_95_percent"] = float(np.mean(away[hidden] < 1.96 * std[hidden]))
    return own


def one_seed(images: Array, seed: int, options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Return the figures of every method."""
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(images))
    train, test = images[order[:N_TRAIN]], images[order[N_TRAIN:]]
    known, validation = train[:-N_VALIDATION], train[-N_VALIDATION:]
    hidden_there = hidden_half(validation.shape, generator)
    hidden = hidden_half(test.shape, generator)
    gaps = np.where(hidden, np.nan, test)

    found: dict[str, dict[str, Any]] = {}
    for name, settings in BASE_LINES.items():
        partial = np.where(hidden_there, np.nan, validation)
        tried = {
            setting: error(method(known, partial), validation, hidden_there)
            for setting, method in settings.items()
        }
        chosen = min(tried, key=lambda setting: tried[setting])
        found[name] = figures(settings[chosen](train, gaps), test, gaps, chosen)
        found[name]["validation"] = tried
    plain = Validated(without_a_map(seed), seed, shared=True, final=without_a_map(seed, STARTS))
    plain.fit(train)
    whole, std = plain.complete(gaps)
    found["no map, same fit"] = figures(whole, test, gaps, plain.chosen, std)
    found |= bayesian(train, gaps, test, seed, options)
    for name, own in found.items():
        print(f"seed {seed}, {name}: {own['error']:.3f} ({own['chosen']})", flush=True)
    return found


def kept(images: Array, seed: int, options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Return the figures of every method, from the folder if they are there."""
    if options.keep is None:
        return one_seed(images, seed, options)
    path = options.keep / f"{seed}.json"
    if not path.is_file():
        path.write_text(json.dumps(one_seed(images, seed, options)))
    return dict(json.loads(path.read_text()))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--components", type=int, default=50)
    parser.add_argument("--inducing", type=int, default=200)
    parser.add_argument("--iterations", type=int, default=ITERATIONS)
    parser.add_argument("--noise", choices=("shared", "per_output"), default="shared")
    options = parser.parse_args()
    try:
        images = benchmark_data("frey_faces")["Y"].reshape(1965, -1).astype(np.float64)
    except DataAbsent as absent:
        return skip("half_pixels", absent)
    found = [kept(images, seed, options) for seed in options.seeds]
    each = {name: np.array([own[name].pop("images") for own in found]) for name in found[0]}
    rows, compared = [], {}
    for name in found[0]:
        errors = [own[name]["error"] for own in found]
        inside = [own[name].get("inside_95_percent", np.nan) for own in found]
        less = (each[name] - each[OURS]).ravel()
        p = 1.0 if name == OURS else float(ttest_rel(less, np.zeros_like(less)).pvalue)
        seeds = int(np.sum(each[name].mean(axis=1) > each[OURS].mean(axis=1)))
        compared[name] = {"gain": float(less.mean()), "p": p, "seeds": seeds}
        rows.append((name, float(np.mean(errors)), float(np.mean(inside)), p, seeds))
    print(table(("method", "error", "inside", "p against the density", "seeds behind it"), rows))
    settings = {"train": N_TRAIN, "max_iter": options.iterations, "noise": options.noise}
    write_row(
        "half_pixels", {"seeds": found, "compared": compared}, seed=options.seeds, settings=settings
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
