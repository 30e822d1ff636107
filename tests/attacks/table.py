"""Every file format × every kind of attack: a hostile file, or the reason why no attack exists."""

import io
import json
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from gplvm_core.readers.files import ENDINGS
from gplvm_core.readers.tables import parquet
from gplvm_core.store.manifest import digest_of, seal_of
from tests.attacks import archives, bombs, cells, columns, motions, workbooks
from tests.attacks.columns import bad_dictionary, deep_lists, elsewhere, long_word, many_rows
from tests.fuzz.samples import bundle, npy, picture, pictures, stored, zipped
from tests.readers.small_bvh import bvh
from tests.readers.test_fcs import file_of as fcs
from tests.readers.test_limits import big_head_npy, long_motion, npz_of_zeros, pngs, still_gif

KINDS = (
    "links",  # the file refers to another file, or to another place in itself
    "external storage",  # the values of the file are in another file
    "declared size",  # the file declares more than it contains
    "real size",  # the content exceeds the limits, although the file has few bytes
    "bad indices",  # the file has wrong offsets and indices
    "deep nesting",
    "wrong types",
)
FORMATS = (*ENDINGS, "gplvm")


@dataclass(frozen=True)
class Attack:
    """A hostile file, and the error message that the app must show."""

    make: Callable[[], bytes]
    words: str


Cell = tuple[Attack, ...] | str
"""Attacks, or the reason why this format is immune."""


def text(delimiter: str) -> dict[str, Cell]:
    """Return the attacks on a text format."""

    def lines(count: int) -> bytes:
        line = delimiter.join(["1"] * count).encode()
        return line + b"\n" + line + b"\n"

    return {
        "links": "text names no files",
        "external storage": "text names no files",
        "declared size": "text declares no size",
        "real size": (Attack(lambda: lines(100_001), "columns; up to 100,000"),),
        "bad indices": "text has no indices",
        "deep nesting": "text has no levels",
        "wrong types": (
            Attack(
                lambda: f"a{delimiter}b\n1{delimiter}2\n3{delimiter}x\n".encode(), "not a number"
            ),
            Attack(lambda: bytes(range(256)) * 40, "not a text file"),
        ),
    }


def head(text: str) -> bytes:
    """Return an NPY file with this text as its header."""
    line = text.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(line).to_bytes(2, "little") + line.encode()


def objects() -> bytes:
    """Return an array whose header declares objects, which would run code when read."""
    return head("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }") + bytes(16)


def nested_bvh(depth: int) -> bytes:
    """Return deeply nested joints."""
    joint = "JOINT a{}\n{{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n"
    joints = "".join(joint.format(n) for n in range(depth))
    end = "End Site\n{\nOFFSET 0 1 0\n}\n"
    root = "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n"
    numbers = " ".join(["0"] * (depth + 1))
    motion = f"MOTION\nFrames: 2\nFrame Time: 0.1\n{numbers}\n{numbers}\n"
    return (root + joints + end + "}\n" * (depth + 1) + motion).encode()


def model(change: Callable[[dict[str, Any], dict[str, bytes]], None]) -> bytes:
    """Return a model's file whose manifest and members were changed and sealed again."""
    with tempfile.TemporaryDirectory() as folder:
        data = stored(bundle(), Path(folder))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members.pop("manifest.json"))
    change(manifest, members)
    raw = manifest.pop("raw", None)
    words = json.dumps(manifest).encode() if raw is None else raw
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", words)
        for name, content in members.items():
            archive.writestr(name, content)
        archive.comment = seal_of(digest_of(words))
    return file.getvalue()


def added_zeros(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
    """Add 120 megabytes of zeros that no part of the model uses; the file has 0.1 MB."""
    zeros = np.zeros(120 * 2**20, dtype=np.uint8)
    file = io.BytesIO()
    np.save(file, zeros)
    members["arrays/9999.npy"] = file.getvalue()
    declaration = {"dtype": "|u1", "shape": [len(zeros)], "sha256": digest_of(zeros)}
    manifest["arrays"]["arrays/9999.npy"] = declaration


def of_arrow(stream: bool) -> dict[str, Cell]:
    """Return the attacks on Arrow and Feather."""
    begin = parquet.STREAM if stream else parquet.ARROW
    return {
        "links": "its parts are found by their place in the file",
        "external storage": "the format has no values in other files",
        "declared size": (
            Attack(lambda: columns.nulls(2**40, stream=stream), "cells or more"),
            Attack(columns.lying_block, "needs more than|damaged"),
        ),
        "real size": (
            Attack(lambda: columns.packed_word(1_000_000, 5_000), "needs more than|number"),
        ),
        "bad indices": (
            Attack(lambda: columns.far_word(stream), "damaged"),
            Attack(columns.far_offset, "damaged"),
        ),
        "deep nesting": (Attack(lambda: columns.arrow_lists(stream), "nested"),),
        "wrong types": (Attack(lambda: begin + bytes(100) + begin, "damaged"),),
    }


def larger(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
    """Declare a size of an array that is larger than its data."""
    next(iter(manifest["arrays"].values()))["shape"] = [10**9, 10**3]


def billion_columns(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
    """Say that a row is drawn with a billion columns; the arrays keep their sizes."""
    bundle = dict(manifest["content"]["items"])
    bundle["dataset"]["fields"]["drawing"]["fields"]["shape"]["items"] = [10**9]


def of_objects(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
    """Replace an array by an array of objects."""
    name = next(iter(members))
    members[name] = objects()
    manifest["arrays"][name]["dtype"] = "|O"


def far_state(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
    """Store a random generator whose state would make it read outside its memory."""
    key = np.zeros(624, dtype=np.uint32)
    file = io.BytesIO()
    np.save(file, key)
    members["arrays/9999.npy"] = file.getvalue()
    declaration = {"dtype": "<u4", "shape": [624], "sha256": digest_of(key)}
    manifest["arrays"]["arrays/9999.npy"] = declaration
    fields = {"key": {"$": "array", "name": "arrays/9999.npy"}, "pos": 10**6}
    inner = {"$": "dict", "items": [[name, value] for name, value in fields.items()]}
    outer = [["bit_generator", "MT19937"], ["state", inner]]
    state = {"$": "random_state", "state": {"$": "dict", "items": outer}}
    manifest["content"]["items"].append(["far", state])


def deep_json(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
    """Return a hundred thousand nested lists."""
    words = json.dumps(manifest)
    manifest["raw"] = words[:-1].encode() + b',"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"


TABLE: dict[str, dict[str, Cell]] = {
    "csv": text(","),
    "tsv": text("\t"),
    "txt": text(";"),
    "xlsx": {
        "links": (Attack(workbooks.entity_of_a_file, "damaged"),),
        "external storage": (Attack(lambda: archives.outside("xl/workbook.xml"), "outside"),),
        "declared size": (
            Attack(workbooks.wide, "cells or more"),
            Attack(bombs.WORKBOOKS["a row beyond all sheets"], "rows or more"),
            Attack(lambda: archives.lying(workbooks.long_sheet(), workbooks.SHEET, 100), "damaged"),
        ),
        "real size": (
            Attack(workbooks.long_strings, "unpack to"),
            Attack(bombs.WORKBOOKS["a million styles"], "elements in"),
        ),
        "bad indices": (Attack(workbooks.far_string, "damaged"),),
        "deep nesting": (
            Attack(workbooks.laughs, "damaged"),
            Attack(lambda: workbooks.deep(100_000), "damaged|no table"),
        ),
        "wrong types": (Attack(workbooks.no_xml, "damaged"),),
    },
    "parquet": {
        "links": "its parts are found by their place in the file",
        "external storage": (Attack(elsewhere, "damaged"),),
        "declared size": (Attack(many_rows, "cells or more"),),
        "real size": (Attack(long_word, "needs more than|characters|number"),),
        "bad indices": (Attack(bad_dictionary, "damaged"),),
        "deep nesting": (Attack(deep_lists, "nested"),),
        "wrong types": (Attack(lambda: b"PAR1" + bytes(100) + b"PAR1", "damaged"),),
    },
    "feather": of_arrow(stream=False),
    "arrow": of_arrow(stream=False),
    "ipc": of_arrow(stream=True),
    "npz": {
        "links": (Attack(lambda: archives.link("x.npy"), "a link"),),
        "external storage": (Attack(lambda: archives.outside("x.npy"), "outside"),),
        "declared size": (
            Attack(lambda: zipped({"x.npy": big_head_npy("(10000000, 10000000)")}), "declares"),
            Attack(
                lambda: archives.lying(zipped({"x.npy": npy()}), "x.npy", 10), "damaged|declares"
            ),
        ),
        "real size": (Attack(npz_of_zeros, "values; up to"),),
        "bad indices": "its arrays are found by their names",
        "deep nesting": (Attack(lambda: archives.nested("npz"), "not an NPZ"),),
        "wrong types": (Attack(lambda: zipped({"x.npy": objects()}), "Python objects"),),
    },
    "npy": {
        "links": "an array names no files",
        "external storage": "an array names no files",
        "declared size": (Attack(lambda: big_head_npy("(10000000, 10000000)"), "declares"),),
        "real size": "an array is not packed: it has the bytes that it declares",
        "bad indices": (Attack(lambda: big_head_npy("(-1, -2)") + bytes(16), "below 0"),),
        "deep nesting": (Attack(lambda: head("(" * 4000 + ")" * 4000), "damaged"),),
        "wrong types": (Attack(objects, "Python objects"),),
    },
    "zip": {
        "links": (Attack(lambda: archives.link("x.png"), "a link"),),
        "external storage": (Attack(lambda: archives.outside("x.png", picture(1)), "outside"),),
        "declared size": (Attack(lambda: archives.lying(pictures(), "1/1.png", 10), "damaged"),),
        "real size": (Attack(lambda: pngs(6000, 20), "million together"),),
        "bad indices": "a picture's numbers are colours, not places",
        "deep nesting": (Attack(lambda: archives.nested("zip"), "not an image"),),
        "wrong types": (Attack(lambda: zipped({"a.png": b"text", "b.png": b"x"}), "not images"),),
    },
    "gif": {
        "links": "a film names no files",
        "external storage": "a film names no files",
        "declared size": (Attack(lambda: still_gif(65_535, 4), "pixels"),),
        "real size": (Attack(lambda: still_gif(6000, 20), "frames of 6000"),),
        "bad indices": "a frame's numbers are colours, not places",
        "deep nesting": "frames follow each other",
        "wrong types": (Attack(lambda: picture(1), "not a GIF"),),
    },
    "bvh": {
        "links": "text names no files",
        "external storage": "text names no files",
        "declared size": (Attack(lambda: bvh(announced=10**9).encode(), "Frames|numbers; up to"),),
        "real size": (Attack(long_motion, "unpacks to|Frames|numbers; up to"),),
        "bad indices": "joints are found by the way they are nested",
        "deep nesting": (Attack(lambda: nested_bvh(100_000), "joints|nested|numbers|deep"),),
        "wrong types": (
            Attack(lambda: bvh().replace("Xrotation", "Xtwist").encode(), "line"),
            Attack(lambda: b"\xff\xfe" + bytes(range(256)), "text file|BVH|UTF-16"),
        ),
    },
    "c3d": {
        "links": "motion capture names no files",
        "external storage": "motion capture names no files",
        "declared size": (
            Attack(lambda: motions.changed(2, "<H", 65_535), "inconsistent point count"),
            Attack(lambda: bombs.c3d(frames=65_535), "declares 65,535 frames"),
            Attack(bombs.MOTIONS["names in a block of 16 million"], "not a list"),
            Attack(bombs.MOTIONS["4 billion frames of no markers"], "no frames with markers"),
            Attack(bombs.MOTIONS["65,535 markers"], "markers; up to 1,000"),
        ),
        "real size": "its numbers are not packed: it has the bytes that it declares",
        "bad indices": (
            Attack(lambda: motions.changed(0, "B", 255), "cut off"),
            Attack(lambda: motions.changed(16, "<H", 65_535), "declares 4 frames but has 0"),
        ),
        "deep nesting": "its parameters have two levels",
        "wrong types": (
            Attack(lambda: motions.changed(20, "<f", float("nan")), "inconsistent frame rate"),
            Attack(lambda: b"text", "not a C3D file"),
        ),
    },
    "fcs": {
        "links": "events name no files",
        "external storage": "events name no files",
        "declared size": (
            Attack(lambda: fcs(**{"$TOT": 10**9}).data, "cells or more"),
            Attack(lambda: fcs(**{"$PAR": 10**9}).data, "columns; up to 100,000"),
            Attack(lambda: fcs(**{"$TOT": 5}).data, "cut off"),
        ),
        "real size": "events are not packed: they have the bytes that they declare",
        "bad indices": (
            Attack(lambda: fcs(**{"$BEGINDATA": -5}).data, "cannot be read"),
            Attack(lambda: fcs(**{"$P9N": "x", "$P9R": 4}).data, "cannot be read"),
        ),
        "deep nesting": "keywords follow each other",
        "wrong types": (
            Attack(lambda: fcs(**{"$DATATYPE": "A"}).data, "cannot be read"),
            Attack(lambda: b"a,b\n1,2\n", "not an FCS file"),
        ),
    },
    "h5ad": {
        "links": (
            Attack(
                lambda: cells.changed(cells.linked(h5py.ExternalLink(cells.SECRET, "/X"))),
                "link to another place",
            ),
            Attack(lambda: cells.changed(cells.linked(h5py.SoftLink("/obs"))), "link to another"),
        ),
        "external storage": (
            Attack(lambda: cells.changed(cells.external), "in another file"),
            Attack(lambda: cells.changed(cells.virtual), "virtual data set"),
        ),
        "declared size": (
            Attack(lambda: cells.changed(cells.huge), "MB of arrays"),
            Attack(lambda: cells.changed(cells.huge_block), "MB in one block"),
        ),
        "real size": (
            Attack(lambda: cells.changed(cells.packed_zeros), "MB of arrays"),
            Attack(lambda: cells.changed(cells.many_links), "MB of arrays"),
            Attack(lambda: cells.changed(cells.long_words), "MB of text"),
            Attack(lambda: cells.changed(cells.long_words_within), "MB of text"),
        ),
        "bad indices": (
            *(
                Attack(
                    lambda value=value: cells.changed(cells.index(value)), "damaged sparse matrix"
                )
                for value in (cells.COLUMNS, 10**6, -(10**8))
            ),
            Attack(lambda: cells.changed(cells.falling), "damaged sparse matrix"),
            Attack(lambda: cells.changed(cells.two_forms), "in two conflicting ways"),
            Attack(lambda: cells.changed(cells.two_shapes), "in two conflicting ways"),
            Attack(
                lambda: cells.changed(cells.put("X/indices", np.zeros((2, 2), dtype=int))),
                "damaged sparse matrix",
            ),
            Attack(
                lambda: cells.changed(cells.put("X/data", np.ones(99))), "damaged sparse matrix"
            ),
        ),
        "deep nesting": (
            Attack(lambda: cells.changed(cells.deep), "nested too deeply"),
            Attack(lambda: cells.changed(cells.itself), "contains itself"),
        ),
        "wrong types": (
            Attack(lambda: cells.changed(cells.reference), "reference"),
            Attack(lambda: cells.changed(cells.region), "reference"),
            Attack(lambda: cells.changed(cells.lists), "varying lengths"),
            Attack(lambda: cells.changed(cells.odd_filter), "compressed with filter"),
            Attack(
                lambda: cells.changed(cells.put("X/data", np.array([b"a"] * 9))), "of other types"
            ),
            Attack(cells.plain, "not an AnnData file"),
        ),
    },
    "gplvm": {
        "links": (Attack(lambda: archives.link("manifest.json"), "damaged|changed|not"),),
        "external storage": (
            Attack(lambda: archives.outside("manifest.json"), "without manifest"),
        ),
        "declared size": (
            Attack(lambda: model(larger), "declaration"),
            Attack(lambda: model(billion_columns), "arrays of the file allow at most"),
            Attack(bombs.MODELS["30 MB of numbers"], r"28\.6 MB of names, notes"),
        ),
        "real size": (Attack(lambda: model(added_zeros), "never uses|not use"),),
        "bad indices": (Attack(lambda: model(far_state), "out of range"),),
        "deep nesting": (Attack(lambda: model(deep_json), "damaged"),),
        "wrong types": (
            Attack(lambda: model(of_objects), "only booleans"),
            Attack(lambda: b"text", "not a .gplvm"),
        ),
    },
}
