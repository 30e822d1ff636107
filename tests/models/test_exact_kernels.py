"""Tests of models whose inputs are known exactly, with kernels that have no expectations."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import kernels as peers

from gplvm_core import (
    GPLVM,
    RBF,
    BayesianGPLVM,
    DeepGP,
    Linear,
    Matern12,
    Matern32,
    Matern52,
    Periodic,
    SemiDescribedGPRegression,
    SparseGPRegression,
    load,
)
from gplvm_core.kernels import Kernel, KernelError, Product, positive
from gplvm_core.prediction import sample

PERIODS = 2.0


def peer_of(kernel: Kernel) -> peers.Kernel:
    """Return scikit-learn's version of the kernel, with the trained parameters."""
    if isinstance(kernel, Product):
        first, second = map(peer_of, kernel.parts)
        return first * second
    if isinstance(kernel, Linear):
        scaled = peers.DotProduct(0.0, "fixed")
        assert np.ndim(kernel.variance) == 1
        assert np.ptp(kernel.variance) == 0.0
        return float(kernel.variance[0]) * scaled
    if isinstance(kernel, Periodic):
        return kernel.variance * peers.ExpSineSquared(kernel.lengthscale, kernel.period)
    if isinstance(kernel, RBF):
        return kernel.variance * peers.RBF(kernel.lengthscale)
    return kernel.variance * peers.Matern(kernel.lengthscale, nu=kernel.smoothness)


KERNELS = {
    "matern12": "matern12",
    "matern32": "matern32",
    "matern52": Matern52(),
    "rbf × periodic": RBF(1.0, 2.0) * Periodic(1.0, 1.0, PERIODS),
    "linear × matern32": Linear().holding() * Matern32(),
}


def rough(n_points: int = 40, n_inputs: int = 1, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return a function with kinks in the first of several inputs with different units."""
    generator = np.random.default_rng(seed)
    inputs = generator.uniform(-2.0, 2.0, (n_points, n_inputs))
    first = inputs[:, 0]
    values = np.column_stack([np.abs(np.sin(2.0 * first)), np.abs(first) + np.cos(3.0 * first)])
    return 4.0 * inputs + 7.0, values + 0.05 * generator.normal(size=values.shape)


def small(kernel: str | Kernel, **settings) -> SparseGPRegression:
    given = {"n_inducing": 15, "max_iter": 60, "random_state": 0} | settings
    return SparseGPRegression(kernel=kernel, **given)


@pytest.mark.filterwarnings("ignore:n_inducing")
@pytest.mark.parametrize("name", KERNELS)
def test_with_all_inputs_inducing_it_is_the_exact_gaussian_process(name: str) -> None:
    inputs, outputs = rough()
    model = small(KERNELS[name], n_inducing=100, jitter=1e-8).fit(inputs, outputs)
    kernel, noise = peer_of(model.kernel_), model.noise_variance_
    internal = (inputs - inputs.mean(axis=0)) / inputs.std(axis=0)
    new = internal[:7] + 0.2
    noisy, cross = kernel(internal) + noise * np.eye(len(internal)), kernel(new, internal)
    scaled = (outputs - outputs.mean(axis=0)) / outputs.std(axis=0)
    evidence = multivariate_normal(np.zeros(len(noisy)), noisy).logpdf(scaled.T).sum()
    evidence -= len(inputs) * np.log(outputs.std(axis=0)).sum()
    assert model.bound_ == pytest.approx(evidence, abs=1e-5 * abs(evidence))
    mean = outputs.mean(axis=0) + outputs.std(axis=0) * (cross @ np.linalg.solve(noisy, scaled))
    variance = np.diagonal(kernel(new) - cross @ np.linalg.solve(noisy, cross.T))
    at = inputs[:7] + 0.2 * inputs.std(axis=0)
    found, std = model.predict(at, noise=False, return_std=True)
    np.testing.assert_allclose(found, mean, atol=1e-5)
    spread = np.sqrt(variance)[:, None] * outputs.std(axis=0)
    np.testing.assert_allclose(std, spread, rtol=1e-4, atol=1e-6)
    # Joint draws have the predicted mean and standard deviations.
    draws = sample(model.posterior_, new, 4000, 0, noise=False)
    error = spread / np.sqrt(4000)
    assert (np.abs(draws.mean(axis=0) - mean) < 5.0 * error + 1e-4).all()
    np.testing.assert_allclose(draws.std(axis=0), spread, rtol=0.07, atol=1e-4)


@pytest.mark.parametrize("name", ["matern12", "matern52"])
def test_fewer_inducing_inputs_give_titsias_bound(name: str) -> None:
    inputs, outputs = rough(100)
    outputs = outputs[:, 0]
    model = small(name).fit(inputs, outputs)
    kernel, noise = peer_of(model.kernel_), model.noise_variance_
    internal = (inputs - inputs.mean(axis=0)) / inputs.std(axis=0)
    gram = kernel(model.inducing_) + model.posterior_.jitter * np.eye(15)
    cross = kernel(internal, model.inducing_)
    low_rank, own = cross @ np.linalg.solve(gram, cross.T), kernel(internal)
    scaled = (outputs - outputs.mean()) / outputs.std()
    zero, identity = np.zeros(100), np.eye(100)
    bound = multivariate_normal(zero, low_rank + noise * identity).logpdf(scaled)
    bound -= 0.5 * np.trace(own - low_rank) / noise + 100 * np.log(outputs.std())
    assert model.bound_ == pytest.approx(bound, abs=1e-5 * abs(bound))


@pytest.mark.slow
def test_a_matern_kernel_finds_which_inputs_matter() -> None:
    inputs, outputs = rough(150, 3)
    gaps = outputs.copy()
    gaps[:30, 0], gaps[50:70, 1] = np.nan, np.nan
    model = small("matern52", n_inducing=30).fit(inputs, gaps)
    assert model.relevance_[1:].max() < 0.05 * model.relevance_[0]
    new, expected = rough(100, 3, seed=1)
    assert np.sqrt(np.mean((model.predict(new) - expected) ** 2)) < 0.2


def test_noise_of_every_output_and_storage(tmp_path: Path) -> None:
    inputs, outputs = rough()
    kernel = RBF(1.0, 2.0) * Matern32() + 0.5 * Periodic(1.0, 1.0, PERIODS)
    model = small(kernel, noise="per_output", max_iter=20).fit(inputs, outputs)
    model.save(tmp_path / "rough.gplvm")
    again = load(tmp_path / "rough.gplvm")
    assert repr(again.kernel) == repr(kernel)
    np.testing.assert_array_equal(again.predict(inputs), model.predict(inputs))
    with pytest.raises(KernelError, match="inputs that are known exactly"):
        again.predict(inputs, X_variance=0.1)


@dataclass(frozen=True, repr=False)
class Plain(Kernel):
    """A user's periodic kernel with only its values and the gradients of a symmetric K."""

    variance: float = positive(1.0, overall=True)
    period: float = positive(1.0)

    def K(self, first: np.ndarray, second: np.ndarray | None = None) -> np.ndarray:
        return self._peer.K(first, second)

    def diag(self, points: np.ndarray) -> np.ndarray:
        return self._peer.diag(points)

    def K_pullback(self, points: np.ndarray, gram: np.ndarray) -> tuple[np.ndarray, "Plain"]:
        d_points, own = self._peer.K_pullback(points, gram)
        return d_points, Plain(own.variance, own.period)

    @property
    def _peer(self) -> Periodic:
        return Periodic(self.variance, 1.0, self.period)


def test_a_kernel_of_ones_own_needs_no_more_than_over_time() -> None:
    inputs, outputs = rough()
    own, known = (
        small(kernel * Matern32() + RBF(), max_iter=10).fit(inputs, outputs)
        for kernel in (
            Plain(1.0, PERIODS),
            Periodic(1.0, 1.0, PERIODS).holding("lengthscale"),
        )
    )
    assert own.bound_ == pytest.approx(known.bound_, rel=1e-6)
    np.testing.assert_allclose(own.predict(inputs), known.predict(inputs), atol=1e-5)


@pytest.mark.parametrize("kernel", ["matern32", Matern52(1.0, 2.0) + RBF(0.5, 1.0)])
@pytest.mark.parametrize("n_inducing", [None, 12])
def test_latent_points(kernel, n_inducing: int | None, tmp_path: Path) -> None:
    angle = np.linspace(0.0, 5.0, 40)
    generator = np.random.default_rng(1)
    rows = np.column_stack([np.sin(angle), np.cos(angle), np.abs(angle - 2.0), 0.3 * angle])
    rows = rows + 0.02 * generator.normal(size=rows.shape)
    model = GPLVM(2, n_inducing, kernel=kernel, max_iter=60, random_state=0).fit(rows)
    gaps = rows[:6].copy()
    gaps[:, 2] = np.nan
    assert np.sqrt(np.mean((model.complete(gaps) - rows[:6]) ** 2)) < 0.1
    assert np.isfinite(model.sample(3, random_state=0)).all()
    model.save(tmp_path / "points.gplvm")
    np.testing.assert_array_equal(
        load(tmp_path / "points.gplvm").transform(rows[:5]), model.transform(rows[:5])
    )
    if n_inducing is None and isinstance(kernel, str):
        gram = peer_of(model.kernel_)(model.latent_mean_)
        covariance = gram + (model.noise_variance_ + model.posterior_.jitter) * np.eye(40)
        centred = (rows - rows.mean(axis=0)) / model.scale_
        known = multivariate_normal(np.zeros(40), covariance).logpdf(centred.T).sum()
        known -= 40 * np.log(model.scale_ * np.ones(4)).sum()
        known -= 0.5 * np.sum(model.latent_mean_**2 + np.log(2.0 * np.pi))
        assert model.bound_ == pytest.approx(known, rel=1e-8)


@pytest.mark.parametrize("mean", ["zero", "linear"])
def test_the_first_layer_of_a_deep_regression(mean: str) -> None:
    inputs, outputs = rough(60)
    model = DeepGP(1, 15, kernel=("matern32", "rbf"), mean=mean, max_iter=30, random_state=0).fit(
        inputs, outputs
    )
    assert isinstance(model.layers_[0].posterior_.kernel, Matern32)
    assert np.sqrt(np.mean((model.predict(inputs) - outputs) ** 2)) < 0.15
    draws = model.sample(inputs[:3], 5, random_state=0)
    assert np.isfinite(draws).all()


@pytest.mark.parametrize(
    "fit",
    {
        "noisy inputs": lambda x, y: small("matern32").fit(x, y, X_variance=0.1),
        "learnt noise": lambda x, y: small(Matern12()).fit(x, y, X_variance="learned"),
        "missing inputs": lambda x, y: SemiDescribedGPRegression(10, kernel=RBF() * Matern12()).fit(
            np.where(x > 13.0, np.nan, x), y
        ),
        "latent inputs": lambda x, y: BayesianGPLVM(1, 10, kernel="matern52").fit(y),
        "a hidden layer": lambda x, y: DeepGP(1, 10, kernel=("rbf", "matern52"), max_iter=3).fit(
            x, y
        ),
    }.values(),
)
def test_uncertain_inputs_are_refused_with_what_would_work(fit) -> None:
    words = "no analytic expectations .* known exactly.*GPLVM.*Bias, .*RBF"
    with pytest.raises(KernelError, match=words):
        fit(*rough())


def test_names_that_do_not_exist() -> None:
    with pytest.raises(KernelError, match="'matern52' or a kernel object; got 'matern'"):
        small("matern").fit(*rough())
