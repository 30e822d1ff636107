"""Many rows: what they are worth, and what they cost.

    python -m benchmarks.many_rows [--rows N] [--inducing M] [--iterations K]

A random smooth map from 4 to 20 dimensions with noise 0.1 (`mlp`), Q = 8. By contender: CPU seconds
on one thread, the growth of the process' peak memory in MB, and the mean log density of the same
500 rows kept aside, in nats, of which only differences mean anything. "sample" is trained on 2500
rows; "grown" is the default, with all rows in memory; "files" the same from float32 on disk, of
which 20,000 rows are kept. Each in a process of its own.
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

from benchmarks.common import ROOT, peak_mb, table, write_row
from gplvm_core import BayesianGPLVM, RowFiles
from gplvm_core.numerics import Array

CONTENDERS = ("sample", "grown", "files")


def mlp(n_rows: int, seed: int) -> Array:
    """Rows of the same map for every seed."""
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


def measure(contender: str, path: str, n_inducing: int, iterations: int) -> dict[str, float]:
    """Figures of one contender on the rows of a file."""
    warnings.simplefilter("ignore")
    files = RowFiles.of(path)
    model = BayesianGPLVM(8, n_inducing, max_iter=iterations, random_state=0)
    if contender == "files":
        data: RowFiles | Array = files
    elif contender == "grown":
        data = np.asarray(files)
    else:
        data = files.take(np.arange(2500))
    before = peak_mb()
    begin = time.process_time()
    model.fit(data)
    seconds = time.process_time() - begin
    grown = peak_mb() - before
    return {"cpu_seconds": seconds, "mb": grown, "held_out": model.score(mlp(500, 3))}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--inducing", type=int, default=50)
    parser.add_argument("--iterations", type=int, default=290)
    parser.add_argument("--contenders", nargs="+", default=CONTENDERS, choices=CONTENDERS)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        name, path = options.one
        print(json.dumps(measure(name, path, options.inducing, options.iterations)))
        return 0
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    same = ["--inducing", str(options.inducing), "--iterations", str(options.iterations)]
    rows, figures = [], {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.npy"
        np.save(file, mlp(options.rows, 2).astype(np.float32))
        for name in options.contenders:
            command = [
                sys.executable,
                "-m",
                "benchmarks.many_rows",
                *same,
                "--one",
                name,
                str(file),
            ]
            run = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=True
            )
            figures[name] = json.loads(run.stdout)
            rows.append((name, *figures[name].values()))
            print(rows[-1], flush=True)
    print(table(("contender", "CPU s", "MB", "held out, nats a row"), rows))
    settings = {key: getattr(options, key) for key in ("rows", "inducing", "iterations")}
    write_row("many_rows", figures, seed=2, settings=settings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
