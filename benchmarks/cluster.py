"""Streaming rows on a Dask cluster, compared with one process, and predictions for larger clusters.

    python -m benchmarks.cluster [--rows N] [--workers 1 2] [--kill] [--record]

The data are N × 20 float32 rows in temporary files (`mlp` of benchmarks.many_rows). A model trains
once on 20,000 of these rows, with few iterations. All other rows are then streamed, in this process
and on clusters of local processes. The table has the CPU seconds of the workers, the elapsed
seconds, the CPU seconds of the client (here with the scheduler), and the bytes of a task's result.
With --kill, one of two workers is killed after a quarter of the parts; the CPU time that it had
used is not counted. From these numbers the program predicts the seconds for 10⁹ rows on 10, 100 and
1000 workers; docs/cluster.md has the assumptions.
"""

import argparse
import os
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import dask
import numpy as np
from distributed import Client, LocalCluster
from distributed.protocol.pickle import dumps

from benchmarks.common import table, write_row
from benchmarks.many_rows import mlp
from gplvm_core import BayesianGPLVM, RowFiles, cluster
from gplvm_core.numerics import Array
from gplvm_core.prediction.added import Added, Passed, StreamedPart, streamed_sums
from gplvm_core.readers.rows.files import MOST_PARTS, ROWS_AT_ONCE
from gplvm_core.statistics import Executor
from gplvm_core.statistics.reduce import serial

# These settings return memory to the system only if much is free, and switch the profiler off.
QUIET = {
    "distributed.nanny.pre-spawn-environ": {
        "MALLOC_TRIM_THRESHOLD_": 1_000_000_000,
        "MALLOC_MMAP_THRESHOLD_": 1_000_000_000,
        "OMP_NUM_THREADS": 1,
        "OPENBLAS_NUM_THREADS": 1,
        "MKL_NUM_THREADS": 1,
    },
    "distributed.worker.profile.enabled": False,
}
LARGE = 1_000_000_000  # the number of rows for the predicted time
NETWORK = 100e6  # bytes per second that reach the client
TRIED = 400  # number of empty parts that are distributed


def generated(folder: Path, n_rows: int) -> RowFiles:
    """Write rows to files of at most 250,000 rows."""
    paths = []
    for number, begin in enumerate(range(0, n_rows, 250_000)):
        path = folder / f"{number:04d}.npy"
        np.save(path, mlp(min(250_000, n_rows - begin), 2 + number).astype(np.float32))
        paths.append(path)
    return RowFiles.of(paths)


class Pass:
    """One pass: files whose rows are streamed through one trained model."""

    def __init__(self, files: RowFiles, kept: Any, model: BayesianGPLVM) -> None:
        self.files, self.kept, self.model = files, kept, model

    def run(self, executor: Executor, after: Iterable[Any] = ()) -> tuple[Array, dict[str, float]]:
        """Compute the sums of all rows, and measure the cost; call `after` after every part."""
        begin, cpu, total = time.perf_counter(), time.process_time(), Passed()
        watch = iter(after)
        for each in streamed_sums(self.files, *self._known(), executor):
            total = total.then(each)
            next(watch, None)
        assert total.sums is not None
        added = Added.of(self.model.posterior_, self.model.statistics_, total.sums)
        seconds = {"wall": time.perf_counter() - begin, "client_cpu": time.process_time() - cpu}
        return np.concatenate([[added.gained], added.posterior.weights.ravel()]), seconds

    def bytes_of(self) -> dict[str, int]:
        """Return the bytes of the function, which is sent once to each worker, and of a part's
        sums.
        """
        posterior, belief, kept = self._known()
        task = StreamedPart(self.files, posterior, belief.thinned(2500), kept)
        return {"function": len(dumps(task)), "sums": len(dumps(task((0, 2000))))}

    def _known(self) -> tuple[Any, Any, Any]:
        return self.model.posterior_, self.model._belief, self.kept


def busy(client: Client) -> dict[str, float]:
    """Return the CPU seconds of every worker so far."""
    return dict(client.run(time.process_time))


def handing_out(executor: Executor, sums: int) -> float:
    """Return the CPU seconds of the client and the scheduler for an empty part."""
    begin = time.process_time()
    list(executor(np.zeros, [sums // 8] * TRIED))
    return (time.process_time() - begin) / TRIED


def on_cluster(work: Pass, n_workers: int, kill: bool) -> tuple[Array, dict[str, float]]:
    """Compute the sums on several local processes that have already loaded the package."""
    with (
        dask.config.set(QUIET),
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None) as local,
        Client(local.scheduler_address, set_as_default=False) as client,
        cluster(local.scheduler_address) as executor,
    ):
        handing = handing_out(executor, work.bytes_of()["sums"])
        before = busy(client)
        victim = next(iter(client.run(os.getpid).values()))
        parts = len(work.files.parts())

        def after() -> Iterator[None]:
            for number in range(parts):
                if kill and number == parts // 4:
                    os.kill(victim, signal.SIGKILL)
                    print(f"worker {victim} is killed", flush=True)
                yield

        found, seconds = work.run(executor, after())
        now = busy(client)
    used = sum(now[name] - before.get(name, 0.0) for name in now)
    return found, {**seconds, "cpu": used, "handing": handing}


def seconds_for(
    n_rows: int, n_workers: int, cost: float, handing: float, sums: int, rate: float
) -> dict[str, float]:
    """Predict the time for streaming some rows on some workers.

    cost: CPU seconds per row; handing: CPU seconds of the client per part; sums: number of bytes of
    a part's result; rate: bytes per second that the client receives.
    """
    size = max(ROWS_AT_ONCE, -(-n_rows // MOST_PARTS))
    parts = -(-n_rows // size)
    work = -(-parts // n_workers) * min(size, n_rows) * cost
    client = parts * (handing + sums / rate)
    # The client receives results while the workers compute; the slower one determines the time.
    return {"parts": parts, "work": work, "client": client, "seconds": max(work, client)}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--record", action="store_true", help="append a row to results")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        print(f"{options.rows:,} rows × 20 are written …", flush=True)
        files = generated(Path(folder), options.rows)
        kept = np.sort(np.random.default_rng(0).permutation(len(files))[:20_000])
        begin = time.process_time()
        model = BayesianGPLVM(
            8, 50, max_iter=options.iterations, random_state=0, second_stage="off"
        )
        model.fit(files.take(kept))
        print(f"20,000 rows trained: {time.process_time() - begin:.1f} CPU s", flush=True)
        work = Pass(files, kept, model)
        expected, alone = work.run(serial)
        alone["cpu"] = alone["client_cpu"]
        rows = [("here", alone["cpu"], 1.0, alone["wall"], 0.0, 0.0)]
        figures: dict[str, Any] = {"here": alone, **work.bytes_of()}
        runs = [(count, False) for count in options.workers] + [(2, True)] * options.kill
        for count, kill in runs:
            found, taken = on_cluster(work, count, kill)
            apart = float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))
            name = f"{count} workers" + ", one killed" * kill
            ratio = taken["cpu"] / alone["cpu"]
            rows.append((name, taken["cpu"], ratio, taken["wall"], taken["client_cpu"], apart))
            figures[name] = {**taken, "ratio": ratio, "apart": apart}
            print(rows[-1], flush=True)
    header = ("where", "workers' CPU s", "× here", "wall s", "client's CPU s", "numbers differ by")
    print(table(header, rows))
    _model_of_time(options, figures)
    if options.record:
        settings = {key: getattr(options, key) for key in ("rows", "iterations", "kill")}
        write_row("cluster", figures, seed=2, settings=settings)
    return 0


def _model_of_time(options: argparse.Namespace, figures: dict[str, Any]) -> None:
    """Print predictions with the constants of the largest run without a killed worker."""
    measured = figures[f"{options.workers[-1]} workers"]
    cost, handing = measured["cpu"] / (options.rows - 20_000), measured["handing"]
    known = (cost, handing, figures["sums"], NETWORK)
    print(
        f"\na row: {1e6 * cost:.1f} µs of a worker; a part: {1e3 * handing:.1f} ms of the client, "
        f"{figures['sums']:,} bytes back; the function: {figures['function']:,} bytes"
    )
    checked = [
        (count, seconds_for(options.rows, count, *known)["seconds"], figures[f"{count} workers"])
        for count in options.workers
    ]
    print(
        table(
            ("workers", "model, s", "measured, s of waiting", "CPU s ÷ workers"),
            [(n, said, found["wall"], found["cpu"] / n) for n, said, found in checked],
        )
    )
    large = []
    for count in (10, 100, 1000):
        said = seconds_for(LARGE, count, *known)
        disk = LARGE * 20 * 4 / count / said["seconds"] / 1e6
        large.append((count, said["parts"], said["work"], said["client"], said["seconds"], disk))
    header = ("workers", "parts", "work s", "client s", "seconds", "MB/s read by each")
    print(f"\n10⁹ rows × 20, one pass\n{table(header, large)}")
    figures["a_billion_rows"] = {str(row[0]): row[4] for row in large}


if __name__ == "__main__":
    sys.exit(main())
