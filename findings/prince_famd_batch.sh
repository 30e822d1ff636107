#!/usr/bin/env bash
# Question: Are the coordinates that prince's FAMD gives a row of a mixed table the same, whichever other rows are asked with it?
# Guessed: Yes: a fitted analysis projects each row with the means and scales of the training rows, as prince's PCA and MCA do
# Seen: FAMD standardises the given rows by their own means and scales: the first training row alone, or among ten, is elsewhere than among all training rows
# Versions: prince 0.23.0, numpy 2.4.6, pandas 3.1.1, scikit-learn 1.9.1, scipy 1.17.1; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check prince==0.23.0 numpy==2.4.6 pandas==3.1.1 scikit-learn==1.9.1 scipy==1.17.1
venv/bin/python - <<'PY'
import numpy as np
import pandas as pd
import prince

generator = np.random.default_rng(0)
table = pd.DataFrame(generator.normal(10.0, [1.0, 2.0, 3.0], (100, 3)), columns=["a", "b", "c"])
words = pd.DataFrame(generator.choice(["u", "v", "w"], (100, 2)), columns=["k", "l"])
for kind, rows in (("PCA", table), ("MCA", words), ("FAMD", table.join(words[["k"]]))):
    fitted = getattr(prince, kind)(n_components=2, random_state=0).fit(rows)
    first = [fitted.row_coordinates(rows.iloc[:n]).to_numpy()[0] for n in (100, 10, 1)]
    print(kind, *(np.round(each, 3).tolist() for each in first))
    moved = [np.abs(each - first[0]).max() for each in first[1:]]
    if kind == "FAMD":
        assert min(moved) > 0.01 and max(moved) > 0.1
    else:
        assert max(moved) < 1e-9
PY
