#!/usr/bin/env bash
# Question: A FITS table has integers with a scale and a null value. Is the null value masked?
# Guessed: Yes, as in a column without a scale: TNULL is the integer in the file
# Seen: It is scaled to a number like any other: −999 becomes −94.9
# Versions: astropy 8.0.2, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check astropy==8.0.2 numpy==2.4.6
venv/bin/python - <<'PY'
import warnings
from pathlib import Path

import numpy as np
from astropy.io import fits
from astropy.table import Table

warnings.simplefilter("error")
stored = np.array([10, -999, 30], "int16")
columns = [fits.Column(name, "I", null=-999, array=stored) for name in ("scaled", "plain")]
table = fits.BinTableHDU.from_columns(columns)
table.header["TSCAL1"], table.header["TZERO1"] = 0.1, 5.0
table.writeto("table.fits")
rows = np.frombuffer(Path("table.fits").read_bytes()[-2880:], ">i2", 6).reshape(3, 2)
assert (rows == stored[:, None]).all()
header = fits.getheader("table.fits", 1)
assert [header[key] for key in ("TSCAL1", "TZERO1", "TNULL1", "TNULL2")] == [0.1, 5, -999, -999]
read = Table.read("table.fits")
scaled, plain = read["scaled"].tolist(), read["plain"].tolist()
print(scaled, plain)
assert plain == [10, None, 30]
assert np.allclose(scaled, [6, -94.9, 8])
PY
