"""Maps that leave out a known factor: what stays of the truth and of the factor, and the cost.

Rows of 20 columns have two true dimensions and a known factor: three batches with shifts and
scales; an age that shifts and bends the columns; or two batches of which each occurs in one half of
the true dimensions only. Compared are a map of all, a map after the factor was regressed out, and a
map without the factor (`fit(Y, known=factor)`). A fourth batch is never seen: its gaps are filled
by an average over the known ones. New rows of known batches, ordinary ones and ones with one wrong
value, are compared with the training rows.

Run: `python -m benchmarks.known_factors [--seeds 5]`.
"""

import argparse
import time
import warnings

import numpy as np
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsRegressor

from benchmarks.common import write_row
from gplvm_core import BayesianGPLVM, Dataset, apply, is_factor_left
from gplvm_core.datasets import Drawing

ROWS, COLUMNS, HIDDEN = 300, 20, 5
CASES = ("three batches", "an age", "a batch in each half")


def smooth(points: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Return smooth functions of two dimensions, each with a variance of about 1."""
    turns, phases = generator.standard_normal((2, 40)), generator.uniform(0.0, 6.3, 40)
    weights = generator.standard_normal((40, COLUMNS)) * np.sqrt(2.0 / 40.0)
    return np.cos(0.7 * points @ turns + phases) @ weights


def drawn(case: str, seed: int, batches: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the true dimensions, the factor and the rows."""
    generator = np.random.default_rng(seed)
    truth = generator.standard_normal((ROWS, 2))
    made = smooth(truth, generator)
    noise = 0.1 * generator.standard_normal(made.shape)
    if case == "an age":
        factor = generator.uniform(-1.7, 1.7, ROWS)
        way, bend = generator.standard_normal((2, COLUMNS))
        made = made * np.exp(0.3 * np.outer(factor, generator.standard_normal(COLUMNS)))
        return truth, factor, made + np.outer(factor, way) + np.outer(factor**2 - 1.0, bend) + noise
    batch = generator.integers(0, batches, ROWS)
    if case == "a batch in each half":
        batch = (truth[:, 0] > 0.0).astype(int)
    scales = np.exp(0.3 * generator.standard_normal((batches, COLUMNS)))
    shifts = generator.standard_normal((batches, COLUMNS))
    return truth, batch, made * scales[batch] + shifts[batch] + noise


def regressed(rows: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """Return rows without the means of batches, or without a quadratic function of an age."""
    whole = factor.dtype.kind == "i"
    basis = np.eye(factor.max() + 1)[factor] if whole else np.vander(factor, 3)
    return rows - basis @ np.linalg.lstsq(basis, rows, rcond=None)[0]


def figures(model: BayesianGPLVM, truth: np.ndarray, factor: np.ndarray) -> list[float]:
    """Return R² of the truth by neighbours, the factor's score, and its level by chance."""
    places = model.latent_mean_ * model.latent_scale_
    near = KNeighborsRegressor(8, weights="distance")
    error = np.sum((truth - cross_val_predict(near, places, truth, cv=5)) ** 2)
    (left,) = is_factor_left(model, factor)
    return [1.0 - error / np.sum((truth - truth.mean(axis=0)) ** 2), left.score, left.chance]


def trained(rows: np.ndarray, factor: np.ndarray | None, seed: int) -> BayesianGPLVM:
    """Return a map of rows, without the factor if it is given."""
    settings = BayesianGPLVM(4, 60, second_stage="off", random_state=seed)
    return settings.fit(rows, known=factor)


def compared(case: str, seed: int) -> np.ndarray:
    """Return the figures and the CPU seconds of the three maps."""
    truth, factor, rows = drawn(case, seed)
    found = []
    for Y, known in ((rows, None), (regressed(rows, factor), None), (rows, factor)):
        begin = time.process_time()
        model = trained(Y, known, seed)
        spent = time.process_time() - begin
        found.append([*figures(model, truth, factor), spent])
    return np.array(found)


def unseen(seed: int, batches: int) -> list[float]:
    """Return shares of hidden values inside 95 % intervals: of known batches, of one never seen."""
    _, batch, rows = drawn("batches", seed, batches=batches + 1)
    generator = np.random.default_rng(seed)
    new = batch == batches
    aside = new | (generator.random(ROWS) < 0.2)
    model = trained(rows[~aside], batch[~aside], seed)
    gaps = rows.copy()
    gaps[np.argsort(generator.random(gaps.shape), axis=1) < HIDDEN] = np.nan
    found = []
    for which, asked in ((aside & ~new, model.given(batch[aside & ~new])), (new, model.unseen())):
        mean, std = asked.complete(gaps[which], return_std=True)
        off, hidden = np.abs(mean - rows[which]), np.isnan(gaps[which])
        found.append(float(np.mean(off[hidden] < 1.96 * std[hidden])))
    return found


def odd(seed: int) -> list[float]:
    """Return shares of new rows with p < 0.05: of ordinary ones, and with one value off by 1."""
    _, batch, rows = drawn("batches", seed)
    generator = np.random.default_rng(seed)
    aside = generator.random(ROWS) < 0.3
    model = trained(rows[~aside], batch[~aside], seed)
    known = Dataset("rows", "Rows", rows[~aside], Drawing("bars", (COLUMNS,)))
    new = rows[aside]
    spoilt = new.copy()
    spoilt[np.arange(len(new)), generator.integers(COLUMNS, size=len(new))] += 1.0
    own = model.given(batch[aside])
    each = (apply(own, asked, known, reasons=False)["p"] for asked in (new, spoilt))
    return [float(np.mean(p < 0.05)) for p in each]


def main() -> None:
    """Print a row for every case and map, and one for an unseen batch."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| factor | map | R² of the truth | factor found | by chance | CPU, × all |")
    print("|---|---|--:|--:|--:|--:|", flush=True)
    told, seeds = dict[str, list[float]](), range(given.seeds)
    for case in CASES:
        every = np.array([compared(case, seed) for seed in seeds])
        every[:, :, 3] /= every[:, :1, 3]
        for at, name in enumerate(("all", "regressed", "without")):
            mean = every[:, at].mean(axis=0)
            print(f"| {case} | {name} | " + " | ".join(f"{each:.2f}" for each in mean) + " |")
            told[f"{case}, {name}"] = [round(float(each), 3) for each in mean]
    for batches in (3, 6):
        known, new = np.mean([unseen(seed, batches) for seed in seeds], axis=0)
        print(f"{batches} batches: {known:.1%} of hidden values inside, {new:.1%} of a new batch")
        told[f"inside, {batches} batches"] = [round(float(known), 3), round(float(new), 3)]
    usual, spoilt = np.mean([odd(seed) for seed in seeds], axis=0)
    print(f"p < 0.05: {usual:.1%} of ordinary rows, {spoilt:.1%} of rows with one wrong value")
    told["p < 0.05"] = [round(float(usual), 3), round(float(spoilt), 3)]
    write_row("known_factors", told, seed=list(seeds))


if __name__ == "__main__":
    main()
