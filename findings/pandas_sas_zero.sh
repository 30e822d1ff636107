#!/usr/bin/env bash
# Question: Does pandas read the number 0 of a SAS transport file (XPORT) as 0?
# Guessed: Yes
# Seen: As 5.4e-79; pyreadstat reads 0 from the same file
# Versions: pandas 3.1.1 (2.3.3, too), pyreadstat 1.3.7, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check pandas==3.1.1 pyreadstat==1.3.7 numpy==2.4.6
venv/bin/python - <<'PY'
import pandas as pd
import pyreadstat

values = [0.0, 1.0, -2.5, 0.1, 1e-70]
pyreadstat.write_xport(pd.DataFrame({"v": values}), "survey.xpt", file_format_version=5)
own = pyreadstat.read_xport("survey.xpt")[0]["v"]
other = pd.read_sas("survey.xpt", format="xport")["v"]
print(own.tolist(), other.tolist())
assert own.tolist() == values
assert other.tolist() == [5.397605346934028e-79, *values[1:]]
assert (own == 0).sum() == 1 and (other == 0).sum() == 0
PY
