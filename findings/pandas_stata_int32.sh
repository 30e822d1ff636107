#!/usr/bin/env bash
# Question: Do the largest 32-bit integers survive to_stata and read_stata?
# Guessed: Yes: Stata's own largest long is 2,147,483,620, so pandas writes doubles beyond it
# Seen: Of an int64 column yes; of an int32 column the values from 2,147,483,621 on come back missing
# Versions: pandas 2.3.3, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check pandas==2.3.3 numpy==2.4.6
venv/bin/python - <<'PY'
import numpy as np
import pandas as pd

for dtype, lost in (("int64", 0), ("int32", 2)):
    ids = np.array([1, 2147483620, 2147483621, 2147483647], dtype)
    pd.DataFrame({"id": ids}).to_stata("ids.dta", write_index=False)
    read = pd.read_stata("ids.dta")["id"]
    print(dtype, read.tolist())
    assert read.isna().sum() == lost
PY
