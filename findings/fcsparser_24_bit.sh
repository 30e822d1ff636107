#!/usr/bin/env bash
# Question: Does fcsparser read 24-bit FCS integers?
# Guessed: Yes, or it refuses them
# Seen: It returns other numbers without a word: 1 becomes 256, 1000 becomes 256,000
# Versions: fcsparser 0.2.4, pandas 2.3.3, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check fcsparser==0.2.4 pandas==2.3.3 numpy==2.4.6
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



write(32, "1,2,3,4", struct.pack("<2I", 1, 1000))
assert fcsparser.parse("cells.fcs")[1].to_numpy().ravel().tolist() == [1, 1000]
write(24, "1,2,3,4", b"".join(value.to_bytes(3, "little") for value in (1, 1000)))
seen = fcsparser.parse("cells.fcs")[1].to_numpy().ravel().tolist()
print(seen)
assert seen == [256, 256000]
PY
