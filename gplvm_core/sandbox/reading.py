"""Asking another process to read a file: waiting for its answer, for so long, or ending it."""

import contextlib
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

import gplvm_core
from gplvm_core.readers import DataError, EmptyRowsError, NamedBytes
from gplvm_core.readers.errors import DataTypeError
from gplvm_core.readers.limits import SECONDS, SECONDS_TO_START
from gplvm_core.sandbox import message
from gplvm_core.sandbox.message import ANSWER, LAST, LONGEST_LINE, MORE, READY, REQUEST, UNFENCED
from gplvm_core.store.errors import ChangedError, StoreError

ERRORS: dict[str, type[ValueError]] = {
    kind.__name__: kind
    for kind in (DataError, DataTypeError, EmptyRowsError, StoreError, ChangedError)
}
MOST_AT_ONCE = 4
LOOK = 0.2  # seconds between two looks at whether the process has started
# The reading process sets its own environment, before NumPy is imported: it is given none.
START = """
import os, sys
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
sys.path[:] = sys.argv[2:]
from pathlib import Path
from gplvm_core.sandbox.child import main
main(Path(sys.argv[1]))
"""
WITHOUT_FENCE = (
    "This system cannot fence in the process that reads files, as Linux with Landlock and seccomp "
    "can: only the readers' own checks guard against hostile files."
)
# Windows starts no program without this one; no other system needs any.
NEEDED = ("SYSTEMROOT",)


class Reader:
    """One process that reads files, one after the other, and the folder that it shares with us."""

    def __init__(self) -> None:
        self.goes_on = True  # whether it takes another request
        self.folder = Path(tempfile.mkdtemp(prefix="manifolio-"))  # for this user's eyes alone
        home = str(Path(gplvm_core.__file__).parents[1])
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-c", START, str(self.folder), home, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={name: os.environ[name] for name in NEEDED if name in os.environ},
                close_fds=True,
            )
        except OSError:
            self.folder.rmdir()
            raise
        self._ready = False

    def started(self) -> bool:
        """Wait until the process takes requests; False if it ended before."""
        if not self._ready:
            with contextlib.suppress(OSError, ValueError):  # it was ended meanwhile
                said = self._line()
                self._ready = said in (READY, UNFENCED)
                if said == UNFENCED:
                    logging.getLogger(__name__).warning(WITHOUT_FENCE)
        return self._ready

    def _line(self) -> str:
        """What the process says next, no longer than what it may say."""
        assert self.process.stdout is not None
        return self.process.stdout.readline(LONGEST_LINE).decode("ascii", "replace").strip()

    def ask(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """The answer to one request; None when the process ended before it had one."""
        assert self.process.stdin is not None
        self.goes_on = False  # whatever happens before it says so
        if not self.started():
            return None
        try:
            message.write(request, self.folder / REQUEST)
            self.process.stdin.write(b"\n")
            self.process.stdin.flush()
            said = self._line()
            if said not in (MORE, LAST):
                return None
            answer = _understood(message.read(self.folder / ANSWER))
            self.goes_on = said == MORE
            return answer
        except (OSError, ValueError):  # it was ended meanwhile, or answers nonsense
            return None

    def close(self) -> None:
        """End the process and take its folder away."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Readers:
    """Readers that are lent out, and one that waits: starting one takes seconds."""

    def __init__(self) -> None:
        self._idle: list[Reader] = []
        self._lock = threading.Lock()
        self.free = threading.Semaphore(MOST_AT_ONCE)

    def warm(self) -> None:
        """Have a reader ready, soon; returns at once.

        Where none can be started now, the next file tries again, and reports it.
        """
        with self._lock, contextlib.suppress(OSError):
            if not self._idle:
                self._idle.append(Reader())

    def take(self) -> Reader:
        """A reader that is alive."""
        with self._lock:
            while self._idle:
                reader = self._idle.pop()
                if reader.process.poll() is None:
                    return reader
                reader.close()
        return Reader()

    def give_back(self, reader: Reader) -> None:
        """Keep one reader for the next file."""
        with self._lock:
            if not self._idle and reader.goes_on:
                self._idle.append(reader)
                return
        reader.close()
        self.warm()

    def close(self) -> None:
        """End the reader that waits."""
        with self._lock:
            while self._idle:
                self._idle.pop().close()

    def __del__(self) -> None:
        self.close()

    def reading(self, task: str, source: NamedBytes, **options: Any) -> "FileReading":
        """Have a task of `TASKS` done to a file; to be used in a `with`."""
        return FileReading(self, task, source, options)


class FileReading:
    """One file on its way: `wait`, then `answer`; what is left before that is ended."""

    def __init__(
        self, readers: Readers, task: str, source: NamedBytes, options: dict[str, Any]
    ) -> None:
        self.name = source.name
        self._readers, self._task, self._options = readers, task, options
        self._data = source.data
        self._done = threading.Event()
        self._given_up = threading.Event()
        self._reader: Reader | None = None
        self._lending = threading.Lock()
        self._answer: dict[str, Any] | None = None
        self._turn: float | None = None
        self._start: float | None = None

    @property
    def waits(self) -> bool:
        """Whether its turn has not come: so many others are being read."""
        return self._turn is None

    @property
    def seconds(self) -> float:
        """How long it has been read, without the start of the process that reads it."""
        return _since(self._start)

    @property
    def _late(self) -> bool:
        """Whether reading, or the start before it, took too long."""
        if self._start is None:
            return _since(self._turn) >= SECONDS_TO_START
        return self.seconds >= SECONDS

    def __enter__(self) -> Self:
        threading.Thread(target=self._ask, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._stop()

    def wait(self, seconds: float) -> bool:
        """Wait for so long; whether there is an answer, or none will come."""
        left = SECONDS - self.seconds if self._start is not None else LOOK
        if self._done.wait(min(seconds, max(0.0, left))):
            return True
        if self._late:
            self._stop()
        return self._given_up.is_set()

    def answer(self) -> Any:
        """What was found. Raises DataError or StoreError, as the task says it."""
        while not self.wait(SECONDS):
            pass
        told = self._answer
        if told is None and self._late and self._start is None:
            raise DataError(
                f"{self.name} could not be read: the process that reads files did not start "
                f"within {SECONDS_TO_START} seconds. The machine is busy: try again later."
            )
        if told is None and not self._late:
            raise DataError(
                f"{self.name} could not be read: the process that reads files could not go on, for "
                "want of memory or of room on the disk. Try again in a moment."
            )
        if told is None:
            raise DataError(
                f"{self.name} could not be read: after {self.seconds:.0f} of the {SECONDS} seconds "
                "that reading may take, it had to be ended. Use fewer rows, columns or pictures, "
                "and save the file again if it may be damaged."
            )
        for line in told["log"]:
            logging.getLogger(__name__).error("%s", line)
        if "answer" in told:
            return told["answer"]
        script = {"script": told["script"]} if told.get("script") else {}
        raise ERRORS[told["error"]](told["message"], **script)

    def _ask(self) -> None:
        with self._readers.free:
            try:
                if self._given_up.is_set():
                    return
                self._turn = time.monotonic()
                reader = self._readers.take()
                with self._lending:
                    self._reader = reader
                if self._given_up.is_set():  # just now, when there was nothing to end
                    reader.process.kill()
                data = np.frombuffer(self._data, dtype=np.uint8)
                request = {"task": self._task, "name": self.name, "options": self._options}
                try:
                    if reader.started():
                        self._start = time.monotonic()
                        self._answer = reader.ask({**request, "data": data})
                finally:
                    with self._lending:  # from now on it may be another's
                        self._reader = None
                    self._readers.give_back(reader)
            except Exception as error:  # no room, no process: reported as a file that was not read
                logging.getLogger(__name__).error("Asking a reader: %s", type(error).__name__)
            finally:
                self._done.set()

    def _stop(self) -> None:
        self._given_up.set()
        with self._lending:
            if self._reader is not None:
                self._reader.process.kill()


def _understood(told: Any) -> dict[str, Any]:
    """An answer, if it has the form of one; ValueError otherwise."""
    if not isinstance(told, dict) or not isinstance(told.get("log"), list):
        raise ValueError("no answer")
    if "answer" not in told and not (
        told.get("error") in ERRORS and isinstance(told.get("message"), str)
    ):
        raise ValueError("neither an answer nor an error")
    return told


def _since(moment: float | None) -> float:
    return 0.0 if moment is None else time.monotonic() - moment
