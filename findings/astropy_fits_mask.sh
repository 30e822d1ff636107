#!/usr/bin/env bash
# Question: Do masked entries of a table survive a FITS file?
# Guessed: Yes, for every column type
# Seen: Integers and floats stay masked; a masked boolean comes back as True, a masked text as
#   `''`
# Versions: astropy 8.0.2, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check astropy==8.0.2 numpy==2.4.6
venv/bin/python - <<'PY'
from astropy.table import MaskedColumn, Table

values = {"whole": [1, 2, 3], "flag": [False, False, True], "word": ["a", "b", "c"]}
table = Table({name: MaskedColumn(column, mask=[0, 1, 0]) for name, column in values.items()})
table.write("masked.fits")
table.write("masked.ecsv")
fits, ecsv = Table.read("masked.fits"), Table.read("masked.ecsv")
print({name: fits[name].tolist() for name in values})
assert fits["whole"].tolist() == [1, None, 3]
assert fits["flag"].tolist() == [False, True, True]
assert fits["word"].tolist() == ["a", "", "c"]
assert ecsv["flag"].tolist() == [False, None, True]
PY
