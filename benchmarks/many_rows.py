"""Gains and costs of the methods for training on many rows.

    python -m benchmarks.many_rows [--data NAME] [--rows N] [--inducing M] [--iterations K ...]

Data:

- `mlp`: a random smooth map from 4 to 20 dimensions with noise 0.1 (Q = 8);
- `flow`: the simulated pipe flow (Q = 10);
- `protein`: the nine inputs of a regression data set (Q = 6);
- `poses`: frames between two frames of walks and runs, with noise (Q = 20).

Methods, each in a separate process:

- "sample" trains on 2500 rows;
- "grown" is the default, a growing sample;
- "whole" uses all rows in every iteration;
- "files" is the default from float32 on disk, which stores 20,000 rows.

The table has a line for every method and number of iterations: CPU seconds on one thread, the
growth of the process's peak memory in MB, and the mean log density of the same 500 held-out rows in
nats. Only differences between these densities have a meaning.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

from benchmarks.common import ROOT, DataAbsent, benchmark_data, peak_mb, skip, table, write_row
from gplvm_core import BayesianGPLVM, RowFiles
from gplvm_core.models.problems import many_rows as many
from gplvm_core.numerics import Array
from gplvm_core.simulated.flow import load_flow

ASIDE = 500
SAMPLE = 2500
CONTENDERS = ("sample", "grown", "whole", "files")
# For each data set: the default number of rows, and the number of latent dimensions.
DATA = {"mlp": (100_000, 8), "flow": (40_000, 10), "protein": (45_230, 6), "poses": (20_000, 20)}


def mlp(n_rows: int, seed: int) -> Array:
    """Return rows of a random map, which is the same for every seed."""
    shape = np.random.default_rng(1)
    first, shift = shape.standard_normal((4, 30)) / 1.5, shape.standard_normal(30)
    second = shape.standard_normal((30, 20)) / np.sqrt(30)
    generator = np.random.default_rng(seed)
    parts = []
    for begin in range(0, n_rows, 50_000):
        latent = generator.standard_normal((min(50_000, n_rows - begin), 4))
        outputs = np.tanh(latent @ first + shift) @ second
        parts.append(outputs + 0.1 * generator.standard_normal(outputs.shape))
    return np.concatenate(parts)


def poses(n_rows: int) -> tuple[Array, Array]:
    """Return frames between two neighbouring frames of a walk or run, with noise of a hundredth of
    their spread.

    The held-out rows are from the last four sequences.
    """
    data, generator = benchmark_data("cmu35_features"), np.random.default_rng(2)
    frames, sequence = data["Y"], data["sequence"]
    within = np.flatnonzero(sequence[1:] == sequence[:-1])
    kept = sequence[within] > sequence.max() - 4

    def drawn(firsts: Array, count: int) -> Array:
        at, share = generator.choice(firsts, count), generator.uniform(size=(count, 1))
        between = (1.0 - share) * frames[at] + share * frames[at + 1]
        return between + 0.01 * frames.std(axis=0) * generator.standard_normal(between.shape)

    return drawn(within[~kept], n_rows), drawn(within[kept], ASIDE)


def rows_of(name: str, n_rows: int) -> tuple[Array, Array]:
    """Return rows for training, and held-out rows. Raises DataAbsent."""
    if name == "mlp":
        return mlp(n_rows, 2), mlp(ASIDE, 3)
    if name == "poses":
        return poses(n_rows)
    if name == "flow":
        rows = load_flow(n_rows + ASIDE, seed=1).targets
    else:
        rows = benchmark_data("uci_regression")["protein_X"].astype(np.float64)
        rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    order = np.random.default_rng(0).permutation(len(rows))
    return rows[order[ASIDE : ASIDE + n_rows]], rows[order[:ASIDE]]


def measure(
    contender: str, folder: Path, n_latent: int, n_inducing: int, iterations: int
) -> dict[str, float]:
    """Measure one method on the rows of a folder."""
    warnings.simplefilter("ignore")
    files = RowFiles.of(folder / "rows.npy")
    aside = np.load(folder / "aside.npy")
    model = BayesianGPLVM(
        n_latent, n_inducing, max_iter=iterations, random_state=0, second_stage="off"
    )
    if contender == "files":
        data: RowFiles | Array = files
    elif contender == "sample":
        data = files.take(np.arange(SAMPLE))
    else:
        data = np.asarray(files)
    if contender == "whole":
        many.MANY = len(files) + 1
    before = peak_mb()
    begin = time.process_time()
    model.fit(data)
    seconds = time.process_time() - begin
    grown = peak_mb() - before
    return {"cpu_seconds": seconds, "mb": grown, "held_out": model.score(aside)}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default="mlp", choices=DATA)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--inducing", type=int, default=50)
    parser.add_argument("--iterations", type=int, nargs="+", default=[290])
    parser.add_argument("--contenders", nargs="+", default=CONTENDERS, choices=CONTENDERS)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    n_rows, n_latent = DATA[options.data]
    n_rows = options.rows or n_rows
    if options.one:
        name, folder = options.one
        most = options.iterations[0]
        print(json.dumps(measure(name, Path(folder), n_latent, options.inducing, most)))
        return 0
    try:
        rows, aside = rows_of(options.data, n_rows)
    except DataAbsent as absent:
        return skip("many_rows", absent)
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    same = ["--data", options.data, "--inducing", str(options.inducing)]
    found, figures = [], {}
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "rows.npy", rows.astype(np.float32))
        np.save(Path(folder) / "aside.npy", aside)
        for name in options.contenders:
            for iterations in options.iterations:
                command = [sys.executable, "-m", "benchmarks.many_rows", *same]
                command += ["--iterations", str(iterations), "--one", name, folder]
                run = subprocess.run(
                    command, env=environment, capture_output=True, text=True, check=True
                )
                figures[f"{name}, {iterations}"] = json.loads(run.stdout)
                found.append((name, iterations, *figures[f"{name}, {iterations}"].values()))
                print(found[-1], flush=True)
    print(table(("contender", "most iterations", "CPU s", "MB", "held out, nats a row"), found))
    settings = {key: getattr(options, key) for key in ("data", "inducing", "iterations")}
    write_row("many_rows", figures, seed=2, settings={**settings, "rows": len(rows)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
