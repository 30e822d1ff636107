"""One small valid file of every format that can be uploaded."""

import csv
import gzip
import io
import json
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from gplvm_core import datasets, store
from tests.readers.small_bvh import bvh

ROWS = np.array([[0.5, 1.0, -2.0], [1.5, 3.0, 1e-3], [2.5, -1.0, 4.0], [3.5, 0.0, 7.0]])
NAMES = ["width", "height", "weight"]


def table(delimiter: str = ",") -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(["kind", *NAMES])
    writer.writerows([f"k{n % 2}", *row] for n, row in enumerate(ROWS))
    return text.getvalue().encode()


def npy(values: Any = ROWS) -> bytes:
    file = io.BytesIO()
    np.save(file, values, allow_pickle=False)
    return file.getvalue()


def npz() -> bytes:
    file = io.BytesIO()
    np.savez(file, x=ROWS, kind=np.array(["a", "b", "a", "b"]), t=np.arange(4.0))
    return file.getvalue()


def picture(shade: int, kind: str = "PNG") -> bytes:
    file = io.BytesIO()
    Image.fromarray(np.arange(20, dtype=np.uint8).reshape(4, 5) * shade).save(file, kind)
    return file.getvalue()


def pictures(kind: str = "PNG") -> bytes:
    return zipped({f"{n}/{n}.{kind.lower()}": picture(n, kind) for n in (1, 2)})


def zipped(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def gif() -> bytes:
    file = io.BytesIO()
    first, *others = (Image.open(io.BytesIO(picture(n))) for n in (1, 3, 5))
    first.save(file, "GIF", save_all=True, append_images=others, duration=40)
    return file.getvalue()


def workbook() -> bytes:
    import openpyxl

    book, file = openpyxl.Workbook(), io.BytesIO()
    assert book.active is not None
    for row in [NAMES, *ROWS.tolist()]:
        book.active.append(row)
    book.save(file)
    return file.getvalue()


def parquet() -> bytes:
    import pyarrow
    from pyarrow import parquet

    file = io.BytesIO()
    parquet.write_table(pyarrow.table(dict(zip(NAMES, ROWS.T, strict=True))), file)
    return file.getvalue()


def arrow(*, stream: bool) -> bytes:
    import pyarrow
    from pyarrow import ipc

    file, rows = io.BytesIO(), pyarrow.table(dict(zip(NAMES, ROWS.T, strict=True)))
    options = ipc.IpcWriteOptions(compression=None if stream else "zstd")
    with (ipc.new_stream if stream else ipc.new_file)(file, rows.schema, options=options) as writer:
        writer.write_table(rows)
    return file.getvalue()


def cells() -> bytes:
    """Return six single cells of two kinds, with sparse counts of four genes."""
    import anndata
    import pandas as pd
    from scipy import sparse

    counts = np.random.default_rng(0).poisson(0.7, (6, 4)).astype(float)
    names = pd.Index([f"cell {n}" for n in range(6)], dtype=object)
    facts = pd.DataFrame({"kind": pd.Categorical(["T", "B"] * 3)}, names)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cells.h5ad"
        anndata.AnnData(sparse.csr_matrix(counts), obs=facts).write_h5ad(path)
        return path.read_bytes()


def markers() -> bytes:
    """Return four frames of two markers as a C3D file."""
    import c3d

    writer, file = c3d.Writer(point_rate=100.0), io.BytesIO()
    rows = np.zeros((4, 2, 5), dtype=np.float32)
    rows[:, :, :3] = np.random.default_rng(0).random((4, 2, 3))
    writer.add_frames([(row, np.zeros((0, 0))) for row in rows])
    writer.set_point_labels(["a", "b"])
    with warnings.catch_warnings(action="ignore"):
        writer.write(file)
    return file.getvalue()


def stored(thing: object, folder: Any) -> bytes:
    path = folder / "thing.gplvm"
    store.save(thing, path)
    return bytes(path.read_bytes())


def bundle() -> object:
    """Return a model file's content without the model, and a random state as in checkpoints."""
    dataset = datasets.read_table(table(), label_column="kind")
    return {"title": "a", "tags": ["b"], "dataset": dataset, "state": np.random.default_rng(0)}


UPLOADS: dict[str, Callable[[], bytes]] = {
    "table.csv": table,
    "table.tsv": lambda: table("\t"),
    "array.npy": npy,
    "arrays.npz": npz,
    "pictures.zip": pictures,
    "tiffs.zip": lambda: pictures("TIFF"),
    "film.gif": gif,
    "motion.bvh": lambda: bvh().encode(),
    "packed.bvh": lambda: gzip.compress(bvh().encode()),
    "book.xlsx": workbook,
    "table.parquet": parquet,
    "table.feather": lambda: arrow(stream=False),
    "table.arrow": lambda: arrow(stream=True),
    "walk.c3d": markers,
    "cells.h5ad": cells,
}

QUERY = {"dims": "1,2", "at": "0.5,-1.25,3", "hold": "1"}
TEXT = json.dumps(QUERY)
