#!/usr/bin/env bash
# Question: Is a comment (`$$`) at the end of a JCAMP-DX line ignored?
# Guessed: Yes
# Seen: After `##XYDATA=(X++(Y..Y))` it makes the whole spectrum empty, without an error; a
#   comment on a line of its own is fine
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
seen = [read(f"{form}{note}\n1 10 11 12 13") for note in ("", "\n$$ note", " $$ note")]
print(seen)
assert seen == [[10, 11, 12, 13], [10, 11, 12, 13], []]
PY
