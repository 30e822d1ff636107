#!/usr/bin/env bash
# Question: Can a reader tell an Excel error (#DIV/0!) from a blank cell?
# Guessed: Yes: both readers give the error's text
# Seen: openpyxl gives `'#DIV/0!'`; python-calamine gives `''`, as for a blank cell
# Versions: python-calamine 0.9.1, openpyxl 3.1.5; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check python-calamine==0.9.1 openpyxl==3.1.5
venv/bin/python - <<'PY'
import openpyxl
from python_calamine import CalamineWorkbook

book = openpyxl.Workbook()
sheet = book.active
sheet["A1"], sheet["A2"], sheet["A4"] = "x", "#DIV/0!", 3
sheet["A2"].data_type = "e"
book.save("errors.xlsx")
read = openpyxl.load_workbook("errors.xlsx", data_only=True).active
by_openpyxl = [row[0] for row in read.iter_rows(values_only=True)]
by_calamine = [row[0] for row in CalamineWorkbook.from_path("errors.xlsx").get_sheet_by_index(0).to_python()]
print(by_openpyxl, by_calamine)
assert by_openpyxl == ["x", "#DIV/0!", None, 3]
assert by_calamine == ["x", "", "", 3.0]
PY
