#!/usr/bin/env bash
# Question: Is `lower_bound_` of the two Gaussian mixtures on one scale?
# Guessed: Yes: nats per row in both
# Seen: GaussianMixture: −2.82 per row. BayesianGaussianMixture: −213.6, neither per row nor the
#   total of the row likelihoods (−568)
# Versions: scikit-learn 1.9.1, scipy 1.17.1, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check scikit-learn==1.9.1 scipy==1.17.1 numpy==2.4.6
venv/bin/python - <<'PY'
import numpy as np
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture

X = np.random.default_rng(0).normal(size=(200, 2))
plain = GaussianMixture(1, random_state=0).fit(X)
bayes = BayesianGaussianMixture(n_components=1, random_state=0).fit(X)
seen = [(float(m.lower_bound_), float(m.score(X))) for m in (plain, bayes)]
print(seen)
assert np.isclose(*seen[0])
assert np.isclose(seen[1][0], -213.568, atol=0.1)
assert np.isclose(seen[1][1], -2.840, atol=0.01)
PY
