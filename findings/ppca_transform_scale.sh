#!/usr/bin/env bash
# Question: Does ppca's transform place the training rows where its transform without rows has them?
# Guessed: Yes: fit standardises the columns, and transform does the same to the rows that it is given
# Seen: Given rows are multiplied by the loadings as they are, neither centred nor scaled, so the training rows come out elsewhere; standardised by hand they agree
# Versions: ppca 0.0.4, numpy 2.4.6, scipy 1.17.1; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check ppca==0.0.4 numpy==2.4.6 scipy==1.17.1
venv/bin/python - <<'PY'
import numpy as np
from ppca import PPCA

generator = np.random.default_rng(0)
rows = generator.normal(size=(100, 2)) @ generator.normal(size=(2, 5)) + generator.normal(10.0, 0.1, (100, 5))
model = PPCA()
model.fit(rows.copy(), d=2)
own, given = model.transform(), model.transform(rows)
by_hand = model.transform((rows - rows.mean(axis=0)) / rows.std(axis=0))
print("its own:", own[0].round(3), "the same row given:", given[0].round(3), "standardised by hand:", by_hand[0].round(3))
print("means:", own.mean(axis=0).round(3), given.mean(axis=0).round(3))
np.testing.assert_allclose(by_hand, own, atol=1e-6)
assert np.abs(own.mean(axis=0)).max() < 1e-6 < 1.0 < np.abs(given.mean(axis=0)).max()
PY
