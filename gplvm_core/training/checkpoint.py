"""A job on disk: enough to go on after a kill with the same numbers."""

import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import IO, Any

from sklearn.base import BaseEstimator

from gplvm_core.datasets import Dataset
from gplvm_core.optimise import Progress
from gplvm_core.store import SUFFIX, StoreError, load, save
from gplvm_core.training.progress import Snapshot

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_DATA = f".data{SUFFIX}"
# Taken from the model when read, so that they are there once.
_FROM_MODEL = ("parameters", "model_class")


@dataclass(frozen=True)
class JobFiles:
    """The files of one job: its state, written again and again, and its data set, written once."""

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

    def write_data(self, dataset: Dataset) -> None:
        """Keep the data set; StoreError when it cannot be."""
        save(dataset, self.data)

    def read_data(self) -> Dataset:
        """The data set; StoreError when it is gone or damaged."""
        dataset = load(self.data)
        if not isinstance(dataset, Dataset):
            raise StoreError(f"{self.data.name} holds no data set. Submit the job again.")
        return dataset

    def write_state(self, snapshot: Snapshot, model: BaseEstimator) -> None:
        """Replace the state in one step; a kill leaves the old one or the new one."""
        record = {
            field.name: getattr(snapshot, field.name)
            for field in fields(Snapshot)
            if field.name not in _FROM_MODEL
        }
        # Uncompressed: this happens every few seconds, beside the training.
        save({**record, "model": model}, self.state, compress=False)

    def read_state(self) -> tuple[Snapshot, BaseEstimator]:
        """The job as last written, and its model, not fitted; StoreError when damaged."""
        record = load(self.state)
        model = record.get("model") if isinstance(record, dict) else None
        if not isinstance(model, BaseEstimator):
            raise StoreError(f"{self.state.name} holds no training job. Remove it.")
        known = {field.name for field in fields(Snapshot)}
        values: dict[str, Any] = {key: value for key, value in record.items() if key in known}
        values |= {
            "id": self.id,
            "model_class": type(model).__name__,
            "parameters": model.get_params(deep=False),
        }
        try:
            snapshot = Snapshot(**values)
        except TypeError as error:
            raise StoreError(f"{self.state.name} is not complete: {error}. Remove it.") from error
        if not isinstance(snapshot.progress, Progress | None):
            raise StoreError(f"{self.state.name} is damaged: its progress is none. Remove it.")
        return snapshot, model

    def claim(self) -> IO[bytes] | None:
        """Take the job for this process: an open file to keep, or None when another has it.

        The system gives the claim back when the process ends, however it ends.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        file = open(self.lock, "ab")  # noqa: SIM115 (open as long as the claim is held)
        try:
            if sys.platform == "win32":
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            file.close()
            return None
        except OSError:
            # A file system without locks: then only one process may use it, as it always was.
            return file
        return file

    def remove(self) -> None:
        """Delete the job's files, as far as they are there."""
        for path in (self.state, self.data, self.lock):
            with contextlib.suppress(OSError):
                os.unlink(path)


def stored_jobs(folder: Path) -> Iterator[JobFiles]:
    """The jobs that have a state in a folder."""
    if folder.is_dir():
        for path in sorted(folder.glob(f"*{SUFFIX}")):
            if not path.name.endswith(_DATA) and not path.name.startswith("."):
                yield JobFiles(folder, path.name.removesuffix(SUFFIX))
