"""All variational families of deep models, with the same budget.

    python -m benchmarks.families [--seeds 3] [--iterations 600] [--only step "oil flow" digits]

- Step: 50 points in [−1, 1], 500 held out (the seed draws points, noise and inducing inputs);
  DeepGP of widths (2,) with 10 inducing inputs per layer.
- Oil flow: 150 rows drawn by the seed, 150 others held out, all columns in one unit; DeepGPLVM of
  widths (2, 2) with 20 inducing inputs per layer.
- Digits: like oil flow, with 100 rows of the digits 0, 1 and 6 and 100 others held out. Only the
  pixels that vary in the training rows are used.

Every family has the same total number of iterations; the conditional families use the marginalised
family for the first iterations. The table has the bound, the log-likelihood of a test point or row,
both in nats, and CPU seconds. The table also has the fraction of test values inside 95 % intervals.
For latent models, the test values are the second half of the columns, filled in from the first
half. The last column of the table is the number of seeds in which the marginalised result replaced
the family's own result, because its bound was higher at the same beliefs.
"""

import argparse
import sys
import time
import warnings
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from benchmarks.common import DataAbsent, benchmark_data, skip, table, write_row
from benchmarks.deep import curve
from benchmarks.paired import standardised
from gplvm_core import DeepGP, DeepGPLVM
from gplvm_core.models.problems.deep import FAMILIES

N_INDUCING = {"step": 10, "oil flow": 20, "digits": 20}
INSIDE = 1.96


def step(family: Any, seed: int, iterations: int) -> dict[str, float]:
    """Return the regression on one draw of the step."""
    x, y = curve("step", seed, 50)
    new, wanted = curve("step", 10_000 + seed, 500)
    begin = time.process_time()
    settings: dict[str, Any] = {"max_iter": iterations, "random_state": seed}
    model = DeepGP((2,), N_INDUCING["step"], family=family, **settings).fit(x, y)
    seconds = time.process_time() - begin
    mean, std = model.predict(new, return_std=True, noise=True)
    inside = np.abs(mean - wanted) < INSIDE * std
    density = float(model.score_samples(new, wanted).mean())
    return _measures(model, density, inside, seconds)


def oil_flow(family: Any, seed: int, iterations: int) -> dict[str, float]:
    """Return the latent model on one draw of rows."""
    every = benchmark_data("oil_flow")["train_Y"]
    return _latent(every, 150, "oil flow", family, seed, iterations)


def digits(family: Any, seed: int, iterations: int) -> dict[str, float]:
    """Return the latent model on one draw of pictures of three digits."""
    pictures, kinds = load_digits(return_X_y=True)
    return _latent(pictures[np.isin(kinds, (0, 1, 6))], 100, "digits", family, seed, iterations)


def _latent(
    every: Any, n_rows: int, name: str, family: Any, seed: int, iterations: int
) -> dict[str, float]:
    order = np.random.default_rng(seed).permutation(len(every))[: 2 * n_rows]
    varying = every[order[:n_rows]].std(axis=0) > 0.0
    drawn = every[order][:, varying]
    train, test = standardised(drawn[:n_rows], drawn[n_rows:])
    begin = time.process_time()
    settings: dict[str, Any] = {"max_iter": iterations, "random_state": seed}
    model = DeepGPLVM((2, 2), N_INDUCING[name], family=family, **settings).fit(train)
    seconds = time.process_time() - begin
    gaps = test.copy()
    gaps[:, test.shape[1] // 2 :] = np.nan
    mean, std = model.complete(gaps, return_std=True)
    inside = (np.abs(mean - test) < INSIDE * std)[np.isnan(gaps)]
    return _measures(model, float(model.score(test)), inside, seconds)


def _measures(model: Any, density: float, inside: Any, seconds: float) -> dict[str, float]:
    return {
        "bound": float(model.bound_),
        "test log-likelihood": density,
        "inside 95 %": 100.0 * float(inside.mean()),
        "seconds": seconds,
        "gave way": float(model.family_ is not None),
    }


DATA = {"step": step, "oil flow": oil_flow, "digits": digits}


def compare(name: str, seeds: int, iterations: int) -> None:
    """Return the scores of every family on one data set, over the seeds."""
    each: list[dict[str, dict[str, float]]] = []
    for seed in range(seeds):
        each.append({})
        for family in FAMILIES:
            each[-1][family] = DATA[name](family, seed, iterations)
            print(seed, family, {k: round(v, 2) for k, v in each[-1][family].items()}, flush=True)
    rows: list[tuple[Any, ...]] = []
    for family in FAMILIES:
        bounds, gains, densities, ahead = (
            np.array([own[family][what] - paired * own["marginalised"][what] for own in each])
            for what in ("bound", "test log-likelihood")
            for paired in (False, True)
        )
        rest = [
            f"{np.mean([own[family][what] for own in each]):.3g}"
            for what in ("inside 95 %", "seconds")
        ]
        gave_way = int(sum(own[family]["gave way"] for own in each))
        rows.append(
            (
                family,
                f"{bounds.mean():.2f}",
                _with_error(gains),
                f"{densities.mean():.3f}",
                _with_error(ahead),
                *rest,
                gave_way,
            )
        )
    head = (
        "family",
        "bound",
        "over marginalised",
        "test log-likelihood",
        "over marginalised",
        "inside 95 %",
        "seconds",
        "gave way",
    )
    print(f"\n{name}, {seeds} seeds, {iterations} iterations")
    print(table(head, rows), flush=True)
    settings = {"iterations": iterations, "n_inducing": N_INDUCING[name]}
    write_row("families", {"data": name, "each": each}, seed=list(range(seeds)), settings=settings)


def _with_error(differences: Any) -> str:
    """Format the mean of paired differences ± its standard error."""
    if len(differences) < 2:
        return f"{differences.mean():+.2f}"
    error = differences.std(ddof=1) / np.sqrt(len(differences))
    return f"{differences.mean():+.2f} ± {error:.2f}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=600)
    parser.add_argument("--only", nargs="+", choices=tuple(DATA))
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    try:
        for name in options.only or DATA:
            compare(name, options.seeds, options.iterations)
    except DataAbsent as absent:
        return skip("families", absent)
    return 0


if __name__ == "__main__":
    sys.exit(main())
