#!/usr/bin/env bash
# Question: Does fcsparser read FCS integers of both byte orders?
# Guessed: Yes
# Seen: Big-endian files raise AttributeError with NumPy 2 (`newbyteorder` is gone); flowio reads
#   them
# Versions: fcsparser 0.2.4, flowio 1.4.0, pandas 2.3.3, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check fcsparser==0.2.4 flowio==1.4.0 pandas==2.3.3 numpy==2.4.6
venv/bin/python - <<'PY'
import struct

import fcsparser


def write(bits, order, data):
    words = {"$BYTEORD": order, "$DATATYPE": "I", "$MODE": "L", "$NEXTDATA": 0, "$PAR": 1, "$TOT": 2}
    words |= {"$P1B": bits, "$P1E": "0,0", "$P1N": "A", "$P1R": 262144 if bits > 16 else 1024}
    words |= {"$BEGINANALYSIS": 0, "$ENDANALYSIS": 0, "$BEGINSTEXT": 0, "$ENDSTEXT": 0}
    words |= {"$BEGINDATA": 1000, "$ENDDATA": 999 + len(data)}
    text = "/" + "/".join(f"{name}/{value}" for name, value in words.items()) + "/"
    edges = (256, 255 + len(text), 1000, 999 + len(data), 0, 0)
    head = ("FCS3.0    " + "".join(f"{edge:>8}" for edge in edges)).ljust(256) + text
    open("cells.fcs", "wb").write(head.ljust(1000).encode() + data)



import flowio

write(16, "1,2,3,4", struct.pack("<2H", 1, 1000))
assert fcsparser.parse("cells.fcs")[1].to_numpy().ravel().tolist() == [1, 1000]
write(16, "4,3,2,1", struct.pack(">2H", 1, 1000))
assert flowio.FlowData("cells.fcs").as_array().ravel().tolist() == [1, 1000]
try:
    raise SystemExit(f"read now: {fcsparser.parse('cells.fcs')[1]}")
except AttributeError as error:
    print(error)
PY
