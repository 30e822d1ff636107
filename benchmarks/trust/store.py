"""Models and jobs lost through kills, failing disks and damaged files, for the table of trust.

    python -m benchmarks.trust.store

Each try is a separate (forked) process on a separate workspace in a temporary folder.
"""

import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.base import clone

from benchmarks.trust.row import Row
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.models import BayesianGPLVM
from gplvm_core.store import Library, StoreError, save
from gplvm_core.training import Queue
from gplvm_core.training.checkpoint import JobFiles, stored_jobs
from gplvm_core.training.progress import Snapshot

KILLS, DISKS, DAMAGES = 200, 40, 300
NOBODY = 65534
DONE, REFUSED = 10, 11  # exit codes of a child
OUTPUTS = np.random.default_rng(0).normal(size=(40, 4))
DATA = Dataset("dots", "Dots", OUTPUTS, Drawing.of_vector(4))
MODEL = BayesianGPLVM(2, 8, max_iter=6, random_state=0).fit(OUTPUTS)
LONGER = clone(MODEL).set_params(max_iter=8).fit(OUTPUTS)


def rows() -> list[Row]:
    """Return all rows of the store."""
    return [
        kills(),
        disks("disk full", limited),
        disks("disk full (tmpfs)", small_disk),
        disks("read-only folder", read_only),
        damages(),
    ]


def workspace(home: Path) -> Path:
    """Return a workspace with two models that no action changes.

    It also has one model of a job, one model to be deleted, and two jobs.
    """
    library = Library(home / "library")
    for title in ("saved", "kept", "moved"):
        library.add(MODEL, DATA, title)
    library.add(MODEL, DATA, "mine", job="job-0")
    for id in ("job-0", "job-1"):
        files = JobFiles(home / "jobs", id)
        files.folder.mkdir(exist_ok=True)
        digest = files.write_data(DATA)
        job = Snapshot(id, id, "paused", "", "dots", "2026", {}, data=digest)
        files.write_state(job, clone(MODEL))
    return home


def acts(home: Path) -> list[Callable[[], object]]:
    """Return the actions of a user and of a training."""
    library, files = Library(home / "library"), JobFiles(home / "jobs", "job-0")

    def checkpoint() -> None:
        job, model = files.read_state()
        files.write_state(replace(job, entry="mine"), model)

    return [
        lambda: library.add(LONGER, DATA, "mine", job="job-0"),
        lambda: library.add(MODEL, DATA, "other", job="job-1"),
        checkpoint,
        lambda: library.delete("moved"),
        lambda: library.restore("moved"),
        lambda: library.duplicate("saved"),
        lambda: library.delete("saved-copy"),
        lambda: library.rename("mine", "renamed"),
    ]


def harm(home: Path) -> str:
    """Return the damage to a workspace after a fault; empty if there is none."""
    library = Library(home / "library")
    entries = library.entries()
    present = {entry.id for entry in (*entries, *library.trash())}
    broken = [entry.id for entry in (*entries, *library.trash()) if entry.broken]
    if broken:
        return f"broken: {broken}"
    if not {"saved", "kept", "moved", "mine"} <= present:
        return f"only {sorted(present)}"
    if sum(id.startswith(("mine", "other")) for id in present) > 2:
        return f"one job, two models: {sorted(present)}"
    for id in ("saved", "kept"):
        if not same(library.model(id), MODEL) or not same_data(library.dataset(id)):
            return f"{id} is another model"
    if not any(same(library.model("mine"), each) for each in (MODEL, LONGER)):
        return "mine is neither the old nor the new model"
    for files in stored_jobs(home / "jobs"):
        job, _ = files.read_state()
        if not same_data(files.read_data(job.data)):
            return f"the data of {files.id} changed"
    Queue(home).close()  # the next start removes leftover files
    left = [path.name for path in home.rglob("*") if path.name.startswith((".new", ".emptied"))]
    left += [path.name for path in home.rglob("*.tmp")]
    return f"litter: {left}" if left else ""


def same(model: BayesianGPLVM, other: BayesianGPLVM) -> bool:
    return model.bound_ == other.bound_ and np.array_equal(model.latent_mean_, other.latent_mean_)


def same_data(dataset: Dataset) -> bool:
    return np.array_equal(dataset.targets, OUTPUTS)


def kills() -> Row:
    """Send SIGKILL at random times while all actions repeat."""
    rng, harmed = np.random.default_rng(1), []
    with tempfile.TemporaryDirectory() as folder:
        home = workspace(Path(folder))
        for _ in range(KILLS):
            child = os.fork()
            if child == 0:
                go_round(home)
            time.sleep(rng.uniform(0.001, 0.15))
            os.kill(child, signal.SIGKILL)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            harmed.append(
                attempted(lambda: harm(home))
                if status == -signal.SIGKILL
                else "a foreign exception before the kill"
            )
    return row(
        "kills", harmed, "SIGKILL during add, update, checkpoint, delete, restore, duplicate"
    )


def go_round(home: Path) -> None:
    """In the child, repeat all actions."""
    try:
        while True:
            for act in acts(home):
                # the model may be restored or deleted already
                with contextlib.suppress(StoreError):
                    act()
    finally:
        os._exit(1)


def attempted(look: Callable[[], str]) -> str:
    """Return the text of the error; an exception of another class also counts as damage."""
    try:
        return look()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def disks(kind: str, setting: Callable[[Path, int], object]) -> Row:
    """Check that every action on a failing disk raises a clear error and loses nothing."""
    harmed: list[str] = []
    refused = 0
    for turn in range(DISKS // len(acts(Path()))):
        for place in range(len(acts(Path()))):
            with tempfile.TemporaryDirectory() as folder, home_on(folder, kind) as home:
                if home is None:
                    return Row(kind, 0, 0, "not tried: this system lends no such disk")
                child = os.fork()
                if child == 0:
                    os._exit(outcome(home, setting, turn, place))
                status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                for path in (home, *home.rglob("*")):
                    path.chmod(0o700 if path.is_dir() else 0o600)
                foreign = status not in (DONE, REFUSED)
                harmed.append("a foreign exception" if foreign else attempted(lambda: harm(home)))
                refused += status == REFUSED
    return row(kind, harmed, f"{refused} refused in words, the others done; no model is lost")


@contextmanager
def home_on(folder: str, kind: str) -> Iterator[Path | None]:
    """Return a workspace; for a small disk, on a separate file system."""
    if "tmpfs" not in kind:
        yield workspace(Path(folder))
        return
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", folder],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        yield None
        return
    try:
        yield workspace(Path(folder))
    finally:
        subprocess.run(["umount", folder], check=True)


def outcome(home: Path, setting: Callable[[Path, int], object], turn: int, place: int) -> int:
    """In the child, report whether the action succeeded, raised an error of the store, or another
    error.
    """
    try:
        setting(home, turn)
        queue = Queue(home)
        queue.jobs()
        Library(home / "library").entries()
        acts(home)[place]()
    except StoreError:
        return REFUSED
    except BaseException:
        return 1
    return DONE


def limited(_home: Path, turn: int) -> None:
    """Limit the size of every file, as on a disk that fills in the middle of a write."""
    size = (0, 100, 1000, 3000, 6000, 9000, 12000)[turn % 7]
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def small_disk(home: Path, turn: int) -> None:
    """Fill all but a few pages of the disk."""
    free = os.statvfs(home)
    with open(home / "ballast", "wb") as file:
        file.write(b"\0" * max(0, (free.f_bavail - turn) * free.f_bsize))


def read_only(home: Path, _turn: int) -> None:
    """Become a user with read access only."""
    for path in (home, *home.rglob("*")):
        path.chmod(0o500 if path.is_dir() else 0o400)
        if os.getuid() == 0:
            os.chown(path, NOBODY, NOBODY)
    if os.getuid() == 0:
        os.setuid(NOBODY)


def damages() -> Row:
    """Check that flipped bits, cuts, swaps and edits are reported or harmless, and hide nothing."""
    rng = np.random.default_rng(2)
    harmed: list[str] = []
    report: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        good, home = workspace(Path(folder) / "good"), Path(folder) / "tried"
        Library(good / "library").update("mine", LONGER)
        names = [path.relative_to(good) for path in sorted(good.rglob("*")) if path.is_file()]
        names = [name for name in names if "saved" not in name.parts and name.suffix != ".lock"]
        for turn in range(DAMAGES):
            shutil.copytree(good, home)
            name = names[rng.integers(len(names))]
            damage(home / name, turn % 5, rng, names, good)
            harmed.append(attempted(lambda: reported_or_right(home, report)))
            shutil.rmtree(home)
    words = f"bit flips, cuts, swaps, edits, rubbish: {len(report)} reported, the others read right"
    return row("damaged files", harmed, words)


def damage(path: Path, kind: int, rng: np.random.Generator, names: list[Path], good: Path) -> None:
    data = bytearray(path.read_bytes())
    if kind == 0:
        data[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
    elif kind == 1:
        del data[rng.integers(len(data)) :]
    elif kind == 2:
        data = bytearray((good / names[rng.integers(len(names))]).read_bytes())
    elif kind == 3 and path.suffix == ".json":
        card = json.loads(data)
        values: list[object] = [None, 3, "x", [], {}, True, -1e999, "\ud800"]
        card["entry"][str(rng.choice(list(card["entry"])))] = values[rng.integers(len(values))]
        data = bytearray(json.dumps(card).encode())
    elif kind == 3:
        other = [{"n": 3}, LONGER, DATA, replace(DATA, targets=OUTPUTS + 1e-12)]
        save(other[rng.integers(len(other))], path)
        return
    else:
        start = rng.integers(len(data))
        data[start : start + 64] = rng.bytes(64)
    path.write_bytes(data)


def reported_or_right(home: Path, report: list[str]) -> str:
    """Check that a damaged entry is broken, refused or correct, and that others are unchanged."""
    library = Library(home / "library")
    entries = {entry.id: entry for entry in library.entries()}
    if sorted(entries) != ["kept", "mine", "moved", "saved"] or entries["saved"].broken:
        return f"hidden: {sorted(entries)}"
    refused = []
    for id in entries:
        try:
            model, dataset = library.model(id), library.dataset(id)
        except StoreError as error:
            refused.append(str(error))
            continue
        if not same(model, LONGER if id == "mine" else MODEL) or not same_data(dataset):
            return f"{id} is read as another model"
    queue = Queue(home)
    jobs = queue.jobs()
    for job in jobs:
        try:
            if job.status == "failed":
                refused.append(job.error or "")
            elif not same_data(queue.dataset(job.id)):
                return f"{job.id} has other data"
        except StoreError as error:
            refused.append(str(error))
    queue.close()
    report += refused
    if len(jobs) != 2 or len(refused) > 1:
        return f"hidden: {len(jobs)} jobs are listed, {len(refused)} things are refused"
    return ""


def row(kind: str, harmed: list[str], report: str) -> Row:
    """Return a row from the damage of each try; the remark has the first damage."""
    found = [what for what in harmed if what]
    return Row(kind, len(harmed), len(found), found[0] if found else report)


if __name__ == "__main__":
    for each in rows():
        print(f"{each.kind:20s} {each.tries:5d} {each.failures:5d}  {each.remark}")
