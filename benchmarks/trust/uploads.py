"""Uploads that are damaged, hostile or far too large, and hostile data given to every model.

The damaged files are a part of the files of `make fuzz`. Files that unpack to a huge size are read
as in the app, in a separate process; the system reports its CPU seconds and peak memory.
"""

import contextlib
import gzip
import io
import os
import traceback
import warnings
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from PIL import Image

from benchmarks.trust.row import Row
from gplvm_core import (
    GPLVM,
    BayesianGPLVM,
    BayesianPCA,
    DeepGPLVM,
    DynamicalGPLVM,
    ManifoldRelevance,
    ProbabilisticPCA,
)
from gplvm_core.datasets import DataError, NamedBytes
from gplvm_core.sandbox import TASKS, Readers
from gplvm_core.store import StoreError
from tests.attacks.bombs import BOMBS as HAND_MADE
from tests.fuzz.mutations import mutated
from tests.fuzz.samples import UPLOADS

EXAMPLES = 100  # the number of damaged files of each kind
MOST_SECONDS, MOST_MEGABYTES = 20.0, 1024

Array = np.ndarray[Any, np.dtype[Any]]


def rows() -> list[Row]:
    """Return the rows: damaged uploads by kind, huge uploads, and hostile data for every model."""
    return [*(damaged(name) for name in UPLOADS), bombs(), hostile_data()]


def damaged(name: str) -> Row:
    """Read damaged files of one kind: each must give a data set or a clear error."""
    tries, failures = 0, 0

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(mutated(UPLOADS[name]()))
    def check(data: bytes) -> None:
        nonlocal tries, failures
        tries += 1
        try:
            TASKS["read"](NamedBytes(name, data))
        except DataError:
            pass
        except Exception:
            failures += 1

    with warnings.catch_warnings(action="ignore"):
        check()
    return Row(f"upload, {name}", tries, failures, "damaged; read, or refused in words")


def zeros() -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, x=np.zeros((16_000, 16_000), dtype=np.uint8))
    return file.getvalue()


def just_allowed() -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, x=np.ones((2_000, 9_900)))
    return file.getvalue()


def pngs() -> bytes:
    picture, file = io.BytesIO(), io.BytesIO()
    Image.new("1", (7_000, 7_000)).save(picture, "PNG")
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(20):
            archive.writestr(f"{number}.png", picture.getvalue())
    return file.getvalue()


def gif() -> bytes:
    file = io.BytesIO()
    first, second = (Image.new("L", (1, 1), shade) for shade in (0, 1))
    first.save(file, "GIF", save_all=True, append_images=[second, first] * 50)
    data = bytearray(file.getvalue())
    data[6:10] = 2 * (6_000).to_bytes(2, "little")
    return bytes(data)


def motion() -> bytes:
    bone = "OFFSET 0 0 0\nCHANNELS 1 Xrotation\nEnd Site\n{\nOFFSET 0 1 0\n}"
    count = 30_000_000
    head = f"HIERARCHY\nROOT a\n{{\n{bone}\n}}\nMOTION\nFrames: {count}\nFrame Time: 0.1\n"
    return gzip.compress(head.encode() + b"0\n" * count)


def columns(same: bool) -> bytes:
    names = ["x" if same else f"name {n}" for n in range(200_000)]
    return "\n".join([",".join(names), *[",".join(["1"] * len(names))] * 2]).encode()


def long_table() -> bytes:
    generator = np.random.default_rng(0)
    line = ",".join(f"{value:.4f}" for value in generator.normal(size=1_000))
    return "\n".join([line] * 6_000).encode()


def workbook() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
        archive.writestr("xl/sharedStrings.xml", b"<si><t>a</t></si>" * 12_000_000)
    return file.getvalue()


def words() -> bytes:
    """Return a column that repeats one long word, which Parquet stores once."""
    import pyarrow
    from pyarrow import parquet

    file = io.BytesIO()
    words = pyarrow.DictionaryArray.from_arrays([0] * 5_000, ["x" * 1_000_000])
    parquet.write_table(pyarrow.table({"a": words}), file)
    return file.getvalue()


BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "zeros": ("x.npz", zeros),
    "the largest number of values that is read": ("x.npz", just_allowed),
    "pictures": ("x.zip", pngs),
    "frames": ("x.gif", gif),
    "motion": ("x.bvh", motion),
    "names": ("x.csv", lambda: columns(False)),
    "equal names": ("x.csv", lambda: columns(True)),
    "long table": ("x.csv", long_table),
    "workbook": ("x.xlsx", workbook),
    "words": ("x.parquet", words),
    **HAND_MADE,
}


def bombs() -> Row:
    """Return small files that unpack to huge sizes, and regular files of 45 MB."""
    failures, worst, peak = 0, ("", 0.0), ("", 0.0)
    for title, (name, make) in BOMBS.items():
        seconds, megabytes, answered = read_sandboxed(NamedBytes(name, make()))
        failures += not answered or seconds > MOST_SECONDS or megabytes > MOST_MEGABYTES
        worst = max(worst, (title, seconds), key=lambda found: found[1])
        peak = max(peak, (title, megabytes), key=lambda found: found[1])
        print(f"{title:28} {seconds:6.1f} s {megabytes:6.0f} MB")
    report = (
        f"longest {worst[1]:.1f} s of the processor ({worst[0]}), most {peak[1]:.0f} MB ({peak[0]})"
    )
    return Row("upload, far too large", len(BOMBS), failures, report)


def read_sandboxed(source: NamedBytes) -> tuple[float, float, bool]:
    """Read a file as in the app; return CPU seconds, peak megabytes, and whether there was an
    answer.

    The time is CPU time, because wall time depends on other load.
    """
    readers = Readers()
    reader = readers.take()  # the app, too, starts the process before the upload
    reader.ask({"task": "inspect", "name": "x.csv", "options": {}, "data": np.frombuffer(
        b"1,2\n3,4\n", dtype=np.uint8)})  # fmt: skip
    process, answered = reader.process.pid, True
    at_first, before = resident(process), processor(process)
    readers.give_back(reader)
    peak, seconds = 0.0, before
    task = "model" if source.name.endswith(".gplvm") else "read"
    with readers.reading(task, source) as reading:
        while not reading.wait(0.02):
            peak, seconds = max(peak, resident(process)), max(seconds, processor(process))
        try:
            reading.answer()
        except (DataError, StoreError) as error:
            answered = bool(str(error))
    readers.close()
    return seconds - before, max(0.0, peak - at_first), answered


def processor(process: int) -> float:
    """Return the CPU seconds of a process; 0 if the system does not report them."""
    with contextlib.suppress(OSError), open(f"/proc/{process}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def resident(process: int) -> float:
    """Return the peak memory of a process in megabytes; 0 if the system does not report it."""
    with contextlib.suppress(OSError), open(f"/proc/{process}/status") as status:
        for line in status:
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    return 0.0


def hostile() -> Iterator[tuple[str, Array]]:
    """Return extreme and unusual data."""
    generator = np.random.default_rng(0)
    plain = generator.normal(size=(8, 4))
    gaps = plain.copy()
    gaps[generator.random(gaps.shape) < 0.4] = np.nan
    with_infinity = plain.copy()
    with_infinity[2, 1] = np.inf
    yield "plain", plain
    yield "gaps", gaps
    yield "all missing", np.full((5, 3), np.nan)
    yield "infinite", with_infinity
    yield "constant", np.full((6, 3), 7.0)
    yield "a constant column", np.column_stack([plain, np.ones(8)])
    yield "one row", plain[:1]
    yield "two rows", plain[:2]
    yield "equal rows", np.repeat(plain[:1], 6, axis=0)
    yield "doubled rows", np.repeat(plain, 2, axis=0)
    yield "1e300", plain * 1e300
    yield "1e200", plain * 1e200
    yield "1e150", plain * 1e150
    yield "1e-300", plain * 1e-300
    yield "tiny beside large", plain * np.array([1e-200, 1.0, 1e100, 1.0])
    yield "far from 0", plain + 1e15
    yield "whole numbers", (10 * plain).astype(int)
    yield "truth", plain > 0
    yield "more columns than rows", generator.normal(size=(4, 60))
    yield "one column", plain[:, :1]
    yield "no column", plain[:, :0]
    yield "outlier", np.vstack([plain, 1e8 * np.ones(4)])
    yield "no numbers", np.array([["a", "b"], ["c", "d"]])


def models() -> dict[str, Callable[[Array], object]]:
    """Return, for each model, a function that trains it for a few steps."""
    few: dict[str, Any] = {"n_components": 2, "max_iter": 3, "random_state": 0}

    def with_times(y: Array) -> object:
        return DynamicalGPLVM(n_inducing=4, **few).fit(y, times=np.arange(len(y), dtype=float))

    def in_views(y: Array) -> object:
        half = max(1, y.shape[1] // 2)
        return ManifoldRelevance(n_inducing=4, **few).fit({"a": y[:, :half], "b": y[:, half:]})

    return {
        "ProbabilisticPCA": lambda y: ProbabilisticPCA(n_components=1).fit(y),
        "BayesianPCA": lambda y: BayesianPCA(n_components=1).fit(y),
        "GPLVM": lambda y: GPLVM(**few).fit(y),
        "BayesianGPLVM": lambda y: BayesianGPLVM(n_inducing=4, **few).fit(y),
        "DynamicalGPLVM": with_times,
        "ManifoldRelevance": in_views,
        "DeepGPLVM": lambda y: DeepGPLVM(max_iter=3, random_state=0).fit(y),
    }


def hostile_data() -> Row:
    """Train every model on every kind of data: each must give finite results or a clear error."""
    tries, failures, report = 0, 0, []
    for title, fit in models().items():
        for kind, values in hostile():
            tries += 1
            try:
                with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
                    fitted = fit(values)
                wrong = "" if is_finite(fitted) else "results that are not finite"
            except Exception as error:
                own = isinstance(error, ValueError) and in_words(error)
                wrong = "" if own else f"{type(error).__name__}: {error}"
            if wrong:
                failures += 1
                report.append(f"{title}, {kind}: {wrong[:120]}")
    for line in report:
        print(line)
    return Row("hostile data × models", tries, failures, "finite results, or refused in words")


def is_finite(fitted: object) -> bool:
    """Return whether the bound and the latent positions are numbers."""
    found = [getattr(fitted, name, 0.0) for name in ("bound_", "latent_mean_", "noise_variance_")]
    return all(np.isfinite(np.asarray(each, dtype=float)).all() for each in found)


def in_words(error: Exception) -> bool:
    """Return whether the error is raised by this project, or by scikit-learn's checks of data."""
    places = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    return "gplvm_core" in places[-1] or any(place.endswith("validation.py") for place in places)


if __name__ == "__main__":
    for row in rows():
        print(row)
