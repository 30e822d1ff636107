"""The process that reads files which others made; `Reader` starts it.

It has no environment, no open files but its pipes, and behind the fence no access to files but to
packages and to the one folder that it shares with the process that asks. System calls that reach
beyond these files are refused. A first line on standard output says that it is ready. A line on
standard input says that a request is in the folder; a line on standard output says that its answer
is, and whether another file may follow. The process ends, and deletes the folder, when its standard
input is closed.
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

GROWN = 64 * MEGABYTE  # what may stay behind, before a new process takes over

try:
    import resource
except ImportError:  # not on this system: what files declare is still held against limits
    resource = None  # type: ignore[assignment]


def main(folder: Path) -> None:
    """Answer requests until standard input ends."""
    tempfile.tempdir = str(folder)
    status = open_status()
    mimetypes.knownfiles.clear()  # the system's lists, which openpyxl would read
    fenced = fence_in([*packages(), Path(gplvm_core.__file__).parent, ASSETS], folder)
    fenced = refuse_calls() and fenced
    requests: Queue[bytes] = Queue()
    threading.Thread(target=listen, args=(requests, folder), daemon=True).start()
    at_first = taken(status)
    limit(at_first)
    logging.getLogger("gplvm_core").addHandler(log := LogLines())
    print(READY if fenced else UNFENCED, flush=True)
    try:
        while requests.get():
            allow_seconds()
            told = answer(folder) | {"log": log.take()}
            try:
                message.write(told, folder / ANSWER)
            except MemoryError:
                told = too_large("The file") | {"log": told["log"]}
                message.write(told, folder / ANSWER)
            del told
            gc.collect()
            print(LAST if taken(status) > at_first + GROWN else MORE, flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def limit(at_first: int) -> None:
    """Set limits on memory and written files, and write no memory to the disk after a crash."""
    if resource is None:
        return
    if at_first:
        resource.setrlimit(resource.RLIMIT_DATA, (at_first + MOST_MEMORY, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_WRITTEN, MOST_WRITTEN))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def listen(requests: "Queue[bytes]", folder: Path) -> None:
    """Pass requests on; end all, in the middle of a file as well, when nobody is there any more."""
    while line := sys.stdin.buffer.readline():
        requests.put(line)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


class LogLines(logging.Handler):
    """What is to be in the log of the process that asked."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())

    def take(self) -> list[str]:
        """The lines since the last time."""
        lines, self.lines = self.lines, []
        return lines


def answer(folder: Path) -> dict[str, Any]:
    """What the task says, or the error in words."""
    asked = message.read(folder / REQUEST)
    name, data = asked["name"], asked.pop("data").tobytes()
    try:
        return {"answer": perform(asked["task"], NamedBytes(name, data), **asked["options"])}
    except DataError as error:
        return {"error": type(error).__name__, "message": error.plain, "script": error.script}
    except StoreError as error:
        return {"error": type(error).__name__, "message": str(error)}
    except MemoryError:
        return too_large(name)


def too_large(name: str) -> dict[str, Any]:
    """The error of a file for which the memory did not do."""
    said = f"{name} needs more than {MOST_MEMORY // MEGABYTE} MB of memory to be read, and was "
    said += "refused. Use fewer rows, columns or pictures."
    return {"error": "DataError", "message": said}


def open_status() -> IO[str] | None:
    """What the system says of this process, to be read behind the fence; None where it does not."""
    try:
        return open("/proc/self/status", encoding="ascii", errors="replace")
    except OSError:
        return None


def taken(status: IO[str] | None) -> int:
    """Bytes of memory that this process has asked for; 0 where the system does not say."""
    if status is None:
        return 0
    status.seek(0)
    return next((1024 * int(line.split()[1]) for line in status if line.startswith("VmData")), 0)


def allow_seconds() -> None:
    """Let the next file take its seconds, whatever the ones before took."""
    if resource is None:
        return
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = int(usage.ru_utime + usage.ru_stime)
    resource.setrlimit(resource.RLIMIT_CPU, (used + SECONDS, resource.RLIM_INFINITY))
