"""One value, one file: a zip of manifest.json and plain .npy arrays, without pickle.

The manifest comes first and declares every array's type and shape. Reading checks the whole
archive against those declarations, and their sum against a limit, before it reads any array: a
file that would unpack to more than it says is refused at the door.
"""

import contextlib
import json
import math
import os
import platform
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import IO, Any

import numpy as np

from gplvm_core.store.atomic import write_atomically
from gplvm_core.store.codec import (
    Encoded,
    Registry,
    StoreError,
    check_dtype,
    class_name,
    decode,
    encode,
)
from gplvm_core.store.migrations import SCHEMA, migrated
from gplvm_core.store.registry import known_classes

FORMAT = "manifolio"
SUFFIX = ".gplvm"
MANIFEST = "manifest.json"
# The bytes that the arrays of one file may take in memory, unless the caller says otherwise.
MAX_BYTES = 4 * 2**30
_MAX_MANIFEST = 32 * 2**20
# The header of an .npy file is text, padded to 64 bytes; numpy itself refuses more than 10,000.
_MAX_HEADER = 10_000
# A fixed date: the same value gives the same archive (the manifest has the true date).
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)

Source = str | os.PathLike[str] | IO[bytes]


@dataclass(frozen=True)
class Manifest:
    """What a file says about itself; reading it touches no array."""

    schema: int
    class_name: str
    versions: dict[str, str]
    created: str
    arrays: dict[str, tuple[np.dtype[Any], tuple[int, ...]]]
    content: Any

    @property
    def array_bytes(self) -> int:
        """Bytes that the declared arrays take in memory."""
        return sum(_size(dtype, shape) for dtype, shape in self.arrays.values())


def save(
    thing: object,
    path: str | os.PathLike[str],
    *,
    compress: bool = True,
    registry: Registry | None = None,
) -> Path:
    """Write a model, dataset or plain value to one file, whole or not at all; returns the path.

    ``registry`` is for tests; by default the project's own classes may occur. Raises StoreError
    when the value holds something that has no exact form or the file cannot be written; a file
    that was there before is then untouched.
    """
    target = Path(path).expanduser()
    encoded = encode(thing, known_classes() if registry is None else registry)
    manifest = _manifest_text(encoded, class_name(thing))
    method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED

    def write(file: IO[bytes]) -> None:
        with zipfile.ZipFile(file, "w") as archive:
            with archive.open(_member(MANIFEST, zipfile.ZIP_DEFLATED), "w") as member:
                member.write(manifest)
            for name, array in encoded.arrays.items():
                with archive.open(_member(name, method), "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)

    write_atomically(target, write)
    return target


def load(source: Source, *, max_bytes: int = MAX_BYTES, registry: Registry | None = None) -> Any:
    """Read back what `save` wrote, from a path or an open binary file; older files are migrated.

    Raises StoreError when the file is missing, damaged, foreign, written by a newer version, of
    an older one that cannot be brought to this, or would take more than ``max_bytes`` of memory.
    """
    label = _label(source)
    with _opened(source) as archive:
        manifest = _read_manifest(archive, label)
        if manifest.array_bytes > max_bytes:
            raise StoreError(
                f"{label} holds {_human(manifest.array_bytes)} of arrays, more than the limit of "
                f"{_human(max_bytes)}. If you trust it, load it with a larger max_bytes."
            )
        arrays = {name: _read_array(archive, name, manifest, label) for name in manifest.arrays}
    stored = migrated(Encoded(manifest.content, arrays), manifest.schema, label)
    return decode(stored.content, stored.arrays, known_classes() if registry is None else registry)


def read_manifest(source: Source) -> Manifest:
    """Check a file's manifest and table of contents, but read no array; StoreError as `load`."""
    with _opened(source) as archive:
        return _read_manifest(archive, _label(source))


def _manifest_text(encoded: Encoded, name: str) -> bytes:
    try:
        text = json.dumps(
            {
                "format": FORMAT,
                "schema": SCHEMA,
                "class": name,
                "versions": _versions(),
                "created": datetime.now(UTC).isoformat(timespec="seconds"),
                "arrays": {
                    key: {"dtype": array.dtype.str, "shape": list(array.shape)}
                    for key, array in encoded.arrays.items()
                },
                "content": encoded.content,
            },
            allow_nan=False,
            separators=(",", ":"),
        ).encode("ascii")
    except RecursionError:
        raise StoreError(f"This {name} is nested too deeply to be stored.") from None
    if len(text) > _MAX_MANIFEST:
        raise StoreError(
            f"This {name} has {_human(len(text))} of text and single numbers; a file takes "
            f"{_human(_MAX_MANIFEST)}. Keep large data in arrays, not in lists."
        )
    return text


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version(), "numpy": np.__version__}
    for package in ("manifolio", "scipy", "scikit-learn"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    return versions


def _member(name: str, method: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, date_time=_ZIP_DATE)
    info.compress_type = method
    info.external_attr = 0o644 << 16
    return info


@contextlib.contextmanager
def _opened(source: Source) -> Iterator[zipfile.ZipFile]:
    """The archive; whatever goes wrong in reading it is told in words."""
    label = _label(source)
    path = Path(source).expanduser() if isinstance(source, str | os.PathLike) else None
    if path is not None and not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise StoreError(f"{label} {what}. Give the path of a {SUFFIX} file.")
    try:
        with zipfile.ZipFile(source if path is None else path) as archive:
            yield archive
    except zipfile.BadZipFile as error:
        raise StoreError(
            f"{label} is not a {SUFFIX} file or was cut off ({error}). Copy or export it again."
        ) from error
    except (zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        # RuntimeError is what zipfile says of an encrypted member.
        raise StoreError(
            f"{label} is damaged: {error or type(error).__name__}. Copy or export it again."
        ) from error
    except OSError as error:
        raise StoreError(
            f"{label} cannot be read: {error.strerror or error}. Check that you may read it and "
            "that it is whole."
        ) from error


def _read_manifest(archive: zipfile.ZipFile, label: str) -> Manifest:
    names = archive.namelist()
    if MANIFEST not in names:
        raise StoreError(f"{label} is a zip but has no {MANIFEST}: it is not a {SUFFIX} file.")
    if archive.getinfo(MANIFEST).file_size > _MAX_MANIFEST:
        raise StoreError(
            f"The manifest of {label} unpacks to more than {_human(_MAX_MANIFEST)}; this is not a "
            "file that Manifolio wrote."
        )
    try:
        raw = json.loads(archive.read(MANIFEST))
    except (ValueError, RecursionError) as error:
        raise StoreError(f"The manifest of {label} is damaged: {error}.") from error
    manifest = _parse_manifest(raw, label)
    _check_members(archive, manifest, label)
    return manifest


def _parse_manifest(raw: Any, label: str) -> Manifest:
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
    try:
        arrays = {
            str(name): _declaration(entry, f"{name} in {label}")
            for name, entry in raw["arrays"].items()
        }
        return Manifest(
            schema=schema,
            class_name=str(raw["class"]),
            versions={str(key): str(value) for key, value in raw["versions"].items()},
            created=str(raw["created"]),
            arrays=arrays,
            content=raw["content"],
        )
    except StoreError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, SyntaxError) as error:
        raise StoreError(
            f"The manifest of {label} is damaged ({type(error).__name__}: {error})."
        ) from error


def _declaration(entry: Any, where: str) -> tuple[np.dtype[Any], tuple[int, ...]]:
    if type(entry["dtype"]) is not str:
        raise StoreError(f"The type of {where} is {entry['dtype']!r}; a plain type's name is due.")
    dtype = np.dtype(entry["dtype"])
    check_dtype(dtype, where)
    shape = tuple(entry["shape"])
    if not all(type(length) is int and length >= 0 for length in shape):
        raise StoreError(f"The shape of {where} is {shape!r}; whole lengths are due.")
    return dtype, shape


def _check_members(archive: zipfile.ZipFile, manifest: Manifest, label: str) -> None:
    """Every member is declared, once, and has the size that its declaration gives."""
    names = archive.namelist()
    if len(set(names)) != len(names):
        raise StoreError(f"{label} holds two members of one name; Manifolio wrote no such file.")
    undeclared = sorted(set(names) - set(manifest.arrays) - {MANIFEST})
    missing = sorted(set(manifest.arrays) - set(names))
    if undeclared or missing:
        what = f"holds {undeclared[0]!r}, which" if undeclared else f"lacks {missing[0]!r}, which"
        kind = "does not declare" if undeclared else "declares"
        raise StoreError(f"{label} {what} its manifest {kind}. It was changed; restore a copy.")
    for name, (dtype, shape) in manifest.arrays.items():
        header = archive.getinfo(name).file_size - _size(dtype, shape)
        if not 0 < header <= _MAX_HEADER:
            raise StoreError(
                f"{name} in {label} unpacks to {archive.getinfo(name).file_size} bytes, but its "
                f"declaration ({dtype}, shape {shape}) gives {_size(dtype, shape)}. It was "
                "changed; restore a copy."
            )


def _read_array(archive: zipfile.ZipFile, name: str, manifest: Manifest, label: str) -> np.ndarray:
    try:
        with archive.open(name) as member:
            version = np.lib.format.read_magic(member)
            read_header = {
                (1, 0): np.lib.format.read_array_header_1_0,
                (2, 0): np.lib.format.read_array_header_2_0,
            }.get(version)
            if read_header is None:
                raise StoreError(f"{name} in {label} is an .npy of version {version}; 1.0 is due.")
            shape, _, dtype = read_header(member)
            # Compared before memory is asked for: the header could claim any shape.
            if (dtype, shape) != manifest.arrays[name]:
                raise StoreError(
                    f"{name} in {label} is {dtype} of shape {shape}; the manifest declares "
                    f"{manifest.arrays[name]}. It was changed; restore a copy."
                )
            member.seek(0)
            return np.lib.format.read_array(member, allow_pickle=False)
    except StoreError:
        raise
    except MemoryError as error:
        raise StoreError(
            f"{label} needs {_human(manifest.array_bytes)} of memory, more than there is. "
            "Close other programs or models."
        ) from error
    except (ValueError, OverflowError) as error:
        raise StoreError(f"{name} in {label} is damaged: {error}. Restore a copy.") from error


def _size(dtype: np.dtype[Any], shape: tuple[int, ...]) -> int:
    return int(dtype.itemsize) * math.prod(shape)


def _label(source: Source) -> str:
    if isinstance(source, str | os.PathLike):
        return f"The file {Path(source).name}"
    return f"The file {Path(str(getattr(source, 'name', 'given'))).name}"


def _human(size: int) -> str:
    for unit, power in (("GB", 30), ("MB", 20), ("kB", 10)):
        if size >= 2**power:
            return f"{size / 2**power:.1f} {unit}"
    return f"{size} bytes"
