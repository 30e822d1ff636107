#!/usr/bin/env bash
# Question: Does exponential smoothing bridge a gap, or refuse it?
# Guessed: It bridges it, as SARIMAX does, or it raises an error
# Seen: The forecasts are NaN; the only sign is a warning about convergence
# Versions: statsmodels 0.15.0, numpy 2.4.6, scipy 1.17.1; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check statsmodels==0.15.0 numpy==2.4.6 scipy==1.17.1 pandas==2.3.3
venv/bin/python - <<'PY'
import warnings

import numpy as np
from statsmodels.tsa.holtwinters import ExponentialSmoothing
from statsmodels.tsa.statespace.sarimax import SARIMAX

series = np.random.default_rng(0).normal(size=60).cumsum()
series[30] = np.nan
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    smoothed = ExponentialSmoothing(series, trend="add").fit().forecast(2)
    bridged = SARIMAX(series, order=(0, 1, 1)).fit(disp=0).forecast(2)
print(smoothed, bridged, {each.category.__name__ for each in found})
assert np.isnan(smoothed).all()
assert np.isfinite(bridged).all()
PY
