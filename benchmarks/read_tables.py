"""Seconds and memory to read a table in each format, beside pandas and polars.

`python -m benchmarks.read_tables` writes 10⁵ × 50 numbers (in Excel 10⁴ rows), and the same table
with gaps, a column of dates and five of words ("mixed"). It reads each file in a fresh process with
one thread. Memory is what reading adds to the process with its imports.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

ROWS, COLUMNS, EXCEL_ROWS = 100_000, 50, 10_000
READERS = {
    "csv": ("pandas.read_csv(path).to_numpy()", "polars.read_csv(path).to_numpy()"),
    "mixed.csv": (
        "pandas.read_csv(path, parse_dates=['date'])",
        "polars.read_csv(path, try_parse_dates=True)",
    ),
    "parquet": ("pandas.read_parquet(path).to_numpy()", "polars.read_parquet(path).to_numpy()"),
    "npy": ("numpy.load(path)", ""),
    "xlsx": ("pandas.read_excel(path).to_numpy()", ""),
}
OURS = "read_table(path).values"
MIXED = "read_table(path, time_column='date', kinds='auto').values"
MEASURE = """
import re, resource, sys, time
import numpy, openpyxl, pandas, polars, pyarrow.parquet
from gplvm_core import read_table
path, page = sys.argv[1], resource.getpagesize()
before = int(open("/proc/self/statm").read().split()[1]) * page
start = time.process_time()
found = {call}
seconds = time.process_time() - start
peak = int(re.search("VmHWM:(.*) kB", open("/proc/self/status").read())[1]) * 1024
print(seconds, (peak - before) / 1e6, *found.shape)
"""
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS", "ARROW_NUM_THREADS")


def main() -> None:
    import pandas

    values = np.random.default_rng(0).normal(size=(ROWS, COLUMNS))
    frame = pandas.DataFrame(values, columns=[f"column_{d}" for d in range(COLUMNS)])
    with tempfile.TemporaryDirectory() as folder:
        paths = {ending: Path(folder, f"table.{ending}") for ending in READERS}
        frame.to_csv(paths["csv"], index=False)
        mixed(frame).to_csv(paths["mixed.csv"], index=False)
        frame.to_parquet(paths["parquet"])
        np.save(paths["npy"], values)
        frame[:EXCEL_ROWS].to_excel(paths["xlsx"], index=False)
        for ending, path in paths.items():
            ours = MIXED if ending == "mixed.csv" else OURS
            for call in filter(None, (ours, *READERS[ending])):
                print(f"{ending:9} {call:57} {measured(call, path)}", flush=True)


def mixed(frame: Any) -> Any:
    """Return a table with dates, words and gaps of the size of a frame."""
    import pandas

    generator = np.random.default_rng(1)
    gaps = generator.random(frame.shape) < 0.02
    words = {
        f"word_{n}": generator.choice([f"word {m}" for m in range(3 + 5 * n)], len(frame))
        for n in range(5)
    }
    dates = pandas.date_range("2000-01-01", periods=len(frame), freq="h")
    return frame.mask(gaps).iloc[:, 6:].assign(date=dates, **words)


def measured(call: str, path: Path) -> str:
    """Return CPU seconds, MB and the shape for one call."""
    code = MEASURE.replace("{call}", call)
    environment = os.environ | dict.fromkeys(ONE_THREAD, "1")
    answer = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, env=environment
    )
    if answer.returncode:
        return answer.stderr.strip().splitlines()[-1]
    seconds, megabytes, rows, columns = answer.stdout.split()
    return f"{float(seconds):6.2f} s {float(megabytes):6.0f} MB  {rows} × {columns}"


if __name__ == "__main__":
    main()
