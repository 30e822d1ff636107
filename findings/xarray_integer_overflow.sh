#!/usr/bin/env bash
# Question: A netCDF file of 16-bit integers is read, changed and saved: does a value above 32,767
#   survive?
# Guessed: No: an error, or the largest integer
# Seen: It wraps round without a word: 40,000 becomes −25,536
# Versions: xarray 2026.9.0, netCDF4 1.7.5.1.post1, pandas 2.3.3, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check xarray==2026.9.0 netCDF4==1.7.5.1.post1 pandas==2.3.3 numpy==2.4.6
venv/bin/python - <<'PY'
import numpy as np
import xarray as xr

start = xr.Dataset({"v": ("x", np.array([1, 2, 3], "int16"))})
start.to_netcdf("first.nc", encoding={"v": {"_FillValue": np.int16(-1)}})
read = xr.open_dataset("first.nc").load()
read["v"].values[:] = [40000.0, 2.0, 2.7]
read.to_netcdf("second.nc")
read.drop_encoding().to_netcdf("third.nc")
second, third = (xr.open_dataset(name)["v"].values.tolist() for name in ("second.nc", "third.nc"))
print(second, third)
assert second == [-25536.0, 2.0, 3.0]
assert np.allclose(third, [40000, 2, 2.7])
PY
