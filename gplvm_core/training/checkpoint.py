"""A job on disk, with everything needed to continue exactly after its process was killed."""

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import IO, Any, get_args

import numpy as np
from sklearn.base import BaseEstimator

from gplvm_core.optimise import Progress
from gplvm_core.readers import Dataset
from gplvm_core.store import SUFFIX, StoreError, load, save
from gplvm_core.store.atomic import clear_temporary, tighten
from gplvm_core.store.entry import mistyped
from gplvm_core.store.errors import reading
from gplvm_core.store.file import read, write_sealed
from gplvm_core.store.holding import claim, no_writers, writing
from gplvm_core.store.shelf import check_digest
from gplvm_core.training.progress import Request, Snapshot, Status, empty_trace

_DATA = f".data{SUFFIX}"
# Fields that are not stored with the snapshot, because the model has them.
_FROM_MODEL = ("parameters", "model_class")


@dataclass(frozen=True)
class JobFiles:
    """The files of one job: its state, written repeatedly, and its data set, written once."""

    folder: Path
    id: str

    @property
    def state(self) -> Path:
        return self.folder / f"{self.id}{SUFFIX}"

    @property
    def data(self) -> Path:
        return self.folder / f"{self.id}{_DATA}"

    @property
    def lock(self) -> Path:
        return self.folder / f"{self.id}.lock"

    def write_data(self, dataset: Dataset) -> str:
        """Write the data set and return its digest; StoreError if it cannot be written."""
        return write_sealed(dataset, self.data)

    def read_data(self, digest: str | None) -> Dataset:
        """Read the data set; StoreError if it is missing, damaged or has another digest."""
        dataset, manifest = read(self.data)
        if not isinstance(dataset, Dataset):
            raise StoreError(f"{self.data.name} does not contain a data set. Submit the job again.")
        check_digest(manifest, digest, self.data.name)
        return dataset

    def write_state(self, snapshot: Snapshot, model: BaseEstimator) -> None:
        """Replace the state in one step; a kill leaves the old one or the new one."""
        record = {
            field.name: getattr(snapshot, field.name)
            for field in fields(Snapshot)
            if field.name not in _FROM_MODEL
        }
        # The file is not compressed, because this function is called every few seconds.
        with writing(self.folder):
            save({**record, "model": model}, self.state, compress=False)

    def read_state(self) -> tuple[Snapshot, BaseEstimator]:
        """Read the last written snapshot and the unfitted model; StoreError if damaged."""
        record = load(self.state)
        model = record.get("model") if isinstance(record, dict) else None
        if not isinstance(model, BaseEstimator):
            raise StoreError(f"{self.state.name} does not contain a training job. Remove it.")
        if record.get("id") != self.id:
            raise StoreError(f"{self.state.name} is the state of another job. Remove it.")
        known = {field.name for field in fields(Snapshot)}
        values: dict[str, Any] = {key: value for key, value in record.items() if key in known}
        values |= {
            "id": self.id,
            "model_class": type(model).__name__,
            "parameters": model.get_params(deep=False),
        }
        with reading(self.state.name):
            snapshot = Snapshot(**values)
            _check(snapshot)
        return snapshot, model

    def claim(self) -> IO[bytes] | None:
        """Lock the job for this process: an open file, or None if another process has locked it.

        The system releases the lock when the process ends, even by a kill.
        """
        return claim(self.lock)

    def remove(self) -> None:
        """Delete the job's files, if they exist."""
        for path in (self.state, self.data, self.lock):
            with contextlib.suppress(OSError):
                os.unlink(path)


def _check(snapshot: Snapshot) -> None:
    """Raise TypeError or ValueError for invalid fields."""
    if name := mistyped(snapshot):
        raise TypeError(f"its {name} is not a text")
    if snapshot.status not in get_args(Status):
        raise ValueError(f"its status is {snapshot.status!r:.80}")
    if snapshot.request not in (None, *get_args(Request)):
        raise ValueError(f"its request is {snapshot.request!r:.80}")
    if not isinstance(snapshot.progress, Progress | None):
        raise TypeError("its progress has the wrong type")
    if not all(isinstance(note, str) for note in snapshot.notes):
        raise TypeError("its notes are not texts")
    if not isinstance(snapshot.trace, Mapping) or snapshot.trace.keys() != empty_trace().keys():
        raise ValueError("its trace has the wrong arrays")
    if len({np.shape(values) for values in snapshot.trace.values()}) != 1:
        raise ValueError("its trace has arrays of different lengths")


def tidy_jobs(folder: Path) -> None:
    """Remove the remains of killed processes, and make all files accessible only to the user.

    A job exists if it has a state file. Other files of a job without a state file are removed,
    unless a running process has locked the job. Never raises.
    """
    with contextlib.suppress(OSError):
        tighten(folder)
        with no_writers(folder) as nobody_writes:
            if not nobody_writes:
                return
            clear_temporary(folder)
            ids = {path.name.removesuffix(".lock") for path in folder.glob("*.lock")}
            ids |= {path.name.removesuffix(_DATA) for path in folder.glob(f"*{_DATA}")}
            for files in (JobFiles(folder, id) for id in ids):
                held = None if files.state.exists() else files.claim()
                if held is not None:
                    files.remove()
                    held.close()


def stored_jobs(folder: Path) -> Iterator[JobFiles]:
    """Yield the jobs with a state file in a folder; none if the folder cannot be read."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.name.endswith(SUFFIX))
    except OSError:
        return
    for path in paths:
        if not path.name.endswith(_DATA) and not path.name.startswith("."):
            yield JobFiles(folder, path.name.removesuffix(SUFFIX))
