"""Malformed zip files. NPZ files, collections of pictures, workbooks and models are zip files."""

import io
import stat
import struct
import zipfile

from tests.fuzz.samples import zipped


def link(name: str, target: str = "/etc/passwd") -> bytes:
    """Return a zip with a member that is a symbolic link."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        info = zipfile.ZipInfo(name)
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, target)
    return file.getvalue()


def outside(name: str, data: bytes = b"1") -> bytes:
    """Return a zip with a member whose path leads out of the folder."""
    return zipped({f"../../{name}": data})


def lying(data: bytes, member: str, size: int) -> bytes:
    """Return a zip with a member that declares a wrong size, in its header and in the table of
    contents.
    """
    changed, name = bytearray(data), member.encode()
    before = changed.index(name) - 30
    contents = changed.rindex(name) - 46
    struct.pack_into("<I", changed, before + 22, size)
    struct.pack_into("<I", changed, contents + 24, size)
    return bytes(changed)


def nested(ending: str) -> bytes:
    """Return a zip in a zip in a zip."""
    inner = zipped({"x.csv": b"1,2\n3,4\n"})
    return zipped({f"inner.{ending}": zipped({f"inner.{ending}": inner})})
