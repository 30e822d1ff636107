#!/usr/bin/env bash
# Question: Is `trustworthiness` of data with themselves 1?
# Guessed: Yes, always
# Seen: Less than 1 where distances tie: .990 for a 5 × 5 grid, .905 for four values three times
#   each
# Versions: scikit-learn 1.9.1, scipy 1.17.1, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check scikit-learn==1.9.1 scipy==1.17.1 numpy==2.4.6
venv/bin/python - <<'PY'
import numpy as np
from sklearn.manifold import trustworthiness

grid = np.indices((5, 5)).reshape(2, -1).T.astype(float)
repeated = np.arange(4.0).repeat(3)[:, None]
free = np.random.default_rng(0).normal(size=(25, 2))
seen = [trustworthiness(grid, grid, n_neighbors=5), trustworthiness(repeated, repeated, n_neighbors=3)]
print(seen)
assert trustworthiness(free, free, n_neighbors=5) == 1
assert 0.9 < seen[0] < 0.999
assert 0.8 < seen[1] < 0.99
PY
