#!/usr/bin/env bash
# Question: Four chains are stuck at one value. What is their effective sample size?
# Guessed: NaN, as R-hat is
# Seen: 400, the number of draws, as for independent draws; R-hat is NaN. `summary` shows both
# Versions: arviz-stats 0.8.0, arviz-base 0.8.2, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check arviz-base==0.8.2 'arviz-stats[xarray]==0.8.0' numpy==2.4.6
venv/bin/python -W ignore - <<'PY'
import arviz_base
import arviz_stats
import numpy as np

stuck = np.full((4, 100), 1.5)
walk = np.cumsum(np.random.default_rng(0).normal(size=(4, 100)), axis=1)
table = arviz_stats.summary(arviz_base.from_dict({"posterior": {"stuck": stuck, "walk": walk}}))
print(table)
assert float(arviz_stats.ess(stuck)) == 400 and float(table.loc["stuck", "ess_bulk"]) == 400
assert np.isnan(float(table.loc["stuck", "r_hat"]))
assert float(table.loc["walk", "ess_bulk"]) < 40
PY
