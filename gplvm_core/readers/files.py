"""A file of any kind that is read, as a data set: its name says which reader takes it."""

from collections.abc import Callable
from pathlib import PurePath
from typing import Any, Literal

from gplvm_core.readers.bodies.markers import read_c3d
from gplvm_core.readers.bodies.poses import read_bvh
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.pictures.images import read_images
from gplvm_core.readers.pictures.video import read_video
from gplvm_core.readers.sources import NamedBytes, Source
from gplvm_core.readers.tables.h5ad import read_h5ad
from gplvm_core.readers.tables.table import read_table

FileKind = Literal["table", "images", "video", "bvh", "c3d", "cells"]

ENDINGS: dict[str, FileKind] = {
    "csv": "table",
    "tsv": "table",
    "txt": "table",
    "xlsx": "table",
    "parquet": "table",
    "npz": "table",
    "npy": "table",
    "zip": "images",
    "gif": "video",
    "bvh": "bvh",
    "c3d": "c3d",
    "h5ad": "cells",
}
READERS: dict[FileKind, Callable[..., Dataset]] = {
    "table": read_table,
    "images": read_images,
    "video": read_video,
    "bvh": read_bvh,
    "c3d": read_c3d,
    "cells": read_h5ad,
}


def ending_of(name: str) -> str:
    """The last ending of a file's name, in lower case and without its point."""
    return PurePath(name).suffix.lower().removeprefix(".")


def kind_of(name: str) -> FileKind:
    """What a file of this name holds; a table, unless its ending says otherwise."""
    return ENDINGS.get(ending_of(name), "table")


def read_file(source: Source, **options: Any) -> Dataset:
    """The data set that a file holds, by the reader of its kind (READERS).

    options: the reader's. Bytes without a name are taken for a table. Raises DataError for what
    cannot be read.
    """
    if isinstance(source, NamedBytes):
        name = source.name
    else:
        name = "" if isinstance(source, bytes | bytearray | memoryview) else str(source)
    return READERS[kind_of(name)](source, **options)
