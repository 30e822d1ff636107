"""Read files in a subprocess, and end the subprocess after a time limit."""

import contextlib
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from pathlib import Path
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
LOOK = 0.2  # seconds between two checks whether the process has started
# The subprocess gets no environment, and sets its own before NumPy is imported.
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
    "This system cannot restrict the process that reads files, as Linux with Landlock and seccomp "
    "can. Only the readers' checks protect against hostile files."
)
# Windows cannot start a program without this variable.
NEEDED = ("SYSTEMROOT",)


class Reader:
    """A subprocess that reads files one after the other, and the folder shared with it."""

    def __init__(self) -> None:
        self.takes_more = True  # whether the process takes another request
        self.folder = Path(tempfile.mkdtemp(prefix="manifolio-"))  # accessible only to this user
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
        """Wait until the process is ready; False if it ended first."""
        if not self._ready:
            with contextlib.suppress(OSError, ValueError):  # the process was ended meanwhile
                line = self._line()
                self._ready = line in (READY, UNFENCED)
                if line == UNFENCED:
                    logging.getLogger(__name__).warning(WITHOUT_FENCE)
        return self._ready

    def _line(self) -> str:
        """Return the next line that the process writes, cut off at the longest allowed length."""
        assert self.process.stdout is not None
        return self.process.stdout.readline(LONGEST_LINE).decode("ascii", "replace").strip()

    def ask(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """Send a request; returns the answer, or None if there is no valid one."""
        assert self.process.stdin is not None
        self.takes_more = False  # until the process reports MORE
        if not self.started():
            return None
        try:
            message.write(request, self.folder / REQUEST)
            self.process.stdin.write(b"\n")
            self.process.stdin.flush()
            line = self._line()
            if line not in (MORE, LAST):
                return None
            answer = _understood(message.read(self.folder / ANSWER))
            self.takes_more = line == MORE
            return answer
        except (OSError, ValueError):  # the process was ended meanwhile, or its answer is invalid
            return None

    def close(self) -> None:
        """End the process and remove its folder."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Readers:
    """A pool that keeps one idle reader, because starting a reader takes seconds."""

    def __init__(self) -> None:
        self._idle: list[Reader] = []
        self._lock = threading.Lock()
        self.free = threading.Semaphore(MOST_AT_ONCE)
        # Also at the end of the program, while the modules that it needs are still there.
        weakref.finalize(self, _close, self._idle)

    def warm(self) -> None:
        """Start a reader for the next file, without waiting for it.

        If the reader cannot be started, reading the next file tries again and reports the problem.
        """
        with self._lock, contextlib.suppress(OSError):
            if not self._idle:
                self._idle.append(Reader())

    def take(self) -> Reader:
        """Take the idle reader, or start a new one."""
        with self._lock:
            while self._idle:
                reader = self._idle.pop()
                if reader.process.poll() is None:
                    return reader
                reader.close()
        return Reader()

    def give_back(self, reader: Reader) -> None:
        """Give back a reader; one idle reader is kept for the next file, and others are closed."""
        with self._lock:
            if not self._idle and reader.takes_more:
                self._idle.append(reader)
                return
        reader.close()
        self.warm()

    def close(self) -> None:
        """Close the idle reader."""
        with self._lock:
            _close(self._idle)

    def reading(self, task: str, source: NamedBytes, **options: Any) -> "FileReading":
        """Perform a task of `TASKS` on a file; use the result in a `with` statement."""
        return FileReading(self, task, source, options)


def _close(idle: list[Reader]) -> None:
    while idle:
        idle.pop().close()


class FileReading:
    """One file being read: call `wait`, then `answer`; leaving the `with` block ends the reader."""

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
        """Whether the file waits in the queue behind other files."""
        return self._turn is None

    @property
    def seconds(self) -> float:
        """Seconds since reading began, without the time to start the process."""
        return _since(self._start)

    @property
    def _late(self) -> bool:
        """Whether reading, or starting the process, took too long."""
        if self._start is None:
            return _since(self._turn) >= SECONDS_TO_START
        return self.seconds >= SECONDS

    def __enter__(self) -> Self:
        threading.Thread(target=self._ask, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop()

    def wait(self, seconds: float) -> bool:
        """Wait at most `seconds`.

        Returns whether the wait is over: there is an answer, or there will be none.
        """
        left = SECONDS - self.seconds if self._start is not None else LOOK
        if self._done.wait(min(seconds, max(0.0, left))):
            return True
        if self._late:
            self._stop()
        return self._given_up.is_set()

    def answer(self) -> Any:
        """Wait for the task's result. Raises the task's DataError or StoreError."""
        while not self.wait(SECONDS):
            pass
        answer = self._answer
        if answer is None and self._late and self._start is None:
            raise DataError(
                f"{self.name} could not be read: the process that reads files did not start "
                f"within {SECONDS_TO_START} seconds. The machine is busy: try again later."
            )
        if answer is None and not self._late:
            raise DataError(
                f"{self.name} could not be read: the process that reads files has too little "
                "memory or disk space. Try again in a moment."
            )
        if answer is None:
            raise DataError(
                f"{self.name} could not be read: reading was ended after {self.seconds:.0f} of at "
                f"most {SECONDS} seconds. Use fewer rows, columns or pictures, and save the file "
                "again if it may be damaged."
            )
        for line in answer["log"]:
            logging.getLogger(__name__).error("%s", line)
        if "answer" in answer:
            return answer["answer"]
        script = {"script": answer["script"]} if answer.get("script") else {}
        raise ERRORS[answer["error"]](answer["message"], **script)

    def _ask(self) -> None:
        with self._readers.free:
            try:
                if self._given_up.is_set():
                    return
                self._turn = time.monotonic()
                reader = self._readers.take()
                with self._lending:
                    self._reader = reader
                if self._given_up.is_set():  # `_stop` was called before the process existed
                    reader.process.kill()
                data = np.frombuffer(self._data, dtype=np.uint8)
                request = {"task": self._task, "name": self.name, "options": self._options}
                try:
                    if reader.started():
                        self._start = time.monotonic()
                        self._answer = reader.ask({**request, "data": data})
                finally:
                    with self._lending:  # from now on another file may use the reader
                        self._reader = None
                    self._readers.give_back(reader)
            except Exception as error:  # no disk space or no process; `answer` reports it
                logging.getLogger(__name__).error("Asking a reader: %s", type(error).__name__)
            finally:
                self._done.set()

    def _stop(self) -> None:
        self._given_up.set()
        with self._lending:
            if self._reader is not None:
                self._reader.process.kill()


def _understood(answer: Any) -> dict[str, Any]:
    """Check the form of an answer; raises ValueError if it is invalid."""
    if not isinstance(answer, dict) or not isinstance(answer.get("log"), list):
        raise ValueError("no answer")
    if "answer" not in answer and not (
        answer.get("error") in ERRORS and isinstance(answer.get("message"), str)
    ):
        raise ValueError("neither an answer nor an error")
    return answer


def _since(moment: float | None) -> float:
    return 0.0 if moment is None else time.monotonic() - moment
