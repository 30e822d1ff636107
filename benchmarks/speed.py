"""Speed and memory of one evaluation of bound and all gradients, compared with GPy and GPflow.

    python -m benchmarks.speed [--peer-python PATH] [--quick]

Every number comes from a new process. Packages alternate within each round, so that other load of
the machine affects all of them, and the fastest round is used. With one thread the times are CPU
seconds, which vary least; with two threads they are wall seconds. Memory is the peak of the
process, including the interpreter and imports.
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

SIZES = (
    (1000, 12, 10, 30),
    (1000, 12, 10, 50),
    (1000, 12, 10, 100),
    (2000, 1000, 6, 50),
    (5000, 50, 10, 100),
)
GROWING_N = (1000, 2000, 4000, 8000, 16000)
WORKER = Path(__file__).with_name("speed_worker.py")
Size = tuple[int, int, int, int]


def run_worker(
    package: str, size: Size, *, threads: int, seconds: float, python: str
) -> dict[str, Any]:
    """Measure one package at one size in a new process; raise RuntimeError if the process fails."""
    # gplvm_core starts its own threads and needs BLAS with one thread; the other packages use the
    # threads of BLAS.
    blas = "1" if package == "gplvm_core" else str(threads)
    environment = {
        **os.environ,
        "OPENBLAS_NUM_THREADS": blas,
        "OMP_NUM_THREADS": blas,
        "MKL_NUM_THREADS": blas,
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "",
    }
    if package == "gplvm_core":
        environment["PYTHONPATH"] = str(ROOT)
    command = [python, str(WORKER), package, *map(str, size)]
    command += ["--threads", str(threads), "--seconds", str(seconds)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"{package} at {size} failed:\n{run.stderr.strip()[-2000:]}")
    figures: dict[str, Any] = json.loads(run.stdout.strip().splitlines()[-1])
    return figures


def installed_peers(python: str) -> list[str]:
    """Return which of GPy and GPflow `python` can import."""
    code = (
        "import importlib.util as u; "
        "print(*[n for n in ('GPy', 'gpflow') if u.find_spec(n) is not None])"
    )
    run = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.split()


def measure_size(
    size: Size, packages: dict[str, str], *, rounds: int, seconds: float
) -> dict[str, dict[str, Any]]:
    """Return per package: bound, CPU seconds on one thread, wall seconds on two, peak MB on one."""
    runs: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {name: [] for name in packages}
    for _ in range(rounds):
        for name, python in packages.items():
            one, two = (
                run_worker(name, size, threads=threads, seconds=seconds, python=python)
                for threads in (1, 2)
            )
            runs[name].append((one, two))
    return {
        name: {
            "bound": pairs[0][0]["bound"],
            "cpu_seconds_one_thread": min(one["cpu_seconds"] for one, _ in pairs),
            "wall_seconds_two_threads": min(two["wall_seconds"] for _, two in pairs),
            "peak_mb": max(one["peak_mb"] for one, _ in pairs),
            "version": pairs[0][0]["version"],
        }
        for name, pairs in runs.items()
    }


def ratios(figures: dict[str, dict[str, Any]]) -> dict[str, float]:
    """Return the ratios to the better of GPy and GPflow, and the difference of the bounds."""
    own = figures["gplvm_core"]
    peers = [value for name, value in figures.items() if name != "gplvm_core"]
    keys = ("cpu_seconds_one_thread", "wall_seconds_two_threads", "peak_mb")
    found = {key: min(peer[key] for peer in peers) / own[key] for key in keys}
    found["bound_relative_difference"] = max(
        abs(peer["bound"] / own["bound"] - 1) for peer in peers
    )
    return found


def linearity(rounds: int, seconds: float) -> dict[str, Any]:
    """Measure CPU seconds and memory for growing N, and the exponent of N that fits the seconds."""
    cpu: list[float] = []
    peak: list[float] = []
    for n_points in GROWING_N:
        runs = [
            run_worker(
                "gplvm_core",
                (n_points, 12, 10, 50),
                threads=1,
                seconds=seconds,
                python=sys.executable,
            )
            for _ in range(rounds)
        ]
        cpu.append(min(run["cpu_seconds"] for run in runs))
        peak.append(max(run["peak_mb"] for run in runs))
    exponent = float(np.polyfit(np.log(GROWING_N), np.log(cpu), 1)[0])
    return {
        "n_points": GROWING_N,
        "cpu_seconds": cpu,
        "peak_mb": peak,
        "exponent_of_n": exponent,
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--peer-python", default=sys.executable, help="a Python that has GPy and GPflow"
    )
    parser.add_argument("--quick", action="store_true", help="one short round, as a trial")
    options = parser.parse_args()
    rounds, seconds = (1, 0.5) if options.quick else (3, 3.0)

    peers = installed_peers(options.peer_python)
    if not peers:
        print(
            f"neither GPy nor GPflow is installed in {options.peer_python}: no ratios "
            "(name a Python that has them with --peer-python)"
        )
    packages = {"gplvm_core": sys.executable, **{name: options.peer_python for name in peers}}

    header = ("N", "D", "Q", "M", "package", "CPU s, 1 thread", "wall s, 2 threads", "peak MB")
    rows: list[tuple[Any, ...]] = []
    sizes = []
    peer_versions: dict[str, str] = {}
    for size in SIZES:
        figures = measure_size(size, packages, rounds=rounds, seconds=seconds)
        for name, own in figures.items():
            keys = ("cpu_seconds_one_thread", "wall_seconds_two_threads", "peak_mb")
            rows.append((*size, name, *(own[key] for key in keys)))
        entry: dict[str, Any] = {"size": size, "packages": figures}
        if peers:
            entry["better_peer_over_own"] = found = ratios(figures)
            rows.append((*size, "ratio", *(f"{found[key]:.1f}×" for key in keys)))
            print(f"{size}: bounds differ by {found['bound_relative_difference']:.1e} (relative)")
            peer_versions = {name: figures[name]["version"] for name in peers}
        sizes.append(entry)
        print(f"{size}: done", flush=True)
    print(table(header, rows))

    growth = linearity(rounds, seconds)
    print("\nD = 12, Q = 10, M = 50, one thread")
    columns = zip(GROWING_N, growth["cpu_seconds"], growth["peak_mb"], strict=True)
    print(table(("N", "CPU s", "peak MB"), list(columns)))
    print(f"seconds grow as N to the power {growth['exponent_of_n']:.2f}")
    write_row(
        "speed",
        {"sizes": sizes, "linearity": growth},
        seed=0,
        settings={"rounds": rounds, "seconds": seconds},
        other_versions=peer_versions,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
