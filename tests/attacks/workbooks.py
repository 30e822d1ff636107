"""Excel workbooks with parts that were written by hand."""

import io
import itertools
import zipfile

from tests.fuzz.samples import workbook, zipped

STRINGS, SHEET = "xl/sharedStrings.xml", "xl/worksheets/sheet1.xml"
SPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def with_part(name: str, content: str) -> bytes:
    """Return a small workbook with one part replaced."""
    with zipfile.ZipFile(io.BytesIO(workbook())) as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    return zipped({**members, name: content.encode()})


def sheet(rows: str, dimension: str = "A1:B2", before: str = "") -> bytes:
    """Return a workbook whose sheet has these rows."""
    whole = (
        f'<worksheet xmlns="{SPACE}"><dimension ref="{dimension}"/>'
        f"<sheetData>{rows}</sheetData></worksheet>"
    )
    return with_part(SHEET, before + whole)


def entity_of_a_file() -> bytes:
    """Return a workbook with a cell whose value is the content of another file."""
    before = '<!DOCTYPE x [<!ENTITY secret SYSTEM "file:///etc/passwd">]>'
    cell = '<row r="1"><c r="A1" t="str"><v>&secret;</v></c></row>'
    return sheet(cell, before=before)


def laughs() -> bytes:
    """Return entities of entities, which grow to gigabytes."""
    names = "abcdefghij"
    entities = '<!ENTITY a "haha">' + "".join(
        f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in itertools.pairwise(names)
    )
    cell = '<row r="1"><c r="A1" t="str"><v>&j;</v></c></row>'
    return sheet(cell, before=f"<!DOCTYPE x [{entities}]>")


def wide() -> bytes:
    """Return a few cells in a sheet that declares the largest size."""
    rows = "".join(f'<row r="{n}"><c r="A{n}"><v>1</v></c></row>' for n in range(1, 3000))
    return sheet(rows, dimension="A1:XFD1048576")


def far_string() -> bytes:
    """Return a cell with an index outside the list of strings."""
    return sheet('<row r="1"><c r="A1" t="s"><v>1000000</v></c></row>')


def deep(depth: int) -> bytes:
    """Return deeply nested elements."""
    return sheet("<x>" * depth + "</x>" * depth)


def long_strings() -> bytes:
    """Return a list of words that unpacks to a hundred megabytes."""
    return with_part(STRINGS, f'<sst xmlns="{SPACE}">' + "<si><t>a</t></si>" * 7_000_000 + "</sst>")


def no_xml() -> bytes:
    return with_part(SHEET, "this is no XML")


def long_sheet() -> bytes:
    """Return a sheet that unpacks to more than a megabyte."""
    return sheet('<row r="1"><c r="A1"><v>1</v></c></row>' * 30_000)
