"""Speed of one evaluation with several views, compared with GPy and GPflow.

    python -m benchmarks.views_speed [--peer-python PATH] [--quick]

The times are CPU seconds on one thread in new processes; the packages alternate, and the fastest
round counts. GPy has a multi-view model (one set of inducing inputs for all views). GPflow has no
multi-view model, so it evaluates one model per view with the same q(X). D is the number of columns
of each view. A second table has the time of gplvm_core for each number of views.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import ROOT, table, write_row
from benchmarks.speed import Size, installed_peers

SIZES: tuple[Size, ...] = (
    (1000, 12, 10, 30),
    (1000, 12, 10, 50),
    (1000, 12, 10, 100),
    (2000, 500, 6, 50),
    (200, 2000, 10, 50),
)
N_VIEWS = (2, 4, 8, 16, 32, 64)
GROWING: Size = (500, 12, 10, 50)
WORKER = Path(__file__).with_name("views_speed_worker.py")


def run_worker(
    package: str, size: Size, n_views: int, *, seconds: float, python: str
) -> dict[str, Any]:
    """Measure one package at one size in a new process; raise RuntimeError if the process fails."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        environment[name] = "1"
    command = [python, str(WORKER), package, *map(str, size)]
    command += ["--views", str(n_views), "--seconds", str(seconds)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"{package} at {size} failed:\n{run.stderr.strip()[-2000:]}")
    figures: dict[str, Any] = json.loads(run.stdout.strip().splitlines()[-1])
    return figures


def fastest(
    packages: dict[str, str], size: Size, n_views: int, *, rounds: int, seconds: float
) -> dict[str, dict[str, float]]:
    """Return bound and CPU seconds of every package; the packages alternate."""
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in packages}
    for _ in range(rounds):
        for name, python in packages.items():
            runs[name].append(run_worker(name, size, n_views, seconds=seconds, python=python))
    return {
        name: {"bound": own[0]["bound"], "cpu_seconds": min(run["cpu_seconds"] for run in own)}
        for name, own in runs.items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--peer-python", default=sys.executable, help="a Python that has GPy and GPflow"
    )
    parser.add_argument("--quick", action="store_true", help="one short round: a trial only")
    options = parser.parse_args()
    rounds, seconds = (1, 0.5) if options.quick else (3, 2.0)
    peers = installed_peers(options.peer_python)
    own = {"gplvm_core": sys.executable}
    packages = own | {name: options.peer_python for name in peers}

    sizes: list[dict[str, Any]] = []
    rows: list[tuple[Any, ...]] = []
    for size in SIZES:
        figures = fastest(packages, size, 2, rounds=rounds, seconds=seconds)
        mine = figures["gplvm_core"]
        apart = max((abs(f["bound"] / mine["bound"] - 1) for f in figures.values()), default=0.0)
        ratios = {name: figures[name]["cpu_seconds"] / mine["cpu_seconds"] for name in peers}
        sizes.append({"size": size, "packages": figures, "ratios": ratios, "apart": apart})
        told = (f"{name} {ratio:.1f}×" for name, ratio in ratios.items())
        seconds_each = (figures[name]["cpu_seconds"] for name in packages)
        rows.append((str(size), *seconds_each, ", ".join(told), apart))
        print(f"{size}: done", flush=True)
    print(table(("N, D, Q, M", *packages, "peers ÷ own", "bounds apart"), rows))

    growth = {
        n_views: fastest(own, GROWING, n_views, rounds=rounds, seconds=seconds)["gplvm_core"]
        for n_views in N_VIEWS
    }
    spent = [figures["cpu_seconds"] for figures in growth.values()]
    exponent = float(np.polyfit(np.log(N_VIEWS), np.log(spent), 1)[0])
    print(
        table(
            ("views", "CPU s", "ms a view"),
            [(n, seconds, 1000 * seconds / n) for n, seconds in zip(N_VIEWS, spent, strict=True)],
        )
    )
    print(f"seconds grow as the number of views to the power {exponent:.2f}")
    write_row(
        "views_speed",
        {
            "two_views": sizes,
            "views": N_VIEWS,
            "cpu_seconds": spent,
            "exponent_of_views": exponent,
        },
        seed=0,
        settings={"rounds": rounds, "seconds": seconds, "growing": GROWING},
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
