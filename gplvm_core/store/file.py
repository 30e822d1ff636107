"""Store a value in a file: a zip of manifest.json and plain .npy arrays, without pickle.

The manifest comes first and declares the type and shape of every array. Before any array is read,
the whole archive is checked against these declarations, and their total size against a limit. Files
that would unpack to more than they declare, or that contain unused arrays, are refused.
"""

import os
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np

from gplvm_core.readers.tables.arrays import npy_version
from gplvm_core.store.atomic import write_atomically
from gplvm_core.store.decoding import decode
from gplvm_core.store.encoding import Encoded, encode
from gplvm_core.store.errors import StoreError, reading
from gplvm_core.store.manifest import (
    MANIFEST,
    MAX_MANIFEST,
    SUFFIX,
    Manifest,
    digest_of,
    human,
    manifest_text,
    parsed,
    seal_of,
    size_of,
)
from gplvm_core.store.migrations import migrated
from gplvm_core.store.registry import known_classes

# The default limit on the memory of the arrays of one file, in bytes.
MAX_BYTES = 4 * 2**30
# The maximum size of the header of an .npy file. The header is text padded to 64 bytes; numpy
# refuses headers of more than 10,000 bytes.
_MAX_HEADER = 10_000
# A fixed date, so that the same value gives the same archive; the manifest has the true date.
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)

Source = str | os.PathLike[str] | IO[bytes]


def save(thing: object, path: str | os.PathLike[str], *, compress: bool = True) -> Path:
    """Write a model, data set or plain value to a file atomically; returns the path.

    Only the user can access the file. Raises StoreError if the value contains something that cannot
    be stored exactly, or the file cannot be written; an existing file is then unchanged.

    Examples
    --------
    >>> import tempfile
    >>> from gplvm_core import ProbabilisticPCA, load_dataset, save
    >>> model = ProbabilisticPCA(2).fit(load_dataset("wine").values)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/wine.gplvm").name
    'wine.gplvm'
    """
    target = Path(path).expanduser()
    write_sealed(thing, target, compress=compress)
    return target


def write_sealed(thing: object, target: Path, *, compress: bool = True) -> str:
    """Write a file as `save` does; returns the digest that identifies the file."""
    encoded = encode(thing, known_classes())
    text = manifest_text(encoded, type(thing).__name__)
    digest = digest_of(text)
    method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED

    def write(file: IO[bytes]) -> None:
        with zipfile.ZipFile(file, "w") as archive:
            with archive.open(_member(MANIFEST, zipfile.ZIP_DEFLATED), "w") as member:
                member.write(text)
            for name, array in encoded.arrays.items():
                with archive.open(_member(name, method), "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
            archive.comment = seal_of(digest)

    write_atomically(target, write)
    return digest


def load(source: Source, *, max_bytes: int = MAX_BYTES) -> Any:
    """Read a value that `save` wrote, from a path or an open binary file; older files are migrated.

    Raises StoreError if the file is missing or damaged, was not written by Manifolio or was written
    by a newer version, cannot be migrated, or needs more than ``max_bytes`` of memory. Raises
    ChangedError if the file can be read, but was changed after it was saved.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from gplvm_core import load, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save({"rows": np.arange(3.0)}, f"{folder}/rows.gplvm")
    ...     load(path)
    {'rows': array([0., 1., 2.])}
    """
    return read(source, max_bytes=max_bytes)[0]


def read(
    source: Source, *, max_bytes: int = MAX_BYTES, trusted: bool = False
) -> tuple[Any, Manifest]:
    """Read a file as `load` does, and also return its manifest.

    trusted: also accept a file that was changed after it was saved.
    """
    label = _label(source)
    with reading(label), zipfile.ZipFile(_to_open(source, label)) as archive:
        manifest = _read_manifest(archive, label)
        if not trusted:
            manifest.check_seal(archive.comment, label)
        if manifest.array_bytes > max_bytes:
            raise StoreError(
                f"{label} contains {human(manifest.array_bytes)} of arrays, more than the limit of "
                f"{human(max_bytes)}. If you trust it, load it with a larger max_bytes."
            )
        arrays = {}
        for name in manifest.arrays:
            arrays[name] = _read_array(archive, name, manifest, label)
            if not trusted:
                manifest.check_array(name, arrays[name], label)
        stored = migrated(Encoded(manifest.content, arrays), manifest.schema, label)
        return decode(stored.content, stored.arrays, known_classes()), manifest


def read_manifest(source: Source, *, most_text: int = MAX_MANIFEST) -> Manifest:
    """Check a file's manifest and table of contents without reading arrays; raises the errors of
    `load`.

    ``most_text``: the maximal size of the manifest in bytes; a longer manifest is refused without
    reading it.
    """
    label = _label(source)
    with reading(label), zipfile.ZipFile(_to_open(source, label)) as archive:
        manifest = _read_manifest(archive, label, most_text)
        manifest.check_seal(archive.comment, label)
        return manifest


def _member(name: str, method: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, date_time=_ZIP_DATE)
    info.compress_type = method
    info.external_attr = 0o600 << 16
    return info


def _to_open(source: Source, label: str) -> Path | IO[bytes]:
    if not isinstance(source, str | os.PathLike):
        return source
    path = Path(source).expanduser()
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise StoreError(f"{label} {what}. Give the path of a {SUFFIX} file.")
    return path


def _read_manifest(archive: zipfile.ZipFile, label: str, most_text: int = MAX_MANIFEST) -> Manifest:
    if MANIFEST not in archive.namelist():
        raise StoreError(f"{label} is a zip without {MANIFEST}: it is not a {SUFFIX} file.")
    length = archive.getinfo(MANIFEST).file_size
    if length > most_text:
        raise StoreError(
            f"{label} has {human(length)} of names, notes and single numbers; up to "
            f"{human(most_text)} are read. Use fewer or shorter names, and save it again."
        )
    text = archive.read(MANIFEST)
    with reading(f"The manifest of {label}"):
        manifest = parsed(text, label)
    _check_members(archive, manifest, label)
    unused = sorted(manifest.arrays.keys() - manifest.used)
    if unused:
        raise StoreError(
            f"{label} contains {unused[0]!r}, which its content does not use. Manifolio does not "
            "write such files; restore a copy, or export it again."
        )
    return manifest


def _check_members(archive: zipfile.ZipFile, manifest: Manifest, label: str) -> None:
    """Check that every member is declared exactly once and has its declared size."""
    names = archive.namelist()
    if len(set(names)) != len(names):
        raise StoreError(
            f"{label} contains two members of one name; Manifolio does not write such files."
        )
    undeclared = sorted(set(names) - set(manifest.arrays) - {MANIFEST})
    missing = sorted(set(manifest.arrays) - set(names))
    if undeclared or missing:
        what = f"contains {undeclared[0]!r}" if undeclared else f"lacks {missing[0]!r}"
        kind = "does not declare" if undeclared else "declares"
        raise StoreError(
            f"{label} {what}, which its manifest {kind}. It was changed; restore a copy."
        )
    for name, (dtype, shape) in manifest.arrays.items():
        header = archive.getinfo(name).file_size - size_of(dtype, shape)
        if not 0 < header <= _MAX_HEADER:
            raise StoreError(
                f"{name} in {label} unpacks to {archive.getinfo(name).file_size} bytes, but its "
                f"declaration ({dtype}, shape {shape}) gives {size_of(dtype, shape)}. It was "
                "changed; restore a copy."
            )


def _read_array(archive: zipfile.ZipFile, name: str, manifest: Manifest, label: str) -> np.ndarray:
    with reading(f"{label}, in {name},"), archive.open(name) as member:
        version, read_header = npy_version(member)
        if read_header is None:
            raise StoreError(f"{name} in {label} has .npy version {version}; 1.0 is expected.")
        shape, _, dtype = read_header(member)
        # The header is checked before memory is allocated, because it could declare any shape.
        if (dtype, shape) != manifest.arrays[name]:
            raise StoreError(
                f"{name} in {label} is {dtype} of shape {shape}; the manifest declares "
                f"{manifest.arrays[name]}. It was changed; restore a copy."
            )
        member.seek(0)
        return np.lib.format.read_array(member, allow_pickle=False)


def _label(source: Source) -> str:
    if isinstance(source, str | os.PathLike):
        return f"The file {Path(source).name}"
    return f"The file {Path(str(getattr(source, 'name', 'given'))).name}"
