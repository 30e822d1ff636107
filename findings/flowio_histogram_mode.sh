#!/usr/bin/env bash
# Question: Does flowio refuse FCS files of histograms ($MODE is U), as its source says?
# Guessed: Yes: "FCS data stored as type 'u' is unsupported"
# Seen: Only if the mode is written as a small letter. With the capital letter of the standard, the
#   numbers of events in the bins are returned as if they were events
# Versions: flowio 1.4.0, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check flowio==1.4.0 numpy==2.4.6
venv/bin/python - <<'PY'
import struct

import flowio


def write(mode):
    data = struct.pack("<4I", 7, 0, 12, 3)  # a histogram with four bins
    words = {"$BYTEORD": "1,2,3,4", "$DATATYPE": "I", "$MODE": mode, "$NEXTDATA": 0, "$PAR": 1}
    words |= {"$TOT": 22, "$P1B": 32, "$P1E": "0,0", "$P1N": "A", "$P1R": 4}
    words |= {"$BEGINDATA": 1000, "$ENDDATA": 999 + len(data)}
    text = "/" + "/".join(f"{name}/{value}" for name, value in words.items()) + "/"
    edges = (256, 255 + len(text), 1000, 999 + len(data), 0, 0)
    head = ("FCS3.0    " + "".join(f"{edge:>8}" for edge in edges)).ljust(256) + text
    open("cells.fcs", "wb").write(head.ljust(1000).encode() + data)


write("u")
try:
    raise SystemExit(f"read now: {flowio.FlowData('cells.fcs').as_array()}")
except NotImplementedError as error:
    print(error)
write("U")
found = flowio.FlowData("cells.fcs").as_array().ravel().tolist()
print("as events:", found)
assert found == [3, 0, 0, 3], found
PY
