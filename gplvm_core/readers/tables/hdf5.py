"""Check a whole HDF5 file before any reader opens it.

An HDF5 file may refer to other files (external links, external storage, virtual data sets), and
every reader follows these references. The file also contains sizes and indices that readers trust.
The whole file is therefore checked first: nothing may refer to another file or declare more than
the limits.
"""

from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array

from gplvm_core.readers.errors import DataError, parsing
from gplvm_core.readers.limits import (
    MEGABYTE,
    MOST_CHUNK,
    MOST_MEMBERS,
    MOST_TEXT,
    MOST_UNPACKED,
    check_at_most,
)

DEEPEST = 32  # groups within groups
FILTERS = {1, 2, 3, 32_000}  # gzip, shuffle, checksum and LZF: the filters that h5py includes
STRINGS_AT_ONCE = 64  # small, because all strings may refer to the same long string
SPARSE = ("data", "indices", "indptr")  # the members of a sparse matrix
AGAIN = "Save it again as one file, with a current version of anndata."


def check_hdf5(path: Path, name: str) -> None:
    """Check all of a file before a reader opens it.

    name: the file's name in messages. Raises DataError for a file that refers to other files, has
    references other than those to a column's categories, declares too much, or holds a sparse
    matrix whose indices are out of range. Raises errors of h5py if the file is damaged.
    """
    import h5py

    # The plain driver reads only this file; other drivers would assemble the content from several
    # files.
    with h5py.File(path, "r", driver="sec2", locking=False) as file:
        walk = _Walk(name, h5py)
        walk.group(file.id, "", 0)
        for column, address in walk.categories.items():
            if address not in walk.datasets:
                walk.refuse(column, "refers to categories that are in no group")


@dataclass
class _Walk:
    """One traversal of a file, with the totals declared so far."""

    name: str
    api: Any  # the module h5py
    objects: int = 0
    bytes: int = 0
    characters: int = 0
    groups: set[int] = field(default_factory=set)
    datasets: set[int] = field(default_factory=set)
    categories: dict[str, int] = field(default_factory=dict)

    def group(self, group: Any, path: str, depth: int) -> None:
        """Check a group and everything below it."""
        address = self.api.h5o.get_info(group).addr
        if address in self.groups or depth > DEEPEST:
            self.refuse(path, "contains itself or is nested too deeply")
        self.groups.add(address)
        self.attributes(group, path)
        members: dict[str, Any] = {}
        for key in group:
            below = f"{path}/{key.decode('utf-8', 'replace')}"
            if group.links.get_info(key).type != self.api.h5l.TYPE_HARD:
                self.refuse(below, "is a link to another place or another file")
            self.objects += 1
            check_at_most(self.objects, MOST_MEMBERS, "parts", self.name, AGAIN)
            member = self.api.h5o.open(group, key)
            if isinstance(member, self.api.h5g.GroupID):
                self.group(member, below, depth + 1)
            else:
                self.dataset(member, below)
            members[key.decode("utf-8", "replace")] = member
        if members.keys() >= {*SPARSE}:
            self.sparse(group, members, path)

    def dataset(self, dataset: Any, path: str) -> None:
        """Check where a data set's values are stored, their type, and their declared size."""
        self.attributes(dataset, path)
        self.datasets.add(self.api.h5o.get_info(dataset).addr)
        if not isinstance(dataset, self.api.h5d.DatasetID):
            self.type(dataset, path)  # a named type
            return
        created = dataset.get_create_plist()
        layout = created.get_layout()
        if created.get_external_count():
            self.refuse(path, "stores its values in another file")
        if layout == self.api.h5d.VIRTUAL:
            self.refuse(path, "takes its values from other data sets (a virtual data set)")
        self.type(dataset.get_type(), path)
        filters = {created.get_filter(n)[0] for n in range(created.get_nfilters())}
        if unknown := filters - FILTERS:
            self.refuse(
                path, f"is compressed with filter {min(unknown)}; only gzip and LZF can be read"
            )
        itemsize = int(dataset.get_type().get_size())
        if layout == self.api.h5d.CHUNKED:
            megabytes = itemsize * prod(map(int, created.get_chunk())) // MEGABYTE
            what = f"MB in one block of {path}"
            check_at_most(megabytes, MOST_CHUNK // MEGABYTE, what, self.name, AGAIN)
        self.declared(itemsize, dataset.get_space())
        if self.has_text(dataset.get_type()):
            self.text(self.api.Dataset(dataset), path)

    def attributes(self, owner: Any, path: str) -> None:
        """Check the attributes of a group, a data set or a named type."""
        for number in range(self.api.h5a.get_num_attrs(owner)):
            attribute = self.api.h5a.open(owner, index=number)
            if attribute.name == b"categories" and self.refers_to_categories(owner, path):
                continue
            self.type(attribute.get_type(), f"{path}, attribute {attribute.name!r}")
            self.declared(int(attribute.get_type().get_size()), attribute.get_space())

    def refers_to_categories(self, dataset: Any, path: str) -> bool:
        """Whether the attribute "categories" refers to a data set, as anndata wrote before 0.7.

        The walk checks all data sets of the file, and the caller that the data set is one of them.
        """
        if not isinstance(dataset, self.api.h5d.DatasetID):
            return False
        found = self.api.Dataset(dataset).attrs["categories"]
        if type(found) is not self.api.h5r.Reference or not found:
            return False
        target = self.api.h5r.dereference(found, dataset)
        if not isinstance(target, self.api.h5d.DatasetID):
            return False
        self.categories[path] = self.api.h5o.get_info(target).addr
        return True

    def type(self, kind: Any, path: str) -> None:
        """Refuse references, and lists of varying lengths, at any depth of a type."""
        family = kind.get_class()
        if family == self.api.h5t.REFERENCE:
            self.refuse(path, "refers to another part of the file (a reference)")
        elif family == self.api.h5t.VLEN:
            self.refuse(path, "has lists of varying lengths")
        elif family == self.api.h5t.ARRAY:
            self.type(kind.get_super(), path)
        elif family == self.api.h5t.COMPOUND:
            for number in range(kind.get_nmembers()):
                self.type(kind.get_member_type(number), path)

    def has_text(self, kind: Any) -> bool:
        """Whether a type is, or contains, text of varying length."""
        if kind.get_class() == self.api.h5t.COMPOUND:
            return any(self.has_text(kind.get_member_type(n)) for n in range(kind.get_nmembers()))
        if kind.get_class() == self.api.h5t.ARRAY:
            return self.has_text(kind.get_super())
        return bool(kind.get_class() == self.api.h5t.STRING and kind.is_variable_str())

    def declared(self, itemsize: int, space: Any) -> None:
        """Add the bytes that a data set or attribute declares."""
        if space.get_simple_extent_type() != self.api.h5s.NULL:
            self.bytes += itemsize * prod(map(int, space.get_simple_extent_dims()))
        most = MOST_UNPACKED // MEGABYTE
        advice = "Leave out layers or cells."
        check_at_most(self.bytes // MEGABYTE, most, "MB of arrays", self.name, advice)

    def text(self, dataset: Any, path: str) -> None:
        """Add the lengths of texts, because the declared size does not include them."""
        if not dataset.size:
            return
        length = len(dataset) if dataset.ndim else 1
        step = max(1, STRINGS_AT_ONCE * length // dataset.size)
        for begin in range(0, length, step):
            part = dataset[begin : begin + step] if dataset.ndim else np.asarray(dataset[()])
            self.characters += _characters(part)
            check_at_most(
                self.characters // MEGABYTE, MOST_TEXT // MEGABYTE, "MB of text", self.name, AGAIN
            )

    def sparse(self, group: Any, members: dict[str, Any], path: str) -> None:
        """Check a sparse matrix, since readers trust its indices, and write outside the memory of a
        dense array if one is out of range.
        """
        if not all(isinstance(members[key], self.api.h5d.DatasetID) for key in SPARSE):
            self.refuse(path, "has a group where a sparse matrix's numbers should be")
        about = self.api.Group(group).attrs
        # The attributes have old and new names, because some readers use the old names and others
        # the new ones.
        forms = [str(about[key]) for key in ("encoding-type", "h5sparse_format") if key in about]
        shapes = [about[key] for key in ("shape", "h5sparse_shape") if key in about]
        if len({form.removesuffix("_matrix") for form in forms}) > 1 or not all(
            np.array_equal(shape, shapes[0]) for shape in shapes
        ):
            self.refuse(path, "declares a sparse matrix in two conflicting ways")
        form = forms[0] if forms else "csr_matrix"
        shape: Any = shapes[0] if shapes else None
        data, *places = (np.asarray(self.api.Dataset(members[key])[()]) for key in SPARSE)
        whole = all(each.dtype.kind in "iu" for each in places)
        if data.dtype.kind == "c":
            self.refuse(path, "has complex numbers: store their absolute values")
        if shape is None or data.dtype.kind not in "fiub" or not whole:
            self.refuse(path, "has a sparse matrix without a shape, or of other types")
        matrix: Any = csc_array if "csc" in form else csr_array
        with parsing(f"{self.name}: {path}", "has a damaged sparse matrix", AGAIN):
            matrix((data, *places), shape=tuple(shape)).check_format(full_check=True)

    def refuse(self, path: str, reason: str) -> None:
        """Raise DataError for one part of the file."""
        raise DataError(f"{self.name} was refused: {path or '/'} {reason}. {AGAIN}")


def _characters(values: Any) -> int:
    """Return the total length of all texts, including texts in nested fields."""
    if values.dtype.names:
        return sum(_characters(values[key]) for key in values.dtype.names)
    return sum(len(word) for word in np.ravel(values) if isinstance(word, bytes | str))
