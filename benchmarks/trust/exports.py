"""Files that the app writes, opened in a real spreadsheet: a row of the table of trust.

    python -m benchmarks.trust.exports

The tables and pages contain names that begin like formulas. LibreOffice opens each file and
evaluates every formula that it recognises. Without LibreOffice the row reports that. As a control,
the same names are also written without the marks that protect them.
"""

import re
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

from benchmarks.trust.row import Row
from gplvm_core.readers.tables.csv_text import csv_text
from tests.app import exports
from tests.spreadsheet import HOSTILE

KIND = "formulas in files that the app writes"
OFFICE = "soffice"
# These codes mean comma, semicolon, tab, and all of them. The last word makes LibreOffice evaluate
# formulas.
TABLE = "CSV:{},34,76,1,,1033,false,true,false,false,false,0,true"
READINGS = {TABLE.format(codes): "csv" for codes in ("44", "59", "9", "44/59/9")}
READINGS["HTML (StarCalc)"] = "html"
SECONDS = 300


def rows() -> list[Row]:
    """Return one row: files × ways to open them, and how often a cell became a formula."""
    if shutil.which(OFFICE) is None:
        return [Row(KIND, 0, 0, "not tried: no LibreOffice here")]
    files = {f"{name}.csv": text for name, text in exports.tables().items()}
    files |= {f"{name}.html": text for name, text in exports.pages().items()}
    control = csv_text([[name, 1] for name in HOSTILE], as_text=False)
    found = evaluated(files | {"control.csv": control})
    unmarked = sum(count for name, count in found if name == "control")
    tried = [(name, count) for name, count in found if name != "control"]
    for name, count in tried:
        if count:
            print(f"{name}: {count} formulas")
    failures = sum(count > 0 for _, count in tried)
    report = f"opened by LibreOffice; {len(HOSTILE)} names, {unmarked} cells run without marks"
    return [Row(KIND, len(tried), failures, report)]


def evaluated(files: dict[str, str]) -> list[tuple[str, int]]:
    """Return the number of cells that LibreOffice read as formulas, by file and way to read it."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name).write_bytes(text.encode())
        for number, (reading, ending) in enumerate(READINGS.items()):
            given = sorted(str(path) for path in Path(folder).glob(f"*.{ending}"))
            out = Path(folder, str(number))
            subprocess.run(
                [OFFICE, "--headless", f"-env:UserInstallation=file://{folder}/profile",
                 f"--infilter={reading}", "--convert-to", "xlsx", "--outdir", str(out), *given],
                check=True, capture_output=True, timeout=SECONDS,
            )  # fmt: skip
            made = sorted(out.glob("*.xlsx"))
            assert len(made) == len(given), "LibreOffice did not open every file"
            found += [(path.stem, formulas_in(path)) for path in made]
    return found


def formulas_in(workbook: Path) -> int:
    with zipfile.ZipFile(workbook) as archive:
        sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/sheet")]
        return sum(len(re.findall(rb"<f[ >]", archive.read(name))) for name in sheets)


if __name__ == "__main__":
    for row in rows():
        print(f"{row.kind}: {row.failures} of {row.tries}. {row.remark}")
