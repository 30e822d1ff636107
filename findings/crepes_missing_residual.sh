#!/usr/bin/env bash
# Question: What does a conformal regressor do with missing residuals in its calibration?
# Guessed: An error, or they are left out
# Seen: They count as larger than all others: one of 200 widens the intervals, and from the error
#   rate on every interval is NaN to NaN, without an error or a warning
# Versions: crepes 0.9.1, numpy 2.4.6, scikit-learn 1.9.1; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check crepes==0.9.1 numpy==2.4.6 pandas==2.3.3 scikit-learn==1.9.1 scipy==1.17.1
venv/bin/python - <<'PY'
import warnings

import numpy as np
from crepes import ConformalRegressor

warnings.simplefilter("error")
residuals = np.random.default_rng(0).normal(size=200)
widths = []
for missing in (0, 1, 20):
    residuals[:missing] = np.nan
    regressor = ConformalRegressor()
    regressor.fit(residuals)
    widths.append(np.ptp(regressor.predict_int(np.zeros(1), confidence=0.9)))
print(widths)
assert widths[1] > widths[0] + 0.01
assert np.isnan(widths[2])
PY
