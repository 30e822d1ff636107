"""How far the immediate rise of the bound foretells its rise after training.

For every table and number of inducing inputs M, a model is trained with M and with 2M inducing
inputs. `more_inducing_` of the first is compared with the difference of their bounds.

Run: `MANIFOLIO_DATA=… python -m benchmarks.more_inducing [--seeds 3]`. Tables whose file is missing
are left out.
"""

import argparse
import warnings

import numpy as np

from benchmarks.starts import tables
from gplvm_core import BayesianGPLVM

SIZES = (10, 25, 50)


def trained(rows: np.ndarray, n_inducing: int, seed: int) -> BayesianGPLVM:
    """Return a model with one start."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return BayesianGPLVM(
            10, n_inducing, n_restarts=1, random_state=seed, second_stage="off"
        ).fit(rows)


def main() -> None:
    """Print a row for every table and M: both rises in nats per row, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    seeds = range(parser.parse_args().seeds)
    print("| table | M | at once, nats per row | after training | ratio of the means |")
    print("|---|--:|--:|--:|--:|")
    for name, rows in tables().items():
        for size in SIZES:
            if 2 * size > len(rows):
                continue
            rises = np.empty((2, len(seeds)))
            for s in seeds:
                fewer, more = (trained(rows, each, s) for each in (size, 2 * size))
                expected = fewer.more_inducing_
                assert expected is not None and expected.more == 2 * size
                rises[:, s] = expected.rise, more.bound_ - fewer.bound_
            at_once, after = (", ".join(f"{e:.2g}" for e in own / len(rows)) for own in rises)
            ratio = rises[1].mean() / rises[0].mean()
            print(f"| {name} | {size} | {at_once} | {after} | {ratio:.1f} |", flush=True)


if __name__ == "__main__":
    main()
