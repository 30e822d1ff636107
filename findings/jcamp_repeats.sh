#!/usr/bin/env bash
# Question: Is a repeat count (DUP) read after a plain squeezed value (SQZ) as well as after a
#   difference (DIF)?
# Guessed: Yes: the value repeats
# Seen: After a difference it is; after a squeezed value IndexError is raised
# Versions: jcamp 1.3.2, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check jcamp==1.3.2 numpy==2.4.6
venv/bin/python - <<'PY'
import jcamp

LABELS = {"TITLE": "t", "JCAMP-DX": "4.24", "DATA TYPE": "INFRARED SPECTRUM", "XUNITS": "1/CM"}
LABELS |= {"YUNITS": "ABSORBANCE", "XFACTOR": 1, "YFACTOR": 1, "FIRSTX": 1, "LASTX": 4, "NPOINTS": 4}


def read(data):
    with open("spectrum.jdx", "w") as file:
        file.writelines(f"##{name}={value}\n" for name, value in LABELS.items())
        file.write(f"##{data}\n##END=\n")
    return jcamp.readfile("spectrum.jdx")["y"].tolist()



form = "XYDATA=(X++(Y..Y))"
assert read(f"{form}\n1A0A1A2A3") == [10, 11, 12, 13]
# J1U: a difference of 11, three times.
assert read(f"{form}\n1A0J1U") == [10, 21, 32, 43]
try:
    # A0U: the value 10, three times.
    raise SystemExit(f"the repeat is read now: {read(form + chr(10) + '1A0UA3')}")
except IndexError as error:
    print(error)
PY
