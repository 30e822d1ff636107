#!/usr/bin/env bash
# Question: Two Pyro kernels with different lengthscales are evaluated in one script. Does each use
#   its own?
# Guessed: Yes
# Seen: The second is evaluated with the lengthscale of the first, and its attribute changes, too;
#   so are two regressions. Each in `pyro.get_param_store().scope()` is right
# Versions: pyro-ppl 1.9.2, torch 2.13.0; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check pyro-ppl==1.9.2 torch==2.13.0 numpy==2.4.6
venv/bin/python - <<'PY'
import math

import pyro
import torch
from pyro.contrib.gp import kernels, models

a, b = torch.zeros(1, 1), torch.ones(1, 1)
own = [math.exp(-2.0), math.exp(-0.125)]


def made():
    return [kernels.RBF(1, lengthscale=torch.tensor(length)) for length in (0.5, 2.0)]


apart = []
for at in range(2):
    with pyro.get_param_store().scope():
        apart.append(made()[at](a, b).item())
pair = made()
found = [kernel(a, b).item() for kernel in pair]
print(own, apart, found, pair[1].lengthscale.item())
assert max(abs(x - y) for x, y in zip(own, apart, strict=True)) < 1e-6
assert abs(found[1] - own[0]) < 1e-6 and pair[1].lengthscale.item() == 0.5

x = torch.linspace(0, 1, 5)[:, None]
with pyro.get_param_store().scope(), torch.no_grad():
    means = [models.GPRegression(x, x[:, 0], kernel)(b / 3)[0].item() for kernel in made()]
print(means)
assert means[0] == means[1]
PY
