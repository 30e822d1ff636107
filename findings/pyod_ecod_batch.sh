#!/usr/bin/env bash
# Question: Is the outlier score that pyod's ECOD and COPOD give a new row the same, whichever other rows are scored with it?
# Guessed: Yes: a fitted detector judges each row by the training rows, as pyod's KNN does
# Seen: The new rows join the training rows in the empirical distribution: with 200 other far rows, a row that is an outlier alone becomes ordinary
# Versions: pyod 3.6.7, numpy 2.4.6, scikit-learn 1.9.1, scipy 1.17.1, numba 0.68.1; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check pyod==3.6.7 numpy==2.4.6 scikit-learn==1.9.1 scipy==1.17.1 numba==0.68.1
venv/bin/python - <<'PY'
import numpy as np
from pyod.models.copod import COPOD
from pyod.models.ecod import ECOD
from pyod.models.knn import KNN

generator = np.random.default_rng(0)
train, row = generator.standard_normal((200, 3)), np.full((1, 3), 2.5)
others = np.full((200, 3), 6.0)
for detector in (KNN(), ECOD(), COPOD()):
    detector.fit(train)
    alone = detector.decision_function(row)[0]
    beside = detector.decision_function(np.vstack([row, others]))[0]
    labels = [detector.predict(row)[0], detector.predict(np.vstack([row, others]))[0]]
    print(type(detector).__name__, round(alone, 2), round(beside, 2), labels)
    if isinstance(detector, KNN):
        assert alone == beside and labels == [1, 1]
    else:
        assert alone > 3 * beside and labels == [1, 0]
PY
