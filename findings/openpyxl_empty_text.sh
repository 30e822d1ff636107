#!/usr/bin/env bash
# Question: With `data_only=True`, does a formula whose stored result is empty text differ from
#   one that was never calculated?
# Guessed: Yes: `''` and None
# Seen: Both values are None; only `data_type` differs (`'str'` and `'n'`)
# Versions: openpyxl 3.1.5; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check openpyxl==3.1.5
venv/bin/python - <<'PY'
import zipfile

import openpyxl

book = openpyxl.Workbook()
book.active["A1"], book.active["A2"] = '=IF(TRUE,"","x")', "=1+1"
book.save("plain.xlsx")
# Store the result of A1, as a spreadsheet program does when it saves.
with zipfile.ZipFile("plain.xlsx") as old, zipfile.ZipFile("stored.xlsx", "w") as new:
    for name in old.namelist():
        data = old.read(name)
        if name.endswith("sheet1.xml"):
            assert b'<c r="A1">' in data
            data = data.replace(b'<c r="A1">', b'<c r="A1" t="str">')
        new.writestr(name, data)
sheet = openpyxl.load_workbook("stored.xlsx", data_only=True).active
seen = [(sheet[cell].value, sheet[cell].data_type) for cell in ("A1", "A2")]
print(seen)
assert seen == [(None, "str"), (None, "n")]
PY
