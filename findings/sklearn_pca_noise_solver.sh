#!/usr/bin/env bash
# Question: With fewer rows than columns, is PCA's `noise_variance_` the mean over all columns
#   left?
# Guessed: Yes, for every solver
# Seen: `covariance_eigh` divides by the number of columns left (.41), the other solvers by the
#   rows left (2.46), for the same data
# Versions: scikit-learn 1.9.1, scipy 1.17.1, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check scikit-learn==1.9.1 scipy==1.17.1 numpy==2.4.6
venv/bin/python - <<'PY'
import numpy as np
from sklearn.decomposition import PCA

X = np.random.default_rng(0).normal(size=(5, 20))
noise = {s: float(PCA(2, svd_solver=s).fit(X).noise_variance_) for s in ("full", "covariance_eigh", "arpack")}
eigenvalues = np.linalg.eigvalsh(np.cov(X.T))[::-1]
print(noise)
assert np.isclose(noise["full"], eigenvalues[2:5].mean())
assert np.isclose(noise["arpack"], noise["full"])
assert np.isclose(noise["covariance_eigh"], eigenvalues[2:].mean())
PY
