#!/usr/bin/env bash
# Question: Does pyomeca find the three angles of a rotation for each order of x, y and z?
# Guessed: Yes: all orders are valid, says the documentation
# Seen: For five of six orders; for yxz the numbers have nothing to do with the rotation, without
#   an error (the matrix from angles is right)
# Versions: pyomeca 2026.0.2, scipy 1.17.1, pandas 2.3.3, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check pyomeca==2026.0.2 scipy==1.17.1 pandas==2.3.3 numpy==2.4.6
venv/bin/python - <<'PY'
from itertools import permutations

import numpy as np
from pyomeca import Angles, Rototrans
from scipy.spatial.transform import Rotation

given = np.random.default_rng(0).uniform(-0.5, 0.5, (3, 1, 200))
off = {}
for order in map("".join, permutations("xyz")):
    matrix = Rototrans.from_euler_angles(Angles(given), order)
    turns = Rotation.from_matrix(np.moveaxis(matrix.values[:3, :3], 2, 0))
    assert np.allclose(turns.as_euler(order.upper()).T, given[:, 0])
    back = Angles.from_rototrans(matrix, order).values
    assert back.shape == given.shape
    off[order] = bool(np.abs(np.nan_to_num(back, nan=9.0) - given).max() > 0.1)
print(off)
assert [order for order, wrong in off.items() if wrong] == ["yxz"]
PY
