#!/usr/bin/env bash
# Question: In a nullable Float64 column, is 0 / 0 skipped by `mean()`, and does `isna` find it?
# Guessed: `isna` does not find it (right), and the mean is a number or NaN
# Seen: `isna`, `dropna` and `count` take it as a value, yet `mean`, `sum` and `std` return NA
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

whole = pd.Series([0.0, 1.0, 2.0], dtype="Float64")
ratio = whole / whole
print(ratio.isna().tolist(), ratio.count(), ratio.mean(), ratio.sum())
assert not ratio.isna().any() and ratio.count() == 3 and len(ratio.dropna()) == 3
assert ratio.mean() is pd.NA and ratio.sum() is pd.NA
assert np.isnan(ratio.to_numpy(float, na_value=np.nan)).tolist() == [True, False, False]
PY
