#!/usr/bin/env bash
# Question: What does a missing measurement, update(None), add to the likelihood of a Kalman filter?
# Guessed: Nothing: the sum is the density of the measurements that exist
# Seen: The density of a residual of 0, with the variance of the measurement before
# Versions: filterpy 2.0.0, scipy 1.17.1, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check filterpy==2.0.0 scipy==1.17.1 numpy==2.4.6
venv/bin/python - <<'PY'
import numpy as np
from filterpy.kalman import KalmanFilter
from scipy.stats import multivariate_normal, norm

series = [1.0, 1.1, None, None, 1.2, 0.9]
walk = KalmanFilter(dim_x=1, dim_z=1)
walk.F = walk.H = walk.P = np.eye(1)
walk.Q, walk.R = np.array([[0.1]]), np.array([[0.01]])
added, variances = [], []
for value in series:
    walk.predict()
    walk.update(value)
    added.append(walk.log_likelihood)
    variances.append(walk.S.item())
at = np.array([i for i, value in enumerate(series) if value is not None])
covariance = 1 + 0.1 * (1 + np.minimum.outer(at, at)) + 0.01 * np.eye(len(at))
exact = multivariate_normal(cov=covariance).logpdf([series[i] for i in at])
print(sum(added), exact, added[2:4])
assert np.isclose(sum(added[i] for i in at), exact)
assert np.allclose(added[2:4], norm(scale=variances[1] ** 0.5).logpdf(0))
assert sum(added) > exact + 0.28
PY
