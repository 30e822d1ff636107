"""Densities and completions: a map, the density derived from it, and a mixture of Gaussians.

    python -m benchmarks.density [--seeds 0 1 2] [--only wine digits]

Rows and models are those of `noise`: at most 500 rows are used for training and 60 are held out.
The models have 10 latent dimensions, 50 inducing inputs, and one noise or one noise per output (as
`NOISE` states for the data set). The baseline is the mixture of Gaussians of
`gplvm_core.comparison`, whose size and covariances are chosen by cross-validation. One of the
candidates is the fit of the derived density without a map. The density is the mean log density of a
row in nats, in the data's units. For filling, a random half of every row, or a block of half of its
columns, is hidden. The measures are the root mean square error in units of the columns' spread, and
the share of values inside 95 % intervals.
"""

import argparse
import sys
import time
import warnings
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.stats import ttest_rel

from benchmarks.common import DataAbsent, table, write_row
from benchmarks.noise import NAMES, split_of
from gplvm_core import BayesianGPLVM
from gplvm_core.comparison.mixture import Mixture
from gplvm_core.numerics import Array

# The columns of these data sets have one unit, so one noise variance is the default.
SHARED = ("oil flow", "faces", "heads", "digits_views")
HEADER = (
    "data",
    "method",
    "density",
    "lowest row",
    "half: error",
    "half: inside",
    "block: error",
    "block: inside",
)
DRAWS = 300


def gaps(shape: tuple[int, ...], seed: int, *, block: bool) -> Any:
    generator = np.random.default_rng(seed)
    if block:
        first = generator.integers(shape[1], size=shape[0])
        return (np.arange(shape[1]) - first[:, None]) % shape[1] < shape[1] // 2
    found = generator.random(shape) < 0.5
    found[found.all(axis=1), 0] = False
    return found


def filled(
    model: Any, test: Float[Array, "N D"], spread: Array, seed: int, **how: Any
) -> list[float]:
    found = []
    for block in (False, True):
        hidden = gaps(test.shape, seed, block=block)
        mean, std = model.complete(np.where(hidden, np.nan, test), return_std=True, **how)
        error = (mean - test)[hidden]
        found.append(
            float(np.sqrt(np.mean((error / np.broadcast_to(spread, test.shape)[hidden]) ** 2)))
        )
        found.append(float(np.mean(np.abs(error) <= 1.96 * std[hidden])))
    return found


def one_split(name: str, seed: int) -> dict[str, tuple[Any, list[float]]]:
    """Return for each method the log densities of the held-out rows (or None), and the measures of
    filling.
    """
    split = split_of(name, seed)
    train, test, spread = split.train, split.test, split.spread
    wide = train.shape[1] > 1000
    noise: Any = "shared" if name in SHARED else "per_output"
    started = time.process_time()
    model = BayesianGPLVM(
        10, 50, noise=noise, max_iter=200 if wide else 500, random_state=seed
    ).fit(train)
    fit = time.process_time() - started
    bounds = model.score_samples(test)
    plain = filled(model, test, spread, seed)
    sampled = model.score_samples(test, n_samples=DRAWS)
    started = time.process_time()
    model.fit_density(train)
    derived = time.process_time() - started
    mixture = Mixture(scaling="global" if noise == "shared" else "columns", random_state=seed)
    started = time.process_time()
    mixture.fit(train)
    mixed = time.process_time() - started
    known = model.density_
    assert known is not None
    print(
        f"{name}, seed {seed}: CPU s: fit {fit:.1f}, fit_density {derived:.1f}, "
        f"mixture {mixed:.1f}; {known.rows.weights.size - 1} Gaussians, strength "
        f"{known.strength}; mixture {mixture.shape_}, {mixture.size_}",
        file=sys.stderr,
        flush=True,
    )
    nothing = [np.nan] * 4
    return {
        "difference of bounds; map": (bounds, plain),
        "sampling, N(0, I)": (sampled, nothing),
        "sampling, latent density": (
            model.score_samples(test, n_samples=DRAWS, method="sampling"), nothing,
        ),
        "derived density": (
            model.score_samples(test, method="density"),
            filled(model, test, spread, seed, method="density"),
        ),
        "chosen by held-out rows": (None, filled(model, test, spread, seed)),
        "mixture": (mixture.score_samples(test), filled(mixture, test, spread, seed)),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--only", nargs="+", default=list(NAMES))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for name in given.only:
        try:
            found = [one_split(name, seed) for seed in given.seeds]
        except DataAbsent as absent:
            print(absent, file=sys.stderr)
            continue
        for method in found[0]:
            own = [each[method] for each in found]
            scores = [score for score, _ in own if score is not None]
            density = np.mean([score.mean() for score in scores]) if scores else np.nan
            lowest = min((score.min() for score in scores), default=np.nan)
            fills = np.mean([values for _, values in own], axis=0)
            rows.append((name, method, float(density), float(lowest), *map(float, fills)))
            record = dict(zip(HEADER, rows[-1], strict=True))
            write_row("density", record, seed=given.seeds)
        ours = np.concatenate([each["derived density"][0] for each in found])
        theirs = np.concatenate([each["mixture"][0] for each in found])
        test = ttest_rel(ours, theirs)
        print(f"{name}: derived − mixture {np.mean(ours - theirs):.2f} nats, p {test.pvalue:.2g}")
        print(table(HEADER, rows[-6:]), flush=True)


if __name__ == "__main__":
    main()
