"""Tests that a new process continues the training of a killed process with the same numbers."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gplvm_core.optimise import Progress
from gplvm_core.store import Library, StoreError, save
from gplvm_core.store.shelf import same
from gplvm_core.training import JobError, Queue
from gplvm_core.training.checkpoint import JobFiles
from gplvm_core.training.progress import Snapshot

ROOT = Path(__file__).parents[2]
LONG = 100_000

# The script trains until the checkpoint on disk is a few iterations old, and then dies as its
# argument says.
CHILD = """
import os, signal, sys, time
from gplvm_core.store import load
from gplvm_core.training import Queue

home, ending = sys.argv[1:]
parts = load(home + "/parts.gplvm")
queue = Queue(home, checkpoint_seconds=0.0 if ending == "kill" else 3600.0)
id = queue.submit(parts["model"], parts["data"], "killed")
queue.submit(parts["model"], parts["data"], "waiting")
while queue.snapshot(id).progress is None or queue.snapshot(id).progress.iteration < 6:
    time.sleep(0.001)
print(id, flush=True)
if ending == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
"""


def run_child(home: Path, ending: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", CHILD, str(home), ending],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a system with SIGKILL")
@pytest.mark.parametrize("ending", ["kill", pytest.param("exit", marks=pytest.mark.slow)])
def test_the_job_of_an_ended_process_is_taken_over(tmp_path, wave, make_model, open_queue, ending):
    # When Python exits, it stops the threads of n_jobs in its own way.
    model = make_model(150, n_jobs=2 if ending == "exit" else None)
    save({"model": model, "data": wave}, tmp_path / "parts.gplvm")
    child = run_child(tmp_path, ending)
    assert child.returncode == (-signal.SIGKILL if ending == "kill" else 0), child.stderr
    queue = open_queue()
    killed, waiting = queue.jobs()
    assert killed.id == child.stdout.strip()
    assert (killed.status, waiting.status) == ("interrupted", "interrupted")
    assert killed.progress.iteration >= 5
    assert len(killed.trace["bound"]) == killed.progress.iteration
    queue.resume(killed.id)
    done = queue.wait(killed.id, 300)
    whole = model.fit(wave.values)
    assert done.status == "finished"
    np.testing.assert_array_equal(done.trace["bound"], whole.trace_["bound"])
    resumed = Library(tmp_path / "library").model(done.entry)
    np.testing.assert_array_equal(resumed.trace_["bound"], whole.trace_["bound"])
    np.testing.assert_array_equal(resumed.latent_mean_, whole.latent_mean_)
    queue.forget(waiting.id)


def test_finished_jobs_are_still_there_and_can_be_extended(open_queue, wave, make_model):
    first = open_queue()
    id = first.submit(make_model(20), wave, "yesterday")
    before = first.wait(id, 300)
    first.close()
    second = open_queue()
    assert second.recover() == ()
    after = second.snapshot(id)
    assert (after.status, after.entry, after.reason) == ("finished", before.entry, before.reason)
    np.testing.assert_array_equal(after.trace["bound"], before.trace["bound"])
    second.extend(id, 40)
    done = second.wait(id, 300)
    assert len(done.trace["bound"]) > len(before.trace["bound"])
    assert done.entry == before.entry


def test_a_closed_queue_leaves_paused_jobs_to_the_next(open_queue, ocean, make_model, until):
    first = open_queue()
    id = first.submit(make_model(LONG), ocean, "kept")
    until(lambda: first.snapshot(id).progress is not None)
    first.close()
    stopped_at = first.snapshot(id).progress.iteration
    second = open_queue()
    assert (second.snapshot(id).status, second.snapshot(id).name) == ("paused", "kept")
    assert second.snapshot(id).progress.iteration == stopped_at
    second.cancel(id)
    done = second.wait(id, 300)
    assert done.status == "cancelled"
    assert done.entry is not None


def test_jobs_of_a_process_that_lives_are_left_to_it(open_queue, ocean, make_model, until):
    mine, other = open_queue(), open_queue()
    id = mine.submit(make_model(LONG), ocean, "mine")
    until(lambda: mine.snapshot(id).progress is not None)
    assert other.recover() == ()
    assert other.jobs() == ()
    mine.close()
    assert [job.id for job in other.recover()] == [id]


def test_a_job_that_another_process_has_just_removed_leaves_no_ghost(
    open_queue, wave, make_model, monkeypatch
):
    mine, other = open_queue(), open_queue()
    id = mine.submit(make_model(3), wave, "short")
    mine.wait(id, 300)
    mine.close()
    claim = JobFiles.claim

    def too_late(files: JobFiles) -> object:
        files.remove()
        return claim(files)

    monkeypatch.setattr(JobFiles, "claim", too_late)
    assert other.recover() == () and other.jobs() == ()
    assert list((other.home / "jobs").iterdir()) == []


def test_a_damaged_checkpoint_is_listed_and_can_be_forgotten(open_queue, wave, make_model):
    first = open_queue()
    id = first.submit(make_model(3), wave, "damaged")
    first.wait(id, 300)
    first.close()
    state = first.home / "jobs" / f"{id}.gplvm"
    state.write_bytes(state.read_bytes()[:100])
    save({"n": 3}, first.home / "jobs" / "foreign.gplvm")
    queue = open_queue()
    damaged, foreign = sorted(queue.jobs(), key=lambda job: job.id)
    assert (damaged.status, foreign.status) == ("failed", "failed")
    assert "cut off" in damaged.error
    assert "not contain a training job" in foreign.error
    for order in (queue.resume, queue.rerun, lambda job: queue.extend(job, 9)):
        with pytest.raises(JobError, match="cannot be used"):
            order(id)
    queue.forget(id)
    queue.forget("foreign")
    assert list((queue.home / "jobs").iterdir()) == []


def test_a_flipped_bit_of_a_state_is_reported(tmp_path, wave, make_model):
    """Four hundred bits of the file are flipped; irrelevant bits of a zip may change without a
    report.
    """
    told: list[Progress] = []
    make_model(3).fit(wave.values, callback=told.append)
    files = JobFiles(tmp_path, "mine")
    given = Snapshot("mine", "Mine", "paused", "", "wave", "2026", {}, told[-1], entry="mine")
    files.write_state(given, make_model(3))
    whole, (before, _) = files.state.read_bytes(), files.read_state()
    silent = []
    for at in range(0, 8 * len(whole), 8 * len(whole) // 400 + 1):
        flipped = bytearray(whole)
        flipped[at // 8] ^= 1 << at % 8
        files.state.write_bytes(flipped)
        with contextlib.suppress(StoreError):
            after, _ = files.read_state()
            if not same(after, before):
                silent.append(at)
    assert silent == []


def test_lost_data_fail_the_job_in_words(open_queue, wave, make_model):
    queue: Queue = open_queue()
    id = queue.submit(make_model(5), wave, "no data")
    queue.wait(id, 300)
    (queue.home / "jobs" / f"{id}.data.gplvm").unlink()
    queue.extend(id, 10)
    failed = queue.wait(id, 300)
    assert failed.status == "failed"
    assert "does not exist" in failed.error


def test_training_continues_when_a_checkpoint_cannot_be_written(
    open_queue, ocean, make_model, until
):
    queue = open_queue(checkpoint_seconds=0.0)
    id = queue.submit(make_model(LONG), ocean, "full disk")
    until(lambda: queue.snapshot(id).progress is not None)
    folder = queue.home / "jobs"
    folder.rename(queue.home / "moved")
    until(lambda: queue.snapshot(id).warning is not None)
    assert "checkpoint was not written" in queue.snapshot(id).warning
    iteration = queue.snapshot(id).progress.iteration
    until(lambda: queue.snapshot(id).progress.iteration > iteration + 3)
    (queue.home / "moved").rename(folder)
    until(lambda: queue.snapshot(id).warning is None)
