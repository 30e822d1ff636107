"""Deep GP regression beside GPflux: CPU seconds to the same test likelihood.

    python -m benchmarks.deep_peers --peer-python PATH [--seeds 3] [--budget 60]

The curves of `benchmarks.deep` with 200 points; two layers, 20 inducing inputs a layer; one thread;
every run in a process of its own. gplvm_core trains with its defaults, all starts counted. GPflux
trains by Adam on all rows with a rate of 0.01; every 250 steps its test likelihood is looked at,
over 50 draws of the hidden layer (neither that nor the tracing of its graph counts). Given are its
seconds when it first comes within 0.02 nats a point of gplvm_core, and its best within the budget.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.common import ROOT, DataAbsent, skip, table, write_row
from benchmarks.deep import CURVES, curve

N_TRAIN, N_TEST, N_INDUCING, NEAR = 200, 500, 20, 0.02
WORKER = Path(__file__).with_name("deep_peers_worker.py")
Course = list[tuple[float, float]]


def course(python: str, package: str, data: Path, budget: float) -> Course:
    """CPU seconds and test likelihood, in the order of training."""
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    environment |= {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")}
    if package == "gplvm_core":
        environment["PYTHONPATH"] = str(ROOT)
    command = [python, str(WORKER), package, str(data)]
    command += ["--inducing", str(N_INDUCING), "--budget", str(budget)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"{package} failed:\n{run.stderr.strip()[-2000:]}")
    found: Course = json.loads(run.stdout.strip().splitlines()[-1])
    return found


def compare(name: str, seed: int, python: str, budget: float) -> tuple[object, ...]:
    x, y = curve(name, seed, N_TRAIN)
    new, wanted = curve(name, 10_000 + seed, N_TEST)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "curve.npz"
        np.savez(path, x=x, y=y, new=new, wanted=wanted)
        ((seconds, reached),) = course(sys.executable, "gplvm_core", path, budget)
        peer = course(python, "gpflux", path, budget)
    there = [spent for spent, value in peer if value >= reached - NEAR]
    figures = {"data": name, "gplvm_core": (seconds, reached), "gpflux": peer}
    write_row("deep_peers", figures, seed=seed)
    ratio = f"{there[0] / seconds:.1f}" if there else f"> {peer[-1][0] / seconds:.1f}, not reached"
    return name, seed, seconds, reached, max(value for _, value in peer), peer[-1][0], ratio


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peer-python", default=sys.executable, help="a Python that has GPflux")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--budget", type=float, default=60.0, help="CPU seconds of the peer")
    parser.add_argument("--only", nargs="+", choices=CURVES, default=list(CURVES))
    options = parser.parse_args()
    code = "import importlib.util as u, sys; sys.exit(u.find_spec('gpflux') is None)"
    if subprocess.run([options.peer_python, "-c", code], check=False).returncode:
        return skip("deep_peers", DataAbsent("GPflux is not installed for --peer-python"))
    rows = []
    for name in options.only:
        for seed in range(options.seeds):
            rows.append(compare(name, seed, options.peer_python, options.budget))
            print(rows[-1], flush=True)
    header = ("curve", "seed", "CPU s", "nats a point", "GPflux, best", "its CPU s", "÷ ours")
    print(table(header, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
