#!/usr/bin/env bash
# Question: Is a missing value in an Arrow dictionary column still missing after `to_numpy()`?
# Guessed: Yes, as None
# Seen: `to_numpy()` gives the first null another row's word; `to_list()` and `is_null()` are
#   right
# Versions: narwhals 2.29.0, pyarrow 26.0.1, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check narwhals==2.29.0 pyarrow==26.0.1 numpy==2.4.6
venv/bin/python - <<'PY'
import narwhals as nw
import pyarrow as pa

words = pa.array(["x", None, "y"]).dictionary_encode()
column = nw.from_native(pa.table({"c": words}))["c"]
as_list, as_array = column.to_list(), column.to_numpy().tolist()
print(as_list, as_array)
assert as_list == ["x", None, "y"]
assert as_array == ["x", "y", "y"]
PY
