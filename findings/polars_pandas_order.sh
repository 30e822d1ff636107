#!/usr/bin/env bash
# Question: Does an ordered category of pandas keep its order in polars?
# Guessed: Yes: `from_pandas` makes an Enum, and sorting follows the order
# Seen: It becomes a Categorical without the order: low, mid, high are sorted as words
# Versions: polars 2.1.0, pandas 2.3.3, pyarrow 26.0.1; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check polars==2.1.0 pandas==2.3.3 pyarrow==26.0.1 numpy==2.4.6
venv/bin/python - <<'PY'
import pandas as pd
import polars as pl

sizes = pd.Series(pd.Categorical(["mid", "high", "low"], ["low", "mid", "high"], ordered=True))
found = pl.from_pandas(sizes)
print(found.dtype, found.sort().to_list(), sizes.sort_values().tolist())
assert sizes.sort_values().tolist() == ["low", "mid", "high"]
assert found.dtype == pl.Categorical
assert found.sort().to_list() == ["high", "low", "mid"]
assert pl.Series(sizes.tolist(), dtype=pl.Enum(["low", "mid", "high"])).sort().to_list() == [
    "low",
    "mid",
    "high",
]
PY
