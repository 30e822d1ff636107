"""Tests of predictions from layers without an estimator.

Some tests split a layer in two and compare the parts with the original layer.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from gplvm_core import RBF
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import collapsed, gram_factor
from gplvm_core.prediction import (
    DATA,
    Network,
    Posterior,
    complete,
    correspond,
    draw_prior,
    explain,
    log_density,
    predict_uncertain,
    reconstructed,
    transfer,
)
from gplvm_core.prediction.transfer import Roles, Wanted
from gplvm_core.statistics import Statistics, Targets, reduce_statistics
from gplvm_core.statistics.reduce import serial

JITTER = 1e-8
LEFT, RIGHT = [0, 1], [2, 3, 4]


@dataclass(frozen=True)
class Known:
    """A layer that explains targets at given beliefs about its inputs."""

    belief: Belief
    targets: np.ndarray
    posterior: Posterior
    statistics: Statistics

    def half(self, columns: list[int]) -> "Known":
        return known(self.belief, self.targets[:, columns])

    @property
    def network(self) -> Network:
        return Network.star({DATA: self.posterior}, self.belief, {DATA: self.statistics})


def beside(left: Known, right: Known) -> Network:
    return Network.star(
        {"left": left.posterior, "right": right.posterior},
        left.belief,
        {"left": left.statistics, "right": right.statistics},
    )


def known(belief: Belief, targets: np.ndarray) -> Known:
    kernel, inducing = RBF(1.0, np.array([0.8, 1.1])), belief.mean[::3]
    statistics, _ = reduce_statistics(kernel, belief, inducing, Targets.whole(targets), serial)
    at = collapsed(statistics, gram_factor(kernel, inducing, JITTER, relative=False), 0.01)
    n_outputs = targets.shape[1]
    center, scale = np.zeros(n_outputs), np.ones(n_outputs)
    return Known(
        belief,
        targets,
        Posterior(kernel, inducing, at.weights, at.gap, 0.01, JITTER, center, scale),
        statistics,
    )


@pytest.fixture(scope="module")
def whole() -> Known:
    generator = np.random.default_rng(5)
    latent = generator.normal(size=(30, 2))
    mixing = generator.normal(size=(2, 5))
    targets = np.tanh(latent @ mixing) + 0.1 * generator.normal(size=(30, 5))
    return known(Belief(latent, np.full_like(latent, 0.02)), targets)


@pytest.fixture(scope="module")
def rows(whole: Known) -> np.ndarray:
    """Return new rows near training rows; the last three have gaps."""
    found = whole.targets[:6] + 0.05
    found[3:, 1], found[4:, 3] = np.nan, np.nan
    return found


def test_two_halves_infer_a_row_as_the_whole_layer_does(whole: Known, rows: np.ndarray) -> None:
    left, right = whole.half(LEFT), whole.half(RIGHT)
    both, given = beside(left, right), {"left": rows[:, LEFT], "right": rows[:, RIGHT]}
    together = explain(whole.network, {DATA: rows})
    apart = explain(both, given)
    np.testing.assert_allclose(apart[0].best.mean, together[0].best.mean, atol=1e-4)
    np.testing.assert_allclose(apart[0].best.variance, together[0].best.variance, rtol=1e-3)
    expected, spread = complete(rows, *reconstructed(whole.network, together, noise=True)[DATA])
    halves = reconstructed(both, together, noise=True)
    for name, columns in (("left", LEFT), ("right", RIGHT)):
        found = complete(rows[:, columns], *halves[name])
        np.testing.assert_allclose(found[0], expected[:, columns], atol=1e-10)
        np.testing.assert_allclose(found[1], spread[:, columns], atol=1e-10)
    np.testing.assert_allclose(
        log_density(both, given, together),
        log_density(whole.network, {DATA: rows}, together),
        rtol=1e-8,
    )


def test_one_half_predicts_the_other(whole: Known, rows: np.ndarray) -> None:
    """With only shared dimensions, the missing half is generated at the x* of the given half."""
    both, wanted = beside(whole.half(LEFT), whole.half(RIGHT)), whole.half(LEFT)
    every = np.ones(2, dtype=bool)
    relevance = wanted.posterior.kernel.relevance
    assert relevance is not None
    asked = Wanted(both, "left", 0, whole.belief, Roles.of(every, every, relevance))
    found = explain(both, {"right": rows[:, RIGHT]})[0]
    mean, variance = transfer(asked, found)
    best = predict_uncertain(wanted.posterior, found.best.mean, found.best.variance, noise=True)
    np.testing.assert_allclose(mean, best[0], atol=1e-12)
    # With one explanation, the variance is that of the layer. With several explanations, the
    # variance is the expected squared error of the best explanation, because any of them may be
    # true.
    errors = []
    for k in np.flatnonzero(found.weights.max(axis=0) > 1e-6):
        here = predict_uncertain(
            wanted.posterior, found.mean[:, k], found.variance[:, k], noise=True
        )
        errors.append(np.where(found.weights[:, [k]] > 1e-6, here[1] + (here[0] - mean) ** 2, 0.0))
    single = found.weights[:, 0] > 1.0 - 1e-6
    np.testing.assert_allclose(variance[single], best[1][single], rtol=1e-4)
    assert single.any() and not single.all()
    assert (variance <= np.max(errors, axis=0) * (1.0 + 1e-4)).all()
    assert (variance[~single] > best[1][~single]).any()
    # The rows are near the first training rows, so these match best.
    nearest, distance = correspond(asked, whole.belief.mean[:4] + 1e-3, 3)
    assert nearest[:, 0].tolist() == [0, 1, 2, 3]
    assert (np.diff(distance, axis=1) >= 0).all()


def test_views_of_one_draw_belong_together(whole: Known) -> None:
    """Two equal layers give similar outputs at each drawn point, and different ones elsewhere."""
    drawn = draw_prior(beside(whole, whole), 400, np.random.default_rng(0))
    one, two = drawn["left"], drawn["right"]
    assert one.shape == two.shape == (400, 5)
    paired = [np.corrcoef(one[:, d], two[:, d])[0, 1] for d in range(5)]
    shifted = [np.corrcoef(one[1:, d], two[:-1, d])[0, 1] for d in range(5)]
    assert min(paired) > 0.3
    assert np.abs(shifted).max() < 0.2
