#!/usr/bin/env bash
# Question: Are the pixels of a PGM picture of 10 bits (largest value 1023) read as they are in the
#   file?
# Guessed: Yes: 0 to 1023
# Seen: They are scaled to 65,535: 100 becomes 6406. A picture with the largest value 65,535 is not
#   scaled
# Versions: Pillow 13.0.0, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check pillow==13.0.0 numpy==2.4.6
venv/bin/python - <<'PY'
import io

import numpy as np
from PIL import Image


def read(largest):
    data = b"P5 2 1 %d\n" % largest + np.array([100, 1000], ">u2").tobytes()
    return np.asarray(Image.open(io.BytesIO(data))).tolist()


print(read(1023), read(65535))
assert read(65535) == [[100, 1000]]
assert read(1023) == [[6406, 64062]]
PY
