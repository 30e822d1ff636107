"""Known errors of cells: the map with and without them, and its intervals of noiseless values.

    python -m benchmarks.errors [--seeds 5]

Two tables whose noiseless values are known: spectra that are simulated as Gaussian processes over
wavelength of two latent variables (200 × 40), and 200 rows of oil flow (12 columns, to which noise
is added; they need the folder MANIFOLIO_DATA). The errors of the cells vary a hundredfold, from
0.01 to 1 spread of the table. Every table is trained whole and with 20 % of its cells hidden: with
the errors, without them, and, for its cost, as a table of several kinds (`kinds="robust"`). The
figures: the root mean square error of all noiseless values, in spreads (`denoise`), that of the
hidden ones, the fraction of noiseless values inside their 95 % intervals, without and with the
noise of the column (`noise_std_`; the columns of oil flow have noise before any is added), and CPU
seconds. New rows: 100 rows that training has not seen.
"""

import argparse
import sys
import time
import warnings
from typing import Any

import numpy as np
from jaxtyping import Float

from benchmarks.common import DataAbsent, benchmark_data, skip, table, write_row
from gplvm_core import RBF, BayesianGPLVM
from gplvm_core.numerics import Array

ROWS, NEW, HIDDEN, NOISE = 200, 100, 0.2, 0.01


def spectra(generator: np.random.Generator) -> Float[Array, "N D"]:
    """Draw noiseless spectra: smooth over wavelength, and smooth functions of two variables."""
    place, wavelength = generator.normal(size=(ROWS + NEW, 2)), np.linspace(0.0, 1.0, 40)[:, None]
    over_place = RBF(1.0, np.array([2.0, 2.0])).K(place)
    over_wavelength = RBF(1.0, np.array([0.1])).K(wavelength)
    roots = [
        np.linalg.cholesky(own + 1e-6 * np.eye(len(own))) for own in (over_place, over_wavelength)
    ]
    drawn = generator.normal(size=(len(place), len(wavelength)))
    return np.asarray(roots[0] @ drawn @ roots[1].T)


def oil_flow(generator: np.random.Generator) -> Float[Array, "N D"]:
    every = np.asarray(benchmark_data("oil_flow")["train_Y"], dtype=float)
    return every[generator.permutation(len(every))[: ROWS + NEW]]


def measured(
    way: str,
    truth: Float[Array, "N D"],
    noisy: Float[Array, "N D"],
    errors: Float[Array, "N D"],
    seed: int,
) -> dict[str, float]:
    """Train on the first rows, and compare with the truth."""
    known: dict[str, Any] = {"errors": errors[:ROWS]} if way == "errors" else {}
    new: dict[str, Any] = {"errors": errors[ROWS:]} if way == "errors" else {}
    begin = time.process_time()
    model = BayesianGPLVM(
        5,
        50,
        random_state=seed,
        second_stage="off",
        kinds="robust" if way == "robust" else None,
    ).fit(noisy[:ROWS], **known)
    seconds = time.process_time() - begin
    mean, std = model.denoise(noisy[:ROWS], return_std=True, **known)
    others, other_std = model.denoise(noisy[ROWS:], return_std=True, **new)
    hidden, spread = np.isnan(noisy[:ROWS]), truth.std()

    def wrong(found: Array, exact: Array) -> float:
        return float(np.sqrt(np.mean((found - exact) ** 2)) / spread) if found.size else np.nan

    def inside(found: Array, exact: Array, deviation: Array) -> float:
        return float(np.mean(np.abs(found - exact) < 1.96 * deviation))

    old, further = truth[:ROWS], truth[ROWS:]
    return {
        "error": wrong(mean, old),
        "hidden_error": wrong(mean[hidden], old[hidden]),
        "inside": inside(mean, old, std),
        "inside_with_noise": inside(mean, old, np.hypot(std, model.noise_std_)),
        "new_error": wrong(others, further),
        "new_inside": inside(others, further, other_std),
        "new_inside_with_noise": inside(others, further, np.hypot(other_std, model.noise_std_)),
        "seconds": seconds,
        "iterations": model.n_iter_,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    asked, lines = parser.parse_args(), []
    for name, made in (("spectra", spectra), ("oil_flow", oil_flow)):
        for gaps in (0.0, HIDDEN):
            found: dict[str, list[dict[str, float]]] = {"errors": [], "without": [], "robust": []}
            for seed in range(asked.seeds):
                generator = np.random.default_rng(seed)
                try:
                    truth = made(generator)
                except DataAbsent as absent:
                    return skip("errors", absent)
                errors = truth.std() * 10.0 ** generator.uniform(-2.0, 0.0, truth.shape)
                spread = np.sqrt(errors**2 + (NOISE * truth.std()) ** 2)
                noisy = truth + spread * generator.standard_normal(truth.shape)
                noisy[generator.random(truth.shape) < gaps] = np.nan
                for way, each in found.items():
                    with warnings.catch_warnings(action="ignore"):
                        each.append(measured(way, truth, noisy, errors, seed))
                    print(name, gaps, seed, way, each[-1], flush=True)
            for way, each in found.items():
                mean = {key: float(np.mean([own[key] for own in each])) for key in each[0]}
                settings = {"table": name, "hidden": gaps, "way": way}
                write_row("errors", mean, seed=list(range(asked.seeds)), settings=settings)
                lines.append([name, gaps, way, *mean.values()])
    header = ["table", "hidden", "way", "error", "hidden", "inside", "with noise", "new", "inside", "with noise", "CPU s", "iterations"]  # fmt: skip  # noqa: E501
    print(table(header, lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
