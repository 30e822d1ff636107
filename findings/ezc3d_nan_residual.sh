#!/usr/bin/env bash
# Question: A marker is NaN in one frame. Does ezc3d write it as unseen (residual -1)?
# Guessed: Yes
# Seen: It writes NaN with a residual of 0, which means seen; only a residual of -1 that the user sets
#   is written
# Versions: ezc3d 1.7.2, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check ezc3d==1.7.2 numpy==2.4.6
venv/bin/python - <<'PY'
import ezc3d
import numpy as np


def written(mark):
    file = ezc3d.c3d()
    file["parameters"]["POINT"]["RATE"]["value"] = [100.0]
    file["parameters"]["POINT"]["LABELS"]["value"] = ["A"]
    points = np.ones((4, 1, 3))
    points[:3, 0, 1] = np.nan
    file["data"]["points"] = points
    if mark:
        file["data"]["meta_points"]["residuals"] = np.array([[[0.0, -1.0, 0.0]]])
    file.write("take.c3d")
    data = ezc3d.c3d("take.c3d")["data"]
    start = 512 * (int(ezc3d.c3d("take.c3d")["parameters"]["POINT"]["DATA_START"]["value"][0]) - 1)
    raw = np.frombuffer(open("take.c3d", "rb").read()[start:], "<f4")[:12].reshape(3, 4)
    return raw[1], data["meta_points"]["residuals"][0, 0]


left, marked = written(False), written(True)
print(left, marked)
assert np.isnan(left[0][:3]).all() and left[0][3] == 0 and (left[1] == 0).all()
assert marked[0][3] == -1 and marked[1][1] == -1
PY
