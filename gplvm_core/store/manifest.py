"""The manifest of a file: its class, versions and schema, and the type and shape of every array.

The manifest contains the SHA-256 of every array, and the file contains the SHA-256 of the manifest,
so edited or replaced content is detected. Older files contain no digests and are read without this
check.
"""

import contextlib
import functools
import hashlib
import json
import math
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

import numpy as np

from gplvm_core.store.encoding import Encoded, array_names, check_dtype
from gplvm_core.store.errors import ChangedError, StoreError
from gplvm_core.store.migrations import SCHEMA

FORMAT = "manifolio"
SUFFIX = ".gplvm"
MANIFEST = "manifest.json"
MAX_MANIFEST = 32 * 2**20


@dataclass(frozen=True)
class Manifest:
    """The manifest of a file; it can be read without reading the arrays.

    ``digest`` is the SHA-256 of the manifest's text. The digest identifies the whole file if the
    manifest contains the digests of the arrays (``digests``, by name), as all new files do.
    ``used`` are the names of the arrays that the content refers to.
    """

    schema: int
    class_name: str
    versions: dict[str, str]
    created: str
    arrays: dict[str, tuple[np.dtype[Any], tuple[int, ...]]]
    content: Any
    digest: str
    digests: dict[str, str]
    sealed: bool
    used: frozenset[str]

    @property
    def array_bytes(self) -> int:
        """The size of the declared arrays in memory, in bytes."""
        return sum(size_of(dtype, shape) for dtype, shape in self.arrays.values())

    def check_seal(self, seal: bytes, label: str) -> None:
        """Raise ChangedError if the file was sealed with another manifest."""
        due = seal_of(self.digest)
        if not self.sealed or seal == due:
            return
        if seal and due.startswith(seal):
            raise StoreError(f"{label} was cut off at its end. Copy or export it again.")
        raise changed(label)

    def check_array(self, name: str, array: np.ndarray, label: str) -> None:
        """Raise ChangedError unless an array equals the saved array."""
        if self.sealed and digest_of(array) != self.digests[name]:
            raise changed(label)


def manifest_text(encoded: Encoded, name: str) -> bytes:
    """Return an encoded value's manifest as JSON; StoreError if it is too large or too deep."""
    try:
        text = json.dumps(
            {
                "format": FORMAT,
                "schema": SCHEMA,
                "class": name,
                "versions": dict(_versions()),
                "created": datetime.now(UTC).isoformat(timespec="seconds"),
                "sealed": True,
                "arrays": {
                    key: {
                        "dtype": array.dtype.str,
                        "shape": list(array.shape),
                        "sha256": digest_of(array),
                    }
                    for key, array in encoded.arrays.items()
                },
                "content": encoded.content,
            },
            allow_nan=False,
            separators=(",", ":"),
        ).encode("ascii")
    except RecursionError:
        raise StoreError(f"This {name} is nested too deeply to be stored.") from None
    if len(text) > MAX_MANIFEST:
        raise StoreError(
            f"This {name} has {human(len(text))} of text and single numbers; a file can store up "
            f"to {human(MAX_MANIFEST)}. Use arrays instead of lists for large data."
        )
    return text


def parsed(text: bytes, label: str) -> Manifest:
    """Parse a manifest; StoreError if it is damaged, or was written by another program or a newer
    version.
    """
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"The manifest of {label} is damaged: {error}.") from error
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise StoreError(f"{label} is not a {SUFFIX} file: its manifest is another program's.")
    schema = raw.get("schema")
    if type(schema) is not int or schema < 1:
        raise StoreError(f"The manifest of {label} is damaged: schema {schema!r}.")
    if schema > SCHEMA:
        raise StoreError(
            f"{label} was written by a newer Manifolio (schema {schema}; this version reads up to "
            f"{SCHEMA}). Update Manifolio and open it again."
        )
    sealed = raw.get("sealed") is True
    arrays = {str(name): _declaration(entry, name, label) for name, entry in raw["arrays"].items()}
    return Manifest(
        schema=schema,
        class_name=str(raw["class"]),
        versions={str(key): str(value) for key, value in raw["versions"].items()},
        created=str(raw["created"]),
        arrays=arrays,
        content=raw["content"],
        digest=digest_of(text),
        digests={name: raw["arrays"][name]["sha256"] for name in arrays} if sealed else {},
        sealed=sealed,
        used=array_names(raw["content"]),
    )


def seal_of(digest: str) -> bytes:
    """Return the zip comment in which a file stores its manifest's digest."""
    return f"sha256 {digest}".encode("ascii")


def digest_of(content: bytes | np.ndarray) -> str:
    """Return the SHA-256 of a text, or of an array's values in row order."""
    plain = content if isinstance(content, bytes) else np.ascontiguousarray(content).data
    return hashlib.sha256(plain).hexdigest()


def changed(label: str) -> ChangedError:
    """Return the error for a complete file that differs from the saved file."""
    return ChangedError(
        f"{label} was changed after it was saved, or was replaced by another one. Restore a copy."
    )


def size_of(dtype: np.dtype[Any], shape: tuple[int, ...]) -> int:
    """Return the size of an array in memory, in bytes."""
    return int(dtype.itemsize) * math.prod(shape)


def human(size: int) -> str:
    """Return a size in bytes as text, such as "1.5 MB"."""
    for unit, power in (("GB", 30), ("MB", 20), ("kB", 10)):
        if size >= 2**power:
            return f"{size / 2**power:.1f} {unit}"
    return f"{size} bytes"


@functools.cache
def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version(), "numpy": np.__version__}
    for package in ("manifolio", "scipy", "scikit-learn"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    return versions


def _declaration(entry: Any, name: str, label: str) -> tuple[np.dtype[Any], tuple[int, ...]]:
    where = f"{name} in {label}"
    if type(entry["dtype"]) is not str:
        raise StoreError(f"The type of {where} is {entry['dtype']!r}; a type's name is expected.")
    dtype = np.dtype(entry["dtype"])
    check_dtype(dtype, where)
    shape = tuple(entry["shape"])
    if not all(type(length) is int and length >= 0 for length in shape):
        raise StoreError(f"The shape of {where} is {shape!r}; whole numbers are expected.")
    return dtype, shape
