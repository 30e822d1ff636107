"""Small files that need much memory or time, and files that declare more than they contain.

The files are workbooks, C3D files and model files, written byte by byte.
`benchmarks/trust/uploads.py` measures the cost of reading each file.
"""

import io
import json
import struct
import zipfile
from collections.abc import Callable

import numpy as np

from gplvm_core.store.manifest import MANIFEST, digest_of, seal_of
from gplvm_core.store.migrations import SCHEMA

SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
# These sizes in bytes are a little below the limit for unpacking.
MOST_XML, MANIFEST_SIZE = 60_000_000, 30_000_000
WORD, FAR = "<si><t>a</t></si>", '<c r="XFD1"><v>1</v></c>'
SECRET = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>'
ROWS = '<row r="1"><c r="A1" t="s"><v>0</v></c></row>' + "".join(
    f'<row r="{n}"><c r="A{n}"><v>{n}</v></c><c r="B{n}"><v>{n * n % 7}</v></c></row>'
    for n in range(2, 12)
)


def packed(members: dict[str, bytes], comment: bytes = b"") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
        archive.comment = comment
    return file.getvalue()


def book(
    rows: str = ROWS,
    *,
    before: str = "",
    strings: str = WORD,
    styles: str = "",
    names: str = "",
    declared: str = "",
    types: str = "",
) -> bytes:
    """Return a workbook of one sheet.

    declared: a document type that is written before the shared strings.
    """
    return packed(
        {
            "[Content_Types].xml": (
                f'<Types xmlns="{PACKAGE}/content-types">'
                + "".join(
                    f'<Override PartName="/xl/{part}.xml" ContentType="application/vnd.'
                    f'openxmlformats-officedocument.spreadsheetml.{kind}+xml"/>'
                    for part, kind in (
                        ("workbook", "sheet.main"),
                        ("worksheets/sheet1", "worksheet"),
                        ("sharedStrings", "sharedStrings"),
                        ("styles", "styles"),
                    )
                )
                + f"{types}</Types>"
            ).encode(),
            "_rels/.rels": relations({"rId1": ("officeDocument", "xl/workbook.xml")}),
            "xl/workbook.xml": (
                f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}"><sheets><sheet name="a" sheetId="1" '
                f'r:id="rId1"/></sheets>{names}</workbook>'
            ).encode(),
            "xl/_rels/workbook.xml.rels": relations(
                {
                    "rId1": ("worksheet", "worksheets/sheet1.xml"),
                    "rId2": ("sharedStrings", "sharedStrings.xml"),
                    "rId3": ("styles", "styles.xml"),
                }
            ),
            "xl/sharedStrings.xml": f'{declared}<sst xmlns="{SHEET}">{strings}</sst>'.encode(),
            "xl/styles.xml": f'<styleSheet xmlns="{SHEET}">{styles}</styleSheet>'.encode(),
            "xl/worksheets/sheet1.xml": (
                f'<worksheet xmlns="{SHEET}">{before}<sheetData>{rows}</sheetData></worksheet>'
            ).encode(),
        }
    )


def relations(parts: dict[str, tuple[str, str]]) -> bytes:
    inner = "".join(
        f'<Relationship Id="{key}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for key, (kind, target) in parts.items()
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{inner}</Relationships>'.encode()


def many(text: str, most: int = MOST_XML) -> str:
    return text * (most // len(text))


def lying(data: bytes, member: str, size: int) -> bytes:
    """Return a zip with a member whose declared size is wrong."""
    changed = bytearray(data)
    name = member.encode()
    for mark, place, where in ((b"PK\x03\x04", 22, 30), (b"PK\x01\x02", 24, 46)):
        at = changed.find(mark)
        while at >= 0:
            if changed[at + where : at + where + len(name)] == name:
                changed[at + place : at + place + 4] = struct.pack("<I", size)
            at = changed.find(mark, at + 1)
    return bytes(changed)


def laughs() -> str:
    """Return ten entities, each of which consists of ten copies of the previous one.

    A kilobyte thus declares a billion words.
    """
    entities = '<!ENTITY a0 "ha">' + "".join(
        f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10)
    )
    return f"<!DOCTYPE a [{entities}]>"


# --- motion capture -----------------------------------------------------------------------------


def group(number: int, name: bytes) -> bytes:
    return struct.pack("bb", len(name), -number) + name + struct.pack("<hB", 3, 0)


def parameter(
    number: int,
    name: bytes,
    data: bytes,
    kind: int,
    dimensions: bytes = b"",
    leap: int | None = None,
) -> bytes:
    """Return one parameter of a C3D file.

    kind: the number of bytes of an element, or −1 for text. leap: the declared offset of the next
    parameter.
    """
    inner = struct.pack("bB", kind, len(dimensions)) + dimensions + data + b"\0"
    leap = 2 + len(inner) if leap is None else leap
    return struct.pack("bb", len(name), number) + name + struct.pack("<h", leap) + inner


def end_field(last: int) -> bytes:
    """Return the parameter with the number of the last frame, which is too large for the header."""
    words = struct.pack("<HH", last % 65_536, last // 65_536)
    return parameter(3, b"ACTUAL_END_FIELD", words, 2, b"\2")


def labels(*dimensions: int) -> bytes:
    """Return a block of marker names that declares many letters and names, but contains none."""
    return parameter(1, b"LABELS", b"", -1, bytes(dimensions))


NAMES = parameter(1, b"LABELS", b"ab", -1, b"\1\2")


def c3d(
    *,
    markers: int = 2,
    first: int = 1,
    frames: int = 4,
    analog: int = 0,
    per_frame: int = 0,
    rate: float = 50.0,
    scale: float = -1.0,
    names: bytes = NAMES,
    more: bytes = b"",
    blocks: int | None = None,
    body: bytes | None = None,
) -> bytes:
    """Return a C3D file whose header declares these values, correct or not."""
    section = b"".join(
        (
            group(1, b"POINT"),
            parameter(1, b"USED", struct.pack("<H", markers), 2),
            parameter(1, b"SCALE", struct.pack("<f", scale), 4),
            parameter(1, b"RATE", struct.pack("<f", rate), 4),
            parameter(1, b"DATA_START", struct.pack("<H", 0), 2),
            group(2, b"ANALOG"),
            parameter(2, b"USED", struct.pack("<H", analog), 2),
            parameter(2, b"RATE", struct.pack("<f", rate * per_frame), 4),
            group(3, b"TRIAL"),
            end_field(first + frames - 1) if frames >= 65_536 else b"",
            more,
            names,
        )
    )
    needed = -(-(len(section) + 6) // 512)
    section = struct.pack("BBBB", 1, 0x50, min(blocks or needed, 255), 84) + section
    section = section.ljust(512 * needed, b"\0")
    head = struct.pack(
        "<BBHHHHHfHHf", 2, 0x50, markers, min(analog * per_frame, 65_535), first,
        min(first + frames - 1, 65_535), 0, scale, 2 + needed, per_frame, rate,
    ).ljust(512, b"\0")  # fmt: skip
    if body is None:
        body = np.arange(16 * markers * 4, dtype=np.float32).tobytes()
    return head + section + body


# --- models -------------------------------------------------------------------------------------


def model(content: str) -> bytes:
    """Return a sealed model file with this JSON as its content, and no arrays."""
    head = {"format": "manifolio", "schema": SCHEMA, "class": "dict", "versions": {}}
    head |= {"created": "2026-01-01", "sealed": True, "arrays": {}}
    text = f'{json.dumps(head)[:-1]}, "content": {content}}}'.encode()
    return packed({MANIFEST: text}, seal_of(digest_of(text)))


def inside(n: int) -> str:
    return "[" * n + "]" * n


WHOLE_SHEET = '<dimension ref="A1:XFD1048576"/>'
NAME = '<definedName name="a">a</definedName>'
WORKBOOKS: dict[str, Callable[[], bytes]] = {
    "words that unpack to 200 MB": lambda: book(strings=many(WORD, 200_000_000)),
    "the same, declared as 1 kB": lambda: lying(
        book(strings=many(WORD, 200_000_000)), "xl/sharedStrings.xml", 1000
    ),
    "words that unpack to 60 MB": lambda: book(strings=many(WORD)),
    "empty words": lambda: book(strings=many("<si/>")),
    "a word of 60 MB": lambda: book(strings=f"<si><t>{many('a')}</t></si>"),
    "words inside each other": lambda: book(strings="<si>" * 5_000_000 + "</si>" * 5_000_000),
    "a billion laughs": lambda: book(declared=laughs(), strings="<si><t>&a9;</t></si>"),
    "a file of this computer": lambda: book(declared=SECRET, strings="<si><t>&b;</t></si>"),
    "a sheet that announces all cells": lambda: book(before=WHOLE_SHEET),
    "a cell at the sheet's end": lambda: book(f'{ROWS}<row r="1048576">{FAR}</row>'),
    "a row beyond all sheets": lambda: book(f'{ROWS}<row r="2000000000"/>'),
    "a million empty rows": lambda: book(
        ROWS + "".join(f'<row r="{n}"/>' for n in range(12, 1_000_012))
    ),
    "rows of 60 MB": lambda: book(many("<row/>")),
    "cells of 60 MB": lambda: book(f"<row>{many('<c/>')}</row>"),
    "200,000 rows of a cell far right": lambda: book(f"<row>{FAR}</row>" * 200_000),
    "a million styles": lambda: book(styles=f"<cellXfs>{'<xf/>' * 1_000_000}</cellXfs>"),
    "fonts of 60 MB": lambda: book(styles=f"<fonts>{many('<font/>')}</fonts>"),
    "a million names": lambda: book(names=f"<definedNames>{NAME * 1_000_000}</definedNames>"),
    "types of 60 MB": lambda: book(types=many('<Override PartName="/a" ContentType="b"/>')),
}
MOTIONS: dict[str, Callable[[], bytes]] = {
    "65,535 markers": lambda: c3d(markers=65_535),
    "no markers": lambda: c3d(markers=0),
    "no names": lambda: c3d(names=b""),
    "names in a block of 16 million": lambda: c3d(names=labels(0, 255, 255, 255)),
    "names in a block of 4 billion": lambda: c3d(names=labels(0, 255, 255, 255, 255)),
    "names in 40 dimensions": lambda: c3d(names=labels(*[255] * 40)),
    "65,536 frames": lambda: c3d(frames=65_536, body=bytes(32 * 65_536)),
    "3.9 million frames": lambda: c3d(markers=1, frames=3_900_000, body=bytes(16 * 3_900_000)),
    "4 billion frames": lambda: c3d(frames=4_000_000_000),
    "4 billion frames of no markers": lambda: c3d(markers=0, frames=4_000_000_000),
    "frames that end before they begin": lambda: c3d(first=9, frames=-6),
    "65,535 analog channels": lambda: c3d(analog=65_535, per_frame=1),
    "60,000 analog values a frame": lambda: c3d(analog=1, per_frame=60_000, body=bytes(2 * 10**8)),
    "a rate of 0": lambda: c3d(rate=0.0),
    "a rate that is no number": lambda: c3d(rate=float("nan")),
    "an infinite rate": lambda: c3d(rate=float("inf")),
    "a rate of 1e-38": lambda: c3d(rate=1e-38),
    "a scale that is no number": lambda: c3d(scale=float("nan")),
    "255 blocks of parameters": lambda: c3d(
        more=b"".join(parameter(3, b"%d" % n, b"", 1, b"\0") for n in range(8_000)), blocks=255
    ),
    "a parameter to the file's end": lambda: c3d(
        more=parameter(3, b"A", b"", 1, b"\1", leap=-9), body=bytes(250_000_000)
    ),
}
MODELS: dict[str, Callable[[], bytes]] = {
    "30 MB of numbers": lambda: model(f"[{many('1.5,', MANIFEST_SIZE)}1]"),
    "30 MB of empty lists": lambda: model(f"[{many('[],', MANIFEST_SIZE)}1]"),
    "30 MB of objects": lambda: model("[" + many('{"a":1},', MANIFEST_SIZE) + "1]"),
    "30 MB of dicts": lambda: model("[" + many('{"$":"dict","items":[]},', MANIFEST_SIZE) + "1]"),
    "30 MB of lists in lists": lambda: model(f"[{many(inside(90) + ',', MANIFEST_SIZE)}1]"),
    "100,000 lists inside each other": lambda: model(inside(100_000)),
    "15 million lists inside each other": lambda: model(inside(15_000_000)),
    "a number of 30 million digits": lambda: model(many("1", MANIFEST_SIZE)),
}
BOMBS: dict[str, tuple[str, Callable[[], bytes]]] = {
    f"{name}: {title}": (f"x.{name}", make)
    for name, makers in (("xlsx", WORKBOOKS), ("c3d", MOTIONS), ("gplvm", MODELS))
    for title, make in makers.items()
}
"""For each title, the name of the file and the function that makes it."""
