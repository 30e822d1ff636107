"""Densities and completions: a map, the density derived from it, and densities without a map.

    python -m benchmarks.density [--seeds 0 1 2 3 4] [--only wine digits] [--keep FOLDER]

At most 500 rows are used for training and 60 are held out.
The models have 10 latent dimensions, 50 inducing inputs, and one noise or one noise per output (as
`SHARED` states). Oil flow also has a model of two layers. "digits, varying" has no pixels that
differ from their usual value in less than 5 % of the training rows.

There are four base lines (`density_base_lines`): the fit of the derived density without a map, one
Gaussian with shrunk covariances, mixtures of full Gaussians with a validated ridge (for at most 256
columns), and the mixture of `gplvm_core.comparison`. All settings are chosen on the training rows.

The density is the mean log density of a row in nats, in the data's units. For filling, a random
half of every row, or a block of half of its columns, is hidden. The measures are the root mean
square error in units of the columns' spread, and the share of values inside 95 % intervals. The
paired t-tests use the held-out rows of all seeds: their log densities, and their mean square
errors. --keep: a folder for the figures of every row; splits that are already there are read, so
that an interrupted run continues.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.stats import ttest_rel

from benchmarks.common import DataAbsent, table, write_row
from benchmarks.density_base_lines import (
    MOST_FULL,
    STARTS,
    Validated,
    one_gaussian,
    with_ridge,
    without_a_map,
)
from benchmarks.splits import NAMES, Split, split_of
from gplvm_core import BayesianGPLVM, DeepGPLVM
from gplvm_core.comparison.mixture import Mixture
from gplvm_core.numerics import Array

# The columns of these data sets have one unit, so one noise variance is the default.
SHARED = ("oil flow", "faces", "heads", "digits_views")
VARYING = "digits, varying"
LEAST_DIFFERENT = 0.05
WIDE = 1000
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
LEVEL = 0.05
OURS = "derived density"
FILLS = "after fit_density"
BASE_LINES = ("no map, same fit", "one Gaussian", "full, ridge", "mixture")

# density: log densities of the held-out rows. half, block: for each row, the mean square error and
# the share of values inside.
Figures = dict[str, Float[Array, "..."]]


def gaps(shape: tuple[int, ...], seed: int, *, block: bool) -> Any:
    generator = np.random.default_rng(seed)
    if block:
        first = generator.integers(shape[1], size=shape[0])
        return (np.arange(shape[1]) - first[:, None]) % shape[1] < shape[1] // 2
    found = generator.random(shape) < 0.5
    found[found.all(axis=1), 0] = False
    return found


def filled(model: Any, split: Split, seed: int, **how: Any) -> Figures:
    found, test = {}, split.test
    for name in ("half", "block"):
        hidden = gaps(test.shape, seed, block=name == "block")
        mean, std = model.complete(np.where(hidden, np.nan, test), return_std=True, **how)
        count = np.maximum(hidden.sum(axis=1), 1)
        square = np.where(hidden, ((mean - test) / split.spread) ** 2, 0.0).sum(axis=1) / count
        near = (hidden & (np.abs(mean - test) <= 1.96 * std)).sum(axis=1) / count
        found[name] = np.array([square, near])
    return found


def rows_for(name: str, seed: int) -> Split:
    split = split_of("digits" if name == VARYING else name, seed)
    if name != VARYING:
        return split
    usual = [np.unique(column, return_counts=True)[1].max() for column in split.train.T]
    kept = 1.0 - np.array(usual) / len(split.train) >= LEAST_DIFFERENT
    return Split(split.train[:, kept], split.test[:, kept], split.labels)


def one_split(name: str, seed: int) -> dict[str, Figures]:
    """Return the figures of every method."""
    split, shared = rows_for(name, seed), name in SHARED
    train, test, wide = split.train, split.test, split.train.shape[1] > WIDE
    started = time.process_time()
    model = BayesianGPLVM(
        10,
        50,
        noise="shared" if shared else "per_output",
        max_iter=200 if wide else 500,
        second_stage="off",
        random_state=seed,
    ).fit(train)
    seconds = {"fit": time.process_time() - started}
    found: dict[str, Figures] = {
        "difference of bounds; map": {
            "density": model.score_samples(test), **filled(model, split, seed),
        },
        "sampling, N(0, I)": {"density": model.score_samples(test, n_samples=DRAWS)},
    }  # fmt: skip
    started = time.process_time()
    model.fit_density(train)
    seconds["fit_density"] = time.process_time() - started
    sampled = model.score_samples(test, n_samples=DRAWS, method="sampling")
    found["sampling, latent density"] = {"density": sampled}
    found |= by_density(model, split, seed)
    base_lines: dict[str, Any] = {
        "no map, same fit": Validated(
            without_a_map(seed), seed, shared=shared, final=without_a_map(seed, STARTS)
        ),
        "one Gaussian": Validated(one_gaussian(), seed, shared=shared),
        "full, ridge": Validated(with_ridge(seed), seed, shared=shared),
        "mixture": Mixture(scaling="global" if shared else "columns", random_state=seed),
    }
    if train.shape[1] > MOST_FULL:
        del base_lines["full, ridge"]
    for method, base_line in base_lines.items():
        started = time.process_time()
        base_line.fit(train)
        seconds[method] = time.process_time() - started
        found[method] = {
            "density": base_line.score_samples(test), **filled(base_line, split, seed),
        }  # fmt: skip
    if name == "oil flow":
        started = time.process_time()
        deep = DeepGPLVM((5, 10), 50, random_state=seed, second_stage="off").fit(train)
        seconds["two layers"] = time.process_time() - started
        deep.fit_density(train)
        theirs = by_density(deep, split, seed)
        found |= {f"{method}, two layers": own for method, own in theirs.items()}
    settings = {method: own.chosen for method, own in base_lines.items() if method != "mixture"}
    known, mixture = model.density_, base_lines["mixture"]
    assert known is not None
    print(
        f"{name}, seed {seed}: CPU s:",
        ", ".join(f"{what} {own:.1f}" for what, own in seconds.items()),
        f"; {known.recipe.size} Gaussians, strength {known.strength}, {known.clusters}; "
        f"{settings}; "
        f"mixture {mixture.shape_}, {mixture.size_}",
        file=sys.stderr,
        flush=True,
    )
    return found


def by_density(model: Any, split: Split, seed: int) -> dict[str, Figures]:
    density = model.score_samples(split.test, method="density")
    return {
        OURS: {"density": density, **filled(model, split, seed, method="density")},
        FILLS: filled(model, split, seed),
    }


def kept(folder: Path | None, name: str, seed: int) -> dict[str, Figures]:
    """Return the figures of a split, from the folder if they are there."""
    if folder is None:
        return one_split(name, seed)
    path = folder / f"{name} {seed}.npz"
    if not path.is_file():
        found = one_split(name, seed)
        flat: dict[str, Any] = {
            f"{method}/{what}": own for method, of in found.items() for what, own in of.items()
        }
        np.savez(path, **flat)
    read: dict[str, Figures] = {}
    with np.load(path, allow_pickle=False) as file:
        for key in file.files:
            method, what = key.rsplit("/", 1)
            read.setdefault(method, {})[what] = file[key]
    return read


def measures(found: list[Figures]) -> list[float]:
    """Return the numbers of a method's row in the table."""
    nothing = np.full(1, np.nan)
    scores = np.concatenate([own.get("density", nothing) for own in found])
    row = [float(scores.mean()), float(scores.min())]
    for what in ("half", "block"):
        square, near = np.mean(
            [own.get(what, np.full((2, 1), np.nan)) for own in found], axis=(0, 2)
        )
        row += [float(np.sqrt(square)), float(near)]
    return row


def verdict(found: list[dict[str, Figures]], what: str) -> tuple[str, dict[str, Any]]:
    """Compare the derived density with every base line, row by row.

    Returns "ahead" (of every base line), "behind" (at least one) or "equal", and for each base line
    the mean gain, its p and the number of seeds with a gain.
    """
    ours = OURS if what == "density" else FILLS
    tests = {}
    for base_line in BASE_LINES:
        if base_line not in found[0]:
            continue
        pairs = [(each[ours][what], each[base_line][what]) for each in found]
        gains = [own - other if what == "density" else other[0] - own[0] for own, other in pairs]
        together = np.concatenate(gains)
        p = float(ttest_rel(together, np.zeros_like(together)).pvalue)
        tests[base_line] = {
            "gain": float(together.mean()),
            "p": p,
            "seeds": int(sum(gain.mean() > 0.0 for gain in gains)),
        }
    sure = [own["gain"] for own in tests.values() if own["p"] < LEVEL]
    if any(gain < 0.0 for gain in sure):
        return "behind", tests
    return ("ahead" if len(sure) == len(tests) else "equal"), tests


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--only", nargs="+", default=[*NAMES, VARYING])
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in given.only:
        try:
            found = [kept(given.keep, name, seed) for seed in given.seeds]
        except DataAbsent as absent:
            print(absent, file=sys.stderr)
            continue
        rows = [(name, method, *measures([each[method] for each in found])) for method in found[0]]
        verdicts = {what: verdict(found, what) for what in ("density", "half", "block")}
        record = {"rows": [dict(zip(HEADER, row, strict=True)) for row in rows]}
        write_row("density", record | {"compared": verdicts}, seed=given.seeds)
        print(table(HEADER, rows))
        for what, (word, tests) in verdicts.items():
            each = ", ".join(
                f"{method} {own['gain']:.3g} (p {own['p']:.2g}, {own['seeds']} seeds)"
                for method, own in tests.items()
            )
            print(f"{name}, {what}: {word}: {each}", flush=True)


if __name__ == "__main__":
    main()
