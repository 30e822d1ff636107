"""Several processes that work in one workspace at the same time: a row of the table of trust.

    python -m benchmarks.trust.together

Each process has a separate queue and library, like a web server. The processes are killed one after
another, and a new one replaces each.
"""

import json
import os
import random
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from benchmarks.trust.row import Row
from benchmarks.trust.store import DATA, MODEL, same, same_data
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.store import Library, StoreError
from gplvm_core.store.shelf import card_in, folders
from gplvm_core.training import JobError, Queue
from gplvm_core.training.job import Job, Outcome

AT_ONCE, SECONDS, KILLS, RESUMED = 3, 12.0, 8, 5
KEPT = ("saved", "kept")
LARGER = np.random.default_rng(3).normal(size=(300, 4))
LONG_DATA = Dataset("larger", "Larger", LARGER, Drawing.of_vector(4))
LONG = clone(MODEL).set_params(max_iter=150)


def rows() -> list[Row]:
    """Return one row: the actions of the processes, and errors during or after them."""
    with tempfile.TemporaryDirectory() as folder:
        home, notes = Path(folder) / "home", Path(folder) / "notes"
        notes.mkdir()
        library = Library(home / "library")
        for title in KEPT:
            library.add(MODEL, DATA, title)
        rng, children = random.Random(0), [started(home, notes, n) for n in range(AT_ONCE)]
        died = dict[int, float]()
        for turn in range(KILLS):
            time.sleep(SECONDS / KILLS)
            place = rng.randrange(AT_ONCE)
            died |= ended(*children[place])
            children[place] = started(home, notes, AT_ONCE + turn)
        for child in children:
            died |= ended(*child)
        report = [json.loads(line) for path in notes.iterdir() for line in lines_of(path)]
        harmed = [each["error"] for each in report if "error" in each]
        harmed += trained_twice([each for each in report if "trains" in each], died)
        harmed += left_wrong(home)
    for harm in harmed[:5]:
        print(harm)
    acts = [each for each in report if "act" in each]
    refused = sum(each["refused"] for each in acts)
    words = f"{AT_ONCE} at once, {KILLS} killed; {refused} refused in words"
    return [Row("processes on one workspace", len(acts), len(harmed), words)]


def lines_of(path: Path) -> list[str]:
    """Return only complete lines, because a kill may have cut the last line."""
    return [line for line in path.read_text().splitlines(keepends=True) if line.endswith("}\n")]


def started(home: Path, notes: Path, number: int) -> tuple[int, int]:
    """Return a new process, and its number."""
    child = os.fork()
    if child == 0:
        with (notes / f"{number}.jsonl").open("a", buffering=1) as file:
            try:
                at_work(home, number, lambda **report: file.write(json.dumps(report) + "\n"))
            except BaseException:
                file.write(json.dumps({"error": traceback.format_exc()}) + "\n")
            os._exit(1)
    return child, number


def ended(child: int, number: int) -> dict[int, float]:
    """Return the process to kill, and the time."""
    when = time.monotonic()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return {number: when}


def at_work(home: Path, number: int, note: Callable[..., object]) -> None:
    """In a process, train and act in random order, and report the results."""
    rng, train = random.Random(number), Job.train

    def noted(job: Job) -> Outcome:
        begin = time.monotonic()
        note(trains=job.id, by=number, begin=begin, end=None)
        outcome = train(job)
        note(trains=job.id, by=number, begin=begin, end=time.monotonic())
        return outcome

    Job.train = noted  # type: ignore[assignment, method-assign]
    queue, library = Queue(home, checkpoint_seconds=0.05), Library(home / "library")

    def any_of(found: Sequence[Any]) -> str:
        return rng.choice(found).id if found else "none"

    def not_kept(library: Library) -> str:
        return any_of([each for each in library.entries() if each.id not in KEPT])

    def recover() -> None:
        for job in queue.recover():
            queue.resume(job.id)
        broken = [job.error for job in queue.jobs() if job.status == "failed"]
        if broken:
            raise RuntimeError(f"broken: {broken}")

    acts = [
        lambda: queue.submit(LONG, LONG_DATA, f"job of {number}"),
        lambda: queue.submit(MODEL, DATA, "short"),
        recover,
        recover,
        lambda: queue.cancel(any_of(queue.jobs())),
        lambda: queue.pause(any_of(queue.jobs())),
        lambda: queue.resume(any_of(queue.jobs())),
        lambda: queue.forget(any_of(queue.jobs())),
        lambda: library.add(MODEL, DATA, "added"),
        lambda: library.duplicate(any_of(library.entries())),
        lambda: library.rename(any_of(library.entries()), f"by {number}"),
        lambda: library.delete(not_kept(library)),
        lambda: library.delete(not_kept(library)),
        lambda: library.restore(any_of(library.trash())),
        library.empty_trash,
        lambda: library.model(any_of(library.entries())),
        library.disk_use,
        library.tidy,
    ]

    while True:
        act = rng.randrange(len(acts))
        refused = False
        try:
            acts[act]()
        except (StoreError, JobError):
            refused = True
        note(act=act, refused=refused)


def trained_twice(spells: list[dict[str, Any]], died: dict[int, float]) -> list[str]:
    """Return jobs that two processes trained at the same time."""
    ends = {(each["trains"], each["by"], each["begin"]): died[each["by"]] for each in spells}
    for each in spells:
        if each["end"] is not None:
            ends[each["trains"], each["by"], each["begin"]] = each["end"]
    return [
        f"{job} was trained by {one} and {other} at once"
        for (job, one, begin), end in ends.items()
        for (same_job, other, start), stop in ends.items()
        if job == same_job and one < other and begin < stop and start < end
    ]


def left_wrong(home: Path) -> list[str]:
    """Return the final damage: models, jobs that continue, and leftover files."""
    queue, library = Queue(home), Library(home / "library")
    left = [job.id for job in queue.jobs() if job.status in ("interrupted", "paused")]
    for id in left[:RESUMED]:
        queue.resume(id)
    found = [
        f"{id}: {job.status}, {job.error}"
        for id in left[:RESUMED]
        if (job := queue.wait(id, 60)).status != "finished"
    ]
    queue.close()
    found += [f"{each.id} is broken" for each in library.entries() if each.broken]
    for id in KEPT:
        if not same(library.model(id), MODEL) or not same_data(library.dataset(id)):
            found.append(f"{id} is another model")
    jobs = [card.job for folder in folders(library.root) if (card := card_in(folder)).job]
    found += [f"{job} has two models" for job in {*jobs} if jobs.count(job) > 1]
    litter = [path.name for path in home.rglob("*") if path.name.startswith((".new", ".emptied"))]
    return found + [f"litter: {name}" for name in (*litter, *home.rglob("*.tmp"))]


if __name__ == "__main__":
    for row in rows():
        print(f"{row.kind}: {row.failures} of {row.tries}. {row.remark}")
