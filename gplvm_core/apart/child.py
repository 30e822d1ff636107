"""The process in which files are read: `python -m gplvm_core.apart.child FOLDER`.

A line on standard input says that a request lies in the folder; a line on standard output says
that its answer does, and whether another file may follow. The process ends, and takes the folder
along, when nobody is there any more.
"""

import gc
import logging
import os
import shutil
import sys
import threading
from pathlib import Path
from queue import Queue
from typing import Any

from gplvm_core.apart import message
from gplvm_core.apart.message import ANSWER, LAST, MORE, REQUEST
from gplvm_core.apart.tasks import run
from gplvm_core.datasets import DataError, NamedBytes
from gplvm_core.datasets.limits import MEGABYTE, MOST_MEMORY, SECONDS
from gplvm_core.store.errors import StoreError

GROWN = 64 * MEGABYTE  # what may stay behind, before a new process takes over

try:
    import resource
except ImportError:  # not on this system: what files declare is still held against limits
    resource = None  # type: ignore[assignment]


def main(folder: Path) -> None:
    """Answer requests until standard input ends."""
    requests: Queue[bytes] = Queue()
    threading.Thread(target=listen, args=(requests, folder), daemon=True).start()
    at_first = taken()
    if resource is not None and at_first:
        resource.setrlimit(resource.RLIMIT_DATA, (at_first + MOST_MEMORY, resource.RLIM_INFINITY))
    logging.getLogger("gplvm_core").addHandler(log := Kept())
    try:
        while requests.get():
            allow_seconds()
            told = answer(folder) | {"log": log.take()}
            try:
                message.write(told, folder / ANSWER)
            except MemoryError:
                told = too_large("The file")
                message.write(told, folder / ANSWER)
            del told
            gc.collect()
            print(LAST if taken() > at_first + GROWN else MORE, flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def listen(requests: "Queue[bytes]", folder: Path) -> None:
    """Pass requests on; end all, in the middle of a file as well, when nobody is there any more."""
    while line := sys.stdin.buffer.readline():
        requests.put(line)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


class Kept(logging.Handler):
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
        return {"answer": run(asked["task"], NamedBytes(name, data), **asked["options"])}
    except (DataError, StoreError) as error:
        return {"error": type(error).__name__, "message": str(error)}
    except MemoryError:
        return too_large(name)


def too_large(name: str) -> dict[str, Any]:
    """The error of a file for which the memory did not do."""
    said = f"{name} needs more than {MOST_MEMORY // MEGABYTE} MB of memory to be read, and was "
    said += "refused. Use fewer rows, columns or pictures."
    return {"error": "DataError", "message": said}


def taken() -> int:
    """Bytes of memory that this process has asked for; 0 where the system does not say."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmData")), 0)


def allow_seconds() -> None:
    """Let the next file take its seconds, whatever the ones before took."""
    if resource is None:
        return
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = int(usage.ru_utime + usage.ru_stime)
    resource.setrlimit(resource.RLIMIT_CPU, (used + SECONDS, resource.RLIM_INFINITY))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
