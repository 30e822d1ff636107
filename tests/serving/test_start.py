"""Tests that a server on all addresses prints its token, requires it, and connects to no host."""

import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_server_for_others_prints_its_token_and_looks_up_no_address(tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    said, outside = tmp_path / "said.txt", tmp_path / "outside.txt"
    outside.touch()
    settings = {
        "MANIFOLIO_HOME": str(tmp_path / "home"),
        "WATCH_OUTSIDE": str(outside),
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests' / 'app' / 'outside'}",
    }
    arguments = [f"--server.port={port}", "--server.address=0.0.0.0", "--server.headless=true"]
    with said.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", "app.py", *arguments],
            cwd=ROOT, env=os.environ | settings, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        assert answer(port, "/") == 403
        token = re.search(r"\?token=(\S+)", said.read_text())
        assert token
        assert answer(port, f"/?token={token[1]}") == 200
    finally:
        process.terminate()
        process.wait(timeout=20)
    assert outside.read_text() == ""


def answer(port: int, path: str) -> int:
    """Wait for the first response and return its status."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as found:
                return found.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            time.sleep(0.1)
    raise AssertionError("The app did not start.")
