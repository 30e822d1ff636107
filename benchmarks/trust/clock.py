"""The system's clock jumps while a job trains and a file is read: a row of the table of trust.

    python -m benchmarks.trust.clock

libfaketime gives a subprocess a clock that jumps (apt-get install faketime); without it
the row reports that. The monotonic clock does not jump; it also does not jump when somebody sets
the clock of a real machine.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np

from benchmarks.common import ROOT
from benchmarks.trust.row import Row
from gplvm_core import BayesianGPLVM
from gplvm_core.datasets import Dataset, Drawing, NamedBytes
from gplvm_core.sandbox import Readers
from gplvm_core.store import SUFFIX, Library
from gplvm_core.training import Queue

KIND = "clock jumps by days while a job trains"
JUMPS = ("+0", "+1d", "-1d", "+3650d", "-3650d", "+0")
STAGE, CHECKPOINT = 1.5, 0.2  # in seconds
PAUSE = threading.Event()  # libfaketime does not support time.sleep
Stage = dict[str, float]


def rows() -> list[Row]:
    """Return one row: the numbers of jumps, and of jumps after which a result differed."""
    library = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
    if library is None:
        return [Row(KIND, 0, 0, "not tried: no libfaketime here")]
    with tempfile.TemporaryDirectory() as home:
        clock = Path(home, "clock")
        clock.write_text(JUMPS[0])
        faked = {
            "LD_PRELOAD": str(library),
            "FAKETIME_TIMESTAMP_FILE": str(clock),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
            "PYTHONPATH": str(ROOT),
        }
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.trust.clock", home],
            cwd=ROOT, env=os.environ | faked, capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode:
        return [Row(KIND, len(JUMPS), len(JUMPS), done.stderr.strip().splitlines()[-1])]
    report = json.loads(done.stdout)
    harmed = [harm for stage in report["stages"] if (harm := wrong_in(stage))] + report["harm"]
    for harm in harmed:
        print(harm)
    jumped = max(abs(stage["jumped"]) for stage in report["stages"]) / 86_400
    words = "time spent and left, checkpoints, order, reading; at most {:.0f} days"
    return [Row(KIND, len(JUMPS), len(harmed), words.format(jumped))]


def wrong_in(stage: Stage) -> str:
    """Return the errors that a jump caused in the running job; empty if there are none."""
    if not 0.0 <= stage["spent"] <= 1.5 * stage["real"] + 0.5:
        return f"{stage['spent']:.1f} s were counted in {stage['real']:.1f}: {stage}"
    if not 0.0 <= stage["left"] < 86_400:
        return f"{stage['left']:.0f} s are reported to be left: {stage}"
    if stage["checkpoints"] < 2:
        return f"no checkpoints: {stage}"
    return ""


def trained(home: Path) -> dict[str, object]:
    """Run in the process whose clock jumps: report the effect of each jump, and the errors at the
    end.
    """
    rng = np.random.default_rng(0)
    values = np.sin(3.0 * rng.standard_normal((6000, 3)) @ rng.standard_normal((3, 12)))
    data = Dataset("waves", "Waves", values + 0.1 * rng.standard_normal(values.shape),
                   Drawing.of_vector(12))  # fmt: skip
    model = BayesianGPLVM(5, 50, max_iter=20_000, random_state=0)
    few = BayesianGPLVM(2, 6, max_iter=4, random_state=0)
    small = replace(data, targets=data.targets[:40])
    queue = Queue(home, checkpoint_seconds=CHECKPOINT)
    id = queue.submit(model, data, "long")
    while queue.snapshot(id).progress is None:
        PAUSE.wait(0.01)
    stages, others, readers = [], [], Readers()
    for jump in JUMPS:
        stages.append(stage_of(queue, id, home / "clock", jump))
        others.append(queue.submit(few, small, f"at {jump}"))
        with readers.reading("inspect", NamedBytes("x.csv", b"a,b\n1,2\n3,4\n")) as reading:
            reading.answer()
    readers.close()
    queue.cancel(id)
    harm = [
        f"{job}: {ended.status} {ended.error}"
        for job in (id, *others)
        if (ended := queue.wait(job, 120)).status not in ("finished", "cancelled")
    ]
    trace = queue.snapshot(id).trace["seconds"]
    harm += ["the trace goes back in time"] if (np.diff(trace) < 0).any() else []
    entries = Library(home / "library").entries()
    dates = [datetime.fromisoformat(entry.created) for entry in entries]
    harm += [] if len(entries) == len(JUMPS) + 1 else [f"{len(entries)} models"]
    harm += [] if dates == sorted(dates) else ["models are not in the order of their dates"]
    queue.close()
    again = Queue(home)  # this is like a new start of the program
    lost = {id, *others} - {job.id for job in again.jobs()}
    again.close()
    return {"stages": stages, "harm": [*harm, *(f"{job} is lost" for job in lost)]}


def stage_of(queue: Queue, id: str, clock: Path, jump: str) -> Stage:
    """Let the clock jump, and return a job's state a while later."""
    before, wall = queue.snapshot(id).progress, time.time()
    state, written = queue.home / "jobs" / f"{id}{SUFFIX}", set[int]()
    begin = time.monotonic()
    fresh = clock.with_suffix(".new")
    fresh.write_text(jump)
    fresh.replace(clock)
    while time.monotonic() < begin + STAGE:
        written.add(state.stat().st_mtime_ns if state.exists() else 0)
        PAUSE.wait(0.01)
    after, real = queue.snapshot(id).progress, time.monotonic() - begin
    assert before is not None and after is not None
    return {
        "jumped": time.time() - wall - real,
        "real": real,
        "spent": after.seconds - before.seconds,
        "left": after.seconds_left or 0.0,
        "checkpoints": len(written),
    }


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(trained(Path(sys.argv[1]))))
    else:
        for row in rows():
            print(f"{row.kind}: {row.failures} of {row.tries}. {row.remark}")
