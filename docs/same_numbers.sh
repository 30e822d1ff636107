#!/usr/bin/env bash
# The numbers of same_numbers.md: installs pinned packages into temporary environments, compares
# them with each other and with this project, and removes them. Needs 6 GB of disk for a while.
# Where pip would fetch PyTorch with CUDA: PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu
set -euo pipefail
project=$(cd "$(dirname "$0")/.." && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
export JAX_ENABLE_X64=1 TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES= PYTHONWARNINGS=ignore

environment() {
    python3 -m venv --without-pip "$1"
    python3 -m pip --python "$1" install --quiet --no-compile --disable-pip-version-check "${@:2}"
}

cat > cases.py <<'PY'
import numpy as np

short, period = np.sqrt(0.5), 2.0
a, b = np.zeros((1, 1)), np.ones((1, 1))  # half a period apart
far, near = np.zeros((1, 2)), np.array([[0.6, 0.8]])  # a Euclidean distance of 1
sine = float(np.sum(np.sin(np.pi * near / period) ** 2))
matern = (1 + np.sqrt(3)) * np.exp(-np.sqrt(3))

x = np.linspace(0.0, 1.0, 8)[:, None]
y = 3.0 + 2.0 * np.sin(3.0 * x)
noise = 0.01
covariance = np.exp(-2.0 * (x - x.T) ** 2) + noise * np.eye(8)


def normal(v):
    return float(-0.5 * (v.T @ np.linalg.solve(covariance, v)).item()
                 - 0.5 * np.linalg.slogdet(2 * np.pi * covariance)[1])


exact = normal(y)
row = np.exp(-2.0 * (x[0] - x.T) ** 2)
clean = float(np.sqrt(1.0 - (row @ np.linalg.solve(covariance, row.T)).item()))
noisy = float(np.sqrt(clean**2 + noise))

rows = np.linspace(-2.0, 2.0, 50)[:, None]
spread = np.full_like(rows, 0.01)
targets = np.sin(2.0 * rows) + 0.05 * np.random.default_rng(0).normal(size=(50, 4))
line = np.linspace(-2.0, 2.0, 25)[:, None]
noises, jitters = (0.0025, 0.0001), (1e-8, 1e-6)
close = {1e-8: 1e-6, 1e-6: 1e-8}  # relative: rounding errors are divided by the jitter


def check(row, close=1e-4, **numbers):
    print(row, {name: round(float(np.squeeze(found)), 6) for name, (found, _) in numbers.items()})
    for name, (found, expected) in numbers.items():
        assert abs(float(np.squeeze(found)) - expected) < close, (row, name)
PY

environment main scikit-learn==1.9.1 tinygp==0.3.1 gpjax==1.0.0 GPy==1.15.0 narwhals==2.29.0
PYTHONPATH="$project" main/bin/python - <<'PY'
import GPy
import gpjax
import tinygp
from sklearn.gaussian_process import GaussianProcessRegressor, kernels

import gplvm_core as own
from cases import *

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
    own=(own.Periodic(lengthscale=short, period=period).K(far, near), np.exp(-4 * sine)),
    sklearn=(kernels.ExpSineSquared(short, period)(far, near), np.exp(-4)),
    GPy=(GPy.kern.StdPeriodic(2, lengthscale=short, period=period).K(far, near), np.exp(-sine)),
    GPJax=(gpjax.kernels.Periodic(lengthscale=short, period=period)(far[0], near[0]),
           np.exp(-sine)),
    tinygp=(tinygp.kernels.ExpSineSquared(scale=period, gamma=2.0)(far, near),
            np.exp(-2 * np.sin(0.7 * np.pi) ** 2)),
)
check(
    "Matern 3/2 in two dimensions",
    own=(own.Matern32(lengthscale=np.ones(2)).K(far, near), matern),
    sklearn=(kernels.Matern(1.0, nu=1.5)(far, near), matern),
    GPy=(GPy.kern.Matern32(2).K(far, near), matern),
    GPJax=(gpjax.kernels.Matern32()(far[0], near[0]), matern),
    tinygp=(tinygp.kernels.Matern32(1.0)(far, near),
            (1 + 1.4 * np.sqrt(3)) * np.exp(-1.4 * np.sqrt(3))),
)
process = lambda rows, kernel=kernels.RBF(0.5), **options: GaussianProcessRegressor(
    kernel, optimizer=None, **{"alpha": noise} | options).fit(x, rows)
peer = lambda rows: GPy.models.GPRegression(
    x, rows, GPy.kern.RBF(1, lengthscale=0.5), noise_var=noise)
tiny = tinygp.GaussianProcess(tinygp.kernels.ExpSquared(0.5), x[:, 0], diag=noise)
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
white = kernels.RBF(0.5) + kernels.WhiteKernel(noise)
check(
    "predicted standard deviation at a training input",
    sklearn_alpha=(process(y).predict(x[:1], return_std=True)[1], clean),
    sklearn_white=(process(y, white, alpha=1e-10).predict(x[:1], return_std=True)[1], noisy),
    GPy=(np.sqrt(peer(y).predict(x[:1])[1]), noisy),
    tinygp=(np.sqrt(tiny.condition(y[:, 0], x[:1, 0]).gp.variance), clean),
)


def of_gpy(problem, mean, spread, inducing, kernel, variance, jitter):
    model = GPy.models.BayesianGPLVM(problem, mean.shape[1], X=mean, X_variance=spread,
                                     Z=inducing, num_inducing=len(inducing), kernel=kernel)
    model.likelihood.variance = variance
    print("GPy's jitter without a change:", model.inference_method.const_jitter)
    model.inference_method.const_jitter = jitter
    model.parameters_changed()
    return float(np.squeeze(model.log_likelihood()))


bounds = {}
for variance in noises:
    for jitter in jitters:
        bound, _ = own.evaluate_bound(targets, rows, spread, line, own.RBF(), variance, jitter)
        bounds[f"{variance} {jitter}"] = bound
        peers = of_gpy(targets, rows, spread, line, GPy.kern.RBF(1), variance, jitter)
        check(f"bound, noise {variance}, jitter {jitter}", close[jitter] * abs(bound), own=(bound, bound),
              GPy=(peers, bound))
check("bounds", own=(bounds["0.0025 1e-08"], -740.51251),
      other=(bounds["0.0025 1e-06"], -740.53906),
      quiet=(bounds["0.0001 1e-08"] - bounds["0.0001 1e-06"], 2.4443))
# Twelve inducing points in three dimensions: K is far from singular.
wide = dict(np.load(own.__path__[0] + "/../tests/reference/problem.npz"))
scale, lengths = float(wide["variance"]), wide["lengthscales"]
for jitter in jitters:
    bound, _ = own.evaluate_bound(wide["Y"], wide["mu"], wide["S"], wide["Z"],
                                  own.RBF(scale, lengths), float(wide["noise"]), jitter)
    bounds[f"wide {jitter}"] = bound
    kernel = GPy.kern.RBF(3, scale, lengths, ARD=True)
    peers = of_gpy(wide["Y"], wide["mu"], wide["S"], wide["Z"], kernel, float(wide["noise"]), jitter)
    check(f"bound of tests/reference, jitter {jitter}", 1e-8, own=(bound, bound),
          GPy=(peers, bound))
np.savez("bounds.npz", **wide, **bounds)
PY
rm -r main

environment flow gpflow==2.11.2 tensorflow==2.21.0 tensorflow-probability==0.25.0 numpy==1.26.4
flow/bin/python - 2>errors <<'PY' || { cat errors; exit 1; }
import gpflow
from gpflow.kernels import Matern32, Periodic, SquaredExponential

from cases import *

wave = Periodic(SquaredExponential(lengthscales=short), period=period)
check("GPflow: RBF", found=(SquaredExponential(lengthscales=short)(a, b), np.exp(-1)))
check("GPflow: periodic", one=(wave(a, b), np.exp(-1)), two=(wave(far, near), np.exp(-sine)))
check("GPflow: Matern 3/2", found=(Matern32()(far, near), matern))
model = lambda y: gpflow.models.GPR((x, y), SquaredExponential(lengthscales=0.5),
                                    noise_variance=noise)
check("GPflow: log likelihood", one=(model(y).log_marginal_likelihood(), exact),
      two_columns=(model(np.hstack([y, y])).log_marginal_likelihood(), 2 * exact))
check("GPflow: deviation", predict_f=(np.sqrt(model(y).predict_f(x[:1])[1]), clean),
      predict_y=(np.sqrt(model(y).predict_y(x[:1])[1]), noisy))
print("GPflow's jitter without a change:", gpflow.config.default_jitter())


def elbo(targets, mean, spread, inducing, kernel, variance, jitter):
    gpflow.config.set_default_jitter(jitter)
    model = gpflow.models.BayesianGPLVM(targets, mean, spread, kernel=kernel,
                                        inducing_variable=inducing)
    model.likelihood.variance.assign(variance)
    return float(model.elbo())


known = dict(np.load("bounds.npz"))
for variance in noises:
    for jitter in jitters:
        bound = known[f"{variance} {jitter}"]
        peers = elbo(targets, rows, spread, line, SquaredExponential(lengthscales=[1.0]),
                     variance, jitter)
        check(f"bound, noise {variance}, jitter {jitter}", close[jitter] * abs(bound),
              own=(bound, bound), GPflow=(peers, bound))
for jitter in jitters:
    kernel = SquaredExponential(known["variance"], known["lengthscales"])
    peers = elbo(known["Y"], known["mu"], known["S"], known["Z"], kernel, known["noise"], jitter)
    bound = known[f"wide {jitter}"]
    check(f"bound of tests/reference, jitter {jitter}", 1e-8, own=(bound, bound),
          GPflow=(peers, bound))
PY
rm -r flow

environment torch torch==2.13.0 gpytorch==1.15.2 pyro-ppl==1.9.2 dgpsi==2.6.0
torch/bin/python - <<'PY'
import gpytorch
import pyro
import torch
from dgpsi import gp
from dgpsi.kernel_class import kernel as simulator
from pyro.contrib.gp import kernels, models

from cases import *

torch.set_default_dtype(torch.float64)
number = torch.tensor
a, b, far, near = map(torch.from_numpy, (a, b, far, near))
inputs, outputs = torch.from_numpy(x), torch.from_numpy(y[:, 0])


def with_values(kernel, **values):
    for name, value in values.items():
        setattr(kernel, name, value)
    return lambda *points: kernel(*points).to_dense().detach()


wave = with_values(gpytorch.kernels.PeriodicKernel(), lengthscale=short, period_length=period)
check("gpytorch: RBF", found=(with_values(gpytorch.kernels.RBFKernel(), lengthscale=short)(a, b),
                              np.exp(-1)))
check("gpytorch: periodic", one=(wave(a, b), np.exp(-2 / short)),
      two=(wave(far, near), np.exp(-2 * sine / short)))
check("gpytorch: Matern 3/2", found=(
    with_values(gpytorch.kernels.MaternKernel(nu=1.5), lengthscale=1.0)(far, near), matern))


class Regression(gpytorch.models.ExactGP):
    def __init__(self, likelihood):
        super().__init__(inputs, outputs, likelihood)
        self.kernel = gpytorch.kernels.RBFKernel()
        self.kernel.lengthscale = 0.5

    def forward(self, at):
        return gpytorch.distributions.MultivariateNormal(torch.zeros(len(at)), self.kernel(at))


likelihood = gpytorch.likelihoods.GaussianLikelihood()
likelihood.noise = noise
model = Regression(likelihood)
found = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)(model(inputs), outputs)
check("gpytorch: log likelihood, per row", found=(found.item(), exact / 8))
model.eval(), likelihood.eval()
with torch.no_grad():
    check("gpytorch: deviation", model=(model(inputs[:1]).stddev, clean),
          likelihood=(likelihood(model(inputs[:1])).stddev, noisy))


def alone(call):
    """Kernels of pyro share their parameters by name: evaluate each in a store of its own."""
    with pyro.get_param_store().scope(), torch.no_grad():
        return float(call())


wave = lambda size: kernels.Periodic(size, lengthscale=number(short), period=number(period))
check("pyro: RBF", found=(alone(lambda: kernels.RBF(1, lengthscale=number(short))(a, b)),
                          np.exp(-1)))
check("pyro: periodic", one=(alone(lambda: wave(1)(a, b)), np.exp(-4)),
      two=(alone(lambda: wave(2)(far, near)), np.exp(-4 * sine)))
check("pyro: Matern 3/2", found=(alone(lambda: kernels.Matern32(2)(far, near)), matern))
process = lambda y: models.GPRegression(inputs, y, kernels.RBF(1, lengthscale=number(0.5)),
                                        noise=number(noise))
loss = lambda made: pyro.infer.Trace_ELBO().loss(made.model, made.guide)
check("pyro: loss", 1e-3, one=(alone(lambda: loss(process(outputs))), -exact),
      two_columns=(alone(lambda: loss(process(torch.stack([outputs, outputs])))), -2 * exact))
check("pyro: deviation", noiseless=(alone(lambda: process(outputs)(inputs[:1])[1].sqrt()), clean),
      noisy=(alone(lambda: process(outputs)(inputs[:1], noiseless=False)[1].sqrt()), noisy))
print("pyro's jitter:", process(outputs).jitter)


def correlation(name, length, points):
    kernel = simulator(length=np.array([length]), name=name, nugget=1e-8)
    kernel.input = np.array(points, dtype=float)
    kernel.rep = kernel.global_input = None
    return kernel.k_matrix()[0, 1]


matern52 = lambda d: (1 + np.sqrt(5) * d + 5 / 3 * d**2) * np.exp(-np.sqrt(5) * d)
check("dgpsi: sexp", found=(correlation("sexp", short, [[0], [1]]), np.exp(-2)))
check("dgpsi: Matern 5/2", found=(correlation("matern2.5", 1.0, [[0, 0], [0.6, 0.8]]),
                                  matern52(0.6) * matern52(0.8)))
print("Matern 5/2 of the Euclidean distance", round(matern52(1.0), 4))
for prior, expected in ((None, -exact - 4 * np.log(2 * np.pi)), ("ga", 2.854751)):
    made = simulator(length=np.array([0.5 * np.sqrt(2)]), nugget=noise, prior_name=prior)
    made.input, made.output, made.rep, made.global_input = x, y, None, None
    check(f"dgpsi: llik, prior {prior}", found=(made.llik(np.log(made.length))[0], expected))
made = gp(x, y, simulator(length=np.array([0.5 * np.sqrt(2)]), nugget=noise))
check("dgpsi: deviation", found=(np.sqrt(made.predict(x[:1])[1]), noisy))
PY
