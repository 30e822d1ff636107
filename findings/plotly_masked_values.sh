#!/usr/bin/env bash
# Question: Does plotly leave out the masked values of a NumPy masked array?
# Guessed: Yes, as gaps (matplotlib does)
# Seen: The mask is dropped: the numbers below it are sent to the browser and drawn
# Versions: plotly 7.1.0, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check plotly==7.1.0 numpy==2.4.6
venv/bin/python - <<'PY'
import base64
import json

import numpy as np
import plotly.graph_objects as go

values = np.ma.array([1.0, 2.0, 99.0, 4.0], mask=[False, False, True, False])
sent = json.loads(go.Figure(go.Scatter(y=values)).to_json())["data"][0]["y"]
drawn = np.frombuffer(base64.b64decode(sent["bdata"]), sent["dtype"])
print(drawn)
assert drawn.tolist() == [1.0, 2.0, 99.0, 4.0]
PY
