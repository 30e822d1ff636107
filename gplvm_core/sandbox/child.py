"""The subprocess that reads untrusted files; `Reader` starts it.

The subprocess has an empty environment and no open files except its pipes. The fence allows access
only to packages and to a folder shared with the parent process. System calls that reach beyond
these files are blocked. The first line on standard output says that the process is ready. A line on
standard input says that a request is in the folder. A line on standard output says that the answer
is in the folder, and whether the process accepts another file. When standard input is closed, the
process deletes the folder and ends.
"""

import gc
import logging
import mimetypes
import os
import shutil
import sys
import tempfile
import threading
from pathlib import Path
from queue import Queue
from typing import IO, Any

import gplvm_core
from gplvm_core.readers import DataError, NamedBytes
from gplvm_core.readers.limits import MEGABYTE, MOST_MEMORY, MOST_WRITTEN, SECONDS
from gplvm_core.sandbox import message
from gplvm_core.sandbox.calls import refuse_calls
from gplvm_core.sandbox.fence import fence_in, packages
from gplvm_core.sandbox.message import ANSWER, LAST, MORE, READY, REQUEST, UNFENCED
from gplvm_core.sandbox.tasks import perform
from gplvm_core.shipped.files import ASSETS
from gplvm_core.store.errors import StoreError

# A process whose memory has grown by more is replaced; the modules that read models and Parquet
# take 100 and 180 MB.
GROWN = 256 * MEGABYTE

try:
    import resource
except ImportError:  # this system has no such limit; the limits of the readers still apply
    resource = None  # type: ignore[assignment]


def main(folder: Path) -> None:
    """Answer requests until standard input ends."""
    tempfile.tempdir = str(folder)
    status = open_status()
    mimetypes.knownfiles.clear()  # else openpyxl reads the system's lists of MIME types
    fenced = fence_in([*packages(), Path(gplvm_core.__file__).parent, ASSETS], folder)
    fenced = refuse_calls() and fenced
    requests: Queue[bytes] = Queue()
    threading.Thread(target=listen, args=(requests, folder), daemon=True).start()
    at_first = taken(status)
    limit()
    logging.getLogger("gplvm_core").addHandler(log := LogLines())
    print(READY if fenced else UNFENCED, flush=True)
    try:
        while requests.get():
            allow(taken(status))
            answered = answer(folder) | {"log": log.take()}
            try:
                message.write(answered, folder / ANSWER)
            except MemoryError:
                answered = too_large("The file") | {"log": answered["log"]}
                message.write(answered, folder / ANSWER)
            del answered
            gc.collect()
            print(LAST if taken(status) > at_first + GROWN else MORE, flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def limit() -> None:
    """Limit written files, and disable core dumps."""
    if resource is None:
        return
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_WRITTEN, MOST_WRITTEN))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def listen(requests: "Queue[bytes]", folder: Path) -> None:
    """Queue requests. When standard input closes, end the process at once, even in mid-file."""
    while line := sys.stdin.buffer.readline():
        requests.put(line)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


class LogLines(logging.Handler):
    """Collects log lines for the log of the parent process."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())

    def take(self) -> list[str]:
        """Return and clear the lines."""
        lines, self.lines = self.lines, []
        return lines


def answer(folder: Path) -> dict[str, Any]:
    """Perform the requested task; returns its result, or its error."""
    request = message.read(folder / REQUEST)
    name, data = request["name"], request.pop("data").tobytes()
    try:
        return {"answer": perform(request["task"], NamedBytes(name, data), **request["options"])}
    except DataError as error:
        return {"error": type(error).__name__, "message": error.plain, "script": error.script}
    except StoreError as error:
        return {"error": type(error).__name__, "message": str(error)}
    except MemoryError:
        return too_large(name)


def too_large(name: str) -> dict[str, Any]:
    """Return the error for a file that needs too much memory."""
    words = f"{name} was refused: reading it needs more than {MOST_MEMORY // MEGABYTE} MB of "
    words += "memory. Use fewer rows, columns or pictures."
    return {"error": "DataError", "message": words}


def open_status() -> IO[str] | None:
    """Open the status file of this process before the fence is set; None if unavailable."""
    try:
        return open("/proc/self/status", encoding="ascii", errors="replace")
    except OSError:
        return None


def taken(status: IO[str] | None) -> int:
    """Return bytes of memory that this process has allocated; 0 if unknown."""
    if status is None:
        return 0
    status.seek(0)
    return next((1024 * int(line.split()[1]) for line in status if line.startswith("VmData")), 0)


def allow(now: int) -> None:
    """Reset the limits on memory and processor time for the next file; now: bytes in use, or 0."""
    if resource is None:
        return
    if now:
        resource.setrlimit(resource.RLIMIT_DATA, (now + MOST_MEMORY, resource.RLIM_INFINITY))
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = int(usage.ru_utime + usage.ru_stime)
    resource.setrlimit(resource.RLIMIT_CPU, (used + SECONDS, resource.RLIM_INFINITY))
