"""Tests of a vulnerable reader: code from a file runs in the subprocess that the app starts."""

import ctypes
import os
import platform
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gplvm_core.datasets import DataError, NamedBytes
from gplvm_core.sandbox import Readers, message
from gplvm_core.sandbox import reading as reading_module
from gplvm_core.sandbox.message import ANSWER, REQUEST
from gplvm_core.sandbox.reading import START

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux's kernel")
TABLE = NamedBytes("table.csv", b"a,b\n1,2\n")
HOLE = """
import ctypes, os, resource, signal, socket
from pathlib import Path
from gplvm_core.sandbox import tasks

def tried(what):
    try:
        return repr(what())
    except Exception as error:
        return type(error).__name__

def called(number, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "")

def files(secret, server):
    return {
        "file": lambda: open(secret).read(),
        "folder": lambda: os.listdir(os.path.dirname(secret)),
        "environment of the server": lambda: open(f"/proc/{server}/environ").read(),
        "memory of the server": lambda: open(f"/proc/{server}/mem", "rb"),
        "write": lambda: open(secret, "w"),
        "shorten": lambda: os.truncate(secret, 0),
        "remove": lambda: os.unlink(secret),
    }

def calls(secret, server, port, path):
    udp, unix = (socket.AF_INET, socket.SOCK_DGRAM), (socket.AF_UNIX, socket.SOCK_STREAM)
    return {
        "network": lambda: socket.create_connection(("127.0.0.1", port), 5),
        "UDP": lambda: socket.socket(*udp).sendto(b"x", ("127.0.0.1", port)),
        "socket with a path": lambda: socket.socket(*unix).connect(path),
        "listen": lambda: socket.socket().listen(),
        "io_uring": lambda: called(425, 4, ctypes.create_string_buffer(256)),
        "program": lambda: os.execv("/bin/cat", ["cat", secret]),
        "program in memory": lambda: os.execve(os.memfd_create("x"), ["x"], {}),
        "process that stays": lambda: os.fork() or os._exit(0),
        "end the server": lambda: os.kill(server, 0),
        "limit the server": lambda: resource.prlimit(server, resource.RLIMIT_CORE),
        "slow the server": lambda: os.setpriority(os.PRIO_PROCESS, server, 1),
        "rights": lambda: os.chmod(secret, 0o777),
        "times": lambda: os.utime(secret, (0, 0)),
        "notes": lambda: os.setxattr(secret, "user.x", b"x"),
        "pipe": lambda: os.mkfifo(Path(tasks.tempfile.gettempdir()) / "pipe"),
    }

def peek(source, which, **options):
    return {name: tried(way) for name, way in globals()[which](**options).items()}

def forge(source, what):
    folder = Path(tasks.tempfile.gettempdir())
    if what == "line":
        os.write(1, b"x" * 2000)
    if what.startswith("link "):
        (folder / "request").symlink_to(what[5:])

tasks.TASKS |= {"peek": peek, "forge": forge}
"""


@pytest.fixture(scope="module")
def readers() -> Any:
    before, at, after = START.partition("main(Path")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading_module, "START", before + HOLE + at + after)
        readers = Readers()
        yield readers
        readers.close()


def ask(readers: Readers, task: str, **options: Any) -> Any:
    with readers.reading(task, TABLE, **options) as reading:
        return reading.answer()


@LINUX
def test_no_file_of_this_machine_can_be_opened(readers: Readers, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    if not fenced():
        pytest.skip("this kernel has no Landlock")
    found = ask(readers, "peek", which="files", secret=str(secret), server=os.getpid())
    assert set(found.values()) == {"PermissionError"}, found
    assert secret.read_text() == "secret"


@LINUX
@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "aarch64"), reason="a processor without a list of calls"
)
def test_nothing_beyond_its_files_can_be_reached(readers: Readers, tmp_path: Path) -> None:
    secret, path = tmp_path / "secret.txt", tmp_path / "unix"
    secret.write_text("secret")
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(path))
        unix.listen()
        options = {"secret": str(secret), "server": os.getpid(), "path": str(path)}
        port = server.getsockname()[1]
        found = ask(readers, "peek", which="calls", port=port, **options)
    assert set(found.values()) == {"PermissionError"}, found


@pytest.mark.parametrize("part", ["fence_in", "refuse_calls"])
def test_a_system_that_offers_no_fence_is_reported(part: str, monkeypatch, caplog) -> None:
    lacking = f"import gplvm_core.sandbox.child as child\nchild.{part} = lambda *given: False\n"
    before, at, after = START.partition("main(Path")
    monkeypatch.setattr(reading_module, "START", before + lacking + at + after)
    readers = Readers()
    with readers.reading("inspect", TABLE) as reading:
        reading.answer()
    readers.close()
    assert "cannot restrict the process" in caplog.text


def test_the_next_request_is_not_written_through_a_link_of_the_reader(
    readers: Readers, tmp_path: Path
) -> None:
    precious = tmp_path / "precious"
    precious.write_text("precious")
    ask(readers, "forge", what=f"link {precious}")
    ask(readers, "forge", what="nothing")
    assert precious.read_text() == "precious"


def test_a_line_that_does_not_end_is_not_read(readers: Readers) -> None:
    with pytest.raises(DataError, match="too little memory"):
        ask(readers, "forge", what="line")
    assert ask(readers, "forge", what="nothing") is None


def pipe(path: Path, secret: Path) -> None:
    os.mkfifo(path)


def link(path: Path, secret: Path) -> None:
    path.symlink_to(secret)


def folder(path: Path, secret: Path) -> None:
    path.mkdir()


def large(path: Path, secret: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**40)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without pipes in folders")
@pytest.mark.parametrize("forged", [pipe, link, folder, large])
def test_an_answer_that_is_no_file_is_refused_at_once(
    forged: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    message.write({"answer": "secret", "log": []}, secret)
    forged(tmp_path / ANSWER, secret)
    with pytest.raises((OSError, ValueError)):
        message.read(tmp_path / ANSWER)


def test_an_answer_of_another_form_is_none(
    readers: Readers, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = np.zeros(1, dtype=np.uint8)
    request = {"task": "forge", "name": "x", "options": {"what": "nothing"}, "data": data}
    reader = readers.take()
    for answer in (
        ["a list"],
        {},
        {"answer": 1},
        {"answer": 1, "log": "text"},
        {"error": "SystemExit", "message": "", "log": []},
        {"error": "DataError", "message": 1, "log": []},
    ):
        monkeypatch.setattr(message, "read", lambda path, answer=answer: answer)
        assert reader.ask(request) is None, answer
        assert not reader.takes_more
    monkeypatch.undo()
    assert reader.ask(request) == {"answer": None, "log": []}  # the process answers correctly
    reader.close()


def test_a_message_replaces_an_existing_file(tmp_path: Path) -> None:
    for value in ("one", {"two": (1.5, None)}):
        message.write(value, tmp_path / REQUEST)
    assert message.read(tmp_path / REQUEST) == {"two": (1.5, None)}
    assert not (tmp_path / REQUEST).exists()


def fenced() -> bool:
    """Return whether this system's kernel supports the restrictions.

    The answer comes from the kernel, not from the tested code.
    """
    modules = Path("/sys/kernel/security/lsm")
    if modules.exists():
        return "landlock" in modules.read_text()
    return ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1) > 0
