#!/usr/bin/env bash
# Question: Does NaN survive HDF5's scale-offset filter (scaleoffset=2: two decimals)?
# Guessed: Yes, or an error when it is written
# Seen: It is read back as the smallest value of its chunk, without a word
# Versions: h5py 3.16.0, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check h5py==3.16.0 numpy==2.4.6
venv/bin/python - <<'PY'
import h5py
import numpy as np

with h5py.File("sensor.h5", "w") as file:
    file.create_dataset("t", data=np.array([4.5, 1.25, np.nan, 3.0]), scaleoffset=2)
with h5py.File("sensor.h5") as file:
    read = file["t"][:]
print(read)
assert read.tolist() == [4.5, 1.25, 1.25, 3.0]
PY
