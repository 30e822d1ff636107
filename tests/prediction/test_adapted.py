"""Tests of a mapping updated by new rows: the bound of old and new rows, and its gradients."""

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import collapsed, gram_factor
from gplvm_core.prediction.adapted import AdaptedTerms
from gplvm_core.prediction.generate import predict_uncertain
from gplvm_core.statistics import Targets, reduce_statistics


@pytest.fixture(scope="module", params=[False, True], ids=["complete", "with gaps"])
def trained(request) -> tuple[BayesianGPLVM, np.ndarray, np.ndarray, Belief]:
    """Return a model, its targets, six new rows with two patterns of gaps, and their belief."""
    generator = np.random.default_rng(5)
    hidden = generator.normal(size=(46, 2))
    outputs = np.tanh(hidden @ generator.normal(size=(2, 5)))
    outputs += 0.05 * generator.normal(size=outputs.shape)
    targets, rows = outputs[:40], outputs[40:].copy()
    if request.param:
        targets[3:9, :2] = np.nan
    rows[2:, 1:3], rows[4, 4] = np.nan, np.nan
    model = BayesianGPLVM(2, 8, max_iter=30, random_state=0).fit(targets)
    mean = generator.normal(size=(6, 2))
    return model, targets, rows, Belief(mean, generator.uniform(0.05, 0.5, (6, 2)))


def test_one_bound_of_all_rows(trained) -> None:
    model, targets, rows, belief = trained
    before = model.posterior_
    terms = AdaptedTerms.of(before, model.statistics_, rows)
    both = before.to_internal(np.vstack([targets, rows]))
    beliefs = Belief(
        np.vstack([model.latent_mean_, belief.mean]),
        np.vstack([model.latent_variance_, belief.variance]),
    )
    statistics, _ = reduce_statistics(before.kernel, beliefs, before.inducing, Targets.whole(both))
    gram = gram_factor(before.kernel, before.inducing, before.jitter, relative=False)
    expected = collapsed(statistics, gram, before.noise_variance)
    assert terms.data(belief)[0] == pytest.approx(expected.value, rel=1e-10)
    after = terms.posterior(belief)
    np.testing.assert_allclose(after.weights, expected.weights, rtol=1e-6, atol=1e-8)
    # Near the new rows, the mapping fits these rows and is more certain.
    found = [
        predict_uncertain(p, belief.mean, belief.variance, noise=True) for p in (before, after)
    ]
    errors = [np.nanmean((mean - rows) ** 2) for mean, _ in found]
    assert errors[1] < errors[0]
    spread = [np.trace(p.variances.total(np.ones(p.n_outputs))) for p in (before, after)]
    assert spread[1] > spread[0]


@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_gradients(trained, weight: float) -> None:
    model, _, rows, belief = trained
    terms = AdaptedTerms.of(model.posterior_, model.statistics_, rows, weight)
    _, *gradients = terms.data(belief)
    at = [belief.mean, belief.variance]
    for which, found in enumerate(gradients):
        for index in np.ndindex(found.shape):
            step = np.zeros_like(found)
            step[index] = 1e-4
            up, down = (
                terms.data(Belief(*[x + sign * step * (i == which) for i, x in enumerate(at)]))[0]
                for sign in (1.0, -1.0)
            )
            assert found[index] == pytest.approx((up - down) / 2e-4, rel=1e-4, abs=1e-3)


def test_nothing_observed_changes_nothing(trained) -> None:
    model, _, rows, belief = trained
    terms = AdaptedTerms.of(model.posterior_, model.statistics_, np.full_like(rows, np.nan))
    np.testing.assert_allclose(
        terms.posterior(belief).weights, model.posterior_.weights, rtol=1e-6, atol=1e-9
    )
