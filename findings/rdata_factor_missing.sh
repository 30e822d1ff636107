#!/usr/bin/env bash
# Question: Does a missing factor entry survive writing and reading with rdata?
# Guessed: Yes
# Seen: rdata reads its own file's missing entry as the last level; pyreadr reads the same file as
#   missing
# Versions: rdata 1.1.0, pyreadr 0.5.8, pandas 2.3.3, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check rdata==1.1.0 pyreadr==0.5.8 pandas==2.3.3 numpy==2.4.6
venv/bin/python - <<'PY'
import pandas as pd
import pyreadr
import rdata

rdata.write_rds("factor.rds", pd.DataFrame({"f": pd.Categorical(["a", None, "b", "c"])}))
own = rdata.read_rds("factor.rds")["f"].tolist()
other = pyreadr.read_r("factor.rds")[None]["f"]
print(own, other.tolist())
assert own == ["a", "c", "b", "c"]
assert other.isna().tolist() == [False, True, False, False]
PY
