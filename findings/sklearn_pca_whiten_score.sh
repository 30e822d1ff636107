#!/usr/bin/env bash
# Question: Does `whiten=True` change the likelihood that PCA reports?
# Guessed: No: whitening only scales the scores
# Seen: `score` and `get_covariance` change, although both models reconstruct the same rows
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

X = np.random.default_rng(0).normal(size=(30, 12))
plain, white = PCA(2).fit(X), PCA(2, whiten=True).fit(X)
same = [model.inverse_transform(model.transform(X)) for model in (plain, white)]
gap = plain.score(X) - white.score(X)
print(gap, np.abs(plain.get_covariance() - white.get_covariance()).max())
assert np.allclose(*same)
assert gap > 0.1
assert not np.allclose(plain.get_covariance(), white.get_covariance())
PY
