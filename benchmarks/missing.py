"""CPU time with missing outputs, compared with GPy: training with gaps, and inferring new rows.

    python -m benchmarks.missing [--peer-python PATH] [--rounds 3]

The times are CPU seconds on one thread; the packages alternate in new processes. An evaluation is
the bound with all gradients at the same parameters. New rows are inferred with the same trained
model, and the score is the bound that each package's q(x*) reaches.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import ROOT, table, write_row
from benchmarks.missing_worker import JITTER
from benchmarks.speed import installed_peers
from benchmarks.speed_worker import make_problem
from gplvm_core import RBF, BayesianGPLVM, evaluate_bound
from gplvm_core.numerics import Array

WORKER = Path(__file__).with_name("missing_worker.py")
SIZE = (1000, 12, 10, 50)
WIDE = (1000, 560, 10, 50)
PATTERNS = (1, 2, 4, 16, 64, 256, 560)
MISSING = 0.3
NEW_ROWS = 20
Problem = dict[str, Array]


def run_worker(package: str, task: str, problem: Path, python: str, seconds: float) -> Any:
    """Measure one package in a new process; raise RuntimeError if the process fails."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        environment[name] = "1"
    command = [python, str(WORKER), package, task, str(problem), "--seconds", str(seconds)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"{package}, {task}, failed:\n{run.stderr.strip()[-2000:]}")
    return json.loads(run.stdout.strip().splitlines()[-1])


def with_gaps(problem: Problem, n_patterns: int | None, seed: int = 0) -> Problem:
    """Return the problem with 30 % of its outputs missing in some patterns (None: no gaps)."""
    if n_patterns is None:
        return problem
    generator = np.random.default_rng(seed)
    n_points, n_outputs = problem["targets"].shape
    gaps = generator.random((n_points, n_patterns)) < MISSING
    hidden = gaps[:, np.arange(n_outputs) % n_patterns]
    return problem | {"targets": np.where(hidden, np.nan, problem["targets"])}


def cheapest(rounds: int, packages: dict[str, str], task: str, problem: Problem) -> dict[str, Any]:
    """Return the fastest round of each package; the packages alternate."""
    best: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.npz"
        np.savez(path, **problem)  # type: ignore[arg-type]
        for _ in range(rounds):
            for name, python in packages.items():
                found = run_worker(name, task, path, python, seconds=2.0)
                key = "cpu_seconds" if task == "evaluate" else "partial_cpu_seconds_per_row"
                if name not in best or found[key] < best[name][key]:
                    best[name] = found
    return best


def growth(rounds: int) -> list[dict[str, Any]]:
    """Measure CPU seconds of an evaluation for some numbers of patterns, and for complete data."""
    problem = make_problem(*WIDE)
    own = {"gplvm_core": sys.executable}
    found = []
    for count in (None, *PATTERNS):
        figures = cheapest(rounds, own, "evaluate", with_gaps(problem, count))["gplvm_core"]
        found.append({"patterns": count or 0, "cpu_seconds": figures["cpu_seconds"]})
    return found


def trained() -> Problem:
    """Return a model trained on the small problem, and new rows of the same map, also with gaps."""
    n_points, n_outputs, n_latent, n_inducing = SIZE
    longer = make_problem(n_points + NEW_ROWS, n_outputs, n_latent, n_inducing)["targets"]
    targets, rows = longer[:n_points], longer[n_points:]
    targets, rows = targets - targets.mean(axis=0), rows - targets.mean(axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = BayesianGPLVM(n_latent, n_inducing, scaling="none", random_state=0).fit(targets)
    hidden = np.random.default_rng(1).random(rows.shape) < 0.5
    return {
        "targets": targets,
        "mean": model.latent_mean_,
        "variance": model.latent_variance_,
        "inducing": model.inducing_,
        "lengthscale": model.kernel_.lengthscale,
        "kernel_variance": np.array(model.kernel_.variance),
        "noise_variance": np.array(model.noise_variance_),
        "rows_whole": rows,
        "rows_partial": np.where(hidden, np.nan, rows),
    }


def reached(problem: Problem, found: dict[str, Any], name: str) -> float:
    """Return the mean increase of the bound by a new row with its q(x*), in nats per row."""
    kernel = RBF(float(problem["kernel_variance"]), problem["lengthscale"])
    noise = float(problem["noise_variance"])
    at = (problem["inducing"], kernel, noise, JITTER)
    before, _ = evaluate_bound(problem["targets"], problem["mean"], problem["variance"], *at)
    gains = []
    columns = (problem[f"rows_{name}"], found[f"{name}_mean"], found[f"{name}_variance"])
    for row, mean, variance in zip(*columns, strict=True):
        after, _ = evaluate_bound(
            np.vstack([problem["targets"], row]),
            np.vstack([problem["mean"], mean]),
            np.vstack([problem["variance"], variance]),
            *at,
        )
        gains.append(after - before)
    return float(np.mean(gains))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peer-python", default=sys.executable, help="a Python that has GPy")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    packages = {"gplvm_core": sys.executable}
    if "GPy" in installed_peers(options.peer_python):
        packages["GPy"] = options.peer_python
    else:
        print(f"GPy is not installed in {options.peer_python}: no ratios")

    problem = with_gaps(make_problem(*SIZE), SIZE[1])
    evaluation = cheapest(options.rounds, packages, "evaluate", problem)
    print(f"\none evaluation at {SIZE}, different gaps in every column")
    rows = [(name, each["cpu_seconds"], each["bound"]) for name, each in evaluation.items()]
    print(table(("package", "CPU s", "bound"), rows))

    patterns = growth(options.rounds)
    print(f"\none evaluation at {WIDE}, by patterns of gaps (0: nothing missing)")
    whole = patterns[0]["cpu_seconds"]
    print(
        table(
            ("patterns", "CPU s", "times the complete"),
            [(p["patterns"], p["cpu_seconds"], p["cpu_seconds"] / whole) for p in patterns],
        )
    )

    model = trained()
    projection = cheapest(options.rounds, packages, "project", model)
    print(f"\n{NEW_ROWS} new rows, trained at {SIZE}; partial: half of the outputs missing")
    summary: dict[str, dict[str, float]] = {}
    for package, figures in projection.items():
        summary[package] = {k: v for k, v in figures.items() if isinstance(v, float)}
        for name in ("whole", "partial"):
            summary[package][f"{name}_gain"] = reached(model, figures, name)
    keys = list(next(iter(summary.values())))
    print(table(("package", *keys), [(p, *(f[k] for k in keys)) for p, f in summary.items()]))
    write_row(
        "missing",
        {"evaluation": evaluation, "patterns": patterns, "projection": summary},
        seed=0,
        settings={"rounds": options.rounds, "size": SIZE, "wide": WIDE, "missing": MISSING},
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
