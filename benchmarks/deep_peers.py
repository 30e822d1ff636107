"""Deep GP regression compared with GPflux and GPyTorch: CPU seconds to the same likelihood.

    python -m benchmarks.deep_peers [--gpflux PATH] [--gpytorch PATH] [--seeds 3] [--budget 60]

PATH is a Python interpreter that has the package. The data are the curves of `benchmarks.deep` with
200 points. All models have two layers with 20 inducing inputs each; every run is a separate process
on one thread. gplvm_core trains with its defaults; its time includes all starts. The other packages
train by Adam on all rows with a rate of 0.01. Every 250 steps their test likelihood is computed
over 50 draws of the hidden layer. The time for this evaluation and for tracing a graph is not
included. A run stops when it comes within 0.02 nats per point of gplvm_core, or at its time limit.
The table has the seconds until the run stops, and the best likelihood.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.common import ROOT, DataAbsent, skip, table, write_row
from benchmarks.deep import CURVES, curve

N_TRAIN, N_TEST, N_INDUCING, NEAR = 200, 500, 20, 0.02
PEERS = {"gpflux": "GPflux", "gpytorch": "GPyTorch"}
WORKER = Path(__file__).with_name("deep_peers_worker.py")
Course = list[tuple[float, float]]
Row = tuple[object, ...]


def course(
    python: str, package: str, data: Path, budget: float, enough: float = math.inf
) -> Course:
    """Return CPU seconds and test likelihood during training, which ends when the target is
    reached.
    """
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    environment |= {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")}
    if package == "gplvm_core":
        environment["PYTHONPATH"] = str(ROOT)
    command = [python, str(WORKER), package, str(data)]
    command += ["--inducing", str(N_INDUCING), "--budget", str(budget), "--enough", str(enough)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"{package} failed:\n{run.stderr.strip()[-2000:]}")
    found: Course = json.loads(run.stdout.strip().splitlines()[-1])
    return found


def compare(name: str, seed: int, pythons: dict[str, str], budget: float) -> list[Row]:
    """Return a row for each of the other packages."""
    x, y = curve(name, seed, N_TRAIN)
    new, wanted = curve(name, 10_000 + seed, N_TEST)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "curve.npz"
        np.savez(path, x=x, y=y, new=new, wanted=wanted)
        ((seconds, reached),) = course(sys.executable, "gplvm_core", path, budget)
        enough = reached - NEAR
        peers = {
            package: course(python, package, path, budget, enough)
            for package, python in pythons.items()
        }
    write_row("deep_peers", {"data": name, "gplvm_core": (seconds, reached), **peers}, seed=seed)
    rows: list[Row] = []
    for package, found in peers.items():
        spent, value = found[-1]
        times = f"{spent / seconds:.1f}"
        ratio = times if value >= enough else f"> {times}, not reached"
        best = max(each for _, each in found)
        rows.append((name, seed, seconds, reached, PEERS[package], best, spent, ratio))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for package, title in PEERS.items():
        parser.add_argument(f"--{package}", metavar="PATH", help=f"a Python that has {title}")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--budget", type=float, default=60.0, help="CPU seconds of a peer")
    parser.add_argument("--only", nargs="+", choices=CURVES, default=list(CURVES))
    options = parser.parse_args()
    pythons = {each: getattr(options, each) for each in PEERS if getattr(options, each)}
    if not pythons:
        return skip(
            "deep_peers", DataAbsent("name a Python that has it with --gpflux or --gpytorch")
        )
    for package, python in pythons.items():
        code = f"import importlib.util as u, sys; sys.exit(u.find_spec('{package}') is None)"
        if subprocess.run([python, "-c", code], check=False).returncode:
            return skip("deep_peers", DataAbsent(f"{PEERS[package]} is not installed there"))
    rows: list[Row] = []
    for seed in range(options.seeds):
        for name in options.only:
            rows += compare(name, seed, pythons, options.budget)
            print(rows[-len(pythons) :], flush=True)
    header = ("curve", "seed", "CPU s", "nats a point", "peer", "its best", "its CPU s", "÷ ours")
    print(table(header, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
