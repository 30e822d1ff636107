#!/usr/bin/env bash
# Question: Does the header of a loaded image hold the scale that was applied?
# Guessed: Yes: `scl_slope` as in the file
# Seen: It is NaN, while `get_fdata` does scale; the true value is `dataobj.slope`
# Versions: nibabel 5.4.2, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check nibabel==5.4.2 numpy==2.4.6
venv/bin/python - <<'PY'
import nibabel as nib
import numpy as np

image = nib.Nifti1Image(np.array([0.0, 0.1, 1000.0]).reshape(3, 1, 1), np.eye(4))
image.set_data_dtype("int16")
nib.save(image, "scaled.nii")
read = nib.load("scaled.nii")
print(read.header["scl_slope"], read.dataobj.slope)
assert np.isnan(read.header["scl_slope"])
assert np.isclose(read.dataobj.slope, 1000 / 65535)
assert np.isclose(read.get_fdata().max(), 1000)
PY
