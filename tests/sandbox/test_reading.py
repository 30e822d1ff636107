"""Tests that reading in a subprocess gives the same results, and stops hostile files."""

import logging
import os
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gplvm_core.datasets import DataError, EmptyRowsError, NamedBytes
from gplvm_core.readers.limits import MOST_MEMORY
from gplvm_core.sandbox import Readers, is_small, perform
from gplvm_core.sandbox import reading as reading_module
from gplvm_core.sandbox.reading import MOST_AT_ONCE, START
from gplvm_core.store import StoreError

TABLE = NamedBytes("table.csv", b"a,b,kind\n1,2,x\n3,,y\n5,6,x\n")


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    readers = Readers()
    yield readers
    readers.close()


def ask(readers: Readers, task: str, source: NamedBytes, **options: object) -> object:
    with readers.reading(task, source, **options) as reading:
        return reading.answer()


def test_answers_of_the_subprocess_equal_those_of_this_process(readers):
    there = ask(readers, "read", TABLE, label_column="kind", id_columns=())
    here = perform("read", TABLE, label_column="kind", id_columns=())
    np.testing.assert_array_equal(there.targets, here.targets)
    assert there.label_names == here.label_names and there.notes == here.notes
    assert ask(readers, "inspect", TABLE) == perform("inspect", TABLE)
    rows, count = ask(readers, "rows in use", TABLE, label_column="kind")
    assert (list(rows), count) == ([0, 1, 2], 3)


def test_errors_of_the_subprocess_equal_those_of_this_process(readers):
    with pytest.raises(EmptyRowsError, match="line 3"):
        ask(readers, "read", NamedBytes("x.csv", b"a,b\n1,2\n,NA\n3,4\n"))
    with pytest.raises(StoreError, match="not a"):
        ask(readers, "model", NamedBytes("x.gplvm", b"nothing"))


def test_unexpected_errors_have_a_plain_message_and_are_logged_without_data(readers, caplog):
    with caplog.at_level(logging.ERROR), pytest.raises(DataError, match="could not be read"):
        ask(readers, "read", TABLE, no_such_option="secret")
    assert "TypeError at readers/files.py:" in caplog.text
    assert "secret" not in caplog.text


def test_a_reading_that_is_given_up_ends_and_leaves_nothing(readers):
    big = NamedBytes("big.csv", b"1,2,3,4\n" * 2_000_000)
    reader = readers.take()
    folder, process = reader.folder, reader.process
    readers.give_back(reader)
    with readers.reading("read", big) as reading:
        assert not reading.wait(0.3)
    process.wait(10)
    deadline = time.monotonic() + 60
    while folder.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not folder.exists()
    assert ask(readers, "inspect", TABLE) == perform("inspect", TABLE)


def test_waiting_for_a_turn_is_not_shown_as_reading(readers):
    with ExitStack() as turns:
        for _ in range(MOST_AT_ONCE):
            turns.enter_context(readers.free)
        with readers.reading("inspect", TABLE) as reading:
            assert not reading.wait(0.2)
            assert reading.waits and reading.seconds == 0.0
            turns.close()
            assert reading.answer() == perform("inspect", TABLE)
            assert not reading.waits and reading.seconds > 0.0


def test_a_process_that_dies_or_cannot_start_is_reported_at_once(readers, monkeypatch, tmp_path):
    reader = readers.take()
    readers.give_back(reader)
    with readers.reading("read", NamedBytes("big.csv", b"1,2,3,4\n" * 2_000_000)) as reading:
        assert not reading.wait(0.3)
        reader.process.kill()  # the system does this if memory is exhausted
        with pytest.raises(DataError, match="too little memory"):
            reading.answer()
    readers.close()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    with pytest.raises(DataError, match="too little memory"):
        ask(readers, "inspect", TABLE)
    monkeypatch.undo()
    assert ask(readers, "inspect", TABLE) == perform("inspect", TABLE)


def test_a_reader_that_cannot_start_now_breaks_nothing_and_leaves_nothing(monkeypatch, tmp_path):
    readers = Readers()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with monkeypatch.context() as broken:
        broken.setattr("sys.executable", str(tmp_path / "missing"))
        readers.warm()
        with pytest.raises(DataError, match="too little memory"):
            ask(readers, "inspect", TABLE)
    assert not list(tmp_path.iterdir())
    assert ask(readers, "inspect", TABLE) == perform("inspect", TABLE)
    readers.close()


def test_only_little_plain_files_are_read_without_a_process():
    assert is_small(TABLE)
    assert not is_small(NamedBytes("table.csv", b"PK\x03\x04"))
    assert not is_small(NamedBytes("table.xlsx", b"a,b"))
    assert not is_small(NamedBytes("table.csv", b"1,2\n" * 100_000))


@pytest.mark.parametrize("busy", [False, True])
def test_a_reader_is_private_and_ends_with_the_process_that_it_works_for(readers, busy):
    reader = readers.take()
    assert reader.folder.stat().st_mode & 0o077 == 0
    assert reader.process.stdin is not None
    if busy:
        data = np.frombuffer(b"1,2,3,4\n" * 3_000_000, dtype=np.uint8)
        big = {"task": "read", "name": "big.csv", "options": {}, "data": data}
        asking = threading.Thread(target=reader.ask, args=(big,), daemon=True)
        asking.start()
        asking.join(0.5)
    reader.process.stdin.close()  # the system does this when the server ends
    reader.process.wait(15)
    assert not reader.folder.exists()


LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux's /proc")


@LINUX
def test_a_reader_has_no_environment_and_no_open_files_but_its_own(readers, monkeypatch):
    monkeypatch.setenv("MANIFOLIO_TOKEN", "secret of the server")
    readers.close()
    reader = readers.take()
    assert reader.started()
    own = Path("/proc") / str(reader.process.pid)
    assert own.joinpath("environ").read_bytes() == b""
    opened = {os.readlink(handle) for handle in own.joinpath("fd").iterdir()}
    pipes = {name for name in opened if name.startswith("pipe:")}
    assert len(pipes) == 2 and opened - pipes == {"/dev/null", f"{own}/status"}
    readers.give_back(reader)


@LINUX
def test_models_and_parquet_files_are_read_one_after_the_other_by_one_process(readers):
    file = BytesIO()
    pd.DataFrame({"a": range(20), "b": range(20)}).to_parquet(file)
    readers.close()
    reader = readers.take()
    for task, source in (
        ("model", NamedBytes("x.gplvm", b"nothing")),
        ("read", NamedBytes("x.parquet", file.getvalue())),
    ):
        data = np.frombuffer(source.data, dtype=np.uint8)
        own = Path("/proc") / str(reader.process.pid)
        before = int(re.findall(r"VmData:\s+(\d+)", own.joinpath("status").read_text())[0])
        assert reader.ask({"task": task, "name": source.name, "options": {}, "data": data})
        assert reader.takes_more
        # What the modules take is not missing when the next file is read.
        limit = re.findall(r"Max data size\s+(\d+)", own.joinpath("limits").read_text())
        assert int(limit[0]) >= 1024 * before + MOST_MEMORY
    readers.give_back(reader)


def slow(seconds: float) -> str:
    """Make the subprocess start slowly, as on a busy machine."""
    return f"import time; time.sleep({seconds})\n" + START


def test_the_start_of_the_process_is_not_counted_as_reading(monkeypatch):
    monkeypatch.setattr(reading_module, "START", slow(6.5))
    monkeypatch.setattr(reading_module, "SECONDS", 6)
    readers = Readers()
    assert ask(readers, "inspect", TABLE) == perform("inspect", TABLE)
    readers.close()


def test_a_process_that_does_not_start_is_ended_and_reported(monkeypatch):
    monkeypatch.setattr(reading_module, "START", slow(60))
    monkeypatch.setattr(reading_module, "SECONDS_TO_START", 1)
    readers = Readers()
    with pytest.raises(DataError, match="did not start within 1 seconds"):
        ask(readers, "inspect", TABLE)
    readers.close()
