"""Tests that the density of a new row is the increase of the bound by one more training row."""

import numpy as np
import pytest

from gplvm_core import RBF
from gplvm_core.beliefs import Belief
from gplvm_core.bounds.layer import Layer, evaluate_layer
from gplvm_core.prediction import DATA, Explained, Network, Posterior, Projection, log_density
from gplvm_core.statistics import Targets

N_OUTPUTS, N_INDUCING = 50, 8


@pytest.mark.parametrize("gaps", [False, True], ids=["whole", "gaps"])
def test_wide_rows_add_to_the_bound_what_they_would_in_training(gaps: bool) -> None:
    rng = np.random.default_rng(0)
    points, spread = rng.normal(size=(71, 2)), rng.uniform(0.05, 0.3, (71, 2))
    outputs = np.sin(points @ rng.normal(size=(2, N_OUTPUTS))) + 0.1 * rng.normal(
        size=(71, N_OUTPUTS)
    )
    if gaps:
        # two groups of columns, each with more columns than there are inducing inputs
        outputs[:5, :20] = np.nan
        outputs[70, 15:45] = np.nan
    layer = Layer(RBF(1.2, np.array([1.1, 0.6])), points[:N_INDUCING], 0.05)

    def bound(rows: slice, columns: np.ndarray) -> float:
        belief = Belief(points[rows], spread[rows])
        targets = Targets.of(outputs[rows][:, columns])
        return float(evaluate_layer(layer, belief, targets, jitter=1e-6).posterior.value)

    known = Belief(points[:70], spread[:70])
    at = evaluate_layer(layer, known, Targets.of(outputs[:70]), jitter=1e-6)
    posterior = Posterior(
        layer.kernel, layer.inducing, at.posterior.weights, at.posterior.gap, 0.05, at.jitter,
        np.zeros(N_OUTPUTS), np.ones(N_OUTPUTS), at.statistics.groups,
    )  # fmt: skip
    found = Projection(points[70:, None], spread[70:, None], np.zeros((1, 1)))
    network = Network.chain([posterior], [known], [at.statistics])
    value = log_density(network, {DATA: outputs[70:]}, Explained.at(0, found))
    mean, variance = points[70], spread[70]
    kl = 0.5 * np.sum(mean**2 + variance - np.log(variance) - 1.0)
    seen = ~np.isnan(outputs[70])
    expected = bound(slice(71), seen) - bound(slice(70), seen) - kl
    assert value[0] == pytest.approx(expected, rel=1e-9)
