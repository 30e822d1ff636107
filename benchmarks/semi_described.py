"""Regression with missing inputs (Damianou 2015, §4.3.1, Figures 4.2 and 4.3).

    python -m benchmarks.semi_described [--seeds 10]

- Simulated: 15 inputs are drawn from a Gaussian process over time, and 5 outputs from another
  Gaussian process over these inputs. There are 40 rows with complete inputs, 60 rows with a share
  of the inputs missing, and 100 test rows.
- Walk and run: the first 20 of 59 features of a moving body are predicted from the other 39. There
  are 50 complete rows, 80 rows with gaps, and 200 test rows.

For each missing share, the table has the mean squared error on test rows, whose inputs are
complete. It compares four methods: the semi-described Gaussian process, a Gaussian process on the
complete rows only, linear regression on the complete rows, and the nearest neighbour among all
rows, found by the observed inputs. The entry "nothing missing" is the Gaussian process with all
inputs of all rows.
"""

import argparse
import sys
import time
import warnings
from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression

from benchmarks.common import DataAbsent, benchmark_data, skip, table, write_row
from gplvm_core.models.estimators.regression import SparseGPRegression
from gplvm_core.models.estimators.semi_described import SemiDescribedGPRegression
from gplvm_core.numerics import Array

SHARES = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
METHODS = ("semi-described", "whole rows", "linear", "nearest", "nothing missing")
SIZES = {"simulated": (40, 60, 100), "walk and run": (50, 80, 200)}
SETTINGS = {"n_inducing": 80, "max_iter": 150}


def drawn_from_process(inputs: Array, n_outputs: int, width: float, seed: Any) -> Array:
    """Draw functions with an RBF kernel of this width at the inputs."""
    square = np.sum((inputs[:, None] - inputs[None]) ** 2, axis=2)
    covariance = np.exp(-0.5 * square / width**2) + 1e-8 * np.eye(len(inputs))
    return np.linalg.cholesky(covariance) @ seed.standard_normal((len(inputs), n_outputs))


def simulated(generator: np.random.Generator) -> tuple[Array, Array]:
    times = np.sort(generator.uniform(0.0, 10.0, sum(SIZES["simulated"])))[:, None]
    inputs = drawn_from_process(times, 15, 1.5, generator)
    outputs = drawn_from_process(inputs, 5, 4.0, generator)
    return inputs, outputs + 0.05 * generator.standard_normal(outputs.shape)


def walk_and_run(generator: np.random.Generator) -> tuple[Array, Array]:
    features = benchmark_data("cmu35_features")["Y"]
    return features[:, 20:], features[:, :20]


SOURCES = {"simulated": simulated, "walk and run": walk_and_run}


def nearest(inputs: Array, outputs: Array, new: Array) -> Array:
    """Return the outputs of the nearest row, by mean squared distance over its observed inputs."""
    scale = np.nanstd(inputs, axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    apart = ((new[:, None] - inputs[None]) / scale) ** 2
    there = ~np.isnan(inputs)
    distance = np.where(there, apart, 0.0).sum(axis=2) / np.maximum(there.sum(axis=1), 1)
    distance[:, ~there.any(axis=1)] = np.inf
    return outputs[np.argmin(distance, axis=1)]


def one_seed(source: str, seed: int) -> list[dict[str, float]]:
    """Return errors of every method at every missing share, with the seconds of the semi-described
    training.
    """
    generator = np.random.default_rng(seed)
    n_whole, n_gaps, n_test = SIZES[source]
    inputs, outputs = SOURCES[source](generator)
    rows = generator.permutation(len(inputs))[: n_whole + n_gaps + n_test]
    inputs, outputs = inputs[rows], outputs[rows]
    train, test = slice(n_whole + n_gaps), slice(n_whole + n_gaps, None)
    whole = inputs[:n_whole], outputs[:n_whole]
    hidden = generator.random((n_gaps, inputs.shape[1]))

    def error(predicted: Array) -> float:
        return float(np.mean((predicted - outputs[test]) ** 2))

    def process(points: Array, values: Array) -> float:
        model = SparseGPRegression(**SETTINGS, random_state=seed).fit(points, values)  # type: ignore[arg-type]
        return error(model.predict(inputs[test]))

    constant = {
        "whole rows": process(*whole),
        "linear": error(LinearRegression().fit(*whole).predict(inputs[test])),
        "nothing missing": process(inputs[train], outputs[train]),
        "variance": float(np.mean(np.var(outputs[test], axis=0))),
    }
    found = []
    for share in SHARES:
        # A larger share contains the missing entries of every smaller share.
        gaps = inputs[train].copy()
        gaps[n_whole:][hidden < share] = np.nan
        begin = time.perf_counter()
        model = SemiDescribedGPRegression(**SETTINGS, random_state=seed)  # type: ignore[arg-type]
        model.fit(gaps, outputs[train])
        found.append(
            {
                "semi-described": error(model.predict(inputs[test])),
                "seconds": time.perf_counter() - begin,
                "nearest": error(nearest(gaps, outputs[train], inputs[test])),
                **constant,
            }
        )
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    warnings.filterwarnings("ignore", category=UserWarning)
    for source in SOURCES:
        try:
            runs = [one_seed(source, seed) for seed in range(options.seeds)]
        except DataAbsent as absent:
            skip(f"semi_described, {source}", absent)
            continue
        rows, summed = [], []
        for place, share in enumerate(SHARES):
            errors = {m: np.array([run[place][m] for run in runs]) for m in METHODS}
            better = int(np.sum(errors["semi-described"] < errors["whole rows"]))
            gain = errors["semi-described"] / errors["whole rows"]
            summed.append(
                {
                    "share": share,
                    "better_than_whole_rows": better,
                    "ratio_to_whole_rows": float(np.mean(gain)),
                    **{m: float(np.mean(e)) for m, e in errors.items()},
                    **{f"{m}_std": float(np.std(e)) for m, e in errors.items()},
                }
            )
            cells = [f"{np.mean(e):.4f} ± {np.std(e):.4f}" for e in errors.values()]
            rows.append((f"{share:.0%}", *cells, f"{np.mean(gain):.3f}", f"{better}/{len(runs)}"))
        seconds = np.mean([each["seconds"] for run in runs for each in run])
        print(f"\n{source}, {options.seeds} seeds, mean squared error, {seconds:.1f} s a model")
        print(table(("missing", *METHODS, "ratio to whole rows", "better"), rows), flush=True)
        write_row(
            "semi_described",
            {"source": source, "summary": summed, "seeds": runs},
            seed=list(range(options.seeds)),
            settings={"sizes": SIZES[source], **SETTINGS},
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
