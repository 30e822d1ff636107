#!/usr/bin/env bash
# Question: With `observation_nan_policy("mask")`, are predictions those without the missing rows?
# Guessed: Yes, mean and variance
# Seen: The mean is; the variance is that of a process that has seen the missing value
# Versions: gpytorch 1.15.2, torch 2.13.0; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check gpytorch==1.15.2 torch==2.13.0 numpy==2.4.6
venv/bin/python - <<'PY'
import warnings

import gpytorch
import torch

torch.set_default_dtype(torch.float64)
warnings.simplefilter("error")


class Process(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.kernel = gpytorch.kernels.RBFKernel()
        self.kernel.lengthscale = 0.5

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(torch.zeros(len(x)), self.kernel(x))


def predicted(x, y):
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    likelihood.noise = 0.01
    model = Process(x, y, likelihood).eval()
    with torch.no_grad(), gpytorch.settings.observation_nan_policy("mask"):
        at = model(torch.tensor([[0.4]]))
    return at.mean.item(), at.variance.item()


x = torch.linspace(0, 1, 8)[:, None]
whole = torch.sin(6 * x[:, 0])
gap = whole.clone()
gap[3] = torch.nan
seen = ~gap.isnan()
masked, without, complete = predicted(x, gap), predicted(x[seen], whole[seen]), predicted(x, whole)
print(masked, without, complete)
assert abs(masked[0] - without[0]) < 1e-9
assert abs(masked[1] - complete[1]) < 1e-9 and masked[1] < 0.7 * without[1]
PY
