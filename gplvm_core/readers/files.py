"""Read a file of any supported format as a data set; its extension selects the reader."""

from collections.abc import Callable
from pathlib import PurePath
from typing import Any, Literal

from gplvm_core.readers.bodies.markers import read_c3d
from gplvm_core.readers.bodies.poses import read_bvh
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.pictures.images import read_images
from gplvm_core.readers.pictures.video import read_video
from gplvm_core.readers.sources import NamedBytes, Source
from gplvm_core.readers.tables.fcs import read_fcs
from gplvm_core.readers.tables.h5ad import read_h5ad
from gplvm_core.readers.tables.table import read_table

FileKind = Literal["table", "images", "video", "bvh", "c3d", "cells", "events"]

ENDINGS: dict[str, FileKind] = {
    **dict.fromkeys(("csv", "tsv", "txt", "xlsx"), "table"),
    **dict.fromkeys(("parquet", "feather", "arrow", "ipc", "npz", "npy"), "table"),
    "zip": "images",
    "gif": "video",
    "bvh": "bvh",
    "c3d": "c3d",
    "h5ad": "cells",
    "fcs": "events",
}
READERS: dict[FileKind, Callable[..., Dataset]] = {
    "table": read_table,
    "images": read_images,
    "video": read_video,
    "bvh": read_bvh,
    "c3d": read_c3d,
    "cells": read_h5ad,
    "events": read_fcs,
}


def ending_of(name: str) -> str:
    """Return the last extension of a file name, in lower case and without the dot."""
    return PurePath(name).suffix.lower().removeprefix(".")


def kind_of(name: str) -> FileKind:
    """Return the kind of a file by its extension; files with unknown extensions are treated as
    tables.
    """
    return ENDINGS.get(ending_of(name), "table")


def read_file(source: Source, **options: Any) -> Dataset:
    """Read a file as a data set, with the reader for its kind (READERS).

    options: passed to the reader. Bytes without a name are treated as a table. Raises DataError for
    a file that cannot be read.
    """
    if isinstance(source, NamedBytes):
        name = source.name
    else:
        name = "" if isinstance(source, bytes | bytearray | memoryview) else str(source)
    return READERS[kind_of(name)](source, **options)
