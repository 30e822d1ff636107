"""Helpers of the benchmarks: the location of data, and the row of results."""

import datetime
import importlib.metadata
import json
import os
import platform
import resource
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PACKAGES = ("numpy", "scipy", "scikit-learn")


class DataAbsent(Exception):
    """The data of a benchmark are not on this machine; the message names the missing path."""


def benchmark_data(name: str) -> dict[str, np.ndarray]:
    """Return the arrays of one benchmark file, for example "oil_flow".

    The file is in the folder MANIFOLIO_DATA (default: shared/data beside the repository).
    Raises DataAbsent.
    """
    folder = Path(os.environ.get("MANIFOLIO_DATA", ROOT.parent / "shared" / "data"))
    path = folder / f"{name}.npz"
    if not path.is_file():
        raise DataAbsent(
            f"no file {path.name} in the folder MANIFOLIO_DATA ({folder}); "
            "set MANIFOLIO_DATA to the folder that holds it"
        )
    with np.load(path, allow_pickle=False) as file:
        return {key: file[key] for key in file.files}


def machine() -> dict[str, Any]:
    """Return processor, cores, memory in GB and system of this machine, but not its name."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                processor = line.split(":", 1)[1].strip()
                break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "memory_gb": round(memory, 1),
        "system": platform.system(),
    }


def peak_mb() -> float:
    """Return the peak memory of this process; on Linux without that of its parent."""
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def versions(packages: Sequence[str] = PACKAGES) -> dict[str, str]:
    """Return the versions of Python and of those packages that are installed."""
    found = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def write_row(
    benchmark: str,
    figures: Mapping[str, Any],
    *,
    seed: int | Sequence[int] | None,
    settings: Mapping[str, Any] | None = None,
    other_versions: Mapping[str, str] | None = None,
) -> Path:
    """Append one JSON row to results/BENCHMARK.jsonl and print a message.

    figures: the measured numbers, with units in their names. seed: the seed of the random numbers,
    or all seeds if the row summarises several runs.
    """
    row = {
        "benchmark": benchmark,
        "date": datetime.date.today().isoformat(),
        "seed": seed,
        "settings": dict(settings or {}),
        "figures": dict(figures),
        "machine": machine(),
        "versions": {**versions(), **(other_versions or {})},
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{benchmark}.jsonl"
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, default=_plain) + "\n")
    print(f"row added to benchmarks/results/{path.name}")
    return path


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"cannot write a {type(value).__name__} as JSON")


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Format a Markdown table with right-aligned columns and numbers to three digits."""
    cells = [list(header)] + [[_cell(value) for value in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = [
        "| " + " | ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in cells
    ]
    rule = "|" + "|".join("-" * (width + 1) + ":" for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return str(value)


def skip(benchmark: str, absent: DataAbsent) -> int:
    """Print why a benchmark is skipped, and return the exit status for this case."""
    print(f"SKIPPED {benchmark}: {absent}", file=sys.stderr)
    return 0
