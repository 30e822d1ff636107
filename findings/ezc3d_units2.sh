#!/usr/bin/env bash
# Question: A recording in metres with 300 markers is written with ezc3d. What is its unit?
# Guessed: m
# Seen: UNITS is m, and ezc3d adds UNITS2 with 45 times mm; up to 255 markers it is m alone
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


def units(markers):
    file = ezc3d.c3d()
    point = file["parameters"]["POINT"]
    point["RATE"]["value"], point["UNITS"]["value"] = [100.0], ["m"]
    point["LABELS"]["value"] = tuple(f"M{number}" for number in range(markers))
    file["data"]["points"] = np.ones((4, markers, 3))
    file.write("take.c3d")
    point = ezc3d.c3d("take.c3d")["parameters"]["POINT"]
    return {name: point[name]["value"] for name in point if name.startswith("UNITS")}


few, many = units(255), units(300)
print(few, many)
assert few == {"UNITS": ["m"]}
assert many == {"UNITS": ["m"], "UNITS2": ["mm"] * 45}
PY
