#!/usr/bin/env bash
# Question: Does SimpleImputer with its default settings fill None?
# Guessed: Yes, as NaN: None is missing
# Seen: With the strategy `mean` yes; with `most_frequent` the None stays, without a word, in
#   numbers and in words. `missing_values=None` fills it
# Versions: scikit-learn 1.9.1, pandas 2.3.3, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check scikit-learn==1.9.1 scipy==1.17.1 pandas==2.3.3 numpy==2.4.6
venv/bin/python - <<'PY'
import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer

numbers = np.array([[1.0], [None], [1.0]], dtype=object)
words = pd.DataFrame({"word": ["a", None, "a"]})
fill = lambda rows, **options: (
    SimpleImputer(strategy="most_frequent", **options).fit_transform(rows).ravel().tolist()
)
print(fill(numbers), fill(words), fill(words, missing_values=None))
assert SimpleImputer().fit_transform(numbers).ravel().tolist() == [1.0, 1.0, 1.0]
assert fill(numbers) == [1.0, None, 1.0]
assert fill(words) == ["a", None, "a"]
assert fill(words, missing_values=None) == ["a", "a", "a"]
PY
