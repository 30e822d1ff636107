#!/usr/bin/env bash
# Question: Can c3d read a file with analog channels that ezc3d wrote?
# Guessed: Yes
# Seen: AssertionError about OFFSET; without analog channels it reads the file
# Versions: ezc3d 1.7.2, c3d 0.6.0, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check ezc3d==1.7.2 c3d==0.6.0 numpy==2.4.6
venv/bin/python - <<'PY'
import c3d
import ezc3d
import numpy as np


def frames(analog):
    file = ezc3d.c3d()
    file["parameters"]["POINT"]["RATE"]["value"] = [100.0]
    file["parameters"]["POINT"]["LABELS"]["value"] = ["A"]
    file["data"]["points"] = np.ones((4, 1, 5))
    if analog:
        file["parameters"]["ANALOG"]["RATE"]["value"] = [1000.0]
        file["parameters"]["ANALOG"]["LABELS"]["value"] = ["EMG"]
        file["data"]["analogs"] = np.arange(50.0).reshape(1, 1, 50)
    file.write("take.c3d")
    assert ezc3d.c3d("take.c3d")["data"]["points"].shape[2] == 5
    with open("take.c3d", "rb") as handle:
        return len(list(c3d.Reader(handle).read_frames()))


assert frames(analog=False) == 5
try:
    raise SystemExit(f"read now: {frames(analog=True)} frames")
except AssertionError as error:
    print(error)
    assert "OFFSET" in str(error)
PY
