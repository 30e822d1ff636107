#!/usr/bin/env bash
# The numbers of same_numbers.md: installs pinned packages into a temporary folder, compares them
# with each other and with the kernels of this project, and removes the folder.
set -euo pipefail
project=$(cd "$(dirname "$0")/.." && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check \
    scikit-learn==1.9.1 tinygp==0.3.1 gpjax==1.0.0 GPy==1.15.0 narwhals==2.29.0
JAX_ENABLE_X64=1 PYTHONPATH="$project" venv/bin/python -W ignore - <<'PY'
import GPy
import gpjax
import numpy as np
import tinygp
from sklearn.gaussian_process import GaussianProcessRegressor, kernels

import gplvm_core as own

short, period = np.sqrt(0.5), 2.0
a, b = np.zeros((1, 1)), np.ones((1, 1))  # half a period apart
far, near = np.zeros((1, 2)), np.array([[0.6, 0.8]])  # a Euclidean distance of 1


def check(row, **numbers):
    print(row, {name: round(float(np.squeeze(found)), 4) for name, (found, _) in numbers.items()})
    for name, (found, expected) in numbers.items():
        assert abs(float(np.squeeze(found)) - expected) < 1e-4, (row, name)


sine = np.sin(np.pi * near / period) ** 2
check(
    "RBF, distance 1, lengthscale 1/sqrt(2)",
    own=(own.RBF(lengthscale=short).K(a, b), np.exp(-1)),
    sklearn=(kernels.RBF(short)(a, b), np.exp(-1)),
    GPy=(GPy.kern.RBF(1, lengthscale=short).K(a, b), np.exp(-1)),
    GPJax=(gpjax.kernels.RBF(lengthscale=short)(a[0], b[0]), np.exp(-1)),
    tinygp=(tinygp.kernels.ExpSquared(short)(a, b), np.exp(-1)),
)
check(
    "periodic, half a period, lengthscale 1/sqrt(2) (tinygp: gamma 2)",
    own=(own.Periodic(lengthscale=short, period=period).K(a, b), np.exp(-4)),
    sklearn=(kernels.ExpSineSquared(short, period)(a, b), np.exp(-4)),
    GPy=(GPy.kern.StdPeriodic(1, lengthscale=short, period=period).K(a, b), np.exp(-1)),
    GPJax=(gpjax.kernels.Periodic(lengthscale=short, period=period)(a[0], b[0]), np.exp(-1)),
    tinygp=(tinygp.kernels.ExpSineSquared(scale=period, gamma=2.0)(a, b), np.exp(-2)),
)
check(
    "periodic in two dimensions",
    own=(own.Periodic(lengthscale=short, period=period).K(far, near), np.exp(-4 * sine.sum())),
    sklearn=(kernels.ExpSineSquared(short, period)(far, near), np.exp(-4)),
    GPy=(GPy.kern.StdPeriodic(2, lengthscale=short, period=period).K(far, near),
         np.exp(-sine.sum())),
    GPJax=(gpjax.kernels.Periodic(lengthscale=short, period=period)(far[0], near[0]),
           np.exp(-sine.sum())),
)
matern = (1 + np.sqrt(3)) * np.exp(-np.sqrt(3))
check(
    "Matern 3/2 in two dimensions",
    own=(own.Matern32(lengthscale=np.ones(2)).K(far, near), matern),
    sklearn=(kernels.Matern(1.0, nu=1.5)(far, near), matern),
    GPy=(GPy.kern.Matern32(2).K(far, near), matern),
    GPJax=(gpjax.kernels.Matern32()(far[0], near[0]), matern),
    tinygp=(tinygp.kernels.Matern32(1.0)(far, near),
            (1 + 1.4 * np.sqrt(3)) * np.exp(-1.4 * np.sqrt(3))),
)
x = np.linspace(0.0, 1.0, 8)[:, None]
y = 3.0 + 2.0 * np.sin(3.0 * x)
noise = 0.01
covariance = np.exp(-2.0 * (x - x.T) ** 2) + noise * np.eye(8)
normal = lambda v: float(-0.5 * (v.T @ np.linalg.solve(covariance, v)).item()
                         - 0.5 * np.linalg.slogdet(2 * np.pi * covariance)[1])
process = lambda rows, kernel=kernels.RBF(0.5), **options: GaussianProcessRegressor(
    kernel, optimizer=None, **{"alpha": noise} | options).fit(x, rows)
peer = lambda rows: GPy.models.GPRegression(x, rows, GPy.kern.RBF(1, lengthscale=0.5), noise_var=noise)
tiny = tinygp.GaussianProcess(tinygp.kernels.ExpSquared(0.5), x[:, 0], diag=noise)
exact = normal(y)
check(
    "log likelihood",
    sklearn=(process(y).log_marginal_likelihood_value_, exact),
    GPy=(peer(y).log_likelihood(), exact),
    tinygp=(tiny.log_probability(y[:, 0]), exact),
    normalised=(process(y, normalize_y=True).log_marginal_likelihood_value_,
                normal((y - y.mean()) / y.std())),
    two_columns=(process(np.hstack([y, y])).log_marginal_likelihood_value_, 2 * exact),
    two_columns_GPy=(peer(np.hstack([y, y])).log_likelihood(), 2 * exact),
)
row = np.exp(-2.0 * (x[0] - x.T) ** 2)
clean = float(np.sqrt(1.0 - (row @ np.linalg.solve(covariance, row.T)).item()))
noisy = float(np.sqrt(clean**2 + noise))
white = kernels.RBF(0.5) + kernels.WhiteKernel(noise)
check(
    "predicted standard deviation at a training input",
    sklearn_alpha=(process(y).predict(x[:1], return_std=True)[1], clean),
    sklearn_white=(process(y, white, alpha=1e-10).predict(x[:1], return_std=True)[1], noisy),
    GPy=(np.sqrt(peer(y).predict(x[:1])[1]), noisy),
    tinygp=(np.sqrt(tiny.condition(y[:, 0], x[:1, 0]).gp.variance), clean),
)
rows = np.linspace(-2.0, 2.0, 50)[:, None]
targets = np.sin(2.0 * rows) + 0.05 * np.random.default_rng(0).normal(size=(50, 4))
bound = lambda jitter: own.evaluate_bound(
    targets, rows, np.full_like(rows, 0.01), np.linspace(-2.0, 2.0, 25)[:, None], own.RBF(),
    0.0025, jitter)[0]
check("bound by jitter", at_1e8=(bound(1e-8), -740.51549), at_1e6=(bound(1e-6), -740.53906))
PY
