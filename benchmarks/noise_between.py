"""Compromises between one noise for all outputs and one per output.

    python -m benchmarks.noise_between [--seeds 0 1 2] [--only wine digits]

The rows, models and measures are those of `benchmarks.noise`. Two further models tie the variances
of the outputs: one signal variance for all outputs in the data's units, with a noise for each; and
one signal and one noise variance for every group of outputs (a row of pixels, a joint, a view).
Neither compromise is in the package; this file replaces the package's search for the best ratio of
every output.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from unittest.mock import patch

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray
from scipy.optimize import brentq

from benchmarks.common import DataAbsent, table, write_row
from benchmarks.noise import HEADER, KEYS, VARIANTS, Split, measured, rows_of, split_of
from gplvm_core import BayesianGPLVM
from gplvm_core.bounds import layer
from gplvm_core.bounds.profiled_per_output import OutputProfile, _Outputs, profile_outputs
from gplvm_core.numerics import Array, IntArray

NAMES = ("wine", "tumours", "oil flow", "digits", "digits_views", "poses", "features")
# The group of every output, for all outputs including the constant ones.
GROUPS: dict[str, Callable[[int], NDArray[np.int_]]] = {
    "digits": lambda count: np.arange(count) // 8,  # a group is a row of pixels
    "digits_views": lambda count: np.repeat(np.arange(3), (64, 29, 32)),  # a group is a view
    "poses": lambda count: np.arange(count) // 3,  # a group is a joint
}
GRID, HALVINGS = 60, 45
Profile = Callable[..., OutputProfile]


def one_signal(unit: Float[Array, " D"]) -> Profile:
    """Use the signal variances σ_f,d² = α · unit_d, with one α for all outputs.

    Both α and the noise of every output given α are optimal.
    """

    def profiled(statistics, spectra, squares, ratio=None, most=np.inf) -> OutputProfile:  # type: ignore[no-untyped-def]
        if ratio is not None:
            return profile_outputs(statistics, spectra, squares, ratio, most)
        problem = _Outputs.of(statistics, spectra, squares)
        grid = np.linspace(np.log(1e-6), np.log(min(most, 1e15)), GRID)
        explained = [_explained(problem, np.full(len(squares), at)) for at in grid]
        penalty = np.array([_penalty(problem, np.full(len(squares), at)) for at in grid])
        left = squares - np.array(explained)

        def best(log_alpha: float) -> Array:
            """Return the optimal log r of every output given α."""
            signal = np.exp(log_alpha) * unit
            value = 0.5 * problem.count * grid[:, None]
            value = value - 0.5 * np.exp(grid)[:, None] / signal * left - 0.5 * penalty
            index = np.argmax(value, axis=0)
            low, high = grid[np.maximum(index - 1, 0)], grid[np.minimum(index + 1, GRID - 1)]
            for _ in range(HALVINGS):
                middle = 0.5 * (low + high)
                rises = _slope(problem, middle, signal) > 0.0
                low, high = np.where(rises, middle, low), np.where(rises, high, middle)
            return 0.5 * (low + high)

        def gain(log_alpha: float) -> float:
            log_ratio = best(log_alpha)
            share = np.exp(log_ratio - log_alpha) / unit
            rest = share * (problem.squares - _explained(problem, log_ratio))
            return float(np.sum(rest - problem.count))

        around = np.linspace(-12.0, 12.0, 13)
        signs = np.array([gain(at) for at in around])
        turns = np.flatnonzero((signs[:-1] > 0.0) & (signs[1:] <= 0.0))
        at = turns[0] if len(turns) else 5
        log_alpha = float(brentq(gain, around[at], around[at + 1], xtol=1e-10))
        log_ratio = best(log_alpha)
        noise = np.exp(log_alpha - log_ratio) * unit
        return OutputProfile(np.exp(log_ratio), noise, np.zeros(len(squares), bool))

    return profiled


def _explained(problem: _Outputs, log_ratio: Array) -> Array:
    ratio = np.exp(log_ratio)
    return np.asarray(np.sum(ratio * problem.power / (1.0 + ratio * problem.spectrum), axis=0))


def _penalty(problem: _Outputs, log_ratio: Array) -> Array:
    ratio = np.exp(log_ratio)
    return np.asarray(
        ratio * problem.left_over + np.sum(np.log1p(ratio * problem.spectrum), axis=0)
    )


def _slope(problem: _Outputs, log_ratio: Array, signal: Array) -> Array:
    """Compute dF_d/d log r given the signal, so that the noise is signal/r."""
    ratio = np.exp(log_ratio)
    bound = ratio * problem.spectrum / (1.0 + ratio * problem.spectrum)
    carried = ratio * problem.power / (1.0 + ratio * problem.spectrum)
    rest = problem.squares - carried.sum(axis=0) - np.sum(carried * (1.0 - bound), axis=0)
    penalty = ratio * problem.left_over + bound.sum(axis=0)
    return np.asarray(0.5 * problem.count - 0.5 * ratio / signal * rest - 0.5 * penalty)


def by_group(unit: Float[Array, " D"], group: Int[IntArray, " D"]) -> Profile:
    """Use one signal and one noise variance, in the data's units, for the outputs of a group."""
    count = np.bincount(group)

    def mean(values: Array) -> Array:
        return np.asarray(np.bincount(group, values) / count)

    def profiled(statistics, spectra, squares, ratio=None, most=np.inf) -> OutputProfile:  # type: ignore[no-untyped-def]
        power = np.stack([mean(row / unit) for row in spectra.carried**2])
        shared = type(spectra)(spectra.values, spectra.vectors, np.sqrt(power))
        # these data have no gaps
        ties = replace(statistics, groups=np.zeros(len(count), dtype=int))
        found = profile_outputs(ties, shared, mean(squares / unit), ratio, most)
        noise = found.noise_variance[group] * unit
        return OutputProfile(found.ratio[group], noise, found.capped[group])

    return profiled


def compare(name: str, seed: int) -> None:
    split = split_of(name, seed)
    values, _ = rows_of(name)
    order = np.random.default_rng(seed).permutation(len(values))[: len(split.train)]
    varies = np.ptp(values[order], axis=0) > 0.0
    unit = 1.0 / split.spread**2  # inside the model every column has unit spread
    ways: dict[str, Profile] = {"per output": profile_outputs, "one signal": one_signal(unit)}
    if name in GROUPS:
        group = np.unique(GROUPS[name](values.shape[1])[varies], return_inverse=True)[1]
        ways["by group"] = by_group(unit, group)
    figures = {"one noise": _trained(split, seed, "one noise")}
    for title, profile in ways.items():
        with patch.object(layer, "profile_outputs", profile):
            figures[title] = _trained(split, seed, "per output")
    rows = [[title, *(own.get(key, np.nan) for key in KEYS)] for title, own in figures.items()]
    print(f"\n{name}: {split.train.shape}, seed {seed}\n{table(HEADER, rows)}", flush=True)
    write_row("noise_between", figures, seed=seed, settings={"data": name})


def _trained(split: Split, seed: int, variant: str) -> dict[str, float]:
    start = time.process_time()
    model = BayesianGPLVM(max_iter=500, random_state=seed, **VARIANTS[variant]).fit(split.train)
    return measured(model, split, time.process_time() - start, seed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for seed in arguments.seeds:
        for name in arguments.only:
            try:
                compare(name, seed)
            except DataAbsent as absent:
                print(f"SKIPPED {name}: {absent}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
