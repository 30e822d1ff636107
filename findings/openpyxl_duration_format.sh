#!/usr/bin/env bash
# Question: A spreadsheet cell holds 25.5 hours and is shown as hours and minutes (`hh:mm`). Is it
#   read as a duration?
# Guessed: A time of day, 01:30, or a duration of 25.5 hours
# Seen: A date, 1 January 1900 at 01:30; with the format `[h]:mm` it is a duration, and 12 hours
#   are a time of day
# Versions: openpyxl 3.1.5; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check openpyxl==3.1.5
venv/bin/python - <<'PY'
import datetime as dt
import io

import openpyxl


def read(days, shown):
    book, file = openpyxl.Workbook(), io.BytesIO()
    book.active["A1"] = days
    book.active["A1"].number_format = shown
    book.save(file)
    return openpyxl.load_workbook(file).active["A1"].value


found = read(25.5 / 24, "hh:mm"), read(0.5, "hh:mm"), read(25.5 / 24, "[h]:mm")
print(found)
assert found[0] == dt.datetime(1900, 1, 1, 1, 30)
assert found[1] == dt.time(12)
assert found[2] == dt.timedelta(hours=25.5)
PY
