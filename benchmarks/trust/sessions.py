"""Many visitors at the same time while a job trains; pages that do not arrive are failures."""

import argparse
import asyncio
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.interaction import app
from benchmarks.trust.row import Row
from benchmarks.visitors import crowd

N_SESSIONS, MINUTES, PAUSE = 50, 1.5, 8.0


def rows() -> list[Row]:
    """Return one row: pages opened, and sessions that met an error.

    `benchmarks.visitors` measures the seconds.
    """
    options = argparse.Namespace(sessions=N_SESSIONS, minutes=MINUTES, pause=PAUSE)
    with tempfile.TemporaryDirectory() as home, app(Path(home), "busy") as url:
        report = asyncio.run(crowd(url, options))
    waits = [wait for _, wait in report["waits"]]
    words = f"pages; 95 % came within {np.percentile(waits, 95):.1f} s"
    return [Row(f"{N_SESSIONS} sessions, a job training", len(waits), report["errors"], words)]
