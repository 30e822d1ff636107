"""Files that a visitor may upload, as bytes: tables and zips of pictures."""

import io
import zipfile

import numpy as np
from PIL import Image

N = 30


def table(n: int = N, columns: str = "abc", extra: str = "", empty: tuple[int, ...] = ()) -> bytes:
    """Return waves as CSV, with a text or time column first, and rows without any value."""
    lines = [",".join([extra, *columns] if extra else columns)]
    for i in range(n):
        values = [
            "" if i in empty else f"{np.sin(0.2 * (1 + ord(c) % 7) * i + len(columns)):.4f}"
            for c in columns
        ]
        beside = {"kind": "xyz"[i % 3], "time": f"{i / 10}"}.get(extra)
        lines.append(",".join([beside, *values] if beside else values))
    return "\n".join(lines).encode()


def pictures(n: int = N) -> bytes:
    """Return a zip of small images of a moving spot."""
    file = io.BytesIO()
    y, x = np.mgrid[:8, :8]
    with zipfile.ZipFile(file, "w") as archive:
        for i in range(n):
            spot = np.exp(-0.2 * ((x - 4 - 3 * np.sin(0.2 * i)) ** 2 + (y - 4) ** 2))
            picture = io.BytesIO()
            Image.fromarray((255 * spot).astype(np.uint8)).save(picture, "PNG")
            archive.writestr(f"{i}.png", picture.getvalue())
    return file.getvalue()


def in_batches(n: int = 2 * N) -> bytes:
    """Return two waves in three columns as CSV; a third of the rows are of a shifted batch."""
    lines = ["batch,a,b,c"]
    for i in range(n):
        late = i % 3 == 2
        values = [np.sin(0.7 * i + k) + (2.0 + k) * late for k in range(3)]
        lines.append(",".join(["second" if late else "first", *(f"{v:.4f}" for v in values)]))
    return "\n".join(lines).encode()


def soils(n: int = 2 * N) -> bytes:
    """Return two numbers of soils as CSV, and percentages of sand, silt and clay."""
    lines = ["depth,water,sand,silt,clay"]
    for i in range(n):
        first, second = np.sin(0.7 * i), np.cos(1.3 * i)
        parts = np.exp([first, second, 0.3 * first * second])
        values = [first + 0.2 * second, second, *(100.0 * parts / parts.sum())]
        lines.append(",".join(f"{value:.4f}" for value in values))
    return "\n".join(lines).encode()
