#!/usr/bin/env bash
# Question: Does writing an object to a file leave it unchanged in memory?
# Guessed: Yes
# Seen: Columns of words become categories in the object that was written
# Versions: anndata 0.12.19, pandas 2.3.3, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check anndata==0.12.19 pandas==2.3.3 numpy==2.4.6 scipy==1.17.1
venv/bin/python - <<'PY'
import anndata
import numpy as np

cells = anndata.AnnData(np.eye(4))
cells.obs["batch"] = ["one", "two", "one", "two"]
before = str(cells.obs["batch"].dtype)
cells.write_h5ad("cells.h5ad")
after = str(cells.obs["batch"].dtype)
print(before, after)
assert before in ("object", "str")
assert after == "category"
PY
