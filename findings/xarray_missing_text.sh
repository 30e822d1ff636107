#!/usr/bin/env bash
# Question: Does a missing word survive a netCDF or Zarr file?
# Guessed: Yes: it is not the same as an empty word
# Seen: None, NaN and pandas.NA all come back as '', without a warning; missing numbers and dates survive
# Versions: xarray 2026.9.0, netCDF4 1.7.5.1.post1, zarr 3.1.6, pandas 2.3.3; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check xarray==2026.9.0 netCDF4==1.7.5.1.post1 zarr==3.1.6 pandas==2.3.3 numpy==2.4.6
venv/bin/python -W error -W ignore::FutureWarning -W "ignore:Consolidated" - <<'PY'
import numpy as np
import pandas as pd
import xarray as xr

frame = pd.DataFrame(
    {
        "none": np.array(["a", "", None], dtype=object),
        "nan": np.array(["a", "", np.nan], dtype=object),
        "number": [1.5, 0.0, np.nan],
        "date": pd.to_datetime(["2024-01-01", "2024-01-02", None]),
    }
)
frame["na"] = pd.array(["a", "", None], dtype="string")
data = xr.Dataset.from_dataframe(frame)
data.to_netcdf("words.nc")
data.to_zarr("words.zarr")
for read in (xr.open_dataset("words.nc"), xr.open_zarr("words.zarr")):
    words = [[str(word) for word in read[name].values] for name in ("none", "nan", "na")]
    print(words, read.number.values, read.date.values)
    assert words == [["a", "", ""]] * 3
    assert np.isnan(read.number.values[2]) and np.isnat(read.date.values[2])
PY
