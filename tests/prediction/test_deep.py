"""Tests of densities through layers against quadrature and Monte Carlo on tiny problems."""

import numpy as np
import pytest
from scipy import stats

from gplvm_core import RBF, BayesianGPLVM, DeepGP, DeepGPLVM
from gplvm_core.prediction import (
    DATA,
    Explained,
    Network,
    Posterior,
    Projection,
    log_density_sampled,
    predict,
)

GRID = np.linspace(-6.0, 6.0, 241)
STEP = GRID[1] - GRID[0]


def layer(seed: int, n_outputs: int = 1, noise: float = 0.04) -> Posterior:
    """Return a layer of one input: a few inducing inputs with an explicit q(u)."""
    generator = np.random.default_rng(seed)
    inducing, kernel = np.linspace(-2.0, 2.0, 5)[:, None], RBF(1.0, np.array([1.2]))
    weights = np.linalg.solve(
        kernel.K(inducing) + 1e-6 * np.eye(5), generator.normal(size=(5, n_outputs))
    )
    gap = np.linalg.inv(kernel.K(inducing) + 0.05 * np.eye(5))[None]
    return Posterior(
        kernel, inducing, weights, gap, noise, 1e-6,
        np.full(n_outputs, 0.5), np.full(n_outputs, 2.0), np.zeros(n_outputs, dtype=np.intp),
    )  # fmt: skip


def hidden(seed: int) -> Posterior:
    """Return the same layer in internal units, as hidden layers have them."""
    own = layer(seed)
    return Posterior(
        own.kernel, own.inducing, own.weights, own.gap, own.noise_variance, own.jitter,
        np.zeros(1), np.ones(1), own.groups,
    )  # fmt: skip


@pytest.mark.parametrize("depth", [1, 2])
def test_density_by_sampling_is_the_integral(depth: int) -> None:
    """Integrate over the latent point, and over the hidden point below it."""
    posteriors = [hidden(2), layer(3, 2)][-depth:]
    rows = np.array([[0.4, 1.0], [2.0, np.nan]])
    prior, through = stats.norm.pdf(GRID), np.eye(len(GRID)) / STEP
    for posterior in posteriors[:-1]:
        mean, variance = predict(posterior, GRID[:, None], noise=True)
        through = stats.norm.pdf(GRID, mean, np.sqrt(variance))
    mean, variance = predict(posteriors[-1], GRID[:, None], noise=True)
    terms = stats.norm.logpdf(rows[:, None], mean, np.sqrt(variance))
    likelihood = np.exp(np.nansum(terms, axis=2))
    expected = np.log(prior @ through @ likelihood.T * STEP**2)
    # Each row has two rough explanations; the proposal of the importance sampler does not bias the
    # result.
    places = np.tile([[-0.8], [0.9]], (2, 1, 1))
    told = Projection(places, np.full((2, 2, 1), 1.5), np.log([[0.5, 0.5], [0.9, 0.1]]))
    informed = np.ones((2, depth), dtype=bool)
    explained = Explained(tuple(range(depth)), (told,) * depth, informed, {})
    chain = Network.chain(posteriors)
    found = log_density_sampled(chain, {DATA: rows}, explained, 200_000, 0)
    np.testing.assert_allclose(found, expected, atol=0.05)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_estimators_offer_both_densities() -> None:
    generator = np.random.default_rng(0)
    angle = generator.uniform(0.0, 2.0 * np.pi, 50)
    rows = np.column_stack([np.cos(angle), np.sin(angle), np.sin(2.0 * angle)])
    rows += 0.1 * generator.normal(size=rows.shape)
    for model in (
        BayesianGPLVM(2, 10, max_iter=40, random_state=0),
        DeepGPLVM((2, 2), 10, max_iter=60, random_state=0),
    ):
        model.fit(rows[:40])
        by_bound = model.score_samples(rows[40:])
        by_sampling = model.score_samples(rows[40:], 500)
        np.testing.assert_array_equal(by_sampling, model.score_samples(rows[40:], 500))
        assert by_sampling.mean() == pytest.approx(by_bound.mean(), abs=0.5)
        assert model.score_samples(rows[40:] + 5.0, 500).mean() < by_sampling.mean() - 5.0


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_step_has_two_peaks_between_its_levels() -> None:
    x = np.linspace(-1.0, 1.0, 30)[:, None]
    y = np.sign(x[:, 0] + 1e-3) + 0.05 * np.random.default_rng(0).normal(size=30)
    model = DeepGP((1,), 8, max_iter=30, random_state=0).fit(x, y)
    new = np.linspace(-1.2, 1.2, 25)[:, None]
    low, middle, high = model.predict_quantiles(new, (0.05, 0.5, 0.95))
    assert (low < middle).all() and (middle < high).all()
    draws = model.sample(new, 800, random_state=0)
    inside = np.mean((draws > low) & (draws < high))
    assert inside == pytest.approx(0.9, abs=0.03)
    both = DeepGP((1,), 5, max_iter=2, random_state=0).fit(x, np.column_stack([y, -y]))
    assert both.predict_quantiles(new, 0.5).shape == (1, 25, 2)
    function = model.predict_quantiles(new, (0.05, 0.95), noise=False)
    assert (function[1] - function[0]).mean() < (high - low).mean()
    with pytest.raises(ValueError, match=r"quantiles must lie between 0 and 1; got 1\.0"):
        model.predict_quantiles(new, 1.0)
